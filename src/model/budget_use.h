/*
 * budget_use: how much of a run's budget is used, by what its journal says.
 *
 *	attempts   reservations so far
 *	workers    attempts that are alive
 *	wall_time  from the first line to now, or to the last line
 *
 * Everything else is unavailable: no receipt that pawl takes gives it.  A limit
 * is over when what is used has reached it; a hard one of something that is
 * unavailable holds everything back, too, since nobody could say when it is
 * passed.
 */
#ifndef PAWL_MODEL_BUDGET_USE_H
#define PAWL_MODEL_BUDGET_USE_H

#include "model/state.h"

enum budget_standing { BUDGET_WITHIN, BUDGET_OVER, BUDGET_UNAVAILABLE };

struct budget_use {
	enum budget_standing standing;
	uint64_t used; /* as budget_limit's amount; unless unavailable */
};

/* `now` is wall time as lines have it; empty: that of the last line. */
struct budget_use budget_use(const struct state *s,
	const struct budget_limit *limit, struct str now);

/* The first hard limit that lets nothing new start; false without one. */
bool budget_holds(const struct state *s, struct str now, uint32_t *ret_limit);

/* One sentence: `attempts are over their limit: 6 of 6 attempts`; in `mem`. */
struct str budget_sentence(const struct state *s, uint32_t limit,
	struct str now, struct arena *mem);

/* Its facts, one object. */
void budget_limit_json(struct json_writer *w, const struct state *s,
	uint32_t limit, struct str now);

/* All limits, as an array. */
void budget_json(struct json_writer *w, const struct state *s, struct str now);

/* Advisory limits that are over or can't be measured: what is to be told. */
uint32_t budget_degraded(const struct state *s, struct str now,
	uint32_t ret_limits[BUDGET_LIMITS_MAX]);

#endif
