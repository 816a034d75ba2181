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

#include "child/log.h"

static char path[64];

static int
folder_make(void **state)
{
	char *dir = strdup("/tmp/pawl-log-XXXXXX");

	assert_non_null(dir);
	assert_non_null(mkdtemp(dir));
	(void)snprintf(path, sizeof(path), "%s/log", dir);
	*state = dir;
	return 0;
}

static int
folder_free(void **state)
{
	(void)remove(path);
	assert_int_equal(rmdir(*state), 0);
	free(*state);
	return 0;
}

static char
byte(uint64_t at)
{
	return (char)('a' + at * 7 / 3 % 26);
}

/* Add `total` bytes in pieces, flushing now and then; return the file. */
static size_t
fill(struct log *log, uint64_t total, size_t piece, char *file, size_t size)
{
	char *bytes = malloc(piece);
	struct stat st;
	size_t len;
	FILE *f;

	assert_non_null(bytes);
	log_init(log, path);
	for (uint64_t at = 0; at < total;) {
		size_t n = total - at < piece ? (size_t)(total - at) : piece;

		for (size_t i = 0; i < n; i++)
			bytes[i] = byte(at + i);
		log_add(log, (struct str){ bytes, n });
		at += n;
		if (at % 5 == 0)
			log_flush(log);
		assert_int_equal(stat(path, &st), 0);
		assert_true(st.st_size <= LOG_FILE_MAX);
	}
	log_flush(log);
	log_close(log);
	log_close(log);
	assert_int_equal(log->sys, 0);
	free(bytes);
	if (total == 0)
		return 0; /* no file is made of nothing */
	f = fopen(path, "re");
	assert_non_null(f);
	len = fread(file, 1, size, f);
	assert_int_equal(fclose(f), 0);
	return len;
}

/* Below, at and above both bounds, in pieces small and large. */
static void
the_file_is_head_and_tail_at_every_size(void **state)
{
	static const uint64_t totals[] = { 0, 1, LOG_HEAD - 1, LOG_HEAD,
		LOG_HEAD + 1, LOG_HEAD + LOG_TAIL - 1, LOG_HEAD + LOG_TAIL,
		LOG_HEAD + LOG_TAIL + 1, 3 * LOG_HEAD + 17, 1000003 };
	static const size_t pieces[] = { 997, 4096, LOG_TAIL, LOG_TAIL + 1,
		200000 };
	static char file[2 * LOG_FILE_MAX];
	static struct log log;

	(void)state;
	for (size_t i = 0; i < sizeof(totals) / sizeof(totals[0]); i++) {
		for (size_t k = 0; k < sizeof(pieces) / sizeof(pieces[0]);
			k++) {
			uint64_t total = totals[i], kept = LOG_HEAD + LOG_TAIL;
			size_t len = fill(
				&log, total, pieces[k], file, sizeof(file));
			size_t tail = log_tail(&log);
			char mark[LOG_MARK_MAX] = "";

			assert_int_equal(log.bytes, total);
			assert_int_equal(log_dropped(&log),
				total > kept ? total - kept : 0);
			if (total > kept) {
				(void)snprintf(mark, sizeof(mark),
					"\n*** pawl: %llu bytes are left out "
					"here ***\n",
					(unsigned long long)(total - kept));
			}
			assert_int_equal(len, log.head + strlen(mark) + tail);
			for (size_t b = 0; b < log.head; b++)
				assert_int_equal(file[b], byte(b));
			assert_memory_equal(
				file + log.head, mark, strlen(mark));
			for (size_t b = 0; b < tail; b++) {
				assert_int_equal(file[len - tail + b],
					byte(total - tail + b));
			}
		}
	}
}

static void
the_longest_mark_fits(void **state)
{
	char mark[LOG_MARK_MAX];

	(void)state;
	assert_true(snprintf(mark, sizeof(mark),
			    "\n*** pawl: %llu bytes are left out here ***\n",
			    (unsigned long long)UINT64_MAX) < LOG_MARK_MAX);
}

static void
what_is_no_plain_file_is_refused(void **state)
{
	static struct log log;
	const struct {
		const char *path;
		const char *make;
		int sys;
	} rows[] = {
		{ path, "ln -s /dev/null", ELOOP },
		{ path, "mkfifo", ENXIO },
		{ path, "mkdir", EISDIR },
		{ "/dev/null", NULL, EINVAL },
		{ "/no/such/log", NULL, ENOENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char command[200];

		(void)remove(path); /* of the row before */
		(void)snprintf(command, sizeof(command), "%s '%s'",
			rows[i].make ? rows[i].make : "true", path);
		/* NOLINTNEXTLINE(cert-env33-c): a path that mkdtemp made */
		assert_int_equal(system(command), 0);
		log_init(&log, rows[i].path);
		log_add(&log, STR("text"));
		log_add(&log, STR("text"));
		log_flush(&log);
		assert_int_equal(log.sys, rows[i].sys);
		assert_int_equal(log.fd, -1);
		assert_int_equal(log.bytes, 8);
		log_close(&log);
	}
	(void)remove(path);
}

static void
nothing_is_made_without_a_byte(void **state)
{
	static struct log log;

	(void)state;
	log_init(&log, path);
	log_add(&log, STR(""));
	log_flush(&log);
	assert_int_equal(access(path, F_OK), -1);
	log_close(&log);
	assert_int_equal(log.sys, 0);
}

/* The worker goes on; the reason is kept. */
static void
a_full_disk_is_remembered_and_harmless(void **state)
{
	static struct log log;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(full >= 0);
	log_init(&log, path);
	log_add(&log, STR("x"));
	assert_int_equal(dup3(full, log.fd, O_CLOEXEC), log.fd);
	log_add(&log, STR("lost"));
	log_flush(&log);
	assert_int_equal(log.sys, ENOSPC);
	assert_int_equal(log.bytes, 5);
	log_close(&log);
	(void)close(full);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_is_head_and_tail_at_every_size),
		cmocka_unit_test(the_longest_mark_fits),
		cmocka_unit_test(what_is_no_plain_file_is_refused),
		cmocka_unit_test(nothing_is_made_without_a_byte),
		cmocka_unit_test(a_full_disk_is_remembered_and_harmless),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_free);
}
