/*
 * What may be changed in a ledger: every pair of statuses, every refusal, and
 * what follows by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "model/ledger_earned.h"
#include "model/ledger_edit.h"

struct fixture {
	struct ledger l;
	struct arena mem;
	struct pawl_err err;
	struct line_facts line;
};

static void
fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .line = { .seq = 1, .gen = 1 } };
	ledger_init(&f->l);
	f->l.run_id = STR("r-1");
}

static void
fixture_release(struct fixture *f)
{
	ledger_release(&f->l);
	arena_reset(&f->mem);
}

/* Decide, and fold what was allowed, as both doors do. */
static enum pawl_code
propose(struct fixture *f, enum actor_kind actor, const struct event *e)
{
	struct command cmd = { .event = *e, .actor = actor };
	enum pawl_rc rc;

	f->err = (struct pawl_err){ 0 };
	rc = ledger_propose(&f->l, &cmd, &f->err);
	if (rc != PAWL_OK) {
		assert_int_equal(pawl_code_info(f->err.code)->rc, rc);
		return f->err.code;
	}
	ledger_settle(&f->l);
	return PAWL_CODE_COUNT;
}

#define DONE PAWL_CODE_COUNT

static struct event
added(const char *id)
{
	struct event e = { .type = EV_NODE_ADDED, .node = str_from(id) };

	EVENT_SET(&e, F_TITLE, title, STR("A title"));
	EVENT_SET(&e, F_KIND, kind, STR("execute"));
	EVENT_SET(&e, F_ROLE, role, STR("worker"));
	EVENT_SET(&e, F_ACCESS, access, STR("workspace-write"));
	EVENT_SET(&e, F_EXPECTED_OUTPUT, expected_output, STR("A patch"));
	EVENT_SET(&e, F_EVIDENCE_REQUIRED, evidence_required, true);
	EVENT_SET(&e, F_MAX_ATTEMPTS, max_attempts, 1);
	EVENT_SET(&e, F_APPROVAL, approval, STR("not-required"));
	event_mark(&e, F_DEPENDS_ON);
	return e;
}

static void
depends(struct fixture *f, struct event *e, const char *ids)
{
	struct str rest = str_from(ids);

	e->depends_on.items = arena_array(&f->mem, rest.len, struct str);
	e->depends_on.count = 0;
	while (rest.len > 0)
		e->depends_on.items[e->depends_on.count++] =
			str_cut(&rest, ',');
	event_mark(e, F_DEPENDS_ON);
}

static uint32_t
add(struct fixture *f, const char *id, const char *ids)
{
	struct event e = added(id);
	uint32_t node = 0;

	depends(f, &e, ids);
	if (propose(f, ACTOR_COORDINATOR, &e) != DONE)
		fail_msg("%s: %s", id, f->err.msg);
	assert_true(ledger_find(&f->l, str_from(id), &node));
	return node;
}

static enum pawl_code
move_by(struct fixture *f, enum actor_kind actor, const char *id,
	const char *status, const char *reason)
{
	struct event e = { .type = EV_NODE_MOVED, .node = str_from(id) };

	EVENT_SET(&e, F_STATUS, status, str_from(status));
	if (reason != NULL) {
		EVENT_SET(&e, F_REASON, reason, str_from(reason));
	}
	return propose(f, actor, &e);
}

static enum pawl_code
move(struct fixture *f, const char *id, const char *status)
{
	return move_by(f, ACTOR_COORDINATOR, id, status, "so it is");
}

static enum pawl_code
evidence(struct fixture *f, const char *id, const char *text)
{
	struct str item = str_from(text);
	struct event e = { .type = EV_EVIDENCE_ADDED, .node = str_from(id) };

	EVENT_SET(&e, F_EVIDENCE, evidence, ((struct strs){ &item, 1 }));
	return propose(f, ACTOR_COORDINATOR, &e);
}

static enum pawl_code
decided(struct fixture *f, enum actor_kind actor, const char *id,
	const char *decision)
{
	struct event e = { .type = EV_APPROVAL_DECIDED, .node = str_from(id) };

	EVENT_SET(&e, F_DECISION, decision, str_from(decision));
	EVENT_SET(&e, F_BY, by, STR("local:ann"));
	EVENT_SET(&e, F_ASSURANCE, assurance, STR("local"));
	return propose(f, actor, &e);
}

static void
assert_history(const struct fixture *f, uint32_t node, const char *want)
{
	const struct ledger_node *n = &f->l.nodes[node];
	struct buf got = { 0 };

	for (uint32_t i = 0; i < n->history_count; i++) {
		buf_add(&got, i > 0 ? STR(" ") : STR(""));
		buf_add(&got,
			node_status_word((enum node_status)n->history[i]));
	}
	assert_string_equal(got.data, want);
	assert_int_equal(n->status, n->history[n->history_count - 1]);
	buf_release(&got);
}

/* A node that stands at `status`, with an attempt left, evidence and all. */
static uint32_t
node_at(struct fixture *f, enum node_status status)
{
	struct event e = added("n");
	uint32_t node = 0;

	e.max_attempts = 2;
	assert_int_equal(propose(f, ACTOR_COORDINATOR, &e), DONE);
	assert_true(ledger_find(&f->l, STR("n"), &node));
	assert_int_equal(evidence(f, "n", "seen"), DONE);
	if (status == NODE_PENDING) {
		add(f, "first", "");
		f->l.nodes[node].status = NODE_PENDING;
		f->l.nodes[node].history_count = 1;
		f->l.nodes[node].depends = arena_array(&f->l.mem, 1, uint32_t);
		f->l.nodes[node].depends[0] = 1;
		f->l.nodes[node].depends_count = 1;
		return node;
	}
	f->l.nodes[node].status = (uint8_t)status;
	f->l.nodes[node].history[1] = (uint8_t)status;
	f->l.nodes[node].attempt = status != NODE_READY;
	if (status == NODE_NEEDS_APPROVAL)
		f->l.nodes[node].approval = LEDGER_REQUIRED;
	return node;
}

static void
assert_walk(enum node_status from, enum node_status to, bool allowed)
{
	struct fixture f;
	enum pawl_code code;

	fixture_init(&f);
	node_at(&f, from);
	code = move_by(
		&f, ACTOR_HUMAN, "n", node_status_word(to).ptr, "because");
	if ((code == DONE) != allowed)
		fail_msg("%s to %s: %s", node_status_word(from).ptr,
			node_status_word(to).ptr,
			code == DONE ? "allowed" : f.err.msg);
	assert_true(code != DONE || is_ledger_step(from, to));
	assert_true(code == DONE || code == ERR_STEP_NOT_ALLOWED ||
		code == ERR_TASK_NOT_READY || code == ERR_APPROVAL_NEEDED);
	fixture_release(&f);
}

/* Design 3.3 as a picture: what `set` takes with a reason, as a human. */
static void
a_human_with_a_reason_walks_the_rows_and_nothing_else(void **state)
{
	/*     to: PENDING READY RUNNING PASSED FAILED BLOCKED APPROVAL SKIPPED
	 */
	static const char *const walks[NODE_STATUS_COUNT] = {
		[NODE_PENDING] = ".....x.x",
		[NODE_READY] = "..x..x.x",
		[NODE_RUNNING] = ".x.x.xx.", /* FAILED: when none is left */
		[NODE_PASSED] = "........",
		[NODE_FAILED] = ".x......",
		[NODE_BLOCKED] = "x......x",
		[NODE_NEEDS_APPROVAL] = ".......x",
		[NODE_SKIPPED] = "........",
	};

	(void)state;
	for (enum node_status from = 0; from < NODE_STATUS_COUNT; from++) {
		for (enum node_status to = 0; to < NODE_STATUS_COUNT; to++)
			assert_walk(from, to, walks[from][to] == 'x');
	}
}

static void
a_step_without_its_reason_or_its_human_is_refused(void **state)
{
	static const struct {
		enum node_status from;
		const char *to;
		enum pawl_code without_reason, without_human;
	} rows[] = {
		{ NODE_PENDING, "SKIPPED", ERR_REASON_NEEDED, DONE },
		{ NODE_PENDING, "BLOCKED", ERR_REASON_NEEDED, DONE },
		{ NODE_READY, "SKIPPED", ERR_REASON_NEEDED, DONE },
		{ NODE_READY, "BLOCKED", ERR_REASON_NEEDED, DONE },
		{ NODE_READY, "RUNNING", DONE, DONE },
		{ NODE_RUNNING, "BLOCKED", ERR_REASON_NEEDED, DONE },
		{ NODE_RUNNING, "PASSED", DONE, DONE },
		{ NODE_RUNNING, "READY", DONE, DONE },
		{ NODE_RUNNING, "NEEDS_APPROVAL", DONE, DONE },
		{ NODE_NEEDS_APPROVAL, "SKIPPED", ERR_REASON_NEEDED,
			ERR_NOT_PERMITTED },
		{ NODE_BLOCKED, "PENDING", ERR_REASON_NEEDED, DONE },
		{ NODE_BLOCKED, "SKIPPED", ERR_REASON_NEEDED,
			ERR_NOT_PERMITTED },
		{ NODE_FAILED, "READY", ERR_REASON_NEEDED, DONE },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int blank = 0; blank < 2; blank++) {
			struct fixture f;
			enum pawl_code code, want = rows[i].without_reason;

			fixture_init(&f);
			node_at(&f, rows[i].from);
			code = move_by(&f, ACTOR_HUMAN, "n", rows[i].to,
				blank ? " " : NULL);
			if (blank && want == DONE)
				want = ERR_INVALID_ARGUMENT;
			if (blank && want == ERR_REASON_NEEDED &&
				code == ERR_INVALID_ARGUMENT)
				want = code; /* blank is no reason, too */
			assert_int_equal(code, want);
			fixture_release(&f);
		}
		struct fixture f;

		fixture_init(&f);
		node_at(&f, rows[i].from);
		assert_int_equal(
			move(&f, "n", rows[i].to), rows[i].without_human);
		fixture_release(&f);
	}
}

static void
ready_follows_what_it_depends_on(void **state)
{
	struct fixture f;
	uint32_t a, b;

	(void)state;
	fixture_init(&f);
	assert_int_equal(ledger_earned(&f.l), RUN_PLANNING);
	a = add(&f, "a", "");
	b = add(&f, "b", "a");
	assert_history(&f, a, "PENDING READY");
	assert_history(&f, b, "PENDING");
	assert_int_equal(f.l.status, RUN_RUNNING);
	assert_int_equal(move(&f, "b", "RUNNING"), ERR_TASK_NOT_READY);
	assert_string_equal(f.err.msg,
		"'b' can't be RUNNING: it depends on 'a', which is READY");
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(f.l.nodes[a].attempt, 1);
	assert_int_equal(move(&f, "a", "PASSED"), ERR_EVIDENCE_NEEDED);
	assert_int_equal(f.l.nodes[a].status, NODE_RUNNING);
	assert_int_equal(evidence(&f, "a", "the user's request"), DONE);
	assert_int_equal(move(&f, "a", "PASSED"), DONE);
	assert_history(&f, a, "PENDING READY RUNNING PASSED");
	assert_history(&f, b, "PENDING READY");
	assert_int_equal(evidence(&f, "a", "late"), ERR_STEP_NOT_ALLOWED);
	assert_int_equal(move(&f, "b", "SKIPPED"), DONE);
	assert_int_equal(f.l.status, RUN_COMPLETE);
	fixture_release(&f);
}

static void
attempts_end_at_their_bound(void **state)
{
	struct fixture f;
	uint32_t a;

	(void)state;
	fixture_init(&f);
	a = add(&f, "a", "");
	f.l.nodes[a].max_attempts = 2;
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "FAILED"), ERR_STEP_NOT_ALLOWED);
	assert_non_null(strstr(f.err.msg, "1 of its 2 attempts"));
	assert_int_equal(move(&f, "a", "READY"), DONE);
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "READY"), ERR_ATTEMPTS_EXHAUSTED);
	assert_string_equal(f.err.hint, "pawl ledger set a FAILED");
	assert_int_equal(move(&f, "a", "FAILED"), DONE);
	assert_int_equal(f.l.status, RUN_FAILED);
	assert_int_equal(move(&f, "a", "READY"), DONE);
	assert_int_equal(f.l.nodes[a].max_attempts, 3);
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_history(&f, a,
		"PENDING READY RUNNING READY RUNNING FAILED READY RUNNING");
	f.l.nodes[a].status = NODE_FAILED;
	f.l.nodes[a].max_attempts = BOUND_LEDGER_ATTEMPTS - 1;
	assert_int_equal(move(&f, "a", "READY"), DONE);
	f.l.nodes[a].status = NODE_FAILED;
	assert_int_equal(move(&f, "a", "READY"), ERR_LIMIT);
	fixture_release(&f);
}

static void
approval_stands_before_the_work(void **state)
{
	struct fixture f;
	struct event e = added("deploy");
	uint32_t a, d = 0;

	(void)state;
	fixture_init(&f);
	a = add(&f, "a", "");
	f.l.nodes[a].evidence_required = false;
	e.access = STR("external-write");
	depends(&f, &e, "a");
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &e), DONE);
	assert_true(ledger_find(&f.l, STR("deploy"), &d));
	assert_int_equal(decided(&f, ACTOR_HUMAN, "deploy", "granted"),
		ERR_GATE_NOT_FOUND);
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "PASSED"), DONE);
	assert_history(&f, d, "PENDING NEEDS_APPROVAL");
	assert_int_equal(f.l.nodes[d].approval, LEDGER_REQUIRED);
	assert_int_equal(f.l.status, RUN_NEEDS_APPROVAL);
	assert_int_equal(move(&f, "deploy", "RUNNING"), ERR_APPROVAL_NEEDED);
	assert_int_equal(move(&f, "deploy", "PENDING"), ERR_APPROVAL_NEEDED);
	assert_int_equal(decided(&f, ACTOR_COORDINATOR, "deploy", "granted"),
		ERR_NOT_PERMITTED);
	assert_int_equal(decided(&f, ACTOR_HUMAN, "deploy", "maybe"),
		ERR_INVALID_ARGUMENT);
	assert_int_equal(decided(&f, ACTOR_HUMAN, "deploy", "denied"), DONE);
	assert_history(&f, d, "PENDING NEEDS_APPROVAL BLOCKED");
	assert_int_equal(decided(&f, ACTOR_HUMAN, "deploy", "granted"),
		ERR_GATE_DECIDED);
	/* What a human denied, no agent takes up again. */
	assert_int_equal(move(&f, "deploy", "PENDING"), ERR_NOT_PERMITTED);
	assert_int_equal(
		move_by(&f, ACTOR_HUMAN, "deploy", "PENDING", "new facts"),
		DONE);
	assert_history(
		&f, d, "PENDING NEEDS_APPROVAL BLOCKED PENDING NEEDS_APPROVAL");
	assert_int_equal(f.l.nodes[d].approval, LEDGER_REQUIRED);
	assert_int_equal(decided(&f, ACTOR_HUMAN, "deploy", "granted"), DONE);
	assert_int_equal(f.l.nodes[d].status, NODE_READY);
	assert_int_equal(f.l.nodes[d].max_attempts, 1);
	fixture_release(&f);
}

static void
a_grant_in_mid_work_gives_one_more_attempt(void **state)
{
	struct fixture f;
	uint32_t a;

	(void)state;
	fixture_init(&f);
	a = add(&f, "a", "");
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "NEEDS_APPROVAL"), DONE);
	assert_int_equal(f.l.nodes[a].approval, LEDGER_REQUIRED);
	assert_int_equal(decided(&f, ACTOR_HUMAN, "a", "granted"), DONE);
	assert_int_equal(f.l.nodes[a].max_attempts, 2);
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_history(&f, a,
		"PENDING READY RUNNING NEEDS_APPROVAL PENDING READY "
		"RUNNING");
	f.l.nodes[a].max_attempts = BOUND_LEDGER_ATTEMPTS;
	assert_int_equal(move(&f, "a", "NEEDS_APPROVAL"), DONE);
	assert_int_equal(decided(&f, ACTOR_HUMAN, "a", "granted"), ERR_LIMIT);
	fixture_release(&f);
}

static void
a_failed_node_runs_again_behind_its_repair(void **state)
{
	struct fixture f;
	struct event repair = added("a-repair");
	struct event gain = { .type = EV_DEPENDENCY_ADDED, .node = STR("a") };
	uint32_t a, r = 0, of = 0;

	(void)state;
	fixture_init(&f);
	a = add(&f, "a", "");
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_true(str_eq(ledger_repair_id(&f.l, a, &f.mem), STR("a-repair")));
	depends(&f, &gain, "a-repair");
	assert_int_equal(
		propose(&f, ACTOR_COORDINATOR, &gain), ERR_STEP_NOT_ALLOWED);
	assert_int_equal(move(&f, "a", "FAILED"), DONE);
	assert_int_equal(
		propose(&f, ACTOR_COORDINATOR, &gain), ERR_UNKNOWN_DEPENDENCY);
	repair.kind = STR("repair");
	repair.evidence_required = false;
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &repair), DONE);
	assert_true(
		str_eq(ledger_repair_id(&f.l, a, &f.mem), STR("a-repair-2")));
	assert_int_equal(
		propose(&f, ACTOR_COORDINATOR, &gain), ERR_STEP_NOT_ALLOWED);
	assert_int_equal(move(&f, "a-repair", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a-repair", "PASSED"), DONE);
	assert_true(ledger_find(&f.l, STR("a-repair"), &r));
	assert_true(ledger_mends(&f.l, r, &of) && of == a);
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &gain), DONE);
	assert_int_equal(
		propose(&f, ACTOR_COORDINATOR, &gain), ERR_INVALID_ARGUMENT);
	assert_int_equal(move(&f, "a", "READY"), DONE);
	assert_int_equal(f.l.nodes[a].depends_count, 1);
	assert_int_equal(f.l.nodes[a].max_attempts, 2);
	assert_false(ledger_mends(&f.l, r, &of));
	fixture_release(&f);
}

/* What is SKIPPED waits for it all the same. */
static void
a_node_gains_no_repair_that_waits_for_it(void **state)
{
	struct event repair = added("a-repair");
	struct event gain = { .type = EV_DEPENDENCY_ADDED, .node = STR("a") };
	uint32_t a, mid, end, other;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	other = add(&f, "other", "");
	a = add(&f, "a", "other");
	assert_int_equal(move(&f, "other", "SKIPPED"), DONE);
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "FAILED"), DONE);
	mid = add(&f, "mid", "a");
	end = add(&f, "end", "mid,other");
	assert_true(is_ledger_node_behind(&f.l, end, a));
	assert_true(is_ledger_node_behind(&f.l, mid, a));
	assert_true(is_ledger_node_behind(&f.l, end, other));
	assert_false(is_ledger_node_behind(&f.l, a, end));
	assert_false(is_ledger_node_behind(&f.l, a, a));
	assert_false(is_ledger_node_behind(&f.l, other, a));
	assert_int_equal(move(&f, "mid", "SKIPPED"), DONE);
	assert_int_equal(move(&f, "end", "SKIPPED"), DONE);
	repair.kind = STR("repair");
	repair.evidence_required = false;
	depends(&f, &repair, "end");
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &repair), DONE);
	assert_int_equal(move(&f, "a-repair", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a-repair", "PASSED"), DONE);
	depends(&f, &gain, "a-repair");
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &gain), ERR_CYCLE);
	assert_int_equal(f.l.nodes[a].depends_count, 1);
	fixture_release(&f);
}

/* As many as a reader takes: below, at and over it, also by a repair. */
static void
dependencies_have_their_bound(void **state)
{
	struct event n = added("n"), repair = added("n-repair");
	struct event gain = { .type = EV_DEPENDENCY_ADDED, .node = STR("n") };
	struct str *ids;
	uint32_t at = 0;
	struct fixture f;

	(void)state;
	fixture_init(&f);
	ids = arena_array(&f.mem, BOUND_DEPENDS + 1, struct str);
	for (uint32_t i = 0; i <= BOUND_DEPENDS; i++) {
		ids[i] = arena_format(&f.mem, "d%u", i);
		assert_true(ledger_add(&f.l, ids[i], &at));
		f.l.nodes[at].status = NODE_PASSED;
	}
	n.depends_on = (struct strs){ ids, BOUND_DEPENDS + 1 };
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &n), ERR_LIMIT);
	n.depends_on.count = BOUND_DEPENDS;
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &n), DONE);
	assert_true(ledger_find(&f.l, STR("n"), &at));
	repair.kind = STR("repair");
	repair.evidence_required = false;
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &repair), DONE);
	assert_int_equal(move(&f, "n-repair", "RUNNING"), DONE);
	assert_int_equal(move(&f, "n-repair", "PASSED"), DONE);
	assert_int_equal(move(&f, "n", "RUNNING"), DONE);
	assert_int_equal(move(&f, "n", "FAILED"), DONE);
	depends(&f, &gain, "n-repair");
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &gain), ERR_LIMIT);
	f.l.nodes[at].depends_count = BOUND_DEPENDS - 1;
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &gain), DONE);
	fixture_release(&f);
}

static void
a_repair_is_known_by_its_id(void **state)
{
	static const struct {
		const char *id;
		bool mends;
	} rows[] = { { "a-repair", true }, { "a-repair-2", true },
		{ "a-repair-12", true }, { "a-repair-", false },
		{ "a-repair2", false }, { "a-mend", false },
		{ "b-repair", false }, { "-repair", false }, { "a", false },
		{ "7", false } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;
		uint32_t r, of = 9;

		fixture_init(&f);
		add(&f, "a", "");
		add(&f, "b", "");
		f.l.nodes[0].status = NODE_FAILED;
		if (!ledger_add(&f.l, str_from(rows[i].id), &r))
			r = 0;
		f.l.nodes[r].kind = LEDGER_REPAIR;
		assert_true(ledger_mends(&f.l, r, &of) == rows[i].mends);
		assert_int_equal(of, rows[i].mends ? 0 : 9);
		f.l.nodes[r].kind = LEDGER_EXECUTE;
		assert_false(ledger_mends(&f.l, r, &of));
		fixture_release(&f);
	}
}

/* C077, C088, C115 among them. */
static char title_over[BOUND_TITLE_BYTES + 2];
static char text_over[BOUND_TEXT_BYTES + 2];
static const struct {
	const char *id, *title, *expected, *kind, *role, *access, *approval,
		*depends;
	uint64_t attempts;
	enum pawl_code want;
} bad_nodes[] = {
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "a", 1, DONE },
	{ "a", NULL, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_ID_TAKEN },
	{ "B", NULL, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ID },
	{ "", NULL, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ID },
	{ "../x", NULL, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ID },
	{ "-rf", NULL, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ID },
	{ "b", "", NULL, NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ARGUMENT },
	{ "b", " \t", NULL, NULL, NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", "x\ny", NULL, NULL, NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", "x\x7f", NULL, NULL, NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", "x\xc2\x85", NULL, NULL, NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", "x\xff", NULL, NULL, NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", title_over + 1, NULL, NULL, NULL, NULL, NULL, "", 1, DONE },
	{ "b", title_over, NULL, NULL, NULL, NULL, NULL, "", 1, ERR_LIMIT },
	{ "b", NULL, " ", NULL, NULL, NULL, NULL, "", 1, ERR_INVALID_ARGUMENT },
	{ "b", NULL, text_over + 1, NULL, NULL, NULL, NULL, "", 1, DONE },
	{ "b", NULL, text_over, NULL, NULL, NULL, NULL, "", 1, ERR_LIMIT },
	{ "b", NULL, NULL, "build", NULL, NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, "boss", NULL, NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, "read", NULL, "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, NULL, "yes", "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, NULL, "granted", "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, NULL, "denied", "", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, NULL, "required", "", 1, DONE },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "b", 1, ERR_CYCLE },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "a,c", 1,
		ERR_UNKNOWN_DEPENDENCY },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "a,a", 1,
		ERR_INVALID_ARGUMENT },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "", 0, ERR_LIMIT },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "", BOUND_LEDGER_ATTEMPTS,
		DONE },
	{ "b", NULL, NULL, NULL, NULL, NULL, NULL, "",
		BOUND_LEDGER_ATTEMPTS + 1, ERR_LIMIT },
};

static void
a_node_that_breaks_a_rule_is_not_added(void **state)
{
	(void)state;
	memset(title_over, 't', sizeof(title_over) - 1);
	memset(text_over, 't', sizeof(text_over) - 1);
	for (size_t i = 0; i < sizeof(bad_nodes) / sizeof(bad_nodes[0]); i++) {
		struct event e = added(bad_nodes[i].id);
		struct fixture f;
		enum pawl_code code;

		fixture_init(&f);
		add(&f, "a", "");
		depends(&f, &e, bad_nodes[i].depends);
		e.max_attempts = bad_nodes[i].attempts;
		if (bad_nodes[i].title != NULL)
			e.title = str_from(bad_nodes[i].title);
		if (bad_nodes[i].expected != NULL)
			e.expected_output = str_from(bad_nodes[i].expected);
		if (bad_nodes[i].kind != NULL)
			e.kind = str_from(bad_nodes[i].kind);
		if (bad_nodes[i].role != NULL)
			e.role = str_from(bad_nodes[i].role);
		if (bad_nodes[i].access != NULL)
			e.access = str_from(bad_nodes[i].access);
		if (bad_nodes[i].approval != NULL)
			e.approval = str_from(bad_nodes[i].approval);
		code = propose(&f, ACTOR_COORDINATOR, &e);
		if (code != bad_nodes[i].want)
			fail_msg("row %zu: %s", i,
				code == DONE ? "added" : f.err.msg);
		assert_int_equal(f.l.count, code == DONE ? 2 : 1);
		fixture_release(&f);
	}
}

static void
a_ledger_has_no_more_than_its_bound_of_nodes(void **state)
{
	struct event e = added("n");
	struct fixture f;

	(void)state;
	fixture_init(&f);
	add(&f, "a", "");
	f.l.count = BOUND_LEDGER_NODES; /* nobody looks at them */
	struct command cmd = { .event = e };
	assert_int_equal(ledger_decide(&f.l, &cmd, &f.err), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	f.l.count = 1;
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &e), DONE);
	fixture_release(&f);
}

static void
an_empty_name_is_no_node(void **state)
{
	struct event granted = { .type = EV_APPROVAL_DECIDED };
	struct event mended = { .type = EV_DEPENDENCY_ADDED };
	struct fixture f;

	(void)state;
	EVENT_SET(&granted, F_DECISION, decision, STR("granted"));
	EVENT_SET(&granted, F_ASSURANCE, assurance, STR("local"));
	fixture_init(&f);
	depends(&f, &mended, "a");
	for (int nodes = 0; nodes < 2; nodes++) {
		assert_int_equal(move(&f, "", "RUNNING"), ERR_NODE_NOT_FOUND);
		assert_int_equal(evidence(&f, "", "x"), ERR_NODE_NOT_FOUND);
		assert_int_equal(
			propose(&f, ACTOR_HUMAN, &granted), ERR_NODE_NOT_FOUND);
		assert_int_equal(propose(&f, ACTOR_COORDINATOR, &mended),
			ERR_NODE_NOT_FOUND);
		if (nodes == 0)
			(void)add(&f, "a", "");
	}
	fixture_release(&f);
}

static void
evidence_keeps_its_order_and_its_bounds(void **state)
{
	static char longest[BOUND_LEDGER_REF_BYTES + 2];
	struct fixture f;
	uint32_t a;

	(void)state;
	memset(longest, 'e', sizeof(longest) - 1);
	fixture_init(&f);
	a = add(&f, "a", "");
	assert_int_equal(evidence(&f, "nobody", "x"), ERR_NODE_NOT_FOUND);
	assert_int_equal(evidence(&f, "a", " "), ERR_INVALID_ARGUMENT);
	assert_int_equal(evidence(&f, "a", "a\x1b[31m"), ERR_INVALID_ARGUMENT);
	assert_int_equal(evidence(&f, "a", longest), ERR_LIMIT);
	assert_int_equal(evidence(&f, "a", longest + 1), DONE);
	for (uint32_t i = 1; i < BOUND_LEDGER_EVIDENCE; i++) {
		struct str text = arena_format(&f.mem, "number %u", i);

		assert_int_equal(evidence(&f, "a", text.ptr), DONE);
	}
	assert_int_equal(evidence(&f, "a", "one more"), ERR_LIMIT);
	assert_int_equal(f.l.nodes[a].evidence_count, BOUND_LEDGER_EVIDENCE);
	for (uint32_t i = 1; i < BOUND_LEDGER_EVIDENCE; i++)
		assert_true(str_eq(f.l.nodes[a].evidence[i],
			arena_format(&f.mem, "number %u", i)));
	fixture_release(&f);
}

static void
a_full_history_takes_no_further_step(void **state)
{
	struct fixture f;
	uint32_t a;

	(void)state;
	fixture_init(&f);
	a = add(&f, "a", "");
	f.l.nodes[a].max_attempts = BOUND_LEDGER_ATTEMPTS;
	f.l.nodes[a].history =
		arena_array(&f.l.mem, BOUND_LEDGER_HISTORY, uint8_t);
	f.l.nodes[a].history_count = BOUND_LEDGER_HISTORY - 3;
	assert_int_equal(move(&f, "a", "RUNNING"), DONE);
	assert_int_equal(move(&f, "a", "BLOCKED"), ERR_LIMIT);
	fixture_release(&f);
}

/* C088: what others call it is told with the whole list. */
static void
other_words_for_a_status_are_refused(void **state)
{
	static const char *const words[] = { "done", "completed", "closed",
		"kept", "verified", "passed", "Passed", "success", "pending",
		"in_progress", "" };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	add(&f, "a", "");
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		assert_int_equal(move(&f, "a", words[i]), ERR_INVALID_ARGUMENT);
		assert_non_null(strstr(f.err.msg,
			"PENDING, READY, RUNNING, PASSED, FAILED, BLOCKED, "
			"NEEDS_APPROVAL, SKIPPED"));
	}
	assert_int_equal(move(&f, "a", "passed"), ERR_INVALID_ARGUMENT);
	assert_string_equal(f.err.hint, "'PASSED'?");
	fixture_release(&f);
}

static void
a_run_closes_as_what_it_is(void **state)
{
	static const struct {
		const char *outcome;
		bool complete;
		enum pawl_code want;
	} rows[] = { { "pass", true, DONE },
		{ "pass", false, ERR_STEP_NOT_ALLOWED },
		{ "partial", true, ERR_STEP_NOT_ALLOWED },
		{ "partial", false, DONE }, { "blocked", false, DONE },
		{ "failed", false, DONE },
		{ "great", false, ERR_INVALID_ARGUMENT },
		{ "", false, ERR_INVALID_ARGUMENT } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct event e = { .type = EV_RUN_CLOSED };
		struct fixture f;

		fixture_init(&f);
		add(&f, "a", "");
		f.l.nodes[0].evidence_required = false;
		assert_int_equal(move(&f, "a", "RUNNING"), DONE);
		if (rows[i].complete)
			assert_int_equal(move(&f, "a", "PASSED"), DONE);
		EVENT_SET(&e, F_OUTCOME, outcome, str_from(rows[i].outcome));
		assert_int_equal(
			propose(&f, ACTOR_COORDINATOR, &e), rows[i].want);
		fixture_release(&f);
	}
}

static void
a_ledger_starts_once(void **state)
{
	struct event e = { .type = EV_LEDGER_STARTED };
	struct fixture f;

	(void)state;
	fixture_init(&f);
	f.l.run_id = (struct str){ 0 };
	EVENT_SET(&e, F_RUN, run, STR("../x"));
	EVENT_SET(&e, F_TASK, task, STR("Audit"));
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &e), ERR_INVALID_ID);
	e.run = STR("r-1");
	e.task = STR(" ");
	assert_int_equal(
		propose(&f, ACTOR_COORDINATOR, &e), ERR_INVALID_ARGUMENT);
	e.task = STR("Audit");
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &e), DONE);
	assert_true(str_eq(f.l.task, STR("Audit")));
	assert_int_equal(f.l.status, RUN_PLANNING);
	assert_int_equal(propose(&f, ACTOR_COORDINATOR, &e), ERR_ID_TAKEN);
	fixture_release(&f);
}

/* A journal that no pawl wrote is an error with a reason. */
static void
impossible_events_do_not_fold(void **state)
{
	struct str one = STR("a"), none = STR("zz");
	struct events rows = { 0 };
	struct event last = added("d");

	(void)state;
#define ROW(kind, ...) \
	events_push(&rows, (struct event){ .type = (kind), __VA_ARGS__ })
	ROW(EV_ATTEMPT_STARTED, .node = STR("a"));
	ROW(EV_NODE_MOVED, .node = STR("zz"), .status = STR("RUNNING"));
	ROW(EV_NODE_MOVED, .node = STR("a"), .status = STR("done"));
	ROW(EV_NODE_MOVED, .node = STR("a"), .status = STR("PASSED"));
	ROW(EV_NODE_MOVED, .node = STR("b"), .status = STR("READY"));
	ROW(EV_NODE_MOVED, .node = STR("b"), .status = STR("RUNNING"));
	ROW(EV_NODE_MOVED, .node = STR("c"), .status = STR("PENDING"));
	ROW(EV_APPROVAL_DECIDED, .node = STR("a"), .decision = STR("granted"));
	ROW(EV_APPROVAL_DECIDED, .node = STR("c"), .decision = STR("maybe"));
	ROW(EV_DEPENDENCY_ADDED, .node = STR("a"), .depends_on = { &one, 1 });
	ROW(EV_LEDGER_STARTED, .run = STR("r-2"));
	ROW(EV_NODE_ADDED, .node = STR("d"), .depends_on = { &none, 1 });
	ROW(EV_NODE_ADDED, .node = STR("d"), .kind = STR("x"));
#undef ROW
	events_push(&rows, added("a"));
	last.max_attempts = 0;
	events_push(&rows, last);
	for (size_t i = 0; i < rows.count; i++) {
		struct event gate = added("c");
		struct fixture f;

		fixture_init(&f);
		add(&f, "a", "");
		add(&f, "b", "a");
		gate.approval = STR("required");
		assert_int_equal(propose(&f, ACTOR_COORDINATOR, &gate), DONE);
		if (ledger_apply(&f.l, &f.line, &rows.items[i], &f.err) !=
			PAWL_ECORRUPT)
			fail_msg("row %zu was folded", i);
		assert_non_null(strstr(f.err.msg, "line 1: event '"));
		fixture_release(&f);
	}
	events_release(&rows);
}

/*
 * What follows is derived when an event names the node or at the end: a fold
 * that settles after each event and one that settles once agree.
 */
static void
it_makes_no_difference_when_the_rest_is_derived(void **state)
{
	static const char *const ids[] = { "a", "b", "c", "d" };
	struct fixture eager, lazy;

	(void)state;
	fixture_init(&eager);
	fixture_init(&lazy);
	for (size_t i = 0; i < 4; i++) {
		struct event e = added(ids[i]);

		e.evidence_required = false;
		depends(&eager, &e, i > 0 ? ids[i - 1] : "");
		assert_int_equal(propose(&eager, ACTOR_COORDINATOR, &e), DONE);
		assert_int_equal(
			ledger_apply(&lazy.l, &lazy.line, &e, &lazy.err),
			PAWL_OK);
	}
	for (size_t i = 0; i < 3; i++) {
		static const char *const walk[] = { "RUNNING", "PASSED" };

		for (size_t k = 0; k < 2; k++) {
			struct event e = { .type = EV_NODE_MOVED,
				.node = str_from(ids[i]) };

			EVENT_SET(&e, F_STATUS, status, str_from(walk[k]));
			assert_int_equal(
				propose(&eager, ACTOR_COORDINATOR, &e), DONE);
			assert_int_equal(ledger_apply(&lazy.l, &lazy.line, &e,
						 &lazy.err),
				PAWL_OK);
		}
	}
	assert_int_equal(lazy.l.nodes[3].status, NODE_PENDING);
	ledger_settle(&lazy.l);
	for (int i = 0; i < 2; i++) {
		struct buf out[2] = { 0 };
		struct json_writer w = { .out = &out[0] };

		ledger_write(&eager.l, &w);
		w = (struct json_writer){ .out = &out[1] };
		ledger_write(&lazy.l, &w);
		assert_string_equal(out[0].data, out[1].data);
		buf_release(&out[0]);
		buf_release(&out[1]);
	}
	fixture_release(&eager);
	fixture_release(&lazy);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_human_with_a_reason_walks_the_rows_and_nothing_else),
		cmocka_unit_test(
			a_step_without_its_reason_or_its_human_is_refused),
		cmocka_unit_test(ready_follows_what_it_depends_on),
		cmocka_unit_test(attempts_end_at_their_bound),
		cmocka_unit_test(approval_stands_before_the_work),
		cmocka_unit_test(a_grant_in_mid_work_gives_one_more_attempt),
		cmocka_unit_test(a_failed_node_runs_again_behind_its_repair),
		cmocka_unit_test(a_node_gains_no_repair_that_waits_for_it),
		cmocka_unit_test(dependencies_have_their_bound),
		cmocka_unit_test(a_repair_is_known_by_its_id),
		cmocka_unit_test(a_node_that_breaks_a_rule_is_not_added),
		cmocka_unit_test(a_ledger_has_no_more_than_its_bound_of_nodes),
		cmocka_unit_test(an_empty_name_is_no_node),
		cmocka_unit_test(evidence_keeps_its_order_and_its_bounds),
		cmocka_unit_test(a_full_history_takes_no_further_step),
		cmocka_unit_test(other_words_for_a_status_are_refused),
		cmocka_unit_test(a_run_closes_as_what_it_is),
		cmocka_unit_test(a_ledger_starts_once),
		cmocka_unit_test(impossible_events_do_not_fold),
		cmocka_unit_test(
			it_makes_no_difference_when_the_rest_is_derived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
