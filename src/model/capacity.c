#include "model/capacity.h"

enum pawl_rc
capacity_read(struct str word, struct need *ret_limit, struct pawl_err *err)
{
	if (str_find(word, '=') == word.len)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' isn't CLASS=N", STR_ARG(word));
	if (need_read_at(word, '=', ret_limit, err) != PAWL_OK)
		return pawl_wrap(err, "'" STR_FMT "'", STR_ARG(word));
	return PAWL_OK;
}

uint32_t
capacity_limit(const struct strs *capacity, struct str class)
{
	struct pawl_err ignored;
	struct need limit;

	for (uint32_t i = 0; i < capacity->count; i++) {
		if (capacity_read(capacity->items[i], &limit, &ignored) ==
				PAWL_OK &&
			str_eq(limit.class, class))
			return limit.amount;
	}
	return 1;
}

static uint32_t
amount_of(const struct plan *p, uint32_t node, struct str class)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = needs_of(p, node, needs);

	for (uint32_t i = 0; i < count; i++) {
		if (str_eq(needs[i].class, class))
			return needs[i].amount;
	}
	return 0;
}

/* The live ones are among the newest. */
uint64_t
capacity_used(const struct state *s, struct str class)
{
	uint32_t left = s->live_attempts;
	uint64_t used = 0;

	for (size_t i = s->attempts.count; left > 0 && i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_attempt_live(a))
			continue;
		used += amount_of(s->plan, a->node, class);
		left--;
	}
	return used;
}

static bool
fits(const struct state *s, const struct need *need, uint64_t used)
{
	return used == 0 ||
		used + need->amount <=
		capacity_limit(&s->run.capacity, need->class);
}

bool
capacity_holds(const struct state *s, uint32_t node, uint32_t *ret_need)
{
	struct need needs[BOUND_NAMES];
	uint32_t count =
		s->live_attempts > 0 ? needs_of(s->plan, node, needs) : 0;

	for (uint32_t i = 0; i < count; i++) {
		if (fits(s, &needs[i], capacity_used(s, needs[i].class)))
			continue;
		*ret_need = i;
		return true;
	}
	return false;
}

struct str
capacity_sentence(
	const struct state *s, uint32_t node, uint32_t need, struct arena *mem)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = needs_of(s->plan, node, needs);

	assert(need < count);
	return arena_format(mem,
		"it needs %u of '" STR_FMT "', of which %llu of %u %s in use",
		needs[need].amount, STR_ARG(needs[need].class),
		(unsigned long long)capacity_used(s, needs[need].class),
		capacity_limit(&s->run.capacity, needs[need].class),
		capacity_used(s, needs[need].class) == 1 ? "is" : "are");
}

static struct capacity_share *
share_of(const struct capacity_shares *taken, struct str class)
{
	struct capacity_share *share;

	VEC_EACH (share, taken) {
		if (str_eq(share->class, class))
			return share;
	}
	return NULL;
}

bool
capacity_excludes(const struct state *s, const struct capacity_shares *taken,
	uint32_t node, uint32_t *ret_node)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = taken->count > 0 ? needs_of(s->plan, node, needs) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct capacity_share *share =
			share_of(taken, needs[i].class);

		if (share == NULL ||
			fits(s, &needs[i],
				share->amount +
					capacity_used(s, needs[i].class)))
			continue;
		*ret_node = share->node;
		return true;
	}
	return false;
}

void
capacity_take(
	const struct plan *p, struct capacity_shares *taken, uint32_t node)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = needs_of(p, node, needs);

	for (uint32_t i = 0; i < count; i++) {
		struct capacity_share *share = share_of(taken, needs[i].class);

		if (share != NULL) {
			share->amount += needs[i].amount;
			continue;
		}
		capacity_shares_push(taken,
			(struct capacity_share){
				needs[i].class, needs[i].amount, node });
	}
}

enum pawl_rc
capacity_suffices(
	const struct plan *p, const struct strs *capacity, struct pawl_err *err)
{
	struct capacity_shares classes = { 0 };
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t node = 0; rc == PAWL_OK && node < p->count; node++) {
		struct need needs[BOUND_NAMES];
		uint32_t count = needs_of(p, node, needs);

		for (uint32_t i = 0; rc == PAWL_OK && i < count; i++) {
			uint32_t limit =
				capacity_limit(capacity, needs[i].class);

			if (needs[i].amount <= limit)
				continue;
			rc = pawl_fail(err, ERR_LIMIT,
				"'" STR_FMT "' needs %u of '" STR_FMT
				"', of which there is %u",
				STR_ARG(plan_id(p, node)), needs[i].amount,
				STR_ARG(needs[i].class), limit);
		}
		if (rc == PAWL_OK)
			capacity_take(p, &classes, node);
		if (rc == PAWL_OK && classes.count > BOUND_CLASSES) {
			rc = pawl_fail(err, ERR_LIMIT,
				"the classes that tasks need are over the"
				" limit of %d",
				BOUND_CLASSES);
		}
	}
	capacity_shares_release(&classes);
	return rc;
}
