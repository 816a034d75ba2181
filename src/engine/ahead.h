/*
 * ahead: what is prepared while children run, so that the next start is short.
 *
 * A start needs a capsule, an outbox and a monitor that waits at its gate. They
 * are made for the node that will probably be next, before it is reserved: a
 * file, an empty folder, and a process that can't execute anything and that
 * ends by itself when we do, since its gate closes.  Nothing of that is an
 * effect, and nothing of it outlives us.  The reservation and `started`, with
 * the monitor's identity, are then one line of the journal; the gate opens when
 * that is on the disk.
 *
 * A guess: when another node goes first, or is told something else than was
 * foreseen, the gate closes, and its start is made step by step.
 *
 *	ahead_prepare()   nothing else is to do
 *	ahead_use()       the attempt was proposed
 *	ahead_open()      that was committed
 *	ahead_drop()
 */
#ifndef PAWL_ENGINE_AHEAD_H
#define PAWL_ENGINE_AHEAD_H

#include "engine/pilot.h"

/* Without success, and without a reason to, nothing is prepared. */
void ahead_prepare(struct pilot *p);

/* Propose `started` for an attempt when it is the one that was prepared. */
PAWL_MUST_CHECK enum pawl_rc ahead_use(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Open the gate of what is started; does nothing when there is none. */
PAWL_MUST_CHECK enum pawl_rc ahead_open(struct pilot *p, struct pawl_err *err);

/* Close the gate of what isn't started, and leave no zombie. */
void ahead_drop(struct pilot *p);

#endif
