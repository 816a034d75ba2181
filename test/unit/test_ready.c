#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/contract.h"
#include "model/ready.h"
#include "run_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The wave as ids with a space after each. */
static void
assert_wave(struct run_fixture *f, uint32_t max, const char *want)
{
	struct buf out = { 0 };
	uint32_t count;
	const uint32_t *wave = ready_wave(&f->s, max, &f->mem, &count);

	for (uint32_t i = 0; i < count; i++)
		buf_addf(&out, STR_FMT " ",
			STR_ARG(plan_id(&f->plan.plan, wave[i])));
	assert_string_equal(out.len > 0 ? out.data : "", want);
	buf_release(&out);
}

static enum hold
hold_of(struct run_fixture *f, const char *node, const char *other)
{
	struct hold_answer h = ready_hold(&f->s, fixture_node(f, node));

	if (other != NULL)
		assert_true(str_eq(state_attempt_id(&f->s, h.other, &f->mem),
			str_from(other)));
	return h.hold;
}

/* Design 3.8: priority, then the longest path, then document order. */
static void
the_order_is_priority_path_and_place(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "plain" },
		{ .id = "long" },
		{ .id = "mid", .depends = "long" },
		{ .id = "late", .depends = "mid" },
		{ .id = "low", .more = "Priority: -1" },
		{ .id = "high", .more = "Priority: 5" },
		{ .id = "also" },
	};
	struct run_fixture f;
	uint32_t first;

	(void)state;
	fixture_init_of(&f, rows, COUNT(rows));
	assert_wave(&f, UINT32_MAX, "high long plain also low ");
	assert_wave(&f, 2, "high long ");
	assert_wave(&f, 0, "");
	assert_true(ready_first(&f.s, &first));
	assert_int_equal(first, fixture_node(&f, "high"));
	fixture_release(&f);
}

/* C080: `B Depends: [A]` makes B wait for A. */
static void
what_depends_waits_for_what_it_names(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "B", .depends = "A" },
		{ .id = "A" },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, COUNT(rows));
	assert_wave(&f, UINT32_MAX, "A ");
	assert_int_equal(hold_of(&f, "B", NULL), HOLD_STATUS);
	fixture_pass(&f, "A");
	assert_wave(&f, UINT32_MAX, "B ");
	fixture_release(&f);
}

struct overlap {
	const char *a, *a_mode, *b, *b_mode;
	bool together;
};

static void
scopes_that_overlap_do_not_run_together(void **state)
{
	static const struct overlap overlaps[] = {
		{ "src", "write", "src", "write", false },
		{ "src", "write", "src/a", "write", false },
		{ "src/a", "write", "src", "write", false },
		{ ".", "write", "docs", "write", false },
		{ "src/a", "write", "src/ab", "write", true },
		{ "src/a", "write", "src/b", "write", true },
		{ "src", "write", "src/a", "read", false },
		{ "src", "read", "src/a", "write", false },
		{ "src", "read", "src", "read", true },
		{ ".", "read", ".", "read", true },
		{ "x, src/a", "write", "y, src/a/b", "write", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(overlaps); i++) {
		const struct overlap *o = &overlaps[i];
		const struct plan_row rows[] = {
			{ .id = "A", .paths = o->a, .mode = o->a_mode },
			{ .id = "B", .paths = o->b, .mode = o->b_mode },
		};
		struct run_fixture f;

		fixture_init_of(&f, rows, 2);
		assert_wave(&f, UINT32_MAX, o->together ? "A B " : "A ");
		fixture_until(&f, "A", ATTEMPT_RESERVED);
		assert_int_equal(hold_of(&f, "B", o->together ? NULL : "A@1"),
			o->together ? HOLD_NONE : HOLD_SCOPE);
		fixture_step(&f, EV_ATTEMPT_START_FAILED, "A@1");
		assert_int_equal(hold_of(&f, "B", NULL), HOLD_NONE);
		fixture_release(&f);
	}
}

static void
in_place_a_writer_is_alone(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "W1" },
		{ .id = "W2" },
		{ .id = "R1", .mode = "read" },
		{ .id = "R2", .mode = "read" },
	};
	static const struct plan_row readers_first[] = {
		{ .id = "R1", .mode = "read" },
		{ .id = "W1" },
		{ .id = "R2", .mode = "read" },
	};
	const struct run_options options = { .placement = "in_place" };
	struct run_fixture f;

	(void)state;
	fixture_init(&f, rows, COUNT(rows), &options);
	assert_wave(&f, UINT32_MAX, "W1 ");
	fixture_until(&f, "R1", ATTEMPT_RESERVED);
	assert_int_equal(hold_of(&f, "W1", "R1@1"), HOLD_IN_PLACE);
	assert_int_equal(hold_of(&f, "R2", NULL), HOLD_NONE);
	assert_wave(&f, UINT32_MAX, "R2 ");
	fixture_step(&f, EV_ATTEMPT_START_FAILED, "R1@1");
	fixture_until(&f, "W1", ATTEMPT_STARTED);
	assert_int_equal(hold_of(&f, "W2", "W1@1"), HOLD_IN_PLACE);
	assert_int_equal(hold_of(&f, "R2", "W1@1"), HOLD_IN_PLACE);
	assert_wave(&f, UINT32_MAX, "");
	fixture_release(&f);
	fixture_init(&f, readers_first, COUNT(readers_first), &options);
	assert_wave(&f, UINT32_MAX, "R1 R2 ");
	fixture_release(&f);
}

static void
a_node_with_an_attempt_alive_is_held_by_it(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;
	uint32_t first;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_RESERVED);
	assert_int_equal(hold_of(&f, "A", "A@1"), HOLD_LIVE);
	assert_false(ready_first(&f.s, &first));
	fixture_step(&f, EV_ATTEMPT_STARTED, "A@1");
	assert_int_equal(hold_of(&f, "A", "A@1"), HOLD_LIVE);
	fixture_step(&f, EV_CLEANUP_REGISTERED, "A@1");
	fixture_step(&f, EV_ATTEMPT_LOST, "A@1");
	assert_int_equal(hold_of(&f, "A", "A@1"), HOLD_UNRECONCILED);
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_NONE);
	/* One of pawl's own doesn't; nor does a worktree, whosever it is. */
	f.s.cleanups.items[0].by = STR("coordinator:c1");
	assert_int_equal(ready_hold(&f.s, 0).hold, HOLD_CLEANUP);
	f.s.cleanups.items[0].kind = STR("worktree");
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_NONE);
	f.s.cleanups.items[0].kind = STR("terminal");
	assert_false(ready_first(&f.s, &first));
	fixture_step_word(&f, EV_CLEANUP_SETTLED, "A@1", "retained");
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_NONE);
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_RUN_CLOSED);
	assert_false(ready_first(&f.s, &first));
	fixture_release(&f);
}

static void
slots_hold_dispatch_and_not_the_wave(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" }, { .id = "B" },
		{ .id = "C" } };
	const struct run_options options = { .slots = 1 };
	struct run_fixture f;
	uint32_t first;

	(void)state;
	fixture_init(&f, rows, 3, &options);
	assert_wave(&f, UINT32_MAX, "A B C ");
	fixture_until(&f, "A", ATTEMPT_RESERVED);
	assert_wave(&f, UINT32_MAX, "B C ");
	assert_int_equal(hold_of(&f, "B", NULL), HOLD_SLOTS);
	assert_false(ready_first(&f.s, &first));
	fixture_release(&f);
}

/* C105: with the breaker open one probe at a time, also in the wave. */
static void
an_open_breaker_lets_one_probe_go(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" }, { .id = "B" },
		{ .id = "C" } };
	static const char *const ends[] = { "A", "B", "C", "A", "B", "C" };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 3);
	for (size_t i = 0; i < 3; i++) {
		const char *a = arena_strdup(
			&f.mem, arena_format(&f.mem, "%s@1", ends[i]));

		fixture_until(&f, ends[i], ATTEMPT_RESERVED);
		fixture_step_word(
			&f, EV_ATTEMPT_START_FAILED, a, "no such profile");
	}
	assert_true(is_breaker_open(&f.s));
	assert_wave(&f, UINT32_MAX, "A ");
	fixture_until(&f, "A", ATTEMPT_RESERVED);
	assert_int_equal(hold_of(&f, "B", NULL), HOLD_BREAKER);
	assert_wave(&f, UINT32_MAX, "");
	for (size_t i = 3; i < 6; i++) {
		const char *a = arena_strdup(
			&f.mem, arena_format(&f.mem, "%s@2", ends[i]));

		if (i > 3)
			fixture_until(&f, ends[i], ATTEMPT_RESERVED);
		fixture_step_word(
			&f, EV_ATTEMPT_START_FAILED, a, "no such profile");
	}
	assert_true(is_breaker_tripped(&f.s));
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_BREAKER);
	assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
	fixture_step(&f, EV_COORDINATOR_TAKEN_OVER, "");
	assert_int_equal(hold_of(&f, "A", NULL), HOLD_NONE);
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_release(&f);
}

/* What the list says of each that is held. */
static void
the_list_says_why_the_others_are_held(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "A", .paths = "src" },
		{ .id = "B", .paths = "docs, src/b" },
		{ .id = "C", .paths = "lib" },
		{ .id = "D", .paths = "lib" },
	};
	struct contract_view v;
	struct run_fixture f;
	const struct ready_entry *list;
	uint32_t count;

	(void)state;
	fixture_init_of(&f, rows, COUNT(rows));
	fixture_until(&f, "C", ATTEMPT_RESERVED);
	list = ready_list(&f.s, UINT32_MAX, &f.mem, &count);
	assert_int_equal(count, 3);
	assert_int_equal(list[0].answer.hold, HOLD_NONE);
	assert_int_equal(list[1].answer.hold, HOLD_WAVE);
	assert_int_equal(list[1].answer.other, fixture_node(&f, "A"));
	v = contract_of(&f.s, list[1].answer.node);
	assert_true(str_eq(
		contract_scope(&v, list[1].answer.scope_1 - 1), STR("src/b")));
	assert_int_equal(list[2].answer.hold, HOLD_SCOPE);
	(void)ready_list(&f.s, 2, &f.mem, &count);
	assert_int_equal(count, 2);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_priority_path_and_place),
		cmocka_unit_test(what_depends_waits_for_what_it_names),
		cmocka_unit_test(scopes_that_overlap_do_not_run_together),
		cmocka_unit_test(in_place_a_writer_is_alone),
		cmocka_unit_test(a_node_with_an_attempt_alive_is_held_by_it),
		cmocka_unit_test(slots_hold_dispatch_and_not_the_wave),
		cmocka_unit_test(an_open_breaker_lets_one_probe_go),
		cmocka_unit_test(the_list_says_why_the_others_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
