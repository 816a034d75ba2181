/*
 * invariants_delegation: what must hold of a run's delegations.
 */
#ifndef PAWL_TEST_INVARIANTS_DELEGATION_H
#define PAWL_TEST_INVARIANTS_DELEGATION_H

#include "model/state.h"

/* What is broken, in words; NULL when nothing is. */
const char *invariants_delegations(const struct state *s);

/* Has one that ended in `before` changed since? */
const char *invariants_delegations_terminal(
	const struct state *before, const struct state *now);

#endif
