/*
 * need: what a task needs of a class, by its `Needs`: `gpu`, or two: `gpu:2`.
 */
#ifndef PAWL_MODEL_NEED_H
#define PAWL_MODEL_NEED_H

#include "base/bounds.h"
#include "model/plan.h"

struct need {
	struct str class;
	uint32_t amount; /* 1 to BOUND_SLOTS */
};

/* One item of the list.  False when it is none. */
bool need_read(struct str item, struct need *ret_need);

/* The same with another mark before the amount.  Errors: those of id_check and
 * num_u64. */
PAWL_MUST_CHECK enum pawl_rc need_read_at(struct str word, char mark,
	struct need *ret_need, struct pawl_err *err);

/* All that a node needs; how many. */
uint32_t needs_of(const struct plan *p, uint32_t node,
	struct need ret_needs[BOUND_NAMES]);

#endif
