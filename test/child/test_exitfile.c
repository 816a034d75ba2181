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

#define REST                                                           \
	"\"started_at\":\"1970-01-01T00:00:01.000000Z\","              \
	"\"ended_at\":\"1970-01-01T00:00:02.500000Z\","                \
	"\"duration_ms\":1500,\"settle_ms\":7,\"user_us\":11,"         \
	"\"system_us\":12,\"rss_max_kib\":13,\"stdout\":{\"bytes\":0," \
	"\"sha256\":\"" EMPTY_SHA256 "\"},\"stderr\":{\"bytes\":0,"    \
	"\"sha256\":\"" EMPTY_SHA256 "\"},\"log\":{\"head\":1,"        \
	"\"tail\":2,\"dropped\":3},\"masked\":4,"

static struct exitfile
sample(const struct tree *survivors, const struct tree *remaining)
{
	struct exitfile e = { .status = STATUS_EXIT_3,
		.limit_ms = 1000,
		.started_us = 1000000,
		.ended_us = 2500000,
		.duration_ms = 1500,
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
	assert_text(&e, "{\"v\":1,\"exit\":3," REST LISTS WORKER MONITOR);
	e.status = STATUS_KILLED;
	assert_text(&e, "{\"v\":1,\"signal\":9," REST LISTS WORKER MONITOR);
	e.cause = CAUSE_TIMEOUT;
	assert_text(&e,
		"{\"v\":1,\"timeout\":true,\"limit_ms\":1000,"
		"\"last\":{\"signal\":9}," REST LISTS SILENT WORKER MONITOR);
	e.cause = CAUSE_INTERRUPTED;
	e.status = STATUS_EXIT_3;
	assert_text(&e,
		"{\"v\":1,\"interrupted\":true,"
		"\"last\":{\"exit\":3}," REST LISTS SILENT WORKER MONITOR);
	e.cause = CAUSE_START_FAILED;
	errno = ENOENT;
	(void)pawl_fail_sys(&err, ERR_SPAWN, "could not start 'a\"b\\'");
	e.start_err = err;
	assert_text(&e,
		"{\"v\":1,\"start_failed\":\"could not start 'a\\\"b\\\\': "
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
		"{\"v\":1,\"exit\":3," REST "\"survivors\":[{\"pid\":7,"
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

/* Whatever stands there before, the file is ours afterwards, and alone new. */
static void
writing_replaces_whatever_stands_there(void **state)
{
	static const char *const before[] = { "true", "echo old >exit.json",
		"ln -s /etc/passwd exit.json", "mkdir exit.json",
		"mkdir -p exit.json/full", "mkfifo exit.json" };
	char dir[] = "/tmp/pawl-exit-XXXXXX", command[400], text[16];
	struct pawl_err err = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		int folder, fd;
		struct stat st;

		(void)snprintf(command, sizeof(command),
			"cd %s && rm -rf ./* && %s", dir, before[i]);
		/* NOLINTNEXTLINE(cert-env33-c): a path that mkdtemp made */
		assert_int_equal(system(command), 0);
		folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(folder >= 0);
		assert_int_equal(
			exitfile_write(folder, dir, STR("new\n"), &err),
			PAWL_OK);
		fd = openat(folder, "exit.json",
			O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
		assert_true(fd >= 0);
		assert_int_equal(fstat(fd, &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 07777, 0600);
		assert_int_equal(read(fd, text, sizeof(text)), 4);
		assert_memory_equal(text, "new\n", 4);
		(void)close(fd);
		(void)close(folder);
	}
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	/* NOLINTNEXTLINE(cert-env33-c): a path that mkdtemp made */
	assert_int_equal(system(command), 0);
}

static void
a_folder_that_was_removed_is_made_anew(void **state)
{
	char dir[] = "/tmp/pawl-exit-XXXXXX", path[64];
	struct pawl_err err = { 0 };
	struct stat st;
	int folder;

	(void)state;
	assert_non_null(mkdtemp(dir));
	folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(folder >= 0);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(
		exitfile_write(folder, dir, STR("new\n"), &err), PAWL_OK);
	(void)snprintf(path, sizeof(path), "%s/exit.json", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 4);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(dir), 0);
	/* Somebody's link in its place is not followed. */
	assert_int_equal(symlink("/tmp", dir), 0);
	assert_int_equal(
		exitfile_write(folder, dir, STR("new\n"), &err), PAWL_EIO);
	assert_int_equal(unlink(dir), 0);
	assert_int_equal(exitfile_write(folder, "/no/such/parent/outbox",
				 STR("new\n"), &err),
		PAWL_EIO);
	assert_int_equal(err.sys, ENOENT);
	(void)close(folder);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_has_its_bytes),
		cmocka_unit_test(names_are_escaped_and_lists_bounded),
		cmocka_unit_test(a_log_that_failed_is_told),
		cmocka_unit_test(writing_replaces_whatever_stands_there),
		cmocka_unit_test(a_folder_that_was_removed_is_made_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
