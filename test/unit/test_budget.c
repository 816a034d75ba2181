/*
 * Budgets: lines and units; what is used; what a hard limit holds back, and
 * what an amended decision lets go on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/budget_use.h"
#include "model/decide.h"
#include "model/explain.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "a" },
	{ .id = "B", .paths = "b" },
	{ .id = "C", .depends = "A", .paths = "c" },
	{ .id = "R", .paths = "docs", .mode = "read" },
};

static void
lines_are_read_as_they_are_written(void **state)
{
	static const struct {
		const char *line;
		uint64_t amount; /* UINT64_MAX: it is none */
	} cases[] = {
		{ "hard attempts 6 attempts", 6 },
		{ "advisory workers 2 slots", 2 },
		{ "hard workers 2 workers", 2 },
		{ "hard wall_time 90 ms", 90 },
		{ "hard wall_time 90 seconds", 90L * 1000 },
		{ "hard wall_time 90 minutes", 90L * 60 * 1000 },
		{ "hard wall_time 2 hours", 2L * 3600 * 1000 },
		{ "advisory tokens 5 k", 5 },
		{ "hard attempts 0 attempts", 0 },
		{ "hard attempts 6 hours", UINT64_MAX },
		{ "hard wall_time 6 attempts", UINT64_MAX },
		{ "hard wall_time 6 days", UINT64_MAX },
		{ "soft attempts 6 attempts", UINT64_MAX },
		{ "hard sweat 6 litres", UINT64_MAX },
		{ "hard attempts -6 attempts", UINT64_MAX },
		{ "hard attempts x attempts", UINT64_MAX },
		{ "hard attempts 9223372036854775808 attempts", UINT64_MAX },
		{ "hard attempts 6", UINT64_MAX },
		{ "hard tokens 6 ", UINT64_MAX },
		{ "", UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct budget_limit limit;
		bool good = budget_limit_read(str_from(cases[i].line), &limit);

		if (good != (cases[i].amount != UINT64_MAX))
			fail_msg("'%s'", cases[i].line);
		if (good &&
			(limit.amount != cases[i].amount ||
				!str_eq(budget_line(&limit, &mem),
					str_from(cases[i].line))))
			fail_msg("'%s'", cases[i].line);
		arena_reset(&mem);
	}
}

/* More hours than milliseconds have room for are as many as there is. */
static void
a_limit_beyond_all_time_is_none(void **state)
{
	struct budget_limit limit;

	(void)state;
	assert_true(budget_limit_read(
		STR("hard wall_time 9223372036854775807 hours"), &limit));
	assert_true(limit.amount == UINT64_MAX);
}

static void
there_are_no_more_limits_than_kinds(void **state)
{
	struct str lines[BUDGET_LIMITS_MAX + 1];
	struct budget b = { .count = 0 };

	(void)state;
	for (size_t i = 0; i <= BUDGET_LIMITS_MAX; i++)
		lines[i] = STR("hard attempts 1 attempts");
	assert_true(budget_limits_read(lines, BUDGET_LIMITS_MAX, &b));
	assert_int_equal(b.count, BUDGET_LIMITS_MAX);
	assert_false(budget_limits_read(lines, BUDGET_LIMITS_MAX + 1, &b));
}

struct scenario {
	const char *what;
	const char *budget;   /* of an amendment before; NULL: none */
	const char *reserved; /* attempts reserved then; by spaces */
	const char *at;       /* time of the last command; NULL: of its line */
	const char *last;     /* attempt to reserve */
	enum pawl_code code;  /* PAWL_CODE_COUNT: it is decided */
};

#define YES PAWL_CODE_COUNT

/* Commit n is at second n after 11:00:00; the amendment is line 2. */
static const struct scenario scenarios[] = {
	{ "no budget", NULL, "A@1", NULL, "B@1", YES },
	{ "below the limit of attempts", "hard attempts 3 attempts", "A@1 B@1",
		NULL, "R@1", YES },
	{ "at the limit of attempts", "hard attempts 2 attempts", "A@1 B@1",
		NULL, "R@1", ERR_BUDGET_EXHAUSTED },
	{ "above it", "hard attempts 1 attempts", "A@1", NULL, "B@1",
		ERR_BUDGET_EXHAUSTED },
	{ "none at all", "hard attempts 0 attempts", "", NULL, "A@1",
		ERR_BUDGET_EXHAUSTED },
	{ "advisory holds nothing", "advisory attempts 1 attempts", "A@1 B@1",
		NULL, "R@1", YES },
	{ "below the limit of workers", "hard workers 2 slots", "A@1", NULL,
		"B@1", YES },
	{ "at the limit of workers", "hard workers 1 slots", "A@1", NULL, "B@1",
		ERR_BUDGET_EXHAUSTED },
	{ "what can't be measured holds", "hard tokens 1000 k", "", NULL, "A@1",
		ERR_BUDGET_EXHAUSTED },
	{ "and doesn't when it is only told", "advisory tokens 1 k", "", NULL,
		"A@1", YES },
	{ "time that is left", "hard wall_time 30 minutes", "",
		"2026-11-30T11:30:00.000000Z", "A@1", YES },
	{ "time that is over", "hard wall_time 30 minutes", "",
		"2026-11-30T11:30:01.000000Z", "A@1", ERR_BUDGET_EXHAUSTED },
	{ "time that fell is no time", "hard wall_time 30 minutes", "",
		"2026-11-30T10:00:00.000000Z", "A@1", YES },
};

static void
amend(struct run_fixture *f, const char *budget)
{
	struct command cmd = fixture_command(f, EV_DECISION_AMENDED, "");

	cmd.event.budget.items[0] = str_from(budget);
	fixture_do(f, &cmd);
}

static void
reserve_all(struct run_fixture *f, const char *words)
{
	struct str rest = str_from(words);

	while (rest.len > 0)
		fixture_step(f, EV_ATTEMPT_RESERVED,
			arena_strdup(&f->mem, str_cut(&rest, ' ')));
}

static void
a_hard_limit_holds_reservations_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		const struct scenario *x = &scenarios[i];
		struct buf before = { 0 }, after = { 0 };
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
		if (x->budget != NULL)
			amend(&f, x->budget);
		reserve_all(&f, x->reserved);
		cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, x->last);
		cmd.at = str_from(x->at);
		fixture_projection(&f.s, &before);
		rc = fixture_try(&f, &cmd);
		if ((rc == PAWL_OK) != (x->code == YES) ||
			(rc != PAWL_OK && f.err.code != x->code))
			fail_msg("%s: %s", x->what, f.err.msg);
		fixture_projection(&f.s, &after);
		if (rc != PAWL_OK)
			assert_true(str_eq(buf_str(&before), buf_str(&after)));
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* `ready`, `explain` and the run's status say what dispatch says. */
static void
what_is_held_is_explained(void **state)
{
	struct arena mem = ARENA_INIT;
	struct explanation ex;
	struct run_fixture f;
	uint32_t node;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	amend(&f, "hard attempts 1 attempts");
	assert_true(ready_first(&f.s, &node));
	fixture_pass(&f, "A");
	assert_false(ready_first(&f.s, &node));
	assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
	explain_node(&f.s, fixture_node(&f, "C"), 4, &mem, &ex);
	assert_int_equal(ex.total, 1);
	assert_int_equal(ex.causes[0].code, CAUSE_BUDGET);
	assert_true(str_eq(ex.causes[0].sentence,
		STR("the hard limit of attempts is reached: 1 of 1 attempts")));
	amend(&f, "hard attempts 2 attempts");
	assert_true(ready_first(&f.s, &node));
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	arena_reset(&mem);
	fixture_release(&f);
}

static void
what_is_only_told_is_a_degradation(void **state)
{
	uint32_t told[BUDGET_LIMITS_MAX];
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	amend(&f, "advisory workers 1 slots");
	reserve_all(&f, "A@1");
	assert_int_equal(budget_degraded(&f.s, STR(""), told), 0);
	reserve_all(&f, "B@1");
	assert_int_equal(budget_degraded(&f.s, STR(""), told), 1);
	amend(&f, "advisory spend 3 euro");
	assert_int_equal(budget_degraded(&f.s, STR(""), told), 1);
	amend(&f, "advisory attempts 3 attempts");
	assert_int_equal(budget_degraded(&f.s, STR(""), told), 0);
	amend(&f, "advisory attempts 2 attempts");
	assert_int_equal(budget_degraded(&f.s, STR(""), told), 1);
	fixture_release(&f);
}

/* What nobody measures is a word, and never zero. */
static void
unavailable_is_not_zero(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	amend(&f, "advisory tokens 1000 k");
	budget_json(&w, &f.s, STR(""));
	assert_string_equal(out.data,
		"[{\"resource\":\"tokens\",\"class\":\"advisory\",\"limit\":"
		"1000,\"unit\":\"k\",\"used\":\"unavailable\",\"state\":"
		"\"unavailable\"}]");
	buf_clear(&out);
	amend(&f, "hard wall_time 2 hours");
	w = (struct json_writer){ .out = &out };
	budget_json(&w, &f.s, STR("2026-11-30T12:59:00.000000Z"));
	assert_string_equal(out.data,
		"[{\"resource\":\"wall_time\",\"class\":\"hard\",\"limit\":2,"
		"\"unit\":\"hours\",\"used\":1,\"state\":\"within\"}]");
	buf_release(&out);
	fixture_release(&f);
}

/* What was used stays used when the clock is set back, and goes on from there.
 */
static void
a_clock_that_is_set_back_gives_no_time_back(void **state)
{
	static const struct {
		const char *at;
		uint64_t used_ms; /* once the line is folded */
	} lines[] = {
		{ "2026-11-30T11:10:00.500000Z", 599500 },
		{ "2026-11-29T11:00:00.000000Z", 599500 },
		{ "2026-11-29T11:05:00.000000Z", 899500 },
		{ "1970-01-01T00:00:00.000000Z", 899500 },
		{ "no time", 899500 },
		{ "1970-01-01T00:00:00.000000Z", 899500 },
		{ "1970-01-01T00:00:00.001000Z", 899501 },
	};
	const struct budget_limit limit = { .resource = BUDGET_WALL_TIME,
		.amount = 899600 };
	const struct event repaired = { .type = EV_JOURNAL_REPAIRED };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct line_facts line = f.line;

		line.seq = f.s.seq + 1;
		line.at = str_from(lines[i].at);
		assert_int_equal(
			apply(&f.s, &line, &repaired, &f.err), PAWL_OK);
		assert_int_equal(budget_use(&f.s, &limit, STR("")).used,
			lines[i].used_ms);
	}
	assert_int_equal(
		budget_use(&f.s, &limit, STR("1970-01-01T00:00:00.100000Z"))
			.standing,
		BUDGET_OVER);
	fixture_release(&f);
}

/* Also where a limit is none, or more than there is room for. */
static void
what_is_used_is_told_in_the_limits_unit(void **state)
{
	static const struct {
		const char *line, *told;
	} cases[] = {
		{ "hard wall_time 0 minutes", "5 of 0 minutes" },
		{ "hard wall_time 1 minutes", "5 of 1 minutes" },
		{ "hard wall_time 9007199254740992 minutes",
			"5 of 9007199254740992 minutes" },
		{ "hard wall_time 9223372036854775807 seconds",
			"300 of 9223372036854775807 seconds" },
		{ "hard wall_time 0 ms", "300000 of 0 ms" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct run_fixture f;
		struct str said;

		fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
		amend(&f, cases[i].line);
		said = budget_sentence(
			&f.s, 0, STR("2026-11-30T11:05:01.000000Z"), &mem);
		if (strstr(arena_strdup(&mem, said), cases[i].told) == NULL)
			fail_msg("%s: " STR_FMT, cases[i].line, STR_ARG(said));
		arena_reset(&mem);
		fixture_release(&f);
	}
}

static struct command
reduction(struct run_fixture *f, const char *retained)
{
	struct command cmd = fixture_command(f, EV_DECISION_AMENDED, "");

	cmd.event.mode = STR("verified_single");
	cmd.event.execution = STR("single_writer");
	EVENT_SET(&cmd.event, F_INTEGRATOR, integrator, STR("ada"));
	EVENT_SET(&cmd.event, F_CLEANUP_PLAN, cleanup_plan, STR("none"));
	cmd.event.retained.items[0] = str_from(retained);
	cmd.event.retained.count = 1;
	event_mark(&cmd.event, F_RETAINED);
	return cmd;
}

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                 \
	static void name(struct command *c) \
	{                                   \
		change;                     \
	}

TWIST(plain, (void)c)
TWIST(same_revision, c->event.revision = 1)
TWIST(next_but_one, c->event.revision = 3)
TWIST(no_limit, c->event.budget.items[0] = STR("hard things 1 thing"))
TWIST(no_reason, c->event.reason = STR(" "))
TWIST(no_retained, c->event.retained.count = 0)
TWIST(no_integrator, c->event.integrator = STR(""))
TWIST(no_plan, c->event.cleanup_plan = STR(""))
TWIST(unknown_task, c->event.retained.items[0] = STR("Z"))
TWIST(in_graph, c->event.mode = STR("graph"))
TWIST(stale, c->gen--)
TWIST(by_human, c->actor = ACTOR_HUMAN)

static void
each_amendment_is_decided_as_the_table_says(void **state)
{
	static const struct {
		const char *alive; /* an attempt of it lives; or NULL */
		const char *retained;
		twist_fn *twist;
		enum pawl_code code;
	} cases[] = {
		{ NULL, NULL, plain, YES },
		{ NULL, NULL, next_but_one, YES },
		{ NULL, NULL, same_revision, ERR_DECISION_DRIFT },
		{ NULL, NULL, no_limit, ERR_INVALID_DECISION },
		{ NULL, NULL, no_reason, ERR_REASON_NEEDED },
		{ NULL, NULL, stale, ERR_STALE_COORDINATOR },
		{ NULL, NULL, by_human, ERR_NOT_PERMITTED },
		{ "A", NULL, plain, YES },
		{ NULL, "A", plain, YES },
		{ "A", "A", plain, YES },
		{ "A", "B", plain, ERR_ATTEMPT_STATE },
		{ NULL, "A", no_retained, ERR_INVALID_DECISION },
		{ NULL, "A", no_integrator, ERR_INVALID_DECISION },
		{ NULL, "A", no_plan, ERR_INVALID_DECISION },
		{ NULL, "A", unknown_task, ERR_NODE_NOT_FOUND },
		{ NULL, "A", in_graph, ERR_INVALID_DECISION },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
		if (cases[i].alive != NULL)
			fixture_until(&f, cases[i].alive, ATTEMPT_STARTED);
		cmd = cases[i].retained != NULL
			? reduction(&f, cases[i].retained)
			: fixture_command(&f, EV_DECISION_AMENDED, "");
		cases[i].twist(&cmd);
		rc = fixture_try(&f, &cmd);
		if ((rc == PAWL_OK) != (cases[i].code == YES) ||
			(rc != PAWL_OK && f.err.code != cases[i].code))
			fail_msg("case %zu: %s", i, f.err.msg);
		fixture_release(&f);
	}
}

static void
only_retained_tasks_stay_schedulable(void **state)
{
	struct arena mem = ARENA_INIT;
	struct explanation ex;
	struct run_fixture f;
	struct command cmd;
	uint32_t node;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	fixture_step_word(&f, EV_NODE_BLOCKED, "R", "environment");
	cmd = reduction(&f, "A");
	fixture_do(&f, &cmd);
	assert_true(ready_first(&f.s, &node));
	assert_int_equal(node, fixture_node(&f, "A"));
	for (size_t i = 1; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(f.s.nodes[i].status, NODE_BLOCKED);
	explain_node(&f.s, fixture_node(&f, "B"), 4, &mem, &ex);
	assert_true(str_eq(ex.causes[0].detail, STR("reduced")));
	/* A human can't let in what the decision left out. */
	cmd = fixture_command(&f, EV_NODE_UNBLOCKED, "B");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ECONFLICT);
	cmd = fixture_command(&f, EV_NODE_UNBLOCKED, "R");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ECONFLICT);
	fixture_pass(&f, "A");
	assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
	/* Back in mode graph they go on, but for what was blocked before. */
	fixture_step(&f, EV_DECISION_AMENDED, "");
	assert_int_equal(f.s.nodes[fixture_node(&f, "B")].status, NODE_READY);
	assert_int_equal(f.s.nodes[fixture_node(&f, "C")].status, NODE_READY);
	assert_int_equal(f.s.nodes[fixture_node(&f, "R")].status, NODE_BLOCKED);
	arena_reset(&mem);
	fixture_release(&f);
}

static void
a_single_writer_is_one_at_a_time(void **state)
{
	struct run_fixture f;
	struct command cmd;
	uint32_t node, count;
	struct arena mem = ARENA_INIT;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	cmd = fixture_command(&f, EV_DECISION_AMENDED, "");
	cmd.event.execution = STR("single_writer");
	fixture_do(&f, &cmd);
	(void)ready_wave(&f.s, 9, &mem, &count);
	assert_int_equal(count, 2); /* a writer and the reader */
	reserve_all(&f, "A@1");
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "B")).hold, HOLD_WRITER);
	assert_true(ready_first(&f.s, &node));
	assert_int_equal(node, fixture_node(&f, "R"));
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "B@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_TASK_NOT_READY);
	arena_reset(&mem);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read_as_they_are_written),
		cmocka_unit_test(a_limit_beyond_all_time_is_none),
		cmocka_unit_test(there_are_no_more_limits_than_kinds),
		cmocka_unit_test(a_hard_limit_holds_reservations_back),
		cmocka_unit_test(what_is_held_is_explained),
		cmocka_unit_test(what_is_only_told_is_a_degradation),
		cmocka_unit_test(unavailable_is_not_zero),
		cmocka_unit_test(a_clock_that_is_set_back_gives_no_time_back),
		cmocka_unit_test(what_is_used_is_told_in_the_limits_unit),
		cmocka_unit_test(each_amendment_is_decided_as_the_table_says),
		cmocka_unit_test(only_retained_tasks_stay_schedulable),
		cmocka_unit_test(a_single_writer_is_one_at_a_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
