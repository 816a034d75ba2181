#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "invariants.h"
#include "model/detail.h"
#include "model/state_json.h"
#include "model/view.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A" },
	{ .id = "B", .depends = "A", .paths = "src, lib/b" },
	{ .id = "G", .depends = "A", .more = "Approval: required" },
	{ .id = "H", .more = "Access: destructive" },
	{ .id = "R", .mode = "read" },
	{ .id = "F" },
	{ .id = "D", .more = "Red: true" },
	{ .id = "T", .ticked = true },
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

typedef void look_fn(struct run_fixture *f);

static void
no_look(struct run_fixture *f)
{
	(void)f;
}

static const struct {
	enum event_type type;
	const char *subject, *word;
} walked[] = {
	{ EV_ATTEMPT_RESERVED, "A@1", NULL },
	{ EV_CLEANUP_REGISTERED, "A@1", NULL },
	{ EV_ATTEMPT_STARTED, "A@1", NULL },
	{ EV_ATTEMPT_RESERVED, "R@1", NULL },
	{ EV_ATTEMPT_START_FAILED, "R@1", "no such profile" },
	{ EV_ATTEMPT_LOST, "A@1", "exit 9" },
	{ EV_WORKSPACE_RECONCILED, "A@1", NULL },
	{ EV_CLEANUP_SETTLED, "A@1", "verified" },
	{ EV_ATTEMPT_RESERVED, "A@2", "./its-own" },
	{ EV_ATTEMPT_STARTED, "A@2", NULL },
	{ EV_ATTEMPT_REPORTED, "A@2", NULL },
	{ EV_CHECK_STARTED, "A@2", NULL },
	{ EV_CHECK_RECORDED, "A@2", "fail" },
	{ EV_ATTEMPT_REJECTED, "A@2", NULL },
	{ EV_ATTEMPT_RESERVED, "A@3", NULL },
	{ EV_ATTEMPT_STARTED, "A@3", NULL },
	{ EV_ATTEMPT_REPORTED, "A@3", NULL },
	{ EV_CHECK_STARTED, "A@3", NULL },
	{ EV_CHECK_RECORDED, "A@3", "void" },
	{ EV_CHECK_STARTED, "A@3", NULL },
	{ EV_CHECK_RECORDED, "A@3", "pass" },
	{ EV_INTEGRATED, "A@3", NULL },
	{ EV_NODE_GRADED, "A@3", "pass" },
	{ EV_GATE_DECIDED, "G", "denied" },
	{ EV_NODE_UNBLOCKED, "G", NULL },
	{ EV_GATE_DECIDED, "H", "granted" },
	{ EV_COORDINATOR_TAKEN_OVER, "", NULL },
	{ EV_NODE_BLOCKED, "F", "the licence server" },
	{ EV_NODE_UNBLOCKED, "F", NULL },
	{ EV_NODE_BLOCKED, "F", "environment" },
	{ EV_NODE_UNBLOCKED, "F", NULL },
	{ EV_NODE_BLOCKED, "F", "environment" },
	{ EV_NODE_UNBLOCKED, "F", NULL },
	{ EV_NODE_BLOCKED, "F", "environment" },
	{ EV_NODE_UNBLOCKED, "F", NULL },
	{ EV_NODE_BLOCKED, "F", "environment" },
	{ EV_ATTEMPT_RESERVED, "B@1", NULL },
	{ EV_CLEANUP_REGISTERED, "B@1", NULL },
	{ EV_ATTEMPT_STARTED, "B@1", NULL },
	{ EV_ATTEMPT_REPORTED, "B@1", NULL },
	{ EV_CLEANUP_SETTLED, "B@1", "failed" },
	{ EV_CLEANUP_SETTLED, "B@1", "retained" },
	{ EV_NODE_GRADED, "B@1", "unobserved" },
	{ EV_NODE_IMPORTED, "T@1", NULL },
	{ EV_ATTEMPT_RESERVED, "D@1", NULL },
	{ EV_ATTEMPT_STARTED, "D@1", NULL },
	{ EV_ATTEMPT_REPORTED, "D@1", NULL },
	{ EV_CHECK_STARTED, "D@1", "red" },
	{ EV_CHECK_RECORDED, "D@1", "fail" },
	{ EV_CHECK_STARTED, "D@1", NULL },
	{ EV_CHECK_RECORDED, "D@1", "fail" },
	{ EV_ATTEMPT_REJECTED, "D@1", NULL },
	{ EV_ATTEMPT_RESERVED, "R@2", NULL },
	{ EV_ATTEMPT_STARTED, "R@2", NULL },
	{ EV_QUESTION_OPENED, "R", NULL },
	{ EV_ATTEMPT_INTERRUPTED, "R@2", "input_required" },
	{ EV_WORKSPACE_RECONCILED, "R@2", NULL },
	{ EV_QUESTION_ANSWERED, "R", NULL },
	{ EV_ATTEMPT_RESERVED, "R@3", NULL },
	{ EV_ATTEMPT_STARTED, "R@3", NULL },
	{ EV_QUESTION_OPENED, "R", NULL },
	{ EV_ATTEMPT_LOST, "R@3", "exit 9" },
	{ EV_WORKSPACE_RECONCILED, "R@3", NULL },
	{ EV_ATTEMPT_RESERVED, "R@4", NULL },
	{ EV_ATTEMPT_STARTED, "R@4", NULL },
	{ EV_QUESTION_OPENED, "R", NULL },
	{ EV_ATTEMPT_INTERRUPTED, "R@4", "input_required" },
	{ EV_ATTEMPT_RESERVED, "H@1", NULL },
	{ EV_ATTEMPT_STARTED, "H@1", NULL },
	{ EV_QUESTION_OPENED, "H", NULL },
	{ EV_DELEGATION_REQUESTED, "H@1", NULL },
	{ EV_DELEGATION_REJECTED, "H@1", NULL },
	{ EV_DELEGATION_REQUESTED, "H@1", NULL },
	{ EV_DELEGATION_APPROVED, "H@1", NULL },
	{ EV_DELEGATION_STARTED, "H@1", NULL },
	{ EV_DELEGATION_REPORTED, "H@1", NULL },
	{ EV_ATTEMPT_LOST, "H@1", "exit 9" },
};

/* A run in which a bit of everything happens; `look` after each commit. */
static void
walk(struct run_fixture *f, look_fn *look)
{
	fixture_init_of(f, rows, ROWS);
	look(f);
	for (size_t i = 0; i < sizeof(walked) / sizeof(walked[0]); i++) {
		fixture_step_word(
			f, walked[i].type, walked[i].subject, walked[i].word);
		look(f);
	}
}

static void
look_copy(struct run_fixture *f)
{
	struct state copy;
	const char *broken;

	if (!state_copy(&f->s, &f->mem, &copy))
		fail_msg("line %llu: the projection is refused",
			(unsigned long long)f->s.seq);
	broken = invariants_differ(&f->s, &copy);
	if (broken != NULL)
		fail_msg("line %llu: %s", (unsigned long long)f->s.seq, broken);
	state_release(&copy);
}

static void
what_is_written_is_read_as_it_was_at_every_line(void **state)
{
	struct run_fixture f;

	(void)state;
	walk(&f, look_copy);
	fixture_release(&f);
}

/* fold(whole) = fold(projection + tail), cut after every event of the walk. */
static void
a_tail_folds_onto_a_projection_cut_at_any_line(void **state)
{
	struct run_fixture f;

	(void)state;
	walk(&f, no_look);
	for (size_t cut = 1; cut <= f.journal.count; cut++) {
		struct pawl_err err = { 0 };
		struct state s, copy;
		size_t i = 0;

		if (cut < f.journal.count &&
			f.journal.items[cut].line.seq ==
				f.journal.items[cut - 1].line.seq)
			continue; /* inside a line */
		state_init(&s, &f.plan.plan);
		for (; i < cut; i++) {
			assert_int_equal(
				apply(&s, &f.journal.items[i].line,
					&f.journal.items[i].event, &err),
				PAWL_OK);
		}
		assert_true(state_copy(&s, &f.mem, &copy));
		for (; i < f.journal.count; i++) {
			assert_int_equal(
				apply(&copy, &f.journal.items[i].line,
					&f.journal.items[i].event, &err),
				PAWL_OK);
		}
		assert_null(invariants_differ(&f.s, &copy));
		state_release(&s);
		state_release(&copy);
	}
	fixture_release(&f);
}

/* All that a reader may ask of a state that was believed. */
static void
read_everything(const struct state *s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct pawl_err err;
	struct detail d;

	view_status(&out, s, false, 10, UINT32_MAX);
	view_ready(&out, s, 10);
	view_status_json(&w, s, false, 10);
	for (uint32_t i = 0; i < s->plan->count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_NODE, i });
	for (uint32_t i = 0; i < s->attempts.count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_ATTEMPT, i });
	for (uint32_t i = 0; i < s->checks.count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_CHECK, i });
	for (uint32_t i = 0; i < s->gates.count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_GATE, i });
	for (uint32_t i = 0; i < s->asks.count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_ASK, i });
	for (uint32_t i = 0; i < s->cleanups.count; i++)
		detail_text(&out, s, &(struct detail){ DETAIL_CLEANUP, i });
	if (detail_find(s, STR("A@3#2"), &d, &err) == PAWL_OK)
		detail_text(&out, s, &d);
	assert_true(out.len > 0);
	buf_release(&out);
	(void)mem;
}

/* Read a body; what is believed must be fit to be read. */
static bool
body_read(const struct plan *plan, struct str body, struct arena *mem)
{
	struct pawl_err err = { 0 };
	struct state s;
	const struct json *v;
	char *bytes = arena_strdup(mem, body);
	bool read;

	if (json_read(mem, bytes, body.len, JSON_STRICT, &v, &err) != PAWL_OK)
		return false;
	state_init(&s, plan);
	read = state_json_read(&s, v, &err) == PAWL_OK;
	if (read)
		read_everything(&s, mem);
	else
		assert_int_equal(err.code, ERR_CORRUPT);
	state_release(&s);
	return read;
}

static void
a_damaged_body_is_refused_or_at_least_readable(void **state)
{
	static const char replacements[] = "0579-[]{}\"nt,";
	struct arena mem = ARENA_INIT;
	struct run_fixture f;
	struct buf body = { 0 };
	uint32_t believed = 0, refused = 0;

	(void)state;
	walk(&f, no_look);
	fixture_projection(&f.s, &body);
	assert_true(body_read(&f.plan.plan, buf_str(&body), &mem));
	for (size_t at = 0; at < body.len; at++) {
		char was = body.data[at];
		char now = replacements[at % (sizeof(replacements) - 1)];

		body.data[at] = now;
		if (body_read(&f.plan.plan, buf_str(&body), &mem))
			believed++;
		else
			refused++;
		body.data[at] = was;
		arena_reset(&mem);
	}
	assert_true(believed > 0);
	assert_true(refused > 0);
	buf_release(&body);
	fixture_release(&f);
}

/* A value in the place of the `nth` number or text of the body. */
static void
values_out_of_range_are_refused_or_readable(void **state)
{
	static const char *const values[] = { "255", "4", "4294967295", "null",
		"\"x\"", "-1", "18446744073709551615" };
	struct arena mem = ARENA_INIT;
	struct run_fixture f;
	struct buf body = { 0 };

	(void)state;
	walk(&f, no_look);
	fixture_projection(&f.s, &body);
	for (size_t at = 1; at < body.len; at++) {
		size_t end = at;
		struct buf other = { 0 };

		while (end < body.len && body.data[end] >= '0' &&
			body.data[end] <= '9')
			end++;
		if (end == at ||
			(body.data[at - 1] != ',' && body.data[at - 1] != '['))
			continue;
		buf_add(&other, str_part(buf_str(&body), 0, at));
		buf_add(&other, str_from(values[at % 7]));
		buf_add(&other, str_part(buf_str(&body), end, body.len));
		(void)body_read(&f.plan.plan, buf_str(&other), &mem);
		buf_release(&other);
		arena_reset(&mem);
		at = end;
	}
	buf_release(&body);
	fixture_release(&f);
}

static void
another_shape_is_refused(void **state)
{
	static const char *const bodies[] = { "null", "[]", "{}",
		"{\"run\":[]}", "{\"run\":null,\"nodes\":[]}" };
	struct arena mem = ARENA_INIT;
	struct plan_fixture plan;

	(void)state;
	plan_fixture_init(&plan, rows, ROWS);
	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++)
		assert_false(body_read(&plan.plan, str_from(bodies[i]), &mem));
	plan_fixture_release(&plan);
	arena_reset(&mem);
}

/* The body of a run over another plan. */
static void
another_plan_is_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	struct plan_fixture plan;
	struct run_fixture f;
	struct buf body = { 0 };

	(void)state;
	walk(&f, no_look);
	fixture_projection(&f.s, &body);
	plan_fixture_init(&plan, rows, ROWS - 1);
	assert_false(body_read(&plan.plan, buf_str(&body), &mem));
	plan_fixture_release(&plan);
	buf_release(&body);
	fixture_release(&f);
	arena_reset(&mem);
}

/* Histories over the inline room go on in the state's own table. */
static void
a_long_history_survives(void **state)
{
	struct run_fixture f;
	struct state copy;
	const uint8_t *a, *b;
	uint32_t x, y;

	(void)state;
	walk(&f, no_look);
	a = state_history(&f.s, fixture_node(&f, "F"), &f.mem, &x);
	assert_true(x > HISTORY_INLINE);
	assert_true(state_copy(&f.s, &f.mem, &copy));
	b = state_history(&copy, fixture_node(&f, "F"), &f.mem, &y);
	assert_int_equal(x, y);
	assert_memory_equal(a, b, x);
	state_release(&copy);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_is_written_is_read_as_it_was_at_every_line),
		cmocka_unit_test(
			a_tail_folds_onto_a_projection_cut_at_any_line),
		cmocka_unit_test(
			a_damaged_body_is_refused_or_at_least_readable),
		cmocka_unit_test(values_out_of_range_are_refused_or_readable),
		cmocka_unit_test(another_shape_is_refused),
		cmocka_unit_test(another_plan_is_refused),
		cmocka_unit_test(a_long_history_survives),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
