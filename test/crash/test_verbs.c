/*
 * Every mutating verb under a cut of the power, a failing call, a failed sync:
 * what was acknowledged is there, nothing is there by half, the run opens or
 * was never started, a repeated request gets the first answer, and the run goes
 * on from where it stands.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fs_fault.h"
#include "fs_sim.h"
#include "life.h"

enum {
	SEEDS = 6,
	TRIES_MAX = 2000, /* no step makes so many calls */
	FURTHER = 2,      /* steps that are taken after one was hit */
};

/* One step of a life, hit in one way. */
struct trial {
	struct fs_sim *sim;
	struct fs fs;
	struct fs_fault fault;
	struct life life;
	bool big;
	size_t step;
	long at; /* the change, call or sync that is hit */
	uint64_t seed;
};

static void
check(const struct trial *t, bool holds, const char *what)
{
	if (!holds) {
		fail_msg("%s (step %zu %s, hit at %ld, seed %llu, error %d "
			 "of '%s'): %s",
			what, t->step, life_step_word(t->step), t->at,
			(unsigned long long)t->seed, t->fault.sys,
			t->fault.fired ? t->fault.fired : "none",
			t->life.err.msg);
	}
}

#define CHECK(t, x) check((t), (x), #x)

static void
begin(struct trial *t, const struct fs_sim *before)
{
	t->sim = fs_sim_copy(before);
	t->fault = (struct fs_fault){ .under = fs_sim_fs(t->sim), .left = -1 };
	t->fs = fs_fault_over(&t->fault);
	life_init(&t->life, &t->fs, t->big);
	t->life.acked = t->step;
	if (t->step > 0) {
		uint64_t lines;

		CHECK(t, life_look(&t->life, &lines) == PAWL_OK);
		CHECK(t, lines == t->step);
	}
}

static void
end(struct trial *t)
{
	CHECK(t, fs_sim_open_count(t->sim) == 0);
	CHECK(t, fs_sim_locks(t->sim) == 0);
	life_release(&t->life);
	fs_sim_free(t->sim);
}

/* A key is asked again: by the first answer, or as the first time. */
static void
repeat(struct trial *t, uint64_t lines)
{
	bool was_there = lines == t->step + 1;

	if (!life_step_has_key(t->step))
		return;
	CHECK(t, life_step(&t->life, t->step) == PAWL_OK);
	CHECK(t, t->life.again == was_there);
	CHECK(t, life_step(&t->life, t->step) == PAWL_OK);
	CHECK(t, t->life.again);
}

/* Whatever was hit: no half of anything, and the run goes on. */
static void
judge(struct trial *t, enum pawl_rc rc)
{
	uint64_t lines, lasting;
	const char *bad;

	CHECK(t, life_look(&t->life, &lines) == PAWL_OK);
	CHECK(t, lines == t->step || lines == t->step + 1);
	CHECK(t, lines == t->step + 1 || rc != PAWL_OK);
	if (lines > 0) {
		bad = life_audit(&t->life, false, false);
		if (bad != NULL)
			check(t, false, bad);
		bad = life_audit(&t->life, true, false);
		if (bad != NULL)
			check(t, false, bad);
		bad = life_audit(&t->life, false, true);
		if (bad != NULL)
			check(t, false, bad);
		repeat(t, lines);
		CHECK(t, life_look(&t->life, &lines) == PAWL_OK);
	}
	for (size_t i = lines; i < life_steps() && i < t->step + 1 + FURTHER;
		i++) {
		CHECK(t, life_step(&t->life, i) == PAWL_OK);
		lines = i + 1;
	}
	t->life.acked = lines;
	fs_sim_crash(t->sim, 0);
	t->life.place.state_dir = -1;
	CHECK(t, life_look(&t->life, &lasting) == PAWL_OK);
	CHECK(t, lasting == lines);
	bad = life_audit(&t->life, false, false);
	if (bad != NULL)
		check(t, false, bad);
}

/* False when the step made fewer changes than that. */
static bool
cut_once(struct trial *t, const struct fs_sim *before)
{
	enum pawl_rc rc;
	bool cut;

	begin(t, before);
	fs_sim_cut_before(t->sim, t->at);
	rc = life_step(&t->life, t->step);
	cut = fs_sim_is_dead(t->sim);
	CHECK(t, cut || rc == PAWL_OK);
	CHECK(t, fs_sim_open_count(t->sim) == 0);
	fs_sim_crash(t->sim, t->seed);
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

typedef void hit_fn(struct trial *t, const struct fs_sim *before);

/* Each step, on the disk as the steps before it left it. */
static void
every_step(hit_fn *hit, bool big)
{
	struct fs_sim *sim = fs_sim_new();
	struct trial t = { .big = big };

	for (t.step = 0; t.step < life_steps(); t.step++) {
		struct trial whole = { .big = big, .step = t.step };
		struct fs_sim *next;

		if (!big || life_step_is_big(t.step))
			hit(&t, sim);
		begin(&whole, sim);
		CHECK(&whole, life_step(&whole.life, t.step) == PAWL_OK);
		next = fs_sim_copy(whole.sim);
		end(&whole);
		fs_sim_free(sim);
		sim = next;
	}
	fs_sim_free(sim);
}

static void
cuts_of_the_power(void **state)
{
	(void)state;
	every_step(cut_step, false);
}

static void
cuts_of_the_power_while_a_projection_is_written(void **state)
{
	(void)state;
	every_step(cut_step, true);
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
	rc = life_step(&t->life, t->step);
	fired = t->fault.fired != NULL;
	t->fault.left = -1;
	CHECK(t, fired || rc == PAWL_OK);
	if (rc != PAWL_OK) {
		CHECK(t, t->life.err.msg[0] != '\0' && t->life.err.rc == rc);
		CHECK(t, rc != PAWL_EINTERNAL);
	}
	CHECK(t, fs_sim_open_count(t->sim) == 0);
	CHECK(t, fs_sim_locks(t->sim) == 0);
	judge(t, rc);
	end(t);
	return fired;
}

/*
 * Which error a call fails with goes round, so that calls of each kind meet
 * each of them in one step or another.
 */
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

static void
failing_calls(void **state)
{
	(void)state;
	every_step(fail_step, false);
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
			rc = life_step(&t->life, t->step);
			failed = rc != PAWL_OK;
			fs_sim_crash(t->sim, t->seed / 2);
			judge(t, rc);
			end(t);
		}
		CHECK(t, t->at < TRIES_MAX);
	}
	CHECK(t, t->at > 1);
}

static void
failed_syncs_that_drop_pages(void **state)
{
	(void)state;
	every_step(lose_step, false);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cuts_of_the_power),
		cmocka_unit_test(
			cuts_of_the_power_while_a_projection_is_written),
		cmocka_unit_test(failing_calls),
		cmocka_unit_test(failed_syncs_that_drop_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
