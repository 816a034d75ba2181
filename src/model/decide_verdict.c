#include "model/contract.h"
#include "model/question.h"

/* What it is checked by, in the revision that holds, can't be run. */
static bool
has_no_check(const struct question *q)
{
	struct contract_view v = contract_of(q->s, q->node);

	return contract_sentinel(&v);
}

enum pawl_rc
decide_check_started(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->status != ATTEMPT_REPORTED && a->status != ATTEMPT_CHECKED)
		return decide_wrong_state(q, "reported");
	if (a->cause.len > 0)
		return decide_refused(q);
	if (has_no_check(q)) {
		return pawl_fail(q->err, ERR_CHECK_MISSING,
			"'" STR_FMT "' has no check: it stands for missing"
			" validation evidence",
			STR_ARG(q->e->node));
	}
	if (state_running_check(q->s, a) != NULL)
		return decide_checking(q);
	if (q->s->nodes[q->node].red == VERDICT_PASS) {
		return pawl_fail(q->err, ERR_RED_NEEDED,
			"the check of '" STR_FMT
			"' passes on the base already: it shows nothing",
			STR_ARG(q->e->node));
	}
	if (q->e->red != is_red_wanted(q->s, q->node)) {
		return pawl_fail(q->err, ERR_RED_NEEDED,
			q->e->red ? "the check of '" STR_FMT "' needs no"
				    " failure on the base, or was seen there"
				  : "the check of '" STR_FMT "' must be seen to"
				    " fail on the base first",
			STR_ARG(q->e->node));
	}
	if (!is_numbered_id(q->e->check, q->e->attempt, '#', a->checks + 1)) {
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next check of '" STR_FMT "' is '" STR_FMT
			"#%u', not '" STR_FMT "'",
			STR_ARG(q->e->attempt), STR_ARG(q->e->attempt),
			a->checks + 1, STR_ARG(q->e->check));
	}
	return PAWL_OK;
}

enum pawl_rc
decide_check_recorded(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->status != ATTEMPT_REPORTED ||
		state_running_check(q->s, a) == NULL)
		return decide_wrong_state(q, "being checked");
	if (!is_numbered_id(q->e->check, q->e->attempt, '#', a->checks)) {
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"check '" STR_FMT "#%u' runs, not '" STR_FMT "'",
			STR_ARG(q->e->attempt), a->checks,
			STR_ARG(q->e->check));
	}
	if (!str_eq(q->e->verdict, STR("pass")) &&
		!str_eq(q->e->verdict, STR("fail")) &&
		!str_eq(q->e->verdict, STR("void")))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"verdict '" STR_FMT "' is none of pass, fail, void",
			STR_ARG(q->e->verdict));
	return PAWL_OK;
}

/* A passed check is no pass while something else stands against the work. */
static enum pawl_rc
blocked_by_findings(struct question *q, const struct attempt *a)
{
	(void)pawl_fail(q->err, ERR_FINDING_OPEN,
		"findings that block attempt '" STR_FMT "': %u",
		STR_ARG(q->e->attempt), a->blocking);
	return pawl_hint(q->err,
		"pawl task audit-reject " STR_FMT " --finding F --hypothesis T",
		STR_ARG(q->e->attempt));
}

/* A check that wasn't run is to be; one that failed is what to work on. */
static enum pawl_rc
not_passed(struct question *q, const struct attempt *a)
{
	(void)pawl_fail(q->err, ERR_CHECK_FAILED,
		"no check of attempt '" STR_FMT "' has passed",
		STR_ARG(q->e->attempt));
	return a->verdict == VERDICT_FAIL
		? pawl_hint(q->err,
			  "pawl task repair " STR_FMT " --hypothesis T",
			  STR_ARG(q->e->node))
		: pawl_hint(q->err, "pawl task check " STR_FMT,
			  STR_ARG(q->e->node));
}

static enum pawl_rc
nothing_against(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->cause.len > 0)
		return decide_refused(q);
	if (a->blocking > 0)
		return blocked_by_findings(q, a);
	return PAWL_OK;
}

enum pawl_rc
decide_integrated(struct question *q)
{
	if (question_attempt(q)->status != ATTEMPT_CHECKED)
		return decide_wrong_state(q, "checked");
	return nothing_against(q);
}

enum pawl_rc
decide_integration_failed(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->status != ATTEMPT_CHECKED && a->status != ATTEMPT_REPORTED)
		return decide_wrong_state(q, "reported");
	if (state_running_check(q->s, a) != NULL)
		return decide_checking(q);
	return PAWL_OK;
}

/* What is owned must be gone, or kept on purpose, before anything is final. */
static enum pawl_rc
cleanups_settled(struct question *q)
{
	uint32_t open = q->s->nodes[q->node].cleanups;

	if (open == 0)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_CLEANUP_PENDING,
		"cleanups of '" STR_FMT "' that are open: %u",
		STR_ARG(q->e->node), open);
}

/* The check failed on the base, where it had to. */
static enum pawl_rc
red_seen(struct question *q)
{
	bool passed = q->s->nodes[q->node].red == VERDICT_PASS;

	if (!q->s->plan->nodes[q->node].red ||
		q->s->nodes[q->node].red == VERDICT_FAIL)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_RED_NEEDED,
		"the check of '" STR_FMT "' %s", STR_ARG(q->e->node),
		passed ? "passes on the base already: it shows nothing"
		       : "wasn't seen to fail on the base");
}

/* 3.6: a passing check of the last attempt, integration, nothing else. */
static enum pawl_rc
graded_pass(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	bool writes = q->s->plan->nodes[q->node].mode == MODE_WRITE;
	enum pawl_rc rc;

	if (has_no_check(q)) {
		return pawl_fail(q->err, ERR_CHECK_MISSING,
			"the check of '" STR_FMT "' can't pass: it stands for"
			" missing validation evidence",
			STR_ARG(q->e->node));
	}
	rc = red_seen(q);
	if (rc != PAWL_OK)
		return rc;
	if (a->verdict != VERDICT_PASS)
		return not_passed(q, a);
	if (writes && a->placement == PLACEMENT_WORKTREE &&
		a->status != ATTEMPT_INTEGRATED)
		return decide_wrong_state(q, "integrated");
	rc = nothing_against(q);
	if (rc == PAWL_OK)
		rc = decide_no_delegation(q);
	return rc == PAWL_OK ? decide_no_question(q) : rc;
}

static enum pawl_rc
graded_fail(struct question *q)
{
	const struct attempt *a = question_attempt(q);

	if (a->verdict == VERDICT_FAIL || a->cause.len > 0)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_CHECK_NEEDED,
		"no check of attempt '" STR_FMT "' has failed",
		STR_ARG(q->e->attempt));
}

static enum pawl_rc
graded_blocked(struct question *q)
{
	if (str_trim(q->e->reason).len > 0)
		return PAWL_OK;
	return pawl_fail(q->err, ERR_REASON_NEEDED,
		"'blocked' names the prerequisite that '" STR_FMT "' waits for",
		STR_ARG(q->e->node));
}

enum pawl_rc
decide_graded(struct question *q)
{
	const struct attempt *a = question_attempt(q);
	enum grade stands = (enum grade)q->s->nodes[q->node].grade;
	enum grade grade = GRADE_NONE;
	enum pawl_rc rc = grade_read(q->e->grade, &grade, q->err);

	if (rc != PAWL_OK)
		return rc;
	if (stands != GRADE_NONE)
		return pawl_fail(q->err, ERR_GRADE_CONFLICT,
			"'" STR_FMT "' is graded " STR_FMT " already",
			STR_ARG(q->e->node), STR_ARG(grade_word(stands)));
	if (!is_attempt_live(a) || a->status < ATTEMPT_REPORTED)
		return decide_wrong_state(q, "reported");
	if (state_running_check(q->s, a) != NULL)
		return pawl_fail(q->err, ERR_CHECK_NEEDED,
			"a check of attempt '" STR_FMT "' is running",
			STR_ARG(q->e->attempt));
	if (grade == GRADE_PASS)
		rc = graded_pass(q);
	else if (grade == GRADE_FAIL)
		rc = graded_fail(q);
	else if (grade == GRADE_BLOCKED)
		rc = graded_blocked(q);
	return rc == PAWL_OK ? cleanups_settled(q) : rc;
}

enum pawl_rc
decide_imported(struct question *q)
{
	const struct contract *c = &q->s->plan->nodes[q->node];
	uint32_t number = q->s->nodes[q->node].attempts + 1u;
	struct hold_answer h = ready_hold(q->s, q->node);
	enum pawl_rc rc;

	if (!c->checked) {
		return pawl_fail(q->err, ERR_NOT_TICKED,
			"the box of '" STR_FMT "' isn't ticked in the list that"
			" the run froze",
			STR_ARG(q->e->node));
	}
	if (has_no_check(q))
		return pawl_fail(q->err, ERR_CHECK_MISSING,
			"'" STR_FMT "' has no check that could pass",
			STR_ARG(q->e->node));
	rc = red_seen(q);
	if (rc != PAWL_OK)
		return rc;
	if (h.hold != HOLD_NONE && h.hold != HOLD_SLOTS)
		return decide_not_ready(q, h);
	if (!is_numbered_id(q->e->attempt, q->e->node, '@', number) ||
		number > UINT16_MAX)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"the next attempt of '" STR_FMT "' isn't '" STR_FMT "'",
			STR_ARG(q->e->node), STR_ARG(q->e->attempt));
	if (str_trim(q->e->import).len == 0)
		return pawl_fail(
			q->err, ERR_INVALID_ARGUMENT, "an import needs an id");
	return cleanups_settled(q);
}

/* Nothing is finished while something that was started is unsettled. */
static enum pawl_rc
nothing_open(struct question *q)
{
	const struct state *s = q->s;

	if (s->live_attempts > 0)
		return pawl_fail(q->err, ERR_ATTEMPTS_RUNNING,
			"attempts alive: %u", s->live_attempts);
	if (s->cleanups_open > 0)
		return pawl_fail(q->err, ERR_CLEANUP_PENDING,
			"cleanups open: %u", s->cleanups_open);
	if (s->unreconciled > 0)
		return pawl_fail(q->err, ERR_CLEANUP_PENDING,
			"workspaces not put in order: %u", s->unreconciled);
	if (s->due.count > 0)
		return pawl_fail(q->err, ERR_GATES_OPEN,
			"%zu gates open with this commit", s->due.count);
	if (s->asks_open > 0 && str_eq(q->e->outcome, STR("pass")))
		return pawl_fail(q->err, ERR_QUESTION_OPEN,
			"questions without an answer: %u", s->asks_open);
	return decide_no_delegations(q);
}

/*
 * Paths changed that no task answers for: then the run isn't what it looks, and
 * whoever closes it all the same says why.
 */
static enum pawl_rc
closed_unproven(struct question *q, bool complete)
{
	if (str_eq(q->e->outcome, STR("pass"))) {
		return pawl_fail(q->err, ERR_CHANGED_PATH_UNPROVEN,
			"'" STR_FMT "' changed, and no task that passed answers"
			" for it",
			STR_ARG(q->e->paths.items[0]));
	}
	if (str_trim(q->e->reason).len == 0)
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"a run is closed over changes of others for a reason");
	if (complete && !str_eq(q->e->outcome, STR("partial"))) {
		return pawl_fail(q->err, ERR_OUTCOME_UNEARNED,
			"outcome '" STR_FMT "' doesn't go with a run whose"
			" tasks have all passed",
			STR_ARG(q->e->outcome));
	}
	return PAWL_OK;
}

enum pawl_rc
decide_closed(struct question *q)
{
	bool complete = state_run_status(q->s) == RUN_COMPLETE;
	bool pass = str_eq(q->e->outcome, STR("pass"));
	enum pawl_rc rc = outcome_check(q->e->outcome, q->err);

	if (rc == PAWL_OK)
		rc = nothing_open(q);
	if (rc != PAWL_OK)
		return rc;
	if (pass && q->s->gates_open > 0)
		return pawl_fail(q->err, ERR_GATES_OPEN,
			"gates that wait for a human: %u", q->s->gates_open);
	if (pass && q->s->findings_blocking > 0)
		return pawl_fail(q->err, ERR_FINDING_OPEN,
			"findings that block what has passed: %u",
			q->s->findings_blocking);
	if (pass && q->s->findings_carried > 0)
		return pawl_fail(q->err, ERR_FINDINGS_CARRIED,
			"findings carried forward: %u", q->s->findings_carried);
	if (q->e->paths.count > 0)
		return closed_unproven(q, complete);
	if (pass != complete) {
		return pawl_fail(q->err, ERR_OUTCOME_UNEARNED,
			"outcome '" STR_FMT
			"' doesn't go with a run that is " STR_FMT,
			STR_ARG(q->e->outcome),
			STR_ARG(run_status_word(state_run_status(q->s))));
	}
	return PAWL_OK;
}
