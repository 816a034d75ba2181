#include "model/budget_use.h"

#include "model/wall.h"

struct budget_use
budget_use(
	const struct state *s, const struct budget_limit *limit, struct str now)
{
	struct budget_use u = { BUDGET_UNAVAILABLE, 0 };

	if (limit->resource == BUDGET_ATTEMPTS)
		u.used = s->attempts.count;
	else if (limit->resource == BUDGET_WORKERS)
		u.used = s->live_attempts;
	else if (limit->resource == BUDGET_WALL_TIME)
		u.used = s->wall_ms + wall_between(s->at, now);
	else
		return u;
	u.standing = u.used >= limit->amount ? BUDGET_OVER : BUDGET_WITHIN;
	return u;
}

bool
budget_holds(const struct state *s, struct str now, uint32_t *ret_limit)
{
	for (uint32_t i = 0; i < s->budget.count; i++) {
		const struct budget_limit *limit = &s->budget.limits[i];

		if (limit->hardness == BUDGET_HARD &&
			budget_use(s, limit, now).standing != BUDGET_WITHIN) {
			*ret_limit = i;
			return true;
		}
	}
	return false;
}

/* In the limit's own unit, rounded down. */
static uint64_t
in_unit(const struct budget_limit *limit, uint64_t used)
{
	uint64_t scale;

	return budget_unit(limit->resource, limit->unit, &scale) ? used / scale
								 : used;
}

struct str
budget_sentence(const struct state *s, uint32_t limit, struct str now,
	struct arena *mem)
{
	const struct budget_limit *l = &s->budget.limits[limit];
	struct budget_use u = budget_use(s, l, now);

	if (u.standing == BUDGET_UNAVAILABLE) {
		return arena_format(mem,
			"the %s limit of %s can't be measured here",
			budget_class_words[l->hardness],
			budget_resource_words[l->resource]);
	}
	return arena_format(mem,
		"the %s limit of %s is %s: %llu of %llu " STR_FMT,
		budget_class_words[l->hardness],
		budget_resource_words[l->resource],
		u.standing == BUDGET_OVER ? "reached" : "kept",
		(unsigned long long)in_unit(l, u.used),
		(unsigned long long)l->value, STR_ARG(l->unit));
}

void
budget_limit_json(struct json_writer *w, const struct state *s, uint32_t limit,
	struct str now)
{
	static const struct str words[] = { [BUDGET_WITHIN] = { "within", 6 },
		[BUDGET_OVER] = { "exhausted", 9 },
		[BUDGET_UNAVAILABLE] = { "unavailable", 11 } };
	const struct budget_limit *l = &s->budget.limits[limit];
	struct budget_use u = budget_use(s, l, now);

	json_open(w, '{');
	json_pair_str(w, STR("resource"),
		str_from(budget_resource_words[l->resource]));
	json_pair_str(
		w, STR("class"), str_from(budget_class_words[l->hardness]));
	json_pair_u64(w, STR("limit"), l->value);
	json_pair_str(w, STR("unit"), l->unit);
	json_key(w, STR("used"));
	if (u.standing == BUDGET_UNAVAILABLE)
		json_put_str(w, words[BUDGET_UNAVAILABLE]);
	else
		json_put_u64(w, in_unit(l, u.used));
	json_pair_str(w, STR("state"), words[u.standing]);
	json_close(w, '}');
}

void
budget_json(struct json_writer *w, const struct state *s, struct str now)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < s->budget.count; i++)
		budget_limit_json(w, s, i, now);
	json_close(w, ']');
}

uint32_t
budget_degraded(const struct state *s, struct str now,
	uint32_t ret_limits[BUDGET_LIMITS_MAX])
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < s->budget.count; i++) {
		const struct budget_limit *l = &s->budget.limits[i];
		struct budget_use u = budget_use(s, l, now);

		/* As many workers as may be are what a limit is for. */
		if (l->hardness == BUDGET_ADVISORY &&
			(u.standing == BUDGET_UNAVAILABLE ||
				u.used > l->amount ||
				(u.standing == BUDGET_OVER &&
					l->resource != BUDGET_WORKERS)))
			ret_limits[n++] = i;
	}
	return n;
}
