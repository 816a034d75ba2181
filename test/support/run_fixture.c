#include "run_fixture.h"

#include <string.h>

#include "base/die.h"
#include "model/apply.h"
#include "model/contract.h"
#include "model/rework.h"
#include "model/scope.h"
#include "model/state_json.h"
#include "paths_fixture.h"

#define RUN_ID "r-20261130-k3x7qa"

/* The line that the next events go to; a generation begins with a line. */
static void
line_begin(struct run_fixture *f, const struct command *cmd)
{
	bool begins = event_begins_generation(cmd->event.type);
	uint64_t seq = f->s.seq + 1;

	if (begins)
		fixture_commit(f);
	if (f->open)
		return;
	f->open = true;
	f->line = (struct line_facts){ .seq = seq, .gen = f->s.gen };
	if (begins)
		f->line.gen++;
	f->line.actor = cmd->actor == ACTOR_HUMAN ? STR("human:alice")
						  : STR("coordinator:c1");
	f->line.at = arena_format(&f->mem, "2026-11-30T11:%02u:%02u.000000Z",
		(unsigned)(seq / 60 % 60), (unsigned)(seq % 60));
}

/* A digest of 64 digits that says what it is of. */
static struct str
digest(struct run_fixture *f, unsigned digit)
{
	char *hex = arena_bytes(&f->mem, 64);

	memset(hex, "0123456789abcdef"[digit % 16], 64);
	return (struct str){ hex, 64 };
}

static void
set_owner(struct event *e, uint64_t pid)
{
	EVENT_SET(e, F_MACHINE, machine, STR("machine-1"));
	EVENT_SET(e, F_BOOT, boot, STR("boot-1"));
	EVENT_SET(e, F_PIDNS, pidns, 4026531836);
	EVENT_SET(e, F_PID, pid, pid);
	EVENT_SET(e, F_START, start, 1000);
}

static void
fill_run(struct run_fixture *f, struct event *e)
{
	EVENT_SET(e, F_RUN, run, STR(RUN_ID));
	EVENT_SET(e, F_KIND, kind, STR("tasks"));
	EVENT_SET(e, F_LIST, list, STR("tasks.md"));
	EVENT_SET(e, F_LIST_SHA256, list_sha256, digest(f, 1));
	EVENT_SET(e, F_LIST_BYTES, list_bytes, f->plan.text.len);
	EVENT_SET(e, F_DECISION_SHA256, decision_sha256, digest(f, 2));
	EVENT_SET(e, F_REPO, repo, STR("/repo"));
	EVENT_SET(e, F_BASE, base, STR("ba5eba5eba5eba5e"));
	EVENT_SET(e, F_BRANCH, branch, STR("main"));
	EVENT_SET(e, F_PLACEMENT, placement, STR("worktree"));
	EVENT_SET(e, F_SLOTS, slots, 8);
	EVENT_SET(e, F_PROFILE, profile, STR("command"));
	EVENT_SET(e, F_BY, by, STR("local:eve"));
	EVENT_SET(e, F_FILESYSTEM, filesystem, STR("ext4"));
	EVENT_SET(e, F_DEVICE, device, 42);
	EVENT_SET(e, F_VERSION, version, STR("0.1.0"));
	EVENT_SET(e, F_BINARY, binary, digest(f, 3));
	e->argv = (struct strs){ arena_array(&f->mem, 1, struct str), 1 };
	e->argv.items[0] = STR("./agent.sh");
	event_mark(e, F_ARGV);
	set_owner(e, 100);
}

static uint32_t
revision_of(const struct run_fixture *f, struct str id)
{
	struct contract_view v = { 0 };
	uint32_t node;

	if (plan_find(&f->plan.plan, id, &node))
		v = contract_of(&f->s, node);
	return contract_revision(&v);
}

static void
fill_reserved(struct run_fixture *f, struct event *e)
{
	EVENT_SET(e, F_DRIVER, driver, STR("process"));
	EVENT_SET(e, F_PROFILE, profile, STR("command"));
	EVENT_SET(e, F_BASE, base, STR("ba5eba5eba5eba5e"));
	EVENT_SET(e, F_REVISION, revision, revision_of(f, e->node));
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256, digest(f, 7));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256, digest(f, 8));
	EVENT_SET(
		e, F_PLACEMENT, placement, placement_word(f->s.run.placement));
	EVENT_SET(e, F_DEADLINE_MS, deadline_ms, 14400000);
	if (f->s.run.placement == PLACEMENT_WORKTREE) {
		EVENT_SET(e, F_WORKTREE, worktree,
			arena_format(
				&f->mem, "/wt/" STR_FMT, STR_ARG(e->attempt)));
		EVENT_SET(e, F_BRANCH, branch,
			arena_format(&f->mem, "pawl/" RUN_ID "/" STR_FMT,
				STR_ARG(e->attempt)));
	}
}

static void
fill_reported(struct run_fixture *f, struct event *e)
{
	EVENT_SET(e, F_REPORT_SHA256, report_sha256, digest(f, 4));
	EVENT_SET(e, F_SYNTHESIZED, synthesized, true);
	EVENT_SET(e, F_SUMMARY, summary, STR("did it"));
	EVENT_SET(e, F_TREE, tree, STR("7ee7ee"));
	EVENT_SET(e, F_FILE_COUNT, file_count, 1);
	event_mark(e, F_FILES);
	EVENT_SET(e, F_EXIT, exit, 0);
}

/* The check that would start, or that runs. */
static struct str
check_name(struct run_fixture *f, struct str attempt, bool next)
{
	uint32_t at;
	uint32_t checks = 0;

	if (state_find_attempt(&f->s, attempt, &at))
		checks = f->s.attempts.items[at].checks;
	return arena_format(&f->mem, STR_FMT "#%u", STR_ARG(attempt),
		checks + (next ? 1u : 0u));
}

static void
fill_check_started(struct run_fixture *f, struct event *e)
{
	EVENT_SET(e, F_CHECK, check, check_name(f, e->attempt, true));
	EVENT_SET(e, F_TREE, tree, STR("7ee7ee"));
	EVENT_SET(e, F_DEADLINE_MS, deadline_ms, 300000);
	e->argv = (struct strs){ arena_array(&f->mem, 2, struct str), 2 };
	e->argv.items[0] = STR("make");
	e->argv.items[1] = STR("test");
	event_mark(e, F_ARGV);
	set_owner(e, 300);
}

/* As the gate was shown that the node has last. */
static void
fill_gate(struct run_fixture *f, struct event *e, uint32_t node)
{
	const struct node_state *n = &f->s.nodes[node];

	EVENT_SET(e, F_GATE, gate,
		arena_format(&f->mem, STR_FMT "!%u", STR_ARG(e->node),
			n->gates > 0 ? n->gates : 1u));
	EVENT_SET(e, F_REVISION, revision, revision_of(f, e->node));
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256, STR(""));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256, STR(""));
	if (n->gate_1 == 0)
		return;
	e->contract_sha256 = f->s.gates.items[n->gate_1 - 1].contract_sha256;
	e->scope_sha256 = f->s.gates.items[n->gate_1 - 1].scope_sha256;
}

/* The oldest cleanup of the attempt that is open, or a name for a new one. */
static struct str
cleanup_name(struct run_fixture *f, struct str attempt)
{
	struct cleanup *c;
	uint32_t at;

	if (state_find_attempt(&f->s, attempt, &at)) {
		VEC_EACH (c, &f->s.cleanups) {
			if (c->attempt == at && !is_cleanup_settled(c))
				return c->id;
		}
	}
	return arena_format(&f->mem, "c%zu", f->s.cleanups.count + 1);
}

static void
fill_cleanup(struct run_fixture *f, struct event *e)
{
	if (e->type == EV_CLEANUP_REGISTERED) {
		EVENT_SET(e, F_CLEANUP, cleanup,
			arena_format(&f->mem, "c%zu", f->s.cleanups.count + 1));
		EVENT_SET(e, F_KIND, kind, STR("process"));
		/* The first one open is of the attempt as a whole. */
		EVENT_SET(e, F_TARGET, target,
			f->s.cleanups_open == 0
				? e->attempt
				: arena_format(&f->mem, "%zu of " STR_FMT,
					  f->s.cleanups.count,
					  STR_ARG(e->attempt)));
		return;
	}
	EVENT_SET(e, F_CLEANUP, cleanup, cleanup_name(f, e->attempt));
	EVENT_SET(e, F_STATUS, status, STR("verified"));
	EVENT_SET(e, F_REASON, reason, STR("gone"));
}

/* The next question, of the node's worker if it has one; else the first one
 * that is open, or a name for none. */
static void
fill_question(struct run_fixture *f, struct event *e, uint32_t node)
{
	const struct attempt *a = state_live(&f->s, node);
	uint32_t at = 0;

	EVENT_SET(e, F_QUESTION, question,
		state_ask_id((uint32_t)f->s.asks.count, &f->mem));
	if (e->type == EV_QUESTION_OPENED && a != NULL &&
		a->status != ATTEMPT_RESERVED) {
		EVENT_SET(e, F_ASKED, asked,
			state_attempt_id(&f->s, f->s.nodes[node].attempt_1 - 1,
				&f->mem));
		EVENT_SET(e, F_ASK, ask, f->s.asks.count + 1);
	}
	if (e->type == EV_QUESTION_ANSWERED && state_open_ask(&f->s, node, &at))
		e->question = state_ask_id(at, &f->mem);
	else if (e->type == EV_QUESTION_ANSWERED && f->s.asks.count > 0)
		e->question = STR("q1");
}

/* The next one; else the first of the attempt that is open, or the first. */
static struct str
delegation_name(struct run_fixture *f, const struct event *e, uint32_t *ret_at)
{
	struct delegation *d;
	uint32_t at, i = 0;

	*ret_at = 0;
	if (e->type == EV_DELEGATION_REQUESTED)
		return state_delegation_id(
			(uint32_t)f->s.delegations.count, &f->mem);
	VEC_EACH (d, &f->s.delegations) {
		if (state_find_attempt(&f->s, e->attempt, &at) &&
			d->attempt == at && is_delegation_open(d)) {
			*ret_at = i;
			break;
		}
		i++;
	}
	return state_delegation_id(*ret_at, &f->mem);
}

/* What is asked for is the first scope of the node; what is granted, all that
 * was asked for. */
static void
fill_delegation(struct run_fixture *f, struct event *e, uint32_t node)
{
	struct contract_view v = contract_of(&f->s, node);
	const struct delegation *d = NULL;
	uint32_t at;

	EVENT_SET(e, F_DELEGATION, delegation, delegation_name(f, e, &at));
	if (at < f->s.delegations.count)
		d = &f->s.delegations.items[at];
	EVENT_SET(e, F_PURPOSE, purpose, STR("the tests"));
	EVENT_SET(e, F_INTENT_SHA256, intent_sha256, digest(f, 13));
	EVENT_SET(e, F_BY, by, STR("coordinator:c1"));
	EVENT_SET(e, F_REASON, reason, STR("because"));
	EVENT_SET(e, F_REVISION, revision, revision_of(f, e->node));
	EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256, digest(f, 14));
	EVENT_SET(e, F_REPORT_SHA256, report_sha256, digest(f, 15));
	EVENT_SET(e, F_SUMMARY, summary, STR("did it"));
	EVENT_SET(e, F_STATUS, status,
		d != NULL && d->status == DELEGATION_APPROVED
			? DELEGATION_UNSTARTED
			: DELEGATION_RETAINED);
	event_mark(e, F_FILES);
	e->paths = (struct strs){ arena_array(&f->mem, 1, struct str), 1 };
	e->paths.items[0] = scope_shown(contract_scope(&v, 0));
	if (e->type == EV_DELEGATION_APPROVED && d != NULL)
		e->paths = d->paths;
	event_mark(e, F_PATHS);
}

static void
fill_rework(struct run_fixture *f, struct event *e, uint32_t node)
{
	EVENT_SET(e, F_FINDING, finding, state_next_finding(&f->s, &f->mem));
	EVENT_SET(e, F_CLASS, class, STR("acceptance_violation"));
	EVENT_SET(e, F_SUMMARY, summary, STR("the empty list is refused"));
	EVENT_SET(e, F_ACCEPTANCE, acceptance, STR("all lists are taken"));
	EVENT_SET(e, F_FILE, file, STR("src/list.c"));
	EVENT_SET(e, F_REPRODUCTION, reproduction, STR("list []"));
	EVENT_SET(e, F_SMALLEST_REPAIR, smallest_repair, STR("count from 0"));
	EVENT_SET(e, F_CHECK_GAP, check_gap, STR("no case is empty"));
	EVENT_SET(e, F_FINDING_SHA256, finding_sha256, digest(f, 9));
	EVENT_SET(e, F_ACTION, action, STR("amend_paths"));
	if (e->type != EV_DECISION_RECORDED)
		return;
	EVENT_SET(e, F_DECISION, decision, state_next_decision(&f->s, &f->mem));
	for (uint32_t i = 0; i < f->s.asks.count; i++) {
		if (is_ask_for_decision(&f->s, node, i))
			EVENT_SET(e, F_QUESTION, question,
				state_ask_id(i, &f->mem));
	}
}

static void
fill_imported(struct run_fixture *f, struct event *e)
{
	EVENT_SET(e, F_IMPORT, import, STR("before-1"));
	EVENT_SET(e, F_ARTIFACT, artifact, digest(f, 6));
	EVENT_SET(e, F_TREE, tree, STR("7ee7ee"));
	EVENT_SET(e, F_REASON, reason, STR("it was there"));
	EVENT_SET(e, F_EXIT, exit, 0);
	EVENT_SET(e, F_DURATION_MS, duration_ms, 1234);
	e->argv = (struct strs){ arena_array(&f->mem, 1, struct str), 1 };
	e->argv.items[0] = STR("make");
	event_mark(e, F_ARGV);
}

/* The smaller kinds. */
static void
fill_rest(struct run_fixture *f, struct event *e, uint32_t node)
{
	EVENT_SET(e, F_REASON, reason, STR("because"));
	EVENT_SET(e, F_MESSAGE, message, STR("so it was"));
	EVENT_SET(e, F_CAUSE, cause, STR("exit 3"));
	EVENT_SET(e, F_HYPOTHESIS, hypothesis, STR("an off-by-one"));
	EVENT_SET(e, F_RESTORED, restored, 2);
	EVENT_SET(e, F_BRANCH, branch, STR("pawl/x"));
	EVENT_SET(e, F_GRADE, grade, STR("pass"));
	EVENT_SET(e, F_BY, by, STR("alice"));
	EVENT_SET(e, F_ASSURANCE, assurance, STR("local"));
	if (e->type != EV_QUESTION_ANSWERED)
		EVENT_SET(e, F_DECISION, decision, STR("granted"));
	EVENT_SET(e, F_HEAD, head, digest(f, 5));
	EVENT_SET(e, F_VERDICT, verdict, STR("pass"));
	EVENT_SET(e, F_COMMIT, commit, STR("c0ffeec0ffeec0ffee"));
	EVENT_SET(e, F_ONTO, onto, STR("ba5eba5eba5eba5e"));
	EVENT_SET(e, F_PATH_COUNT, path_count, 1);
	EVENT_SET(e, F_ARTIFACT, artifact, digest(f, 6));
	EVENT_SET(e, F_BYTES, bytes, 12);
	EVENT_SET(e, F_KEY, key,
		arena_format(&f->mem, "k-" STR_FMT, STR_ARG(e->attempt)));
	EVENT_SET(e, F_OUTCOME, outcome, STR("pass"));
	EVENT_SET(e, F_KIND, kind, STR("question"));
	EVENT_SET(e, F_PROMPT, prompt, STR("May I?"));
	EVENT_SET(e, F_ANSWER, answer, STR("yes"));
	if (e->type == EV_FINDING_RECORDED || e->type == EV_DECISION_RECORDED)
		fill_rework(f, e, node);
	if (e->type != EV_RUN_CLOSED) {
		e->paths =
			(struct strs){ arena_array(&f->mem, 1, struct str), 1 };
		e->paths.items[0] = STR("other/file.c");
		event_mark(e, F_PATHS);
	}
	if (e->type == EV_SCOPE_AMENDED)
		paths_fixture(f, e, "other/file.c");
	if (e->type == EV_CHECK_RECORDED) {
		EVENT_SET(e, F_CHECK, check, check_name(f, e->attempt, false));
		EVENT_SET(e, F_EXIT, exit, 0);
		EVENT_SET(e, F_DURATION_MS, duration_ms, 1234);
	}
}

static void
fill_program(struct run_fixture *f, struct event *e, uint64_t pid)
{
	EVENT_SET(e, F_VERSION, version, STR("0.1.0"));
	EVENT_SET(e, F_BINARY, binary, digest(f, 3));
	set_owner(e, pid);
}

/* Who coordinates; false for a kind that isn't about that. */
static bool
fill_coordinator(struct run_fixture *f, struct event *e)
{
	const struct state *s = &f->s;

	if (e->type == EV_COORDINATOR_TAKEN_OVER) {
		EVENT_SET(e, F_REASON, reason, STR("because"));
		fill_program(f, e, 101);
	} else if (e->type == EV_COORDINATOR_CLAIMED) {
		EVENT_SET(e, F_NAME, name, STR("c1"));
		EVENT_SET(e, F_TOKEN_SHA256, token_sha256, digest(f, 9));
		EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256,
			s->coordinator_capsule);
		fill_program(f, e, 0);
	} else if (e->type == EV_COORDINATOR_TRANSFERRED) {
		EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256, digest(f, 10));
	} else if (e->type == EV_COORDINATOR_RESUMED) {
		fill_program(f, e, 0);
	} else if (e->type == EV_DRIVER_SELECTION_RESERVED) {
		EVENT_SET(e, F_SELECTION, selection, STR("driver-1"));
		EVENT_SET(e, F_DRIVER, driver, STR("auto"));
	} else if (e->type == EV_DRIVER_SELECTED) {
		EVENT_SET(e, F_SELECTION, selection, STR("driver-1"));
		EVENT_SET(e, F_DRIVER, driver, STR("host"));
		EVENT_SET(e, F_REASON, reason, STR("asked for"));
		EVENT_SET(e, F_RECEIPT_SHA256, receipt_sha256, digest(f, 11));
	} else {
		return false;
	}
	return true;
}

/* The next revision, of mode graph, with one limit that is far away. */
static void
fill_amended(struct run_fixture *f, struct event *e)
{
	uint64_t revision = f->s.decision_revision;

	EVENT_SET(e, F_DECISION_SHA256, decision_sha256, digest(f, 12));
	EVENT_SET(e, F_REVISION, revision, revision < 2 ? 2 : revision + 1);
	EVENT_SET(e, F_MODE, mode, STR("graph"));
	EVENT_SET(e, F_EXECUTION, execution, STR("parallel"));
	EVENT_SET(e, F_REASON, reason, STR("it grew"));
	e->budget = (struct strs){ arena_array(&f->mem, 1, struct str), 1 };
	e->budget.items[0] = STR("hard attempts 1000 attempts");
	event_mark(e, F_BUDGET);
	/* For who marks it. */
	e->retained.items = arena_array(&f->mem, 1, struct str);
	e->retained.items[0] = plan_id(&f->plan.plan, 0);
}

static void
fill(struct run_fixture *f, struct event *e, uint32_t node)
{
	if (fill_coordinator(f, e))
		return;
	if (e->type == EV_DECISION_AMENDED) {
		fill_amended(f, e);
		return;
	}
	if (e->type == EV_RUN_STARTED) {
		fill_run(f, e);
	} else if (e->type == EV_ATTEMPT_RESERVED) {
		fill_reserved(f, e);
	} else if (e->type == EV_ATTEMPT_STARTED) {
		set_owner(e, 200);
	} else if (e->type == EV_ATTEMPT_REPORTED) {
		fill_reported(f, e);
	} else if (e->type == EV_CHECK_STARTED) {
		fill_check_started(f, e);
	} else if (e->type == EV_NODE_IMPORTED) {
		fill_imported(f, e);
	} else if (e->type >= EV_DELEGATION_REQUESTED &&
		e->type <= EV_DELEGATION_RELEASED) {
		fill_delegation(f, e, node);
	} else if (e->type == EV_CLEANUP_REGISTERED ||
		e->type == EV_CLEANUP_SETTLED) {
		fill_cleanup(f, e);
	} else {
		fill_rest(f, e, node);
		if (e->type == EV_SCOPE_VIOLATED)
			e->reason = breach_word(BREACH_OUTSIDE);
		if (e->type == EV_CONTRACT_AMENDED)
			EVENT_SET(e, F_REVISION, revision,
				revision_of(f, e->node) + 1);
		if (e->type == EV_QUESTION_OPENED ||
			e->type == EV_QUESTION_ANSWERED)
			fill_question(f, e, node);
		if (e->type == EV_GATE_OPENED || e->type == EV_GATE_DECIDED)
			fill_gate(f, e, node);
	}
}

struct command
fixture_command(
	struct run_fixture *f, enum event_type type, const char *subject)
{
	struct command cmd = { .gen = f->s.gen, .owner_dead = true };
	struct str name = arena_copy(&f->mem, str_from(subject));
	struct str rest = name;
	uint32_t node = 0;

	cmd.event.type = type;
	cmd.event.node = str_cut(&rest, '@');
	if (cmd.event.node.len < name.len)
		cmd.event.attempt = name;
	if (type == EV_GATE_DECIDED || type == EV_NODE_UNBLOCKED ||
		type == EV_QUESTION_ANSWERED)
		cmd.actor = ACTOR_HUMAN;
	if (type == EV_RUN_STARTED || type == EV_COORDINATOR_TAKEN_OVER)
		cmd.gen = f->s.gen + 1;
	(void)plan_find(&f->plan.plan, cmd.event.node, &node);
	fill(f, &cmd.event, node);
	return cmd;
}

/* An event that was decided must fold. */
static void
fold(struct run_fixture *f, const struct event *e)
{
	if (f->broken != NULL)
		return;
	if (apply(&f->s, &f->line, e, &f->err) != PAWL_OK) {
		f->broken = "decided, and can't be folded";
		return;
	}
	folded_events_push(&f->journal, (struct folded){ f->line, *e });
}

enum pawl_rc
fixture_propose(struct run_fixture *f, const struct command *cmd)
{
	enum pawl_rc rc;

	f->err = (struct pawl_err){ 0 };
	rc = decide(&f->s, cmd, &f->err);
	if (rc != PAWL_OK)
		return rc;
	line_begin(f, cmd);
	fold(f, &cmd->event);
	return PAWL_OK;
}

void
fixture_commit(struct run_fixture *f)
{
	struct events gates = { 0 };
	struct event *e;

	if (!f->open)
		return;
	decide_due_gates(&f->s, &f->mem, &gates);
	VEC_EACH (e, &gates)
		fold(f, e);
	events_release(&gates);
	f->open = false;
}

enum pawl_rc
fixture_try(struct run_fixture *f, const struct command *cmd)
{
	enum pawl_rc rc = fixture_propose(f, cmd);

	fixture_commit(f);
	return rc;
}

void
fixture_do(struct run_fixture *f, const struct command *cmd)
{
	if (fixture_try(f, cmd) != PAWL_OK || f->broken != NULL)
		die("%.*s of '%.*s' was refused: %s",
			STR_ARG(event_word(cmd->event.type)),
			STR_ARG(cmd->event.node), f->err.msg);
}

void
fixture_step(struct run_fixture *f, enum event_type type, const char *subject)
{
	struct command cmd = fixture_command(f, type, subject);

	fixture_do(f, &cmd);
}

struct command
fixture_command_word(struct run_fixture *f, enum event_type type,
	const char *subject, const char *word)
{
	struct command cmd = fixture_command(f, type, subject);
	struct str s = str_from(word);

	if (word == NULL)
		return cmd;
	cmd.event.verdict = s;
	cmd.event.grade = s;
	cmd.event.class = s;
	cmd.event.action = s;
	if (type != EV_DECISION_RECORDED)
		cmd.event.decision = s;
	cmd.event.cause = s;
	cmd.event.outcome = s;
	if (type == EV_CLEANUP_SETTLED)
		cmd.event.status = s;
	if (type == EV_QUESTION_ANSWERED && str_eq(s, STR("denied")))
		EVENT_SET(&cmd.event, F_DECISION, decision, s);
	if (type == EV_CLEANUP_REGISTERED)
		cmd.event.kind = s;
	if (type == EV_NODE_BLOCKED || type == EV_SCOPE_VIOLATED)
		cmd.event.reason = s;
	if (type == EV_ATTEMPT_RESERVED) {
		cmd.event.argv =
			(struct strs){ arena_array(&f->mem, 1, struct str), 1 };
		cmd.event.argv.items[0] = s;
		event_mark(&cmd.event, F_ARGV);
	}
	if (type == EV_CHECK_STARTED)
		EVENT_SET(&cmd.event, F_RED, red, str_eq(s, STR("red")));
	return cmd;
}

void
fixture_step_word(struct run_fixture *f, enum event_type type,
	const char *subject, const char *word)
{
	struct command cmd = fixture_command_word(f, type, subject, word);

	fixture_do(f, &cmd);
}

void
fixture_until(
	struct run_fixture *f, const char *node, enum attempt_status status)
{
	uint32_t n = fixture_node(f, node);
	const char *attempt = arena_strdup(&f->mem,
		arena_format(
			&f->mem, "%s@%u", node, f->s.nodes[n].attempts + 1u));

	fixture_step(f, EV_ATTEMPT_RESERVED, attempt);
	if (status >= ATTEMPT_STARTED)
		fixture_step(f, EV_ATTEMPT_STARTED, attempt);
	if (status >= ATTEMPT_REPORTED)
		fixture_step(f, EV_ATTEMPT_REPORTED, attempt);
	if (status >= ATTEMPT_CHECKED) {
		fixture_step(f, EV_CHECK_STARTED, attempt);
		fixture_step(f, EV_CHECK_RECORDED, attempt);
	}
	if (status >= ATTEMPT_INTEGRATED)
		fixture_step(f, EV_INTEGRATED, attempt);
	if (status >= ATTEMPT_SETTLED)
		fixture_step(f, EV_NODE_GRADED, attempt);
}

void
fixture_pass(struct run_fixture *f, const char *node)
{
	fixture_until(f, node, ATTEMPT_SETTLED);
}

uint32_t
fixture_node(const struct run_fixture *f, const char *id)
{
	uint32_t node;

	if (!plan_find(&f->plan.plan, str_from(id), &node))
		die("the plan has no node '%s'", id);
	return node;
}

void
fixture_projection(const struct state *s, struct buf *out)
{
	struct json_writer w = { .out = out };

	state_json_write(&w, s);
}

void
fixture_init_planned(
	struct run_fixture *f, const struct plan_row *rows, size_t count)
{
	*f = (struct run_fixture){ 0 };
	plan_fixture_init(&f->plan, rows, count);
	state_init(&f->s, &f->plan.plan);
}

void
fixture_init(struct run_fixture *f, const struct plan_row *rows, size_t count,
	const struct run_options *options)
{
	struct strs capacity = { 0 };
	struct command cmd;

	fixture_init_planned(f, rows, count);
	cmd = fixture_command(f, EV_RUN_STARTED, "");
	if (options != NULL && options->placement != NULL)
		cmd.event.placement = str_from(options->placement);
	if (options != NULL && options->slots != 0)
		cmd.event.slots = options->slots;
	if (options != NULL && options->capacity != NULL) {
		capacity.items = arena_array(&f->mem, 1, struct str);
		capacity.items[capacity.count++] = str_from(options->capacity);
		EVENT_SET(&cmd.event, F_CAPACITY, capacity, capacity);
	}
	if (options != NULL && options->vacant)
		EVENT_SET(&cmd.event, F_CAPSULE_SHA256, capsule_sha256,
			digest(f, 12));
	fixture_do(f, &cmd);
}

void
fixture_release(struct run_fixture *f)
{
	state_release(&f->s);
	folded_events_release(&f->journal);
	arena_reset(&f->mem);
	plan_fixture_release(&f->plan);
}

void
fixture_init_of(
	struct run_fixture *f, const struct plan_row *rows, size_t count)
{
	fixture_init(f, rows, count, NULL);
}
