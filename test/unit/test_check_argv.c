#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/bounds.h"
#include "model/check_argv.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void
lines_are_split_by_posix_quoting(void **state)
{
	static const struct {
		const char *line;
		const char *argv[6];
	} cases[] = {
		{ "make", { "make" } },
		{ "  make \t test  ", { "make", "test" } },
		{ "sh 'a b' \"c d\"", { "sh", "a b", "c d" } },
		{ "a'b'\"c\"d", { "abcd" } },
		{ "x '' \"\"", { "x", "", "" } },
		{ "x a\\ b \\' \\\"", { "x", "a b", "'", "\"" } },
		{ "x \"a\\\"b\\\\c\\$d\\`e\"", { "x", "a\"b\\c$d`e" } },
		{ "x \"a\\nb\"", { "x", "a\\nb" } },
		{ "x '$HOME `id` | & ; * ? [ { } ~ # \\'",
			{ "x", "$HOME `id` | & ; * ? [ { } ~ # \\" } },
		{ "x \"| & ; < > ( ) * ? [ { } ~ #\"",
			{ "x", "| & ; < > ( ) * ? [ { } ~ #" } },
		{ "x \\$a \\| \\*", { "x", "$a", "|", "*" } },
		{ "x a~b a#b \\~ \\#c", { "x", "a~b", "a#b", "~", "#c" } },
		{ "env A=b make", { "env", "A=b", "make" } },
		{ "1A=b", { "1A=b" } },
		{ "a-b=c", { "a-b=c" } },
		{ "'A'=b", { "A=b" } },
		{ "=b", { "=b" } },
		{ "x ! ] %", { "x", "!", "]", "%" } },
		{ "-rf", { "-rf" } },
		{ "caf\xc3\xa9", { "caf\xc3\xa9" } },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		char **argv = NULL;
		size_t at, n = 0;

		if (check_argv(str_from(cases[i].line), &mem, &argv, &at,
			    &err) != PAWL_OK)
			fail_msg("'%s': %s", cases[i].line, err.msg);
		for (; cases[i].argv[n] != NULL; n++) {
			assert_non_null(argv[n]);
			assert_string_equal(argv[n], cases[i].argv[n]);
		}
		assert_null(argv[n]);
		arena_reset(&mem);
	}
}

/* C117 */
static void
what_needs_a_shell_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *line;
		size_t at;
	} cases[] = {
		{ "a | b", 2 },
		{ "a & b", 2 },
		{ "a&&b", 1 },
		{ "a ; b", 2 },
		{ "a;", 1 },
		{ "a < b", 2 },
		{ "a > b", 2 },
		{ "a 2>&1", 3 },
		{ "(a)", 0 },
		{ "a )", 2 },
		{ "a $b", 2 },
		{ "a $(b)", 2 },
		{ "a x$b", 3 },
		{ "a `b`", 2 },
		{ "a *.c", 2 },
		{ "a b?", 3 },
		{ "a [b]", 2 },
		{ "a {b,c}", 2 },
		{ "a }", 2 },
		{ "a ~/b", 2 },
		{ "~/a", 0 },
		{ "a # b", 2 },
		{ "#a", 0 },
		{ "A=b make", 0 },
		{ "_a1=b make", 0 },
		{ "A='x y' make", 0 },
		{ "! a", 0 },
		{ "!", 0 },
		{ "a \"$b\"", 3 },
		{ "a \"`b`\"", 3 },
		{ "a 'b", 2 },
		{ "a \"b", 2 },
		{ "a \"b\\\"", 2 },
		{ "a b\\", 3 },
		{ "", 0 },
		{ " \t", 0 },
		{ "'' a", 0 },
		{ "a\nb", 1 },
		{ "a \x1b", 2 },
		{ "a\x7f", 1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		char *none = NULL;
		char **argv = &none;
		size_t at = 999;

		if (check_argv(str_from(cases[i].line), &mem, &argv, &at,
			    &err) != PAWL_ENO)
			fail_msg("'%s' is taken", cases[i].line);
		assert_int_equal(err.code, ERR_INVALID_CHECK);
		if (at != cases[i].at)
			fail_msg("'%s': at %zu", cases[i].line, at);
		assert_non_null(strstr(pawl_err_hint(&err), "script"));
		assert_ptr_equal(argv, &none);
		arena_reset(&mem);
	}
}

static enum pawl_rc
split(struct str line, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	char **argv;
	size_t at;
	enum pawl_rc rc = check_argv(line, &mem, &argv, &at, err);

	arena_reset(&mem);
	return rc;
}

static void
bytes_and_words_are_bounded(void **state)
{
	static char text[BOUND_CHECK_BYTES + 1];
	struct pawl_err err = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(
		split((struct str){ text, BOUND_CHECK_BYTES - 1 }, &err), 0);
	assert_int_equal(
		split((struct str){ text, BOUND_CHECK_BYTES }, &err), 0);
	assert_int_equal(
		split((struct str){ text, BOUND_CHECK_BYTES + 1 }, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	for (size_t i = 1; i < sizeof(text); i += 2)
		text[i] = ' ';
	assert_int_equal(
		split((struct str){ text, (size_t)2 * (BOUND_CHECK_ARGS - 1) },
			&err),
		0);
	assert_int_equal(
		split((struct str){ text, (size_t)2 * BOUND_CHECK_ARGS }, &err),
		0);
	assert_int_equal(
		split((struct str){ text, (size_t)2 * (BOUND_CHECK_ARGS + 1) },
			&err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
}

static void
a_nul_is_refused(void **state)
{
	struct pawl_err err = { 0 };

	(void)state;
	assert_int_equal(split(STR("a\0b"), &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_CHECK);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_split_by_posix_quoting),
		cmocka_unit_test(what_needs_a_shell_is_refused_at_its_place),
		cmocka_unit_test(bytes_and_words_are_bounded),
		cmocka_unit_test(a_nul_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
