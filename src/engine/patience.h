/*
 * patience: the deadline of an attempt stands still while it waits for a human.
 *
 * A worker that has asked goes on running, and whoever is to answer may sleep.
 * The journal says what is open; a monitor is told what follows from that for
 * its clock, as often as somebody looks: when a question was taken in, when it
 * was answered (by any process), and when a monitor is adopted, since who was
 * to tell it may have been killed.  To tell it again changes nothing.
 *
 * An attempt without a process has its clock here: the time between question
 * and answer, by the journal, is given to it.
 */
#ifndef PAWL_ENGINE_PATIENCE_H
#define PAWL_ENGINE_PATIENCE_H

#include "engine/pilot.h"

/* Tell the monitors under the pilot's eyes; a deadline without one is looked at
 * again. */
void patience_turn(struct pilot *p);

/*
 * Tell the monitor of an attempt that nobody here watches, if there is one: a
 * notice that doesn't reach it reaches it from whoever adopts it.
 */
void patience_tell(const struct run *r, uint32_t attempt);

/* For how long an attempt has waited for answers that it has got, in ms. */
uint64_t patience_waited_ms(const struct state *s, uint32_t attempt);

#endif
