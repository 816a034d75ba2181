/*
 * apply: fold one event into a state.
 *
 * O(1) amortised and along the edges that the event touches; no copy, no
 * rescan. It checks what a fold must be able to rely on (known node, a step
 * that design 3.3 and 3.5 allow, contiguous attempt numbers), so a hand-made or
 * damaged journal is an error with a reason, never a wild index: ERR_CORRUPT.
 * After an error the state is unusable and must be released.
 */
#ifndef PAWL_MODEL_APPLY_H
#define PAWL_MODEL_APPLY_H

#include "model/state.h"

/* What an event's line says of itself. */
struct line_facts {
	uint64_t seq, gen;
	struct str at, actor;
};

PAWL_MUST_CHECK enum pawl_rc apply(struct state *s,
	const struct line_facts *line, const struct event *e,
	struct pawl_err *err);

#endif
