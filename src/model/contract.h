/*
 * contract: what holds for a node now: the frozen plan, and what was amended.
 *
 * The plan never changes.  An amendment replaces paths, acceptance or check of
 * a node, from its next attempt on, and makes the contract's next revision;
 * everything that is bound to an older one is fenced: a gate that was open or
 * granted doesn't cover the new one.
 *
 * What a node may change, must fulfil and is checked by is asked here and never
 * of the plan, once a run has begun.
 *
 * An attempt may have a scope of its own, amended between its reservation and
 * its start (design 3.8).  It takes the place of the contract's paths for that
 * attempt; for the one that repairs its work; and for the node while that work
 * is what stands.  The contract itself, its digest and its revision stay.
 */
#ifndef PAWL_MODEL_CONTRACT_H
#define PAWL_MODEL_CONTRACT_H

#include "model/state.h"

struct contract_view {
	const struct plan *plan;
	uint32_t node;
	const struct amendment *amended; /* NULL: the plan's */
	const struct strs *scope; /* an attempt's own; NULL: the contract's */
};

/* What holds of the node, and for the next attempt of it. */
struct contract_view contract_of(const struct state *s, uint32_t node);

/* What holds, or held, for this attempt. */
struct contract_view contract_of_attempt(
	const struct state *s, uint32_t attempt);

/* The contract as it would be with this amendment; no attempt's scope. */
struct contract_view contract_with(
	const struct state *s, uint32_t node, const struct amendment *amended);

uint32_t contract_revision(const struct contract_view *v); /* from 1 */

/* Scopes in normal form, reduced to the minimal set. */
uint32_t contract_scopes(const struct contract_view *v);
struct str contract_scope(const struct contract_view *v, uint32_t i);
bool contract_covers(const struct contract_view *v, struct str path);

/* With continuation lines joined; in `mem` when it had any. */
struct str contract_acceptance(
	const struct contract_view *v, struct arena *mem);
struct str contract_check(const struct contract_view *v, struct arena *mem);
/* Is it the text that stands for missing evidence, and no command? */
bool contract_sentinel(const struct contract_view *v);
PAWL_MUST_CHECK enum pawl_rc contract_check_argv(const struct contract_view *v,
	struct arena *mem, char ***ret_argv, struct pawl_err *err);

/* As plan_contract_json; from revision 2 on with its number. */
void contract_json(
	const struct contract_view *v, struct arena *mem, struct buf *out);

/* SHA-256 (hex, in `mem`) of what an approval or a reservation binds. */
struct str contract_sha256(const struct contract_view *v, struct arena *mem);
struct str contract_scope_sha256(
	const struct contract_view *v, struct arena *mem);

/*
 * Paths as people wrote them, in normal form and without those that lie in
 * another; in `mem`.  Errors: those of scope_normalise; ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc contract_paths(struct strs given,
	struct arena *mem, struct strs *ret_paths, struct pawl_err *err);

#endif
