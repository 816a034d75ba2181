#include "engine/verdict.h"

#include "base/bounds.h"
#include "engine/child_env.h"
#include "engine/exit.h"
#include "engine/owner_event.h"
#include "engine/red.h"
#include "engine/worker.h"
#include "model/contract.h"
#include "model/rework.h"
#include "text/utf8.h"

enum { VOIDS_MAX = 3 };

#define VOIDS_WHY STR("no check of it could be judged")

static struct str
check_name(struct pilot *p, uint32_t attempt, uint32_t number)
{
	return arena_format(&p->mem, STR_FMT ".check-%u",
		STR_ARG(pilot_attempt_id(p, attempt)), number);
}

static uint64_t
deadline_of(const struct plan *plan, uint32_t node)
{
	const struct contract_extra *extra = plan_extra(plan, node);

	return extra != NULL && extra->check_timeout_ms != 0
		? extra->check_timeout_ms
		: BOUND_CHECK_MS;
}

struct strs
verdict_argv(struct pilot *p, char *const *argv)
{
	struct strs list = { 0 };

	while (argv[list.count] != NULL)
		list.count++;
	list.items = arena_array(&p->mem, list.count, struct str);
	for (uint32_t i = 0; i < list.count; i++)
		list.items[i] = str_from(argv[i]);
	return list;
}

enum pawl_rc
verdict_spawn(struct pilot *p, const struct verdict_trial *trial,
	struct verdict_gated *ret_gated, struct pawl_err *err)
{
	struct monitor_spec spec = {
		.program = p->config.child,
		.argv = (const char *const *)trial->argv,
		.masks = worker_masks(p),
		.name = trial->name,
		.exits = p->exits,
		.log = pilot_path(p, "logs/%s", trial->name),
		.cwd = trial->cwd,
		.deadline_ms = deadline_of(&p->run->plan, trial->node),
		.grace_ms = p->config.grace_ms,
	};
	struct cage cage;
	enum pawl_rc rc = cage_check(
		p, trial->name, trial->argv[0], trial->cwd, &cage, err);

	if (rc != PAWL_OK)
		return rc;
	spec.envp = child_env_check(
		&p->mem, trial->name, cage.level != SANDBOX_OFF, cage.temp);
	cage_put(&cage, &spec);
	rc = monitor_spawn(&spec, &ret_gated->monitor, err);
	cage_drop(&cage);
	ret_gated->confined = cage_confined(p, &cage);
	return rc;
}

static enum pawl_rc
spawn(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct verdict_gated *gated, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct verdict_trial trial = {
		.node = a->node,
		.name = check_name(p, attempt, a->checks + 1).ptr,
		.cwd = ws->repo.top,
		.argv = gated->argv,
	};

	return verdict_spawn(p, &trial, gated, err);
}

static enum pawl_rc
record_started(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	const struct verdict_gated *gated, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct command cmd = pilot_command(p, EV_CHECK_STARTED, attempt);
	struct owner owner = p->self;
	enum pawl_rc rc;

	owner.pid = gated->monitor.pid;
	owner.start = gated->monitor.start;
	EVENT_SET(&cmd.event, F_CHECK, check,
		arena_format(&p->mem, STR_FMT "#%u",
			STR_ARG(pilot_attempt_id(p, attempt)), a->checks + 1));
	EVENT_SET(&cmd.event, F_ARGV, argv, verdict_argv(p, gated->argv));
	EVENT_SET(&cmd.event, F_TREE, tree,
		arena_copy(&p->mem, str_from(ws->after.hex)));
	EVENT_SET(&cmd.event, F_DEADLINE_MS, deadline_ms,
		deadline_of(&p->run->plan, a->node));
	if (gated->red)
		EVENT_SET(&cmd.event, F_RED, red, true);
	cage_tell(p, &gated->confined, &cmd.event);
	owner_event_set(&cmd.event, &owner, &p->mem);
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
verdict_grade(struct pilot *p, uint32_t attempt, struct str word,
	struct str reason, struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_NODE_GRADED, attempt);
	enum pawl_rc rc = landing_give_up(p, attempt, err);

	EVENT_SET(&cmd.event, F_GRADE, grade, word);
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	return rc == PAWL_OK ? pilot_propose(p, &cmd, err) : rc;
}

enum pawl_rc
verdict_gate_open(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct verdict_gated *gated, struct pawl_err *err)
{
	enum pawl_rc rc = record_started(p, attempt, ws, gated, err);

	if (rc == PAWL_OK)
		rc = pilot_watch(p, attempt, true, &gated->monitor, err);
	if (rc != PAWL_OK) {
		monitor_close(&gated->monitor);
		return rc;
	}
	return pilot_open_gate(p, attempt, err);
}

bool
verdict_gate(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct verdict_gated *ret_gated)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct verdict_gated gated = { 0 };
	struct pawl_err ignored;

	if (p->stop_signal != 0 || contract_sentinel(&v) ||
		is_red_wanted(&p->run->state, a->node) ||
		(pilot_writes(p, attempt) &&
			a->placement == PLACEMENT_WORKTREE))
		return false;
	if (contract_check_argv(&v, &p->mem, &gated.argv, &ignored) !=
			PAWL_OK ||
		spawn(p, attempt, ws, &gated, &ignored) != PAWL_OK)
		return false;
	*ret_gated = gated;
	return true;
}

/* What the check is to run in: the base, or the work on the run's tip. */
static enum pawl_rc
seat(struct pilot *p, uint32_t attempt, bool red, struct workspace *ret_ws,
	bool *ret_ready, struct pawl_err *err)
{
	enum pawl_rc rc;

	*ret_ready = true;
	if (red)
		return red_make(p, attempt, ret_ws, err);
	rc = landing_rebase(p, attempt, ret_ready, err);
	return rc == PAWL_OK && *ret_ready
		? workspace_look(p, attempt, ret_ws, err)
		: rc;
}

enum pawl_rc
verdict_start(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct verdict_gated gated = { .red = is_red_wanted(
					       &p->run->state, a->node) };
	struct scope_breach breach = { .count = 0 };
	struct workspace ws;
	bool ready;
	enum pawl_rc rc;

	rc = contract_check_argv(&v, &p->mem, &gated.argv, err);
	if (rc == PAWL_OK)
		rc = seat(p, attempt, gated.red, &ws, &ready, err);
	if (rc == PAWL_OK && !ready)
		return rc;
	if (!gated.red && workspace_is_lost(p, attempt, rc, err))
		return worker_lost_workspace(p, attempt, err);
	if (rc == PAWL_OK && !gated.red)
		rc = scope_prove_again(p, attempt, &ws, &breach, err);
	if (rc == PAWL_OK && breach.count > 0)
		return verdict_condemn(p, attempt, &breach, err);
	if (rc == PAWL_OK)
		rc = spawn(p, attempt, &ws, &gated, err);
	return rc == PAWL_OK ? verdict_gate_open(p, attempt, &ws, &gated, err)
			     : rc;
}

enum pawl_rc
verdict_reject(struct pilot *p, uint32_t attempt, struct str reason,
	struct str why, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct command cmd = pilot_command(p, EV_ATTEMPT_REJECTED, attempt);
	uint32_t earlier;

	if (p->landing_1 == attempt + 1)
		p->landing_1 = 0;
	if (!has_repair_left(&p->run->state, a->node) ||
		state_find_hypothesis(&p->run->state, a->node, why, &earlier))
		return verdict_grade(p, attempt, STR("fail"), why, err);
	EVENT_SET(&cmd.event, F_REASON, reason, reason);
	EVENT_SET(&cmd.event, F_HYPOTHESIS, hypothesis, why);
	return pilot_propose(p, &cmd, err);
}

enum pawl_rc
verdict_condemn(struct pilot *p, uint32_t attempt,
	const struct scope_breach *breach, struct pawl_err *err)
{
	enum pawl_rc rc = scope_condemn(p, attempt, breach, err);

	if (rc != PAWL_OK || p->config.manual)
		return rc;
	return verdict_reject(p, attempt, STR("scope"),
		pilot_attempt(p, attempt)->cause, err);
}

enum pawl_rc
verdict_found(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	const struct attempt *a = pilot_attempt(p, attempt);
	struct command cmd = pilot_command(p, EV_ATTEMPT_REJECTED, attempt);
	struct strs list = { arena_array(&p->mem, a->blocking, struct str), 0 };
	const struct rework_finding *f;
	struct str why = { "", 0 };
	enum pawl_rc rc = PAWL_OK;

	VEC_EACH (f, &s->findings) {
		if (f->attempt != attempt || !is_finding_open(s, f))
			continue;
		list.items[list.count++] = arena_copy(&p->mem, f->id);
		why = arena_format(&p->mem,
			"auto: finding " STR_FMT ": " STR_FMT, STR_ARG(f->id),
			STR_ARG(utf8_cut(f->summary, 200)));
	}
	if (a->status == ATTEMPT_INTEGRATED)
		return verdict_grade(p, attempt, STR("blocked"), why, err);
	if (p->landing_1 == attempt + 1)
		p->landing_1 = 0;
	if (!has_repair_left(s, a->node))
		rc = landing_give_up(p, attempt, err);
	EVENT_SET(&cmd.event, F_REASON, reason, REJECTED_BY_AUDIT);
	EVENT_SET(&cmd.event, F_HYPOTHESIS, hypothesis, why);
	EVENT_SET(&cmd.event, F_FINDINGS, findings, list);
	return rc == PAWL_OK ? pilot_propose(p, &cmd, err) : rc;
}

/*
 * Files that the check names and that lie in the attempt's scope, each with the
 * object that it was on the base and is now: `path OLD NEW`, or `path same`.
 */
static enum pawl_rc
flagged(struct pilot *p, uint32_t attempt, const struct workspace *ws,
	struct strs *ret_list, bool *ret_changed, struct pawl_err *err)
{
	struct contract_view v = contract_of_attempt(&p->run->state, attempt);
	struct changes changes = { 0 };
	struct strs list = { 0 };
	bool changed = false;
	char **argv;
	enum pawl_rc rc;

	rc = contract_check_argv(&v, &p->mem, &argv, err);
	if (rc == PAWL_OK && pilot_writes(p, attempt) &&
		!oid_eq(&ws->before, &ws->after))
		rc = snapshot_changes(&ws->repo, &ws->before, &ws->after,
			&p->mem, &changes, err);
	if (rc != PAWL_OK)
		return rc;
	list.items = arena_array(&p->mem, BOUND_CHECK_ARGS + 1, struct str);
	for (uint32_t i = 0; pilot_writes(p, attempt) && argv[i] != NULL; i++) {
		struct str word = str_from(argv[i]);
		const struct change *c;

		if (str_starts(word, STR("./")))
			word = str_part(word, 2, word.len);
		if (word.len == 0 || word.ptr[0] == '-' ||
			!contract_covers(&v, word))
			continue;
		c = changes_find(&changes, word);
		changed = changed || c != NULL;
		list.items[list.count++] = c == NULL
			? arena_format(&p->mem, STR_FMT " same", STR_ARG(word))
			: arena_format(&p->mem, STR_FMT " %s %s", STR_ARG(word),
				  c->old.hex[0] ? c->old.hex : "absent",
				  c->new.hex[0] ? c->new.hex : "absent");
	}
	changes_release(&changes);
	*ret_list = list;
	*ret_changed = changed;
	return PAWL_OK;
}

struct record {
	struct str verdict;
	struct str reason; /* may be empty */
	struct str tail;   /* last line of the output, or empty */
	struct strs flags; /* files that the check names, and the attempt's */
	const struct exit_facts *x; /* NULL: it left none */
};

static enum pawl_rc
record(struct pilot *p, uint32_t attempt, const struct record *rec,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c = state_running_check(&p->run->state, a);
	struct command cmd = pilot_command(p, EV_CHECK_RECORDED, attempt);
	struct event *e = &cmd.event;

	assert(c != NULL);
	EVENT_SET(e, F_CHECK, check,
		state_check_id(&p->run->state,
			(uint32_t)(c - p->run->state.checks.items), &p->mem));
	EVENT_SET(e, F_VERDICT, verdict, rec->verdict);
	if (rec->reason.len > 0)
		EVENT_SET(e, F_REASON, reason, rec->reason);
	if (rec->tail.len > 0)
		EVENT_SET(e, F_TAIL, tail, rec->tail);
	if (rec->flags.count > 0)
		EVENT_SET(e, F_FLAGGED, flagged, rec->flags);
	if (rec->x != NULL)
		exit_set(e, rec->x);
	return pilot_propose(p, &cmd, err);
}

/* No verdict this time; after a few of those somebody has to look. */
static enum pawl_rc
record_void(struct pilot *p, uint32_t attempt, const struct record *rec,
	struct pawl_err *err)
{
	enum pawl_rc rc = record(p, attempt, rec, err);

	if (rc == PAWL_OK && !p->config.manual &&
		pilot_attempt(p, attempt)->voids >= VOIDS_MAX)
		rc = verdict_grade(p, attempt, STR("blocked"), VOIDS_WHY, err);
	return rc;
}

/* Why a failed check failed: the hypothesis of a repair. */
static struct str
why_failed(struct pilot *p, const struct check *c)
{
	if (str_eq(c->ended, STR("exit 0")))
		return STR("auto: strict: the attempt changed what its check"
			   " runs");
	return arena_format(&p->mem, "auto: check " STR_FMT ": " STR_FMT,
		STR_ARG(c->ended), STR_ARG(c->tail));
}

/* On the base any end is a failure, and wanted, but success. */
static enum pawl_rc
judge_red(struct pilot *p, uint32_t attempt, const struct exit_facts *x,
	struct pawl_err *err)
{
	bool passed = x->kind == EXIT_CODE && x->code == 0;
	struct record rec = { .x = x,
		.verdict = passed ? STR("pass") : STR("fail") };
	enum pawl_rc rc = record(p, attempt, &rec, err);

	if (rc != PAWL_OK || !passed || p->config.manual)
		return rc;
	return verdict_grade(p, attempt, STR("blocked"), RED_PASSED, err);
}

static enum pawl_rc
judge(struct pilot *p, uint32_t attempt, const struct exit_facts *x,
	struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c = &p->run->state.checks.items[a->check_1 - 1];
	struct str name = check_name(p, attempt, c->number);
	struct record rec = { .x = x };
	struct workspace ws;
	bool changed = false;
	enum pawl_rc rc;

	rec.tail = exit_last_line(p->run->place->fs, pilot_path(p, "logs"),
		arena_strdup(&p->mem, name), &p->mem);
	rc = workspace_look(p, attempt, &ws, err);
	if (workspace_is_lost(p, attempt, rc, err))
		return worker_lost_workspace(p, attempt, err);
	if (rc == PAWL_OK)
		rc = flagged(p, attempt, &ws, &rec.flags, &changed, err);
	if (rc != PAWL_OK)
		return rc;
	if (!str_eq(str_from(ws.after.hex), c->tree)) {
		rec.verdict = STR("void");
		rec.reason = STR("the workspace changed during the check");
		return record_void(p, attempt, &rec, err);
	}
	if (exit_is_success(x) && !(changed && p->run->state.run.strict)) {
		rec.verdict = STR("pass");
		rec.tail = STR("");
		rc = record(p, attempt, &rec, err);
		return rc == PAWL_OK && !p->config.manual &&
				!is_attempt_held(&p->run->state, a) &&
				a->placement == PLACEMENT_IN_PLACE
			? landing_pass(p, attempt, err)
			: rc;
	}
	rec.verdict = STR("fail");
	rc = record(p, attempt, &rec, err);
	if (rc != PAWL_OK || p->config.manual)
		return rc;
	return verdict_reject(p, attempt, STR("check"), why_failed(p, c), err);
}

/* The check's monitor is gone: what did it leave? */
static enum pawl_rc
ended(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c = state_running_check(&p->run->state, a);
	bool red = c->red;
	bool ours = pilot_slot(p, attempt) != NULL && p->stop_signal == 0;
	struct record rec = { .verdict = STR("void") };
	struct exit_facts x = { 0 };
	enum pawl_rc rc;

	rc = pilot_exit(p, attempt, check_name(p, attempt, c->number),
		&c->monitor, &x, err);
	if (rc == PAWL_OK && red)
		rc = red_drop(p, attempt, c->number, err);
	if (rc != PAWL_OK)
		return rc;
	if (x.trace == EXIT_TRACE_ENDED && x.kind != EXIT_ASKED)
		return red ? judge_red(p, attempt, &x, err)
			   : judge(p, attempt, &x, err);
	/* Killed with its monitor, or ended by our stop: no verdict. */
	rec.x = x.trace == EXIT_TRACE_ENDED ? &x : NULL;
	rec.reason = ours ? STR("the check's monitor was killed")
			  : CAUSE_COORDINATOR_STOPPED;
	return record_void(p, attempt, &rec, err);
}

static enum pawl_rc
adopt(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c = state_running_check(&p->run->state, a);
	struct monitor m;
	bool alive;
	enum pawl_rc rc = worker_find_monitor(p, &c->monitor, &alive, &m, err);

	if (rc != PAWL_OK)
		return rc;
	return alive ? pilot_watch(p, attempt, true, &m, err)
		     : ended(p, attempt, err);
}

/*
 * An earlier coordinator recorded what condemns the attempt and was killed
 * before it recorded the end; what stands in the workspace is no evidence now.
 */
static enum pawl_rc
condemned(struct pilot *p, uint32_t attempt, bool *ret_is, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct check *c =
		a->check_1 ? &p->run->state.checks.items[a->check_1 - 1] : NULL;

	*ret_is = true;
	if (p->run->state.nodes[a->node].red == VERDICT_PASS)
		return verdict_grade(
			p, attempt, STR("blocked"), RED_PASSED, err);
	if (a->cause.len > 0)
		return verdict_reject(p, attempt, STR("report"), a->cause, err);
	if (c != NULL && c->verdict == VERDICT_FAIL)
		return verdict_reject(
			p, attempt, STR("check"), why_failed(p, c), err);
	if (a->voids >= VOIDS_MAX)
		return verdict_grade(
			p, attempt, STR("blocked"), VOIDS_WHY, err);
	*ret_is = false;
	return PAWL_OK;
}

enum pawl_rc
verdict_advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct contract_view v;
	enum pawl_rc rc;
	bool is_condemned;

	if (state_running_check(&p->run->state, a) != NULL)
		return pilot_slot(p, attempt) == NULL ? adopt(p, attempt, err)
						      : ended(p, attempt, err);
	if (p->config.manual)
		return PAWL_OK;
	rc = condemned(p, attempt, &is_condemned, err);
	if (rc != PAWL_OK || is_condemned || is_attempt_held(&p->run->state, a))
		return rc;
	v = contract_of_attempt(&p->run->state, attempt);
	if (contract_sentinel(&v))
		return verdict_grade(
			p, attempt, STR("unobserved"), PLAN_SENTINEL, err);
	if (p->stop_signal != 0)
		return worker_interrupt(p, attempt, err);
	if (landing_waits(p, attempt))
		return PAWL_OK;
	return verdict_start(p, attempt, err);
}
