/*
 * What the journal costs, as ratios within one run: an append to one bare
 * write and fdatasync of the same bytes, a replay to a bare parse of the same
 * file by the same reader.
 *
 *	bench_journal [DIR] [EVENTS] [APPENDS]
 *
 * DIR is where the files are made (.), EVENTS the length of the replayed
 * journal (200000).  Medians of rounds that take turns, so that what disturbs
 * one side disturbs the other; an append is timed by the wall clock, a replay
 * by the processor time it took, the reading of the file with it.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <unistd.h>

#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "store/journal.h"

enum {
	ROUNDS = 7,
	APPENDS = 2000,
	EVENTS = 200000,
	SEED = 1,
};

static uint64_t
now_ns(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t) != 0)
		die("no clock");
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
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

/* One event, with the members and sizes of a run's usual ones. */
static void
event_add(struct buf *out, struct rand *r)
{
	static const char *const types[] = { "attempt_reserved",
		"attempt_started", "attempt_reported", "check_recorded",
		"node_graded" };
	uint64_t n = rand_u64(r), node = n % 1000;

	buf_addf(out,
		"{\"type\":\"%s\",\"node\":\"API-%03" PRIu64
		"\",\"attempt\":\"API-%03" PRIu64 "@%" PRIu64 "\",\"data\":{",
		types[n / 1000 % 5], node, node, n / 5000 % 2 + 1);
	buf_addf(out,
		"\"exit\":%" PRIu64 ",\"duration_ms\":%" PRIu64
		",\"stdout_bytes\":%" PRIu64 ",\"report_sha256\":\"",
		n % 3, n % 100000, n % 65536);
	for (int i = 0; i < 4; i++)
		buf_addf(out, "%016" PRIx64, rand_u64(r));
	buf_addf(out,
		"\",\"summary\":\"changed %" PRIu64
		" files; the parser accepts \\\"quoted\\\" names\","
		"\"files\":[\"src/api/%" PRIu64 ".c\",\"test/api/%" PRIu64
		".c\"]}}",
		n % 20, node, node);
}

static struct str
events_make(struct buf *out, struct rand *r)
{
	uint64_t count = 1 + rand_u64(r) % 2;

	buf_clear(out);
	buf_addc(out, '[');
	for (uint64_t i = 0; i < count; i++) {
		if (i > 0)
			buf_addc(out, ',');
		event_add(out, r);
	}
	buf_addc(out, ']');
	return buf_str(out);
}

/* A run's directory of its own below `parent`. */
static int
dir_make(int parent, char *name)
{
	struct pawl_err err;
	int dir = -1;

	must(fs_make_new_dir(&fs_real, parent, name, &err), &err);
	must(fs_open_dir(&fs_real, parent, name, &dir, &err), &err);
	must(journal_create(&fs_real, dir, &err), &err);
	return dir;
}

static void
dir_drop(int parent, const char *name, int dir)
{
	(void)unlinkat(dir, "events.jsonl", 0);
	(void)unlinkat(dir, "bare", 0);
	(void)unlinkat(dir, "lock", 0);
	(void)close(dir);
	(void)unlinkat(parent, name, AT_REMOVEDIR);
}

static struct journal_commit
commit_of(struct str events)
{
	return (struct journal_commit){ .gen = 1,
		.at = STR("2026-11-30T11:24:23.123456Z"),
		.actor = STR("coordinator:c1"),
		.events = events };
}

/* Lock, catch up, append, unlock, against write and fdatasync. */
static void
bench_append(int parent, uint64_t appends)
{
	char name[] = "bench-append";
	int dir = dir_make(parent, name);
	double *ours = die_alloc(appends, sizeof(*ours));
	double *bare = die_alloc(appends, sizeof(*bare));
	struct rand r = rand_seeded(SEED);
	struct buf events = { 0 };
	struct pawl_err err;
	struct journal j;
	int fd;

	journal_init(&j, &fs_real, dir);
	must(fs_open(&fs_real, dir, "bare", O_WRONLY | O_CREAT | O_APPEND, &fd,
		     &err),
		&err);
	for (uint64_t i = 0; i < appends; i++) {
		struct journal_commit c = commit_of(events_make(&events, &r));
		struct journal_repaired repaired;
		uint64_t start = now_ns(CLOCK_MONOTONIC), middle;

		must(journal_lock(&j, 0, &err), &err);
		must(journal_catch_up(&j, NULL, NULL, &repaired, &err), &err);
		must(journal_append(&j, &c, &err), &err);
		journal_unlock(&j);
		middle = now_ns(CLOCK_MONOTONIC);
		if (write(fd, j.out.data, j.out.len) != (ssize_t)j.out.len ||
			fdatasync(fd) != 0)
			die("could not write");
		bare[i] = (double)(now_ns(CLOCK_MONOTONIC) - middle);
		ours[i] = (double)(middle - start);
	}
	journal_close(&j);
	(void)close(fd);
	buf_release(&events);
	printf("append: median %.1f us, bare write+fdatasync %.1f us, "
	       "ratio %.2f\n",
		median(ours, appends) / 1000, median(bare, appends) / 1000,
		median(ours, appends) / median(bare, appends));
	free(ours);
	free(bare);
	dir_drop(parent, name, dir);
}

static enum pawl_rc
touch(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	uint64_t *events = arg;

	(void)err;
	*events += l->line.events->count;
	return PAWL_OK;
}

static double
replay(int dir, uint64_t want)
{
	uint64_t start = now_ns(CLOCK_PROCESS_CPUTIME_ID), events = 0;
	struct journal_tail tail;
	struct pawl_err err;
	struct journal j;

	journal_init(&j, &fs_real, dir);
	must(journal_scan(&j, touch, &events, &tail, &err), &err);
	journal_close(&j);
	if (events != want || tail.end != JOURNAL_WHOLE)
		die("replayed %" PRIu64 " of %" PRIu64 " events", events, want);
	return (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
}

/* The same lines through the reader alone, read in the same steps. */
static double
parse(const struct buf *file, struct buf *copy)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err;
	uint64_t start;
	struct str rest;

	buf_clear(copy);
	buf_add(copy, buf_str(file));
	rest = buf_str(copy);
	start = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	while (rest.len > 0) {
		struct str line = str_cut(&rest, '\n');
		const struct json *v;

		if (mem.bytes > 256 << 10)
			arena_reset(&mem);
		must(json_read(&mem, copy->data + (line.ptr - copy->data),
			     line.len, JSON_STRICT, &v, &err),
			&err);
	}
	arena_reset(&mem);
	return (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static double
chain(const struct buf *file)
{
	struct str rest = buf_str(file);
	struct journal_at at = journal_start();
	uint64_t start = now_ns(CLOCK_PROCESS_CPUTIME_ID);

	while (rest.len > 0) {
		if (!line_verify(str_cut(&rest, '\n'), at.chain))
			die("the chain is broken");
	}
	return (double)(now_ns(CLOCK_PROCESS_CPUTIME_ID) - start);
}

static uint64_t
journal_make(int dir, uint64_t want, struct buf *file)
{
	struct rand r = rand_seeded(SEED);
	struct journal_at at = journal_start();
	struct buf events = { 0 };
	struct pawl_err err;
	uint64_t seq = 0, count = 0;
	int fd;

	while (count < want) {
		struct str text = events_make(&events, &r);
		struct line l = { .seq = ++seq,
			.gen = 1,
			.at = STR("2026-11-30T11:24:23.123456Z"),
			.actor = STR("coordinator:c1") };

		count += text.len > 600 ? 2 : 1;
		must(line_write(
			     file, &l, text, (struct str){ 0 }, at.chain, &err),
			&err);
		buf_addc(file, '\n');
	}
	buf_release(&events);
	must(fs_open(&fs_real, dir, "events.jsonl", O_WRONLY, &fd, &err), &err);
	must(fs_write(&fs_real, fd, buf_str(file), &err), &err);
	fs_close(&fs_real, &fd);
	return count;
}

static void
bench_replay(int parent, uint64_t want)
{
	char name[] = "bench-replay";
	int dir = dir_make(parent, name);
	double with[ROUNDS], bare[ROUNDS], links[ROUNDS];
	struct buf file = { 0 }, copy = { 0 };
	uint64_t count = journal_make(dir, want, &file);
	double w, b, l, mb = (double)file.len / 1e6;

	for (int i = 0; i < ROUNDS; i++) {
		with[i] = replay(dir, count);
		bare[i] = parse(&file, &copy);
		links[i] = chain(&file);
	}
	w = median(with, ROUNDS);
	b = median(bare, ROUNDS);
	l = median(links, ROUNDS);
	printf("replay: %" PRIu64
	       " events, %.1f MB, seed %d, medians of %d, processor time\n",
		count, mb, SEED, ROUNDS);
	printf("  chain verified %.0f MB/s, %.2f s a million events\n",
		mb * 1e3 / (w / 1e6), w / 1e9 * 1e6 / (double)count);
	printf("  bare parse %.0f MB/s; ratio with the chain %.2f, "
	       "without %.2f\n",
		mb * 1e3 / (b / 1e6), b / w, b / (w - l));
	buf_release(&file);
	buf_release(&copy);
	dir_drop(parent, name, dir);
}

int
main(int argc, char **argv)
{
	uint64_t events = EVENTS, appends = APPENDS;
	struct pawl_err err;
	int parent = -1;

	if (argc > 2)
		must(num_u64(str_from(argv[2]), 1, 10000000, &events, &err),
			&err);
	if (argc > 3)
		must(num_u64(str_from(argv[3]), 1, 10000000, &appends, &err),
			&err);
	must(fs_open_dir(&fs_real, AT_FDCWD, argc > 1 ? argv[1] : ".", &parent,
		     &err),
		&err);
	bench_append(parent, appends);
	bench_replay(parent, events);
	(void)close(parent);
	return EXIT_SUCCESS;
}
