/*
 * next_task: the one thing to do now, of a run that is coordinated by hand.
 *
 * A named coordinator's run goes on by the plumbing verb that takes it a step:
 * the first attempt that waits for a decision, then what may be dispatched,
 * then a sync.  What waits for a human, or stands for good, is model/next.h's.
 */
#ifndef PAWL_MODEL_NEXT_TASK_H
#define PAWL_MODEL_NEXT_TASK_H

#include "model/next.h"

/* False, and `ret_next` untouched, for a run that no verb of it moves on. */
bool next_by_hand(
	const struct state *s, struct arena *mem, struct next *ret_next);

/*
 * A run that nobody coordinates by name: true when all that lives is kept open
 * by what a coordinator registered (model/registered.h), and nothing may start.
 */
bool next_kept_open(
	const struct state *s, struct arena *mem, struct next *ret_next);

#endif
