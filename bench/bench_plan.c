/*
 * bench_plan: how fast a task list becomes a plan.
 *
 * Makes a list of tasks from a seed, each with three dependencies on earlier
 * ones (or, with `chain`, all in one chain), and times reading it, its waves,
 * the first answer of what is ready, and the next one after a grade.  Prints
 * the bytes that the plan takes beyond the list.  The measure is one pass over
 * the list that only splits it into lines.
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
#include "model/ready.h"
#include "model/tasks.h"
#include "model/waves.h"
#include "run_fixture.h"

enum {
	EDGES = 3, /* a task, once enough stand before it */
	GRADES = 1000,
	ROWS = 200,
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

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
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

/* Only lines, and their lengths, so that nothing can be left out. */
static double
time_lines(struct str text)
{
	double start = now_ms();
	size_t sum = 0;

	while (text.len > 0)
		sum += str_cut(&text, '\n').len;
	if (sum == 0)
		die("no list");
	return now_ms() - start;
}

/* Carry ready nodes through; what the grade and the next answer take. */
static void
time_next(struct run_fixture *f)
{
	double times[GRADES];
	uint32_t node, count = 0;

	while (count < GRADES && ready_first(&f->s, &node)) {
		bool writes = f->plan.plan.nodes[node].mode == MODE_WRITE;
		struct command cmd;
		double start;
		char id[32];

		(void)snprintf(id, sizeof(id), "T%u", node);
		fixture_until(
			f, id, writes ? ATTEMPT_INTEGRATED : ATTEMPT_CHECKED);
		(void)snprintf(id, sizeof(id), "T%u@1", node);
		cmd = fixture_command(f, EV_NODE_GRADED, id);
		start = now_ms();
		fixture_do(f, &cmd);
		(void)ready_first(&f->s, &node);
		times[count++] = (now_ms() - start) * 1e3;
	}
	qsort(times, count, sizeof(*times), by_size);
	printf("next ready after a grade: median %.1f us, worst %.1f of %u "
	       "(reach 100)\n",
		times[count / 2], times[count - 1], count);
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
	struct run_fixture f = { 0 };
	struct plan *p = &f.plan.plan;
	struct command cmd;
	struct waves w;
	double start, bare, parsed, woven, ready;
	uint32_t rows;

	put_list(&list, tasks, &r, chain);
	bare = time_lines(buf_str(&list));
	f.plan.text = list;
	start = now_ms();
	if (tasks_parse(buf_str(&list), &mem, p, &report, &err) != PAWL_OK)
		die("%s", err.msg);
	parsed = now_ms();
	waves_init(&w, p);
	woven = now_ms();
	state_init(&f.s, p);
	cmd = fixture_command(&f, EV_RUN_STARTED, "");
	fixture_do(&f, &cmd);
	(void)ready_list(&f.s, ROWS, &mem, &rows);
	ready = now_ms();
	printf("list: %u tasks, %u edges, %zu bytes, seed %" PRIu64 "%s\n",
		p->count, p->edge_count, list.len, seed,
		chain ? ", chain" : "");
	printf("parse and graph: %.1f ms, %.0f MB/s\n", parsed - start,
		(double)list.len / 1e3 / (parsed - start));
	printf("waves: %u in %.1f ms\n", w.count, woven - parsed);
	printf("state and the first %u rows of ready: %.1f ms\n", rows,
		ready - woven);
	printf("plan and ready: %.2f s (reach 2), %.0f times a pass over the "
	       "lines\n",
		(ready - start) / 1e3, (ready - start) / bare);
	printf("plan: %zu bytes, %.1f a task beyond 16 an edge (reach 160)\n",
		plan_bytes(p),
		((double)plan_bytes(p) - 16.0 * p->edge_count) / p->count);
	time_next(&f);
	waves_release(&w);
	state_release(&f.s);
	folded_events_release(&f.journal);
	plan_release(p);
	buf_release(&list);
	arena_reset(&mem);
	arena_reset(&f.mem);
	return 0;
}
