/* The one thing to do now, in each kind of standstill. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/next.h"
#include "run_fixture.h"

#define RUN "r-20261130-k3x7qa"

static void
assert_next(struct run_fixture *f, bool driven, const char *want)
{
	struct buf out = { 0 };
	struct next next;

	next_find(&f->s, driven, &f->mem, &next);
	next_text(&out, &next);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

static void
a_run_goes_from_start_to_nothing_more_to_do(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_planned(&f, rows, 1);
	assert_next(&f, false, "next: run LIST  (pawl run LIST)\n");
	fixture_release(&f);
	fixture_init_of(&f, rows, 1);
	assert_next(&f, false, "next: run " RUN "  (pawl run " RUN ")\n");
	assert_next(&f, true, "next: watch " RUN "  (pawl watch " RUN ")\n");
	fixture_pass(&f, "A");
	assert_next(&f, false, "next: run " RUN "  (pawl run " RUN ")\n");
	fixture_step(&f, EV_RUN_CLOSED, "");
	assert_next(&f, true,
		"next: nothing, the run is closed with outcome 'pass'\n");
	fixture_release(&f);
}

/* C098: what a human can do comes first, then what would move again. */
static void
a_human_is_asked_before_anything_else(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "Z" },
		{ .id = "G2", .depends = "Z", .more = "Approval: required" },
		{ .id = "G1", .more = "Approval: required" },
		{ .id = "B" },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 4);
	fixture_step_word(&f, EV_NODE_BLOCKED, "B", "environment");
	assert_next(&f, true,
		"next: approve " RUN "/G1!1  (pawl approve " RUN "/G1!1)\n");
	fixture_pass(&f, "Z"); /* its gate opens later and stands first */
	assert_next(&f, true,
		"next: approve " RUN "/G2!1  (pawl approve " RUN "/G2!1)\n");
	fixture_step_word(&f, EV_GATE_DECIDED, "G2", "granted");
	fixture_step_word(&f, EV_GATE_DECIDED, "G1", "denied");
	assert_next(&f, true, "next: watch " RUN "  (pawl watch " RUN ")\n");
	fixture_pass(&f, "G2");
	assert_next(&f, false,
		"next: unblock " RUN "/G1  (pawl unblock " RUN
		"/G1 --reason …)\n");
	fixture_release(&f);
}

static void
what_failed_or_was_not_observed_is_explained(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" }, { .id = "F" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_NODE_GRADED, "A@1", "unobserved");
	fixture_pass(&f, "F");
	assert_next(&f, true, "next: explain A  (pawl explain A)\n");
	fixture_release(&f);
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "F", ATTEMPT_REPORTED);
	fixture_step(&f, EV_CHECK_STARTED, "F@1");
	fixture_step_word(&f, EV_CHECK_RECORDED, "F@1", "fail");
	fixture_step_word(&f, EV_NODE_GRADED, "F@1", "fail");
	fixture_pass(&f, "A");
	assert_next(&f, true, "next: explain F  (pawl explain F)\n");
	fixture_release(&f);
}

static void
the_json_has_the_same_members(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct next next;

	(void)state;
	fixture_init_of(&f, rows, 1);
	next_find(&f.s, false, &f.mem, &next);
	next_json(&w, &next);
	assert_string_equal(out.data,
		"{\"do\":\"run\",\"subject\":\"" RUN "\",\"why\":\"nobody "
		"drives the run\",\"command\":\"pawl run " RUN "\"}");
	buf_release(&out);
	fixture_release(&f);
}

/* All nodes passed, and the run is neither COMPLETE nor can anything move. */
static void
a_finding_that_stands_is_what_is_left(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_CHECKED);
	fixture_step_word(&f, EV_FINDING_RECORDED, "A@1", "advisory");
	fixture_step_word(&f, EV_FINDING_RECORDED, "A@1", "hardening");
	fixture_step(&f, EV_INTEGRATED, "A@1");
	fixture_step(&f, EV_NODE_GRADED, "A@1");
	assert_next(&f, false,
		"next: close " RUN "  (pawl task complete " RUN
		" --outcome partial)\n");
	fixture_release(&f);
}

/* Each step of an attempt by hand, up to the end of the run. */
static void
a_coordinator_is_told_its_next_verb(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_step(&f, EV_COORDINATOR_TRANSFERRED, "");
	assert_next(&f, false,
		"next: claim " RUN "  (pawl task claim " RUN " --as ID)\n");
	fixture_step(&f, EV_COORDINATOR_CLAIMED, "");
	assert_next(&f, false,
		"next: dispatch " RUN "/A  (pawl task dispatch " RUN
		"/A --as c1)\n");
	fixture_step(&f, EV_ATTEMPT_RESERVED, "A@1");
	assert_next(&f, false,
		"next: recover attempt " RUN
		"/A@1  (pawl task recover attempt " RUN "/A@1 --as c1)\n");
	fixture_step(&f, EV_ATTEMPT_STARTED, "A@1");
	assert_next(&f, false,
		"next: sync " RUN "  (pawl task sync " RUN
		" --wait 180 --as c1)\n");
	fixture_step(&f, EV_ATTEMPT_REPORTED, "A@1");
	assert_next(&f, false,
		"next: check " RUN "/A  (pawl task check " RUN "/A --as c1)\n");
	fixture_step(&f, EV_CHECK_STARTED, "A@1");
	fixture_step(&f, EV_CHECK_RECORDED, "A@1");
	assert_next(&f, false,
		"next: integrate " RUN "/A  (pawl task integrate " RUN
		"/A --as c1)\n");
	fixture_step(&f, EV_INTEGRATED, "A@1");
	assert_next(&f, false,
		"next: grade " RUN "/A  (pawl task grade " RUN
		"/A pass --as c1)\n");
	fixture_step(&f, EV_NODE_GRADED, "A@1");
	assert_next(&f, false,
		"next: complete " RUN "  (pawl task complete " RUN
		" --outcome pass --as c1)\n");
	fixture_release(&f);
}

/* A step of a story: an event, and the word that it turns on. */
struct told {
	enum event_type type;
	const char *subject, *word;
};

/* What stands, and the verb that is accepted then. */
static const struct story {
	const char *more; /* of the task's fields */
	const char *check;
	struct told steps[12];
	const char *next;
} stories[] = {
	{ NULL, NULL,
		{ { EV_CHECK_STARTED, "A@1", NULL },
			{ EV_CHECK_RECORDED, "A@1", "fail" } },
		"repair RUN/A --hypothesis TEXT" },
	/* No repair is left: it is decided about, then it has failed. */
	{ NULL, NULL,
		{ { EV_CHECK_STARTED, "A@1", NULL },
			{ EV_CHECK_RECORDED, "A@1", "fail" },
			{ EV_ATTEMPT_REJECTED, "A@1", "check" },
			{ EV_ATTEMPT_RESERVED, "A@2", NULL },
			{ EV_ATTEMPT_STARTED, "A@2", NULL },
			{ EV_ATTEMPT_REPORTED, "A@2", NULL },
			{ EV_CHECK_STARTED, "A@2", NULL },
			{ EV_CHECK_RECORDED, "A@2", "fail" } },
		"decide RUN/A --action ACTION --note TEXT" },
	{ NULL, "missing validation evidence", { { 0 } },
		"grade RUN/A unobserved" },
	{ "Red: true", NULL,
		{ { EV_CHECK_STARTED, "A@1", "red" },
			{ EV_CHECK_RECORDED, "A@1", "pass" } },
		"grade RUN/A blocked --reason TEXT" },
	{ NULL, NULL,
		{ { EV_CHECK_STARTED, "A@1", NULL },
			{ EV_CHECK_RECORDED, "A@1", "pass" },
			{ EV_FINDING_RECORDED, "A@1",
				"acceptance_violation" } },
		"audit-reject RUN/A@1 --finding f1 --hypothesis TEXT" },
	/* A delegation keeps it from its grade, and goes first. */
	{ NULL, NULL, { { EV_DELEGATION_REQUESTED, "A@1", NULL } },
		"delegate approve RUN/g1" },
	{ NULL, NULL,
		{ { EV_DELEGATION_REQUESTED, "A@1", NULL },
			{ EV_DELEGATION_APPROVED, "A@1", NULL } },
		"delegate start RUN/g1" },
	{ NULL, NULL,
		{ { EV_DELEGATION_REQUESTED, "A@1", NULL },
			{ EV_DELEGATION_APPROVED, "A@1", NULL },
			{ EV_DELEGATION_STARTED, "A@1", NULL },
			{ EV_CHECK_STARTED, "A@1", NULL },
			{ EV_CHECK_RECORDED, "A@1", "pass" },
			{ EV_INTEGRATED, "A@1", NULL } },
		"delegate report RUN/g1" },
	{ NULL, NULL,
		{ { EV_DELEGATION_REQUESTED, "A@1", NULL },
			{ EV_DELEGATION_APPROVED, "A@1", NULL },
			{ EV_DELEGATION_STARTED, "A@1", NULL },
			{ EV_DELEGATION_REPORTED, "A@1", NULL } },
		"delegate release RUN/g1 --reason TEXT" },
	/* What was asked for too late can only be refused. */
	{ NULL, NULL,
		{ { EV_DELEGATION_REQUESTED, "A@1", NULL },
			{ EV_CHECK_STARTED, "A@1", NULL },
			{ EV_CHECK_RECORDED, "A@1", "pass" } },
		"delegate reject RUN/g1 --reason TEXT" },
};

/* The story up to its end, from an attempt that a named one's run reported. */
static void
tell(struct run_fixture *f, const struct story *story)
{
	struct plan_row row = {
		.id = "A", .more = story->more, .check = story->check
	};

	fixture_init_of(f, &row, 1);
	fixture_step(f, EV_COORDINATOR_TRANSFERRED, "");
	fixture_step(f, EV_COORDINATOR_CLAIMED, "");
	fixture_until(f, "A", ATTEMPT_REPORTED);
	for (const struct told *t = story->steps; t->subject != NULL; t++)
		fixture_step_word(f, t->type, t->subject, t->word);
}

static void
what_stands_in_the_way_is_next(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(stories) / sizeof(stories[0]); i++) {
		struct str rest = str_from(stories[i].next);
		size_t at = str_find(rest, 'R');
		struct run_fixture f;
		struct next next;
		char want[256];

		assert_true(str_starts(str_part(rest, at, 4), STR("RUN/")));
		(void)snprintf(want, sizeof(want),
			"pawl task %.*s" RUN "%s --as c1", (int)at, rest.ptr,
			rest.ptr + at + 3);
		tell(&f, &stories[i]);
		next_find(&f.s, false, &f.mem, &next);
		assert_string_equal(next.command.ptr, want);
		fixture_release(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_coordinator_is_told_its_next_verb),
		cmocka_unit_test(what_stands_in_the_way_is_next),
		cmocka_unit_test(a_finding_that_stands_is_what_is_left),
		cmocka_unit_test(a_run_goes_from_start_to_nothing_more_to_do),
		cmocka_unit_test(a_human_is_asked_before_anything_else),
		cmocka_unit_test(what_failed_or_was_not_observed_is_explained),
		cmocka_unit_test(the_json_has_the_same_members),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
