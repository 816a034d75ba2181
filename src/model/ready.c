#include "model/ready.h"

#include "model/budget_use.h"
#include "model/capacity.h"
#include "model/contract.h"
#include "model/registered.h"

static struct hold_answer
held(enum hold hold, uint32_t other)
{
	return (struct hold_answer){ .hold = hold, .other = other };
}

/* The newest live attempt in place that `node` can't work beside. */
static struct hold_answer
in_place_hold(const struct state *s, uint32_t node)
{
	bool writes = s->plan->nodes[node].mode == MODE_WRITE;

	/* A writer is alone: the tree before and after is its proof. */
	if (s->run.placement != PLACEMENT_IN_PLACE || s->live_in_place == 0 ||
		(!writes && s->live_writers == 0))
		return held(HOLD_NONE, 0);
	for (uint32_t i = (uint32_t)s->attempts.count; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (is_attempt_live(a) && a->placement == PLACEMENT_IN_PLACE &&
			(writes || s->plan->nodes[a->node].mode == MODE_WRITE))
			return held(HOLD_IN_PLACE, i);
	}
	return held(HOLD_NONE, 0);
}

/* The live writer that a decision for one at a time makes wait for. */
static struct hold_answer
writer_hold(const struct state *s, uint32_t node)
{
	if (!s->single_writer || s->live_writers == 0 ||
		s->plan->nodes[node].mode != MODE_WRITE)
		return held(HOLD_NONE, 0);
	for (uint32_t i = (uint32_t)s->attempts.count; i-- > 0;) {
		const struct attempt *a = &s->attempts.items[i];

		if (is_attempt_live(a) &&
			s->plan->nodes[a->node].mode == MODE_WRITE)
			return held(HOLD_WRITER, i);
	}
	return held(HOLD_NONE, 0);
}

static struct hold_answer
scope_hold(
	const struct state *s, const struct scope_trie *active, uint32_t node)
{
	struct contract_view v = contract_of(s, node);
	bool writes = s->plan->nodes[node].mode == MODE_WRITE;
	uint32_t other;

	for (uint32_t i = 0; i < contract_scopes(&v); i++) {
		if (!scope_trie_conflict(
			    active, contract_scope(&v, i), writes, &other))
			continue;
		return (struct hold_answer){ .hold = HOLD_SCOPE,
			.other = other,
			.scope_1 = i + 1,
			.node = node };
	}
	return held(HOLD_NONE, 0);
}

/* All but the scopes and the slots. */
static struct hold_answer
node_hold(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];
	const struct attempt *a = state_last_attempt(s, node);
	struct contract_view v = contract_of(s, node);
	uint32_t ask, delegation, cleanup, need;
	struct hold_answer h;
	uint32_t limit;

	if (is_run_closed(s))
		return held(HOLD_RUN_CLOSED, 0);
	if (a != NULL && is_attempt_live(a))
		return held(HOLD_LIVE, n->attempt_1 - 1);
	if (n->status != NODE_READY)
		return held(HOLD_STATUS, 0);
	if (n->questions > 0 && state_open_ask(s, node, &ask))
		return held(HOLD_QUESTION, ask);
	if (a != NULL && a->unreconciled)
		return held(HOLD_UNRECONCILED, n->attempt_1 - 1);
	if (registered_holds(s, node, &cleanup))
		return held(HOLD_CLEANUP, cleanup);
	if (state_left_delegation(s, &v, &delegation))
		return held(HOLD_DELEGATION, delegation);
	if (is_surplus(s, node))
		return held(HOLD_SURPLUS, 0);
	if (budget_holds(s, STR(""), &limit))
		return held(HOLD_BUDGET, limit);
	if (is_breaker_tripped(s) ||
		(is_breaker_open(s) && s->live_attempts > 0))
		return held(HOLD_BREAKER, 0);
	h = in_place_hold(s, node);
	if (h.hold == HOLD_NONE)
		h = writer_hold(s, node);
	if (h.hold == HOLD_NONE && capacity_holds(s, node, &need))
		h = (struct hold_answer){
			.hold = HOLD_CAPACITY, .other = need, .node = node
		};
	return h;
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

/* What the nodes taken so far leave for the next ones. */
struct wave {
	struct scope_trie taken; /* holder: node */
	struct capacity_shares shares;
	uint32_t writer_1; /* 1 + the first node of the wave that writes */
	uint32_t first_1;  /* 1 + its first node */
};

static struct hold_answer
wave_excludes(const struct state *s, const struct wave *w, uint32_t node)
{
	bool writes = s->plan->nodes[node].mode == MODE_WRITE;
	struct hold_answer h;
	uint32_t other;

	if (w->first_1 == 0)
		return held(HOLD_NONE, 0);
	if (is_breaker_open(s)) /* one probe */
		return held(HOLD_WAVE, w->first_1 - 1);
	if ((s->run.placement == PLACEMENT_IN_PLACE ||
		    (s->single_writer && writes)) &&
		w->writer_1 != 0)
		return held(HOLD_WAVE, w->writer_1 - 1);
	if (s->run.placement == PLACEMENT_IN_PLACE && writes)
		return held(HOLD_WAVE, w->first_1 - 1);
	if (capacity_excludes(s, &w->shares, node, &other))
		return held(HOLD_WAVE, other);
	h = scope_hold(s, &w->taken, node);
	if (h.hold == HOLD_SCOPE)
		h.hold = HOLD_WAVE;
	return h;
}

static void
wave_take(const struct state *s, struct wave *w, uint32_t node)
{
	const struct contract *c = &s->plan->nodes[node];
	struct contract_view v = contract_of(s, node);

	for (uint32_t i = 0; i < contract_scopes(&v); i++)
		scope_trie_add(&w->taken, contract_scope(&v, i),
			c->mode == MODE_WRITE, node);
	capacity_take(s->plan, &w->shares, node);
	if (w->first_1 == 0)
		w->first_1 = node + 1;
	if (w->writer_1 == 0 && c->mode == MODE_WRITE)
		w->writer_1 = node + 1;
}

/* Whether the node joins the wave; slots aside. */
static struct hold_answer
wave_offer(const struct state *s, struct wave *w, uint32_t node)
{
	struct hold_answer h = node_hold(s, node);

	if (h.hold == HOLD_NONE)
		h = scope_hold(s, &s->active, node);
	if (h.hold == HOLD_NONE)
		h = wave_excludes(s, w, node);
	if (h.hold == HOLD_NONE)
		wave_take(s, w, node);
	return h;
}

const struct ready_entry *
ready_list(const struct state *s, uint32_t max, struct arena *mem,
	uint32_t *ret_count)
{
	struct wave w = { 0 };
	struct ready_entry *list;
	uint32_t count = 0;
	uint32_t rank;

	if (max > s->ready.count)
		max = s->ready.count;
	list = arena_array(mem, max, struct ready_entry);
	scope_trie_init(&w.taken);
	for (uint32_t from = 0;
		count < max && rankset_next(&s->ready, from, &rank);
		from = rank + 1) {
		uint32_t node = s->node_at[rank];

		list[count++] =
			(struct ready_entry){ node, wave_offer(s, &w, node) };
	}
	scope_trie_release(&w.taken);
	capacity_shares_release(&w.shares);
	*ret_count = count;
	return list;
}

const uint32_t *
ready_wave(const struct state *s, uint32_t max, struct arena *mem,
	uint32_t *ret_count)
{
	struct wave w = { 0 };
	uint32_t count = 0;
	uint32_t *wave;
	uint32_t rank;

	if (max > s->ready.count)
		max = s->ready.count;
	wave = arena_array(mem, max, uint32_t);
	scope_trie_init(&w.taken);
	for (uint32_t from = 0;
		count < max && rankset_next(&s->ready, from, &rank);
		from = rank + 1) {
		uint32_t node = s->node_at[rank];

		if (wave_offer(s, &w, node).hold == HOLD_NONE)
			wave[count++] = node;
	}
	scope_trie_release(&w.taken);
	capacity_shares_release(&w.shares);
	*ret_count = count;
	return wave;
}
