/*
 * What an open run costs: to replay it, to open it by its projection, to change
 * it by one commit; against its history, and against its nodes.
 *
 *	bench_run [EVENTS]
 *
 * EVENTS of the long history (1000000).  Runs are made by made_run.h in a
 * folder below the current one and removed again.  Replays and openings are
 * timed by processor time, commits by the wall clock; medians of rounds that
 * take turns with what they are compared to.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/num.h"
#include "engine/owner_event.h"
#include "engine/run.h"
#include "made_run.h"
#include "model/ready.h"
#include "model/tasks.h"
#include "store/rundir.h"
#include "tempdir.h"

enum {
	EVENTS_A_NODE = 8,
	ROUNDS = 3,
	OPENINGS = 15,
	COMMITS = 200,
	FRESH_BYTES = 128 << 10, /* the allocator's first thresholds */
};

static double
now_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		die("no clock");
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static double
cpu_ns(void)
{
	return now_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static int
by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static double
median(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_size);
	return values[count / 2];
}

static void
must(enum pawl_rc rc, const struct pawl_err *err)
{
	if (rc != PAWL_OK)
		die("%s", err->msg);
}

/* A file of a run, whole. */
static struct buf
file_of(const struct place *place, const char *id, const char *dir,
	const char *name)
{
	struct buf bytes = { 0 };
	struct pawl_err err;
	int run = -1, fd = -1;

	must(rundir_open(place->fs, place->state_dir, id, &run, &err), &err);
	must(fs_open_dir(place->fs, run, dir, &fd, &err), &err);
	must(fs_read(place->fs, fd, name, SIZE_MAX / 2, &bytes, &err), &err);
	fs_close(place->fs, &fd);
	fs_close(place->fs, &run);
	return bytes;
}

/* Lines through the reader alone; it works in place, so on a copy. */
static double
parse_lines(const struct buf *file)
{
	struct arena mem = ARENA_INIT;
	struct buf copy = { 0 };
	struct pawl_err err;
	struct str rest;
	double start;

	buf_add(&copy, buf_str(file));
	rest = buf_str(&copy);
	start = cpu_ns();
	while (rest.len > 0) {
		struct str line = str_cut(&rest, '\n');
		const struct json *v;

		must(json_read(&mem, copy.data + (line.ptr - copy.data),
			     line.len, JSON_STRICT, &v, &err),
			&err);
		if (mem.bytes > 256 << 10)
			arena_reset(&mem);
	}
	arena_reset(&mem);
	start = cpu_ns() - start;
	buf_release(&copy);
	return start;
}

static double
verify_lines(const struct buf *file)
{
	struct str rest = buf_str(file);
	struct journal_at at = journal_start();
	double start = cpu_ns();

	while (rest.len > 0) {
		if (!line_verify(str_cut(&rest, '\n'), at.chain))
			die("the chain is broken");
	}
	return cpu_ns() - start;
}

static double
parse_list(const struct buf *list)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err;
	struct plan plan;
	double start = cpu_ns();

	must(tasks_parse(buf_str(list), &mem, &plan, &report, &err), &err);
	start = cpu_ns() - start;
	plan_release(&plan);
	arena_reset(&mem);
	return start;
}

static double
open_once(const struct place *place, const char *id, uint64_t *ret_seq)
{
	struct pawl_err err;
	struct run r;
	double start = cpu_ns();

	must(run_open(&r, place, str_from(id), &err), &err);
	start = cpu_ns() - start;
	*ret_seq = r.state.seq;
	run_close(&r);
	return start;
}

/* Everything: read, verify the chain, decode, fold. */
static void
bench_replay(const struct place *place, uint64_t events)
{
	uint32_t nodes = (uint32_t)(events / EVENTS_A_NODE) + 1;
	struct made_run m = { .nodes = nodes, .passed = nodes };
	struct made_size size = made_run(place->state_dir, "replay", &m);
	struct buf file = file_of(place, "replay", ".", "events.jsonl");
	struct buf list = file_of(place, "replay", "plan", "tasks.md");
	double whole[ROUNDS], bare[ROUNDS], links[ROUNDS], plan[ROUNDS];
	double w, b, l;
	uint64_t seq;

	for (int i = 0; i < ROUNDS; i++) {
		whole[i] = open_once(place, "replay", &seq);
		bare[i] = parse_lines(&file);
		links[i] = verify_lines(&file);
		plan[i] = parse_list(&list);
	}
	if (seq != size.lines)
		die("replayed %" PRIu64 " of %" PRIu64 " lines", seq,
			size.lines);
	w = median(whole, ROUNDS) - median(plan, ROUNDS);
	b = median(bare, ROUNDS);
	l = median(links, ROUNDS);
	printf("replay: %" PRIu64 " events in %" PRIu64
	       " lines, %.1f MB, %u nodes, medians of %d, processor time\n",
		size.events, size.lines, (double)size.bytes / 1e6, nodes,
		ROUNDS);
	printf("  %.2f s a million events (reach 2.5)\n",
		w / 1e9 * 1e6 / (double)size.events);
	printf("  bare parse / replay with the chain verified %.2f (reach "
	       "0.45), without %.2f (reach 0.7)\n",
		b / w, b / (w - l));
	printf("  beside it: reading the list of %.1f MB %.2f s\n",
		(double)size.list_bytes / 1e6, median(plan, ROUNDS) / 1e9);
	buf_release(&file);
	buf_release(&list);
}

static void
commit_one(struct run *r)
{
	struct command cmd;
	struct pawl_err err;

	must(run_begin(r, &err), &err);
	r->gen = r->state.gen + 1;
	cmd = run_command(r, EV_COORDINATOR_TAKEN_OVER, STR(""), STR(""));
	cmd.owner_dead = true;
	EVENT_SET(&cmd.event, F_REASON, reason, STR("bench"));
	EVENT_SET(&cmd.event, F_VERSION, version, STR("0.1.0"));
	EVENT_SET(&cmd.event, F_BINARY, binary, r->state.run.binary);
	owner_event_set(&cmd.event,
		&(struct owner){ .machine = "m", .boot = "b", .pid = 7 },
		&r->line);
	must(run_propose(r, &cmd, &err), &err);
	must(run_commit(r, &err), &err);
}

/* Commits until the run has written its projection. */
static void
project(const struct place *place, const char *id)
{
	struct pawl_err err;
	struct run r;

	must(run_open(&r, place, str_from(id), &err), &err);
	r.actor = STR("coordinator:c2");
	do
		commit_one(&r);
	while (r.projected == 0);
	run_close(&r);
}

/* Lock, catch up, decide, fold, append, sync, against write and sync. */
static void
bench_commit(const struct place *place)
{
	struct made_run m = { .nodes = 50, .passed = 25 };
	double ours[COMMITS], bare[COMMITS], ratio[COMMITS];
	struct pawl_err err;
	struct run r;
	int fd = -1;

	(void)made_run(place->state_dir, "commit", &m);
	must(run_open(&r, place, STR("commit"), &err), &err);
	r.actor = STR("coordinator:c2");
	must(fs_open(place->fs, place->state_dir, "bare",
		     O_WRONLY | O_CREAT | O_APPEND, &fd, &err),
		&err);
	for (int i = 0; i < COMMITS; i++) {
		double start = now_ns(CLOCK_MONOTONIC), middle;

		commit_one(&r);
		middle = now_ns(CLOCK_MONOTONIC);
		if (write(fd, r.journal.out.data, r.journal.out.len) !=
				(ssize_t)r.journal.out.len ||
			fdatasync(fd) != 0)
			die("could not write");
		bare[i] = now_ns(CLOCK_MONOTONIC) - middle;
		ours[i] = middle - start;
		ratio[i] = ours[i] / bare[i];
	}
	printf("commit: a run of 50 nodes, %d rounds, lines of %zu bytes\n",
		COMMITS, r.journal.out.len);
	printf("  median %.0f us, bare write+fdatasync %.0f us, ratio %.2f "
	       "(reach 1.10)\n",
		median(ours, COMMITS) / 1e3, median(bare, COMMITS) / 1e3,
		median(ratio, COMMITS));
	run_close(&r);
	fs_close(place->fs, &fd);
}

/* Opening by the projection, against the reader over what it reads. */
static void
bench_nodes(const struct place *place, uint32_t nodes)
{
	struct made_run m = { .nodes = nodes, .passed = nodes / 2 };
	double whole[OPENINGS], bare[OPENINGS];
	struct buf state, list;
	char id[32];
	double w, b;
	uint64_t seq;

	(void)snprintf(id, sizeof(id), "nodes-%u", nodes);
	(void)made_run(place->state_dir, id, &m);
	project(place, id);
	state = file_of(place, id, ".", "state.json");
	list = file_of(place, id, "plan", "tasks.md");
	for (int i = 0; i < OPENINGS; i++) {
		whole[i] = open_once(place, id, &seq);
		bare[i] = parse_lines(&state);
	}
	w = median(whole, OPENINGS);
	b = median(bare, OPENINGS);
	printf("  %6u nodes: %.2f ms, %.2f us a node; projection of %zu bytes "
	       "+ list of %zu; bare parse of the projection / opening %.2f\n",
		nodes, w / 1e6, w / 1e3 / nodes, state.len, list.len, b / w);
	buf_release(&state);
	buf_release(&list);
}

/*
 * `ready` from nothing: the list parsed, the state opened, the wave computed;
 * against the reader over the projection (C085).
 */
static void
bench_ready(const struct place *place, uint32_t nodes, unsigned reach_ms)
{
	struct made_run m = {
		.nodes = nodes, .passed = nodes / 2, .linked = true
	};
	double whole[OPENINGS];
	uint32_t count = 0;
	char id[32];

	(void)snprintf(id, sizeof(id), "ready-%u", nodes);
	(void)made_run(place->state_dir, id, &m);
	project(place, id);
	for (int i = 0; i < OPENINGS; i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err;
		struct run r;
		double start = cpu_ns();

		must(run_open(&r, place, str_from(id), &err), &err);
		(void)ready_wave(&r.state, UINT32_MAX, &mem, &count);
		whole[i] = cpu_ns() - start;
		run_close(&r);
		arena_reset(&mem);
	}
	printf("  %6u nodes, %u edges: %.2f ms (reach %u), %u may start\n",
		nodes, 3 * (nodes - 13), median(whole, OPENINGS) / 1e6,
		reach_ms, count);
}

int
main(int argc, char **argv)
{
	struct tempdir t = tempdir_open();
	struct clock clock = clock_real();
	struct place place = { .fs = &fs_real,
		.clock = &clock,
		.state_dir = t.fd,
		.state_path = t.path };
	uint64_t events = 1000000;
	struct pawl_err err;

	if (argc > 1)
		must(num_u64(str_from(argv[1]), 8, 10000000, &events, &err),
			&err);
	must(rundir_init_state(&fs_real, t.fd, &err), &err);
	bench_commit(&place);
	bench_replay(&place, events);
	/* A command opens a run once, in memory that is new to it; so do all
	 * rounds from here on, and both sides of a comparison. */
	if (mallopt(M_MMAP_THRESHOLD, FRESH_BYTES) != 1 ||
		mallopt(M_TRIM_THRESHOLD, FRESH_BYTES) != 1)
		die("could not set the allocator");
	printf("open by the projection: processor time, medians of %d (reach: "
	       "1,000 nodes in 5 ms; linear; 0.5)\n",
		OPENINGS);
	bench_nodes(&place, 1000);
	bench_nodes(&place, 10000);
	bench_nodes(&place, 100000);
	printf("ready, cold:\n");
	bench_ready(&place, 10000, 50);
	bench_ready(&place, 100000, 400);
	tempdir_close(&t);
	return EXIT_SUCCESS;
}
