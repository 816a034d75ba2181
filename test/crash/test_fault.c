/*
 * Each call of an act fails once, or all from there on, with each errno that a
 * file system gives, and each write is short once.  Afterwards: an error or
 * the effect, the old state or the new one, nothing left open or locked, and
 * the act works when it is asked again.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "commits.h"
#include "fs_fault.h"
#include "fs_sim.h"
#include "os/lock.h"
#include "store/artifact.h"
#include "store/projection.h"
#include "store/rundir.h"

enum {
	CALLS_MAX = 400, /* no act makes so many */
};

struct fault {
	struct fs_sim *sim;
	struct fs_fault fault;
	struct fs fs; /* with the fault */
	int root;
	struct buf events;
	struct pawl_err err;
	uint64_t acked; /* commits */
	long call;
	long changes; /* before the act */
};

struct scenario {
	void (*prepare)(struct fault *f);
	enum pawl_rc (*act)(struct fault *f);
	/* Without the fault; `rc` is what the act said. */
	void (*judge)(struct fault *f, enum pawl_rc rc);
};

static void
check(const struct fault *f, bool holds, const char *what)
{
	if (!holds) {
		fail_msg("%s (call %ld is '%s', error %d%s): %s", what, f->call,
			f->fault.fired ? f->fault.fired : "none", f->fault.sys,
			f->fault.stays ? " from there on" : "", f->err.msg);
	}
}

#define CHECK(f, x) check((f), (x), #x)

static bool
is_sync(const char *op)
{
	return strcmp(op, "sync") == 0 || strcmp(op, "datasync") == 0;
}

/* False when the act made fewer calls than that. */
static bool
run_once(const struct scenario *sc, struct fault *f)
{
	enum pawl_rc rc;
	bool fired;

	f->sim = fs_sim_new();
	f->fault.under = fs_sim_fs(f->sim);
	f->fault.left = -1;
	f->fault.fired = NULL;
	f->fs = fs_fault_over(&f->fault);
	f->root = fs_sim_root(f->sim);
	f->acked = 0;
	sc->prepare(f);
	f->changes = fs_sim_changes(f->sim);
	f->fault.left = f->call;
	f->err = (struct pawl_err){ 0 };
	rc = sc->act(f);
	fired = f->fault.fired != NULL;
	f->fault.left = -1;
	CHECK(f, fired || rc == PAWL_OK);
	/* A call that a signal interrupted is made again; a sync is not. */
	if (fired && f->fault.sys == EINTR && !f->fault.stays &&
		!is_sync(f->fault.fired))
		CHECK(f, rc == PAWL_OK);
	if (rc != PAWL_OK) {
		CHECK(f,
			f->err.msg[0] != '\0' && f->err.rc == rc &&
				rc != PAWL_EINTERNAL);
	}
	CHECK(f, fs_sim_open_count(f->sim) == 0);
	CHECK(f, fs_sim_locks(f->sim) == 0);
	sc->judge(f, rc);
	fs_sim_free(f->sim);
	return fired;
}

static void
every_call(const struct scenario *sc)
{
	static const int errors[] = { ENOSPC, EIO, EINTR, EAGAIN, EROFS, EDQUOT,
		EACCES, ENOMEM, EMFILE, FAULT_SHORT };
	struct fault f = { 0 };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]) * 2; i++) {
		bool fired = true;

		f.fault.sys = errors[i / 2];
		f.fault.stays = i % 2 != 0;
		for (f.call = 0; fired; f.call++) {
			CHECK(&f, f.call < CALLS_MAX);
			fired = run_once(sc, &f);
		}
		/* There were calls to fail. */
		CHECK(&f, f.call > 1 || f.fault.sys == FAULT_SHORT);
	}
	buf_release(&f.events);
}

static uint64_t
sum_to(uint64_t n)
{
	return n * (n + 1) / 2;
}

static enum pawl_rc
commit(struct fault *f)
{
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, &f->fs, f->root);
	rc = commit_one(
		&j, commit_events(&f->events, f->acked + 1, 600), &f->err);
	journal_close(&j);
	if (rc == PAWL_OK)
		f->acked++;
	return rc;
}

static void
start(struct fault *f)
{
	CHECK(f, journal_create(&f->fs, f->root, &f->err) == PAWL_OK);
	CHECK(f, commit(f) == PAWL_OK);
	CHECK(f, commit(f) == PAWL_OK);
}

static enum pawl_rc
repair(struct fault *f)
{
	struct journal_repaired r = { 0 };
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, &f->fs, f->root);
	rc = journal_repair(&j, 0, &r, &f->err);
	journal_close(&j);
	return rc;
}

static struct commit_count
scan(struct fault *f)
{
	struct commit_count c = { 0 };

	CHECK(f, commit_scan(&f->fs, f->root, &c, &f->err) == PAWL_OK);
	CHECK(f, c.tail.end != JOURNAL_CORRUPT);
	CHECK(f, c.tail.end != JOURNAL_IN_FLIGHT);
	return c;
}

/* A commit can be made, at last after a repair, and a cut of the power then
 * takes nothing that was acknowledged. */
static void
goes_on(struct fault *f)
{
	struct commit_count c;

	if (commit(f) != PAWL_OK) {
		CHECK(f, f->err.code == ERR_POISONED);
		CHECK(f, repair(f) == PAWL_OK);
		f->acked = scan(f).lines;
		CHECK(f, commit(f) == PAWL_OK);
	}
	fs_sim_crash(f->sim, 0);
	c = scan(f);
	CHECK(f, c.tail.end == JOURNAL_WHOLE);
	CHECK(f, c.lines == f->acked && c.sum == sum_to(c.lines));
}

/* C021: an error and the old state, and a later try works. */
static void
judge_commit(struct fault *f, enum pawl_rc rc)
{
	struct commit_count c = scan(f);

	if (rc == PAWL_OK) {
		CHECK(f, c.lines == f->acked);
	} else {
		CHECK(f,
			c.lines == f->acked ||
				(c.lines == f->acked + 1 &&
					f->err.code == ERR_OUTCOME_UNKNOWN));
	}
	CHECK(f, c.sum == sum_to(c.lines));
	f->acked = c.lines;
	goes_on(f);
}

static void
appends(void **state)
{
	const struct scenario sc = { start, commit, judge_commit };

	(void)state;
	every_call(&sc);
}

static void
start_torn(struct fault *f)
{
	struct buf all = { 0 };

	start(f);
	CHECK(f,
		fs_read(&f->fs, f->root, "events.jsonl", 1 << 20, &all,
			&f->err) == PAWL_OK);
	CHECK(f,
		fs_replace(&f->fs, f->root, "events.jsonl",
			str_part(buf_str(&all), 0, all.len - 100), FS_DURABLE,
			&f->err) == PAWL_OK);
	buf_release(&all);
	f->acked = 1;
}

static void
appends_over_a_torn_tail(void **state)
{
	const struct scenario sc = { start_torn, commit, judge_commit };

	(void)state;
	every_call(&sc);
}

/* Poisoned, and what processes see isn't what is on the disk: who takes the
 * mark away before the copy is made builds on bytes that were never written. */
static void
start_poisoned(struct fault *f)
{
	start(f);
	fs_sim_fail_syncs(f->sim, 0, 2, 2);
	CHECK(f, commit(f) != PAWL_OK);
	CHECK(f, commit(f) != PAWL_OK && f->err.code == ERR_POISONED);
	f->acked = scan(f).lines;
}

static void
judge_repair(struct fault *f, enum pawl_rc rc)
{
	struct commit_count c = scan(f);

	CHECK(f, c.lines == f->acked && c.sum == sum_to(c.lines));
	if (rc == PAWL_OK)
		CHECK(f, commit(f) == PAWL_OK);
	goes_on(f);
}

static void
repairs_of_a_poisoned_journal(void **state)
{
	const struct scenario sc = { start_poisoned, repair, judge_repair };

	(void)state;
	every_call(&sc);
}

static enum pawl_rc
read_all(struct fault *f)
{
	struct commit_count c;

	return commit_scan(&f->fs, f->root, &c, &f->err);
}

/* C018: reads never write, whatever fails. */
static void
judge_read(struct fault *f, enum pawl_rc rc)
{
	(void)rc;
	CHECK(f, fs_sim_changes(f->sim) == f->changes);
	goes_on(f);
}

static void
reads(void **state)
{
	const struct scenario whole = { start, read_all, judge_read };
	const struct scenario torn = { start_torn, read_all, judge_read };

	(void)state;
	every_call(&whole);
	every_call(&torn);
}

static struct str
big(struct fault *f)
{
	return commit_events(&f->events, 7, 1500);
}

static void
start_head(struct fault *f)
{
	CHECK(f,
		fs_replace(&f->fs, f->root, "head", STR("old"), FS_DURABLE,
			&f->err) == PAWL_OK);
}

static enum pawl_rc
replace(struct fault *f)
{
	return fs_replace(&f->fs, f->root, "head", big(f), FS_DURABLE, &f->err);
}

static void
judge_replace(struct fault *f, enum pawl_rc rc)
{
	struct buf now = { 0 };
	bool is_new;

	CHECK(f,
		fs_read(&f->fs, f->root, "head", 1 << 20, &now, &f->err) ==
			PAWL_OK);
	is_new = str_eq(buf_str(&now), big(f));
	CHECK(f,
		is_new || (rc != PAWL_OK && str_eq(buf_str(&now), STR("old"))));
	buf_clear(&now);
	CHECK(f, replace(f) == PAWL_OK);
	fs_sim_crash(f->sim, 0);
	CHECK(f,
		fs_read(&f->fs, f->root, "head", 1 << 20, &now, &f->err) ==
			PAWL_OK);
	CHECK(f, str_eq(buf_str(&now), big(f)));
	buf_release(&now);
}

static void
replaces(void **state)
{
	const struct scenario sc = { start_head, replace, judge_replace };

	(void)state;
	every_call(&sc);
}

static void
start_nothing(struct fault *f)
{
	(void)f;
}

static enum pawl_rc
create(struct fault *f)
{
	return fs_create(&f->fs, f->root, "once", big(f), &f->err);
}

static void
judge_create(struct fault *f, enum pawl_rc rc)
{
	struct buf now = { 0 };

	if (fs_read(&f->fs, f->root, "once", 1 << 20, &now, &f->err) ==
		PAWL_OK) {
		CHECK(f, str_eq(buf_str(&now), big(f)));
	} else {
		CHECK(f, rc != PAWL_OK && create(f) == PAWL_OK);
	}
	buf_release(&now);
}

static void
creates(void **state)
{
	const struct scenario sc = { start_nothing, create, judge_create };

	(void)state;
	every_call(&sc);
}

static void
start_artifacts(struct fault *f)
{
	CHECK(f, artifact_init(&f->fs, f->root, &f->err) == PAWL_OK);
}

static enum pawl_rc
archive(struct fault *f)
{
	char digest[SHA256_HEX + 1];

	return artifact_put(&f->fs, f->root, big(f), digest, &f->err);
}

/* The second put finds the file and still makes sure that it lasts. */
static void
judge_archive(struct fault *f, enum pawl_rc rc)
{
	char digest[SHA256_HEX + 1];
	struct buf now = { 0 };

	(void)rc;
	CHECK(f, archive(f) == PAWL_OK);
	fs_sim_crash(f->sim, 0);
	sha256_hex(big(f), digest);
	CHECK(f,
		artifact_get(&f->fs, f->root, str_from(digest), 1 << 20, &now,
			&f->err) == PAWL_OK);
	CHECK(f, str_eq(buf_str(&now), big(f)));
	buf_release(&now);
}

static void
puts_of_artifacts(void **state)
{
	const struct scenario sc = { start_artifacts, archive, judge_archive };

	(void)state;
	every_call(&sc);
}

static enum pawl_rc
project(struct fault *f)
{
	const struct journal_at at = { .seq = 2,
		.gen = 1,
		.offset = 900,
		.chain = "0123456789012345678901234567890123456789"
			 "012345678901234567890123" };

	return projection_save(&f->fs, f->root, 1, &at, big(f), &f->err);
}

/* Loading has no error: what can't be read isn't there, or is drift. */
static void
judge_project(struct fault *f, enum pawl_rc rc)
{
	struct projection now;

	projection_load(&f->fs, f->root, 1, &now);
	CHECK(f,
		now.found ==
				(rc == PAWL_OK ? PROJECTION_GOOD
					       : PROJECTION_ABSENT) ||
			(rc != PAWL_OK && str_eq(now.body, big(f))));
	projection_release(&now);
	CHECK(f, project(f) == PAWL_OK);
	f->fault.left = f->call % 4;
	projection_load(&f->fs, f->root, 1, &now);
	f->fault.left = -1;
	CHECK(f, now.found != PROJECTION_GOOD || str_eq(now.body, big(f)));
	projection_release(&now);
	CHECK(f, fs_sim_open_count(f->sim) == 0);
}

static void
saves_of_projections(void **state)
{
	const struct scenario sc = { start_nothing, project, judge_project };

	(void)state;
	every_call(&sc);
}

static enum pawl_rc
make_state(struct fault *f)
{
	return rundir_init_state(&f->fs, f->root, &f->err);
}

static void
judge_state(struct fault *f, enum pawl_rc rc)
{
	(void)rc;
	CHECK(f, make_state(f) == PAWL_OK);
	CHECK(f, rundir_check_state(&f->fs, f->root, &f->err) == PAWL_OK);
}

static void
start_state(struct fault *f)
{
	CHECK(f, make_state(f) == PAWL_OK);
}

static enum pawl_rc
make_run(struct fault *f)
{
	static const struct rundir_input input = { "tasks.md",
		{ "- [ ] A: build\n", 15 } };
	static const struct rundir_inputs inputs = { &input, 1 };
	enum pawl_rc rc;
	int dir = -1;

	rc = rundir_create(&f->fs, f->root, "r-1", &inputs, &dir, &f->err);
	fs_close(&f->fs, &dir);
	return rc;
}

/* A run that was made is whole; one that was not has no first event. */
static void
judge_run(struct fault *f, enum pawl_rc rc)
{
	struct commit_count c = { 0 };
	struct buf ids = { 0 };
	int dir = -1;

	if (rundir_open(&f->fs, f->root, "r-1", &dir, &f->err) == PAWL_OK &&
		commit_scan(&f->fs, dir, &c, &f->err) == PAWL_OK)
		CHECK(f, c.lines == 0 && c.tail.end == JOURNAL_WHOLE);
	fs_close(&f->fs, &dir);
	if (rc == PAWL_OK) {
		CHECK(f,
			rundir_list(&f->fs, f->root, RUNDIR_ACTIVE, &ids,
				&f->err) == PAWL_OK);
		CHECK(f, ids.len == sizeof("r-1"));
	}
	buf_release(&ids);
}

static void
creations_of_states_and_runs(void **state)
{
	const struct scenario one = { start_nothing, make_state, judge_state };
	const struct scenario two = { start_state, make_run, judge_run };

	(void)state;
	every_call(&one);
	every_call(&two);
}

/* C030, C035: whatever flock says for ever, a bounded number of attempts. */
static void
locks_that_fail_with_every_errno(void **state)
{
	struct fault f = { 0 };

	(void)state;
	f.sim = fs_sim_new();
	f.fault = (struct fs_fault){
		.under = fs_sim_fs(f.sim), .left = -1, .only = "flock"
	};
	f.fs = fs_fault_over(&f.fault);
	f.root = fs_sim_root(f.sim);
	start(&f);
	f.fault.stays = true;
	for (int sys = 1; sys <= 133; sys++) {
		f.fault.sys = sys;
		f.fault.left = 0;
		CHECK(&f, commit(&f) != PAWL_OK);
		CHECK(&f,
			f.err.code ==
				(sys == EWOULDBLOCK ? ERR_BUSY : ERR_NO_LOCKS));
		CHECK(&f, f.err.sys == (sys == EWOULDBLOCK ? 0 : sys));
		f.fault.left = 0;
		CHECK(&f, lock_probe(&f.fs, f.root, &f.err) == PAWL_EIO);
		CHECK(&f, f.err.code == ERR_NO_LOCKS);
		f.fault.left = -1;
		CHECK(&f, fs_sim_open_count(f.sim) == 0);
	}
	CHECK(&f, scan(&f).lines == 2);
	fs_sim_free(f.sim);
	buf_release(&f.events);
}

static int
flock_lies(void *st, int fd, int op)
{
	(void)st;
	(void)fd;
	(void)op;
	return 0;
}

static int
flock_fails(void *st, int fd, int op)
{
	(void)st;
	(void)fd;
	(void)op;
	errno = ENOLCK;
	return -1;
}

/* C030: where locks aren't real, or not there, nothing is begun; elsewhere a
 * state that was moved there gets no run. */
static void
no_state_and_no_run_without_real_locks(void **state)
{
	static int (*const flocks[])(
		void *, int, int) = { flock_lies, flock_fails };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct fault f = { .sim = fs_sim_new() };
		struct fs good = fs_sim_fs(f.sim);
		struct fs_ops ops = *good.ops;
		struct fs bad = { &ops, good.state };
		struct buf ids = { 0 };

		ops.flock = flocks[i];
		f.root = fs_sim_root(f.sim);
		f.fs = bad;
		CHECK(&f, make_state(&f) == PAWL_EIO);
		CHECK(&f, f.err.code == ERR_NO_LOCKS);
		CHECK(&f,
			rundir_check_state(&good, f.root, &f.err) ==
				PAWL_ENOENT);
		f.fs = good;
		CHECK(&f, make_state(&f) == PAWL_OK);
		f.fs = bad;
		CHECK(&f, make_run(&f) == PAWL_EIO);
		CHECK(&f, f.err.code == ERR_NO_LOCKS);
		CHECK(&f,
			rundir_list(&good, f.root, RUNDIR_STARTED, &ids,
				&f.err) == PAWL_OK);
		CHECK(&f, ids.len == 0);
		f.fs = good;
		CHECK(&f, fs_sim_open_count(f.sim) == 0);
		fs_sim_free(f.sim);
		buf_release(&ids);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends),
		cmocka_unit_test(appends_over_a_torn_tail),
		cmocka_unit_test(repairs_of_a_poisoned_journal),
		cmocka_unit_test(reads),
		cmocka_unit_test(replaces),
		cmocka_unit_test(creates),
		cmocka_unit_test(puts_of_artifacts),
		cmocka_unit_test(saves_of_projections),
		cmocka_unit_test(creations_of_states_and_runs),
		cmocka_unit_test(locks_that_fail_with_every_errno),
		cmocka_unit_test(no_state_and_no_run_without_real_locks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
