/*
 * What a worker delivers is there once, whole and durable, and nothing that
 * lies in its place is written over or followed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "engine/outbox.h"
#include "fs_fault.h"
#include "tempdir.h"

static void
holds(int dir, const char *name, const char *want)
{
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	bool found = false;

	assert_int_equal(
		outbox_take(&fs_real, dir, name, 4096, &b, &found, &err),
		PAWL_OK);
	assert_int_equal(found, want != NULL);
	if (want != NULL)
		assert_true(str_eq(buf_str(&b), str_from(want)));
	buf_release(&b);
}

static void
the_same_bytes_are_one_delivery(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	bool again = true;

	(void)state;
	assert_int_equal(outbox_put(&fs_real, t.fd, OUTBOX_REPORT,
				 STR("{\"a\":1}"), &again, &err),
		PAWL_OK);
	assert_false(again);
	assert_int_equal(outbox_put(&fs_real, t.fd, OUTBOX_REPORT,
				 STR("{\"a\":1}"), &again, &err),
		PAWL_OK);
	assert_true(again);
	holds(t.fd, OUTBOX_REPORT, "{\"a\":1}");
	tempdir_close(&t);
}

/* C038: shorter, longer and as long; each is kept, none takes the place. */
static void
other_bytes_are_kept_beside_and_refused(void **state)
{
	static const char *const others[] = { "", "old", "olda", "neww" };
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	bool again;

	(void)state;
	assert_int_equal(outbox_put(&fs_real, t.fd, OUTBOX_REPORT, STR("oldb"),
				 &again, &err),
		PAWL_OK);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		char hex[SHA256_HEX + 1];
		char beside[128];

		for (int twice = 0; twice < 2; twice++) {
			assert_int_equal(
				outbox_put(&fs_real, t.fd, OUTBOX_REPORT,
					str_from(others[i]), &again, &err),
				PAWL_ECONFLICT);
			assert_int_equal(err.code, ERR_DELIVERY_CONFLICT);
		}
		sha256_hex(str_from(others[i]), hex);
		(void)snprintf(
			beside, sizeof(beside), OUTBOX_REPORT ".%s", hex);
		holds(t.fd, beside, others[i]);
	}
	holds(t.fd, OUTBOX_REPORT, "oldb");
	tempdir_close(&t);
}

static void
what_is_no_file_is_neither_followed_nor_taken(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	bool again, found;

	(void)state;
	assert_int_equal(symlinkat("elsewhere", t.fd, "link.json"), 0);
	assert_int_equal(mkdirat(t.fd, "folder.json", 0700), 0);
	assert_int_equal(mkfifoat(t.fd, "pipe.json", 0600), 0);
	assert_int_equal(
		outbox_put(&fs_real, t.fd, "link.json", STR("x"), &again, &err),
		PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_DELIVERY_CONFLICT);
	assert_int_equal(faccessat(t.fd, "elsewhere", F_OK, 0), -1);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = { "link.json", "folder.json",
			"pipe.json" };

		assert_int_equal(outbox_take(&fs_real, t.fd, names[i], 10, &b,
					 &found, &err),
			PAWL_EPERM);
		assert_int_equal(err.code, ERR_UNSAFE_PATH);
	}
	assert_int_equal(outbox_put(&fs_real, t.fd, "a.json", STR("12345"),
				 &again, &err),
		PAWL_OK);
	assert_int_equal(
		outbox_take(&fs_real, t.fd, "a.json", 5, &b, &found, &err),
		PAWL_OK);
	assert_int_equal(
		outbox_take(&fs_real, t.fd, "a.json", 4, &b, &found, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	holds(t.fd, "b.json", NULL);
	buf_release(&b);
	tempdir_close(&t);
}

static void
questions_get_numbers_up_to_the_bound(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	char text[32], name[OUTBOX_NAME_BYTES];
	uint32_t number = 0;
	bool again;

	(void)state;
	for (uint32_t i = 1; i <= BOUND_ASKS; i++) {
		(void)snprintf(text, sizeof(text), "question %u", i);
		assert_int_equal(outbox_ask(&fs_real, t.fd, str_from(text),
					 &number, &again, &err),
			PAWL_OK);
		assert_int_equal(number, i);
		assert_false(again);
	}
	assert_int_equal(outbox_ask(&fs_real, t.fd, STR("question 7"), &number,
				 &again, &err),
		PAWL_OK);
	assert_int_equal(number, 7);
	assert_true(again);
	assert_int_equal(
		outbox_ask(&fs_real, t.fd, STR("more"), &number, &again, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	outbox_ask_name(BOUND_ASKS, name);
	holds(t.fd, name, text);
	tempdir_close(&t);
}

/* Whatever operation fails, the name is absent or whole, and a retry lands. */
static void
a_delivery_that_was_cut_short_can_be_repeated(void **state)
{
	bool again;

	(void)state;
	for (long left = 0; left < 24; left++) {
		struct tempdir t = tempdir_open();
		struct fs_fault f = {
			.under = fs_real, .left = left, .sys = EIO
		};
		struct fs fs = fs_fault_over(&f);
		struct pawl_err err = { 0 };
		enum pawl_rc rc;

		rc = outbox_put(
			&fs, t.fd, OUTBOX_REPORT, STR("whole"), &again, &err);
		if (rc != PAWL_OK &&
			faccessat(t.fd, OUTBOX_REPORT, F_OK, 0) == 0)
			holds(t.fd, OUTBOX_REPORT, "whole");
		assert_int_equal(outbox_put(&fs_real, t.fd, OUTBOX_REPORT,
					 STR("whole"), &again, &err),
			PAWL_OK);
		holds(t.fd, OUTBOX_REPORT, "whole");
		tempdir_close(&t);
		if (f.fired == NULL)
			return;
	}
	fail_msg("an operation fails at every number");
}

static void
a_folder_that_is_not_there_says_what_to_set(void **state)
{
	struct pawl_err err = { 0 };
	int fd = -1;

	(void)state;
	assert_int_equal(outbox_open(&fs_real, "/no/such/outbox", &fd, &err),
		PAWL_ENOENT);
	assert_int_equal(fd, -1);
	assert_non_null(strstr(pawl_err_hint(&err), "PAWL_OUTBOX"));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_bytes_are_one_delivery),
		cmocka_unit_test(other_bytes_are_kept_beside_and_refused),
		cmocka_unit_test(what_is_no_file_is_neither_followed_nor_taken),
		cmocka_unit_test(questions_get_numbers_up_to_the_bound),
		cmocka_unit_test(a_delivery_that_was_cut_short_can_be_repeated),
		cmocka_unit_test(a_folder_that_is_not_there_says_what_to_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
