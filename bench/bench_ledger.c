/*
 * bench_ledger: how fast a checkpoint is checked, and how little it needs.
 *
 * Makes good ledgers of 10^2, 10^4 and 10^6 nodes from a seed, reads each with
 * the JSON reader alone and with the check, in turns, and prints megabytes a
 * second of processor time of both (the median of the rounds), the ratio, and
 * what the check needs beyond the text, in bytes a node: allocated, and for the
 * largest at the peak, resident, in a process of its own.
 *
 *	bench_ledger [SEED]
 *	bench_ledger --make NODES [SEED]	print such a ledger
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "model/ledger_read.h"

enum {
	ROUNDS = 9,
	PEAK_NODES = 1000000,    /* of fewer, pages are the noise */
	READ_AT_LEAST = 4 << 20, /* bytes a round, for a clock that is coarse */
};

static const uint8_t passed[] = { NODE_PENDING, NODE_READY, NODE_RUNNING,
	NODE_PASSED };
static const uint8_t repaired[] = { NODE_PENDING, NODE_READY, NODE_RUNNING,
	NODE_READY, NODE_RUNNING, NODE_PASSED };
static const uint8_t pending[] = { NODE_PENDING };

static const char *const titles[] = {
	"Resolve the scope of the audit",
	"Read the parser and list its error paths",
	"Implement the endpoint of the orders service",
	"Verify that a cut file is refused",
};

/* Enums as bytes, from numbers that are in range. */
static void
fill(struct ledger *l, uint32_t node, struct rand *r)
{
	struct ledger_node *n = &l->nodes[node];
	uint64_t bits = rand_u64(r);
	bool done = node < l->count - l->count / 8;

	n->title = str_from(titles[bits % 4]);
	n->expected_output = STR("A bounded list of files, each with what was "
				 "found in it and where");
	n->kind = (uint8_t)((bits >> 8) % LEDGER_REPAIR);
	n->role = (uint8_t)((bits >> 12) % LEDGER_ROLE_COUNT);
	n->access = (uint8_t)((bits >> 16) % 2);
	n->max_attempts = 2;
	n->evidence_required = true;
	n->status = done ? NODE_PASSED : NODE_PENDING;
	n->history = (uint8_t *)(uintptr_t)(done ? passed : pending);
	n->history_count = done ? sizeof(passed) : sizeof(pending);
	n->attempt = done;
	if (done && (bits >> 20) % 8 == 0) {
		n->history = (uint8_t *)(uintptr_t)repaired;
		n->history_count = sizeof(repaired);
		n->attempt = 2;
	}
	n->depends = arena_array(&l->mem, 3, uint32_t);
	for (uint64_t i = 0; node > 0 && i < (bits >> 24) % 4; i++) {
		uint32_t far = (uint32_t)(rand_u64(r) % 50);

		if (far >= node ||
			(n->depends_count > 0 &&
				n->depends[n->depends_count - 1] <=
					node - 1 - far))
			continue;
		n->depends[n->depends_count++] = node - 1 - far;
	}
	if (done) {
		n->evidence = arena_array(&l->mem, 2, struct str);
		n->evidence_count = 1 + (bits >> 28) % 2;
		n->evidence[0] = STR("check:make check, exit 0");
		n->evidence[1] =
			arena_format(&l->mem, "commit:%016" PRIx64, bits);
	}
}

static void
make(uint32_t count, uint64_t seed, struct buf *out)
{
	struct json_writer w = { .out = out };
	struct rand r = rand_seeded(seed);
	struct ledger l;
	uint32_t node;

	ledger_init(&l);
	l.run_id = STR("graph-20261130-bench");
	l.task = STR("Audit the project against its plan");
	l.status = RUN_RUNNING;
	for (uint32_t i = 0; i < count; i++) {
		struct str id = arena_format(&l.mem, "step-%06" PRIu32, i);

		if (!ledger_add(&l, id, &node))
			die("an id stands twice");
	}
	for (uint32_t i = 0; i < count; i++)
		fill(&l, i, &r);
	ledger_write(&l, &w);
	buf_addc(out, '\n');
	ledger_release(&l);
}

static double
seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double
read_json(struct str text, char *copy)
{
	struct pawl_err err = { 0 };
	struct arena mem = ARENA_INIT;
	const struct json *v;
	double start;

	memcpy(copy, text.ptr, text.len);
	start = seconds();
	if (json_read(&mem, copy, text.len, JSON_STRICT, &v, &err) != PAWL_OK)
		die("%s", err.msg);
	arena_reset(&mem);
	return seconds() - start;
}

/* Returns the bytes that are allocated when it is done. */
static size_t
check(struct str text)
{
	struct mallinfo2 before = mallinfo2(), after;
	struct pawl_err err = { 0 };
	struct arena mem = ARENA_INIT;
	struct ledger_findings f;
	struct ledger l;

	if (ledger_read(&mem, text, false, &l, &f, &err) != PAWL_OK)
		die("%s", err.msg);
	if (f.violations > 0)
		die(STR_FMT, STR_ARG(f.items[0].message));
	after = mallinfo2();
	ledger_findings_release(&f);
	ledger_release(&l);
	arena_reset(&mem);
	return after.uordblks + after.hblkhd - before.uordblks - before.hblkhd;
}

/* Resident bytes now. */
static size_t
resident(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	char line[100] = "";
	struct str rest;
	struct pawl_err err;
	uint64_t pages = 0;

	if (f == NULL || fgets(line, sizeof(line), f) == NULL)
		die("could not read /proc/self/statm");
	(void)fclose(f);
	rest = str_from(line);
	(void)str_cut(&rest, ' ');
	if (num_u64(str_cut(&rest, ' '), 0, UINT64_MAX, &pages, &err) !=
		PAWL_OK)
		die("%s", err.msg);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Bytes that the check needs at its peak, in a process of its own. */
static double
peak(struct str text)
{
	double bytes = 0;
	int fds[2];
	pid_t pid;

	if (pipe(fds) != 0)
		die("could not make a pipe");
	pid = fork();
	if (pid == 0) {
		size_t before = resident();
		struct rusage use;

		(void)check(text);
		(void)getrusage(RUSAGE_SELF, &use);
		bytes = (double)use.ru_maxrss * 1024 - (double)before;
		_exit(write(fds[1], &bytes, sizeof(bytes)) !=
			(ssize_t)sizeof(bytes));
	}
	if (pid < 0 ||
		read(fds[0], &bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
		die("could not measure");
	(void)waitpid(pid, NULL, 0);
	(void)close(fds[0]);
	(void)close(fds[1]);
	return bytes;
}

static void
measure(uint32_t count, uint64_t seed)
{
	double json[ROUNDS], ledger[ROUNDS];
	struct buf text = { 0 };
	char *copy;
	size_t times, bytes = 0;

	make(count, seed, &text);
	copy = die_alloc(text.len, 1);
	times = READ_AT_LEAST / text.len + 1;
	for (int i = 0; i < ROUNDS; i++) {
		json[i] = ledger[i] = 0;
		for (size_t k = 0; k < times; k++) {
			double start;

			json[i] += read_json(buf_str(&text), copy);
			start = seconds();
			bytes = check(buf_str(&text));
			ledger[i] += seconds() - start;
		}
	}
	free(copy);
	(void)malloc_trim(0);
	qsort(json, ROUNDS, sizeof(json[0]), by_size);
	qsort(ledger, ROUNDS, sizeof(ledger[0]), by_size);
	(void)printf("ledger check, %7" PRIu32 " nodes: %5.0f MB/s, json read "
		     "%5.0f MB/s, ratio %.2f; %3zu bytes a node beyond %zu of "
		     "text",
		count,
		(double)text.len * (double)times / 1e6 / ledger[ROUNDS / 2],
		(double)text.len * (double)times / 1e6 / json[ROUNDS / 2],
		json[ROUNDS / 2] / ledger[ROUNDS / 2], bytes / count,
		text.len / count);
	if (count >= PEAK_NODES)
		(void)printf(
			", %.0f at the peak", peak(buf_str(&text)) / count);
	(void)printf(" (seed %" PRIu64 ")\n", seed);
	buf_release(&text);
}

int
main(int argc, char **argv)
{
	static const uint32_t counts[] = { 100, 10000, 1000000 };
	bool prints = argc > 2 && strcmp(argv[1], "--make") == 0;
	int at = prints ? 3 : 1;
	struct pawl_err err = { 0 };
	uint64_t seed = 1, count = 0;
	struct buf text = { 0 };

	if ((argc > at &&
		    num_u64(str_from(argv[at]), 0, UINT64_MAX, &seed, &err) !=
			    PAWL_OK) ||
		(prints &&
			num_u64(str_from(argv[2]), 1, 10000000, &count, &err) !=
				PAWL_OK)) {
		(void)fprintf(stderr, "bench_ledger: %s\n", err.msg);
		return 2;
	}
	/* As src/cli/main.c. */
	(void)mallopt(M_TOP_PAD, 1 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 2 << 20);
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20);
	if (prints) {
		make((uint32_t)count, seed, &text);
		count = fwrite(text.data, 1, text.len, stdout) != text.len;
		buf_release(&text);
		return fflush(stdout) != 0 || count != 0;
	}
	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++)
		measure(counts[i], seed);
	return 0;
}
