/*
 * C034: text, JSON, explain and the model say the same of random runs.
 * C017: a journal whose values are absurd is refused, or fit to be shown.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "moves.h"
#include "surfaces.h"

enum {
	RUNS = 150,
	HOSTILE_RUNS = 3,
	HOSTILE_EACH = 3, /* values tried in each place */
};

static void
walk(struct run_fixture *f, uint64_t seed)
{
	struct rand r = rand_seeded(seed);

	moves_fixture_init(f, seed);
	for (int i = 0; i < MOVES_MAX; i++) {
		struct command cmd = move_command(f, move_next(&f->s, &r));

		/* A refusal is as good as anything. */
		(void)(fixture_try(f, &cmd) == PAWL_OK);
	}
}

static void
all_surfaces_say_the_same_of_random_runs(void **state)
{
	uint32_t seen[NODE_STATUS_COUNT] = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		struct rand r = rand_seeded(seed);
		struct arena mem = ARENA_INIT;
		struct run_fixture f;

		moves_fixture_init(&f, seed);
		for (int i = 0; i < MOVES_MAX; i++) {
			struct command cmd =
				move_command(&f, move_next(&f.s, &r));
			const char *bad = NULL;

			if (fixture_try(&f, &cmd) == PAWL_OK && i % 4 == 0)
				bad = surfaces_differ(&f.s, &mem);
			if (bad != NULL)
				fail_msg("seed %d, move %d: %s", (int)seed, i,
					bad);
			arena_reset(&mem);
		}
		for (uint32_t i = 0; i < f.plan.plan.count; i++)
			seen[f.s.nodes[i].status]++;
		fixture_release(&f);
	}
	/* Poor runs would show nothing. */
	assert_true(seen[NODE_READY] > 0 && seen[NODE_RUNNING] > 0 &&
		seen[NODE_PASSED] > 0 && seen[NODE_BLOCKED] > 0 &&
		seen[NODE_NEEDS_APPROVAL] > 0 && seen[NODE_PENDING] > 0);
}

static const char *const hostile[] = { "-1", "0", "1", "4294967295",
	"4294967296", "9223372036854775807", "9223372036854775808",
	"18446744073709551615", "-9223372036854775808", "1e999", "null", "true",
	"[]", "{}", "\"\"", "\"N-99\"", "\"N-0@4294967295\"", "\"N-0@0\"",
	"\"N-0@1#9\"", "\"N-0!7\"", "\"../../etc/passwd\"", "\"\\u0000\"",
	"\"\\u001b[2J\"", "\"\\ud83d\\ude00\"", "[[[[1]]]]", "[\"a\",\"a\"]",
	"\"verified\"", "\"pass\"", "\"granted\"" };

enum { HOSTILE = sizeof(hostile) / sizeof(hostile[0]) };

/* The end of the JSON scalar that begins at `at`; 0 when none does. */
static size_t
scalar_end(struct str text, size_t at)
{
	char before = text.ptr[at - 1];
	size_t end = at;

	if (before != ':' && before != ',' && before != '[')
		return 0;
	if (text.ptr[at] == '"') {
		for (end = at + 1; text.ptr[end] != '"'; end++)
			end += text.ptr[end] == '\\';
		end++;
	} else {
		while (strchr(",]}[{", text.ptr[end]) == NULL)
			end++;
	}
	/* A name, not a value. */
	if (end < text.len && text.ptr[end] == ':')
		return 0;
	return end > at ? end : 0;
}

/* Fold what was before, the changed event, and what came after; show it. */
static bool
fold_hostile(const struct run_fixture *f, size_t at, struct str text,
	struct arena *mem)
{
	char *bytes = arena_strdup(mem, text);
	struct pawl_err err = { 0 };
	const char *bad = NULL;
	const struct json *v;
	struct event e;
	struct state s;
	bool taken = false;

	if (json_read(mem, bytes, text.len, JSON_STRICT, &v, &err) != PAWL_OK)
		return false;
	state_init(&s, &f->plan.plan);
	for (size_t i = 0; i < f->journal.count && bad == NULL; i++) {
		const struct folded *it = &f->journal.items[i];

		if (i == at) {
			taken = event_read(v, mem, &e, &err) == PAWL_OK &&
				apply(&s, &it->line, &e, &err) == PAWL_OK;
			if (!taken)
				break;
			bad = surfaces_read(&s, mem);
		} else if (apply(&s, &it->line, &it->event, &err) != PAWL_OK) {
			break;
		}
	}
	if (bad == NULL)
		bad = surfaces_read(&s, mem);
	if (bad != NULL)
		fail_msg("%s: %.*s", bad, STR_ARG(text));
	state_release(&s);
	return taken;
}

struct tally {
	uint32_t taken, refused, turn;
};

/* Put some of the hostile values in the place of each scalar of one event. */
static void
try_event(const struct run_fixture *f, size_t at, struct tally *t)
{
	struct arena mem = ARENA_INIT;
	struct buf was = { 0 };
	struct json_writer w = { .out = &was };

	event_write(&w, &f->journal.items[at].event);
	for (size_t from = 1; from < was.len; from++) {
		size_t end = scalar_end(buf_str(&was), from);

		for (int k = 0; end > 0 && k < HOSTILE_EACH; k++) {
			struct str text = arena_format(&mem, "%.*s%s%s",
				(int)from, was.data,
				hostile[t->turn++ % HOSTILE], was.data + end);
			bool ok = fold_hostile(f, at, text, &mem);

			t->taken += ok;
			t->refused += !ok;
			arena_reset(&mem);
		}
		from = end > 0 ? end - 1 : from;
	}
	buf_release(&was);
}

static void
an_absurd_value_is_refused_or_fit_to_be_shown(void **state)
{
	struct tally t = { 0 };

	(void)state;
	for (uint64_t seed = 1; seed <= HOSTILE_RUNS; seed++) {
		struct run_fixture f;

		walk(&f, seed);
		for (size_t i = 0; i < f.journal.count; i++)
			try_event(&f, i, &t);
		fixture_release(&f);
	}
	assert_true(t.taken > 100);
	assert_true(t.refused > 100);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_surfaces_say_the_same_of_random_runs),
		cmocka_unit_test(an_absurd_value_is_refused_or_fit_to_be_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
