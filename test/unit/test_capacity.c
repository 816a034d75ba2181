/*
 * What tasks need of a machine, and how much of it there is.  That nothing is
 * handed out twice holds in every state that invariants.c looks at, too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>

#include "model/capacity.h"
#include "model/explain.h"
#include "model/ready.h"
#include "run_fixture.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void
a_need_is_a_class_and_an_amount(void **state)
{
	static const struct {
		const char *text;
		const char *class;
		uint32_t amount; /* 0: it is none */
	} rows[] = {
		{ "gpu", "gpu", 1 },
		{ "gpu:1", "gpu", 1 },
		{ "gpu:1024", "gpu", BOUND_SLOTS },
		{ "gpu:1025", "", 0 },
		{ "gpu:0", "", 0 },
		{ "gpu:", "", 0 },
		{ "gpu:two", "", 0 },
		{ "gpu:1:2", "", 0 },
		{ ":2", "", 0 },
		{ "", "", 0 },
		{ "gpu=2", "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct need need = { 0 };
		bool is = need_read(str_from(rows[i].text), &need);

		if (is != (rows[i].amount > 0) ||
			need.amount != rows[i].amount ||
			!str_eq(need.class, str_from(rows[i].class)))
			fail_msg("'%s'", rows[i].text);
	}
}

static void
a_capacity_is_a_class_and_a_number(void **state)
{
	static const struct {
		const char *text;
		enum pawl_rc rc;
	} rows[] = {
		{ "gpu=1", PAWL_OK },
		{ "gpu=1024", PAWL_OK },
		{ "gpu=1025", PAWL_ENO },
		{ "gpu=0", PAWL_ENO },
		{ "gpu", PAWL_ENO },
		{ "=1", PAWL_ENO },
		{ "gpu:1", PAWL_ENO },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pawl_err err = { 0 };
		struct need limit;

		if ((capacity_read(str_from(rows[i].text), &limit, &err) ==
			    PAWL_OK) != (rows[i].rc == PAWL_OK))
			fail_msg("'%s': %s", rows[i].text, err.msg);
	}
}

static void
assert_wave(struct run_fixture *f, const char *want)
{
	struct buf out = { 0 };
	uint32_t count;
	const uint32_t *wave = ready_wave(&f->s, UINT32_MAX, &f->mem, &count);

	for (uint32_t i = 0; i < count; i++)
		buf_addf(&out, STR_FMT " ",
			STR_ARG(plan_id(&f->plan.plan, wave[i])));
	assert_string_equal(out.len > 0 ? out.data : "", want);
	buf_release(&out);
}

static const struct plan_row needy[] = {
	{ .id = "A", .paths = "a", .more = "Needs: gpu" },
	{ .id = "B", .paths = "b", .more = "Needs: [net, gpu]" },
	{ .id = "C", .paths = "c", .more = "Needs: gpu:2" },
	{ .id = "D", .paths = "d", .more = "Needs: net" },
	{ .id = "E", .paths = "e" },
};

/* Below, at and above what three tasks want. */
static void
a_wave_takes_no_more_than_there_is(void **state)
{
	static const struct {
		const char *capacity, *wave;
	} rows[] = {
		{ NULL, "A D E " },
		{ "gpu=1", "A D E " },
		{ "gpu=2", "A B E " },
		{ "gpu=3", "A B E " },
		{ "gpu=4", "A B C E " },
		{ "net=2", "A D E " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct run_options options = { .capacity =
							     rows[i].capacity };
		struct run_fixture f;

		fixture_init(&f, needy, COUNT(needy), &options);
		assert_wave(&f, rows[i].wave);
		fixture_release(&f);
	}
}

/* The decision, `ready` and `explain` say the same, and which class it is. */
static void
what_is_full_holds_and_is_named(void **state)
{
	const struct run_options options = { .capacity = "gpu=2" };
	struct run_fixture f;
	struct command cmd;
	struct explanation ex;
	struct hold_answer h;

	(void)state;
	fixture_init(&f, needy, COUNT(needy), &options);
	fixture_until(&f, "A", ATTEMPT_RESERVED);
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "B")).hold, HOLD_NONE);
	h = ready_hold(&f.s, fixture_node(&f, "C"));
	assert_int_equal(h.hold, HOLD_CAPACITY);
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "C@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_EBUSY);
	assert_int_equal(f.err.code, ERR_BUSY);
	explain_node(&f.s, fixture_node(&f, "C"), 1, &f.mem, &ex);
	assert_int_equal(ex.causes[0].code, CAUSE_CAPACITY);
	assert_true(str_eq(ex.causes[0].sentence,
		STR("it needs 2 of 'gpu', of which 1 of 2 is in use")));
	fixture_until(&f, "B", ATTEMPT_RESERVED);
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "D")).hold, HOLD_CAPACITY);
	fixture_release(&f);
}

/* After a takeover with less: it waits for the others, and then runs alone. */
static void
a_need_over_all_that_there_is_runs_alone(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init(&f, needy, COUNT(needy), NULL);
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "C")).hold, HOLD_NONE);
	fixture_until(&f, "C", ATTEMPT_RESERVED);
	assert_wave(&f, "D E ");
	fixture_release(&f);
}

static void
a_list_that_wants_too_much_is_refused(void **state)
{
	static const struct {
		const char *capacity;
		enum pawl_code code; /* 0: it suffices */
	} rows[] = {
		{ NULL, ERR_LIMIT },
		{ "gpu=1", ERR_LIMIT },
		{ "gpu=2", 0 },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, needy, COUNT(needy));
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str word = str_from(rows[i].capacity);
		struct strs capacity = { &word, rows[i].capacity != NULL };
		struct pawl_err err = { 0 };
		enum pawl_rc rc =
			capacity_suffices(&f.plan.plan, &capacity, &err);

		assert_int_equal(rc == PAWL_OK ? 0 : err.code, rows[i].code);
	}
	fixture_release(&f);
}

/* The limit on classes: at it, and above. */
static void
the_classes_of_a_list_are_bounded(void **state)
{
	enum { NODES = BOUND_CLASSES + 1, TEXT = 16 };
	static struct plan_row rows[NODES];
	static char ids[NODES][TEXT], needs[NODES][TEXT];
	const struct strs none = { 0 };

	(void)state;
	for (size_t i = 0; i < NODES; i++) {
		(void)snprintf(ids[i], TEXT, "N%zu", i);
		(void)snprintf(needs[i], TEXT, "Needs: c%zu", i);
		rows[i] = (struct plan_row){
			.id = ids[i], .paths = ids[i], .more = needs[i]
		};
	}
	for (size_t count = NODES - 1; count <= NODES; count++) {
		struct pawl_err err = { 0 };
		struct run_fixture f;

		fixture_init_of(&f, rows, count);
		assert_int_equal(
			capacity_suffices(&f.plan.plan, &none, &err) == PAWL_OK,
			count == BOUND_CLASSES);
		fixture_release(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_need_is_a_class_and_an_amount),
		cmocka_unit_test(a_capacity_is_a_class_and_a_number),
		cmocka_unit_test(a_wave_takes_no_more_than_there_is),
		cmocka_unit_test(what_is_full_holds_and_is_named),
		cmocka_unit_test(a_need_over_all_that_there_is_runs_alone),
		cmocka_unit_test(a_list_that_wants_too_much_is_refused),
		cmocka_unit_test(the_classes_of_a_list_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
