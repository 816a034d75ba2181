#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child/exitfile.h"

/* wait(2) statuses, as the kernel packs them. */
enum { STATUS_EXIT_3 = 3 << 8, STATUS_KILLED = 9 };

#define EMPTY_SHA256 \
	"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

#define OF "{\"v\":1,\"of\":\"T\\\"1@1\","

#define REST                                                                   \
	"\"started_at\":\"1970-01-01T00:00:01.000000Z\","                      \
	"\"ended_at\":\"1970-01-01T00:00:02.500000Z\","                        \
	"\"duration_ms\":1500,\"held_ms\":300,\"settle_ms\":7,\"user_us\":11," \
	"\"system_us\":12,\"rss_max_kib\":13,\"stdout\":{\"bytes\":0,"         \
	"\"sha256\":\"" EMPTY_SHA256 "\"},\"stderr\":{\"bytes\":0,"            \
	"\"sha256\":\"" EMPTY_SHA256 "\"},\"log\":{\"head\":1,"                \
	"\"tail\":2,\"dropped\":3},\"masked\":4,"

static struct exitfile
sample(const struct tree *survivors, const struct tree *remaining)
{
	struct exitfile e = { .name = "T\"1@1",
		.status = STATUS_EXIT_3,
		.limit_ms = 1000,
		.started_us = 1000000,
		.ended_us = 2500000,
		.duration_ms = 1500,
		.held_ms = 300,
		.settle_ms = 7,
		.user_us = 11,
		.system_us = 12,
		.rss_max_kib = 13,
		.log_head = 1,
		.log_tail = 2,
		.log_dropped = 3,
		.masked = 4,
		.survivors = survivors,
		.remaining = remaining,
		.silent_output_ms = 21,
		.silent_heartbeat_ms = 22,
		.silent_cpu_ms = 23,
		.worker_pid = 101,
		.worker_start = 1001,
		.monitor_pid = 100,
		.monitor_start = 1000 };
	struct sha256 sha;

	sha256_init(&sha);
	sha256_end(&sha, e.out.digest);
	memcpy(e.err.digest, e.out.digest, sizeof(e.err.digest));
	return e;
}

static void
assert_text(const struct exitfile *e, const char *expected)
{
	struct buf b = { 0 };

	exitfile_format(e, &b);
	assert_string_equal(b.data, expected);
	buf_release(&b);
}

/* Golden bytes: a change here is a change of the format. */
static void
each_end_has_its_bytes(void **state)
{
	struct tree none = { 0 };
	struct exitfile e = sample(&none, &none);
	struct pawl_err err = { 0 };

#define LISTS "\"survivors\":[],\"survivor_count\":0,\"remaining\":[],"
#define SILENT                                              \
	"\"silent\":{\"output_ms\":21,\"heartbeat_ms\":22," \
	"\"cpu_ms\":23},"
#define WORKER "\"worker\":{\"pid\":101,\"start\":1001},"
#define MONITOR "\"monitor\":{\"pid\":100,\"start\":1000}}\n"
	(void)state;
	assert_text(&e, OF "\"exit\":3," REST LISTS WORKER MONITOR);
	e.status = STATUS_KILLED;
	assert_text(&e, OF "\"signal\":9," REST LISTS WORKER MONITOR);
	e.cause = CAUSE_TIMEOUT;
	assert_text(&e,
		OF "\"timeout\":true,\"limit_ms\":1000,"
		   "\"last\":{\"signal\":9}," REST LISTS SILENT WORKER MONITOR);
	e.cause = CAUSE_INTERRUPTED;
	e.status = STATUS_EXIT_3;
	assert_text(&e,
		OF "\"interrupted\":true,"
		   "\"last\":{\"exit\":3}," REST LISTS SILENT WORKER MONITOR);
	e.cause = CAUSE_START_FAILED;
	errno = ENOENT;
	(void)pawl_fail_sys(&err, ERR_SPAWN, "could not start 'a\"b\\'");
	e.start_err = err;
	assert_text(&e,
		OF
		"\"start_failed\":\"could not start 'a\\\"b\\\\': "
		"No such file or directory\",\"errno\":2," REST LISTS MONITOR);
}

static void
names_are_escaped_and_lists_bounded(void **state)
{
	struct tree survivors = { 0 }, none = { 0 };
	struct exitfile e = sample(&survivors, &survivors);
	struct buf b = { 0 };
	size_t pids = 0;

	(void)state;
	(void)tree_push(&survivors,
		(struct pstat){
			.pid = 7, .start = 8, .comm = "a\"\\\n\xc3\x28" });
	assert_text(&e,
		OF "\"exit\":3," REST "\"survivors\":[{\"pid\":7,"
		   "\"start\":8,\"comm\":\"a\\\"\\\\\\u000a\\u00c3(\"}],"
		   "\"survivor_count\":1,\"remaining\":[{\"pid\":7,\"start\":8,"
		   "\"comm\":\"a\\\"\\\\\\u000a\\u00c3(\"}]," WORKER MONITOR);
	while (survivors.count < EXITFILE_LIST_MAX + 1)
		(void)tree_push(&survivors, (struct pstat){ .pid = 7 });
	e.remaining = &none;
	exitfile_format(&e, &b);
	for (const char *at = b.data; (at = strstr(at, "{\"pid\":7,")); at++)
		pids++;
	assert_int_equal(pids, EXITFILE_LIST_MAX);
	assert_non_null(strstr(b.data, "\"survivor_count\":65,"));
	buf_release(&b);
	tree_release(&survivors);
}

static void
a_log_that_failed_is_told(void **state)
{
	struct tree none = { 0 };
	struct exitfile e = sample(&none, &none);
	struct buf b = { 0 };

	(void)state;
	e.log_sys = ENOSPC;
	exitfile_format(&e, &b);
	assert_non_null(strstr(b.data,
		"\"dropped\":3,\"failed\":\"No space left on device\"}"));
	buf_release(&b);
}

static void
an_opened_gate_has_its_bytes(void **state)
{
	struct tree none = { 0 };
	struct exitfile e = sample(&none, &none);
	struct buf b = { 0 };

	(void)state;
	exitfile_format_opened(&e, &b);
	assert_string_equal(b.data, OF "\"opened\":true," MONITOR);
	buf_release(&b);
}

/* Behind an empty line, so that what was cut off before spoils nothing. */
static void
a_line_is_appended_whole_or_not_at_all(void **state)
{
	char file[] = "/tmp/pawl-exit-XXXXXX", text[32];
	struct pawl_err err = { 0 };
	int full, fd = mkostemp(file, O_APPEND | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "{\"cut", 5), 5);
	assert_int_equal(exitfile_append(fd, STR("one\n"), &err), PAWL_OK);
	assert_int_equal(exitfile_append(fd, STR("two\n"), &err), PAWL_OK);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 15);
	assert_memory_equal(text, "{\"cut\none\n\ntwo\n", 15);
	(void)close(fd);
	assert_int_equal(unlink(file), 0);
	full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(exitfile_append(full, STR("x\n"), &err), PAWL_EIO);
	assert_int_equal(err.sys, ENOSPC);
	(void)close(full);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_has_its_bytes),
		cmocka_unit_test(names_are_escaped_and_lists_bounded),
		cmocka_unit_test(a_log_that_failed_is_told),
		cmocka_unit_test(an_opened_gate_has_its_bytes),
		cmocka_unit_test(a_line_is_appended_whole_or_not_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
