/*
 * The invariants of design 3.11 over random command sequences.
 *
 *	PAWL_SEQUENCES=100000 PAWL_SEED=7 ./test_invariants
 *
 * A sequence that breaks one is cut down to the moves that it takes, and
 * printed with its seed.  C034, C036, C079, C096, C097.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "invariants.h"
#include "invariants_delegation.h"
#include "invariants_ledger.h"
#include "invariants_next.h"
#include "moves.h"

#ifdef __has_feature
#define HAS_FEATURE(x) __has_feature(x)
#else
#define HAS_FEATURE(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || HAS_FEATURE(address_sanitizer)
enum { SEQUENCES = 5000 };
#else
enum { SEQUENCES = 100000 };
#endif

enum { SEQUENCES_WHOLE = 5000 };

/* What the sequences reached, so that a poor generator is noticed. */
struct seen {
	uint32_t folded[EVENT_TYPE_COUNT];
	uint32_t refused[EVENT_TYPE_COUNT];
	uint32_t runs[RUN_STATUS_COUNT];
	uint32_t attempts[ATTEMPT_STATUS_COUNT];
	uint32_t codes[PAWL_CODE_COUNT];
	char next[512]; /* what was wrong with it */
};

/* What one sequence goes through. */
struct trial {
	struct run_fixture f;
	struct state second; /* folded from the bytes of each event */
	struct state third;  /* read from a projection, then folded */
	struct state before; /* at some point: what had ended */
	bool has_third, has_before;
	struct seen *seen;
	struct rand r; /* for what is checked when; not for moves */
	struct arena mem;
};

static void
trial_init(struct trial *t, uint64_t seed, struct seen *seen)
{
	*t = (struct trial){ .r = rand_seeded(~seed), .seen = seen };
	moves_fixture_init(&t->f, seed);
	state_init(&t->second, &t->f.plan.plan);
}

static void
trial_release(struct trial *t)
{
	state_release(&t->second);
	if (t->has_third)
		state_release(&t->third);
	if (t->has_before)
		state_release(&t->before);
	fixture_release(&t->f);
	arena_reset(&t->mem);
}

/* Write, read and fold an event into the other states. */
static const char *
echo(struct trial *t, const struct folded *e)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct pawl_err err = { 0 };
	const struct json *v;
	const char *broken = NULL;
	struct event read;

	event_write(&w, &e->event);
	if (json_read(&t->mem, text.data, text.len, JSON_STRICT, &v, &err) !=
			PAWL_OK ||
		event_read(v, &t->mem, &read, &err) != PAWL_OK ||
		apply(&t->second, &e->line, &read, &err) != PAWL_OK)
		broken = "1: an event doesn't survive its bytes";
	else if (t->has_third &&
		apply(&t->third, &e->line, &read, &err) != PAWL_OK)
		broken = "2: the tail doesn't fold onto a projection";
	buf_release(&text);
	return broken;
}

/* Decide, fold and echo one move; refusals are checked to change nothing. */
static const char *
trial_move(struct trial *t, struct move move, bool ends)
{
	struct command cmd = move_command(&t->f, move);
	size_t folded = t->f.journal.count;
	bool looks = rand_below(&t->r, 16) == 0;
	struct buf before = { 0 }, after = { 0 };
	const char *broken = NULL;

	if (looks)
		fixture_projection(&t->f.s, &before);
	if (fixture_propose(&t->f, &cmd) != PAWL_OK) {
		t->seen->refused[move.type]++;
		t->seen->codes[t->f.err.code]++;
		if (looks)
			fixture_projection(&t->f.s, &after);
		if (!str_eq(buf_str(&before), buf_str(&after)))
			broken = "a refusal changed the state";
	}
	buf_release(&before);
	buf_release(&after);
	if (ends)
		fixture_commit(&t->f);
	if (t->f.broken != NULL)
		return t->f.broken;
	for (; broken == NULL && folded < t->f.journal.count; folded++) {
		t->seen->folded[t->f.journal.items[folded].event.type]++;
		broken = echo(t, &t->f.journal.items[folded]);
	}
	if (broken == NULL && t->f.s.gen != t->second.gen)
		broken = "6: the generation isn't the line's";
	return broken;
}

/* What it says lives as long as the fixture. */
static const char *
next_look(struct trial *t)
{
	const char *broken = invariants_next(&t->f);

	if (broken == NULL)
		return NULL;
	(void)snprintf(t->seen->next, sizeof(t->seen->next), "%s", broken);
	return t->seen->next;
}

static const char *
trial_look(struct trial *t)
{
	const struct state *s = &t->f.s;
	const char *broken = invariants_broken(s, &t->mem);
	uint32_t dice = rand_below(&t->r, 64);

	if (broken == NULL && dice % 8 == 0)
		broken = invariants_ready(s, &t->mem);
	if (broken == NULL && dice % 8 == 5)
		broken = next_look(t);
	if (broken == NULL && dice == 1)
		broken = invariants_causes(
			s, rand_below(&t->r, s->plan->count), &t->mem);
	if (broken == NULL && dice == 4)
		broken = invariants_ledger(s);
	if (broken == NULL && t->has_before)
		broken = invariants_terminal(&t->before, s);
	if (broken == NULL && t->has_before)
		broken = invariants_delegations_terminal(&t->before, s);
	if (broken == NULL && dice == 2 && !t->has_before) {
		t->has_before = state_copy(s, &t->mem, &t->before);
		broken = t->has_before ? NULL : "2: a projection is refused";
	}
	if (broken == NULL && dice == 3 && !t->has_third) {
		t->has_third = state_copy(s, &t->mem, &t->third);
		broken = t->has_third ? NULL : "2: a projection is refused";
	}
	return broken;
}

static const char *
trial_end(struct trial *t)
{
	const struct attempt *a;
	const char *broken = invariants_differ(&t->f.s, &t->second);

	t->seen->runs[state_run_status(&t->f.s)]++;
	VEC_EACH (a, &t->f.s.attempts)
		t->seen->attempts[a->status]++;
	if (broken == NULL && t->has_third)
		broken = invariants_differ(&t->f.s, &t->third);
	if (broken == NULL && rand_below(&t->r, 4) == 0)
		broken = invariants_ledger(&t->f.s);
	for (uint32_t i = 0; broken == NULL && i < t->f.plan.plan.count; i++)
		broken = rand_below(&t->r, 8) == 0
			? invariants_causes(&t->f.s, i, &t->mem)
			: NULL;
	return broken;
}

/*
 * Run a sequence: the moves given, or (fresh) moves that are made up on the way
 * and returned there.
 */
static const char *
sequence(uint64_t seed, struct move *moves, size_t count, bool fresh,
	struct seen *seen)
{
	struct rand r = rand_seeded(seed * 2 + 1);
	const char *broken = NULL;
	struct trial t;
	bool ends;

	trial_init(&t, seed, seen);
	for (size_t i = 0; broken == NULL && i < t.f.journal.count; i++)
		broken = echo(&t, &t.f.journal.items[i]);
	if (broken == NULL)
		broken = invariants_broken(&t.f.s, &t.mem);
	for (size_t i = 0; broken == NULL && i < count; i++) {
		if (fresh)
			moves[i] = move_next(&t.f.s, &r);
		ends = i + 1 == count || moves[i].ends;
		broken = trial_move(&t, moves[i], ends);
		if (broken == NULL && ends)
			broken = trial_look(&t);
	}
	if (broken == NULL)
		broken = trial_end(&t);
	trial_release(&t);
	return broken;
}

/* Leave moves out as long as the sequence still breaks something. */
static size_t
shrink(uint64_t seed, struct move *moves, size_t count)
{
	struct seen ignored = { 0 };

	for (size_t part = count / 2; part > 0; part /= 2) {
		for (size_t at = 0; at + part <= count;) {
			struct move fewer[MOVES_MAX];
			size_t left = count - part;

			memcpy(fewer, moves, at * sizeof(*moves));
			memcpy(fewer + at, moves + at + part,
				(left - at) * sizeof(*moves));
			if (sequence(seed, fewer, left, false, &ignored) ==
				NULL) {
				at += part;
				continue;
			}
			memcpy(moves, fewer, left * sizeof(*moves));
			count = left;
		}
	}
	return count;
}

static void
report(uint64_t seed, struct move *moves, const char *broken)
{
	size_t count = shrink(seed, moves, MOVES_MAX);
	struct buf text = { 0 };
	struct run_fixture f;

	moves_fixture_init(&f, seed);
	buf_addf(&text, "seed %llu: %s\n%s", (unsigned long long)seed, broken,
		f.plan.text.data);
	for (size_t i = 0; i < count; i++) {
		move_show(&text, moves[i]);
		buf_addc(&text, '\n');
	}
	print_error("%s", text.data);
	fixture_release(&f);
	buf_release(&text);
}

static uint64_t
setting(const char *name, uint64_t otherwise)
{
	struct pawl_err err = { 0 };
	uint64_t n = otherwise;
	const char *text = getenv(name);

	if (text != NULL &&
		num_u64(str_from(text), 0, UINT32_MAX, &n, &err) != PAWL_OK)
		fail_msg("%s: %s", name, err.msg);
	return n;
}

/*
 * So many sequences come to everything that this version knows, and every kind
 * of command is accepted and refused once in a thousand.
 */
static void
seen_all(const struct seen *seen, uint64_t sequences)
{
	uint32_t least = (uint32_t)(sequences / 1000);
	static const enum pawl_code codes[] = { ERR_NOT_PERMITTED,
		ERR_STALE_COORDINATOR, ERR_RUN_CLOSED, ERR_RUN_HELD,
		ERR_ID_TAKEN, ERR_NODE_NOT_FOUND, ERR_ATTEMPT_NOT_FOUND,
		ERR_ATTEMPT_STATE, ERR_TASK_NOT_READY, ERR_SCOPE_OVERLAP,
		ERR_APPROVAL_NEEDED, ERR_BUSY, ERR_GATE_NOT_FOUND,
		ERR_GATE_DECIDED, ERR_APPROVAL_STALE, ERR_INVALID_ARGUMENT,
		ERR_CHECK_FAILED, ERR_CHECK_NEEDED, ERR_CHECK_MISSING,
		ERR_RED_NEEDED, ERR_REASON_NEEDED, ERR_GRADE_CONFLICT,
		ERR_NOT_TICKED, ERR_CLEANUP_PENDING, ERR_GATES_OPEN,
		ERR_OUTCOME_UNEARNED, ERR_ATTEMPTS_RUNNING, ERR_ALREADY_CLAIMED,
		ERR_DIGEST_MISMATCH, ERR_QUESTION_NOT_FOUND,
		ERR_QUESTION_ANSWERED, ERR_QUESTION_STALE, ERR_QUESTION_OPEN,
		ERR_CLEANUP_SETTLED, ERR_CLEANUP_TAKEN, ERR_CLEANUP_UNPROVEN,
		ERR_DELEGATION_NOT_FOUND, ERR_DELEGATION_STATE,
		ERR_DELEGATION_OPEN, ERR_DELEGATION_WIDENS, ERR_STALE_SEQ };

	for (enum event_type i = EV_RUN_STARTED + 1; i < EVENT_TASK_TYPES;
		i++) {
		if (seen->folded[i] < least)
			fail_msg("%s was folded %u times, not %u",
				event_word(i).ptr, seen->folded[i], least);
		if (seen->refused[i] < least)
			fail_msg("%s was refused %u times, not %u",
				event_word(i).ptr, seen->refused[i], least);
	}
	for (enum run_status i = RUN_RUNNING; i < RUN_STATUS_COUNT; i++) {
		if (seen->runs[i] == 0)
			fail_msg("no run became %s",
				run_status_word((enum run_status)i).ptr);
	}
	for (enum attempt_status i = 0; i < ATTEMPT_STATUS_COUNT; i++) {
		if (seen->attempts[i] == 0)
			fail_msg("no attempt is %s",
				attempt_status_word((enum attempt_status)i)
					.ptr);
	}
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		if (seen->codes[codes[i]] == 0)
			fail_msg("nothing was refused as %s",
				pawl_code_info(codes[i])->word);
	}
}

static void
no_sequence_of_commands_breaks_an_invariant(void **state)
{
	uint64_t first = setting("PAWL_SEED", 1);
	uint64_t last = first + setting("PAWL_SEQUENCES", SEQUENCES);
	struct move moves[MOVES_MAX];
	struct seen seen = { 0 };

	(void)state;
	for (uint64_t seed = first; seed < last; seed++) {
		const char *broken =
			sequence(seed, moves, MOVES_MAX, true, &seen);

		if (broken == NULL)
			continue;
		report(seed, moves, broken);
		fail_msg("seed %llu: %s", (unsigned long long)seed, broken);
	}
	if (last - first >= SEQUENCES_WHOLE)
		seen_all(&seen, last - first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sequence_of_commands_breaks_an_invariant),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
