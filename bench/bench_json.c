/*
 * bench_json: how fast journal lines are read.
 *
 * Makes lines like those of a journal from a seed, reads them one by one as a
 * replay does, and prints megabytes a second: the best and the median of the
 * rounds.  Reading works in place, so each round reads a fresh copy, made
 * outside the clock.
 *
 *	bench_json [MEGABYTES [SEED]]
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "text/json.h"

enum {
	ROUNDS = 7,
	LINES_AN_ARENA = 64,
};

static void
put_hex(struct json_writer *w, struct rand *r)
{
	struct buf hex = { 0 };

	for (int i = 0; i < 4; i++) {
		uint64_t n = rand_u64(r);

		buf_addhex(&hex, &n, sizeof(n));
	}
	json_put_str(w, buf_str(&hex));
	buf_release(&hex);
}

static void
put_event(struct json_writer *w, struct rand *r)
{
	static const char *const types[] = { "attempt_reserved",
		"attempt_started", "attempt_reported", "check_recorded",
		"node_graded" };
	uint64_t bits = rand_u64(r);
	char name[64];

	json_open(w, '{');
	json_pair_str(w, STR("type"), str_from(types[bits % 5]));
	(void)snprintf(name, sizeof(name), "API-%u@1", (unsigned)(bits >> 50));
	json_pair_str(w, STR("node"),
		str_part(str_from(name), 0, str_find(str_from(name), '@')));
	json_pair_str(w, STR("attempt"), str_from(name));
	json_key(w, STR("data"));
	json_open(w, '{');
	json_pair_u64(w, STR("duration_ms"), bits >> 40);
	json_pair_bool(w, STR("retained"), bits & 64);
	json_pair_str(w, STR("summary"),
		bits & 128 ? STR("Wrote the parser.\nIt says \"no\" by line.")
			   : STR("The endpoint returns a validated result."));
	json_key(w, STR("files_changed"));
	json_open(w, '[');
	for (uint64_t i = 0; i < (bits >> 8) % 4; i++)
		json_put_str(w, STR("src/api/handlers/orders.c"));
	json_close(w, ']');
	json_key(w, STR("sha256"));
	put_hex(w, r);
	json_close(w, '}');
	json_close(w, '}');
}

static void
put_line(struct buf *out, struct rand *r, uint64_t seq)
{
	struct json_writer w = { .out = out };
	uint64_t events = 1 + rand_u64(r) % 3;

	json_open(&w, '{');
	json_pair_u64(&w, STR("v"), 1);
	json_pair_u64(&w, STR("seq"), seq);
	json_pair_str(&w, STR("at"), STR("2026-11-30T11:24:23.123456Z"));
	json_pair_u64(&w, STR("gen"), 2);
	json_pair_str(&w, STR("actor"), STR("coordinator:c1"));
	json_key(&w, STR("events"));
	json_open(&w, '[');
	for (uint64_t i = 0; i < events; i++)
		put_event(&w, r);
	json_close(&w, ']');
	json_key(&w, STR("chain"));
	put_hex(&w, r);
	json_close(&w, '}');
	buf_addc(out, '\n');
}

static double
seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Entries on all tapes: a number that says that all was read. */
static uint64_t
read_lines(char *bytes, size_t len)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	uint64_t entries = 0;
	unsigned lines = 0;

	for (char *p = bytes, *end = bytes + len; p < end; lines++) {
		char *lf = memchr(p, '\n', (size_t)(end - p));
		const struct json *v;

		assert(lf != NULL);
		if (json_read(&mem, p, (size_t)(lf - p), JSON_STRICT, &v,
			    &err) != PAWL_OK)
			die("%s", err.msg);
		entries += v->span;
		p = lf + 1;
		if (lines % LINES_AN_ARENA == LINES_AN_ARENA - 1)
			arena_reset(&mem);
	}
	arena_reset(&mem);
	return entries;
}

static int
by_size(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

int
main(int argc, char **argv)
{
	uint64_t megabytes = 64, seed = 1, lines = 0, entries = 0;
	struct pawl_err err = { 0 };
	struct buf text = { 0 };
	double speed[ROUNDS];
	struct rand r;
	char *copy;

	if ((argc > 1 &&
		    num_u64(str_from(argv[1]), 1, 1024, &megabytes, &err) !=
			    PAWL_OK) ||
		(argc > 2 &&
			num_u64(str_from(argv[2]), 0, UINT64_MAX, &seed,
				&err) != PAWL_OK)) {
		(void)fprintf(stderr, "bench_json: %s\n", err.msg);
		return 2;
	}
	r = rand_seeded(seed);
	while (text.len < megabytes * 1000000)
		put_line(&text, &r, ++lines);
	copy = die_alloc(text.len, 1);
	for (int i = 0; i < ROUNDS; i++) {
		double start;

		assert(text.data != NULL);
		memcpy(copy, text.data, text.len);
		start = seconds();
		entries = read_lines(copy, text.len);
		speed[i] = (double)text.len / 1e6 / (seconds() - start);
	}
	qsort(speed, ROUNDS, sizeof(speed[0]), by_size);
	(void)printf("json read: %.0f MB/s median, %.0f best of %d "
		     "(%zu bytes, %" PRIu64 " lines, %" PRIu64
		     " values, seed %" PRIu64 ")\n",
		speed[ROUNDS / 2], speed[ROUNDS - 1], ROUNDS, text.len, lines,
		entries, seed);
	free(copy);
	buf_release(&text);
	return 0;
}
