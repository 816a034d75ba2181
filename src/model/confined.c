#include "model/confined.h"

enum { WORDS_MAX = 32 };

static void
add(struct strs *words, const struct strs *more)
{
	for (uint32_t i = 0; i < more->count; i++) {
		bool again = words->count >= WORDS_MAX;

		for (uint32_t k = 0; !again && k < words->count; k++)
			again = str_eq(words->items[k], more->items[i]);
		if (!again)
			words->items[words->count++] = more->items[i];
	}
}

struct strs
confined_lacks(const struct state *s, struct arena *mem)
{
	struct strs words = { arena_array(mem, WORDS_MAX, struct str), 0 };
	const struct attempt *a;
	const struct check *c;

	VEC_EACH (a, &s->attempts)
		add(&words, &a->lacks);
	VEC_EACH (c, &s->checks)
		add(&words, &c->lacks);
	return words;
}

/* A run that was begun before there were levels has none. */
static struct str
level_of(const struct state *s)
{
	return s->run.sandbox.len > 0 ? s->run.sandbox : STR("off");
}

struct str
confined_words(const struct state *s, struct arena *mem)
{
	struct strs lacks = confined_lacks(s, mem);
	struct str words = arena_copy(mem, level_of(s));

	for (uint32_t i = 0; i < lacks.count; i++)
		words = arena_format(mem, STR_FMT "%s" STR_FMT, STR_ARG(words),
			i == 0 ? ", not enforced: " : ", ",
			STR_ARG(lacks.items[i]));
	return words;
}

bool
is_confined(const struct state *s)
{
	const struct attempt *a;
	const struct check *c;

	if (str_eq(level_of(s), STR("off")))
		return false;
	VEC_EACH (a, &s->attempts) {
		if (a->lacks.count > 0)
			return false;
	}
	VEC_EACH (c, &s->checks) {
		if (c->lacks.count > 0)
			return false;
	}
	return true;
}

/* Nobody said, or nobody was confined. */
static bool
is_off(struct str level)
{
	return level.len == 0 || str_eq(level, STR("off"));
}

struct str
confined_check_hint(const struct state *s, uint32_t check)
{
	const struct check *c = &s->checks.items[check];

	if (c->verdict != VERDICT_FAIL || is_off(c->sandbox))
		return STR("");
	return s->run.check_net
		? STR("the check ran in a sandbox; a run with --read PATH or "
		      "--write PATH grants it more")
		: STR("the check ran in a sandbox; a run with --read PATH, "
		      "--write PATH or --check-net grants it more");
}

struct str
confined_hint(const struct state *s, uint32_t attempt)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str hint = STR("");
	bool failed = a->status == ATTEMPT_REJECTED ||
		a->status == ATTEMPT_START_FAILED ||
		a->status == ATTEMPT_INTERRUPTED;

	if (a->check_1 != 0)
		hint = confined_check_hint(s, a->check_1 - 1);
	if (hint.len > 0 || !failed || is_off(a->sandbox))
		return hint;
	return STR("the worker ran in a sandbox; a run with --read PATH or "
		   "--write PATH grants it more");
}
