/*
 * The power goes before every change that a claim, a transfer, a takeover or a
 * resume makes, and of what was not synced any subset is kept.  Asked again it
 * converges: one coordinator, whose token opens the run, and one driver; the
 * old one is stale; the run is in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/audit.h"
#include "engine/driver.h"
#include "engine/launch.h"
#include "engine/resume.h"
#include "engine/statedir.h"
#include "engine/takeover.h"
#include "fs_sim.h"

#define STATE_PATH "/var/pawl"
#define KEYS_PATH "/home/ada/keys"

enum {
	SEEDS = 48,
	CUTS_MAX = 120, /* no act makes so many changes */
};

static const char list_text[] = "- [ ] A Look at it\n"
				"  Depends: []\n"
				"  Paths: [a]\n"
				"  Mode: read\n"
				"  Isolation: auto\n"
				"  Acceptance: it was looked at\n"
				"  Check: true\n";

struct world {
	struct fs_sim *sim;
	struct fs fs;
	struct clock clock;
	struct rand rand;
	struct place place;
	struct str id;
	struct arena mem;
	struct pawl_err err;
	const char *what;
	long cut;
	uint64_t seed;
};

static void
check(struct world *w, bool holds, const char *what)
{
	if (!holds)
		fail_msg("%s: %s (cut before change %ld, seed %llu): %s",
			w->what, what, w->cut, (unsigned long long)w->seed,
			w->err.msg);
}

#define CHECK(w, x) check((w), (x), #x)

static void
world_init(struct world *w, struct fs_sim *sim)
{
	w->sim = sim;
	w->fs = fs_sim_fs(sim);
	w->clock = clock_fixed(1764501600000000, 1000);
	w->place = (struct place){ .fs = &w->fs,
		.clock = &w->clock,
		.state_dir = -1,
		.state_path = STATE_PATH,
		.keys_path = KEYS_PATH };
}

static enum pawl_rc
state_open(struct world *w)
{
	const struct statedir dir = { .path = STATE_PATH };
	bool made;

	return statedir_make(&w->fs, &dir, &w->place.state_dir, &made, &w->err);
}

static void
vacant_make(struct world *w)
{
	struct launch launch = {
		.place = &w->place,
		.rand = &w->rand,
		.mem = &w->mem,
		.list_path = "tasks.md",
		.list = str_from(list_text),
		.permission = STR("local:ada"),
		.driver = STR("auto"),
		.slots = 1,
		.vacant = true,
	};
	struct run r = { .dir = -1 };

	CHECK(w, state_open(w) == PAWL_OK);
	CHECK(w, launch_create(&launch, &r, &w->err) == PAWL_OK);
	w->id = arena_copy(&w->mem, r.id);
	run_close(&r);
}

static struct candidate
candidate(struct world *w, const char *name)
{
	return (struct candidate){ .name = str_from(name), .rand = &w->rand };
}

static enum pawl_rc
claim(struct world *w, struct run *r, const char *name)
{
	struct candidate who = candidate(w, name);
	bool again;

	return coordinator_claim(r, &who, &again, &w->err);
}

typedef enum pawl_rc act_fn(struct world *w, struct run *r);

static enum pawl_rc
act_claim(struct world *w, struct run *r)
{
	return claim(w, r, "c1");
}

/* Once it is done, who hands over is stale. */
static enum pawl_rc
act_transfer(struct world *w, struct run *r)
{
	struct candidate from = candidate(w, "c1");
	bool again;
	enum pawl_rc rc =
		coordinator_transfer(r, &from, STR("c2"), &again, &w->err);

	if (rc != PAWL_OK && w->err.code == ERR_STALE_COORDINATOR &&
		r->state.vacant)
		return PAWL_OK;
	return rc;
}

static enum pawl_rc
act_takeover(struct world *w, struct run *r)
{
	const struct takeover t = { .who = candidate(w, "c2"),
		.reason = STR("c1 is silent"),
		.force = true };
	struct taken taken;

	if (str_eq(r->state.coordinator_name, STR("c2")) &&
		coordinator_prove(r, STR("c2"), &w->err) == PAWL_OK) {
		bool done;

		return driver_select(r, &done, &w->err);
	}
	return takeover_run(r, &t, &taken, &w->err);
}

/* Something is new: its process. */
static enum pawl_rc
act_resume(struct world *w, struct run *r)
{
	struct candidate who = candidate(w, "c1");
	struct resumed res;
	enum pawl_rc rc;

	who.owner_pid = 1;
	rc = resume_run(r, &who, &res, &w->err);
	audit_release(&res.audit);
	return rc;
}

static enum pawl_rc
opened(struct world *w, act_fn *act)
{
	struct run r = { .dir = -1 };
	enum pawl_rc rc = state_open(w);

	if (rc == PAWL_OK)
		rc = run_open(&r, &w->place, w->id, &w->err);
	if (rc == PAWL_OK)
		rc = act(w, &r);
	run_close(&r);
	fs_close(&w->fs, &w->place.state_dir);
	return rc;
}

static void
judge_named(struct world *w, struct run *r, const char *name, uint64_t gen)
{
	CHECK(w, !r->state.vacant && r->state.gen == gen);
	CHECK(w, str_eq(r->state.coordinator_name, str_from(name)));
	CHECK(w, coordinator_enter(r, str_from(name), &w->err) == PAWL_OK);
	CHECK(w, r->gen == gen);
	CHECK(w, str_eq(r->state.driver, STR("host")));
	CHECK(w, r->state.selection.len == 0);
}

static void
judge_stale(struct world *w, struct run *r)
{
	CHECK(w, coordinator_enter(r, STR("c1"), &w->err) != PAWL_OK);
	CHECK(w, w->err.code == ERR_STALE_COORDINATOR);
}

static enum pawl_rc
judge_claim(struct world *w, struct run *r)
{
	judge_named(w, r, "c1", 1);
	return PAWL_OK;
}

static enum pawl_rc
judge_transfer(struct world *w, struct run *r)
{
	CHECK(w, r->state.vacant && r->state.gen == 2);
	CHECK(w, str_eq(r->state.coordinator_for, STR("c2")));
	judge_stale(w, r);
	CHECK(w, claim(w, r, "c2") == PAWL_OK);
	judge_named(w, r, "c2", 2);
	return PAWL_OK;
}

static enum pawl_rc
judge_taken_vacant(struct world *w, struct run *r)
{
	judge_named(w, r, "c2", 2);
	return PAWL_OK;
}

static enum pawl_rc
judge_takeover(struct world *w, struct run *r)
{
	CHECK(w, r->state.gen == 2);
	judge_stale(w, r);
	judge_named(w, r, "c2", 2);
	return PAWL_OK;
}

static enum pawl_rc
judge_resume(struct world *w, struct run *r)
{
	judge_named(w, r, "c1", 1);
	CHECK(w, r->state.coordinator.pid == 1);
	return PAWL_OK;
}

static const struct {
	const char *name;
	act_fn *before; /* NULL: the run is vacant */
	act_fn *act, *judge;
} scenarios[] = {
	{ "claim", NULL, act_claim, judge_claim },
	{ "transfer", act_claim, act_transfer, judge_transfer },
	{ "takeover", act_claim, act_takeover, judge_takeover },
	{ "takeover of a vacant run", NULL, act_takeover, judge_taken_vacant },
	{ "resume", act_claim, act_resume, judge_resume },
};

static void
audit_clean(struct world *w)
{
	struct audit a = { 0 };

	CHECK(w, state_open(w) == PAWL_OK);
	CHECK(w, audit_run(&a, &w->place, w->id, false, &w->err) == PAWL_OK);
	CHECK(w, a.findings.count == 0 && a.macs_missing == 0);
	audit_release(&a);
	fs_close(&w->fs, &w->place.state_dir);
}

/* False when the act made fewer changes than that. */
static bool
cut_once(struct world *w, const struct fs_sim *before, size_t scenario)
{
	bool cut;
	enum pawl_rc rc;

	world_init(w, fs_sim_copy(before));
	w->rand = rand_seeded(w->seed + 100);
	fs_sim_cut_before(w->sim, w->cut);
	rc = opened(w, scenarios[scenario].act);
	cut = fs_sim_is_dead(w->sim);
	CHECK(w, cut || rc == PAWL_OK);
	fs_sim_crash(w->sim, w->seed);
	w->rand = rand_seeded(w->seed + 200);
	CHECK(w, opened(w, scenarios[scenario].act) == PAWL_OK);
	CHECK(w, opened(w, scenarios[scenario].judge) == PAWL_OK);
	audit_clean(w);
	CHECK(w, fs_sim_locks(w->sim) == 0);
	fs_sim_free(w->sim);
	return cut;
}

static void
a_cut_anywhere_converges_when_it_is_asked_again(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
		struct world w = { .what = scenarios[i].name,
			.rand = rand_seeded(7) };
		struct fs_sim *before = fs_sim_new();
		bool cut = true;

		world_init(&w, before);
		vacant_make(&w);
		fs_close(&w.fs, &w.place.state_dir);
		if (scenarios[i].before != NULL)
			CHECK(&w, opened(&w, scenarios[i].before) == PAWL_OK);
		for (w.cut = 0; cut; w.cut++) {
			CHECK(&w, w.cut < CUTS_MAX);
			for (w.seed = 0; w.seed < SEEDS; w.seed++)
				cut = cut_once(&w, before, i);
		}
		CHECK(&w, w.cut > 2);
		fs_sim_free(before);
		arena_reset(&w.mem);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_cut_anywhere_converges_when_it_is_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
