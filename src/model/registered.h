/*
 * registered: cleanups that a coordinator registered by itself, and that are
 * open.
 *
 * No work of their node ends before they are settled, and only a coordinator by
 * name settles what can't be seen to be gone.  So they keep the autopilot, when
 * it has taken the run over, from taking an attempt that has reported any
 * further: each step could be its end.
 */
#ifndef PAWL_MODEL_REGISTERED_H
#define PAWL_MODEL_REGISTERED_H

#include "model/state.h"

/* The first of a node, as its index in `*ret_cleanup`; false without one. */
bool registered_first(
	const struct state *s, uint32_t node, uint32_t *ret_cleanup);

/* Does one keep the autopilot from taking this attempt further? */
bool is_attempt_kept_open(
	const struct state *s, const struct attempt *a, uint32_t *ret_cleanup);

#endif
