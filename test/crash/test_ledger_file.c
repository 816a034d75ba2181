/*
 * A ledger's file through every edit: the power goes before every change, and
 * every call fails once with each error.  Afterwards the file is the old one or
 * the new one, whole; what was acknowledged is there; and the next edit works.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/ledger_file.h"
#include "fs_fault.h"
#include "fs_sim.h"
#include "model/ledger_batch.h"

#define NAME "state.json"

enum { SEEDS = 24, STEPS_MAX = 400 };

struct world {
	struct fs_sim *sim;
	struct fs fs;
	struct fs_fault fault;
	struct arena mem;
	struct pawl_err err;
	struct buf old, now; /* bytes before the act, and behind it */
	long at;             /* which change or call it is about */
	uint64_t seed;
};

static void
check(const struct world *w, bool holds, const char *what)
{
	if (!holds)
		fail_msg("%s (at %ld, seed %llu, errno %d): %s", what, w->at,
			(unsigned long long)w->seed, w->fault.sys, w->err.msg);
}

#define CHECK(w, x) check((w), (x), #x)

/* Of the events. */
static struct arena texts;

static struct event
added(const char *id)
{
	struct ledger_node_wanted n = ledger_node_preset();

	n.id = str_from(id);
	n.title = STR("A title");
	return ledger_node_event(&n, &texts);
}

static struct event
moved(const char *status)
{
	struct event e = { .type = EV_NODE_MOVED, .node = STR("a") };

	EVENT_SET(&e, F_STATUS, status, str_from(status));
	EVENT_SET(&e, F_REASON, reason, STR("because"));
	return e;
}

static struct event
decided(const char *decision)
{
	struct event e = { .type = EV_APPROVAL_DECIDED, .node = STR("a") };

	EVENT_SET(&e, F_DECISION, decision, str_from(decision));
	EVENT_SET(&e, F_BY, by, STR("local:ann"));
	EVENT_SET(&e, F_ASSURANCE, assurance, STR("local"));
	return e;
}

static struct event
shown(void)
{
	static struct str ref = { "seen", 4 };
	struct event e = { .type = EV_EVIDENCE_ADDED, .node = STR("a") };

	EVENT_SET(&e, F_EVIDENCE, evidence, ((struct strs){ &ref, 1 }));
	return e;
}

static struct event
started(void)
{
	struct event e = { .type = EV_LEDGER_STARTED };

	EVENT_SET(&e, F_RUN, run, STR("r-1"));
	EVENT_SET(&e, F_TASK, task, STR("Audit"));
	return e;
}

static enum pawl_rc
edit(struct world *w, const struct event *events, size_t count)
{
	struct ledger_file f = LEDGER_FILE_INIT;
	enum pawl_rc rc;

	w->err = (struct pawl_err){ 0 };
	rc = events[0].type == EV_LEDGER_STARTED
		? ledger_file_new(&f, &w->fs, &w->mem, "/" NAME, true, &w->err)
		: ledger_file_open(
			  &f, &w->fs, &w->mem, "/" NAME, true, &w->err);
	for (size_t i = 0; rc == PAWL_OK && i < count; i++) {
		struct command cmd = { .event = events[i],
			.actor = ACTOR_HUMAN };

		rc = ledger_propose(&f.ledger, &cmd, &w->err);
	}
	if (rc == PAWL_OK)
		rc = ledger_file_commit(&f, true, &w->err);
	ledger_file_close(&f);
	return rc;
}

static bool
read_all(struct world *w, struct buf *out)
{
	struct pawl_err unused;

	buf_clear(out);
	return fs_read(&w->fs, fs_sim_root(w->sim), NAME, SIZE_MAX, out,
		       &unused) == PAWL_OK;
}

/* What a verb does, on what was there before. */
struct scenario {
	struct event before[6], act[2];
	size_t before_count, act_count;
};

static void
prepare(const struct scenario *sc, struct world *w)
{
	struct event start = started();

	w->sim = fs_sim_new();
	w->fault.under = fs_sim_fs(w->sim);
	w->fault.left = -1;
	w->fault.fired = NULL;
	w->fs = fs_fault_over(&w->fault);
	buf_clear(&w->old);
	if (sc->act[0].type == EV_LEDGER_STARTED)
		return;
	CHECK(w, edit(w, &start, 1) == PAWL_OK);
	for (size_t i = 0; i < sc->before_count; i++)
		CHECK(w, edit(w, &sc->before[i], 1) == PAWL_OK);
	CHECK(w, read_all(w, &w->old));
}

/* What the act makes of it when nothing goes wrong. */
static void
expect(const struct scenario *sc, struct world *w, struct buf *ret_new)
{
	prepare(sc, w);
	CHECK(w, edit(w, sc->act, sc->act_count) == PAWL_OK);
	CHECK(w, read_all(w, ret_new));
	CHECK(w, !str_eq(buf_str(ret_new), buf_str(&w->old)));
	fs_sim_free(w->sim);
}

/* Old or new, and new when that was said; then the next edit works. */
static void
judge(const struct scenario *sc, struct world *w, const struct buf *new,
	enum pawl_rc rc)
{
	struct event next = added("zz");
	bool there = read_all(w, &w->now);
	bool is_new = there && str_eq(buf_str(&w->now), buf_str(new));

	CHECK(w, is_new || rc != PAWL_OK);
	CHECK(w,
		is_new || (!there && w->old.len == 0) ||
			str_eq(buf_str(&w->now), buf_str(&w->old)));
	CHECK(w, fs_sim_open_count(w->sim) == 0);
	CHECK(w, fs_sim_locks(w->sim) == 0);
	if (!is_new && sc->act[0].type == EV_LEDGER_STARTED)
		CHECK(w, edit(w, sc->act, 1) == PAWL_OK);
	CHECK(w, edit(w, &next, 1) == PAWL_OK);
}

static void
cut_everywhere(
	const struct scenario *sc, struct world *w, const struct buf *new)
{
	bool cut = true;

	for (w->at = 0; cut; w->at++) {
		CHECK(w, w->at < STEPS_MAX);
		for (w->seed = 0; w->seed < SEEDS; w->seed++) {
			enum pawl_rc rc;

			prepare(sc, w);
			fs_sim_cut_before(w->sim, w->at);
			rc = edit(w, sc->act, sc->act_count);
			cut = fs_sim_is_dead(w->sim);
			CHECK(w, cut || rc == PAWL_OK);
			fs_sim_crash(w->sim, w->seed);
			judge(sc, w, new, rc);
			fs_sim_free(w->sim);
			arena_reset(&w->mem);
		}
	}
	CHECK(w, w->at > 3);
}

static void
fail_everywhere(
	const struct scenario *sc, struct world *w, const struct buf *new)
{
	static const int errors[] = { ENOSPC, EIO, EROFS, EACCES, EMFILE, EINTR,
		FAULT_SHORT };

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		bool fired = true;

		w->fault.sys = errors[i];
		for (w->at = 0; fired; w->at++) {
			enum pawl_rc rc;

			CHECK(w, w->at < STEPS_MAX);
			prepare(sc, w);
			w->fault.left = w->at;
			rc = edit(w, sc->act, sc->act_count);
			fired = w->fault.fired != NULL;
			w->fault.left = -1;
			CHECK(w, fired || rc == PAWL_OK);
			CHECK(w,
				rc == PAWL_OK ||
					(w->err.msg[0] != '\0' &&
						w->err.rc == rc));
			judge(sc, w, new, rc);
			fs_sim_free(w->sim);
			arena_reset(&w->mem);
		}
		CHECK(w, w->at > 3 || errors[i] == FAULT_SHORT);
	}
}

static void
every_edit_leaves_the_old_bytes_or_the_new_ones(void **state)
{
	struct event gated = added("a");
	struct scenario rows[] = {
		{ .act = { started() }, .act_count = 1 },
		{ .act = { added("a") }, .act_count = 1 },
		{ .act = { added("a"), added("b") }, .act_count = 2 },
		{ { added("a") }, { moved("RUNNING") }, 1, 1 },
		{ { added("a"), moved("RUNNING") }, { shown() }, 2, 1 },
		{ { added("a"), moved("RUNNING") },
			{ shown(), moved("PASSED") }, 2, 2 },
		{ { added("a") }, { moved("SKIPPED") }, 1, 1 },
		{ { gated }, { decided("granted") }, 1, 1 },
		{ { gated }, { decided("denied") }, 1, 1 },
	};
	struct world w = { 0 };
	struct buf new = { 0 };

	(void)state;
	for (size_t i = 0; i < 2; i++)
		EVENT_SET(&rows[7 + i].before[0], F_APPROVAL, approval,
			STR("required"));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		expect(&rows[i], &w, &new);
		cut_everywhere(&rows[i], &w, &new);
		fail_everywhere(&rows[i], &w, &new);
	}
	buf_release(&new);
	buf_release(&w.old);
	buf_release(&w.now);
	arena_reset(&w.mem);
	arena_reset(&texts);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_edit_leaves_the_old_bytes_or_the_new_ones),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
