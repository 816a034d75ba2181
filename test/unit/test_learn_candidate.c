#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/learn_candidate.h"
#include "run_fixture.h"

static const struct str scopes[] = { { "src", 3 } };
static const struct str tasks[] = { { "A", 1 } };
static const struct str one_digest[] = { { "11111111111111111111111111111111"
					   "11111111111111111111111111111111",
	64 } };

/* A good one, of the change with this digit. */
static struct learn_candidate
candidate(struct arena *mem, char change, const char *key)
{
	char *hex = arena_bytes(mem, 64);

	memset(hex, change, 64);
	return (struct learn_candidate){
		.schema_version = 1,
		.key = str_from(key),
		.kind = LEARN_RULE,
		.stance = LEARN_SUPPORT,
		.origin = LEARN_REPAIR,
		.statement = STR("run the linter first"),
		.scope = scopes,
		.scope_count = 1,
		.run = arena_format(mem, "r-%c", change),
		.change = { hex, 64 },
		.task_refs = tasks,
		.task_refs_count = 1,
		.evidence = one_digest,
		.evidence_count = 1,
	};
}

static enum learn_status
status_of(struct learn_candidate *all, uint32_t count, struct arena *mem)
{
	uint32_t groups;
	struct learn_group *g = learn_candidate_group(all, count, mem, &groups);

	assert_int_equal(groups, 1);
	assert_int_equal(g->count, count);
	return g->status;
}

/* Five different lists; a list that was run twice is one. */
static void
it_recurs_from_five_changes_on(void **unused)
{
	struct arena mem = ARENA_INIT;
	struct learn_candidate all[6];

	(void)unused;
	for (int i = 0; i < 4; i++)
		all[i] = candidate(&mem, (char)('1' + i), "lint");
	assert_int_equal(status_of(all, 4, &mem), LEARN_WEAK_SAMPLE);
	all[4] = candidate(&mem, '1', "lint");
	all[4].run = STR("r-again");
	assert_int_equal(status_of(all, 5, &mem), LEARN_WEAK_SAMPLE);
	all[5] = candidate(&mem, '9', "lint");
	assert_int_equal(status_of(all, 6, &mem), LEARN_RECURRING_DRAFT);
	arena_reset(&mem);
}

static void
one_against_it_makes_it_contested(void **unused)
{
	struct arena mem = ARENA_INIT;
	struct learn_candidate all[6];
	uint32_t count;
	struct learn_group *g;

	(void)unused;
	for (int i = 0; i < 6; i++)
		all[i] = candidate(&mem, (char)('1' + i), "lint");
	all[2].stance = LEARN_OPPOSE;
	all[2].statement = STR("the linter hides it");
	assert_int_equal(status_of(all, 6, &mem), LEARN_CONTESTED);
	g = learn_candidate_group(all, 6, &mem, &count);
	assert_int_equal(g->support, 5);
	assert_int_equal(g->oppose, 1);
	arena_reset(&mem);
}

static void
supporters_who_mean_different_things_conflict(void **unused)
{
	static const struct str other[] = { { "lib", 3 } };
	struct arena mem = ARENA_INIT;

	(void)unused;
	for (int what = 0; what < 4; what++) {
		struct learn_candidate all[2] = { candidate(&mem, '1', "lint"),
			candidate(&mem, '2', "lint") };

		if (what == 0)
			all[1].kind = LEARN_GATE;
		if (what == 1)
			all[1].scope = other;
		if (what == 2)
			all[1].statement = STR("never run the linter");
		if (what == 3) /* blanks make no difference */
			all[1].statement = STR(" run  the linter first ");
		assert_int_equal(status_of(all, 2, &mem),
			what < 3 ? LEARN_CONFLICTING : LEARN_WEAK_SAMPLE);
	}
	arena_reset(&mem);
}

static void
the_draft_is_the_same_in_any_order_and_says_that_nothing_is_active(
	void **unused)
{
	struct arena mem = ARENA_INIT;
	struct learn_candidate a[3] = { candidate(&mem, '1', "lint"),
		candidate(&mem, '2', "lint"), candidate(&mem, '1', "build") };
	struct learn_candidate b[3] = { a[2], a[1], a[0] };
	struct buf x = { 0 }, y = { 0 };
	struct learn_group *g;
	uint32_t count;

	(void)unused;
	a[0].statement = b[2].statement = STR("x\x1b[2J\n# Active");
	g = learn_candidate_group(a, 3, &mem, &count);
	assert_int_equal(count, 2);
	assert_true(str_eq(g[0].key, STR("build")));
	learn_candidate_draft(a, g, count, &x);
	g = learn_candidate_group(b, 3, &mem, &count);
	learn_candidate_draft(b, g, count, &y);
	assert_string_equal(x.data, y.data);
	assert_non_null(strstr(x.data, "Nothing in this file is active."));
	assert_null(strstr(x.data, "\n# Active"));
	assert_null(strchr(x.data, '\x1b'));
	buf_release(&x);
	buf_release(&y);
	g = learn_candidate_group(a, 0, &mem, &count);
	learn_candidate_draft(a, g, count, &x);
	assert_non_null(strstr(x.data, "Nothing in this file is active."));
	buf_release(&x);
	arena_reset(&mem);
}

static const struct plan_row two[] = {
	{ .id = "A" },
	{ .id = "B", .depends = "A" },
};

/* A record of a run that was closed after A passed; its evidence verified. */
static struct learn_record
record(struct run_fixture *f)
{
	struct learn_record r;

	fixture_init_of(f, two, 2);
	fixture_pass(f, "A");
	fixture_step_word(f, EV_RUN_CLOSED, "", "partial");
	learn_record_make(&f->s, &f->mem, &r);
	for (uint32_t i = 0; i < r.tasks[0].evidence_count; i++)
		r.tasks[0].evidence[i].proof = LEARN_VERIFIED;
	return r;
}

static void
a_candidate_fits_its_record(void **unused)
{
	static const struct str of_b[] = { { "B", 1 } };
	static const struct str of_none[] = { { "C", 1 } };
	struct run_fixture f;
	struct learn_record r = record(&f);
	struct learn_candidate good = candidate(&f.mem, '1', "lint"), c;
	struct pawl_err err;

	(void)unused;
	assert_int_equal(r.tasks[0].evidence_count, 1);
	good.run = r.run;
	good.change = r.change;
	good.evidence = &r.tasks[0].evidence[0].sha256;
	assert_int_equal(learn_candidate_fits(&good, &r, &err), PAWL_OK);
	c = good;
	c.run = STR("r-other");
	assert_int_equal(learn_candidate_fits(&c, &r, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_DOCUMENT);
	c = good;
	c.task_refs = of_none;
	assert_int_equal(learn_candidate_fits(&c, &r, &err), PAWL_ENOENT);
	c = good;
	c.task_refs = of_b; /* the evidence is another task's */
	assert_int_equal(learn_candidate_fits(&c, &r, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_EVIDENCE_UNPROVEN);
	c = good;
	c.evidence = one_digest;
	assert_int_equal(learn_candidate_fits(&c, &r, &err), PAWL_ENO);
	r.tasks[0].evidence[0].proof = LEARN_UNAVAILABLE;
	assert_int_equal(learn_candidate_fits(&good, &r, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_EVIDENCE_UNPROVEN);
	fixture_release(&f);
}

static void
a_record_is_read_as_it_was_written(void **unused)
{
	struct run_fixture f;
	struct learn_record r = record(&f), back;
	struct buf once = { 0 }, again = { 0 };
	struct pawl_err err;

	(void)unused;
	learn_record_write(&r, &once);
	assert_int_equal(learn_record_read(&f.mem, buf_str(&once), &back, &err),
		PAWL_OK);
	learn_record_write(&back, &again);
	assert_string_equal(once.data, again.data);
	assert_true(back.shadow_only);
	assert_int_equal(back.tasks_count, 2);
	assert_int_equal(back.tasks[0].attempts, 1);
	assert_int_equal(back.tasks[0].checks, 1);
	assert_int_equal(back.tasks[0].check_ms, 1234);
	assert_int_equal(back.tasks[0].lifecycle_count, 4);
	assert_int_equal(back.tasks[0].lifecycle[3], NODE_PASSED);
	assert_true(str_eq(back.telemetry->provider_usage, STR("unavailable")));
	assert_null(strstr(once.data, "make test"));
	buf_release(&once);
	buf_release(&again);
	fixture_release(&f);
}

static void
tasks_are_cut_at_256(void **unused)
{
	static char ids[LEARN_TASKS + 1][8];
	static struct plan_row rows[LEARN_TASKS + 1];

	(void)unused;
	for (size_t count = LEARN_TASKS; count <= LEARN_TASKS + 1; count++) {
		struct run_fixture f;
		struct learn_record r;

		for (size_t i = 0; i < count; i++) {
			(void)snprintf(ids[i], sizeof(ids[i]), "N-%zu", i);
			rows[i] = (struct plan_row){ .id = ids[i] };
		}
		fixture_init_of(&f, rows, count);
		fixture_until(&f, ids[count - 1], ATTEMPT_STARTED);
		learn_record_make(&f.s, &f.mem, &r);
		assert_int_equal(r.tasks_count, LEARN_TASKS);
		assert_int_equal(r.tasks_left_out, count - LEARN_TASKS);
		fixture_release(&f);
	}
}

static void
only_runs_of_the_same_checks_are_compared(void **unused)
{
	static const struct plan_row other[] = {
		{ .id = "A", .check = "make other" },
		{ .id = "B", .depends = "A" },
	};
	struct run_fixture f, g, h;
	struct learn_record a = record(&f), b = record(&g), c;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct pawl_err err;

	(void)unused;
	assert_int_equal(learn_record_compare(&a, &b, &w, &err), PAWL_OK);
	assert_non_null(strstr(out.data, "\"passed\":1,"));
	assert_null(strstr(out.data, "verdict\":\""));
	fixture_init_of(&h, other, 2);
	learn_record_make(&h.s, &h.mem, &c);
	assert_int_equal(learn_record_compare(&a, &c, &w, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
	fixture_release(&h);
	fixture_init_of(&h, two, 1);
	learn_record_make(&h.s, &h.mem, &c);
	assert_int_equal(learn_record_compare(&a, &c, &w, &err), PAWL_ENO);
	buf_release(&out);
	fixture_release(&f);
	fixture_release(&g);
	fixture_release(&h);
}

static void
the_published_schemas_are_the_tables_s(void **unused)
{
	struct buf out = { 0 };

	(void)unused;
	learn_record_schema(&out);
	golden_check("schemas/learning-record.schema.json", buf_str(&out));
	out.len = 0;
	learn_candidate_schema(&out);
	golden_check("schemas/learning-candidate.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_recurs_from_five_changes_on),
		cmocka_unit_test(one_against_it_makes_it_contested),
		cmocka_unit_test(supporters_who_mean_different_things_conflict),
		cmocka_unit_test(
			the_draft_is_the_same_in_any_order_and_says_that_nothing_is_active),
		cmocka_unit_test(a_candidate_fits_its_record),
		cmocka_unit_test(a_record_is_read_as_it_was_written),
		cmocka_unit_test(tasks_are_cut_at_256),
		cmocka_unit_test(only_runs_of_the_same_checks_are_compared),
		cmocka_unit_test(the_published_schemas_are_the_tables_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
