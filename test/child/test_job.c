#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/bounds.h"
#include "child/job.h"

#define NEEDED                                                                 \
	"pawl-child", "--gate", "3", "--exits", "4", "--name", "a@1", "--log", \
		"/l", "--deadline-ms", "1000"

static void
all_options_are_read(void **state)
{
	const char *argv[] = { NEEDED, "--grace-ms", "0", "--stdin", "/i",
		"--outbox", "/o", "--cwd", "/c", "--limit", "nofile=64",
		"--limit", "core=0", "--", "prog", "--gate", NULL };
	struct pawl_err err = { 0 };
	struct job job;

	(void)state;
	assert_int_equal(job_read(&job, argv, &err), PAWL_OK);
	assert_int_equal(job.gate, 3);
	assert_int_equal(job.exits, 4);
	assert_string_equal(job.name, "a@1");
	assert_string_equal(job.outbox, "/o");
	assert_string_equal(job.log, "/l");
	assert_string_equal(job.input, "/i");
	assert_false(job.input_ours);
	assert_string_equal(job.cwd, "/c");
	assert_int_equal(job.deadline_ms, 1000);
	assert_int_equal(job.grace_ms, 0);
	assert_int_equal(job.limit_count, 2);
	assert_int_equal(job.limits[0].resource, RLIMIT_NOFILE);
	assert_int_equal(job.limits[0].value, 64);
	assert_int_equal(job.limits[1].resource, RLIMIT_CORE);
	assert_string_equal(job.argv[0], "prog");
	assert_string_equal(job.argv[1], "--gate");
	assert_null(job.argv[2]);
	job_release(&job);
}

static void
what_is_not_said_has_a_default(void **state)
{
	const char *argv[] = { NEEDED, "--", "prog", NULL };
	struct pawl_err err = { 0 };
	struct job job;

	(void)state;
	assert_int_equal(job_read(&job, argv, &err), PAWL_OK);
	assert_int_equal(job.grace_ms, JOB_GRACE_MS);
	assert_null(job.input);
	assert_null(job.outbox);
	assert_string_equal(job.cwd, "/");
	assert_int_equal(job.mask.secrets.count, 0);
	job_release(&job);
}

static void
masks_come_from_the_environment(void **state)
{
	const char *argv[] = { NEEDED, "--mask", "PAWL_TEST_SECRET", "--mask",
		"PAWL_TEST_NOT_SET", "--", "prog", NULL };
	struct pawl_err err = { 0 };
	struct job job;

	(void)state;
	assert_int_equal(setenv("PAWL_TEST_SECRET", "value", 1), 0);
	assert_int_equal(unsetenv("PAWL_TEST_NOT_SET"), 0);
	assert_int_equal(job_read(&job, argv, &err), PAWL_OK);
	assert_int_equal(job.mask.secrets.count, 1);
	assert_true(str_eq(job.mask.secrets.items[0], STR("value")));
	job_release(&job);
}

static void
numbers_have_limits(void **state)
{
	static const struct {
		const char *key;
		const char *value;
		bool good;
	} rows[] = {
		{ "--deadline-ms", "0", false },
		{ "--deadline-ms", "1", true },
		{ "--deadline-ms", "604800000", true },
		{ "--deadline-ms", "604800001", false },
		{ "--grace-ms", "600000", true },
		{ "--grace-ms", "600001", false },
		{ "--gate", "2147483647", true },
		{ "--gate", "2147483648", false },
		{ "--limit", "nofile=0", true },
		{ "--limit", "nofile=9223372036854775807", true },
		{ "--limit", "nofile=9223372036854775808", false },
		{ "--limit", "nofile=", false },
		{ "--limit", "nofile", false },
		{ "--limit", "=5", false },
		{ "--limit", "nofiles=5", false },
		{ "--confine", "2147483647", true },
		{ "--confine", "2147483648", false },
		{ "--confine", "-1", false },
		{ "--refuse", "unix", true },
		{ "--refuse", "truncate", true },
		{ "--refuse", "all", false },
		{ "--protect", "/p", true },
		{ "--protect", "p", false },
		{ "--open", "/p", true },
		{ "--open", "p", false },
		{ "--net", "none", true },
		{ "--net", "ours", true },
		{ "--net", "", false },
		{ "--outbox", "", false },
		{ "--outbox", "o", false },
		{ "--log", "./l", false },
		{ "--stdin", "i", false },
		{ "--stdin", "-", true },
		{ "--exits", "2147483647", true },
		{ "--exits", "2147483648", false },
		{ "--name", "", false },
		{ "--cwd", "c", false },
	};

	(void)state;
	assert_int_equal(BOUND_ATTEMPT_MS_MAX, 604800000);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *argv[] = { NEEDED, rows[i].key, rows[i].value, "--",
			"prog", NULL };
		struct pawl_err err = { 0 };
		struct job job;
		enum pawl_rc rc = job_read(&job, argv, &err);

		if ((rc == PAWL_OK) != rows[i].good) {
			fail_msg("%s %s: %s", rows[i].key, rows[i].value,
				err.msg);
		}
		if (rc != PAWL_OK)
			assert_non_null(strstr(err.msg, rows[i].key));
		job_release(&job);
	}
}

static void
limits_have_a_limit(void **state)
{
	const char *argv[11 + 2 * (JOB_LIMITS_MAX + 1) + 3] = { NEEDED };
	struct pawl_err err = { 0 };
	struct job job;
	size_t n = 11;

	(void)state;
	for (int i = 0; i < JOB_LIMITS_MAX; i++) {
		argv[n++] = "--limit";
		argv[n++] = "core=0";
	}
	argv[n] = "--";
	argv[n + 1] = "prog";
	assert_int_equal(job_read(&job, argv, &err), PAWL_OK);
	job_release(&job);
	argv[n++] = "--limit";
	argv[n++] = "core=0";
	argv[n++] = "--";
	argv[n++] = "prog";
	assert_int_equal(job_read(&job, argv, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	job_release(&job);
}

static void
what_is_needed_must_be_there(void **state)
{
	static const char *const all[] = { "--gate", "3", "--exits", "4",
		"--name", "a@1", "--log", "/l", "--deadline-ms", "1000" };

	(void)state;
	for (size_t left_out = 0; left_out < 10; left_out += 2) {
		const char *argv[14] = { "pawl-child" };
		struct pawl_err err = { 0 };
		struct job job;
		size_t n = 1;

		for (size_t i = 0; i < 10; i++) {
			if (i / 2 != left_out / 2)
				argv[n++] = all[i];
		}
		argv[n++] = "--";
		argv[n++] = "prog";
		assert_int_equal(job_read(&job, argv, &err), PAWL_EUSAGE);
		job_release(&job);
	}
}

static void
a_program_must_follow(void **state)
{
	static const char *const tails[][3] = { { NULL }, { "--" }, { "--cwd" },
		{ "prog", "x" } };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const char *argv[] = { NEEDED, tails[i][0], tails[i][1], NULL };
		struct pawl_err err = { 0 };
		struct job job;

		assert_int_equal(job_read(&job, argv, &err), PAWL_EUSAGE);
		job_release(&job);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_options_are_read),
		cmocka_unit_test(what_is_not_said_has_a_default),
		cmocka_unit_test(masks_come_from_the_environment),
		cmocka_unit_test(numbers_have_limits),
		cmocka_unit_test(limits_have_a_limit),
		cmocka_unit_test(what_is_needed_must_be_there),
		cmocka_unit_test(a_program_must_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
