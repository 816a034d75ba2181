#include "model/contract.h"
#include "model/delegation.h"
#include "model/question.h"
#include "model/scope.h"

/* A grant covers the paths that were shown, and no others. */
static enum pawl_rc
is_granted(struct question *q, const struct contract_view *own)
{
	struct contract_view v = contract_with(
		q->s, q->node, contract_of(q->s, q->node).amended);

	if (!q->s->plan->nodes[q->node].approval)
		return PAWL_OK;
	for (uint32_t i = 0; i < contract_scopes(own); i++) {
		if (contract_covers(&v, contract_scope(own, i)))
			continue;
		(void)pawl_fail(q->err, ERR_APPROVAL_STALE,
			"'" STR_FMT "' isn't among the paths that '" STR_FMT
			"' was approved for",
			STR_ARG(q->e->paths.items[i]), STR_ARG(q->e->node));
		return pawl_hint(q->err,
			"pawl task abandon " STR_FMT " --reason TEXT",
			STR_ARG(q->e->attempt));
	}
	return PAWL_OK;
}

/* The scope of ours that another one clashes with; `*ret_at` is its index. */
static bool
is_clashing(const struct contract_view *own, const struct contract_view *other,
	uint32_t *ret_at)
{
	for (uint32_t i = 0; i < contract_scopes(own); i++) {
		for (uint32_t k = 0; k < contract_scopes(other); k++) {
			if (!scope_overlaps(contract_scope(own, i),
				    contract_scope(other, k)))
				continue;
			*ret_at = i;
			return true;
		}
	}
	return false;
}

/* Nothing that another attempt or a delegation's worker writes, or looks at
 * while this one writes; one that is only reserved counts as well. */
static enum pawl_rc
is_free(struct question *q, const struct contract_view *own)
{
	const struct state *s = q->s;
	bool writes = s->plan->nodes[q->node].mode == MODE_WRITE;
	uint32_t at;

	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];
		struct contract_view v;

		if (i == q->attempt || !is_attempt_live(a) ||
			(!writes && s->plan->nodes[a->node].mode != MODE_WRITE))
			continue;
		v = contract_of_attempt(s, i);
		if (!is_clashing(own, &v, &at))
			continue;
		return pawl_fail(q->err, ERR_SCOPE_OVERLAP,
			"'" STR_FMT "' overlaps the scope of attempt '" STR_FMT
			"@%u'",
			STR_ARG(q->e->paths.items[at]),
			STR_ARG(plan_id(s->plan, a->node)), a->number);
	}
	if (state_left_delegation(s, own, &at))
		return pawl_fail(q->err, ERR_DELEGATION_OPEN,
			"what delegation 'g%u' was granted is in the way",
			at + 1);
	return PAWL_OK;
}

static enum pawl_rc
is_digest_right(struct question *q, const struct contract_view *own)
{
	struct arena mem = ARENA_INIT;
	bool right =
		str_eq(q->e->scope_sha256, contract_scope_sha256(own, &mem));

	arena_reset(&mem);
	return right ? PAWL_OK
		     : pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			       "the digest of the scope isn't that of its"
			       " paths");
}

enum pawl_rc
decide_scope_amended(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	struct contract_view own = contract_of_attempt(q->s, q->attempt);
	enum pawl_rc rc;

	if (a->status != ATTEMPT_RESERVED) {
		return pawl_fail(q->err, ERR_SCOPE_FROZEN,
			"attempt '" STR_FMT "' is " STR_FMT
			": its scope is final",
			STR_ARG(q->e->attempt),
			STR_ARG(attempt_status_word(a->status)));
	}
	if (str_trim(q->e->reason).len == 0)
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"amending the scope of '" STR_FMT "' needs a reason",
			STR_ARG(q->e->attempt));
	rc = decide_paths(q);
	own.scope = &q->e->paths;
	if (rc == PAWL_OK)
		rc = is_granted(q, &own);
	if (rc == PAWL_OK)
		rc = is_free(q, &own);
	return rc == PAWL_OK ? is_digest_right(q, &own) : rc;
}
