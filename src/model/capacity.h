/*
 * capacity: how many live attempts may need the same thing at once.
 *
 * A task's `Needs` names classes: something that this machine, or whoever runs
 * the list, has only so much of.  `gpu` takes one of it, `gpu:2` two, for as
 * long as an attempt of the task is alive.  A run says how much there is
 * (`--capacity gpu=2`); of a class that nobody said anything about there is
 * one, since what is named as needed is better waited for than shared.
 *
 * A need that is over all that there is would never be met.  A list that has
 * one is refused at its start; after a takeover with less, the task runs when
 * nobody else has any of it.
 */
#ifndef PAWL_MODEL_CAPACITY_H
#define PAWL_MODEL_CAPACITY_H

#include "model/need.h"
#include "model/state.h"

/* `CLASS=N`, as a run records it.  Errors: ERR_INVALID_ARGUMENT, ERR_LIMIT. */
PAWL_MUST_CHECK enum pawl_rc capacity_read(
	struct str word, struct need *ret_limit, struct pawl_err *err);

/* How much of a class there is. */
uint32_t capacity_limit(const struct strs *capacity, struct str class);

/* How much of it live attempts have. */
uint64_t capacity_used(const struct state *s, struct str class);

/* Which of its needs keeps a node from starting; false when none does. */
bool capacity_holds(const struct state *s, uint32_t node, uint32_t *ret_need);

/* `2 of 'gpu' are needed, 1 of 2 is taken`, in `mem`. */
struct str capacity_sentence(
	const struct state *s, uint32_t node, uint32_t need, struct arena *mem);

/*
 * What the nodes of a wave take, slots aside: as capacity_holds(), for what is
 * left then.  `*ret_node` took of it first.
 */
struct capacity_share {
	struct str class;
	uint64_t amount;
	uint32_t node;
};
VEC_DEF(capacity_shares, struct capacity_share);

bool capacity_excludes(const struct state *s,
	const struct capacity_shares *taken, uint32_t node, uint32_t *ret_node);
void capacity_take(
	const struct plan *p, struct capacity_shares *taken, uint32_t node);

/*
 * Can each need of a list be met, and are its classes not too many?
 * Errors: ERR_LIMIT, with the task.
 */
PAWL_MUST_CHECK enum pawl_rc capacity_suffices(const struct plan *p,
	const struct strs *capacity, struct pawl_err *err);

#endif
