#include "engine/appraisal.h"

#include "engine/landing.h"
#include "engine/plumb.h"
#include "engine/verdict.h"
#include "engine/worker.h"
#include "model/contract.h"
#include "os/lock.h"

enum {
	LOCK_TRY_MS = 1000,
	LOCK_TRIES = 30, /* for a driver that has yet to record what ended */
};

static enum pawl_rc
wrong_state(struct pilot *p, uint32_t attempt, const char *wanted,
	struct pawl_err *err)
{
	return pawl_fail(err, ERR_ATTEMPT_STATE,
		"attempt '" STR_FMT "' is " STR_FMT ", not %s",
		STR_ARG(pilot_attempt_id(p, attempt)),
		STR_ARG(attempt_status_word(
			(enum attempt_status)pilot_attempt(p, attempt)
				->status)),
		wanted);
}

static enum pawl_rc
last_attempt(struct pilot *p, uint32_t node, uint32_t *ret_attempt,
	struct pawl_err *err)
{
	uint32_t attempt_1 = p->run->state.nodes[node].attempt_1;

	if (attempt_1 == 0)
		return pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
			"'" STR_FMT "' has had no attempt",
			STR_ARG(plan_id(&p->run->plan, node)));
	*ret_attempt = attempt_1 - 1;
	return PAWL_OK;
}

/*
 * Record what a check left, or go on watching it.  The record of a node's own
 * check is what the verb was asked for; that of the base comes before it, and
 * so does that of a check which somebody else began (`inherited`) and which got
 * no verdict: another one answers.
 */
static enum pawl_rc
advance(struct pilot *p, uint32_t attempt, bool inherited, struct pawl_err *err)
{
	const struct check *c =
		state_running_check(&p->run->state, pilot_attempt(p, attempt));
	bool red = c != NULL && c->red;
	enum pawl_rc rc = verdict_advance(p, attempt, err);
	const struct attempt *a = pilot_attempt(p, attempt);
	bool left = inherited && a->verdict == VERDICT_VOID &&
		state_running_check(&p->run->state, a) == NULL;

	if (rc != PAWL_OK)
		return rc;
	return red || left ? pilot_commit(p, err) : plumb_finish(p, err);
}

/* See the running check through: it ends, and what it left is recorded. */
static enum pawl_rc
fly(struct pilot *p, uint32_t attempt, bool inherited, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	/* One that isn't watched is adopted first, or recorded at once. */
	for (int i = 0; i < 2 && rc == PAWL_OK; i++) {
		if (state_running_check(
			    &p->run->state, pilot_attempt(p, attempt)) == NULL)
			break;
		if (pilot_slot(p, attempt) != NULL)
			rc = plumb_await(p, attempt, err);
		if (rc == PAWL_OK)
			rc = advance(p, attempt, inherited, err);
	}
	if (pilot_slot(p, attempt) != NULL)
		pilot_unwatch(p, pilot_slot(p, attempt));
	return rc;
}

/* Wait for the end of a check that another call drives. */
static enum pawl_rc
await_other(struct pilot *p, uint32_t attempt, const struct check *c,
	struct pawl_err *err)
{
	struct monitor m;
	bool alive;
	enum pawl_rc rc = worker_find_monitor(p, &c->monitor, &alive, &m, err);

	if (rc != PAWL_OK || !alive)
		return rc;
	rc = pilot_watch(p, attempt, true, &m, err);
	if (rc == PAWL_OK)
		rc = plumb_await(p, attempt, err);
	if (pilot_slot(p, attempt) != NULL)
		pilot_unwatch(p, pilot_slot(p, attempt));
	return rc;
}

/* What stands in the way of a check that isn't there yet. */
static enum pawl_rc
may_check(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct contract_view v = contract_of(&p->run->state, a->node);
	uint32_t node = a->node;

	if (contract_sentinel(&v)) {
		return pawl_fail(err, ERR_CHECK_MISSING,
			"'" STR_FMT "' has no check: it stands for missing"
			" validation evidence",
			STR_ARG(plan_id(&p->run->plan, node)));
	}
	if (!is_attempt_live(a) || a->status < ATTEMPT_REPORTED ||
		a->status > ATTEMPT_CHECKED)
		return wrong_state(p, attempt, "reported", err);
	if (p->run->state.nodes[node].red == VERDICT_PASS) {
		return pawl_fail(err, ERR_RED_NEEDED,
			"the check of '" STR_FMT
			"' passes on the base already: it shows nothing",
			STR_ARG(plan_id(&p->run->plan, node)));
	}
	if (a->cause.len > 0) {
		return pawl_fail(err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' is refused already: " STR_FMT,
			STR_ARG(pilot_attempt_id(p, attempt)),
			STR_ARG(a->cause));
	}
	return PAWL_OK;
}

/* The record that answers: of a check whose number is at least `from`. */
static bool
is_answered(struct pilot *p, uint32_t attempt, uint32_t from)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c;

	if (a->check_1 == 0)
		return false;
	c = &p->run->state.checks.items[a->check_1 - 1];
	return c->verdict != VERDICT_NONE && c->number >= from;
}

/* Start the next check and see it through; the lock is ours. */
static enum pawl_rc
drive(struct pilot *p, uint32_t attempt, uint32_t from, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	bool inherited = state_running_check(&p->run->state, a) != NULL;
	enum pawl_rc rc = fly(p, attempt, inherited, err);

	/* What a driver that died left without a verdict is no answer. */
	a = pilot_attempt(p, attempt);
	if (rc == PAWL_OK && inherited && a->verdict == VERDICT_VOID)
		from = a->checks + 1;
	while (rc == PAWL_OK && !is_answered(p, attempt, from)) {
		uint32_t checks = pilot_attempt(p, attempt)->checks;

		rc = may_check(p, attempt, err);
		if (rc == PAWL_OK)
			rc = verdict_start(p, attempt, err);
		if (rc == PAWL_OK)
			rc = pilot_commit(p, err);
		if (rc == PAWL_OK &&
			!is_attempt_live(pilot_attempt(p, attempt))) {
			return pawl_fail(err, ERR_INTEGRATION_FAILED,
				"attempt '" STR_FMT
				"' ended before its check: " STR_FMT,
				STR_ARG(pilot_attempt_id(p, attempt)),
				STR_ARG(pilot_attempt(p, attempt)->cause));
		}
		/* What it would have seen condemns the attempt. */
		if (rc == PAWL_OK && pilot_attempt(p, attempt)->cause.len > 0)
			continue;
		if (rc == PAWL_OK)
			rc = fly(p, attempt, false, err);
		/* A void one of the base is an answer of its own. */
		if (rc == PAWL_OK &&
			is_red_wanted(&p->run->state,
				pilot_attempt(p, attempt)->node)) {
			return pawl_fail(err, ERR_CHECK_VOID,
				"the check of '" STR_FMT
				"' on the base got no verdict",
				STR_ARG(pilot_node_id(p, attempt)));
		}
		assert(rc != PAWL_OK ||
			pilot_attempt(p, attempt)->checks > checks);
	}
	return rc;
}

/* Become the driver, or see that the check got its record. */
static enum pawl_rc
take_flight(struct pilot *p, uint32_t attempt, uint32_t from,
	struct appraisal *got, int *ret_lock, struct pawl_err *err)
{
	enum pawl_rc rc = plumb_flight(p, attempt, 0, ret_lock, err);

	for (int i = 0; i < LOCK_TRIES && rc != PAWL_OK; i++) {
		const struct check *running;

		if (err->code != ERR_BUSY)
			return rc;
		got->joined = true;
		rc = plumb_reread(p, err);
		running = state_running_check(
			&p->run->state, pilot_attempt(p, attempt));
		if (rc == PAWL_OK && running != NULL)
			rc = await_other(p, attempt, running, err);
		if (rc == PAWL_OK && is_answered(p, attempt, from))
			return PAWL_OK;
		if (rc != PAWL_OK)
			return rc;
		rc = plumb_flight(p, attempt, LOCK_TRY_MS, ret_lock, err);
	}
	return rc;
}

static enum pawl_rc
check_locked(struct pilot *p, uint32_t attempt, uint32_t from,
	struct appraisal *got, struct pawl_err *err)
{
	int lock = -1;
	enum pawl_rc rc = take_flight(p, attempt, from, got, &lock, err);

	/* Whoever had the lock may have recorded meanwhile. */
	if (rc == PAWL_OK)
		rc = plumb_reread(p, err);
	if (rc == PAWL_OK && !is_answered(p, attempt, from)) {
		got->joined = false;
		rc = drive(p, attempt, from, err);
	}
	lock_close(p->run->place->fs, &lock);
	return rc;
}

enum pawl_rc
appraisal_check(struct pilot *p, uint32_t node, bool rerun,
	struct appraisal *ret_appraisal, struct pawl_err *err)
{
	struct appraisal got = { .again = false };
	const struct attempt *a;
	uint32_t from = 1;
	enum pawl_rc rc = last_attempt(p, node, &got.attempt, err);

	if (rc != PAWL_OK)
		return rc;
	a = pilot_attempt(p, got.attempt);
	/* No verdict, or one that isn't wanted: the next one is. */
	if (state_running_check(&p->run->state, a) == NULL && a->check_1 != 0 &&
		(rerun || a->verdict == VERDICT_VOID))
		from = a->checks + 1;
	got.again = is_answered(p, got.attempt, from);
	if (!got.again && state_running_check(&p->run->state, a) == NULL)
		rc = may_check(p, got.attempt, err);
	if (rc == PAWL_OK && !got.again)
		rc = check_locked(p, got.attempt, from, &got, err);
	if (rc != PAWL_OK)
		return rc;
	got.check = pilot_attempt(p, got.attempt)->check_1 - 1;
	*ret_appraisal = got;
	return PAWL_OK;
}

static enum pawl_rc
recover_one(struct pilot *p, uint32_t attempt, uint32_t *ret_count,
	struct pawl_err *err)
{
	int lock = -1;
	enum pawl_rc rc = plumb_flight(p, attempt, RUN_LOCK_MS, &lock, err);

	if (rc == PAWL_OK)
		rc = plumb_reread(p, err);
	if (rc == PAWL_OK &&
		state_running_check(
			&p->run->state, pilot_attempt(p, attempt)) != NULL) {
		rc = fly(p, attempt, false, err);
		*ret_count += rc == PAWL_OK;
	}
	lock_close(p->run->place->fs, &lock);
	return rc;
}

enum pawl_rc
appraisal_recover(struct pilot *p, struct str id, uint32_t *ret_count,
	struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	bool found = id.len == 0;
	enum pawl_rc rc = PAWL_OK;

	*ret_count = 0;
	for (uint32_t i = 0; i < s->checks.count && rc == PAWL_OK; i++) {
		bool is_it = str_eq(id, state_check_id(s, i, &p->mem));

		found = found || is_it;
		if (s->checks.items[i].verdict == VERDICT_NONE &&
			(is_it || id.len == 0))
			rc = recover_one(
				p, s->checks.items[i].attempt, ret_count, err);
	}
	if (rc == PAWL_OK && !found)
		rc = pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
			"run '" STR_FMT "' has no check '" STR_FMT "'",
			STR_ARG(p->run->id), STR_ARG(id));
	return rc;
}

static enum pawl_rc
may_integrate(struct pilot *p, uint32_t attempt, bool *ret_again,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	*ret_again = a->commit.len > 0;
	if (!*ret_again && a->status == ATTEMPT_CHECKED &&
		(!pilot_writes(p, attempt) ||
			a->placement == PLACEMENT_IN_PLACE)) {
		return pawl_fail(err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT
			"' %s: there is nothing to integrate",
			STR_ARG(pilot_attempt_id(p, attempt)),
			pilot_writes(p, attempt) ? "works in place"
						 : "only reads");
	}
	if (!*ret_again && a->status != ATTEMPT_CHECKED)
		return wrong_state(p, attempt, "checked", err);
	return PAWL_OK;
}

enum pawl_rc
appraisal_integrate(struct pilot *p, uint32_t node,
	struct appraisal *ret_appraisal, struct pawl_err *err)
{
	struct plumb_hold hold = PLUMB_HOLD_NONE;
	struct appraisal got = { .again = false };
	const struct attempt *a;
	enum pawl_rc rc = last_attempt(p, node, &got.attempt, err);

	if (rc == PAWL_OK)
		rc = may_integrate(p, got.attempt, &got.again, err);
	if (rc == PAWL_OK && !got.again) {
		rc = plumb_hold(p, got.attempt, &hold, err);
		if (rc == PAWL_OK)
			rc = may_integrate(p, got.attempt, &got.again, err);
		if (rc == PAWL_OK && !got.again)
			rc = landing_integrate(p, got.attempt, err);
		if (rc == PAWL_OK)
			rc = plumb_finish(p, err);
		plumb_let_go(p, &hold);
	}
	if (rc != PAWL_OK)
		return rc;
	a = pilot_attempt(p, got.attempt);
	got.check = a->check_1 > 0 ? a->check_1 - 1 : 0;
	*ret_appraisal = got;
	return PAWL_OK;
}

/* Open cleanups of a node but for its last attempt's worktree, which the grade
 * itself removes. */
static uint32_t
foreign_cleanups(const struct state *s, uint32_t node)
{
	const struct attempt *a = state_last_attempt(s, node);
	uint32_t count = s->nodes[node].cleanups;
	const struct cleanup *c;

	VEC_EACH (c, &s->cleanups) {
		if (a != NULL && count > 0 && !is_cleanup_settled(c) &&
			c->by.len == 0 && str_eq(c->kind, STR("worktree")) &&
			str_eq(c->target, a->worktree) &&
			s->attempts.items[c->attempt].node == node)
			count--;
	}
	return count;
}

enum pawl_rc
appraisal_rehearse(
	const struct run *r, const struct command *cmd, struct pawl_err *err)
{
	enum pawl_rc rc = decide(&r->state, cmd, err);
	uint32_t node;

	if (rc == PAWL_OK || err->code != ERR_CLEANUP_PENDING ||
		cmd->event.type != EV_NODE_GRADED ||
		!plan_find(&r->plan, cmd->event.node, &node))
		return rc;
	return foreign_cleanups(&r->state, node) == 0 ? PAWL_OK : rc;
}

/* One that nothing was started for waits for a prerequisite. */
static enum pawl_rc
block(struct pilot *p, uint32_t node, struct str reason, bool *ret_again,
	struct pawl_err *err)
{
	struct command cmd = run_command(
		p->run, EV_NODE_BLOCKED, plan_id(&p->run->plan, node), STR(""));
	const struct node_state *n = &p->run->state.nodes[node];
	enum pawl_rc rc;

	if (str_trim(reason).len == 0) {
		return pawl_fail(err, ERR_REASON_NEEDED,
			"'blocked' names the prerequisite that '" STR_FMT
			"' waits for",
			STR_ARG(plan_id(&p->run->plan, node)));
	}
	if (n->status == NODE_BLOCKED && n->block == BLOCK_PREREQUISITE) {
		*ret_again = true;
		return PAWL_OK;
	}
	EVENT_SET(&cmd.event, F_REASON, reason,
		block_reason_word(BLOCK_PREREQUISITE));
	EVENT_SET(&cmd.event, F_MESSAGE, message, reason);
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? plumb_finish(p, err) : rc;
}

/* What a grade wants is there: the attempt that it is about. */
struct grading {
	uint32_t node, attempt;
	enum grade grade;
	struct str reason;
};

static enum pawl_rc
may_grade(struct pilot *p, const struct grading *g, bool *ret_again,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_NODE_GRADED, g->attempt);

	*ret_again = p->run->state.nodes[g->node].grade == g->grade;
	if (*ret_again)
		return PAWL_OK;
	EVENT_SET(&cmd.event, F_GRADE, grade, grade_word(g->grade));
	if (g->reason.len > 0)
		EVENT_SET(&cmd.event, F_REASON, reason, g->reason);
	return appraisal_rehearse(p->run, &cmd, err);
}

enum pawl_rc
appraisal_grade(struct pilot *p, uint32_t node, enum grade grade,
	struct str reason, bool *ret_again, struct pawl_err *err)
{
	const struct node_state *n = &p->run->state.nodes[node];
	struct grading g = { .node = node, .grade = grade, .reason = reason };
	struct plumb_hold hold = PLUMB_HOLD_NONE;
	enum pawl_rc rc;

	*ret_again = n->grade == grade;
	if (*ret_again)
		return PAWL_OK;
	if (n->grade == GRADE_NONE && grade == GRADE_BLOCKED &&
		state_live(&p->run->state, node) == NULL)
		return block(p, node, reason, ret_again, err);
	rc = last_attempt(p, node, &g.attempt, err);
	if (rc == PAWL_OK)
		rc = may_grade(p, &g, ret_again, err);
	if (rc == PAWL_OK)
		rc = plumb_hold(p, g.attempt, &hold, err);
	if (rc == PAWL_OK)
		rc = may_grade(p, &g, ret_again, err);
	if (rc == PAWL_OK && !*ret_again) {
		rc = grade == GRADE_PASS
			? landing_finish(p, g.attempt, err)
			: verdict_grade(
				  p, g.attempt, grade_word(grade), reason, err);
		if (rc == PAWL_OK)
			rc = plumb_finish(p, err);
	}
	plumb_let_go(p, &hold);
	return rc;
}
