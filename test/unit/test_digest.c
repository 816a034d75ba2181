/* What a digest says of a run, also of one whose work ended in a mess. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/digest.h"
#include "run_fixture.h"

#define RUN "r-20261130-k3x7qa"
#define ALL UINT32_MAX

static const struct plan_row rows[] = {
	{ .id = "A" },
	{ .id = "B", .depends = "A" },
	{ .id = "L" },
	{ .id = "S" },
	{ .id = "T", .ticked = true },
};

static void
flag_check(struct run_fixture *f, const char *attempt)
{
	struct command cmd = fixture_command(f, EV_CHECK_RECORDED, attempt);
	static struct str flag = { "check.sh same", 13 };

	EVENT_SET(&cmd.event, F_FLAGGED, flagged, ((struct strs){ &flag, 1 }));
	fixture_do(f, &cmd);
}

/* A passed with a check that it could write, L was lost, S is unobserved. */
static void
mess_init(struct run_fixture *f)
{
	fixture_init_of(f, rows, sizeof(rows) / sizeof(rows[0]));
	fixture_until(f, "A", ATTEMPT_REPORTED);
	fixture_step(f, EV_CHECK_STARTED, "A@1");
	flag_check(f, "A@1");
	fixture_step(f, EV_INTEGRATED, "A@1");
	fixture_step(f, EV_NODE_GRADED, "A@1");
	fixture_until(f, "L", ATTEMPT_STARTED);
	fixture_step(f, EV_CLEANUP_REGISTERED, "L@1");
	fixture_step_word(f, EV_ATTEMPT_LOST, "L@1", "monitor_killed");
	fixture_until(f, "S", ATTEMPT_REPORTED);
	fixture_step_word(f, EV_NODE_GRADED, "S@1", "unobserved");
	fixture_step(f, EV_NODE_IMPORTED, "T@1");
}

static void
assert_text(const struct state *s, uint32_t max, const char *want)
{
	struct buf out = { 0 };

	digest_text(&out, s, max);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

static void
people_read_each_task_and_what_is_less_than_it_looks(void **state)
{
	struct run_fixture f;

	(void)state;
	mess_init(&f);
	assert_text(&f.s, ALL,
		RUN "  RUNNING\n"
		    "  PASSED         pass       A  1 attempt, check A@1#1: "
		    "pass, exit 0\n"
		    "  READY          -          B  0 attempts\n"
		    "  READY          -          L  1 attempt\n"
		    "  RUNNING        unobserved S  1 attempt\n"
		    "  PASSED         pass       T  1 attempt, check T@1#1: "
		    "pass, exit 0, imported as before-1\n"
		    "to be cleaned up:\n"
		    "  c1 process L@1\n"
		    "less than it looks:\n"
		    "  A: it could write what its check runs (check.sh same)\n"
		    "  S: nothing shows whether it is done\n"
		    "  L@1: nobody knows what it did (monitor_killed)\n");
	fixture_release(&f);
}

static void
rows_over_the_limit_are_counted(void **state)
{
	struct run_fixture f;

	(void)state;
	mess_init(&f);
	assert_text(&f.s, 1,
		RUN
		"  RUNNING\n"
		"  PASSED         pass       A  1 attempt, check A@1#1: "
		"pass, exit 0\n"
		"  and 4 more\n"
		"to be cleaned up:\n"
		"  c1 process L@1\n"
		"less than it looks:\n"
		"  A: it could write what its check runs (check.sh same)\n");
	fixture_release(&f);
}

/* The JSON of the state, read again. */
static const struct json *
json_of(const struct state *s, struct arena *mem, struct buf *text)
{
	struct json_writer w = { .out = text };
	struct pawl_err err;
	const struct json *v = NULL;

	digest_json(&w, s, ALL);
	if (json_read(mem, text->data, text->len, JSON_STRICT, &v, &err) !=
		PAWL_OK)
		fail_msg("%s", err.msg);
	return v;
}

static void
assert_str_at(const struct json *v, const char *key, const char *want)
{
	struct str got = json_str(json_get(v, str_from(key)));

	if (!str_eq(got, str_from(want)))
		fail_msg("%s: %.*s, not %s", key, STR_ARG(got), want);
}

/* C041: an outcome that nobody knows is listed until evidence settles it. */
static void
programs_read_unknown_outcomes_until_they_are_settled(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { 0 };
	struct run_fixture f;
	const struct json *v, *task, *unknown;

	(void)state;
	mess_init(&f);
	v = json_of(&f.s, &mem, &text);
	unknown = json_get(v, STR("unknown"));
	assert_int_equal(unknown->count, 1);
	assert_true(str_eq(json_str(json_first(unknown)), STR("L@1")));
	assert_int_equal(
		json_get(json_get(v, STR("cleanups")), STR("pending"))->count,
		1);
	assert_int_equal(json_get(v, STR("degradations"))->count, 3);
	assert_int_equal(json_get(v, STR("tasks"))->count, 5);
	task = json_first(json_get(v, STR("tasks")));
	assert_str_at(task, "grade", "pass");
	assert_str_at(json_get(task, STR("check")), "id", "A@1#1");
	assert_str_at(task, "commit", "c0ffeec0ffeec0ffee");
	buf_release(&text);
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "L@1");
	fixture_step(&f, EV_CLEANUP_SETTLED, "L@1");
	fixture_pass(&f, "L");
	v = json_of(&f.s, &mem, &text);
	assert_int_equal(json_get(v, STR("unknown"))->count, 0);
	assert_int_equal(json_get(v, STR("degradations"))->count, 2);
	buf_release(&text);
	arena_reset(&mem);
	fixture_release(&f);
}

/* An advisory one is free. */
static void
findings_that_are_carried_are_told(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { 0 };
	struct run_fixture f;
	const struct json *list;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	fixture_until(&f, "A", ATTEMPT_CHECKED);
	fixture_step_word(&f, EV_FINDING_RECORDED, "A@1", "advisory");
	fixture_step_word(&f, EV_FINDING_RECORDED, "A@1", "hardening");
	list = json_get(json_of(&f.s, &mem, &text), STR("degradations"));
	assert_int_equal(list->count, 1);
	assert_str_at(json_first(list), "code", "carry_forward");
	assert_str_at(json_first(list), "subject", "f2");
	buf_release(&text);
	arena_reset(&mem);
	fixture_release(&f);
}

static void
what_was_kept_stays_in_sight(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { 0 };
	struct run_fixture f;
	const struct json *v, *kept;

	(void)state;
	mess_init(&f);
	fixture_step_word(&f, EV_CLEANUP_SETTLED, "L@1", "retained");
	v = json_of(&f.s, &mem, &text);
	kept = json_get(json_get(v, STR("cleanups")), STR("retained"));
	assert_int_equal(kept->count, 1);
	assert_str_at(json_first(kept), "cleanup", "c1");
	assert_str_at(json_first(kept), "reason", "gone");
	assert_int_equal(json_get(v, STR("degradations"))->count, 4);
	buf_release(&text);
	arena_reset(&mem);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			people_read_each_task_and_what_is_less_than_it_looks),
		cmocka_unit_test(rows_over_the_limit_are_counted),
		cmocka_unit_test(
			programs_read_unknown_outcomes_until_they_are_settled),
		cmocka_unit_test(findings_that_are_carried_are_told),
		cmocka_unit_test(what_was_kept_stays_in_sight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
