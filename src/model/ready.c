#include "model/ready.h"

static struct hold_answer
held(enum hold hold, uint32_t other)
{
	return (struct hold_answer){ .hold = hold, .other = other };
}

/* Any live attempt in place; a writer when `writer`. */
static uint32_t
in_place_attempt(const struct state *s, bool writer)
{
	for (uint32_t i = (uint32_t)s->attempts.count; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (is_attempt_live(a) && a->placement == PLACEMENT_IN_PLACE &&
			(!writer || s->plan->nodes[a->node].mode == MODE_WRITE))
			return i;
	}
	return 0;
}

/* In place a writer is alone: the tree before and after is its proof. */
static struct hold_answer
in_place_hold(const struct state *s, uint32_t node)
{
	bool writes = s->plan->nodes[node].mode == MODE_WRITE;

	if (s->run.placement != PLACEMENT_IN_PLACE || s->live_in_place == 0)
		return held(HOLD_NONE, 0);
	if (writes)
		return held(HOLD_IN_PLACE, in_place_attempt(s, false));
	if (s->live_writers > 0)
		return held(HOLD_IN_PLACE, in_place_attempt(s, true));
	return held(HOLD_NONE, 0);
}

static struct hold_answer
scope_hold(
	const struct state *s, const struct scope_trie *active, uint32_t node)
{
	const struct contract *c = &s->plan->nodes[node];
	uint32_t other;

	for (uint32_t i = 0; i < c->scopes_count; i++) {
		if (!scope_trie_conflict(active,
			    plan_scope_str(s->plan, c->scopes_at + i),
			    c->mode == MODE_WRITE, &other))
			continue;
		return (struct hold_answer){ .hold = HOLD_SCOPE,
			.other = other,
			.scope = c->scopes_at + i };
	}
	return held(HOLD_NONE, 0);
}

/* All but the scopes and the slots. */
static struct hold_answer
node_hold(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];
	const struct attempt *a = state_last_attempt(s, node);

	if (is_run_closed(s))
		return held(HOLD_RUN_CLOSED, 0);
	if (a != NULL && is_attempt_live(a))
		return held(HOLD_LIVE, n->attempt_1 - 1);
	if (n->status != NODE_READY)
		return held(HOLD_STATUS, 0);
	if (a != NULL && a->unreconciled)
		return held(HOLD_UNRECONCILED, n->attempt_1 - 1);
	if (is_breaker_tripped(s) ||
		(is_breaker_open(s) && s->live_attempts > 0))
		return held(HOLD_BREAKER, 0);
	return in_place_hold(s, node);
}

struct hold_answer
ready_hold(const struct state *s, uint32_t node)
{
	struct hold_answer h = node_hold(s, node);

	if (h.hold == HOLD_NONE)
		h = scope_hold(s, &s->active, node);
	if (h.hold == HOLD_NONE && s->live_attempts >= s->run.slots)
		h = held(HOLD_SLOTS, 0);
	return h;
}

bool
ready_first(const struct state *s, uint32_t *ret_node)
{
	uint32_t rank;

	if (s->live_attempts >= s->run.slots)
		return false;
	for (uint32_t from = 0; rankset_next(&s->ready, from, &rank);
		from = rank + 1) {
		uint32_t node = s->node_at[rank];

		if (ready_hold(s, node).hold == HOLD_NONE) {
			*ret_node = node;
			return true;
		}
	}
	return false;
}

static void
wave_take(const struct state *s, struct scope_trie *taken, uint32_t node)
{
	const struct contract *c = &s->plan->nodes[node];

	for (uint32_t i = 0; i < c->scopes_count; i++)
		scope_trie_add(taken, plan_scope_str(s->plan, c->scopes_at + i),
			c->mode == MODE_WRITE, node);
}

const uint32_t *
ready_wave(const struct state *s, uint32_t max, struct arena *mem,
	uint32_t *ret_count)
{
	bool alone = s->run.placement == PLACEMENT_IN_PLACE;
	bool writer = false, reader = false;
	struct scope_trie taken;
	uint32_t count = 0;
	uint32_t *wave;
	uint32_t rank;

	if (max > s->ready.count)
		max = s->ready.count;
	wave = arena_array(mem, max, uint32_t);
	scope_trie_init(&taken);
	for (uint32_t from = 0;
		count < max && rankset_next(&s->ready, from, &rank);
		from = rank + 1) {
		uint32_t node = s->node_at[rank];
		bool writes = s->plan->nodes[node].mode == MODE_WRITE;

		if (alone && (writer || (writes && reader)))
			continue;
		if (node_hold(s, node).hold != HOLD_NONE ||
			scope_hold(s, &s->active, node).hold != HOLD_NONE ||
			scope_hold(s, &taken, node).hold != HOLD_NONE)
			continue;
		wave_take(s, &taken, node);
		writer = writer || writes;
		reader = reader || !writes;
		wave[count++] = node;
	}
	scope_trie_release(&taken);
	*ret_count = count;
	return wave;
}
