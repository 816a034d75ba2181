/*
 * Errors: the one table, and messages that stay one line within their room.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

/* Words are API: lower case with underscores, each once. */
static void
each_word_is_unique_and_well_formed(void **state)
{
	(void)state;
	for (enum pawl_code a = 0; a < PAWL_CODE_COUNT; a++) {
		const char *word = pawl_code_info(a)->word;

		assert_true(strlen(word) > 1);
		assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz_"),
			strlen(word));
		for (enum pawl_code b = a + 1; b < PAWL_CODE_COUNT; b++)
			assert_string_not_equal(word, pawl_code_info(b)->word);
	}
}

static void
each_row_has_an_exit_status_that_is_documented(void **state)
{
	(void)state;
	for (enum pawl_code c = 0; c < PAWL_CODE_COUNT; c++) {
		const struct pawl_code_info *info = pawl_code_info(c);

		assert_true((info->rc >= 1 && info->rc <= 9) ||
			info->rc == PAWL_EINTERNAL);
		assert_non_null(info->hint);
		/* What is busy may be retried; what is wrong may not. */
		if (info->rc == PAWL_EBUSY)
			assert_true(info->retryable);
		if (info->rc == PAWL_EUSAGE || info->rc == PAWL_ECORRUPT)
			assert_false(info->retryable);
	}
}

static void
failing_sets_class_code_and_message(void **state)
{
	struct pawl_err err = { 0 };

	(void)state;
	assert_int_equal(
		pawl_fail(&err, ERR_NODE_NOT_FOUND, "no node '%s'", "a"),
		PAWL_ENOENT);
	assert_int_equal(err.rc, PAWL_ENOENT);
	assert_int_equal(err.code, ERR_NODE_NOT_FOUND);
	assert_string_equal(err.msg, "no node 'a'");
	assert_string_equal(pawl_err_hint(&err), "pawl status");
	assert_int_equal(pawl_hint(&err, "pawl show %s", "a"), PAWL_ENOENT);
	assert_string_equal(pawl_err_hint(&err), "pawl show a");
	/* A second failure forgets the first one's hint. */
	(void)pawl_fail(&err, ERR_CYCLE, "a cycle");
	assert_string_equal(pawl_err_hint(&err), "");
}

static void
a_system_error_says_what_the_system_said(void **state)
{
	struct pawl_err err = { 0 };

	(void)state;
	errno = ENOSPC;
	assert_int_equal(
		pawl_fail_sys(&err, ERR_IO, "could not write '%s'", "f"),
		PAWL_EIO);
	assert_int_equal(err.sys, ENOSPC);
	assert_string_equal(
		err.msg, "could not write 'f': No space left on device");
}

static void
wrapping_puts_context_before(void **state)
{
	struct pawl_err err = { 0 };

	(void)state;
	(void)pawl_fail(&err, ERR_LIMIT, "too long");
	assert_int_equal(pawl_wrap(&err, "%s:%d", "tasks.md", 3), PAWL_ENO);
	assert_string_equal(err.msg, "tasks.md:3: too long");
	assert_int_equal(err.code, ERR_LIMIT);
}

static void
a_message_is_one_line(void **state)
{
	struct pawl_err err = { 0 };

	(void)state;
	(void)pawl_fail(&err, ERR_LIMIT, "a\nb\tc\033[31md\177e");
	assert_string_equal(err.msg, "a?b?c?[31md?e");
}

/* Of ASCII and characters of four bytes, none of them cut. */
static bool
is_whole(const char *text)
{
	while (*text != '\0') {
		if ((unsigned char)*text < 0x80) {
			text++;
			continue;
		}
		if (strncmp(text, "\xf0\x9f\x8e\x89", 4) != 0)
			return false;
		text += 4;
	}
	return true;
}

/* Text may be as long as it likes, and its characters are never cut in two. */
static void
a_long_message_ends_between_characters(void **state)
{
	struct pawl_err err = { 0 };
	char text[1200];

	(void)state;
	for (size_t shift = 0; shift < 4; shift++) {
		memset(text, 'a', sizeof(text));
		for (size_t i = shift; i + 4 < sizeof(text); i += 4)
			memcpy(text + i, "\xf0\x9f\x8e\x89", 4);
		text[sizeof(text) - 1] = '\0';
		(void)pawl_fail(&err, ERR_LIMIT, "%s", text);
		assert_true(strlen(err.msg) > sizeof(err.msg) - 5);
		assert_true(is_whole(err.msg));
		(void)pawl_hint(&err, "%s", text);
		assert_true(strlen(err.hint) > sizeof(err.hint) - 5);
		assert_true(is_whole(err.hint));
		(void)pawl_wrap(&err, "in");
		assert_true(strlen(err.msg) > sizeof(err.msg) - 5);
		assert_true(is_whole(err.msg));
		errno = EIO;
		(void)pawl_fail_sys(&err, ERR_IO, "%s", text);
		assert_true(is_whole(err.msg));
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_word_is_unique_and_well_formed),
		cmocka_unit_test(
			each_row_has_an_exit_status_that_is_documented),
		cmocka_unit_test(failing_sets_class_code_and_message),
		cmocka_unit_test(a_system_error_says_what_the_system_said),
		cmocka_unit_test(wrapping_puts_context_before),
		cmocka_unit_test(a_message_is_one_line),
		cmocka_unit_test(a_long_message_ends_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
