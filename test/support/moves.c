#include "moves.h"

#include "base/buf.h"
#include "model/budget_use.h"
#include "model/event_table.h"
#include "model/rework.h"
#include "paths_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

uint32_t
rand_below(struct rand *r, uint32_t n)
{
	return (uint32_t)(rand_u64(r) >> 33) % n;
}

static bool
one_in(struct rand *r, uint32_t n)
{
	return rand_below(r, n) == 0;
}

static const char *const node_ids[MOVES_NODES_MAX] = { "N-0", "N-1", "N-2",
	"N-3", "N-4", "N-5", "N-6", "N-7" };

/* Scopes that overlap in all ways. */
static const char *const paths[] = { "src/a", "src/b", "src/a/x", "src/a/y.c",
	"docs", "lib", "src", "lib/l.c, docs/d.md", "." };

void
moves_fixture_init(struct run_fixture *f, uint64_t seed)
{
	struct rand r = rand_seeded(seed);
	uint32_t count = 1 + rand_below(&r, MOVES_NODES_MAX);
	struct plan_row rows[MOVES_NODES_MAX] = { 0 };
	struct buf depends[MOVES_NODES_MAX] = { { 0 } };
	struct run_options options = {
		.placement = one_in(&r, 3) ? "in_place" : "worktree",
		.slots = 1 + rand_below(&r, 4),
		.vacant = one_in(&r, 4),
		.capacity = one_in(&r, 2) ? "gpu=2" : NULL,
	};

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t on = 0; on < i; on++) {
			if (!one_in(&r, 4))
				continue;
			if (depends[i].len > 0)
				buf_add(&depends[i], STR(", "));
			buf_add(&depends[i], str_from(node_ids[on]));
		}
		rows[i].id = node_ids[i];
		rows[i].depends = depends[i].data;
		rows[i].paths = paths[rand_below(&r, COUNT(paths))];
		rows[i].mode = one_in(&r, 3) ? "read" : "write";
		if (one_in(&r, 5))
			rows[i].more = "Approval: required";
		else if (one_in(&r, 6))
			rows[i].more = "Red: true";
		else if (one_in(&r, 3))
			rows[i].more = one_in(&r, 2) ? "Needs: gpu"
						     : "Needs: [gpu:2, net]";
		rows[i].ticked = one_in(&r, 6);
		if (one_in(&r, 12))
			rows[i].check = "missing validation evidence";
	}
	fixture_init(f, rows, count, &options);
	for (uint32_t i = 0; i < count; i++)
		buf_release(&depends[i]);
}

/* What comes next for the first delegation of a node that is open. */
static enum event_type
type_of_delegation(const struct state *s, uint32_t node, struct rand *r)
{
	uint32_t at = 0;

	(void)state_open_delegation(s, node, &at);
	switch ((enum delegation_status)s->delegations.items[at].status) {
	case DELEGATION_REQUESTED:
		return one_in(r, 6) ? EV_DELEGATION_REJECTED
				    : EV_DELEGATION_APPROVED;
	case DELEGATION_APPROVED:
		return one_in(r, 6) ? EV_DELEGATION_RELEASED
				    : EV_DELEGATION_STARTED;
	case DELEGATION_STARTED:
		return one_in(r, 6) ? EV_DELEGATION_RELEASED
				    : EV_DELEGATION_REPORTED;
	case DELEGATION_REPORTED:
	case DELEGATION_REJECTED:
	case DELEGATION_RELEASED:
	case DELEGATION_STATUS_COUNT:
		break;
	}
	return EV_DELEGATION_RELEASED;
}

/* What comes next for a live attempt; several answers are right. */
static enum event_type
type_of_live(const struct state *s, const struct attempt *a, struct rand *r)
{
	bool checking = state_running_check(s, a) != NULL;

	if (s->nodes[a->node].cleanups > 0 && one_in(r, 3))
		return EV_CLEANUP_SETTLED;
	if (one_in(r, 10))
		return EV_CLEANUP_REGISTERED;
	if (s->nodes[a->node].questions > 0 && one_in(r, 3))
		return one_in(r, 2) && a->status == ATTEMPT_STARTED
			? EV_ATTEMPT_INTERRUPTED
			: EV_QUESTION_ANSWERED;
	if (s->nodes[a->node].delegations > 0 && one_in(r, 2))
		return type_of_delegation(s, a->node, r);
	if (one_in(r, 12))
		return EV_DELEGATION_REQUESTED;
	if (one_in(r, 16))
		return EV_QUESTION_OPENED;
	if (one_in(r, 16))
		return EV_ATTEMPT_ABANDONED;
	if (a->status == ATTEMPT_RESERVED && one_in(r, 8))
		return EV_SCOPE_AMENDED;
	if (a->status == ATTEMPT_RESERVED)
		return one_in(r, 5) ? EV_ATTEMPT_START_FAILED
				    : EV_ATTEMPT_STARTED;
	if (a->status >= ATTEMPT_REPORTED && one_in(r, 5))
		return one_in(r, 3) ? EV_DECISION_RECORDED
				    : EV_FINDING_RECORDED;
	if (a->status == ATTEMPT_CHECKED && a->blocking > 0 && one_in(r, 2))
		return EV_ATTEMPT_REJECTED;
	if (a->status == ATTEMPT_STARTED && one_in(r, 12))
		return EV_RESULT_QUARANTINED;
	if (one_in(r, 8))
		return one_in(r, 2) ? EV_ATTEMPT_INTERRUPTED : EV_ATTEMPT_LOST;
	if (a->status == ATTEMPT_STARTED)
		return EV_ATTEMPT_REPORTED;
	if (checking)
		return EV_CHECK_RECORDED;
	if (a->status == ATTEMPT_REPORTED && a->verdict == VERDICT_FAIL)
		return one_in(r, 3) ? EV_NODE_GRADED : EV_ATTEMPT_REJECTED;
	if (a->status == ATTEMPT_REPORTED)
		return one_in(r, 12) ? EV_NODE_GRADED : EV_CHECK_STARTED;
	if (a->status == ATTEMPT_CHECKED)
		return one_in(r, 8)    ? EV_INTEGRATION_FAILED
			: one_in(r, 2) ? EV_INTEGRATED
				       : EV_NODE_GRADED;
	return EV_NODE_GRADED;
}

static enum event_type
type_of_node(const struct state *s, uint32_t node, struct rand *r)
{
	const struct attempt *a = state_last_attempt(s, node);

	if (a != NULL && is_attempt_live(a))
		return type_of_live(s, a, r);
	if (s->nodes[node].delegations > 0 && one_in(r, 2))
		return type_of_delegation(s, node, r);
	if (a != NULL && a->unreconciled && !one_in(r, 4))
		return EV_WORKSPACE_RECONCILED;
	if (s->nodes[node].cleanups > 0 && one_in(r, 2))
		return EV_CLEANUP_SETTLED;
	if (a != NULL && one_in(r, 20))
		return EV_RESULT_KEPT;
	if (s->nodes[node].status == NODE_BLOCKED)
		return EV_NODE_UNBLOCKED;
	if (s->nodes[node].questions > 0 && one_in(r, 2))
		return EV_QUESTION_ANSWERED;
	if (s->nodes[node].status == NODE_NEEDS_APPROVAL)
		return EV_GATE_DECIDED;
	if (s->nodes[node].status == NODE_FAILED && one_in(r, 6))
		return EV_QUESTION_OPENED;
	if (s->nodes[node].status == NODE_FAILED && !one_in(r, 4))
		return EV_DECISION_RECORDED;
	if (s->nodes[node].status == NODE_PASSED && one_in(r, 4))
		return EV_FINDING_RECORDED;
	if (one_in(r, 12))
		return EV_CONTRACT_AMENDED;
	if (one_in(r, 40))
		return EV_QUESTION_OPENED;
	if (one_in(r, 25))
		return EV_NODE_BLOCKED;
	if (s->plan->nodes[node].checked && one_in(r, 2))
		return EV_NODE_IMPORTED;
	return EV_ATTEMPT_RESERVED;
}

/* Who coordinates changes, or goes on otherwise. */
static enum event_type
type_of_coordinator(const struct state *s, struct rand *r)
{
	if (s->selection.len > 0 && one_in(r, 2))
		return EV_DRIVER_SELECTED;
	if (s->driver.len == 0 && one_in(r, 3))
		return EV_DRIVER_SELECTION_RESERVED;
	return one_in(r, 3)    ? EV_COORDINATOR_TRANSFERRED
		: one_in(r, 3) ? EV_COORDINATOR_RESUMED
			       : EV_COORDINATOR_TAKEN_OVER;
}

struct move
move_next(const struct state *s, struct rand *r)
{
	struct move move = { 0 };
	uint32_t node = rand_below(r, s->plan->count);
	uint32_t attempts = s->nodes[node].attempts;
	uint32_t limit;

	move.node = (uint8_t)node;
	move.variant = (uint8_t)rand_below(r, 8);
	move.type = (uint8_t)type_of_node(s, node, r);
	if (one_in(r, 25))
		move.type = (uint8_t)type_of_coordinator(s, r);
	if (s->vacant && !one_in(r, 3))
		move.type = EV_COORDINATOR_CLAIMED;
	if (one_in(r, s->reduced || budget_holds(s, STR(""), &limit) ? 6 : 60))
		move.type = EV_DECISION_AMENDED;
	if (state_run_status(s) != RUN_RUNNING && one_in(r, 6))
		move.type = EV_RUN_CLOSED;
	if (one_in(r, 12))
		move.type = (uint8_t)rand_below(r, EVENT_TASK_TYPES);
	if (is_event_attempt_new(move.type))
		attempts++;
	move.number = (uint8_t)attempts;
	if (one_in(r, 30))
		move.number = (uint8_t)rand_below(r, attempts + 2);
	move.ends = !one_in(r, 4);
	if (one_in(r, 10))
		move.twist = (uint8_t)(1 + rand_below(r, 9));
	return move;
}

static struct str
pick(const char *const *words, size_t count, uint8_t variant)
{
	return str_from(words[variant % count]);
}

/* Limits of each kind; a reduction to the first node, or to none. */
static void
vary_decision(struct event *e, uint8_t variant)
{
	static const char *const limits[] = { "hard attempts 1000 attempts",
		"hard attempts 6 attempts", "hard workers 1 slots",
		"hard wall_time 30 minutes", "advisory tokens 5 k",
		"advisory attempts 1 attempts", "hard tokens 5 k",
		"much attempts 1 attempts" };

	e->budget.items[0] = pick(limits, COUNT(limits), variant);
	if (variant % 3 == 0)
		e->execution = STR("single_writer");
	if (variant % 2 == 0)
		return;
	e->mode = STR("verified_single");
	EVENT_SET(e, F_INTEGRATOR, integrator, STR("ada"));
	EVENT_SET(e, F_CLEANUP_PLAN, cleanup_plan, STR("none"));
	e->retained.count = 1;
	event_mark(e, F_RETAINED);
}

/* A cleanup that it is released by, a message, a line that it was made at. */
static void
vary_delegation(struct event *e, uint8_t variant)
{
	static struct str elsewhere = { "elsewhere", 9 };

	if (e->type == EV_DELEGATION_REQUESTED && variant < 2)
		EVENT_SET(e, F_ASK, ask, variant + 1u);
	if (e->type == EV_DELEGATION_REQUESTED && variant == 7)
		EVENT_SET(e, F_EXPECTED_REVISION, expected_revision, 3);
	if (e->type == EV_DELEGATION_APPROVED && variant == 7)
		e->paths = (struct strs){ &elsewhere, 1 };
	if (e->type == EV_DELEGATION_STARTED && variant < 3)
		EVENT_SET(e, F_CLEANUP, cleanup,
			variant == 0 ? STR("c1") : STR("c2"));
	if (e->type != EV_DELEGATION_RELEASED || variant > 5)
		return;
	if (variant < 4)
		EVENT_SET(e, F_CLEANUP, cleanup,
			variant % 2 == 0 ? STR("c1") : STR("c2"));
	if (variant < 3)
		e->status =
			variant == 0 ? DELEGATION_DONE : DELEGATION_VERIFIED;
}

/* The word that the kind turns on. */
static void
vary(struct event *e, uint8_t variant)
{
	static const char *const verdicts[] = { "pass", "pass", "pass", "fail",
		"fail", "void" };
	static const char *const grades[] = { "pass", "pass", "pass", "pass",
		"pass", "fail", "unobserved", "blocked" };
	static const char *const causes[] = { "exit 1", "exit 2", "timeout",
		"coordinator_stopped", "input_required", "workspace_lost",
		"timeout" };
	static const char *const reasons[] = { "environment", "workspace",
		"prerequisite", "the licence server" };
	static const char *const outcomes[] = { "pass", "pass", "partial",
		"blocked", "failed" };
	static const char *const statuses[] = { "verified", "verified",
		"failed", "retained", "done", "unverifiable" };

	e->verdict = pick(verdicts, COUNT(verdicts), variant);
	e->grade = pick(grades, COUNT(grades), variant);
	e->cause = pick(causes, COUNT(causes), variant);
	e->outcome = pick(outcomes, COUNT(outcomes), variant);
	if (e->type != EV_DECISION_RECORDED && e->type != EV_QUESTION_ANSWERED)
		e->decision = variant < 6 ? STR("granted") : STR("denied");
	e->class = finding_class_word(variant % FINDING_CLASS_COUNT);
	e->action = rework_action_word(variant % REWORK_ACTION_COUNT);
	if (e->type == EV_NODE_BLOCKED || e->type == EV_NODE_GRADED)
		e->reason = pick(reasons, COUNT(reasons), variant);
	if (e->type == EV_SCOPE_VIOLATED)
		e->reason = breach_word(variant % BREACH_COUNT);
	if (e->type == EV_NODE_GRADED)
		event_mark(e, F_REASON);
	if (e->type == EV_QUESTION_OPENED && variant > 3)
		e->kind = STR("act");
	/* The coordinator's own. */
	if (e->type == EV_QUESTION_OPENED && variant > 5) {
		e->has[F_ASKED / 64] &= ~(UINT64_C(1) << (F_ASKED % 64));
		e->has[F_ASK / 64] &= ~(UINT64_C(1) << (F_ASK % 64));
	}
	if (e->type == EV_QUESTION_ANSWERED && variant == 7)
		EVENT_SET(e, F_DECISION, decision, STR("denied"));
	if (e->type == EV_CLEANUP_REGISTERED && variant > 4) {
		e->kind = STR("session");
		EVENT_SET(e, F_BY, by, STR("coordinator:c1"));
	}
	if (e->type == EV_CLEANUP_SETTLED && variant == 7)
		e->cleanup = STR("c1");
	if (e->type == EV_CLEANUP_REGISTERED && variant == 4)
		e->target = STR("4711");
	if (e->type >= EV_DELEGATION_REQUESTED &&
		e->type <= EV_DELEGATION_RELEASED)
		vary_delegation(e, variant);
	if (e->type == EV_CLEANUP_SETTLED)
		e->status = pick(statuses, COUNT(statuses), variant);
	/* A name with a process of its own, or handed over to one alone. */
	if (e->type == EV_COORDINATOR_CLAIMED && variant < 2)
		e->name = STR("c2");
	if (e->type == EV_COORDINATOR_TRANSFERRED && variant < 2)
		EVENT_SET(e, F_NAME, name, STR("c2"));
	if (e->type == EV_COORDINATOR_TAKEN_OVER && variant < 4) {
		EVENT_SET(e, F_NAME, name, STR("c2"));
		EVENT_SET(e, F_TOKEN_SHA256, token_sha256, e->binary);
	}
	if (e->type == EV_COORDINATOR_TAKEN_OVER && variant % 2 != 0)
		EVENT_SET(e, F_FORCED, forced, true);
	if (e->type == EV_WORKSPACE_RECONCILED && variant == 7) {
		EVENT_SET(e, F_LEFT, left, e->paths);
	}
	if (e->type == EV_DECISION_AMENDED)
		vary_decision(e, variant);
}

/* One path, or the acceptance alone. */
static void
vary_amended(struct run_fixture *f, struct event *e, uint8_t variant)
{
	static const char *const changed[] = { "src/a", "lib", ".", "src/" };

	e->paths.items = arena_array(&f->mem, 1, struct str);
	e->paths.items[0] = pick(changed, COUNT(changed), variant);
	e->paths.count = 1;
	EVENT_SET(e, F_ACCEPTANCE, acceptance, STR("it works twice"));
	if (variant % 2 == 0)
		e->has[F_PATHS / 64] &= ~(UINT64_C(1) << (F_PATHS % 64));
}

/* Often a scope that overlaps that of another attempt. */
static void
vary_rescoped(struct run_fixture *f, struct event *e, uint8_t variant)
{
	static const char *const changed[] = { "src/a", "lib", ".", "src/",
		"docs src/b/x", "src/a/x", "new", "lib/l.c" };

	paths_fixture(f, e, changed[variant % COUNT(changed)]);
}

/* A rejection that fits the attempt, whose hypothesis is often a new one. */
static void
vary_rejected(struct run_fixture *f, struct event *e, uint8_t variant)
{
	static const char *const hypotheses[] = { "an off-by-one",
		" an  off-by-one", "the lock", "the clock", "a typo", "a fork",
		"the cache", "a race" };
	const struct rework_finding *finding;
	uint32_t attempt;

	EVENT_SET(e, F_HYPOTHESIS, hypothesis,
		pick(hypotheses, COUNT(hypotheses), variant));
	EVENT_SET(e, F_FRESH, fresh, variant % 2 == 0);
	if (!state_find_attempt(&f->s, e->attempt, &attempt) ||
		f->s.attempts.items[attempt].status != ATTEMPT_CHECKED)
		return;
	EVENT_SET(e, F_REASON, reason, REJECTED_BY_AUDIT);
	e->findings.items =
		arena_array(&f->mem, f->s.findings.count + 1, struct str);
	event_mark(e, F_FINDINGS);
	VEC_EACH (finding, &f->s.findings) {
		if (finding->attempt == attempt &&
			(variant == 0 || is_finding_open(&f->s, finding)))
			e->findings.items[e->findings.count++] = finding->id;
	}
}

/* Make wrong, or at least odd, what would have been right. */
static void
twist(struct run_fixture *f, struct command *cmd, uint8_t how)
{
	struct event *e = &cmd->event;

	switch (how) {
	case 1:
		cmd->gen++;
		break;
	case 2:
		cmd->gen--;
		break;
	case 3:
		cmd->actor = cmd->actor == ACTOR_HUMAN ? ACTOR_COORDINATOR
						       : ACTOR_HUMAN;
		break;
	case 4:
		e->verdict = e->grade = e->decision = e->outcome = e->status =
			e->class = e->action = STR("maybe");
		break;
	case 5:
		EVENT_SET(e, F_HYPOTHESIS, hypothesis, STR(" "));
		EVENT_SET(e, F_REASON, reason, STR(" "));
		EVENT_SET(e, F_CHECK_GAP, check_gap, STR(" "));
		e->prompt = e->answer = e->purpose = STR(" ");
		break;
	case 6:
		e->check = e->gate = e->cleanup = STR("N-0@1#9");
		e->question = e->asked = e->delegation = e->check;
		e->finding = STR("f1");
		if (event_has(e, F_CAPSULE_SHA256))
			e->capsule_sha256 = STR("0");
		e->selection = STR("0");
		break;
	case 7:
		e->node = STR("N-9");
		break;
	case 8:
		e->contract_sha256 = STR("0");
		cmd->owner_dead = false;
		break;
	default:
		EVENT_SET(e, F_PLACEMENT, placement, STR("in_place"));
		if (f->plan.plan.count > 1)
			e->node = plan_id(&f->plan.plan, 1);
		break;
	}
}

struct command
move_command(struct run_fixture *f, struct move move)
{
	enum event_type type = move.type;
	const char *subject = node_ids[move.node];
	struct command cmd;

	if (event_kinds[type].about == ABOUT_ATTEMPT)
		subject = arena_strdup(&f->mem,
			arena_format(&f->mem, "%s@%u", subject, move.number));
	else if (event_kinds[type].about == ABOUT_RUN)
		subject = "";
	cmd = fixture_command(f, type, subject);
	if (type == EV_CHECK_STARTED && move.node < f->plan.plan.count &&
		is_red_wanted(&f->s, move.node))
		EVENT_SET(&cmd.event, F_RED, red, true);
	vary(&cmd.event, move.variant);
	if (type == EV_CONTRACT_AMENDED)
		vary_amended(f, &cmd.event, move.variant);
	if (type == EV_SCOPE_AMENDED)
		vary_rescoped(f, &cmd.event, move.variant);
	if (type == EV_ATTEMPT_REJECTED)
		vary_rejected(f, &cmd.event, move.variant);
	if (move.twist != 0)
		twist(f, &cmd, move.twist);
	return cmd;
}

void
move_show(struct buf *out, struct move move)
{
	buf_addf(out, STR_FMT " %s@%u variant %u twist %u",
		STR_ARG(event_word(move.type)), node_ids[move.node],
		move.number, move.variant, move.twist);
}
