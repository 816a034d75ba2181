/*
 * The power goes before every change that an act makes, and of what was not
 * synced any subset is kept.  Afterwards: what was acknowledged is there, what
 * was not is there as a whole or not at all, and the next act works.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "commits.h"
#include "fs_sim.h"
#include "store/artifact.h"
#include "store/projection.h"
#include "store/rundir.h"

enum {
	SEEDS = 48,
	CUTS_MAX = 200, /* no act makes so many changes */
};

struct power {
	struct fs_sim *sim;
	struct fs fs;
	int root;
	struct buf events;
	struct pawl_err err;
	size_t text;    /* bytes of text in a commit */
	uint64_t acked; /* commits that were acknowledged */
	long cut;
	uint64_t seed;
};

typedef void prepare_fn(struct power *p);
typedef enum pawl_rc act_fn(struct power *p);
typedef void judge_fn(struct power *p, enum pawl_rc rc);

struct scenario {
	prepare_fn *prepare;
	act_fn *act;
	judge_fn *judge;
};

static void
check(const struct power *p, bool holds, const char *what)
{
	if (!holds) {
		fail_msg("%s (cut before change %ld, seed %llu, text %zu): %s",
			what, p->cut, (unsigned long long)p->seed, p->text,
			p->err.msg);
	}
}

#define CHECK(p, x) check((p), (x), #x)

static bool
run_once(const struct scenario *sc, struct power *p)
{
	enum pawl_rc rc;
	bool cut;

	p->sim = fs_sim_new();
	p->fs = fs_sim_fs(p->sim);
	p->root = fs_sim_root(p->sim);
	p->acked = 0;
	sc->prepare(p);
	fs_sim_cut_before(p->sim, p->cut);
	rc = sc->act(p);
	cut = fs_sim_is_dead(p->sim);
	CHECK(p, cut || rc == PAWL_OK);
	fs_sim_crash(p->sim, p->seed);
	sc->judge(p, rc);
	CHECK(p, fs_sim_open_count(p->sim) == 0);
	CHECK(p, fs_sim_locks(p->sim) == 0);
	fs_sim_free(p->sim);
	return cut;
}

static void
every_cut(const struct scenario *sc, size_t text)
{
	struct power p = { .text = text };
	bool cut = true;

	for (p.cut = 0; cut; p.cut++) {
		CHECK(&p, p.cut < CUTS_MAX);
		for (p.seed = 0; p.seed < SEEDS; p.seed++)
			cut = run_once(sc, &p);
	}
	assert_true(p.cut > 1);
	buf_release(&p.events);
}

/* The sum of the numbers of `n` commits: the n-th says n. */
static uint64_t
sum_to(uint64_t n)
{
	return n * (n + 1) / 2;
}

static enum pawl_rc
commit(struct power *p)
{
	uint64_t n = p->acked + 1;
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, &p->fs, p->root);
	rc = commit_one(&j, commit_events(&p->events, n, p->text), &p->err);
	journal_close(&j);
	if (rc == PAWL_OK)
		p->acked++;
	return rc;
}

static void
start(struct power *p)
{
	CHECK(p, journal_create(&p->fs, p->root, &p->err) == PAWL_OK);
	CHECK(p, commit(p) == PAWL_OK);
	CHECK(p, commit(p) == PAWL_OK);
}

static struct commit_count
scan(struct power *p)
{
	struct commit_count c = { 0 };

	CHECK(p, commit_scan(&p->fs, p->root, &c, &p->err) == PAWL_OK);
	CHECK(p, c.tail.end != JOURNAL_IN_FLIGHT);
	CHECK(p, c.tail.end != JOURNAL_ELSEWHERE);
	return c;
}

/* Then the next commit works, and lasts. */
static void
judge_commit(struct power *p, enum pawl_rc rc)
{
	struct commit_count c = scan(p);

	(void)rc;
	CHECK(p, c.tail.end != JOURNAL_CORRUPT);
	CHECK(p, c.lines == p->acked || c.lines == p->acked + 1);
	CHECK(p, c.sum == sum_to(c.lines));
	p->acked = c.lines;
	CHECK(p, commit(p) == PAWL_OK);
	fs_sim_crash(p->sim, 0);
	c = scan(p);
	CHECK(p, c.tail.end == JOURNAL_WHOLE);
	CHECK(p, c.lines == p->acked && c.sum == sum_to(c.lines));
}

static void
appends(void **state)
{
	static const size_t texts[] = { 0, 300, 511, 512, 1300, 4096 };
	const struct scenario sc = { start, commit, judge_commit };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		every_cut(&sc, texts[i]);
}

static void
put_events(struct power *p, struct str bytes)
{
	CHECK(p,
		fs_replace(&p->fs, p->root, "events.jsonl", bytes, FS_DURABLE,
			&p->err) == PAWL_OK);
}

static void
start_without_lf(struct power *p)
{
	struct buf all = { 0 };

	start(p);
	CHECK(p,
		fs_read(&p->fs, p->root, "events.jsonl", 1 << 20, &all,
			&p->err) == PAWL_OK);
	put_events(p, str_part(buf_str(&all), 0, all.len - 1));
	buf_release(&all);
}

/* The line that lacks its LF is in one sector with the append that begins with
 * it; when that sector is lost, the line still counts. */
static void
appends_after_a_line_without_lf(void **state)
{
	static const size_t texts[] = { 0, 150, 700, 1100 };
	const struct scenario sc = { start_without_lf, commit, judge_commit };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		every_cut(&sc, texts[i]);
}

static void
start_torn(struct power *p)
{
	struct buf all = { 0 };

	start(p);
	CHECK(p,
		fs_read(&p->fs, p->root, "events.jsonl", 1 << 20, &all,
			&p->err) == PAWL_OK);
	/* Bytes that no later line has, and no NUL among them. */
	memset(all.data + all.len - all.len / 3, '#', all.len / 3);
	put_events(p, buf_str(&all));
	buf_release(&all);
	p->acked = 1;
}

static void
appends_over_a_torn_tail(void **state)
{
	static const size_t texts[] = { 0, 700, 2000 };
	const struct scenario sc = { start_torn, commit, judge_commit };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		every_cut(&sc, texts[i]);
}

/* C006: old file or new file, and no commit is lost. */
static void
start_poisoned(struct power *p)
{
	start_torn(p);
	CHECK(p,
		fs_create(&p->fs, p->root, "poison", STR("x\n"), &p->err) ==
			PAWL_OK);
}

static enum pawl_rc
repair(struct power *p)
{
	struct journal_repaired r = { 0 };
	struct journal j;
	enum pawl_rc rc;

	journal_init(&j, &p->fs, p->root);
	rc = journal_repair(&j, 0, &r, &p->err);
	journal_close(&j);
	return rc;
}

static void
judge_repair(struct power *p, enum pawl_rc rc)
{
	struct commit_count c = scan(p);

	CHECK(p, c.lines == p->acked && c.sum == sum_to(c.lines));
	if (rc == PAWL_OK) {
		CHECK(p, c.tail.end == JOURNAL_WHOLE);
	} else {
		CHECK(p, repair(p) == PAWL_OK);
	}
	CHECK(p, commit(p) == PAWL_OK);
	fs_sim_crash(p->sim, 0);
	judge_commit(p, PAWL_OK);
}

static void
repairs_of_a_poisoned_journal(void **state)
{
	const struct scenario sc = { start_poisoned, repair, judge_repair };

	(void)state;
	every_cut(&sc, 0);
	every_cut(&sc, 1000);
}

static void
start_head(struct power *p)
{
	CHECK(p,
		fs_replace(&p->fs, p->root, "head", STR("old"), FS_DURABLE,
			&p->err) == PAWL_OK);
}

static struct str
big(struct power *p)
{
	return commit_events(&p->events, 7, 1500);
}

static enum pawl_rc
replace(struct power *p)
{
	return fs_replace(&p->fs, p->root, "head", big(p), FS_DURABLE, &p->err);
}

static void
judge_replace(struct power *p, enum pawl_rc rc)
{
	struct buf now = { 0 };
	bool is_new;

	CHECK(p,
		fs_read(&p->fs, p->root, "head", 1 << 20, &now, &p->err) ==
			PAWL_OK);
	is_new = str_eq(buf_str(&now), big(p));
	CHECK(p,
		is_new || (rc != PAWL_OK && str_eq(buf_str(&now), STR("old"))));
	buf_release(&now);
	CHECK(p, fs_sweep(&p->fs, p->root, &p->err) == PAWL_OK);
	CHECK(p, fs_list(&p->fs, p->root, &now, &p->err) == PAWL_OK);
	CHECK(p, now.len == sizeof("head"));
	buf_release(&now);
}

static void
replaces(void **state)
{
	const struct scenario sc = { start_head, replace, judge_replace };

	(void)state;
	every_cut(&sc, 0);
}

static void
start_nothing(struct power *p)
{
	(void)p;
}

static enum pawl_rc
create(struct power *p)
{
	return fs_create(&p->fs, p->root, "once", big(p), &p->err);
}

static void
judge_create(struct power *p, enum pawl_rc rc)
{
	struct buf now = { 0 };

	if (fs_read(&p->fs, p->root, "once", 1 << 20, &now, &p->err) ==
		PAWL_OK) {
		CHECK(p, str_eq(buf_str(&now), big(p)));
		CHECK(p, create(p) != PAWL_OK && p->err.code == ERR_ID_TAKEN);
	} else {
		CHECK(p, rc != PAWL_OK && p->err.code == ERR_FILE_NOT_FOUND);
		CHECK(p, create(p) == PAWL_OK);
	}
	buf_release(&now);
}

static void
creates(void **state)
{
	const struct scenario sc = { start_nothing, create, judge_create };

	(void)state;
	every_cut(&sc, 0);
}

static enum pawl_rc
archive(struct power *p)
{
	char digest[SHA256_HEX + 1];

	return artifact_put(&p->fs, p->root, big(p), digest, &p->err);
}

static void
judge_archive(struct power *p, enum pawl_rc rc)
{
	char digest[SHA256_HEX + 1];
	struct buf now = { 0 };

	sha256_hex(big(p), digest);
	if (rc == PAWL_OK) {
		CHECK(p,
			artifact_get(&p->fs, p->root, str_from(digest), 1 << 20,
				&now, &p->err) == PAWL_OK);
	}
	CHECK(p, archive(p) == PAWL_OK);
	fs_sim_crash(p->sim, 0);
	buf_clear(&now);
	CHECK(p,
		artifact_get(&p->fs, p->root, str_from(digest), 1 << 20, &now,
			&p->err) == PAWL_OK);
	CHECK(p, str_eq(buf_str(&now), big(p)));
	buf_release(&now);
}

static void
puts_of_artifacts(void **state)
{
	const struct scenario sc = { start_nothing, archive, judge_archive };

	(void)state;
	every_cut(&sc, 0);
}

static enum pawl_rc
project(struct power *p)
{
	struct commit_count c = scan(p);
	enum pawl_rc rc;

	/* Two, so that one is replaced. */
	rc = projection_save(
		&p->fs, p->root, 1, &c.at, STR("{\"n\":1}"), &p->err);
	return rc == PAWL_OK
		? projection_save(&p->fs, p->root, 1, &c.at, big(p), &p->err)
		: rc;
}

/* C019: whatever is there is what was saved, or isn't believed. */
static void
judge_project(struct power *p, enum pawl_rc rc)
{
	struct projection now;

	(void)rc;
	projection_load(&p->fs, p->root, 1, &now);
	if (now.found == PROJECTION_GOOD) {
		CHECK(p,
			str_eq(now.body, STR("{\"n\":1}")) ||
				str_eq(now.body, big(p)));
	}
	projection_release(&now);
	CHECK(p, project(p) == PAWL_OK);
	projection_load(&p->fs, p->root, 1, &now);
	CHECK(p, now.found == PROJECTION_GOOD && str_eq(now.body, big(p)));
	projection_release(&now);
	judge_commit(p, PAWL_OK);
}

static void
saves_of_projections(void **state)
{
	const struct scenario sc = { start, project, judge_project };

	(void)state;
	every_cut(&sc, 0);
}

static void
start_state(struct power *p)
{
	CHECK(p, rundir_init_state(&p->fs, p->root, &p->err) == PAWL_OK);
}

static const struct rundir_input input = { "tasks.md",
	{ "- [ ] A: build\n", 15 } };
static const struct rundir_inputs inputs = { &input, 1 };

static enum pawl_rc
make_run(struct power *p)
{
	struct journal j;
	enum pawl_rc rc;
	int dir = -1;

	rc = rundir_create(&p->fs, p->root, "r-1", &inputs, &dir, &p->err);
	if (rc != PAWL_OK)
		return rc;
	journal_init(&j, &p->fs, dir);
	rc = commit_one(&j, commit_events(&p->events, 1, 700), &p->err);
	journal_close(&j);
	fs_close(&p->fs, &dir);
	return rc;
}

/* Started, or never started; started means that inputs and mark are there. */
static void
judge_run(struct power *p, enum pawl_rc rc)
{
	struct commit_count c = { 0 };
	struct buf text = { 0 };
	int dir = -1;

	if (rundir_open(&p->fs, p->root, "r-1", &dir, &p->err) == PAWL_OK &&
		commit_scan(&p->fs, dir, &c, &p->err) == PAWL_OK)
		CHECK(p, c.tail.end != JOURNAL_CORRUPT);
	CHECK(p, c.lines == 1 || rc != PAWL_OK);
	if (c.lines == 1) {
		CHECK(p,
			fs_read(&p->fs, dir, "plan/tasks.md", 99, &text,
				&p->err) == PAWL_OK);
		CHECK(p, str_eq(buf_str(&text), input.bytes));
		buf_clear(&text);
		CHECK(p,
			rundir_list(&p->fs, p->root, RUNDIR_ACTIVE, &text,
				&p->err) == PAWL_OK);
		CHECK(p, text.len == sizeof("r-1"));
	}
	buf_release(&text);
	fs_close(&p->fs, &dir);
}

static void
creations_of_runs(void **state)
{
	const struct scenario sc = { start_state, make_run, judge_run };

	(void)state;
	every_cut(&sc, 0);
}

struct lost_pages {
	size_t text;
	bool no_lf;  /* the journal's last line lacks it */
	bool crash;  /* the power goes before the repair */
	long failed; /* so many syncs in a row */
};

/* The next commit works, at last after a repair, and all that was acknowledged
 * outlives a cut that keeps nothing but what was synced. */
static void
lose_pages(struct power *p, const struct lost_pages *l)
{
	struct commit_count c;
	uint64_t before;

	if (l->no_lf) {
		start_without_lf(p);
	} else {
		start(p);
	}
	before = p->acked;
	fs_sim_fail_syncs(p->sim, 0, l->failed, p->seed);
	CHECK(p, commit(p) == PAWL_EIO);
	CHECK(p, p->err.code == ERR_OUTCOME_UNKNOWN);
	if (l->failed > 1) {
		CHECK(p, commit(p) == PAWL_EIO);
		CHECK(p, p->err.code == ERR_POISONED);
	}
	if (l->crash)
		fs_sim_crash(p->sim, p->seed / 2);
	c = scan(p);
	CHECK(p, c.tail.end != JOURNAL_CORRUPT);
	CHECK(p, c.lines == before || c.lines == before + 1);
	p->acked = c.lines;
	CHECK(p, repair(p) == PAWL_OK);
	CHECK(p, commit(p) == PAWL_OK);
	fs_sim_crash(p->sim, 0);
	c = scan(p);
	CHECK(p, c.tail.end == JOURNAL_WHOLE);
	CHECK(p, c.lines == p->acked && c.sum == sum_to(c.lines));
}

static void
failed_syncs_that_drop_pages(void **state)
{
	static const size_t texts[] = { 0, 300, 700, 2000 };
	struct power p = { 0 };

	(void)state;
	for (unsigned i = 0; i < 4 * 2 * 2 * 3; i++) {
		const struct lost_pages l = { .text = texts[i % 4],
			.no_lf = i / 4 % 2 != 0,
			.crash = i / 8 % 2 != 0,
			.failed = 1 + i / 16 };

		for (p.seed = 0; p.seed < SEEDS; p.seed++) {
			p.text = l.text;
			p.cut = (long)i;
			p.sim = fs_sim_new();
			p.fs = fs_sim_fs(p.sim);
			p.root = fs_sim_root(p.sim);
			p.acked = 0;
			lose_pages(&p, &l);
			fs_sim_free(p.sim);
		}
	}
	buf_release(&p.events);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(appends),
		cmocka_unit_test(appends_after_a_line_without_lf),
		cmocka_unit_test(appends_over_a_torn_tail),
		cmocka_unit_test(repairs_of_a_poisoned_journal),
		cmocka_unit_test(replaces),
		cmocka_unit_test(creates),
		cmocka_unit_test(puts_of_artifacts),
		cmocka_unit_test(saves_of_projections),
		cmocka_unit_test(creations_of_runs),
		cmocka_unit_test(failed_syncs_that_drop_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
