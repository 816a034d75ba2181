/*
 * state_sound: may a state that was read from outside be looked at?
 *
 * A projection is a file, and whoever can write it can write anything.  What
 * it says is believed or not elsewhere (its digest, the journal); here it is
 * only made sure that reading the state can't leave its tables.
 */
#ifndef PAWL_MODEL_STATE_SOUND_H
#define PAWL_MODEL_STATE_SOUND_H

#include "model/state.h"

/* Every index of a record lies inside its table, every enum in its range. */
bool is_state_sound(const struct state *s);

#endif
