/*
 * bench_proof: what the proof of a scope costs in a large repository, against
 * `git status` in the same one.
 *
 *	bench_proof [FILES]
 *
 * Makes a repository of FILES files (100,000), a hundred in a folder.  Each of
 * ROUNDS rounds writes one file, then runs, in turns: `git status`, and what
 * pawl does with a worker's folder (settings, fingerprint, tree, what differs);
 * prints the medians and the median of the rounds' ratios.  Then the same where
 * nothing was written.  Folders are in $TMPDIR.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"
#include "engine/file.h"
#include "engine/ref.h"
#include "engine/repo.h"
#include "engine/seen.h"

enum { FILES = 100000, FILES_MAX = 10000000, IN_FOLDER = 100, ROUNDS = 9 };

struct ground {
	struct arena mem;
	const char *top;
	struct place place;
	struct run run;
	struct pilot pilot;
	struct oid base;
	const char *index;
};

struct round {
	double status_ms, proof_ms;
};

static double
now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_MONOTONIC, &t) != 0)
		die("could not read the clock");
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
must(enum pawl_rc rc, const struct pawl_err *err)
{
	if (rc != PAWL_OK)
		die("%s", err->msg);
}

static void
sh(struct ground *g, const char *text)
{
	struct str line = arena_format(&g->mem, "cd '%s' && %s", g->top, text);

	/* NOLINTNEXTLINE(cert-env33-c): the bench's own text */
	if (system(arena_strdup(&g->mem, line)) != 0)
		die("failed: %s", text);
}

static void
put(struct ground *g, unsigned n, unsigned round)
{
	char path[256];
	FILE *f;

	(void)snprintf(
		path, sizeof(path), "%s/repo/d%u", g->top, n / IN_FOLDER);
	(void)mkdir(path, 0700); /* made with its first file */
	(void)snprintf(path, sizeof(path), "%s/repo/d%u/f%u", g->top,
		n / IN_FOLDER, n);
	f = fopen(path, "we");
	if (f == NULL || fprintf(f, "file %u, round %u\n", n, round) < 0 ||
		fclose(f) != 0)
		die("could not write '%s'", path);
}

static void
make(struct ground *g, unsigned files)
{
	struct pawl_err err;
	struct ref_head head;
	const char *tmp = getenv("TMPDIR");
	char *top = arena_strdup(&g->mem,
		arena_format(
			&g->mem, "%s/pawl-proof-XXXXXX", tmp ? tmp : "/tmp"));

	if (mkdtemp(top) == NULL)
		die("could not make '%s'", top);
	g->top = top;
	sh(g, "mkdir -p state/runs/r && git init -q repo");
	for (unsigned i = 0; i < files; i++)
		put(g, i, 0);
	sh(g,
		"cd repo && git add -A && git -c user.name=b -c user.email=b@b "
		"-c gc.auto=0 commit -qm base");
	top = arena_strdup(&g->mem, arena_format(&g->mem, "%s/repo", g->top));
	top = arena_strdup(&g->mem, str_from(file_real_path(top, &g->mem)));
	must(repo_find(top, &g->mem, &g->pilot.repo, &err), &err);
	must(ref_head(&g->pilot.repo, &g->mem, &head, &err), &err);
	g->base = head.commit;
	g->place.state_path = arena_strdup(
		&g->mem, arena_format(&g->mem, "%s/state", g->top));
	g->index = arena_strdup(
		&g->mem, arena_format(&g->mem, "%s/index", g->top));
	g->run.place = &g->place;
	g->run.id = STR("r");
	g->pilot.run = &g->run;
	g->pilot.serve.git_dir = g->pilot.repo.common_dir;
	g->pilot.repo.serve = &g->pilot.serve;
	must(snapshot_seed(&g->pilot.repo, g->index, &g->base, &err), &err);
}

static void
prove(struct ground *g, size_t changed)
{
	struct changes changes = { 0 };
	struct pawl_err err;
	struct oid tree;

	must(seen_take(&g->pilot, &g->pilot.repo, g->index, &tree, &err), &err);
	must(snapshot_changes(&g->pilot.repo, &g->base, &tree, &g->pilot.mem,
		     &changes, &err),
		&err);
	if (changes.count != changed)
		die("%zu changes, wanted %zu", changes.count, changed);
	changes_release(&changes);
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
median(double *values)
{
	qsort(values, ROUNDS, sizeof(values[0]), by_size);
	return values[ROUNDS / 2];
}

static void
measure(struct ground *g, bool writes, const char *what)
{
	double status[ROUNDS], proof[ROUNDS], ratio[ROUNDS];
	size_t changed = writes ? 0 : ROUNDS;

	for (unsigned i = 0; i < ROUNDS; i++) {
		double start;

		if (writes) {
			put(g, i * IN_FOLDER, i + 1);
			changed++;
		}
		/* times must be older than the clock's tick for both */
		(void)usleep(20000);
		start = now_ms();
		sh(g,
			"cd repo && git --no-optional-locks status --porcelain "
			">/dev/null");
		status[i] = now_ms() - start;
		start = now_ms();
		prove(g, changed);
		proof[i] = now_ms() - start;
		ratio[i] = proof[i] / status[i];
	}
	printf("proof: %s: git status %.0f ms, proof %.0f ms, ratio %.2f\n",
		what, median(status), median(proof), median(ratio));
}

int
main(int argc, char **argv)
{
	struct ground g = { .mem = ARENA_INIT };
	struct pawl_err err;
	uint64_t files = FILES;

	if (argc == 2)
		must(num_u64(str_from(argv[1]), (uint64_t)ROUNDS * IN_FOLDER,
			     FILES_MAX, &files, &err),
			&err);
	make(&g, (unsigned)files);
	printf("proof: %u files, %u rounds\n", (unsigned)files, ROUNDS);
	measure(&g, true, "one file written");
	measure(&g, false, "nothing written since");
	git_serve_close(&g.pilot.serve);
	arena_reset(&g.pilot.mem);
	arena_reset(&g.pilot.keep);
	sh(&g, "rm -rf repo state index*");
	(void)rmdir(g.top);
	arena_reset(&g.mem);
	return EXIT_SUCCESS;
}
