/*
 * Every change of a ledger run under a cut of the power, a failing call, a
 * failed sync: what was acknowledged is there, nothing is there by half, a
 * repeated request gets the first answer, and the run goes on.  C089.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/audit.h"
#include "engine/ledger_run.h"
#include "engine/statedir.h"
#include "fs_fault.h"
#include "fs_sim.h"
#include "store/rundir.h"

enum {
	SEEDS = 6,
	TRIES_MAX = 2000, /* no step makes so many calls */
	FURTHER = 2,      /* steps that are taken after one was hit */
	EVENTS_MAX = 2,   /* of a step */
};

#define STATE_PATH "/home/state"
#define ID "l-1"

/* One event of a step: its type, node and the word that it is about. */
struct act {
	enum event_type type;
	const char *node, *word;
};

/* Each is one commit: step n makes line n + 1. */
static const struct step {
	const char *key;
	struct act acts[EVENTS_MAX];
	bool human;
} steps[] = {
	{ .key = "new", .acts = { { EV_LEDGER_STARTED, "", "" } } },
	{ .key = "add",
		.acts = { { EV_NODE_ADDED, "a", "" },
			{ EV_NODE_ADDED, "b", "a" } } },
	{ .acts = { { EV_NODE_MOVED, "a", "RUNNING" } } },
	{ .key = "proof", .acts = { { EV_EVIDENCE_ADDED, "a", "url:x" } } },
	{ .acts = { { EV_NODE_MOVED, "a", "PASSED" } } },
	{ .key = "yes",
		.acts = { { EV_APPROVAL_DECIDED, "b", "granted" } },
		.human = true },
	{ .acts = { { EV_NODE_MOVED, "b", "RUNNING" } } },
	{ .key = "done",
		.acts = { { EV_EVIDENCE_ADDED, "b", "url:y" },
			{ EV_NODE_MOVED, "b", "PASSED" } } },
	{ .key = "close", .acts = { { EV_RUN_CLOSED, "", "pass" } } },
};

enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

/* One step, hit in one way. */
struct trial {
	struct fs_sim *sim;
	struct fs_fault fault;
	struct fs fs;
	struct clock clock;
	struct rand rand;
	struct place place;
	struct arena mem;
	struct pawl_err err;
	bool again; /* what the last step said of its key */
	size_t step;
	long at; /* the change, call or sync that is hit */
	uint64_t seed;
};

static void
check(const struct trial *t, bool holds, const char *what)
{
	if (!holds) {
		fail_msg("%s (step %zu, hit at %ld, seed %llu, error %d of "
			 "'%s'): %s",
			what, t->step, t->at, (unsigned long long)t->seed,
			t->fault.sys, t->fault.fired ? t->fault.fired : "none",
			t->err.msg);
	}
}

#define CHECK(t, x) check((t), (x), #x)

static struct strs
one(struct trial *t, const char *word)
{
	struct strs list = { arena_array(&t->mem, 1, struct str), 0 };

	list.items[0] = str_from(word);
	list.count = word[0] != '\0';
	return list;
}

static void
fill(struct trial *t, struct event *e, const char *word)
{
	switch ((unsigned)e->type) {
	case EV_NODE_ADDED:
		EVENT_SET(e, F_TITLE, title, STR("Do it"));
		EVENT_SET(e, F_KIND, kind, STR("execute"));
		EVENT_SET(e, F_ROLE, role, STR("main"));
		EVENT_SET(e, F_ACCESS, access, STR("workspace-write"));
		EVENT_SET(e, F_EXPECTED_OUTPUT, expected_output, STR("it"));
		EVENT_SET(e, F_EVIDENCE_REQUIRED, evidence_required, true);
		EVENT_SET(e, F_MAX_ATTEMPTS, max_attempts, 1);
		EVENT_SET(e, F_APPROVAL, approval,
			word[0] != '\0' ? STR("required")
					: STR("not-required"));
		EVENT_SET(e, F_DEPENDS_ON, depends_on, one(t, word));
		break;
	case EV_NODE_MOVED:
		EVENT_SET(e, F_STATUS, status, str_from(word));
		break;
	case EV_EVIDENCE_ADDED:
		EVENT_SET(e, F_EVIDENCE, evidence, one(t, word));
		break;
	case EV_APPROVAL_DECIDED:
		EVENT_SET(e, F_DECISION, decision, str_from(word));
		EVENT_SET(e, F_BY, by, STR("local:ada"));
		EVENT_SET(e, F_ASSURANCE, assurance, STR("local"));
		break;
	case EV_RUN_CLOSED:
		EVENT_SET(e, F_OUTCOME, outcome, str_from(word));
		break;
	default:
		break;
	}
}

static enum pawl_rc
state_open(struct trial *t)
{
	if (t->place.state_dir >= 0)
		return PAWL_OK;
	return statedir_make_path(
		&t->fs, STATE_PATH, &t->place.state_dir, &t->err);
}

/* The document after so many lines, from a disk that nothing happened to. */
static struct buf documents[STEPS + 1];

/* Whoever changed the ledger and whoever reads it have the same. */
static void
check_ledger(const struct trial *t, const struct ledger *l, size_t lines)
{
	struct buf document = { 0 };
	struct json_writer w = { .out = &document };

	ledger_write(l, &w);
	if (documents[lines].len == 0)
		buf_add(&documents[lines], buf_str(&document));
	CHECK(t, str_eq(buf_str(&document), buf_str(&documents[lines])));
	buf_release(&document);
}

/* The step of a process of its own; under its key when it has one. */
static enum pawl_rc
take(struct trial *t, size_t number)
{
	const struct step *step = &steps[number];
	struct str key = str_from(step->key);
	char request[LINE_REQUEST_HEX + 1];
	struct ledger_run r = { .dir = -1 };
	enum pawl_rc rc = state_open(t);

	t->again = false;
	keys_request(key, request);
	if (rc == PAWL_OK && number == 0) {
		struct ledger_run_new wanted = { .id = STR(ID),
			.task = STR("All of it"),
			.key = key,
			.request = str_from(request),
			.rand = &t->rand };

		rc = rundir_init_state(&t->fs, t->place.state_dir, &t->err);
		if (rc == PAWL_OK)
			rc = ledger_run_create(
				&r, &t->place, &wanted, &t->again, &t->err);
	} else if (rc == PAWL_OK) {
		rc = ledger_run_open(&r, &t->place, STR(ID), &t->err);
		if (rc == PAWL_OK)
			rc = ledger_run_begin(&r, &t->err);
		if (rc == PAWL_OK && key.len > 0)
			rc = ledger_run_find_key(
				&r, key, str_from(request), &t->again, &t->err);
		for (size_t i = 0; rc == PAWL_OK && !t->again &&
			i < EVENTS_MAX && step->acts[i].word != NULL;
			i++) {
			struct command cmd = {
				.event = { .type = step->acts[i].type,
					.node = str_from(step->acts[i].node) },
				.actor = step->human ? ACTOR_HUMAN
						     : ACTOR_COORDINATOR,
			};

			fill(t, &cmd.event, step->acts[i].word);
			rc = ledger_run_propose(&r, &cmd, &t->err);
		}
	}
	if (rc == PAWL_OK)
		rc = ledger_run_commit(&r, key, str_from(request), &t->err);
	if (rc == PAWL_OK && !t->again)
		check_ledger(t, &r.ledger, number + 1);
	ledger_run_close(&r);
	return rc;
}

static void
begin(struct trial *t, const struct fs_sim *before)
{
	t->sim = fs_sim_copy(before);
	t->fault = (struct fs_fault){ .under = fs_sim_fs(t->sim), .left = -1 };
	t->fs = fs_fault_over(&t->fault);
	t->clock = clock_fixed(1764501600000000, 1000);
	t->rand = rand_seeded(7);
	t->err = (struct pawl_err){ 0 };
	t->place = (struct place){ .fs = &t->fs,
		.clock = &t->clock,
		.state_dir = -1,
		.state_path = STATE_PATH };
}

static void
end(struct trial *t)
{
	fs_close(&t->fs, &t->place.state_dir);
	CHECK(t, fs_sim_open_count(t->sim) == 0);
	CHECK(t, fs_sim_locks(t->sim) == 0);
	arena_reset(&t->mem);
	fs_sim_free(t->sim);
}

/* What a reader finds, and how many lines make it. */
static uint64_t
look(struct trial *t)
{
	struct ledger_run r = { .dir = -1 };
	uint64_t lines = 0;
	enum pawl_rc rc = state_open(t);

	if (rc == PAWL_OK)
		rc = ledger_run_open(&r, &t->place, STR(ID), &t->err);
	CHECK(t, rc == PAWL_OK || rc == PAWL_ENOENT);
	if (rc == PAWL_OK) {
		lines = ledger_run_seq(&r);
		check_ledger(t, &r.ledger, (size_t)lines);
		CHECK(t,
			is_ledger_run_closed(&r) == (lines == (uint64_t)STEPS));
	}
	ledger_run_close(&r);
	return lines;
}

static void
audit(struct trial *t, bool repair, bool whole)
{
	const struct audit_finding *f;
	struct audit a;

	CHECK(t, audit_run(&a, &t->place, STR(ID), repair, &t->err) == PAWL_OK);
	VEC_EACH (f, &a.findings) {
		if (whole || (f->serious && f->code != ERR_POISONED))
			check(t, false, f->message.ptr);
	}
	audit_release(&a);
}

/* Of a run that has no line there may be little; what is there is mended. */
static void
mend(struct trial *t)
{
	struct audit a;

	if (audit_run(&a, &t->place, STR(ID), true, &t->err) == PAWL_OK)
		audit_release(&a);
	else
		CHECK(t, t->err.rc == PAWL_ENOENT);
}

/* A key is asked again: by the first answer, or as the first time. */
static void
repeat(struct trial *t, bool was_there)
{
	CHECK(t, take(t, t->step) == PAWL_OK);
	CHECK(t, t->again == was_there);
	CHECK(t, take(t, t->step) == PAWL_OK);
	CHECK(t, t->again);
}

/* Whatever was hit: no half of anything, and the run goes on. */
static void
judge(struct trial *t, enum pawl_rc rc)
{
	uint64_t lines = look(t), last;

	CHECK(t, lines == t->step || lines == t->step + 1);
	CHECK(t, lines == t->step + 1 || rc != PAWL_OK);
	if (lines > 0) {
		audit(t, false, false);
		audit(t, true, false);
		audit(t, false, true);
	} else {
		mend(t);
	}
	if (steps[t->step].key != NULL) {
		repeat(t, lines == t->step + 1);
		lines = look(t);
	}
	for (; lines < (uint64_t)STEPS && lines <= t->step + FURTHER; lines++)
		CHECK(t, take(t, (size_t)lines) == PAWL_OK);
	fs_sim_crash(t->sim, 0);
	t->place.state_dir = -1;
	last = look(t);
	CHECK(t, last == lines);
	audit(t, false, false);
}

static bool
cut_once(struct trial *t, const struct fs_sim *before)
{
	enum pawl_rc rc;
	bool cut;

	begin(t, before);
	fs_sim_cut_before(t->sim, t->at);
	rc = take(t, t->step);
	cut = fs_sim_is_dead(t->sim);
	CHECK(t, cut || rc == PAWL_OK);
	fs_sim_crash(t->sim, t->seed);
	t->place.state_dir = -1;
	judge(t, rc);
	end(t);
	return cut;
}

static void
cut_step(struct trial *t, const struct fs_sim *before)
{
	bool cut = true;

	for (t->at = 0; cut; t->at++) {
		CHECK(t, t->at < TRIES_MAX);
		for (t->seed = 0; t->seed < SEEDS; t->seed++)
			cut = cut_once(t, before);
	}
	CHECK(t, t->at > 2);
}

/* An error, or the effect; and then as after a cut. */
static bool
fail_once(struct trial *t, const struct fs_sim *before, int sys)
{
	enum pawl_rc rc;
	bool fired;

	begin(t, before);
	t->fault.left = t->at;
	t->fault.sys = sys;
	rc = take(t, t->step);
	fired = t->fault.fired != NULL;
	t->fault.left = -1;
	CHECK(t, fired || rc == PAWL_OK);
	CHECK(t, rc == PAWL_OK || (t->err.msg[0] != '\0' && t->err.rc == rc));
	CHECK(t, rc != PAWL_EINTERNAL);
	judge(t, rc);
	end(t);
	return fired;
}

static void
fail_step(struct trial *t, const struct fs_sim *before)
{
	static const int errors[] = { ENOSPC, EIO, EINTR, EAGAIN, EROFS,
		EDQUOT };
	const size_t count = sizeof(errors) / sizeof(errors[0]);
	bool fired = true;

	for (t->at = 0; fired; t->at++) {
		CHECK(t, t->at < TRIES_MAX);
		fired = fail_once(
			t, before, errors[((size_t)t->at + t->step) % count]);
		if (t->at % 4 == 0)
			(void)fail_once(t, before, FAULT_SHORT);
	}
	CHECK(t, t->at > 2);
}

/* A sync fails, its pages are lost, and the power goes after it. */
static void
lose_step(struct trial *t, const struct fs_sim *before)
{
	bool failed = true;

	for (t->at = 0; failed; t->at++) {
		for (t->seed = 0; t->seed < SEEDS; t->seed++) {
			enum pawl_rc rc;

			begin(t, before);
			fs_sim_fail_syncs(t->sim, t->at,
				1 + (long)(t->seed % 2), t->seed);
			rc = take(t, t->step);
			failed = rc != PAWL_OK;
			fs_sim_crash(t->sim, t->seed / 2);
			t->place.state_dir = -1;
			judge(t, rc);
			end(t);
		}
		CHECK(t, t->at < TRIES_MAX);
	}
	CHECK(t, t->at > 1);
}

typedef void hit_fn(struct trial *t, const struct fs_sim *before);

/* Each step, on the disk as the steps before it left it. */
static void
every_step(hit_fn *hit)
{
	struct fs_sim *sims[STEPS + 1] = { fs_sim_new() };
	struct trial t = { 0 };

	for (t.step = 0; t.step < (size_t)STEPS; t.step++) {
		begin(&t, sims[t.step]);
		CHECK(&t, take(&t, t.step) == PAWL_OK);
		CHECK(&t, look(&t) == t.step + 1);
		sims[t.step + 1] = fs_sim_copy(t.sim);
		end(&t);
	}
	for (t.step = 0; t.step < (size_t)STEPS; t.step++)
		hit(&t, sims[t.step]);
	for (size_t i = 0; i <= (size_t)STEPS; i++) {
		fs_sim_free(sims[i]);
		buf_release(&documents[i]);
	}
}

static void
cuts_of_the_power(void **state)
{
	(void)state;
	every_step(cut_step);
}

static void
failing_calls(void **state)
{
	(void)state;
	every_step(fail_step);
}

static void
failed_syncs_that_drop_pages(void **state)
{
	(void)state;
	every_step(lose_step);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_of_the_power),
		cmocka_unit_test(failing_calls),
		cmocka_unit_test(failed_syncs_that_drop_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
