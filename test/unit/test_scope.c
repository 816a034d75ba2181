#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/bounds.h"
#include "model/scope.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *raw;
	const char *path; /* NULL: refused */
	bool directory;
	const char *hint;
} paths[] = {
	{ "src", "src", false, "" },
	{ "src/", "src", true, "" },
	{ "./src", "src", false, "" },
	{ "./src/", "src", true, "" },
	{ ".", "", true, "" },
	{ "./", "", true, "" },
	{ "src/a b.c", "src/a b.c", false, "" },
	{ ".github/x", ".github/x", false, "" },
	{ ".gitignore", ".gitignore", false, "" },
	{ "a/.gitx", "a/.gitx", false, "" },
	{ "...", "...", false, "" },
	{ "-rf", "-rf", false, "" },
	{ "a$b;c", "a$b;c", false, "" },
	{ "caf\xc3\xa9", "caf\xc3\xa9", false, "" },
	{ "cafe\xcc\x81/", "caf\xc3\xa9", true, "" }, /* NFD */
	{ "", NULL, false, "." },
	{ "/", NULL, false, "." },
	{ "/src/a", NULL, false, "src/a" },
	{ "//src", NULL, false, "src" },
	{ "C:/src", NULL, false, "src" },
	{ "c:src", NULL, false, "src" },
	{ "src\\a.c", NULL, false, "src/a.c" },
	{ "..", NULL, false, "" },
	{ "../src", NULL, false, "" },
	{ "a/../b", NULL, false, "b" },
	{ "a/b/../c/", NULL, false, "a/c" },
	{ "a/..", NULL, false, "." },
	{ "a//b", NULL, false, "a/b" },
	{ "a//", NULL, false, "a" },
	{ ".//a", NULL, false, "a" },
	{ "a/./b", NULL, false, "a/b" },
	{ "././a", NULL, false, "a" },
	{ "a/.", NULL, false, "a" },
	{ "src/*.c", NULL, false, "src" },
	{ "src/api/**/x.c", NULL, false, "src/api" },
	{ "*.c", NULL, false, "." },
	{ "src/a?.c", NULL, false, "src" },
	{ "app/[id]/page", NULL, false, "app" },
	{ "a/{b,c}", NULL, false, "a" },
	{ "a/x]", NULL, false, "a" },
	{ ".git", NULL, false, "" },
	{ ".git/config", NULL, false, "" },
	{ "sub/.git/config", NULL, false, "" },
	{ ".GIT/hooks", NULL, false, "" },
	{ "./.git/", NULL, false, "" },
	{ "a\tb", NULL, false, "" },
	{ "a\nb", NULL, false, "" },
	{ "a\x7f", NULL, false, "" },
	{ "a\xc2\x9b", NULL, false, "" },
	{ "a\xff", NULL, false, "" },
	{ "\xed\xa0\x80", NULL, false, "" },
};

/* C069, C072 */
static void
paths_are_normalised_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(paths); i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		struct scope scope = { { "untouched", 9 }, false };
		enum pawl_rc rc = scope_normalise(
			str_from(paths[i].raw), &mem, &scope, &err);

		if ((rc == PAWL_OK) != (paths[i].path != NULL))
			fail_msg("case %zu '%s': %s", i, paths[i].raw, err.msg);
		if (rc == PAWL_OK) {
			if (!str_eq(scope.path, str_from(paths[i].path)))
				fail_msg("'%s' became '" STR_FMT "'",
					paths[i].raw, STR_ARG(scope.path));
			assert_int_equal(scope.directory, paths[i].directory);
		} else {
			assert_int_equal(err.code, ERR_INVALID_PATH);
			if (strcmp(err.hint, paths[i].hint) != 0)
				fail_msg("'%s': hint '%s'", paths[i].raw,
					err.hint);
			assert_true(str_eq(scope.path, STR("untouched")));
		}
		arena_reset(&mem);
	}
}

static void
a_nul_in_a_path_is_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct scope scope;

	(void)state;
	assert_int_equal(
		scope_normalise(STR("a\0b"), &mem, &scope, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_PATH);
	arena_reset(&mem);
}

static void
a_path_has_at_most_4096_bytes(void **state)
{
	static char text[BOUND_PATH_BYTES + 2];
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct scope scope;

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t len = BOUND_PATH_BYTES - 1; len <= BOUND_PATH_BYTES; len++)
		assert_int_equal(scope_normalise((struct str){ text, len },
					 &mem, &scope, &err),
			PAWL_OK);
	assert_int_equal(
		scope_normalise((struct str){ text, BOUND_PATH_BYTES + 1 },
			&mem, &scope, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	/* A refused path at the bound has a hint as long; it is cut. */
	text[0] = '/';
	assert_int_equal(scope_normalise((struct str){ text, BOUND_PATH_BYTES },
				 &mem, &scope, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_PATH);
	arena_reset(&mem);
}

/* C069 */
static void
overlap_is_by_segments(void **state)
{
	static const struct {
		const char *a, *b;
		bool overlaps, a_contains_b;
	} cases[] = {
		{ "src/foo", "src/foobar", false, false },
		{ "src/foo", "src/foo/bar", true, true },
		{ "src/foo/bar", "src/foo", true, false },
		{ "src", "srcx.ts", false, false },
		{ "src", "src/config", true, true },
		{ "src", "src", true, true },
		{ "", "anything/at/all", true, true },
		{ "anything", "", true, false },
		{ "", "", true, true },
		{ "a", "b", false, false },
		{ "Src", "src", false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct str a = str_from(cases[i].a), b = str_from(cases[i].b);

		assert_int_equal(scope_overlaps(a, b), cases[i].overlaps);
		assert_int_equal(scope_overlaps(b, a), cases[i].overlaps);
		assert_int_equal(scope_contains(a, b), cases[i].a_contains_b);
	}
}

static void
folded_scopes_overlap_where_case_is_folded(void **state)
{
	static const struct {
		const char *a, *b;
	} same[] = {
		{ "Src/A", "src/a" },
		{ "\xc3\x89t\xc3\xa9", "\xc3\xa9T\xc3\x89" },
		{ "stra\xc3\x9f"
		  "e",
			"STRASSE" },
		{ "", "" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++)
		assert_true(str_eq(scope_fold(str_from(same[i].a), &mem),
			scope_fold(str_from(same[i].b), &mem)));
	assert_false(str_eq(scope_fold(STR("src/a"), &mem),
		scope_fold(STR("src-a"), &mem)));
	arena_reset(&mem);
}

/* C070 */
static void
a_set_is_reduced_to_the_minimal_one(void **state)
{
	static const struct {
		const char *in[6];
		const char *out[6];
	} cases[] = {
		{ { "src/a.c", "src" }, { "src" } },
		{ { "src", "src-x", "src/a", "src.c" },
			{ "src", "src-x", "src.c" } },
		{ { "b", "a" }, { "a", "b" } },
		{ { "a/b/c", "", "z" }, { "" } },
		{ { "a/b", "a/b/c", "a/bc", "a/b/c/d" }, { "a/b", "a/bc" } },
		{ { "x" }, { "x" } },
		{ { NULL }, { NULL } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct scope set[6];
		size_t count = 0, want = 0;

		while (cases[i].in[count] != NULL) {
			set[count].path = str_from(cases[i].in[count]);
			set[count].directory = false;
			count++;
		}
		while (cases[i].out[want] != NULL)
			want++;
		count = scope_reduce(set, count);
		assert_int_equal(count, want);
		for (size_t k = 0; k < count; k++)
			assert_true(
				str_eq(set[k].path, str_from(cases[i].out[k])));
	}
}

static void
a_directory_stays_one_when_a_set_is_reduced(void **state)
{
	struct scope set[] = { { STR("a"), false }, { STR("a"), true } };

	(void)state;
	assert_int_equal(scope_reduce(set, 2), 1);
	assert_true(set[0].directory);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_normalised_or_refused),
		cmocka_unit_test(a_nul_in_a_path_is_refused),
		cmocka_unit_test(a_path_has_at_most_4096_bytes),
		cmocka_unit_test(overlap_is_by_segments),
		cmocka_unit_test(folded_scopes_overlap_where_case_is_folded),
		cmocka_unit_test(a_set_is_reduced_to_the_minimal_one),
		cmocka_unit_test(a_directory_stays_one_when_a_set_is_reduced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
