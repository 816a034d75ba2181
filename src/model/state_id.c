#include "model/state_id.h"

#include "base/num.h"
#include "model/state.h"

/* The number of an id, from 1 to `max`, as it is written: no zero in front. */
static bool
number_read(struct str digits, uint64_t max, uint64_t *ret_n)
{
	return digits.len > 0 && digits.ptr[0] != '0' &&
		num_digits(digits, ret_n) && *ret_n <= max;
}

/* Split `node<sign>n`; false when it is not of that form. */
static bool
numbered_find(const struct state *s, struct str id, char sign,
	uint32_t *ret_node, uint32_t *ret_number)
{
	struct str rest = id;
	struct str node = str_cut(&rest, sign);
	uint64_t n;

	if (rest.ptr == NULL || !plan_find(s->plan, node, ret_node))
		return false;
	if (!number_read(rest, UINT32_MAX, &n))
		return false;
	*ret_number = (uint32_t)n;
	return true;
}

enum pawl_rc
state_need_node(const struct state *s, struct str id, uint32_t *ret_node,
	struct pawl_err *err)
{
	if (plan_find(s->plan, id, ret_node))
		return PAWL_OK;
	return pawl_fail(err, ERR_NODE_NOT_FOUND,
		"run '" STR_FMT "' has no node '" STR_FMT "'",
		STR_ARG(s->run.run), STR_ARG(id));
}

enum pawl_rc
state_need_attempt(const struct state *s, struct str id, uint32_t *ret_attempt,
	struct pawl_err *err)
{
	if (state_find_attempt(s, id, ret_attempt))
		return PAWL_OK;
	return pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
		"run '" STR_FMT "' has no attempt '" STR_FMT "'",
		STR_ARG(s->run.run), STR_ARG(id));
}

bool
is_numbered_id(struct str id, struct str name, char sign, uint32_t number)
{
	uint64_t n;

	return id.len > name.len && id.ptr[name.len] == sign &&
		str_eq((struct str){ id.ptr, name.len }, name) &&
		number_read(str_part(id, name.len + 1, id.len), number, &n) &&
		n == number;
}

/*
 * A node has few attempts and few gates, and asked for is nearly always the
 * last one, so these walk back from the end.
 */
bool
state_find_attempt(const struct state *s, struct str id, uint32_t *ret_index)
{
	uint32_t node, number;

	if (!numbered_find(s, id, '@', &node, &number))
		return false;
	for (uint32_t i = s->nodes[node].attempt_1; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (a->node == node && a->number == number) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool
state_find_gate(const struct state *s, struct str id, uint32_t *ret_index)
{
	uint32_t node, number;

	if (!numbered_find(s, id, '!', &node, &number))
		return false;
	for (uint32_t i = s->nodes[node].gate_1; i-- > 0;) {
		const struct gate *g = &s->gates.items[i];

		if (g->node == node && g->number == number) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool
state_find_cleanup(const struct state *s, struct str id, uint32_t *ret_index)
{
	uint64_t n;

	/* Ids are `c1`, `c2`, … in the order of registration. */
	if (s->cleanups.count == 0 || id.len < 2 || id.ptr[0] != 'c' ||
		!number_read(str_part(id, 1, id.len), s->cleanups.count, &n))
		return false;
	*ret_index = (uint32_t)n - 1;
	return true;
}

bool
state_find_ask(const struct state *s, struct str id, uint32_t *ret_index)
{
	uint64_t n;

	if (s->asks.count == 0 || id.len < 2 || id.ptr[0] != 'q' ||
		!number_read(str_part(id, 1, id.len), s->asks.count, &n))
		return false;
	*ret_index = (uint32_t)n - 1;
	return true;
}

struct str
state_ask_id(uint32_t ask, struct arena *mem)
{
	return arena_format(mem, "q%u", ask + 1);
}

struct str
state_attempt_id(const struct state *s, uint32_t attempt, struct arena *mem)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str id = plan_id(s->plan, a->node);

	return arena_format(mem, STR_FMT "@%u", STR_ARG(id), a->number);
}

struct str
state_check_id(const struct state *s, uint32_t check, struct arena *mem)
{
	const struct check *c = &s->checks.items[check];
	const struct attempt *a = &s->attempts.items[c->attempt];
	struct str id = plan_id(s->plan, a->node);

	return arena_format(
		mem, STR_FMT "@%u#%u", STR_ARG(id), a->number, c->number);
}

struct str
state_gate_id(const struct state *s, uint32_t gate, struct arena *mem)
{
	const struct gate *g = &s->gates.items[gate];
	struct str id = plan_id(s->plan, g->node);

	return arena_format(mem, STR_FMT "!%u", STR_ARG(id), g->number);
}
