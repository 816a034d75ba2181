#include "model/question.h"

#include "model/capability.h"
#include "model/contract.h"
#include "model/explain.h"

enum pawl_rc
decide_wrong_state(struct question *q, const char *wanted)
{
	return pawl_fail(q->err, ERR_ATTEMPT_STATE,
		"attempt '" STR_FMT "' is " STR_FMT ", not %s",
		STR_ARG(q->e->attempt),
		STR_ARG(attempt_status_word(question_attempt(q)->status)),
		wanted);
}

enum pawl_rc
decide_checking(struct question *q)
{
	return pawl_fail(q->err, ERR_ATTEMPT_STATE,
		"a check of attempt '" STR_FMT "' runs",
		STR_ARG(q->e->attempt));
}

enum pawl_rc
decide_refused(struct question *q)
{
	return pawl_fail(q->err, ERR_ATTEMPT_STATE,
		"attempt '" STR_FMT "' is refused already: " STR_FMT,
		STR_ARG(q->e->attempt), STR_ARG(question_attempt(q)->cause));
}

/* Not one writer in place beside anything else there, whoever asks. */
static bool
is_crowded(const struct state *s, uint32_t node)
{
	uint32_t live = s->live_attempts;

	if (s->live_in_place == 0)
		return false;
	if (s->plan->nodes[node].mode == MODE_WRITE)
		return true;
	/* Those that live are nearly always the last. */
	for (size_t i = s->attempts.count; i-- > 0 && live > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_attempt_live(a))
			continue;
		if (a->placement == PLACEMENT_IN_PLACE &&
			s->plan->nodes[a->node].mode == MODE_WRITE)
			return true;
		live--;
	}
	return false;
}

enum pawl_rc
decide_not_ready(struct question *q, struct hold_answer h)
{
	enum pawl_code code = ERR_TASK_NOT_READY;
	struct arena mem = ARENA_INIT;
	struct explanation ex;
	enum pawl_rc rc;

	if (h.hold == HOLD_SCOPE)
		code = ERR_SCOPE_OVERLAP;
	else if (h.hold == HOLD_SLOTS || h.hold == HOLD_CAPACITY)
		code = ERR_BUSY;
	else if (h.hold == HOLD_QUESTION || is_node_asking(q->s, q->node))
		code = ERR_QUESTION_OPEN;
	else if (h.hold == HOLD_CLEANUP)
		code = ERR_CLEANUP_PENDING;
	else if (h.hold == HOLD_DELEGATION)
		code = ERR_DELEGATION_OPEN;
	else if (h.hold == HOLD_BUDGET)
		return decide_within_budget(q);
	else if (q->s->nodes[q->node].status == NODE_NEEDS_APPROVAL)
		code = ERR_APPROVAL_NEEDED;
	explain_node(q->s, q->node, 1, &mem, &ex);
	rc = pawl_fail(q->err, code, STR_FMT ": " STR_FMT, STR_ARG(ex.verdict),
		STR_ARG(ex.count > 0 ? ex.causes[0].sentence
				     : node_status_word(
					       q->s->nodes[q->node].status)));
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
decide_reserved(struct question *q)
{
	struct hold_answer h = ready_hold(q->s, q->node);
	struct contract_view v = contract_of(q->s, q->node);
	uint32_t number = q->s->nodes[q->node].attempts + 1u;
	const struct event *e = q->e;

	if (e->revision != contract_revision(&v))
		return pawl_fail(q->err, ERR_STALE_REVISION,
			"the contract of '" STR_FMT "' is at revision %u",
			STR_ARG(e->node), contract_revision(&v));
	if (event_has(e, F_ARGV) && driver_hands_on(e->driver))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is handed on: nothing is started for it",
			STR_ARG(e->attempt));
	if (h.hold != HOLD_NONE)
		return decide_not_ready(q, h);
	/* Time goes on without any line. */
	if (decide_within_budget(q) != PAWL_OK)
		return q->err->rc;
	if (number > UINT16_MAX)
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has had the limit of %d attempts",
			STR_ARG(e->node), UINT16_MAX);
	if (!is_numbered_id(e->attempt, e->node, '@', number)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next attempt of '" STR_FMT "' is '" STR_FMT
			"@%u', not '" STR_FMT "'",
			STR_ARG(e->node), STR_ARG(e->node), number,
			STR_ARG(e->attempt));
	}
	if (!str_eq(e->placement, STR("worktree")) && is_crowded(q->s, q->node))
		return pawl_fail(q->err, ERR_TASK_NOT_READY,
			"'" STR_FMT "' can't work in place beside another",
			STR_ARG(e->node));
	return PAWL_OK;
}

enum pawl_rc
decide_reservation(struct question *q)
{
	if (question_attempt(q)->status != ATTEMPT_RESERVED)
		return decide_wrong_state(q, "reserved");
	return PAWL_OK;
}

enum pawl_rc
decide_reported(struct question *q)
{
	if (question_attempt(q)->status != ATTEMPT_STARTED)
		return decide_wrong_state(q, "started");
	return PAWL_OK;
}

enum pawl_rc
decide_ended(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->status == ATTEMPT_RESERVED || !is_attempt_live(a))
		return decide_wrong_state(q, "running");
	/* What is on the run's branch is graded, not forgotten. */
	if (a->status == ATTEMPT_INTEGRATED)
		return decide_wrong_state(q, "before its integration");
	if (!str_eq(q->e->cause, CAUSE_INPUT_REQUIRED))
		return PAWL_OK;
	if (q->e->type != EV_ATTEMPT_INTERRUPTED ||
		q->s->nodes[q->node].questions == 0)
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' waits for no answer",
			STR_ARG(q->e->attempt));
	return PAWL_OK;
}

/*
 * What it owns must be proven gone before it is given up; its worktree goes
 * after that, when its changes are kept.
 */
static enum pawl_rc
released(struct question *q)
{
	const struct cleanup *c;

	VEC_EACH (c, &q->s->cleanups) {
		if (c->attempt != q->attempt ||
			str_eq(c->kind, STR("worktree")))
			continue;
		if (c->status == CLEANUP_PENDING ||
			c->status == CLEANUP_FAILED) {
			return pawl_fail(q->err, ERR_CLEANUP_BLOCKED,
				"cleanup '" STR_FMT "' of attempt '" STR_FMT
				"' is open: " STR_FMT " '" STR_FMT "'",
				STR_ARG(c->id), STR_ARG(q->e->attempt),
				STR_ARG(c->kind), STR_ARG(c->target));
		}
	}
	return PAWL_OK;
}

enum pawl_rc
decide_abandoned(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (!is_attempt_live(a))
		return decide_wrong_state(q, "alive");
	if (a->status == ATTEMPT_INTEGRATED)
		return decide_wrong_state(q, "before its integration");
	if (state_running_check(q->s, a) != NULL)
		return decide_checking(q);
	if (str_trim(q->e->reason).len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"giving up '" STR_FMT "' needs a reason",
			STR_ARG(q->e->attempt));
	return q->s->nodes[q->node].cleanups > 0 ? released(q) : PAWL_OK;
}

enum pawl_rc
decide_quarantined(struct question *q)
{
	if (question_attempt(q)->status != ATTEMPT_STARTED)
		return decide_wrong_state(q, "started");
	if (str_trim(q->e->key).len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"setting aside the result of '" STR_FMT "' needs a key",
			STR_ARG(q->e->attempt));
	for (uint32_t i = 0; i < q->s->attempts.count; i++) {
		const struct attempt *a = &q->s->attempts.items[i];

		if (i != q->attempt && str_eq(a->quarantine_key, q->e->key)) {
			return pawl_fail(q->err, ERR_KEY_CONFLICT,
				"key '" STR_FMT "' set the result of '" STR_FMT
				"@%u' aside",
				STR_ARG(q->e->key),
				STR_ARG(plan_id(q->s->plan, a->node)),
				a->number);
		}
	}
	return PAWL_OK;
}

enum pawl_rc
decide_kept(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (is_attempt_live(a))
		return decide_wrong_state(q, "ended");
	if (str_eq(a->kept_sha256, q->e->artifact))
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"that result of '" STR_FMT "' is kept already",
			STR_ARG(q->e->attempt));
	return PAWL_OK;
}

enum pawl_rc
decide_reconciled(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (is_attempt_live(a) || !a->unreconciled)
		return decide_wrong_state(
			q, "ended with a workspace in question");
	return PAWL_OK;
}

enum pawl_rc
decide_violated(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	enum breach breach;

	if (a->status == ATTEMPT_RESERVED || !is_attempt_live(a))
		return decide_wrong_state(q, "running");
	if (!breach_from(q->e->reason, &breach))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is no breach of a scope",
			STR_ARG(q->e->reason));
	return PAWL_OK;
}
