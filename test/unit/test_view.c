#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/view.h"
#include "run_fixture.h"

#define RUN "r-20261130-k3x7qa"
#define ALL UINT32_MAX

static void
assert_text(struct buf *b, const char *want)
{
	assert_string_equal(b->len > 0 ? b->data : "", want);
	buf_release(b);
}

/* The twelve tasks of the first line's golden. */
static const struct plan_row twelve[] = {
	{ .id = "N-01" },
	{ .id = "N-02" },
	{ .id = "N-03" },
	{ .id = "N-04" },
	{ .id = "N-05" },
	{ .id = "N-06" },
	{ .id = "N-07" },
	{ .id = "N-08" },
	{ .id = "N-09" },
	{ .id = "DEPLOY", .depends = "N-07", .more = "Approval: required" },
	{ .id = "N-11", .depends = "N-08, N-09, DEPLOY" },
	{ .id = "N-12", .depends = "N-11" },
};

static void
twelve_init(struct run_fixture *f)
{
	static const char *const passed[] = { "N-01", "N-02", "N-03", "N-04",
		"N-05", "N-06", "N-07" };

	fixture_init(f, twelve, 12, NULL);
	for (size_t i = 0; i < 7; i++)
		fixture_pass(f, passed[i]);
	fixture_until(f, "N-08", ATTEMPT_STARTED);
	fixture_until(f, "N-09", ATTEMPT_REPORTED);
}

static void
the_summary_says_status_counts_and_what_waits(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	twelve_init(&f);
	view_summary(&out, &f.s);
	assert_text(&out,
		RUN "  RUNNING  7/12 passed, 2 running, 1 waits for you\n");
	fixture_release(&f);
}

static void
the_next_thing_is_to_approve(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };
	struct next next;

	(void)state;
	twelve_init(&f);
	next_find(&f.s, false, &f.mem, &next);
	next_text(&out, &next);
	assert_text(&out,
		"next: approve " RUN "/DEPLOY!1  (pawl approve " RUN
		"/DEPLOY!1)\n");
	fixture_release(&f);
}

static void
status_shows_a_row_a_node(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	twelve_init(&f);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "N-08@1");
	view_status(&out, &f.s, true, ALL, ALL);
	assert_text(&out,
		RUN "  RUNNING  7/12 passed, 2 running, 1 waits for you\n"
		    "STATUS          ID      TITLE      ATTEMPT  WAITS FOR\n"
		    "PASSED          N-01    Do N-01    1/2\n"
		    "PASSED          N-02    Do N-02    1/2\n"
		    "PASSED          N-03    Do N-03    1/2\n"
		    "PASSED          N-04    Do N-04    1/2\n"
		    "PASSED          N-05    Do N-05    1/2\n"
		    "PASSED          N-06    Do N-06    1/2\n"
		    "PASSED          N-07    Do N-07    1/2\n"
		    "RUNNING         N-08    Do N-08    1/2      "
		    "attempt 1 is at work since 11:00:52Z\n"
		    "RUNNING         N-09    Do N-09    1/2      "
		    "attempt 1 has reported and is checked next\n"
		    "NEEDS_APPROVAL  DEPLOY  Do DEPLOY  -        "
		    "gate DEPLOY!1 waits for an approval\n"
		    "PENDING         N-11    Do N-11    -        "
		    "N-08 is RUNNING (attempt 1), and 2 more\n"
		    "PENDING         N-12    Do N-12    -        "
		    "N-11 is PENDING\n"
		    "waits for you: gate DEPLOY!1, Do DEPLOY"
		    "  (pawl approve " RUN "/DEPLOY!1)\n"
		    "cleanup c1 of N-08@1 is pending: process N-08@1\n"
		    "next: approve " RUN "/DEPLOY!1  (pawl approve " RUN
		    "/DEPLOY!1)\n");
	fixture_release(&f);
}

static void
ready_says_what_may_start_and_why_the_rest_may_not(void **state)
{
	static const struct plan_row some[] = {
		{ .id = "A", .paths = "src" },
		{ .id = "B", .paths = "src/b" },
		{ .id = "C", .paths = "lib" },
		{ .id = "D", .paths = "lib/d" },
		{ .id = "E", .paths = "docs" },
	};
	const struct run_options options = { .slots = 2 };
	struct run_fixture f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	(void)state;
	fixture_init(&f, some, 5, &options);
	fixture_until(&f, "C", ATTEMPT_RESERVED);
	view_ready(&out, &f.s, 3);
	assert_text(&out,
		"1 may start now, 1 of 2 slots are free\n"
		"  A  Do A\n"
		"2 READY but held\n"
		"  B  scope 'src/b' overlaps A, which goes first\n"
		"  D  scope 'lib/d' overlaps what attempt C@1 holds\n"
		"and 1 more READY\n");
	out = (struct buf){ 0 };
	view_ready_json(&w, &f.s, 2);
	assert_text(&out,
		"{\"run\":\"" RUN "\",\"slots\":2,\"slots_free\":1,"
		"\"ready\":[\"A\"],\"held\":[{\"node\":\"B\","
		"\"code\":\"wave\",\"subject\":\"A\",\"sentence\":"
		"\"scope 'src/b' overlaps A, which goes first\"}],"
		"\"left_out\":2}");
	fixture_release(&f);
}

/* Titles can't move the cursor, reorder the line or break the columns. */
static void
titles_are_neutralised_and_cut_on_code_points(void **state)
{
	static const struct plan_row some[] = {
		{ .id = "A",
			.title = "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
				 "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
				 "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
				 "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc"
				 "0123456789012345678X0123" },
		{ .id = "B",
			.title = "red \xe2\x80\xae"
				 "der" },
	};
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	fixture_init_of(&f, some, 2);
	view_table(&out, &f.s, 1);
	assert_non_null(strstr(out.data,
		"\xc3\xbc"
		"0123456789012345678\xe2\x80\xa6  -"));
	assert_non_null(strstr(out.data, "and 1 more\n"));
	buf_clear(&out);
	view_table(&out, &f.s, ALL);
	assert_non_null(strstr(out.data, "red \\u202eder"));
	assert_null(strstr(out.data, "\xe2\x80\xae"));
	buf_release(&out);
	fixture_release(&f);
}

static void
wide_titles_keep_the_columns(void **state)
{
	static const struct plan_row some[] = {
		{ .id = "A", .title = "設計を読む" },
		{ .id = "B", .title = "Read designs" },
	};
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	fixture_init_of(&f, some, 2);
	view_table(&out, &f.s, ALL);
	assert_text(&out,
		"STATUS          ID  TITLE         ATTEMPT  WAITS FOR\n"
		"READY           A   設計を読む    -        may start\n"
		"READY           B   Read designs  -        may start\n");
	fixture_release(&f);
}

/* Text and JSON say the same, since both ask the same functions (C034). */
static void
the_status_document_agrees_with_the_state(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct pawl_err err = { 0 };
	const struct json *v, *node, *progress;
	uint32_t passed = 0, i = 0;

	(void)state;
	twelve_init(&f);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "N-08@1");
	view_status_json(&w, &f.s, true, ALL);
	assert_int_equal(
		json_read(&f.mem, out.data, out.len, JSON_STRICT, &v, &err),
		PAWL_OK);
	progress = json_get(v, STR("progress"));
	assert_int_equal(json_int(json_get(progress, STR("passed"))), 7);
	assert_int_equal(json_int(json_get(progress, STR("total"))), 12);
	node = json_get(v, STR("nodes"));
	assert_int_equal(node->count, 12);
	for (node = node + 1; i < 12; i++, node += node->span) {
		struct str status = json_str(json_get(node, STR("status")));

		assert_true(
			str_eq(status, node_status_word(f.s.nodes[i].status)));
		assert_int_equal(json_bool(json_get(node, STR("may_start"))),
			ready_hold(&f.s, i).hold == HOLD_NONE);
		passed += str_eq(status, STR("PASSED"));
	}
	assert_int_equal(passed, 7);
	assert_int_equal(json_get(v, STR("gates"))->count, 1);
	assert_int_equal(json_get(v, STR("cleanups"))->count, 1);
	assert_int_equal(json_get(v, STR("breaker"))->kind, JSON_NULL);
	assert_true(
		str_eq(json_str(json_get(json_get(v, STR("next")), STR("do"))),
			STR("approve")));
	buf_release(&out);
	fixture_release(&f);
}

/* C101: idle, waiting, closed and done look different. */
static void
a_closed_run_says_so(void **state)
{
	static const struct plan_row one[] = { { .id = "A" } };
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	fixture_init_of(&f, one, 1);
	view_summary(&out, &f.s);
	assert_text(&out, RUN "  RUNNING  0/1 passed\n");
	fixture_pass(&f, "A");
	out = (struct buf){ 0 };
	view_summary(&out, &f.s);
	assert_text(&out, RUN "  COMPLETE  1/1 passed\n");
	fixture_step(&f, EV_RUN_CLOSED, "");
	out = (struct buf){ 0 };
	view_summary(&out, &f.s);
	assert_text(&out, RUN "  COMPLETE  1/1 passed, closed as pass\n");
	out = (struct buf){ 0 };
	view_ready(&out, &f.s, 9);
	assert_text(&out, "nothing may start: the run is closed\n");
	fixture_release(&f);
}

/* Code points; what the test prints has no wide ones. */
static size_t
widest(const struct buf *b, size_t *ret_lines)
{
	size_t most = 0, here = 0;

	*ret_lines = 0;
	for (size_t i = 0; i < b->len; i++) {
		if (b->data[i] == '\n') {
			(*ret_lines)++;
			here = 0;
		} else if (((unsigned char)b->data[i] & 0xc0) != 0x80) {
			here++;
		}
		most = here > most ? here : most;
	}
	return most;
}

static void
a_board_fits_its_screen(void **state)
{
	static const uint32_t columns[] = { 1, 2, 20, 79, 80, 81, 200 };
	static const uint32_t rows[] = { 1, 2, 5, 12, 24, 60 };
	struct run_fixture f;

	(void)state;
	twelve_init(&f);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "N-08@1");
	for (size_t i = 0; i < 7; i++) {
		for (size_t j = 0; j < 6; j++) {
			struct buf out = { 0 };
			size_t lines;

			view_board(&out, &f.s, true, columns[i], rows[j]);
			assert_true(widest(&out, &lines) <= columns[i]);
			assert_in_range(
				lines, 1, rows[j] > 1 ? rows[j] - 1 : 1);
			buf_release(&out);
		}
	}
	fixture_release(&f);
}

/* What somebody watches for stands; what is done gives way. */
static void
a_board_of_ten_lines(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };

	(void)state;
	twelve_init(&f);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "N-08@1");
	view_board(&out, &f.s, true, 60, 10);
	assert_text(&out,
		RUN "  RUNNING  7/12 passed, 2 running, 1 waits…\n"
		    "STATUS          ID      TITLE      ATTEMPT  WAITS FOR\n"
		    "RUNNING         N-08    Do N-08    1/2      attempt 1 is "
		    "at…\n"
		    "RUNNING         N-09    Do N-09    1/2      attempt 1 has "
		    "r…\n"
		    "NEEDS_APPROVAL  DEPLOY  Do DEPLOY  -        gate DEPLOY!1 "
		    "w…\n"
		    "PENDING         N-11    Do N-11    -        N-08 is "
		    "RUNNING…\n"
		    "and 8 more\n"
		    "waits for you: gate DEPLOY!1, Do DEPLOY  (pawl approve "
		    "r-20…\n"
		    "next: approve " RUN "/DEPLOY!1  (pawl approve r-2…\n");
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_summary_says_status_counts_and_what_waits),
		cmocka_unit_test(the_next_thing_is_to_approve),
		cmocka_unit_test(status_shows_a_row_a_node),
		cmocka_unit_test(
			ready_says_what_may_start_and_why_the_rest_may_not),
		cmocka_unit_test(titles_are_neutralised_and_cut_on_code_points),
		cmocka_unit_test(the_status_document_agrees_with_the_state),
		cmocka_unit_test(a_board_fits_its_screen),
		cmocka_unit_test(a_board_of_ten_lines),
		cmocka_unit_test(wide_titles_keep_the_columns),
		cmocka_unit_test(a_closed_run_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
