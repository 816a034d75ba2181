#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/spelling.h"
#include "run_fixture.h"

/* C069: `Src` against `src`, wherever in the path. */
static void
paths_that_differ_in_case_alone_are_found(void **state)
{
	static const struct {
		const char *a, *b;
		const char *path, *other; /* NULL: none is found */
	} cases[] = {
		{ "src", "Src", "Src", "src" },
		{ "src/a", "SRC/b", "SRC", "src" },
		{ "src/Lib/a", "src/lib", "src/lib", "src/Lib" },
		{ "src/lib", "src/Lib/a", "src/Lib", "src/lib" },
		{ "a, caf\xc3\x89", "b, caf\xc3\xa9", "caf\xc3\xa9",
			"caf\xc3\x89" },
		{ "src", "src/a", NULL, NULL },
		{ "src", "src", NULL, NULL },
		{ "src", "srcX", NULL, NULL },
		{ ".", "src", NULL, NULL },
		{ "a/b", "b/A", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct plan_row rows[] = {
			{ .id = "A", .paths = cases[i].a },
			{ .id = "B", .paths = cases[i].b, .mode = "read" },
		};
		struct plan_fixture f;
		struct spelling_clash clash = { 0 };

		plan_fixture_init(&f, rows, 2);
		assert_int_equal(spelling_clashes(&f.plan, &f.mem, &clash),
			cases[i].path != NULL);
		if (cases[i].path != NULL) {
			assert_true(
				str_eq(clash.path, str_from(cases[i].path)));
			assert_true(str_eq(
				clash.other_path, str_from(cases[i].other)));
			assert_int_equal(clash.node, 1);
			assert_int_equal(clash.other, 0);
		}
		plan_fixture_release(&f);
	}
}

/* One task that spells a folder in two ways clashes with itself. */
static void
one_task_may_not_spell_a_path_in_two_ways(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "A", .paths = "Src/a, src/b" },
	};
	struct plan_fixture f;
	struct spelling_clash clash;

	(void)state;
	plan_fixture_init(&f, rows, 1);
	assert_true(spelling_clashes(&f.plan, &f.mem, &clash));
	assert_int_equal(clash.node, clash.other);
	plan_fixture_release(&f);
}

/* What an amendment gives one task is spelled as all others spell it. */
static void
amended_paths_are_compared_as_the_lists_are(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "A", .paths = "src" },
		{ .id = "B", .paths = "lib/Io" },
	};
	static const struct {
		const char *paths[2];
		const char *path, *other; /* NULL: none is found */
	} cases[] = {
		{ { "lib/Io/x" }, NULL, NULL },
		{ { "lib/io" }, "lib/io", "lib/Io" },
		{ { "Lib" }, "Lib", "lib" },
		{ { "new", "LIB/Io" }, "LIB", "lib" },
		{ { "Src" }, NULL, NULL }, /* in place of its own */
		{ { "x/a", "X/b" }, "X", "x" },
		{ { "src" }, NULL, NULL },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct str items[2] = { str_from(cases[i].paths[0]),
			str_from(cases[i].paths[1]) };
		struct strs paths = { items, cases[i].paths[1] ? 2 : 1 };
		struct spelling_clash clash = { 0 };
		struct pawl_err err;

		assert_int_equal(spelling_clashes_amended(
					 &f.s, 0, &paths, &f.mem, &clash),
			cases[i].path != NULL);
		if (cases[i].path == NULL)
			continue;
		assert_true(str_eq(clash.path, str_from(cases[i].path)));
		assert_true(str_eq(clash.other_path, str_from(cases[i].other)));
		assert_int_equal(clash.node, 0);
		assert_int_equal(
			spelling_fail(f.s.plan, &clash, &err), PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_PATH);
	}
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_that_differ_in_case_alone_are_found),
		cmocka_unit_test(one_task_may_not_spell_a_path_in_two_ways),
		cmocka_unit_test(amended_paths_are_compared_as_the_lists_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
