/*
 * The fold: each step of design 3.3 that exists, and that everything else is
 * an error and never a wild index.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/apply.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A" },
	{ .id = "B", .depends = "A" },
	{ .id = "G", .more = "Approval: required" },
	{ .id = "H", .depends = "A", .more = "Approval: required" },
	{ .id = "R", .mode = "read" },
	{ .id = "D", .more = "Red: true" },
	{ .id = "T", .ticked = true },
	{ .id = "U", .depends = "T" },
};

enum { STEPS_MAX = 16 };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* NULL: the usual one */
};

static void
steps_do(struct run_fixture *f, const struct step *steps)
{
	fixture_init_of(f, rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < STEPS_MAX && steps[i].subject != NULL; i++) {
		if (steps[i].word != NULL)
			fixture_step_word(f, steps[i].type, steps[i].subject,
				steps[i].word);
		else
			fixture_step(f, steps[i].type, steps[i].subject);
	}
}

#define RESERVE(a)                           \
	{                                    \
		a, EV_ATTEMPT_RESERVED, NULL \
	}
#define START(a)                            \
	RESERVE(a),                         \
	{                                   \
		a, EV_ATTEMPT_STARTED, NULL \
	}
#define REPORT(a)                            \
	START(a),                            \
	{                                    \
		a, EV_ATTEMPT_REPORTED, NULL \
	}
#define CHECK(a, verdict)                     \
	{ a, EV_CHECK_STARTED, NULL },        \
	{                                     \
		a, EV_CHECK_RECORDED, verdict \
	}
#define RED(a, verdict)                       \
	{ a, EV_CHECK_STARTED, "red" },       \
	{                                     \
		a, EV_CHECK_RECORDED, verdict \
	}
#define PASS(a)                                                  \
	REPORT(a), CHECK(a, "pass"), { a, EV_INTEGRATED, NULL }, \
	{                                                        \
		a, EV_NODE_GRADED, "pass"                        \
	}
#define LOSE(a)                                     \
	START(a), { a, EV_ATTEMPT_LOST, "exit 9" }, \
	{                                           \
		a, EV_WORKSPACE_RECONCILED, NULL    \
	}

struct walk {
	const char *node;
	const char *history; /* first letters; D is NEEDS_APPROVAL */
	struct step steps[STEPS_MAX];
};

/* PENDING, READY, running, PASSED, FAILED, BLOCKED, NEEDS_APPROVAL, SKIPPED. */
static const char letters[] = "Pr>+-#?s";

static const struct walk walks[] = {
	{ "A", "Pr", { { 0 } } },
	{ "B", "P", { { 0 } } },
	{ "G", "P?", { { 0 } } },
	{ "H", "P", { { 0 } } },
	{ "B", "Pr", { PASS("A@1") } },
	{ "H", "P?", { PASS("A@1") } },
	{ "A", "Pr", { RESERVE("A@1") } },
	{ "A", "Pr>", { START("A@1") } },
	{ "A", "Pr>+", { PASS("A@1") } },
	{ "A", "Pr>r",
		{ REPORT("A@1"), CHECK("A@1", "fail"),
			{ "A@1", EV_ATTEMPT_REJECTED, NULL } } },
	{ "A", "Pr>r>+",
		{ REPORT("A@1"), CHECK("A@1", "fail"),
			{ "A@1", EV_ATTEMPT_REJECTED, NULL }, PASS("A@2") } },
	{ "A", "Pr>-",
		{ REPORT("A@1"), CHECK("A@1", "fail"),
			{ "A@1", EV_NODE_GRADED, "fail" } } },
	{ "A", "Pr>r", { LOSE("A@1") } },
	{ "A", "Pr>r>r", { LOSE("A@1"), LOSE("A@2") } },
	{ "A", "Pr>r>r>-", { LOSE("A@1"), LOSE("A@2"), LOSE("A@3") } },
	{ "A", "Pr>#",
		{ REPORT("A@1"), CHECK("A@1", "pass"),
			{ "A@1", EV_INTEGRATION_FAILED, NULL } } },
	{ "A", "Pr>#",
		{ REPORT("A@1"), { "A@1", EV_NODE_GRADED, "blocked" } } },
	{ "A", "Pr>",
		{ REPORT("A@1"), { "A@1", EV_NODE_GRADED, "unobserved" } } },
	{ "A", "Pr>#",
		{ REPORT("A@1"), { "A@1", EV_NODE_GRADED, "unobserved" },
			{ "A", EV_NODE_BLOCKED, "environment" } } },
	{ "T", "Pr>+", { { "T@1", EV_NODE_IMPORTED, NULL } } },
	{ "U", "Pr", { { "T@1", EV_NODE_IMPORTED, NULL } } },
	{ "T", "Pr>r>+", { LOSE("T@1"), { "T@2", EV_NODE_IMPORTED, NULL } } },
	{ "D", "Pr>+",
		{ REPORT("D@1"), RED("D@1", "fail"), CHECK("D@1", "pass"),
			{ "D@1", EV_INTEGRATED, NULL },
			{ "D@1", EV_NODE_GRADED, "pass" } } },
	{ "D", "Pr>#",
		{ REPORT("D@1"), RED("D@1", "pass"),
			{ "D@1", EV_NODE_GRADED, "blocked" } } },
	{ "A", "Pr#", { { "A", EV_NODE_BLOCKED, "environment" } } },
	{ "B", "P#", { { "B", EV_NODE_BLOCKED, "environment" } } },
	{ "B", "P#P",
		{ { "B", EV_NODE_BLOCKED, "environment" },
			{ "B", EV_NODE_UNBLOCKED, NULL } } },
	{ "B", "P#", { { "B", EV_NODE_BLOCKED, "x" }, PASS("A@1") } },
	{ "B", "P#Pr",
		{ { "B", EV_NODE_BLOCKED, "x" }, PASS("A@1"),
			{ "B", EV_NODE_UNBLOCKED, NULL } } },
	{ "A", "Pr#",
		{ RESERVE("A@1"), { "A@1", EV_ATTEMPT_START_FAILED, "x" },
			RESERVE("A@2"), { "A@2", EV_ATTEMPT_START_FAILED, "x" },
			RESERVE("A@3"),
			{ "A@3", EV_ATTEMPT_START_FAILED, "x" } } },
	{ "A", "Pr#Pr",
		{ { "A", EV_NODE_BLOCKED, "x" },
			{ "A", EV_NODE_UNBLOCKED, NULL } } },
	{ "G", "P?Pr", { { "G", EV_GATE_DECIDED, "granted" } } },
	{ "G", "P?#", { { "G", EV_GATE_DECIDED, "denied" } } },
	{ "G", "P?#P?",
		{ { "G", EV_GATE_DECIDED, "denied" },
			{ "G", EV_NODE_UNBLOCKED, NULL } } },
	{ "G", "P?Pr#Pr",
		{ { "G", EV_GATE_DECIDED, "granted" },
			{ "G", EV_NODE_BLOCKED, "x" },
			{ "G", EV_NODE_UNBLOCKED, NULL } } },
};

static void
each_step_of_the_status_table_is_walked(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(walks) / sizeof(walks[0]); i++) {
		struct run_fixture f;
		char text[64] = { 0 };
		const uint8_t *h;
		uint32_t count;

		steps_do(&f, walks[i].steps);
		h = state_history(
			&f.s, fixture_node(&f, walks[i].node), &f.mem, &count);
		for (uint32_t k = 0; k < count; k++)
			text[k] = letters[h[k]];
		assert_string_equal(text, walks[i].history);
		fixture_release(&f);
	}
}

typedef void twist_fn(struct command *cmd, struct line_facts *line);

static void
no_twist(struct command *cmd, struct line_facts *line)
{
	(void)cmd;
	(void)line;
}

static void
gen_rises(struct command *cmd, struct line_facts *line)
{
	(void)cmd;
	line->gen++;
}

static void
gen_falls(struct command *cmd, struct line_facts *line)
{
	(void)cmd;
	line->gen--;
}

static void
seq_falls(struct command *cmd, struct line_facts *line)
{
	(void)cmd;
	line->seq = 1;
}

static void
other_check(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.check = STR("A@1#2");
}

static void
other_gate(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.gate = STR("G!2");
}

static void
gate_without_number(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.gate = STR("G!");
}

static void
other_cleanup(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.cleanup = STR("c7");
}

static void
first_cleanup(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.cleanup = STR("c1");
}

static void
other_node(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.node = STR("B");
}

static void
unknown_node(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.node = STR("a");
}

static void
no_outcome(struct command *cmd, struct line_facts *line)
{
	(void)line;
	cmd->event.outcome = STR("");
}

struct wrong {
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	const char *why; /* part of the message */
};

#define CLOSED                                                        \
	{ "A", EV_NODE_BLOCKED, "x" }, { "R", EV_NODE_BLOCKED, "x" }, \
		{ "G", EV_GATE_DECIDED, "denied" },                   \
	{                                                             \
		"", EV_RUN_CLOSED, "blocked"                          \
	}

static const struct wrong wrongs[] = {
	{ { { 0 } }, { "", EV_RUN_STARTED, NULL }, no_twist, "starts once" },
	{ { { 0 } }, { "", EV_JOURNAL_REPAIRED, NULL }, gen_rises,
		"can't raise" },
	{ { { 0 } }, { "", EV_JOURNAL_REPAIRED, NULL }, gen_falls, "fell" },
	{ { RESERVE("A@1") }, { "", EV_JOURNAL_REPAIRED, NULL }, seq_falls,
		"fell" },
	{ { { 0 } }, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, gen_rises,
		"by one" },
	{ { { 0 } }, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, gen_falls,
		"by one" },
	{ { { 0 } }, { "A@1", EV_ATTEMPT_RESERVED, NULL }, unknown_node,
		"no such node" },
	{ { { 0 } }, { "A@2", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"out of order" },
	{ { { 0 } }, { "A@01", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"out of order" },
	{ { { 0 } }, { "A@1", EV_ATTEMPT_RESERVED, NULL }, other_node,
		"isn't READY" },
	{ { { 0 } }, { "B@1", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"isn't READY" },
	{ { { 0 } }, { "G@1", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"isn't READY" },
	{ { RESERVE("A@1") }, { "A@2", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"isn't READY" },
	{ { PASS("A@1") }, { "A@2", EV_ATTEMPT_RESERVED, NULL }, no_twist,
		"isn't READY" },
	{ { { 0 } }, { "A@1", EV_ATTEMPT_STARTED, NULL }, no_twist,
		"no such attempt" },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_STARTED, NULL }, other_node,
		"another node" },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_STARTED, NULL }, no_twist,
		"isn't reserved" },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_START_FAILED, NULL }, no_twist,
		"isn't reserved" },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_REPORTED, NULL }, no_twist,
		"isn't started" },
	{ { REPORT("A@1") }, { "A@1", EV_ATTEMPT_REPORTED, NULL }, no_twist,
		"isn't started" },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_LOST, NULL }, no_twist,
		"isn't running" },
	{ { PASS("A@1") }, { "A@1", EV_ATTEMPT_INTERRUPTED, NULL }, no_twist,
		"isn't running" },
	/* C036: a late word of an attempt that is over changes nothing */
	{ { LOSE("A@1"), PASS("A@2") }, { "A@1", EV_ATTEMPT_REPORTED, NULL },
		no_twist, "isn't the node's last" },
	{ { START("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, no_twist,
		"hasn't reported" },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_STARTED, NULL }, no_twist, "runs already" },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, other_check,
		"out of order" },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_RECORDED, NULL }, no_twist,
		"no check" },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_RECORDED, NULL }, other_check,
		"another check" },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_RECORDED, "perhaps" }, no_twist,
		"no verdict" },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_CHECK_RECORDED, NULL }, no_twist,
		"recorded already" },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_INTEGRATED, NULL }, no_twist, "hasn't passed" },
	{ { START("A@1") }, { "A@1", EV_INTEGRATION_FAILED, NULL }, no_twist,
		"hasn't reported" },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_REJECTED, NULL }, no_twist,
		"hasn't reported" },
	{ { REPORT("A@1"), CHECK("A@1", "fail"),
		  { "A@1", EV_ATTEMPT_REJECTED, NULL }, REPORT("A@2"),
		  CHECK("A@2", "fail") },
		{ "A@2", EV_ATTEMPT_REJECTED, NULL }, no_twist, "no repair" },
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "pass" }, no_twist,
		"no passing check" },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_NODE_GRADED, "pass" }, no_twist,
		"no passing check" },
	{ { REPORT("A@1"), CHECK("A@1", "pass") },
		{ "A@1", EV_NODE_GRADED, "pass" }, no_twist,
		"isn't integrated" },
	{ { REPORT("A@1"), CHECK("A@1", "pass"),
		  { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_NODE_GRADED, "pass" }, no_twist,
		"no passing check" },
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "good" }, no_twist,
		"no grade" },
	{ { REPORT("D@1") }, { "D@1", EV_CHECK_STARTED, NULL }, no_twist,
		"on the base comes before" },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_STARTED, "red" }, no_twist,
		"on the base comes before" },
	{ { REPORT("D@1"), { "D@1", EV_CHECK_STARTED, "red" } },
		{ "D@1", EV_CHECK_STARTED, "red" }, no_twist, "runs already" },
	{ { REPORT("D@1"), RED("D@1", "pass") },
		{ "D@1", EV_CHECK_STARTED, NULL }, no_twist,
		"refused already" },
	{ { REPORT("D@1"), RED("D@1", "fail") },
		{ "D@1", EV_CHECK_RECORDED, NULL }, no_twist,
		"recorded already" },
	{ { START("T@1") }, { "T@2", EV_NODE_IMPORTED, NULL }, no_twist,
		"isn't READY" },
	{ { { "T@1", EV_NODE_IMPORTED, NULL } },
		{ "T@2", EV_NODE_IMPORTED, NULL }, no_twist, "isn't READY" },
	{ { { 0 } }, { "T@2", EV_NODE_IMPORTED, NULL }, no_twist,
		"out of order" },
	{ { RESERVE("A@1") }, { "A@1", EV_NODE_GRADED, "fail" }, no_twist,
		"isn't running" },
	{ { START("A@1") }, { "A@1", EV_WORKSPACE_RECONCILED, NULL }, no_twist,
		"isn't in question" },
	{ { LOSE("A@1") }, { "A@1", EV_WORKSPACE_RECONCILED, NULL }, no_twist,
		"isn't in question" },
	{ { START("A@1") }, { "A", EV_NODE_BLOCKED, "x" }, no_twist,
		"is running" },
	{ { PASS("A@1") }, { "A", EV_NODE_BLOCKED, "x" }, no_twist,
		"doesn't allow" },
	{ { { 0 } }, { "A", EV_NODE_UNBLOCKED, NULL }, no_twist,
		"doesn't allow" },
	{ { { 0 } }, { "A", EV_GATE_DECIDED, "granted" }, no_twist,
		"no such gate" },
	{ { { 0 } }, { "G", EV_GATE_DECIDED, "granted" }, other_gate,
		"no such gate" },
	{ { { 0 } }, { "G", EV_GATE_DECIDED, "granted" }, gate_without_number,
		"no such gate" },
	{ { { 0 } }, { "G", EV_GATE_DECIDED, "granted" }, other_node,
		"no such gate" },
	{ { { 0 } }, { "G", EV_GATE_DECIDED, "perhaps" }, no_twist,
		"no decision" },
	/* C094 */
	{ { { "G", EV_GATE_DECIDED, "granted" } },
		{ "G", EV_GATE_DECIDED, "denied" }, no_twist, "isn't open" },
	{ { { 0 } }, { "G", EV_GATE_OPENED, NULL }, no_twist, "out of order" },
	{ { { 0 } }, { "G", EV_GATE_OPENED, NULL }, other_gate,
		"doesn't allow" },
	{ { { 0 } }, { "B", EV_GATE_OPENED, NULL }, no_twist,
		"can't open a gate" },
	{ { START("A@1") }, { "A", EV_GATE_OPENED, NULL }, no_twist,
		"can't open a gate" },
	{ { RESERVE("A@1") }, { "A@1", EV_CLEANUP_REGISTERED, NULL },
		other_cleanup, "out of order" },
	{ { RESERVE("A@1"), { "A@1", EV_CLEANUP_REGISTERED, NULL } },
		{ "A@1", EV_CLEANUP_REGISTERED, NULL }, first_cleanup,
		"registered already" },
	{ { RESERVE("A@1") }, { "A@1", EV_CLEANUP_SETTLED, NULL },
		other_cleanup, "no such cleanup" },
	{ { RESERVE("A@1"), { "A@1", EV_CLEANUP_REGISTERED, NULL },
		  { "A@1", EV_CLEANUP_SETTLED, "verified" } },
		{ "A@1", EV_CLEANUP_SETTLED, "failed" }, first_cleanup,
		"settled already" },
	{ { RESERVE("A@1"), { "A@1", EV_CLEANUP_REGISTERED, NULL },
		  RESERVE("R@1") },
		{ "R@1", EV_CLEANUP_SETTLED, "verified" }, first_cleanup,
		"another attempt" },
	{ { LOSE("A@1") }, { "A@1", EV_SCOPE_VIOLATED, NULL }, no_twist,
		"isn't running" },
	{ { REPORT("A@1") }, { "A@1", EV_SCOPE_VIOLATED, "ugly" }, no_twist,
		"its reason is unknown" },
	{ { RESERVE("A@1") }, { "A@1", EV_SCOPE_VIOLATED, NULL }, no_twist,
		"isn't running" },
	{ { { 0 } }, { "", EV_RUN_CLOSED, "failed" }, no_outcome,
		"outcome is empty" },
	{ { CLOSED }, { "", EV_RUN_CLOSED, "failed" }, no_twist, "is closed" },
	{ { CLOSED }, { "A", EV_NODE_UNBLOCKED, NULL }, no_twist, "is closed" },
};

static void
what_no_version_wrote_is_corrupt(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(wrongs) / sizeof(wrongs[0]); i++) {
		const struct wrong *w = &wrongs[i];
		struct pawl_err err = { 0 };
		struct line_facts line;
		struct run_fixture f;
		struct command cmd;

		steps_do(&f, w->steps);
		cmd = fixture_command_word(
			&f, w->last.type, w->last.subject, w->last.word);
		line = (struct line_facts){ f.s.seq + 1, cmd.gen,
			STR("2026-11-30T12:00:00.000000Z"), STR("x") };
		w->twist(&cmd, &line);
		if (apply(&f.s, &line, &cmd.event, &err) == PAWL_OK)
			fail_msg("row %zu, '%s', was folded", i, w->why);
		if (strstr(err.msg, w->why) == NULL)
			fail_msg("row %zu: '%s' doesn't say '%s'", i, err.msg,
				w->why);
		assert_int_equal(err.code, ERR_CORRUPT);
		fixture_release(&f);
	}
}

static void
nothing_comes_before_the_start(void **state)
{
	struct run_fixture f;

	(void)state;
	for (size_t t = EV_RUN_STARTED + 1; t < EVENT_TYPE_COUNT; t++) {
		struct pawl_err err = { 0 };
		struct line_facts line = { .seq = 1, .gen = 1 };
		struct event e = { .type = (enum event_type)t };

		fixture_init_planned(&f, rows, 5);
		assert_int_equal(apply(&f.s, &line, &e, &err), PAWL_ECORRUPT);
		fixture_release(&f);
	}
	fixture_init_planned(&f, rows, 5);
	assert_int_equal(state_run_status(&f.s), RUN_PLANNING);
	fixture_release(&f);
}

static void
a_task_run_folds_no_events_of_a_ledger(void **state)
{
	struct run_fixture f;

	(void)state;
	for (size_t t = EVENT_TASK_TYPES; t < EVENT_TYPE_COUNT; t++) {
		struct pawl_err err = { 0 };
		struct line_facts line = { .seq = 2, .gen = 1 };
		struct event e = { .type = (enum event_type)t };

		steps_do(&f, (const struct step[STEPS_MAX]){ { 0 } });
		line.seq = f.s.seq + 1;
		assert_int_equal(apply(&f.s, &line, &e, &err), PAWL_ECORRUPT);
		assert_non_null(strstr(err.msg, "only a ledger run"));
		fixture_release(&f);
	}
}

/* The message of a BLOCKED node was dropped by the fold. */
static void
a_blocked_node_knows_what_it_wants(void **state)
{
	struct run_fixture f;

	(void)state;
	steps_do(&f,
		(const struct step[STEPS_MAX]){
			{ "A", EV_NODE_BLOCKED, "the licence server" } });
	assert_int_equal(f.s.nodes[0].block, BLOCK_PREREQUISITE);
	assert_true(str_eq(state_block_message(&f.s, 0), STR("so it was")));
	fixture_step(&f, EV_NODE_UNBLOCKED, "A");
	assert_int_equal(state_block_message(&f.s, 0).len, 0);
	fixture_release(&f);
}

/* C107: start failures leave the repair allowance alone. */
static void
ends_without_a_verdict_use_no_repair(void **state)
{
	struct run_fixture f;

	(void)state;
	steps_do(&f,
		(const struct step[STEPS_MAX]){ LOSE("A@1"), RESERVE("A@2"),
			{ "A@2", EV_ATTEMPT_START_FAILED, "disk full" },
			REPORT("A@3"), CHECK("A@3", "fail") });
	fixture_step(&f, EV_ATTEMPT_REJECTED, "A@3");
	assert_int_equal(f.s.nodes[0].status, NODE_READY);
	assert_int_equal(f.s.nodes[0].rejects, 1);
	fixture_pass(&f, "A");
	assert_int_equal(f.s.nodes[0].status, NODE_PASSED);
	fixture_release(&f);
}

/* What the coordinator ends itself is no fault of node or surroundings. */
static void
a_coordinator_that_stops_counts_against_no_bound(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	for (uint32_t i = 1; i <= 20; i++) {
		const char *a =
			arena_strdup(&f.mem, arena_format(&f.mem, "R@%u", i));

		fixture_until(&f, "R", ATTEMPT_STARTED);
		fixture_step_word(
			&f, EV_ATTEMPT_INTERRUPTED, a, "coordinator_stopped");
		fixture_step(&f, EV_WORKSPACE_RECONCILED, a);
	}
	assert_int_equal(f.s.nodes[fixture_node(&f, "R")].status, NODE_READY);
	assert_false(is_breaker_open(&f.s));
	fixture_release(&f);
}

/* C105 */
static void
the_same_cause_over_several_nodes_opens_the_breaker(void **state)
{
	struct run_fixture f;

	(void)state;
	steps_do(&f,
		(const struct step[STEPS_MAX]){ RESERVE("A@1"),
			{ "A@1", EV_ATTEMPT_START_FAILED, "401" },
			RESERVE("A@2"),
			{ "A@2", EV_ATTEMPT_START_FAILED, "401" } });
	assert_false(is_breaker_open(&f.s));
	fixture_until(&f, "R", ATTEMPT_RESERVED);
	fixture_step_word(&f, EV_ATTEMPT_START_FAILED, "R@1", "401");
	assert_true(is_breaker_open(&f.s));
	assert_false(is_breaker_tripped(&f.s));
	fixture_until(&f, "R", ATTEMPT_REPORTED);
	assert_false(is_breaker_open(&f.s)); /* a report closes it */
	fixture_release(&f);
}

static void
a_closed_run_says_how_it_ended(void **state)
{
	struct run_fixture f;

	(void)state;
	/* R is READY: nothing may start, so it isn't RUNNING */
	fixture_init_of(&f, rows, 5);
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	assert_true(is_run_closed(&f.s));
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_step_of_the_status_table_is_walked),
		cmocka_unit_test(what_no_version_wrote_is_corrupt),
		cmocka_unit_test(nothing_comes_before_the_start),
		cmocka_unit_test(a_task_run_folds_no_events_of_a_ledger),
		cmocka_unit_test(a_blocked_node_knows_what_it_wants),
		cmocka_unit_test(ends_without_a_verdict_use_no_repair),
		cmocka_unit_test(
			a_coordinator_that_stops_counts_against_no_bound),
		cmocka_unit_test(
			the_same_cause_over_several_nodes_opens_the_breaker),
		cmocka_unit_test(a_closed_run_says_how_it_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
