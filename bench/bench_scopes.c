/*
 * bench_scopes: what a question for a scope's conflicts costs, by the number of
 * writers at work.
 *
 *	bench_scopes [WRITERS QUESTIONS]
 *
 * Asks a trie with 1,000 writers and one with 100,000, each for the scopes of
 * random ones of its own writers; beside it, only reads the scopes that are
 * asked for, which wait for memory as well.  With arguments, only makes and
 * asks one trie, for bench_scopes.sh to count instructions.  Seed 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/arena.h"
#include "base/die.h"
#include "base/num.h"
#include "base/rand.h"
#include "model/scope_trie.h"

enum {
	WRITERS = 100000,
	WRITERS_MAX = 1000000,
	QUESTIONS = 1000000,
	QUESTIONS_MAX = 1000000000,
	FOLDERS = 100, /* in a folder, on two levels */
	SEED = 1,
};

struct asked {
	double ns;      /* a question */
	double read_ns; /* its scope read alone */
};

/* Processor time: nothing here waits, and other programs do not count. */
static double
now_ns(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
		die("could not read the clock");
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Only the bytes of the scopes; their sum, so that nothing can be left out. */
static double
time_reading(const struct str *scopes, uint32_t writers, uint32_t questions)
{
	struct rand r = rand_seeded(SEED);
	double start = now_ns();
	size_t sum = 0;

	for (uint32_t i = 0; i < questions; i++) {
		struct str scope = scopes[rand_u64(&r) % writers];

		for (size_t k = 0; k < scope.len; k++)
			sum += (unsigned char)scope.ptr[k];
	}
	start = now_ns() - start;
	if (sum == 0)
		die("no scopes");
	return start;
}

static struct asked
ask(uint32_t writers, uint32_t questions, bool beside)
{
	struct rand r = rand_seeded(SEED);
	struct arena mem = ARENA_INIT;
	struct scope_trie t = { 0 };
	struct str *scopes = arena_array(&mem, writers, struct str);
	uint32_t holder, clashes = 0;
	struct asked asked;
	double start;

	assert(writers > 0);
	for (uint32_t i = 0; i < writers; i++) {
		scopes[i] = arena_format(&mem, "src/p%u/d%u/f%u.c",
			(unsigned)(rand_u64(&r) % FOLDERS),
			(unsigned)(rand_u64(&r) % FOLDERS), i);
		scope_trie_add(&t, scopes[i], true, i);
	}
	r = rand_seeded(SEED);
	start = now_ns();
	for (uint32_t i = 0; i < questions; i++)
		clashes += scope_trie_conflict(
			&t, scopes[rand_u64(&r) % writers], true, &holder);
	asked.ns = (now_ns() - start) / questions;
	if (clashes != questions)
		die("the trie lost a writer");
	asked.read_ns = beside
		? time_reading(scopes, writers, questions) / questions
		: 0;
	scope_trie_release(&t);
	arena_reset(&mem);
	return asked;
}

static uint32_t
argument(const char *text, uint64_t min, uint64_t max)
{
	struct pawl_err err;
	uint64_t n;

	if (num_u64(str_from(text), min, max, &n, &err) != PAWL_OK)
		die("%s", err.msg);
	return (uint32_t)n;
}

int
main(int argc, char **argv)
{
	struct asked few, many;

	if (argc == 3) {
		(void)ask(argument(argv[1], 1, WRITERS_MAX),
			argument(argv[2], 0, QUESTIONS_MAX), false);
		return EXIT_SUCCESS;
	}
	few = ask(WRITERS / 100, QUESTIONS, true);
	many = ask(WRITERS, QUESTIONS, true);
	printf("scopes: a question to %d writers %.0f ns, to %d writers %.0f "
	       "ns, ratio %.1f\n",
		WRITERS / 100, few.ns, WRITERS, many.ns, many.ns / few.ns);
	printf("  of it, to read the scope that is asked for: %.0f ns and %.0f "
	       "ns\n",
		few.read_ns, many.read_ns);
	return EXIT_SUCCESS;
}
