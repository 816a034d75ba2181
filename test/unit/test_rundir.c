#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "commits.h"
#include "store/artifact.h"
#include "store/rundir.h"
#include "tempdir.h"

static const struct rundir_input input = { "tasks.md", { "- [ ] A\n", 8 } };
static const struct rundir_inputs inputs = { &input, 1 };

static void
mode_is(int dir, const char *name, mode_t want)
{
	struct stat st;

	assert_int_equal(fstatat(dir, name, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, want);
}

static void
a_run_is_made_with_its_inputs_and_modes(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct commit_count c = { 0 };
	struct buf b = { 0 };
	int dir = -1;

	(void)state;
	assert_int_equal(rundir_check_state(&fs_real, t.fd, &err), PAWL_ENOENT);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			rundir_init_state(&fs_real, t.fd, &err), PAWL_OK);
	assert_int_equal(rundir_create(&fs_real, t.fd, "r-20261130-k3x7qa",
				 &inputs, &dir, &err),
		PAWL_OK);
	mode_is(t.fd, "runs", 0700);
	mode_is(t.fd, "runs/r-20261130-k3x7qa", 0700);
	mode_is(dir, "artifacts/sha256", 0700);
	mode_is(dir, "events.jsonl", 0600);
	mode_is(dir, "lock", 0600);
	mode_is(dir, "plan/tasks.md", 0600);
	assert_int_equal(
		fs_read(&fs_real, dir, "plan/tasks.md", 99, &b, &err), PAWL_OK);
	assert_true(str_eq(buf_str(&b), input.bytes));
	assert_int_equal(commit_scan(&fs_real, dir, &c, &err), PAWL_OK);
	assert_int_equal(c.lines, 0);
	(void)close(dir);
	dir = -1;
	assert_int_equal(rundir_create(&fs_real, t.fd, "r-20261130-k3x7qa",
				 &inputs, &dir, &err),
		PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_ID_TAKEN);
	assert_int_equal(dir, -1);
	buf_release(&b);
	tempdir_close(&t);
}

static void
runs_are_listed_and_marked(void **state)
{
	static const char *const ids[] = { "b", "a", "c.1" };
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	struct buf b = { 0 };

	(void)state;
	/* No state directory: no runs. */
	assert_int_equal(
		rundir_list(&fs_real, t.fd, RUNDIR_ALL, &b, &err), PAWL_OK);
	assert_int_equal(b.len, 0);
	for (int i = 0; i < 3; i++) {
		int dir = -1;

		assert_int_equal(rundir_create(&fs_real, t.fd, ids[i], &inputs,
					 &dir, &err),
			PAWL_OK);
		(void)close(dir);
	}
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			rundir_mark_active(&fs_real, t.fd, "a", false, &err),
			PAWL_OK);
	assert_int_equal(
		rundir_list(&fs_real, t.fd, RUNDIR_ALL, &b, &err), PAWL_OK);
	assert_memory_equal(b.data, "a\0b\0c.1", 8);
	buf_clear(&b);
	assert_int_equal(
		rundir_list(&fs_real, t.fd, RUNDIR_ACTIVE, &b, &err), PAWL_OK);
	assert_int_equal(b.len, 6);
	assert_memory_equal(b.data, "b\0c.1", 6);
	buf_release(&b);
	tempdir_close(&t);
}

static void
an_id_that_leads_elsewhere_is_refused(void **state)
{
	static const char *const bad[] = { "", ".", "..", "../x", "a/b", ".a",
		"a b", "a\n", "\xc3\xa9" };
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	char name[BOUND_ID_BYTES + 2];
	int dir = -1;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(rundir_create(&fs_real, t.fd, bad[i], &inputs,
					 &dir, &err),
			PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_ID);
		assert_int_equal(
			rundir_open(&fs_real, t.fd, bad[i], &dir, &err),
			PAWL_ENOENT);
		assert_int_equal(err.code, ERR_RUN_NOT_FOUND);
		assert_int_equal(
			rundir_mark_active(&fs_real, t.fd, bad[i], true, &err),
			PAWL_ENO);
	}
	memset(name, 'a', sizeof(name));
	for (size_t len = BOUND_ID_BYTES - 1; len < sizeof(name); len++)
		assert_int_equal(rundir_is_id((struct str){ name, len }),
			len <= BOUND_ID_BYTES);
	tempdir_close(&t);
}

static void
a_state_directory_of_another_format_is_refused(void **state)
{
	static const struct {
		struct str text;
		enum pawl_code code;
	} rows[] = {
		{ { "pawl 2\n", 7 }, ERR_NEWER_FORMAT },
		{ { "pawl 1", 6 }, ERR_NEWER_FORMAT },
		{ { "", 0 }, ERR_CORRUPT },
		{ { "\0\0\0\0\0\0\0", 7 }, ERR_CORRUPT },
	};
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(fs_replace(&fs_real, t.fd, "format",
					 rows[i].text, FS_CACHE, &err),
			PAWL_OK);
		assert_int_equal(
			rundir_init_state(&fs_real, t.fd, &err), PAWL_ECORRUPT);
		assert_int_equal(err.code, rows[i].code);
	}
	tempdir_close(&t);
}

static void
an_artifact_that_is_not_what_its_name_says_is_refused(void **state)
{
	struct tempdir t = tempdir_open();
	struct pawl_err err = { 0 };
	char digest[SHA256_HEX + 1];
	struct buf b = { 0 };
	int dir = -1;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(artifact_put(&fs_real, t.fd, STR("evidence"),
					 digest, &err),
			PAWL_OK);
	buf_add(&b, STR("before "));
	assert_int_equal(
		artifact_get(&fs_real, t.fd, str_from(digest), 8, &b, &err),
		PAWL_OK);
	assert_string_equal(b.data, "before evidence");
	assert_int_equal(
		artifact_get(&fs_real, t.fd, str_from(digest), 7, &b, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(
		artifact_get(&fs_real, t.fd, STR("../../x"), 9, &b, &err),
		PAWL_ENO);
	assert_int_equal(
		fs_open_dir(&fs_real, t.fd, "artifacts/sha256", &dir, &err),
		PAWL_OK);
	assert_int_equal(fs_replace(&fs_real, dir, digest, STR("evidenz!"),
				 FS_CACHE, &err),
		PAWL_OK);
	assert_int_equal(
		artifact_get(&fs_real, t.fd, str_from(digest), 99, &b, &err),
		PAWL_ECORRUPT);
	assert_int_equal(err.code, ERR_DIGEST_MISMATCH);
	/* Putting it again heals it. */
	assert_int_equal(
		artifact_put(&fs_real, t.fd, STR("evidence"), digest, &err),
		PAWL_OK);
	buf_clear(&b);
	assert_int_equal(
		artifact_get(&fs_real, t.fd, str_from(digest), 99, &b, &err),
		PAWL_OK);
	(void)close(dir);
	buf_release(&b);
	tempdir_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_is_made_with_its_inputs_and_modes),
		cmocka_unit_test(runs_are_listed_and_marked),
		cmocka_unit_test(an_id_that_leads_elsewhere_is_refused),
		cmocka_unit_test(
			a_state_directory_of_another_format_is_refused),
		cmocka_unit_test(
			an_artifact_that_is_not_what_its_name_says_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
