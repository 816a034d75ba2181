#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "model/rework.h"
#include "model/word.h"

#define A16 "0123456789abcdef"

static const struct str abc[] = { { "a", 1 }, { "bc", 2 }, { "d", 1 } };

static void
a_wrong_word_is_told_with_the_good_ones(void **state)
{
	static const struct {
		const char *word;
		size_t count;
		const char *want;
	} rows[] = {
		{ "x", 3, "colour 'x' is none of a, bc, d" },
		{ "", 2, "colour '' is none of a, bc" },
		{ "ab", 1, "colour 'ab' is none of a" },
		{ A16 A16 A16 A16, 1,
			"colour '" A16 A16 A16 A16 "' is none of a" },
		{ A16 A16 A16 A16 "0", 1,
			"colour '" A16 A16 A16 A16 "' is none of a" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pawl_err err = { 0 };

		assert_int_equal(
			word_unknown("colour", str_from(rows[i].word), abc,
				rows[i].count, ERR_INVALID_ARGUMENT, &err),
			PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
		assert_string_equal(err.msg, rows[i].want);
	}
}

/* What is read is what is listed, and nothing else. */
static void
each_word_that_is_listed_is_read(void **state)
{
	struct pawl_err err = { 0 };
	enum finding_class class;
	enum rework_action action;
	enum grade grade = GRADE_FAIL;
	(void)state;

	for (size_t i = 0; i < FINDING_CLASS_COUNT; i++) {
		assert_int_equal(
			finding_class_read(
				finding_class_word((enum finding_class)i),
				&class, &err),
			PAWL_OK);
		assert_int_equal(class, i);
	}
	for (size_t i = 0; i < REWORK_ACTION_COUNT; i++) {
		assert_int_equal(
			rework_action_read(
				rework_action_word((enum rework_action)i),
				&action, &err),
			PAWL_OK);
		assert_int_equal(action, i);
	}
	assert_int_equal(
		finding_class_read(STR("bug"), &class, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_FINDING);
	assert_string_equal(err.msg,
		"class 'bug' is none of acceptance_violation, "
		"reproducible_regression, security_or_integrity, hardening, "
		"advisory");
	assert_int_equal(
		rework_action_read(STR("retry"), &action, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
	assert_string_equal(err.msg,
		"action 'retry' is none of accept_check, amend_acceptance, "
		"amend_paths, regroup, input_required, block");
	assert_int_equal(grade_read(STR(""), &grade, &err), PAWL_ENO);
	assert_string_equal(
		err.msg, "grade '' is none of pass, fail, unobserved, blocked");
	assert_int_equal(grade, GRADE_FAIL);
	assert_int_equal(grade_read(STR("blocked"), &grade, &err), PAWL_OK);
	assert_int_equal(grade, GRADE_BLOCKED);
	assert_int_equal(outcome_check(STR("failed"), &err), PAWL_OK);
	assert_int_equal(outcome_check(STR("fail"), &err), PAWL_ENO);
	assert_string_equal(err.msg,
		"outcome 'fail' is none of pass, partial, blocked, failed");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wrong_word_is_told_with_the_good_ones),
		cmocka_unit_test(each_word_that_is_listed_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
