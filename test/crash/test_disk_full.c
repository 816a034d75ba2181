/*
 * C021: a disk with room for so many bytes more, for every number of bytes: a
 * change is made whole or refused with the state as it was, reading goes on,
 * and what was refused works once there is room.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "fs_sim.h"
#include "gated_run.h"
#include "store/rundir.h"

enum {
	ROOM_MAX = 8192, /* nothing here takes as much */
	NODES = 2,
};

/* A file system with so much room. */
struct full {
	struct fs_ops ops; /* those of the one below, but for writes */
	struct fs under;
	uint64_t room; /* bytes; UINT64_MAX: no end */
};

static struct full *full; /* ops get the state of the one below */

static ssize_t
write_in_room(void *st, int fd, const void *p, size_t n)
{
	if (full->room == 0 && n > 0) {
		errno = ENOSPC;
		return -1;
	}
	if (n > full->room)
		n = (size_t)full->room;
	if (full->room != UINT64_MAX)
		full->room -= n;
	return full->under.ops->write(st, fd, p, n);
}

static struct fs
full_over(struct full *f, struct fs under)
{
	f->under = under;
	f->ops = *under.ops;
	f->ops.write = write_in_room;
	f->room = UINT64_MAX;
	full = f;
	return (struct fs){ &f->ops, under.state };
}

static void
slurp(const struct gated_run *g, struct buf *to)
{
	struct pawl_err err = { 0 };
	int dir = -1;

	assert_int_equal(
		rundir_open(g->place.fs, g->place.state_dir, g->id, &dir, &err),
		PAWL_OK);
	buf_clear(to);
	assert_int_equal(
		fs_read(g->place.fs, dir, "events.jsonl", 1 << 20, to, &err),
		PAWL_OK);
	fs_close(g->place.fs, &dir);
}

/* Grow the room until the act succeeds; true once it did. */
static void
act_in_growing_room(const struct gated_run *g, enum gated_verb verb)
{
	struct buf before = { 0 }, after = { 0 };
	struct pawl_err err = { 0 };
	uint64_t room = 0;
	enum pawl_rc rc;

	slurp(g, &before);
	do {
		if (room > ROOM_MAX)
			fail_msg("%s: %s", gated_words[verb], err.msg);
		full->room = room++;
		rc = gated_run_act(g, verb, 0, &err);
		full->room = UINT64_MAX;
		slurp(g, &after);
		if (rc == PAWL_OK)
			break;
		assert_int_equal(rc, PAWL_EIO);
		assert_int_equal(err.code, ERR_IO);
		assert_int_equal(err.sys == ENOSPC || err.sys == 0, 1);
		if (!str_eq(buf_str(&before), buf_str(&after)))
			fail_msg("%s with room for %d bytes left its trace",
				gated_words[verb], (int)room - 1);
	} while (rc != PAWL_OK);
	/* There was too little room once, and no byte more than it took. */
	assert_true(room > 100);
	assert_int_equal(after.len - before.len, room - 1);
	buf_release(&before);
	buf_release(&after);
}

static void
each_change_is_whole_or_refused_for_any_room_left(void **state)
{
	static const enum gated_verb verbs[] = { GATED_DENY, GATED_UNBLOCK,
		GATED_APPROVE, GATED_TAKE_OVER, GATED_TAKE_OVER };
	struct fs_sim *sim = fs_sim_new();
	struct pawl_err err = { 0 };
	struct full f;
	struct fs fs = full_over(&f, fs_sim_fs(sim));
	struct gated_run g;

	(void)state;
	assert_int_equal(gated_run_init(&g, &fs, fs_sim_root(sim), NODES, &err),
		PAWL_OK);
	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		act_in_growing_room(&g, verbs[i]);
	assert_int_equal(fs_sim_open_count(sim), 0);
	assert_int_equal(fs_sim_locks(sim), 0);
	fs_sim_free(sim);
}

/* A run that didn't fit was never started; the next one is made all the same.
 */
static void
a_run_is_started_or_not_there_for_any_room_left(void **state)
{
	enum pawl_rc rc = PAWL_EIO;
	uint64_t room;

	(void)state;
	for (room = 0; rc != PAWL_OK; room += 13) {
		struct fs_sim *sim = fs_sim_new();
		struct pawl_err err = { 0 };
		struct full f;
		struct fs fs = full_over(&f, fs_sim_fs(sim));
		struct buf ids = { 0 };
		struct gated_run g;
		struct run r = { .dir = -1 };

		assert_true(room < ROOM_MAX);
		f.room = room;
		rc = gated_run_init(&g, &fs, fs_sim_root(sim), NODES, &err);
		f.room = UINT64_MAX;
		if (rc != PAWL_OK) {
			assert_int_equal(rc, PAWL_EIO);
			assert_int_equal(rundir_list(&fs, fs_sim_root(sim),
						 RUNDIR_STARTED, &ids, &err),
				PAWL_OK);
			assert_int_equal(ids.len, 0);
			buf_release(&ids);
			assert_int_equal(gated_run_init(&g, &fs,
						 fs_sim_root(sim), NODES, &err),
				PAWL_OK);
		}
		assert_int_equal(gated_run_open(&g, &r, &err), PAWL_OK);
		assert_int_equal(r.state.gates.count, NODES);
		run_close(&r);
		assert_int_equal(fs_sim_open_count(sim), 0);
		fs_sim_free(sim);
	}
	assert_true(room > 1000);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_change_is_whole_or_refused_for_any_room_left),
		cmocka_unit_test(
			a_run_is_started_or_not_there_for_any_room_left),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
