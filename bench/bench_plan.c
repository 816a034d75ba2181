/*
 * bench_plan: how fast a task list becomes a plan.
 *
 * Makes a list of tasks from a seed, each with three dependencies on earlier
 * ones (or, with `chain`, all in one chain), and times reading it, its waves
 * and questions to a trie that holds 100,000 writers.  Prints the bytes that
 * the plan takes beyond the list.
 *
 *	bench_plan [TASKS [SEED [chain]]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "model/scope_trie.h"
#include "model/tasks.h"
#include "model/waves.h"

enum {
	EDGES = 3, /* a task, once enough stand before it */
	WRITERS = 100000,
	QUESTIONS = 1000000,
};

static uint64_t
argument(char **argv, int argc, int i, uint64_t preset, uint64_t max)
{
	struct pawl_err err = { 0 };
	uint64_t n = preset;

	if (argc > i && num_u64(str_from(argv[i]), 0, max, &n, &err) != PAWL_OK)
		die("%s", err.msg);
	return n;
}

/* Processor time: nothing here waits, and other programs do not count. */
static double
now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		die("could not read the clock");
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void
put_depends(struct buf *b, uint64_t i, struct rand *r, bool chain)
{
	if (chain && i > 0)
		buf_addf(b, "T%" PRIu64, i - 1);
	if (chain || i == 0)
		return;
	for (uint64_t k = 0, last = UINT64_MAX; k < EDGES && k < i; k++) {
		uint64_t part = i / EDGES ? i / EDGES : 1;
		uint64_t to = k * part + rand_u64(r) % part;

		if (to >= i || to == last)
			continue;
		buf_addf(b, "%sT%" PRIu64, last == UINT64_MAX ? "" : ", ", to);
		last = to;
	}
}

static void
put_list(struct buf *b, uint64_t tasks, struct rand *r, bool chain)
{
	for (uint64_t i = 0; i < tasks; i++) {
		buf_addf(b,
			"- [ ] T%" PRIu64 " Do part %" PRIu64 "\n  Depends: [",
			i, i);
		put_depends(b, i, r, chain);
		buf_addf(b,
			"]\n  Paths: [src/p%u/f%" PRIu64 ".c]\n  Mode: %s\n"
			"  Isolation: auto\n"
			"  Acceptance: Part %" PRIu64 " does what it says.\n"
			"  Check: make check-%" PRIu64 "\n",
			(unsigned)(rand_u64(r) % 1000), i,
			rand_u64(r) % 4 ? "write" : "read", i, i);
	}
}

static void
time_trie(struct rand *r)
{
	struct arena mem = ARENA_INIT;
	struct scope_trie t = { 0 };
	struct str *scopes = arena_array(&mem, WRITERS, struct str);
	uint32_t holder, clashes = 0;
	double start, ask;

	for (uint32_t i = 0; i < WRITERS; i++)
		scopes[i] = arena_format(&mem, "src/p%u/d%u/f%u.c",
			(unsigned)(rand_u64(r) % 100),
			(unsigned)(rand_u64(r) % 100), i);
	start = now_ms();
	for (uint32_t i = 0; i < WRITERS; i++)
		scope_trie_add(&t, scopes[i], true, i);
	ask = now_ms();
	for (uint32_t i = 0; i < QUESTIONS; i++)
		clashes += scope_trie_conflict(
			&t, scopes[rand_u64(r) % WRITERS], true, &holder);
	printf("trie: %d writers added in %.1f ms; %.0f ns a question\n",
		WRITERS, ask - start, (now_ms() - ask) * 1e6 / QUESTIONS);
	if (clashes != QUESTIONS)
		die("the trie lost a writer");
	scope_trie_release(&t);
	arena_reset(&mem);
}

int
main(int argc, char **argv)
{
	uint64_t tasks = argument(argv, argc, 1, BOUND_TASKS, BOUND_TASKS);
	uint64_t seed = argument(argv, argc, 2, 1, UINT64_MAX);
	bool chain = argc > 3 && strcmp(argv[3], "chain") == 0;
	struct rand r = rand_seeded(seed);
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf list = { 0 };
	struct waves w;
	struct plan p;
	double start, parsed, woven;

	put_list(&list, tasks, &r, chain);
	start = now_ms();
	if (tasks_parse(buf_str(&list), &mem, &p, &report, &err) != PAWL_OK)
		die("%s", err.msg);
	parsed = now_ms();
	waves_init(&w, &p);
	woven = now_ms();
	printf("list: %u tasks, %u edges, %zu bytes, seed %" PRIu64 "%s\n",
		p.count, p.edge_count, list.len, seed, chain ? ", chain" : "");
	printf("parse and graph: %.1f ms, %.0f MB/s\n", parsed - start,
		(double)list.len / 1e3 / (parsed - start));
	printf("waves: %u in %.1f ms\n", w.count, woven - parsed);
	printf("plan: %zu bytes, %.1f a task without 8 an edge\n",
		plan_bytes(&p),
		((double)plan_bytes(&p) - 8.0 * p.edge_count) / p.count);
	waves_release(&w);
	plan_release(&p);
	buf_release(&list);
	arena_reset(&mem);
	time_trie(&r);
	return 0;
}
