/*
 * Many processes change one run at once, on the real file system, as the verbs
 * of people do: nothing is lost, nothing is done twice, no two win.
 *
 *	PAWL_EACH=50 ./test_deciders
 *
 * is how many gates each of the 32 processes decides.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "gated_run.h"
#include "model/state_json.h"
#include "store/projection.h"
#include "store/rundir.h"
#include "tempdir.h"

enum {
	MANY = 32,
	EACH = 6,
	ROUNDS = 60,
	WRITERS = 8,
	BUSY_TRIES = 20,
};

static struct tempdir dir;
static struct gated_run run;

static void
begin(uint32_t nodes)
{
	struct pawl_err err = { 0 };

	dir = tempdir_open();
	if (gated_run_init(&run, &fs_real, dir.fd, nodes, &err) != PAWL_OK)
		die("no run: %s", err.msg);
}

static int
run_dir(void)
{
	struct pawl_err err;
	int fd = -1;

	if (rundir_open(&fs_real, dir.fd, run.id, &fd, &err) != PAWL_OK)
		die("no run: %s", err.msg);
	return fd;
}

/* So many children end, all well. */
static void
wait_for(int count)
{
	for (int i = 0; i < count; i++) {
		int status;
		pid_t pid = wait(&status);

		if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
			fail_msg("child %d of %d ended with 0x%x", i, count,
				(unsigned)status);
	}
}

static pid_t
start(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL); /* best effort */
	return pid;
}

/* The file system for those who must not write: a write ends the process. */
static int
no_open(void *st, int d, const char *name, int flags, mode_t mode)
{
	if ((flags & (O_CREAT | O_TRUNC)) != 0 ||
		(flags & O_ACCMODE) != O_RDONLY)
		_exit(91);
	return fs_real.ops->open(st, d, name, flags, mode);
}

static ssize_t
no_write(void *st, int fd, const void *p, size_t n)
{
	(void)st;
	(void)fd;
	(void)p;
	(void)n;
	_exit(92);
}

static int
no_rename(void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	(void)st;
	(void)from_dir;
	(void)from;
	(void)to_dir;
	(void)to;
	_exit(93);
}

static int
no_unlink(void *st, int d, const char *name, int flags)
{
	(void)st;
	(void)d;
	(void)name;
	(void)flags;
	_exit(94);
}

/* Read everything in a tight loop; every document is whole at every instant.
 * `damaged`: somebody spoils the cache, which may then be told. */
static void
read_for_ever(bool damaged)
{
	struct fs_ops ops = *fs_real.ops;
	const struct fs reading = { .ops = &ops };
	struct gated_run mine = run;
	uint64_t last = 0;

	ops.open = no_open;
	ops.write = no_write;
	ops.rename = no_rename;
	ops.link = no_rename;
	ops.unlink = no_unlink;
	mine.place.fs = &reading;
	for (;;) {
		struct run r = { .dir = -1 };
		struct pawl_err err = { 0 };

		if (gated_run_open(&mine, &r, &err) != PAWL_OK)
			_exit(81);
		if (r.tail.end == JOURNAL_TORN || r.tail.end == JOURNAL_CORRUPT)
			_exit(82);
		if (r.drift && !damaged)
			_exit(83);
		if (r.state.seq < last)
			_exit(84);
		last = r.state.seq;
		run_close(&r);
	}
}

static pid_t
start_reader(bool damaged)
{
	pid_t pid = start();

	if (pid == 0)
		read_for_ever(damaged);
	return pid;
}

/* It was reading to the end, and met nothing wrong. */
static void
end_reader(pid_t pid)
{
	int status;

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status))
		fail_msg("a reader ended with %d", WEXITSTATUS(status));
}

/* Decide all gates from `first` on, a step apart.  Waiting is bounded by the
 * lock's own time; who is told that it is busy asks again. */
static void
decide_each(enum gated_verb verb, uint32_t first, uint32_t step, uint32_t end)
{
	for (uint32_t node = first; node < end; node += step) {
		struct pawl_err err = { 0 };
		int tries = 0;

		while (gated_run_act(&run, verb, node, &err) != PAWL_OK) {
			if (err.rc == PAWL_EBUSY && tries++ < BUSY_TRIES)
				continue;
			(void)fprintf(stderr, "%s\n", err.msg);
			_exit(71);
		}
	}
	_exit(0);
}

static void
end(void)
{
	tempdir_close(&dir);
}

static uint32_t
each(void)
{
	const char *text = getenv("PAWL_EACH");
	struct pawl_err err;
	uint64_t n = EACH;

	if (text != NULL &&
		num_u64(str_from(text), 1, 1000, &n, &err) != PAWL_OK)
		die("PAWL_EACH: %s", err.msg);
	return (uint32_t)n;
}

/* C001, C010, C011, C012 */
static void
thirty_two_processes_lose_no_decision_beside_readers(void **state)
{
	struct pawl_err err = { 0 };
	struct run r = { .dir = -1 };
	uint32_t all = MANY * each();
	pid_t reader;

	(void)state;
	begin(all);
	reader = start_reader(false);
	for (uint32_t who = 0; who < MANY; who++) {
		if (start() == 0)
			decide_each(GATED_APPROVE, who, MANY, all);
	}
	wait_for(MANY);
	end_reader(reader);
	assert_int_equal(gated_run_count(&run, EV_GATE_DECIDED), all);
	assert_int_equal(gated_run_open(&run, &r, &err), PAWL_OK);
	assert_int_equal(r.state.gates.count, all);
	for (uint32_t i = 0; i < all; i++)
		assert_int_equal(r.state.nodes[i].status, NODE_READY);
	run_close(&r);
	end();
}

static pid_t
start_one(enum gated_verb verb, uint32_t node, useconds_t wait_us)
{
	pid_t pid = start();

	if (pid == 0) {
		struct pawl_err err = { 0 };

		(void)usleep(wait_us);
		if (gated_run_act(&run, verb, node, &err) == PAWL_OK)
			_exit(0);
		if (err.rc == PAWL_ECONFLICT || err.rc == PAWL_ENO ||
			err.rc == PAWL_ENOENT || err.rc == PAWL_EHUMAN ||
			err.rc == PAWL_EBUSY)
			_exit(1);
		(void)fprintf(stderr, "%s\n", err.msg);
		_exit(2);
	}
	return pid;
}

static bool
is_done(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
	return WEXITSTATUS(status) == 0;
}

/*
 * C002, C110: any two human verbs about one node, in any order: as many effects
 * as successes, and never two winners over one gate.
 */
static void
two_verbs_about_one_node_never_lose_an_effect(void **state)
{
	struct rand rand = rand_seeded(11);
	uint64_t events = 0;

	(void)state;
	begin(ROUNDS);
	for (uint32_t i = 0; i < ROUNDS; i++) {
		enum gated_verb a = (enum gated_verb)(i % 3);
		enum gated_verb b = (enum gated_verb)(i / 3 % 3);
		pid_t one, two;
		bool first, second;
		uint64_t now;

		one = start_one(a, i, (useconds_t)(rand_u64(&rand) % 8000));
		two = start_one(b, i, (useconds_t)(rand_u64(&rand) % 8000));
		first = is_done(one);
		second = is_done(two);
		now = gated_run_count(&run, EV_GATE_DECIDED) +
			gated_run_count(&run, EV_NODE_UNBLOCKED);
		assert_int_equal(now - events, (uint64_t)first + second);
		if (a != GATED_UNBLOCK && b != GATED_UNBLOCK)
			assert_int_equal(now - events, 1);
		events = now;
	}
	end();
}

/* C010: eight make runs under the same random numbers, so of the same id. */
static void
runs_made_at_once_have_ids_of_their_own(void **state)
{
	struct pawl_err err = { 0 };
	struct buf ids = { 0 };
	size_t count = 0;

	(void)state;
	begin(1);
	for (int i = 0; i < WRITERS - 1; i++) {
		if (start() == 0) {
			struct gated_run mine;

			_exit(gated_run_init(&mine, &fs_real, dir.fd, 3,
				      &err) != PAWL_OK);
		}
	}
	wait_for(WRITERS - 1);
	assert_int_equal(
		rundir_list(&fs_real, dir.fd, RUNDIR_STARTED, &ids, &err),
		PAWL_OK);
	for (size_t i = 0; i < ids.len; i++)
		count += ids.data[i] == '\0';
	assert_int_equal(count, WRITERS);
	assert_int_equal(gated_run_count(&run, EV_RUN_STARTED), 1);
	buf_release(&ids);
	end();
}

/* Flip, cut, empty, forget the cache, again and again. */
static void
spoil_for_ever(void)
{
	struct rand rand = rand_seeded(3);
	int fd = run_dir();

	for (;;) {
		int f = openat(fd, "state.json", O_RDWR | O_CREAT, 0600);
		char byte = (char)rand_u64(&rand);

		if (f < 0)
			_exit(1);
		switch (rand_u64(&rand) % 4) {
		case 0:
			(void)(ftruncate(f, (off_t)(rand_u64(&rand) % 900)) ==
				0);
			break;
		case 1:
			(void)(pwrite(f, &byte, 1,
				       (off_t)(rand_u64(&rand) % 2000)) > 0);
			break;
		case 2:
			(void)unlinkat(fd, "state.json", 0);
			break;
		default:
			(void)(ftruncate(f, 0) == 0);
			(void)(write(f, "{\"format\":1}\n", 13) > 0);
			break;
		}
		(void)close(f);
		(void)usleep(500);
	}
}

/* C005 */
static void
a_cache_that_is_spoiled_beside_writers_costs_nothing(void **state)
{
	struct projection p;
	struct pawl_err err = { 0 };
	struct run r = { .dir = -1 };
	pid_t spoiler, reader;
	int fd;

	(void)state;
	begin(WRITERS * EACH + 1);
	spoiler = start();
	if (spoiler == 0)
		spoil_for_ever();
	reader = start_reader(true);
	for (uint32_t who = 0; who < WRITERS; who++) {
		if (start() == 0)
			decide_each(GATED_DENY, who, WRITERS, WRITERS * EACH);
	}
	wait_for(WRITERS);
	end_reader(reader);
	end_reader(spoiler);
	assert_int_equal(
		gated_run_count(&run, EV_GATE_DECIDED), WRITERS * EACH);
	/* The next change makes a bad one anew, unasked. */
	fd = run_dir();
	assert_int_equal(fs_replace(&fs_real, fd, "state.json", STR("{"),
				 FS_CACHE, &err),
		PAWL_OK);
	assert_int_equal(
		gated_run_act(&run, GATED_DENY, WRITERS * EACH, &err), PAWL_OK);
	projection_load(&fs_real, fd, STATE_FOLD_VERSION, &p);
	assert_int_equal(p.found, PROJECTION_GOOD);
	projection_release(&p);
	assert_int_equal(gated_run_open(&run, &r, &err), PAWL_OK);
	assert_false(r.drift);
	assert_int_equal(r.state.by_status[NODE_BLOCKED], WRITERS * EACH + 1);
	run_close(&r);
	(void)close(fd);
	end();
}

/* C009: one sets the torn bytes aside, the others find nothing to do. */
static void
a_torn_end_met_by_twenty_writers_is_repaired_once(void **state)
{
	struct pawl_err err = { 0 };
	struct buf names = { 0 };
	int fd, events, artifacts = -1;

	(void)state;
	begin(20);
	fd = run_dir();
	events = openat(fd, "events.jsonl", O_WRONLY | O_APPEND);
	assert_int_equal(write(events, "{\"v\":1,\"seq", 11), 11);
	(void)close(events);
	for (uint32_t who = 0; who < 20; who++) {
		if (start() == 0)
			decide_each(GATED_APPROVE, who, 20, 20);
	}
	wait_for(20);
	assert_int_equal(gated_run_count(&run, EV_GATE_DECIDED), 20);
	assert_int_equal(gated_run_count(&run, EV_JOURNAL_REPAIRED), 1);
	assert_int_equal(
		fs_open_dir(&fs_real, fd, "artifacts/sha256", &artifacts, &err),
		PAWL_OK);
	assert_int_equal(fs_list(&fs_real, artifacts, &names, &err), PAWL_OK);
	assert_int_equal(names.len, SHA256_HEX + 1);
	buf_release(&names);
	(void)close(artifacts);
	(void)close(fd);
	end();
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			thirty_two_processes_lose_no_decision_beside_readers),
		cmocka_unit_test(two_verbs_about_one_node_never_lose_an_effect),
		cmocka_unit_test(runs_made_at_once_have_ids_of_their_own),
		cmocka_unit_test(
			a_cache_that_is_spoiled_beside_writers_costs_nothing),
		cmocka_unit_test(
			a_torn_end_met_by_twenty_writers_is_repaired_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
