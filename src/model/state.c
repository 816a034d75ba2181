#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "model/agent_profile.h"
#include "model/budget_use.h"
#include "model/ready.h"
#include "model/waves.h"

enum {
	BREAKER_ENDS = 3,   /* same cause in a row, over more than one node */
	BREAKER_ROW = 12,   /* of any causes, without a report between */
	BREAKER_PROBES = 3, /* that fail before it trips */
};

bool
is_cleanup_settled(const struct cleanup *c)
{
	return c->status == CLEANUP_VERIFIED || c->status == CLEANUP_RETAINED ||
		c->status == CLEANUP_DONE;
}

static void
ranks_init(struct state *s, const struct plan *plan)
{
	s->rank_of = die_alloc(plan->count, sizeof(*s->rank_of));
	s->node_at = die_alloc(plan->count, sizeof(*s->node_at));
	waves_rank(plan, s->node_at);
	for (uint32_t i = 0; i < plan->count; i++)
		s->rank_of[s->node_at[i]] = i;
}

void
state_init(struct state *s, const struct plan *plan)
{
	*s = (struct state){ .plan = plan };
	s->nodes = die_alloc(plan->count, sizeof(*s->nodes));
	memset(s->nodes, 0, plan->count * sizeof(*s->nodes));
	for (uint32_t i = 0; i < plan->count; i++) {
		s->nodes[i].waiting = plan->nodes[i].depends_count;
		s->nodes[i].history_count = 1; /* PENDING is 0 */
	}
	s->by_status[NODE_PENDING] = plan->count;
	ranks_init(s, plan);
	rankset_init(&s->ready, plan->count);
	scope_trie_init(&s->active);
}

void
state_release(struct state *s)
{
	free(s->nodes);
	free(s->rank_of);
	free(s->node_at);
	rankset_release(&s->ready);
	scope_trie_release(&s->active);
	attempts_release(&s->attempts);
	checks_release(&s->checks);
	gates_release(&s->gates);
	asks_release(&s->asks);
	delegations_release(&s->delegations);
	cleanups_release(&s->cleanups);
	blocks_release(&s->blocks);
	rework_findings_release(&s->findings);
	rework_decisions_release(&s->decisions);
	amendments_release(&s->amendments);
	attempt_commands_release(&s->commands);
	history_entries_release(&s->history);
	node_numbers_release(&s->due);
	node_numbers_release(&s->retained);
	coordinators_release(&s->coordinators);
	arena_reset(&s->mem);
	*s = (struct state){ 0 };
}

bool
state_has_coordinated(const struct state *s, struct str name)
{
	const struct coordinator *c;

	VEC_EACH (c, &s->coordinators) {
		if (str_eq(c->name, name))
			return true;
	}
	return false;
}

bool
is_breaker_open(const struct state *s)
{
	return (s->breaker.count >= BREAKER_ENDS && s->breaker.several) ||
		s->breaker.row >= BREAKER_ROW;
}

bool
is_breaker_tripped(const struct state *s)
{
	return is_breaker_open(s) && s->breaker.probes >= BREAKER_PROBES;
}

bool
is_run_closed(const struct state *s)
{
	return s->outcome.len > 0;
}

/* How many live attempts, and READY nodes, only wait for an answer or for the
 * end of a delegation. */
static void
held_count(const struct state *s, uint32_t *ret_attempts, uint32_t *ret_ready)
{
	*ret_attempts = *ret_ready = 0;
	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		const struct ask *q = &s->asks.items[i];
		const struct attempt *a = state_live(s, q->node);
		uint32_t first;

		/* A node counts once, with the first of its questions. */
		if (q->status != ASK_OPEN ||
			!state_open_ask(s, q->node, &first) || first != i)
			continue;
		*ret_attempts += a != NULL && is_attempt_held(s, a);
		*ret_ready +=
			a == NULL && s->nodes[q->node].status == NODE_READY;
	}
	for (uint32_t i = 0;
		s->delegations_open > 0 && i < s->delegations.count; i++) {
		uint32_t parent = s->delegations.items[i].attempt;
		const struct attempt *a = &s->attempts.items[parent];
		uint32_t first;

		*ret_attempts += s->nodes[a->node].questions == 0 &&
			is_attempt_held(s, a) &&
			state_open_delegation(s, a->node, &first) && first == i;
	}
}

/* May one of the nodes that are READY start, as far as these are concerned? */
static bool
has_startable(const struct state *s)
{
	uint32_t node;

	return s->delegations_left == 0 || ready_first(s, &node);
}

bool
is_surplus(const struct state *s, uint32_t node)
{
	size_t from = 0, to = s->retained.count;

	if (!s->reduced)
		return false;
	while (from < to) {
		size_t middle = from + (to - from) / 2;

		if (s->retained.items[middle] == node)
			return false;
		if (s->retained.items[middle] < node)
			from = middle + 1;
		else
			to = middle;
	}
	return true;
}

enum run_status
state_run_status(const struct state *s)
{
	const uint32_t *by = s->by_status;
	uint32_t done = by[NODE_PASSED] + by[NODE_SKIPPED];
	uint32_t held_attempts, held_ready;
	uint32_t limit;

	if (s->lines_started == 0)
		return RUN_PLANNING;
	held_count(s, &held_attempts, &held_ready);
	if (!is_run_closed(s) &&
		(s->live_attempts > held_attempts ||
			(by[NODE_READY] > held_ready &&
				!is_breaker_tripped(s) &&
				!budget_holds(s, STR(""), &limit) &&
				has_startable(s))))
		return RUN_RUNNING;
	if (!is_run_closed(s) && (s->asks_open > 0 || s->delegations_open > 0))
		return RUN_NEEDS_APPROVAL;
	if (done == s->plan->count && by[NODE_PASSED] > 0) {
		return s->cleanups_open > 0 || s->unreconciled > 0 ? RUN_RUNNING
			: s->findings_blocking > 0 || s->findings_carried > 0 ||
				(is_run_closed(s) &&
					!str_eq(s->outcome, STR("pass")))
			? RUN_BLOCKED
			: RUN_COMPLETE;
	}
	if (by[NODE_NEEDS_APPROVAL] > 0)
		return RUN_NEEDS_APPROVAL;
	if (by[NODE_FAILED] > 0)
		return RUN_FAILED;
	return RUN_BLOCKED;
}

bool
is_attempt_live(const struct attempt *a)
{
	return a->status < ATTEMPT_SETTLED;
}

bool
is_ended_without_verdict(const struct attempt *a)
{
	switch ((enum attempt_status)a->status) {
	case ATTEMPT_INTERRUPTED:
	case ATTEMPT_LOST:
	case ATTEMPT_QUARANTINED:
	case ATTEMPT_WORKSPACE_LOST:
		return true;
	case ATTEMPT_ABANDONED:
		return a->at_started.len > 0;
	case ATTEMPT_RESERVED:
	case ATTEMPT_STARTED:
	case ATTEMPT_REPORTED:
	case ATTEMPT_CHECKED:
	case ATTEMPT_INTEGRATED:
	case ATTEMPT_SETTLED:
	case ATTEMPT_REJECTED:
	case ATTEMPT_START_FAILED:
	case ATTEMPT_INTEGRATION_FAILED:
	case ATTEMPT_STATUS_COUNT:
		break;
	}
	return false;
}

bool
is_attempt_unmonitored(const struct attempt *a)
{
	return a->status != ATTEMPT_RESERVED && a->monitor.pid == 0 &&
		a->refs.len == 0;
}

bool
is_attempt_afar(const struct attempt *a)
{
	return a->refs.len > 0;
}

const struct attempt *
state_last_attempt(const struct state *s, uint32_t node)
{
	uint32_t index_1 = s->nodes[node].attempt_1;

	return index_1 ? &s->attempts.items[index_1 - 1] : NULL;
}

const struct attempt *
state_live(const struct state *s, uint32_t node)
{
	const struct attempt *a = state_last_attempt(s, node);

	return a != NULL && is_attempt_live(a) ? a : NULL;
}

static bool
is_running(const struct state *s, uint32_t check_1)
{
	return check_1 != 0 &&
		s->checks.items[check_1 - 1].verdict == VERDICT_NONE;
}

const struct check *
state_running_check(const struct state *s, const struct attempt *a)
{
	uint32_t check_1 = is_running(s, a->red_1) ? a->red_1 : a->check_1;

	return is_running(s, check_1) ? &s->checks.items[check_1 - 1] : NULL;
}

bool
is_red_wanted(const struct state *s, uint32_t node)
{
	return s->plan->nodes[node].red && s->nodes[node].red == VERDICT_NONE;
}

bool
is_ask_answered(const struct ask *q)
{
	return q->status == ASK_ANSWERED || q->status == ASK_DENIED;
}

bool
state_open_ask(const struct state *s, uint32_t node, uint32_t *ret_index)
{
	for (uint32_t i = 0; s->nodes[node].questions > 0 && i < s->asks.count;
		i++) {
		if (s->asks.items[i].node == node &&
			s->asks.items[i].status == ASK_OPEN) {
			*ret_index = i;
			return true;
		}
	}
	return false;
}

bool
is_attempt_checking(const struct state *s, const struct attempt *a)
{
	return state_running_check(s, a) != NULL;
}

bool
is_attempt_held(const struct state *s, const struct attempt *a)
{
	return a->status >= ATTEMPT_REPORTED && is_attempt_live(a) &&
		(s->nodes[a->node].questions > 0 ||
			s->nodes[a->node].delegations > 0) &&
		a->cause.len == 0 && a->verdict != VERDICT_FAIL &&
		!is_attempt_checking(s, a);
}

bool
is_attempt_asking(const struct state *s, uint32_t attempt)
{
	for (uint32_t i = 0; s->asks_open > 0 && i < s->asks.count; i++) {
		if (s->asks.items[i].attempt_1 == attempt + 1 &&
			s->asks.items[i].status == ASK_OPEN)
			return true;
	}
	return false;
}

bool
is_node_asking(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];

	return n->status == NODE_NEEDS_APPROVAL && n->questions > 0 &&
		(n->gate_1 == 0 ||
			s->gates.items[n->gate_1 - 1].status != GATE_OPEN);
}

const uint8_t *
state_history(const struct state *s, uint32_t node, struct arena *mem,
	uint32_t *ret_count)
{
	const struct node_state *n = &s->nodes[node];
	const struct history_entry *h;
	uint32_t count = n->history_count;
	uint8_t *all;

	*ret_count = count;
	if (count < HISTORY_INLINE)
		return n->history;
	all = arena_array(mem, HISTORY_INLINE + s->history.count, uint8_t);
	memcpy(all, n->history, HISTORY_INLINE);
	VEC_EACH (h, &s->history) {
		if (h->node == node)
			all[count++] = h->status;
	}
	*ret_count = count;
	return all;
}

struct str
state_block_message(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];

	if (n->status != NODE_BLOCKED || n->block_1 == 0)
		return (struct str){ "", 0 };
	return s->blocks.items[n->block_1 - 1].message;
}

bool
is_approved(const struct state *s, uint32_t node)
{
	uint32_t gate_1 = s->nodes[node].gate_1;

	return gate_1 != 0 && s->gates.items[gate_1 - 1].status == GATE_GRANTED;
}

struct str
state_agent(const struct state *s, uint32_t attempt)
{
	struct str profile = s->attempts.items[attempt].profile;

	return s->run.agents_sha256.len > 0 && is_agent_name(profile) ? profile
								      : STR("");
}
