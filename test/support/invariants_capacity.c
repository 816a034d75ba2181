#include "invariants_capacity.h"

#include "model/need.h"
#include "model/ready.h"

struct sum {
	struct str class;
	uint32_t amount, holders;
};

enum { SUMS_MAX = 64 };

struct sums {
	struct sum items[SUMS_MAX];
	uint32_t count;
};

static void
add(struct sums *sums, const struct plan *p, uint32_t node)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = needs_of(p, node, needs);

	for (uint32_t i = 0; i < count; i++) {
		uint32_t at = 0;

		while (at < sums->count &&
			!str_eq(sums->items[at].class, needs[i].class))
			at++;
		if (at == SUMS_MAX)
			continue;
		if (at == sums->count)
			sums->items[sums->count++] =
				(struct sum){ .class = needs[i].class };
		sums->items[at].amount += needs[i].amount;
		sums->items[at].holders++;
	}
}

/* By the word that the run recorded, written down here once more. */
static uint32_t
limit_of(const struct state *s, struct str class)
{
	for (uint32_t i = 0; i < s->run.capacity.count; i++) {
		struct str rest = s->run.capacity.items[i];

		if (str_eq(str_cut(&rest, '='), class))
			return (uint32_t)(rest.ptr[0] - '0');
	}
	return 1;
}

/* One alone may have more than there is. */
static bool
is_over(const struct state *s, const struct sums *sums)
{
	for (uint32_t i = 0; i < sums->count; i++) {
		if (sums->items[i].holders > 1 &&
			sums->items[i].amount >
				limit_of(s, sums->items[i].class))
			return true;
	}
	return false;
}

const char *
invariants_capacity(const struct state *s, struct arena *mem)
{
	struct sums sums = { 0 };
	const uint32_t *wave;
	const struct attempt *a;
	uint32_t count;

	VEC_EACH (a, &s->attempts) {
		if (is_attempt_live(a))
			add(&sums, s->plan, a->node);
	}
	if (is_over(s, &sums))
		return "9: live attempts have more of a class than there is";
	wave = ready_wave(s, UINT32_MAX, mem, &count);
	for (uint32_t i = 0; i < count; i++)
		add(&sums, s->plan, wave[i]);
	return is_over(s, &sums)
		? "9: the wave takes more of a class than there is"
		: NULL;
}
