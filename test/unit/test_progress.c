#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/progress.h"
#include "run_fixture.h"

static const struct plan_row two[] = {
	{ .id = "A" },
	{ .id = "B", .depends = "A" },
};
static const struct plan_row gated[] = {
	{ .id = "A", .more = "Approval: required" },
	{ .id = "B" },
};

static enum progress_state
state_of(struct run_fixture *f)
{
	enum progress_state s = progress_state(&f->s);

	/* 100 means complete, and nothing else does. */
	assert_true(progress_percent(&f->s) <= 100);
	assert_int_equal(
		progress_percent(&f->s) == 100, s == PROGRESS_COMPLETE);
	return s;
}

static void
fail_node(struct run_fixture *f, const char *node, const char *attempt)
{
	fixture_until(f, node, ATTEMPT_REPORTED);
	fixture_step(f, EV_CHECK_STARTED, attempt);
	fixture_step_word(f, EV_CHECK_RECORDED, attempt, "fail");
}

/* One row a state: how a run comes to it. */
static void
an_active_run_is_active(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	assert_int_equal(progress_percent(&f.s), 0);
	fixture_release(&f);
}

static void
passed_is_not_complete_until_it_is_closed(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_pass(&f, "A");
	assert_int_equal(progress_percent(&f.s), 50);
	fixture_pass(&f, "B");
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	assert_int_equal(progress_percent(&f.s), 99);
	fixture_step_word(&f, EV_RUN_CLOSED, "", "pass");
	assert_int_equal(state_of(&f), PROGRESS_COMPLETE);
	fixture_release(&f);
}

/* C095: what is closed as pass with something open is not shown as complete. */
static void
closed_as_pass_with_something_open_is_not_complete(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_pass(&f, "A");
	fixture_pass(&f, "B");
	fixture_step_word(&f, EV_RUN_CLOSED, "", "pass");
	f.s.cleanups_open = 1; /* as no decision would leave it */
	assert_int_equal(state_of(&f), PROGRESS_PARTIAL);
	f.s.cleanups_open = 0;
	f.s.gates_open = 1;
	assert_int_equal(state_of(&f), PROGRESS_PARTIAL);
	f.s.gates_open = 0;
	f.s.unreconciled = 1;
	assert_int_equal(state_of(&f), PROGRESS_PARTIAL);
	f.s.unreconciled = 0;
	assert_int_equal(state_of(&f), PROGRESS_COMPLETE);
	fixture_release(&f);
}

static void
outcomes_have_their_states(void **unused)
{
	static const struct {
		const char *outcome;
		enum progress_state state;
	} rows[] = {
		{ "partial", PROGRESS_PARTIAL },
		{ "blocked", PROGRESS_BLOCKED },
		{ "failed", PROGRESS_FAILED },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_fixture f;

		fixture_init_of(&f, two, 2);
		fixture_step_word(&f, EV_RUN_CLOSED, "", rows[i].outcome);
		assert_int_equal(state_of(&f), rows[i].state);
		fixture_release(&f);
	}
}

static void
a_gate_wants_input_and_a_denied_one_blocks(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, gated, 2);
	assert_int_equal(state_of(&f), PROGRESS_INPUT_REQUIRED);
	fixture_step_word(&f, EV_GATE_DECIDED, "A", "denied");
	assert_int_equal(state_of(&f), PROGRESS_BLOCKED);
	fixture_release(&f);
}

static void
an_unobserved_grade_is_an_unknown_outcome(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_NODE_GRADED, "A@1", "unobserved");
	assert_int_equal(state_of(&f), PROGRESS_OUTCOME_UNKNOWN);
	fixture_release(&f);
}

static void
a_cleanup_that_is_not_proven_is_an_unknown_outcome(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "A@1");
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	fixture_step_word(&f, EV_CLEANUP_SETTLED, "A@1", "failed");
	assert_int_equal(state_of(&f), PROGRESS_OUTCOME_UNKNOWN);
	fixture_release(&f);
}

/* C041: a worker that vanished with changes leaves an outcome unknown. */
static void
a_lost_attempt_is_an_unknown_outcome_until_it_is_reconciled(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_ATTEMPT_LOST, "A@1");
	assert_int_equal(state_of(&f), PROGRESS_OUTCOME_UNKNOWN);
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	fixture_release(&f);
}

static void
failed_goes_before_unknown_and_blocked(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, gated, 2);
	fixture_step_word(&f, EV_GATE_DECIDED, "A", "denied");
	fail_node(&f, "B", "B@1");
	fixture_step(&f, EV_ATTEMPT_REJECTED, "B@1");
	fail_node(&f, "B", "B@2");
	assert_int_equal(state_of(&f), PROGRESS_BLOCKED);
	fixture_step_word(&f, EV_NODE_GRADED, "B@2", "fail");
	assert_int_equal(state_of(&f), PROGRESS_FAILED);
	fixture_release(&f);
}

/* Line n is at second n; the attempts overlap. */
static void
wall_times_come_from_the_lines(void **unused)
{
	static const struct plan_row rows[] = {
		{ .id = "A", .paths = "a" },
		{ .id = "B", .paths = "b" },
	};
	struct progress_walls walls;
	struct run_fixture f;
	uint64_t a_started, b_started, a_reported, a_checked;

	(void)unused;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	a_started = f.s.seq;
	fixture_until(&f, "B", ATTEMPT_STARTED);
	b_started = f.s.seq;
	fixture_step(&f, EV_ATTEMPT_REPORTED, "A@1");
	a_reported = f.s.seq;
	fixture_step(&f, EV_CHECK_STARTED, "A@1");
	fixture_step(&f, EV_CHECK_RECORDED, "A@1");
	a_checked = f.s.seq;
	fixture_step(&f, EV_INTEGRATED, "A@1");
	progress_walls(&f.s, &walls);
	/* B is at work up to the last line. */
	assert_int_equal(walls.implementation_ms,
		1000 * ((a_reported - a_started) + (f.s.seq - b_started)));
	assert_int_equal(walls.waiting_ms, 1000 * (f.s.seq - a_started));
	assert_int_equal(walls.check_ms, 1234);
	assert_int_equal(walls.audit_ms, 1000 * (f.s.seq - a_checked));
	fixture_step(&f, EV_NODE_GRADED, "A@1");
	a_checked = f.s.seq - a_checked;
	fixture_step(&f, EV_ATTEMPT_LOST, "B@1");
	progress_walls(&f.s, &walls);
	assert_int_equal(walls.audit_ms, 1000 * a_checked);
	fixture_release(&f);
}

static const struct json *
summary(struct run_fixture *f, struct buf *text)
{
	struct json_writer w = { .out = text };
	const struct json *v;
	struct pawl_err err;

	progress_json(&w, &f->s);
	assert_int_equal(json_read(&f->mem, text->data, text->len, JSON_STRICT,
				 &v, &err),
		PAWL_OK);
	return v;
}

static void
assert_list(const struct json *v, struct str key, int64_t items, int64_t count)
{
	const struct json *list = json_get(v, key);

	assert_int_equal(json_get(list, STR("items"))->count, items);
	assert_int_equal(json_int(json_get(list, STR("count"))), count);
	assert_int_equal(
		json_bool(json_get(list, STR("truncated"))), items < count);
}

static void
lists_are_bounded_and_counted(void **unused)
{
	struct plan_row rows[13] = { 0 };
	struct run_fixture f;
	struct buf text = { 0 };
	const struct json *v;

	(void)unused;
	for (size_t i = 0; i < 13; i++) {
		static const char *const ids[] = { "N-1", "N-2", "N-3", "N-4",
			"N-5", "N-6", "N-7", "N-8", "N-9", "G-1", "G-2", "G-3",
			"G-4" };

		rows[i].id = ids[i];
		rows[i].paths = ids[i];
		rows[i].more = i >= 9 ? "Approval: required" : NULL;
	}
	fixture_init_of(&f, rows, 13);
	for (int i = 1; i <= 4; i++) {
		char id[8] = "N-0", attempt[8] = "N-0@1";

		id[2] = attempt[2] = (char)('0' + i);
		fixture_until(&f, id, ATTEMPT_STARTED);
		fixture_step(&f, EV_CLEANUP_REGISTERED, attempt);
		fixture_step(&f, EV_CLEANUP_REGISTERED, attempt);
	}
	v = summary(&f, &text);
	assert_list(v, STR("current"), 3, 4);
	assert_list(v, STR("next"), 3, 5);
	assert_list(v, STR("blockers"), 4, 4);
	assert_list(v, STR("findings"), 0, 0);
	assert_list(json_get(v, STR("cleanups")), STR("pending"), 5, 8);
	assert_list(json_get(v, STR("cleanups")), STR("retained"), 0, 0);
	assert_true(str_eq(
		json_str(json_get(v, STR("tokens"))), STR("unavailable")));
	v = json_get(v, STR("last_activity"));
	assert_int_equal(json_int(json_get(v, STR("seq"))), f.s.seq);
	assert_true(str_eq(
		json_str(json_get(v, STR("type"))), STR("cleanup_registered")));
	buf_release(&text);
	fixture_release(&f);
}

/* One row a class: what is shown, and whether it is open. */
static void
findings_that_hold_something_up_are_shown(void **unused)
{
	static const struct {
		const char *class;
		int64_t shown;
		bool open;
	} rows[] = {
		{ "acceptance_violation", 1, true },
		{ "reproducible_regression", 1, true },
		{ "security_or_integrity", 1, true },
		{ "hardening", 1, true },
		{ "advisory", 0, false },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_fixture f;
		struct buf text = { 0 };
		const struct json *v;

		fixture_init_of(&f, two, 1);
		fixture_until(&f, "A", ATTEMPT_CHECKED);
		fixture_step_word(
			&f, EV_FINDING_RECORDED, "A@1", rows[i].class);
		v = summary(&f, &text);
		assert_list(v, STR("findings"), rows[i].shown, rows[i].shown);
		if (rows[i].shown > 0) {
			v = json_first(json_get(
				json_get(v, STR("findings")), STR("items")));
			assert_true(str_eq(json_str(json_get(v, STR("kind"))),
				str_from(rows[i].class)));
			assert_true(
				str_eq(json_str(json_get(v, STR("subject"))),
					STR("f1")));
		}
		f.s.by_status[NODE_RUNNING] = 0; /* as if all else was done */
		f.s.by_status[NODE_PASSED] = 1;
		f.s.live_attempts = f.s.unreconciled = 0;
		assert_int_equal(is_anything_open(&f.s), rows[i].open);
		buf_release(&text);
		fixture_release(&f);
	}
}

/* An open question wants input, unless something worse is the case. */
static void
a_question_has_its_place_among_the_states(void **unused)
{
	static const struct {
		enum event_type type; /* of a step about A before it is asked */
		const char *subject, *word;
		enum attempt_status until;
		enum progress_state state;
	} rows[] = {
		{ EV_NODE_GRADED, "A@1", "fail", ATTEMPT_REPORTED,
			PROGRESS_FAILED },
		{ EV_NODE_GRADED, "A@1", "unobserved", ATTEMPT_REPORTED,
			PROGRESS_OUTCOME_UNKNOWN },
		{ EV_CLEANUP_SETTLED, "A@1", "unverifiable", ATTEMPT_STARTED,
			PROGRESS_OUTCOME_UNKNOWN },
		{ EV_NODE_GRADED, "A@1", "blocked", ATTEMPT_REPORTED,
			PROGRESS_BLOCKED },
		{ EV_CLEANUP_SETTLED, "A@1", "verified", ATTEMPT_STARTED,
			PROGRESS_INPUT_REQUIRED },
		{ EV_CLEANUP_SETTLED, "A@1", "failed", ATTEMPT_STARTED,
			PROGRESS_OUTCOME_UNKNOWN },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run_fixture f;
		struct buf text = { 0 };
		const struct json *v;

		fixture_init_of(&f, two, 2);
		fixture_until(&f, "A", rows[i].until);
		if (rows[i].type == EV_CLEANUP_SETTLED)
			fixture_step(&f, EV_CLEANUP_REGISTERED, "A@1");
		if (rows[i].type == EV_NODE_GRADED &&
			str_eq(str_from(rows[i].word), STR("fail"))) {
			fixture_step(&f, EV_CHECK_STARTED, "A@1");
			fixture_step_word(&f, EV_CHECK_RECORDED, "A@1", "fail");
		}
		fixture_step_word(
			&f, rows[i].type, rows[i].subject, rows[i].word);
		fixture_step(&f, EV_QUESTION_OPENED, "A");
		if (state_of(&f) != rows[i].state)
			fail_msg("row %zu: %s", i,
				progress_state_word(state_of(&f)).ptr);
		assert_true(is_anything_open(&f.s));
		v = json_first(
			json_get(json_get(summary(&f, &text), STR("blockers")),
				STR("items")));
		assert_true(str_eq(
			json_str(json_get(v, STR("subject"))), STR("q1")));
		assert_true(str_eq(
			json_str(json_get(v, STR("kind"))), STR("question")));
		buf_release(&text);
		fixture_release(&f);
	}
}

/* Once it is answered nothing waits any more. */
static void
an_answered_question_wants_no_input(void **unused)
{
	struct run_fixture f;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	assert_int_equal(state_of(&f), PROGRESS_INPUT_REQUIRED);
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	assert_int_equal(state_of(&f), PROGRESS_ACTIVE);
	fixture_release(&f);
}

static void
blockers_are_cut_at_five(void **unused)
{
	struct plan_row rows[6] = { 0 };
	static const char *const ids[] = { "G-1", "G-2", "G-3", "G-4", "G-5",
		"G-6" };
	struct run_fixture f;
	struct buf text = { 0 };

	(void)unused;
	for (size_t i = 0; i < 6; i++)
		rows[i] = (struct plan_row){ .id = ids[i],
			.more = "Approval: required" };
	fixture_init_of(&f, rows, 5);
	assert_list(summary(&f, &text), STR("blockers"), 5, 5);
	buf_release(&text);
	fixture_release(&f);
	fixture_init_of(&f, rows, 6);
	assert_list(summary(&f, &text), STR("blockers"), 5, 6);
	buf_release(&text);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_active_run_is_active),
		cmocka_unit_test(passed_is_not_complete_until_it_is_closed),
		cmocka_unit_test(
			closed_as_pass_with_something_open_is_not_complete),
		cmocka_unit_test(outcomes_have_their_states),
		cmocka_unit_test(a_gate_wants_input_and_a_denied_one_blocks),
		cmocka_unit_test(an_unobserved_grade_is_an_unknown_outcome),
		cmocka_unit_test(
			a_cleanup_that_is_not_proven_is_an_unknown_outcome),
		cmocka_unit_test(
			a_lost_attempt_is_an_unknown_outcome_until_it_is_reconciled),
		cmocka_unit_test(failed_goes_before_unknown_and_blocked),
		cmocka_unit_test(wall_times_come_from_the_lines),
		cmocka_unit_test(lists_are_bounded_and_counted),
		cmocka_unit_test(findings_that_hold_something_up_are_shown),
		cmocka_unit_test(a_question_has_its_place_among_the_states),
		cmocka_unit_test(an_answered_question_wants_no_input),
		cmocka_unit_test(blockers_are_cut_at_five),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
