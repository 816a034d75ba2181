/*
 * C001, C031: 32 processes append at once, on the real file system; nothing is
 * lost, nothing is doubled, no lock stays.  Some are killed on the way.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/rand.h"
#include "commits.h"
#include "os/lock.h"
#include "tempdir.h"

enum {
	WRITERS = 32,
	EACH = 50,
};

/* One writer's life; `said` gets a byte for each commit that was said OK. */
static int
write_all(int dir, uint64_t who, int said, bool for_ever)
{
	struct buf events = { 0 };
	struct pawl_err err;
	struct journal j;

	journal_init(&j, &fs_real, dir);
	for (uint64_t i = 0; for_ever || i < EACH; i++) {
		char byte = (char)who;

		if (commit_one(&j, commit_events(&events, who, i % 700),
			    &err) != PAWL_OK)
			return 1;
		if (write(said, &byte, 1) != 1)
			return 2;
	}
	journal_close(&j);
	buf_release(&events);
	return 0;
}

static pid_t
start_writer(int dir, uint64_t who, int said[2], bool for_ever)
{
	pid_t pid = fork();

	if (pid == 0) {
		(void)close(said[0]); /* the reader's end */
		_exit(write_all(dir, who, said[1], for_ever));
	}
	assert_true(pid > 0);
	return pid;
}

static enum pawl_rc
count_by_writer(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	uint64_t *counts = arg;
	int64_t who = json_int(json_get(
		json_get(json_first(l->line.events), STR("data")), STR("n")));

	(void)err;
	assert_true(who >= 0 && who < WRITERS);
	counts[who]++;
	return PAWL_OK;
}

/* Lines by writer, after whatever a killed one left was cut. */
static void
scan_all(int dir, uint64_t counts[WRITERS])
{
	struct journal_repaired repaired;
	struct pawl_err err = { 0 };
	struct journal_tail tail;
	struct journal j;

	journal_init(&j, &fs_real, dir);
	/* Nobody holds the lock: it is there at once. */
	assert_int_equal(journal_lock(&j, 0, &err), PAWL_OK);
	assert_int_equal(
		journal_catch_up(&j, NULL, NULL, &repaired, &err), PAWL_OK);
	journal_close(&j);
	journal_init(&j, &fs_real, dir);
	assert_int_equal(journal_scan(&j, count_by_writer, counts, &tail, &err),
		PAWL_OK);
	assert_true(tail.end == JOURNAL_WHOLE || tail.end == JOURNAL_NO_LF);
	journal_close(&j);
}

/* How many commits each writer was told are done. */
static void
hear_all(int fd, uint64_t told[WRITERS])
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			told[(size_t)bytes[i]]++;
	}
	(void)close(fd);
}

static void
thirty_two_writers_lose_nothing(void **state)
{
	uint64_t counts[WRITERS] = { 0 }, told[WRITERS] = { 0 };
	struct tempdir dir = tempdir_open();
	struct pawl_err err = { 0 };
	int said[2];

	(void)state;
	assert_int_equal(journal_create(&fs_real, dir.fd, &err), PAWL_OK);
	assert_int_equal(pipe(said), 0);
	for (uint64_t who = 0; who < WRITERS; who++)
		(void)start_writer(dir.fd, who, said, false);
	(void)close(said[1]);
	hear_all(said[0], told);
	for (int i = 0; i < WRITERS; i++) {
		int status;

		assert_true(wait(&status) > 0);
		assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	}
	scan_all(dir.fd, counts);
	for (int who = 0; who < WRITERS; who++) {
		assert_int_equal(told[who], EACH);
		assert_int_equal(counts[who], EACH);
	}
	tempdir_close(&dir);
}

/* C027: the lock dies with its holder; the next one goes on at once. */
static void
killed_writers_lose_nothing_that_was_acknowledged(void **state)
{
	uint64_t counts[WRITERS] = { 0 }, told[WRITERS] = { 0 };
	struct tempdir dir = tempdir_open();
	struct pawl_err err = { 0 };
	struct rand r = rand_seeded(7);

	(void)state;
	assert_int_equal(journal_create(&fs_real, dir.fd, &err), PAWL_OK);
	for (int round = 0; round < 25; round++) {
		pid_t pids[4];
		int said[2];

		assert_int_equal(pipe(said), 0);
		for (uint64_t who = 0; who < 4; who++)
			pids[who] = start_writer(dir.fd, who, said, true);
		(void)close(said[1]);
		(void)usleep((useconds_t)(2000 + rand_u64(&r) % 20000));
		for (int who = 0; who < 4; who++)
			assert_int_equal(kill(pids[who], SIGKILL), 0);
		hear_all(said[0], told);
		while (wait(NULL) > 0)
			continue;
		memset(counts, 0, sizeof(counts));
		scan_all(dir.fd, counts);
		for (int who = 0; who < 4; who++) {
			/* One more may be there that nobody was told of. */
			assert_true(counts[who] >= told[who]);
			assert_true(
				counts[who] <= told[who] + (uint64_t)round + 1);
		}
	}
	assert_true(counts[0] > 0);
	tempdir_close(&dir);
}

/* Append until told to stop; a poisoned journal is for others to mend. */
static int
write_beside_repairs(int dir, uint64_t who, int said)
{
	struct buf events = { 0 };
	char byte = (char)who;
	struct pawl_err err;
	struct journal j;

	journal_init(&j, &fs_real, dir);
	for (;;) {
		enum pawl_rc rc =
			commit_one(&j, commit_events(&events, who, 300), &err);

		if (rc == PAWL_OK && write(said, &byte, 1) != 1)
			return 2;
		if (rc != PAWL_OK && err.code != ERR_POISONED)
			return 1;
	}
}

/* Poison and mend it again and again, which rewrites the file. */
static int
repair_for_ever(int dir)
{
	struct journal_repaired repaired;
	struct pawl_err err;
	struct journal j;

	journal_init(&j, &fs_real, dir);
	for (;;) {
		int fd = openat(dir, "poison", O_CREAT | O_WRONLY, 0600);

		if (fd < 0)
			return 1;
		(void)close(fd);
		if (journal_repair(&j, 10000, &repaired, &err) != PAWL_OK)
			return 2;
		(void)usleep(4000);
	}
}

/* C006: what rewrites the file is killed anywhere, beside eight writers. */
static void
writers_beside_killed_repairs_lose_nothing(void **state)
{
	uint64_t counts[WRITERS] = { 0 }, told[WRITERS] = { 0 };
	struct tempdir dir = tempdir_open();
	struct journal_repaired repaired;
	struct pawl_err err = { 0 };
	struct rand r = rand_seeded(9);
	struct journal j;
	uint64_t all = 0;
	pid_t pids[8];
	int said[2];

	(void)state;
	assert_int_equal(journal_create(&fs_real, dir.fd, &err), PAWL_OK);
	assert_int_equal(pipe(said), 0);
	for (uint64_t who = 0; who < 8; who++) {
		pids[who] = fork();
		if (pids[who] == 0)
			_exit(write_beside_repairs(dir.fd, who, said[1]));
	}
	for (int round = 0; round < 60; round++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(repair_for_ever(dir.fd));
		(void)usleep((useconds_t)(rand_u64(&r) % 25000));
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	}
	for (int who = 0; who < 8; who++) {
		int status = 0;

		if (waitpid(pids[who], &status, WNOHANG) != 0)
			fail_msg("writer %d ended: 0x%x", who, status);
		assert_int_equal(kill(pids[who], SIGKILL), 0);
	}
	while (wait(NULL) > 0)
		continue;
	(void)close(said[1]);
	hear_all(said[0], told);
	journal_init(&j, &fs_real, dir.fd);
	assert_int_equal(journal_repair(&j, 0, &repaired, &err), PAWL_OK);
	journal_close(&j);
	scan_all(dir.fd, counts);
	for (int who = 0; who < 8; who++) {
		all += told[who];
		assert_true(counts[who] >= told[who]);
		assert_true(counts[who] <= told[who] + 1);
	}
	assert_true(all > 0);
	tempdir_close(&dir);
}

/* C029: a holder that is stopped is waited for, not robbed. */
static void
a_stopped_holder_keeps_the_lock_and_is_named(void **state)
{
	struct tempdir dir = tempdir_open();
	struct pawl_err err = { 0 };
	char name[32];
	int ready[2], fd = -1;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(journal_create(&fs_real, dir.fd, &err), PAWL_OK);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (pid == 0) {
		if (lock_exclusive(&fs_real, dir.fd, "lock", 0, &fd, &err) !=
				PAWL_OK ||
			write(ready[1], "", 1) != 1)
			_exit(1);
		(void)pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(kill(pid, SIGSTOP), 0);
	assert_int_equal(
		lock_exclusive(&fs_real, dir.fd, "lock", 30, &fd, &err),
		PAWL_EBUSY);
	assert_int_equal(fd, -1);
	(void)snprintf(name, sizeof(name), "process %d ", (int)pid);
	assert_non_null(strstr(err.msg, name));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(lock_exclusive(&fs_real, dir.fd, "lock", 0, &fd, &err),
		PAWL_OK);
	lock_close(&fs_real, &fd);
	(void)close(ready[0]);
	(void)close(ready[1]);
	tempdir_close(&dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_two_writers_lose_nothing),
		cmocka_unit_test(
			killed_writers_lose_nothing_that_was_acknowledged),
		cmocka_unit_test(writers_beside_killed_repairs_lose_nothing),
		cmocka_unit_test(a_stopped_holder_keeps_the_lock_and_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
