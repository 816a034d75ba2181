#include "model/delegation.h"

#include "base/num.h"
#include "model/contract.h"
#include "model/scope.h"

#define WORD(name, word) [name] = { word, sizeof(word) - 1 },
static const struct str words[] = { DELEGATION_STATUS_MAP(WORD) };

struct str
delegation_status_word(enum delegation_status status)
{
	return words[status];
}

bool
is_delegation_open(const struct delegation *d)
{
	return d->status < DELEGATION_REJECTED;
}

bool
is_delegation_left(const struct state *s, const struct delegation *d)
{
	return (d->status == DELEGATION_STARTED ||
		       d->status == DELEGATION_REPORTED) &&
		!is_attempt_live(&s->attempts.items[d->attempt]);
}

/* The number behind the `g`; false when it isn't written as we write it. */
static bool
number_of(struct str id, uint64_t *ret_number)
{
	return id.len > 1 && id.ptr[0] == 'g' && id.ptr[1] != '0' &&
		num_digits(str_part(id, 1, id.len), ret_number);
}

bool
state_find_delegation(const struct state *s, struct str id, uint32_t *ret_index)
{
	uint64_t n;

	if (!number_of(id, &n) || n > s->delegations.count)
		return false;
	*ret_index = (uint32_t)n - 1;
	return true;
}

struct str
state_delegation_id(uint32_t delegation, struct arena *mem)
{
	return arena_format(mem, "g%u", delegation + 1);
}

bool
is_delegation_id(struct str id)
{
	uint64_t n;

	return number_of(id, &n);
}

bool
state_open_delegation(const struct state *s, uint32_t node, uint32_t *ret_index)
{
	for (uint32_t i = 0;
		s->nodes[node].delegations > 0 && i < s->delegations.count;
		i++) {
		const struct delegation *d = &s->delegations.items[i];

		if (is_delegation_open(d) &&
			s->attempts.items[d->attempt].node == node) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

/* Would an attempt at this and the delegation's worker touch the same? */
static bool
is_in_the_way(const struct state *s, const struct delegation *d,
	const struct contract_view *v)
{
	const struct attempt *a = &s->attempts.items[d->attempt];
	bool writes = s->plan->nodes[v->node].mode == MODE_WRITE;
	bool writer = s->plan->nodes[a->node].mode == MODE_WRITE;

	if (a->node == v->node)
		return true;
	if (!writes && !writer)
		return false;
	/* In place a writer is alone: the whole tree is its proof. */
	if (s->run.placement == PLACEMENT_IN_PLACE &&
		a->placement == PLACEMENT_IN_PLACE)
		return true;
	for (uint32_t i = 0; i < d->paths.count; i++) {
		for (uint32_t k = 0; k < contract_scopes(v); k++) {
			if (scope_overlaps(delegation_path(d, i),
				    contract_scope(v, k)))
				return true;
		}
	}
	return false;
}

bool
state_left_delegation(const struct state *s, const struct contract_view *v,
	uint32_t *ret_index)
{
	for (uint32_t i = 0;
		s->delegations_left > 0 && i < s->delegations.count; i++) {
		const struct delegation *d = &s->delegations.items[i];

		if (is_delegation_left(s, d) && is_in_the_way(s, d, v)) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool
state_asked_delegation(const struct state *s, uint32_t attempt, uint32_t number,
	uint32_t *ret_index)
{
	for (uint32_t i = 0; i < s->delegations.count; i++) {
		const struct delegation *d = &s->delegations.items[i];

		if (d->attempt == attempt && d->number == number) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

struct str
delegation_path(const struct delegation *d, uint32_t i)
{
	return scope_unshown(d->paths.items[i]);
}

bool
delegation_covers(const struct delegation *d, struct str path)
{
	for (uint32_t i = 0; i < d->paths.count; i++) {
		if (scope_contains(delegation_path(d, i), path))
			return true;
	}
	return false;
}

void
delegations_count(struct state *s)
{
	const struct delegation *d;

	VEC_EACH (d, &s->delegations) {
		if (!is_delegation_open(d))
			continue;
		s->delegations_open++;
		s->delegations_left += is_delegation_left(s, d);
		s->nodes[s->attempts.items[d->attempt].node].delegations++;
	}
}

bool
is_delegations_sound(const struct state *s)
{
	const struct delegation *d;

	VEC_EACH (d, &s->delegations) {
		const struct attempt *a;

		if (d->attempt >= s->attempts.count ||
			d->status >= DELEGATION_STATUS_COUNT ||
			d->paths.count == 0)
			return false;
		/* What was never begun ends with its parent. */
		a = &s->attempts.items[d->attempt];
		if (d->status <= DELEGATION_APPROVED && !is_attempt_live(a))
			return false;
	}
	return true;
}
