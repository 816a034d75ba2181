#include "engine/allowance.h"

#include "model/budget_use.h"
#include "model/ready.h"

static bool
holds(const struct run *r, char now[CLOCK_TEXT_BYTES + 1], uint32_t *ret_limit)
{
	if (r->state.budget.count == 0)
		return false;
	clock_format(clock_wall_us(r->place->clock), now);
	return budget_holds(&r->state, str_from(now), ret_limit);
}

bool
allowance_is_used(
	const struct run *r, struct arena *mem, struct str *ret_sentence)
{
	char now[CLOCK_TEXT_BYTES + 1];
	uint32_t limit;

	if (!holds(r, now, &limit))
		return false;
	*ret_sentence = budget_sentence(&r->state, limit, str_from(now), mem);
	return true;
}

bool
allowance_holds(const struct run *r)
{
	char now[CLOCK_TEXT_BYTES + 1];
	uint32_t limit;

	return holds(r, now, &limit);
}

bool
allowance_first(const struct run *r, uint32_t *ret_node)
{
	return ready_first(&r->state, ret_node) && !allowance_holds(r);
}
