#include "invariants_delegation.h"

#include "model/contract.h"

#define HOLDS(condition, words)       \
	do {                          \
		if (!(condition))     \
			return words; \
	} while (0)

/* What is granted lies in the scope that the parent had. */
static const char *
grant_broken(const struct state *s, const struct delegation *d)
{
	const struct attempt *a = &s->attempts.items[d->attempt];
	struct contract_view v = contract_of_attempt(s, d->attempt);

	/* Afterwards the contract may be another one. */
	if (!is_attempt_live(a) || d->status == DELEGATION_REQUESTED ||
		d->status == DELEGATION_REJECTED)
		return NULL;
	for (uint32_t i = 0; i < d->paths.count; i++)
		HOLDS(contract_covers(&v, delegation_path(d, i)),
			"a delegation is wider than its parent");
	return NULL;
}

/* No live attempt beside what the worker of an ended one may still touch. */
static const char *
left_broken(const struct state *s, const struct delegation *d)
{
	const struct attempt *parent = &s->attempts.items[d->attempt];

	if (!is_delegation_left(s, d))
		return NULL;
	for (uint32_t at = 0; at < s->attempts.count; at++) {
		const struct attempt *a = &s->attempts.items[at];
		bool writes = s->plan->nodes[a->node].mode == MODE_WRITE ||
			s->plan->nodes[parent->node].mode == MODE_WRITE;
		struct contract_view v = contract_of_attempt(s, at);

		if (!is_attempt_live(a))
			continue;
		HOLDS(a->node != parent->node,
			"an attempt beside a delegation of an earlier one");
		for (uint32_t i = 0; writes && i < d->paths.count; i++)
			HOLDS(!contract_covers(&v, delegation_path(d, i)),
				"3: a delegation that is left overlaps");
	}
	return NULL;
}

const char *
invariants_delegations(const struct state *s)
{
	uint32_t open = 0, left = 0, of_nodes = 0;
	const struct delegation *d;

	VEC_EACH (d, &s->delegations) {
		const struct attempt *a = &s->attempts.items[d->attempt];
		const char *broken = grant_broken(s, d);

		if (broken == NULL)
			broken = left_broken(s, d);
		if (broken != NULL)
			return broken;
		open += is_delegation_open(d);
		left += is_delegation_left(s, d);
		HOLDS(d->status > DELEGATION_APPROVED || is_attempt_live(a),
			"not begun, and its attempt ended");
		HOLDS(!is_delegation_open(d) ||
				(s->nodes[a->node].status != NODE_PASSED &&
					!is_run_closed(s)),
			"8: passed or closed with an open delegation");
		HOLDS((d->status == DELEGATION_RELEASED) ==
				(d->settled.len > 0),
			"released and its word don't go together");
	}
	for (uint32_t i = 0; i < s->plan->count; i++)
		of_nodes += s->nodes[i].delegations;
	HOLDS(open == s->delegations_open && open == of_nodes,
		"open delegations are miscounted");
	HOLDS(left == s->delegations_left, "those left are miscounted");
	return NULL;
}

const char *
invariants_delegations_terminal(
	const struct state *before, const struct state *now)
{
	for (uint32_t i = 0; i < before->delegations.count; i++) {
		const struct delegation *b = &before->delegations.items[i];
		const struct delegation *n = &now->delegations.items[i];

		HOLDS(is_delegation_open(b) ||
				(b->status == n->status &&
					str_eq(b->settled, n->settled) &&
					str_eq(b->reason, n->reason)),
			"7: a delegation that ended changed");
	}
	return NULL;
}
