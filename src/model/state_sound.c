#include "model/state_sound.h"

/* What a node points to is there, and is its own. */
static bool
node_indexes_hold(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];

	return n->waiting <= s->plan->nodes[node].depends_count &&
		n->attempt_1 <= s->attempts.count &&
		n->gate_1 <= s->gates.count && n->block_1 <= s->blocks.count &&
		((n->status != NODE_RUNNING && n->status != NODE_FAILED) ||
			n->attempt_1 != 0) &&
		(n->attempt_1 == 0 ||
			s->attempts.items[n->attempt_1 - 1].node == node) &&
		(n->gate_1 == 0 ||
			s->gates.items[n->gate_1 - 1].node == node) &&
		(n->status != NODE_NEEDS_APPROVAL || n->gate_1 != 0 ||
			s->asks.count > 0) &&
		n->amendment_1 <= s->amendments.count &&
		(n->amendment_1 == 0 ||
			s->amendments.items[n->amendment_1 - 1].node == node) &&
		(n->block_1 == 0 ||
			s->blocks.items[n->block_1 - 1].node == node);
}

static bool
rework_holds(const struct state *s)
{
	const struct rework_finding *f;
	const struct rework_decision *d;
	const struct attempt_command *c;
	const struct amendment *m;

	VEC_EACH (c, &s->commands) {
		if (c->attempt >= s->attempts.count || c->argv.count == 0)
			return false;
	}
	VEC_EACH (m, &s->amendments) {
		if (m->node >= s->plan->count || m->revision < 2)
			return false;
	}
	VEC_EACH (f, &s->findings) {
		if (f->attempt >= s->attempts.count ||
			f->class >= FINDING_CLASS_COUNT)
			return false;
	}
	VEC_EACH (d, &s->decisions) {
		if (d->node >= s->plan->count ||
			d->attempt_1 > s->attempts.count ||
			d->action >= REWORK_ACTION_COUNT ||
			d->ask_1 > s->asks.count)
			return false;
	}
	return true;
}

/* No check, or one of the attempt's. */
static bool
is_check_of(const struct state *s, uint32_t check_1, const struct attempt *a)
{
	return check_1 == 0 ||
		(check_1 <= s->checks.count &&
			s->checks.items[check_1 - 1].attempt ==
				(size_t)(a - s->attempts.items));
}

bool
is_state_sound(const struct state *s)
{
	const struct attempt *a;
	const struct check *c;
	const struct gate *g;
	const struct ask *q;
	const struct cleanup *k;
	const struct block *b;
	const struct history_entry *h;

	for (uint32_t i = 0; i < s->plan->count; i++) {
		if (!node_indexes_hold(s, i))
			return false;
	}
	VEC_EACH (a, &s->attempts) {
		if (a->node >= s->plan->count ||
			a->status >= ATTEMPT_STATUS_COUNT ||
			a->placement > PLACEMENT_WORKTREE ||
			a->verdict > VERDICT_VOID ||
			a->checks > s->checks.count || a->voids > a->checks ||
			!is_check_of(s, a->check_1, a) ||
			!is_check_of(s, a->red_1, a))
			return false;
	}
	VEC_EACH (c, &s->checks) {
		if (c->attempt >= s->attempts.count ||
			c->verdict > VERDICT_VOID)
			return false;
	}
	VEC_EACH (g, &s->gates) {
		if (g->node >= s->plan->count || g->status > GATE_STALE)
			return false;
	}
	VEC_EACH (q, &s->asks) {
		if (q->node >= s->plan->count || q->status > ASK_DENIED ||
			q->kind > ASK_ACT || q->attempt_1 > s->attempts.count)
			return false;
	}
	if (!is_delegations_sound(s))
		return false;
	VEC_EACH (k, &s->cleanups) {
		if (k->attempt >= s->attempts.count ||
			k->status > CLEANUP_UNVERIFIABLE)
			return false;
	}
	VEC_EACH (b, &s->blocks) {
		if (b->node >= s->plan->count)
			return false;
	}
	if (!rework_holds(s))
		return false;
	VEC_EACH (h, &s->history) {
		if (h->node >= s->plan->count || h->status >= NODE_STATUS_COUNT)
			return false;
	}
	return true;
}
