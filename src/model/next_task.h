/*
 * next_task: the one thing to do now, of a run that is coordinated by hand.
 *
 * A named coordinator's run goes on by the plumbing verb that takes it a step:
 * the first attempt that waits for a decision, then what may be dispatched,
 * then a sync.  What waits for a human, or stands for good, is model/next.h's.
 * Each verb is one that is accepted as the run stands.
 */
#ifndef PAWL_MODEL_NEXT_TASK_H
#define PAWL_MODEL_NEXT_TASK_H

#include "model/next.h"

/* False, and `ret_next` untouched, for a run that no verb of it moves on. */
bool next_by_hand(
	const struct state *s, struct arena *mem, struct next *ret_next);

/*
 * The verb by which a named coordinator takes a live attempt a step on; false,
 * and `ret_next` untouched, while that is its worker's to do.
 */
bool next_of_attempt(const struct state *s, uint32_t attempt, struct arena *mem,
	struct next *ret_next);

/* The verb that takes an open delegation on. */
struct next next_delegation(
	const struct state *s, uint32_t delegation, struct arena *mem);

/* Take in what its workers have done since. */
struct next next_sync(const struct state *s, struct arena *mem);

/*
 * True when nothing may start, and all that lives is kept open by what a
 * coordinator registered (model/registered.h), or what is READY is.
 */
bool next_kept_open(
	const struct state *s, struct arena *mem, struct next *ret_next);

#endif
