#include "model/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "model/budget_use.h"
#include "model/ready.h"
#include "model/waves.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): initialisers, not expressions */
#define WORD2(name, word) [name] = { word, sizeof(word) - 1 },
#define WORD3(name, word, who) [name] = { word, sizeof(word) - 1 },
#define WHO3(name, word, who) [name] = who,
/* NOLINTEND(bugprone-macro-parentheses) */
static const struct str node_words[] = { NODE_STATUS_MAP(WORD2) };
static const struct str run_words[] = { RUN_STATUS_MAP(WORD2) };
static const struct str attempt_words[] = { ATTEMPT_STATUS_MAP(WORD2) };
static const struct str block_words[] = { BLOCK_REASON_MAP(WORD3) };
static const char *const block_who[] = { BLOCK_REASON_MAP(WHO3) };

enum {
	BREAKER_ENDS = 3,   /* same cause in a row, over more than one node */
	BREAKER_ROW = 12,   /* of any causes, without a report between */
	BREAKER_PROBES = 3, /* that fail before it trips */
};

struct str
node_status_word(enum node_status s)
{
	return node_words[s];
}

struct str
run_status_word(enum run_status s)
{
	return run_words[s];
}

struct str
attempt_status_word(enum attempt_status s)
{
	return attempt_words[s];
}

struct str
block_reason_word(enum block_reason r)
{
	return block_words[r];
}

const char *
block_reason_who(enum block_reason r)
{
	return block_who[r];
}

enum block_reason
block_reason_from(struct str word)
{
	for (size_t i = BLOCK_NONE + 1; i < BLOCK_REASON_COUNT; i++) {
		if (str_eq(word, block_words[i]))
			return (enum block_reason)i;
	}
	return BLOCK_PREREQUISITE;
}

struct str
grade_word(enum grade g)
{
	static const struct str words[] = {
		[GRADE_NONE] = { "", 0 },
		[GRADE_PASS] = { "pass", 4 },
		[GRADE_FAIL] = { "fail", 4 },
		[GRADE_UNOBSERVED] = { "unobserved", 10 },
		[GRADE_BLOCKED] = { "blocked", 7 },
	};

	return words[g];
}

struct str
verdict_word(enum verdict v)
{
	static const struct str words[] = {
		[VERDICT_NONE] = { "", 0 },
		[VERDICT_PASS] = { "pass", 4 },
		[VERDICT_FAIL] = { "fail", 4 },
		[VERDICT_VOID] = { "void", 4 },
	};

	return words[v];
}

struct str
cleanup_status_word(enum cleanup_status s)
{
	static const struct str words[] = {
		[CLEANUP_PENDING] = { "pending", 7 },
		[CLEANUP_VERIFIED] = { "verified", 8 },
		[CLEANUP_FAILED] = { "failed", 6 },
		[CLEANUP_RETAINED] = { "retained", 8 },
		[CLEANUP_DONE] = { "done", 4 },
		[CLEANUP_UNVERIFIABLE] = { "unverifiable", 12 },
	};

	return words[s];
}

static const struct {
	struct str word;
	bool provable;
} cleanup_kinds[] = {
#define KIND_ROW(name, text, provable) \
	[name] = { { text, sizeof(text) - 1 }, provable },
	CLEANUP_KIND_MAP(KIND_ROW)
};

bool
cleanup_kind_from(struct str word, enum cleanup_kind *ret_kind)
{
	for (size_t i = 0; i < CLEANUP_KIND_COUNT; i++) {
		if (str_eq(word, cleanup_kinds[i].word)) {
			*ret_kind = (enum cleanup_kind)i;
			return true;
		}
	}
	return false;
}

bool
is_cleanup_provable(enum cleanup_kind kind)
{
	return cleanup_kinds[kind].provable;
}

bool
is_cleanup_settled(const struct cleanup *c)
{
	return c->status == CLEANUP_VERIFIED || c->status == CLEANUP_RETAINED ||
		c->status == CLEANUP_DONE;
}

struct str
placement_word(enum placement p)
{
	return p == PLACEMENT_WORKTREE ? STR("worktree") : STR("in_place");
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
	history_entries_release(&s->history);
	node_numbers_release(&s->due);
	node_numbers_release(&s->retained);
	arena_reset(&s->mem);
	*s = (struct state){ 0 };
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
			: s->findings_blocking > 0 || s->findings_carried > 0
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
	return a->host && a->status != ATTEMPT_RESERVED && a->monitor.pid == 0;
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

bool
grade_from(struct str word, enum grade *ret_grade)
{
	for (enum grade g = GRADE_PASS; g <= GRADE_BLOCKED; g++) {
		if (str_eq(word, grade_word(g))) {
			*ret_grade = g;
			return true;
		}
	}
	return false;
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
is_node_asking(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];

	return n->status == NODE_NEEDS_APPROVAL && n->questions > 0 &&
		(n->gate_1 == 0 ||
			s->gates.items[n->gate_1 - 1].status != GATE_OPEN);
}

struct str
state_ask_id(uint32_t ask, struct arena *mem)
{
	return arena_format(mem, "q%u", ask + 1);
}

struct str
ask_status_word(enum ask_status status)
{
	static const struct str words[] = {
		[ASK_OPEN] = { "open", 4 },
		[ASK_ANSWERED] = { "answered", 8 },
		[ASK_STALE] = { "stale", 5 },
	};

	return words[status];
}

struct str
ask_kind_word(enum ask_kind kind)
{
	return kind == ASK_ACT ? STR("act") : STR("question");
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
