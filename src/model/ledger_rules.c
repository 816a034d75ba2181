#include "model/ledger_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/graph.h"
#include "model/ledger_earned.h"
#include "model/ledger_fact.h"

#define NONE UINT32_MAX

/* A member of a node or, with a node of NONE, the run's status. */
struct place {
	uint32_t node;
	struct str field;
	uint32_t index; /* of an element in it; or NONE */
};

struct judge {
	const struct ledger *l;
	struct ledger_findings *f;
	/* The object that was looked at last, read once more for its places. */
	struct arena mem;
	const struct json *object;
	uint32_t node;
};

/* Of the object's value under a name; of its start when it has none. */
static uint32_t
member_at(const struct json *object, struct place p)
{
	const struct json *v = json_get(object, p.field);

	if (v == NULL)
		return object->at;
	if (p.index == NONE || v->kind != JSON_ARRAY || p.index >= v->count)
		return v->at;
	v++;
	for (uint32_t i = 0; i < p.index; i++)
		v += v->span;
	return v->at;
}

static uint32_t
place_at(struct judge *j, struct place p)
{
	struct pawl_err err;
	enum pawl_rc rc;

	if (j->f->text.len == 0)
		return 0;
	if (p.node == NONE)
		return j->l->status_at;
	if (j->object == NULL || j->node != p.node) {
		arena_reset(&j->mem);
		j->node = p.node;
		rc = json_read_again(&j->mem, j->f->text,
			j->l->nodes[p.node].at,
			JSON_KEEP_DUPLICATES | JSON_KEEP_NUL, &j->object, &err);
		assert(rc == PAWL_OK);
	}
	return member_at(j->object, p);
}

static struct str
pointer_to(struct arena *mem, struct place p)
{
	struct buf b = { 0 };
	struct str pointer;

	if (p.node != NONE)
		buf_addf(&b, "/nodes/%" PRIu32, p.node);
	if (p.field.len > 0)
		buf_addf(&b, "/" STR_FMT, STR_ARG(p.field));
	if (p.index != NONE)
		buf_addf(&b, "/%" PRIu32, p.index);
	pointer = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return pointer;
}

/* The finding, but for its message; NULL when it isn't kept. */
static struct ledger_finding *
find(struct judge *j, enum ledger_rule rule, struct place p)
{
	struct ledger_finding *x;

	if (!ledger_findings_want(j->f, rule))
		return NULL;
	x = ledger_findings_add(j->f, rule, place_at(j, p));
	x->pointer = pointer_to(&j->f->mem, p);
	if (p.node != NONE)
		x->node = arena_copy(&j->f->mem, j->l->nodes[p.node].id);
	return x;
}

static struct str say(struct judge *j, const char *fmt, ...) PAWL_PRINTF(2, 3);

static struct str
say(struct judge *j, const char *fmt, ...)
{
	struct buf b = { 0 };
	struct str text;
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	text = arena_copy(&j->f->mem, buf_str(&b));
	buf_release(&b);
	return text;
}

static struct place
in_node(uint32_t node, struct str field)
{
	return (struct place){ node, field, NONE };
}

static const char *
status_of(const struct ledger_node *n)
{
	return node_status_word(n->status).ptr;
}

static void
judge_steps(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_finding *x;
	uint32_t last = NONE; /* of those that are known */

	for (uint32_t i = 0; i < n->history_count; i++) {
		uint32_t from = last;

		if (n->history[i] == LEDGER_NO_STATUS)
			continue;
		last = i;
		if (from == NONE ||
			is_ledger_step(n->history[from], n->history[i]) ||
			is_ledger_way(
				n->history[from], n->history[i], i - from - 1))
			continue;
		x = find(j, LEDGER_UNKNOWN_STEP,
			(struct place){ node, STR("status_history"), i });
		if (x == NULL)
			continue;
		x->message = say(j, "no step%s from %s to %s%s",
			i - from > 1 ? "s lead" : " leads",
			node_status_word(n->history[from]).ptr,
			node_status_word(n->history[i]).ptr,
			i - from > 1 ? ", whatever stands between" : "");
	}
}

/* Whether a status that a document gives is another one than is wanted. */
static bool
is_other(uint8_t status, uint8_t wanted)
{
	return status != wanted && status != LEDGER_NO_STATUS;
}

static void
judge_history(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	uint32_t last = n->history_count - 1;
	struct ledger_finding *x;

	if (n->history_count == 0)
		return;
	if (is_other(n->history[0], NODE_PENDING) &&
		(x = find(j, LEDGER_HISTORY_START,
			 (struct place){ node, STR("status_history"), 0 }))) {
		x->message = say(j, "the history begins with %s, not PENDING",
			node_status_word(n->history[0]).ptr);
	}
	if (is_other(n->history[last], n->status) &&
		!is_ledger_broken(n, LEDGER_FIELD_STATUS) &&
		(x = find(j, LEDGER_HISTORY_END,
			 (struct place){
				 node, STR("status_history"), last }))) {
		x->message = say(j, "the history ends with %s, the node is %s",
			node_status_word(n->history[last]).ptr, status_of(n));
		x->hint = say(j,
			"append \"%s\" to the history, or set the status back",
			status_of(n));
	}
	judge_steps(j, node);
}

static void
judge_attempt_count(struct judge *j, uint32_t node, struct ledger_starts s)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_finding *x;

	if (n->attempt >= s.least && n->attempt <= s.most)
		return;
	x = find(j, LEDGER_ATTEMPT_COUNT, in_node(node, STR("attempt")));
	if (x == NULL)
		return;
	if (s.least < s.most) {
		x->message = say(j,
			"attempt is %" PRIu32 ", the history has %" PRIu32
			" to %" PRIu32 " RUNNING",
			n->attempt, s.least, s.most);
		return;
	}
	x->message = say(j,
		"attempt is %" PRIu32 ", the history has %" PRIu32 " RUNNING",
		n->attempt, s.least);
	x->hint = say(j, "write %" PRIu32, s.least);
}

static void
judge_attempt_limit(struct judge *j, uint32_t node, uint32_t attempts)
{
	const struct ledger_node *n = &j->l->nodes[node];
	bool known = !is_ledger_broken(n, LEDGER_FIELD_MAX_ATTEMPTS);
	uint32_t max = known ? n->max_attempts : BOUND_LEDGER_ATTEMPTS;
	struct ledger_finding *x;

	if (attempts <= max)
		return;
	x = find(j, LEDGER_ATTEMPT_LIMIT, in_node(node, STR("attempt")));
	if (x == NULL)
		return;
	x->message = say(j, "%" PRIu32 " attempts are over %s of %" PRIu32,
		attempts, known ? "max_attempts" : "the largest max_attempts",
		max);
	x->hint = STR("a node that needs more gets a repair node");
}

static void
judge_attempts(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_starts s = ledger_node_starts(n);
	uint32_t attempts = s.least;

	if (!is_ledger_broken(n, LEDGER_FIELD_ATTEMPT)) {
		judge_attempt_count(j, node, s);
		if (attempts < n->attempt)
			attempts = n->attempt;
	}
	judge_attempt_limit(j, node, attempts);
}

/* The first that it depends on which is neither PASSED nor SKIPPED. */
static void
judge_dependencies(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	const struct ledger_node *on;
	struct ledger_finding *x;
	uint32_t i = 0;

	while (i < n->depends_count &&
		ledger_dependency_done(j->l, n, i) != LEDGER_NO)
		i++;
	if (i == n->depends_count)
		return;
	x = find(j, LEDGER_DEPENDENCY_OPEN,
		(struct place){ node, STR("depends_on"), i });
	if (x == NULL)
		return;
	on = &j->l->nodes[n->depends[i]];
	x->message = say(j, "is %s while '" STR_FMT "' is %s", status_of(n),
		STR_ARG(on->id), status_of(on));
	x->hint = STR("what it depends on must be PASSED or SKIPPED first");
}

static void
judge_approval(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	bool known = !is_ledger_broken(n, LEDGER_FIELD_ACCESS);
	struct ledger_finding *x;

	if (ledger_node_open(n) != LEDGER_YES)
		return;
	x = find(j, LEDGER_APPROVAL_OPEN, in_node(node, STR("approval")));
	if (x == NULL)
		return;
	x->message = say(j, "is %s, and its approval is %s%s%s%s", status_of(n),
		ledger_approval_word((enum ledger_approval)n->approval).ptr,
		known ? " (access " : "",
		known ? plan_access_word((enum node_access)n->access) : "",
		known ? ")" : "");
	x->hint = STR("it is NEEDS_APPROVAL until a human grants it");
}

static void
judge_approval_word(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_finding *x;

	if (is_ledger_broken(n, LEDGER_FIELD_APPROVAL) ||
		n->approval == LEDGER_REQUIRED)
		return;
	x = find(j, LEDGER_APPROVAL_WORD, in_node(node, STR("approval")));
	if (x == NULL)
		return;
	x->message = say(j,
		"is NEEDS_APPROVAL, and its approval is %s, not required",
		ledger_approval_word((enum ledger_approval)n->approval).ptr);
}

static void
judge_evidence(struct judge *j, uint32_t node)
{
	struct ledger_finding *x;

	if (ledger_node_proven(&j->l->nodes[node]) != LEDGER_NO)
		return;
	x = find(j, LEDGER_EVIDENCE_MISSING, in_node(node, STR("evidence")));
	if (x == NULL)
		return;
	x->message = STR("is PASSED without the evidence it requires");
	x->hint = STR("name what shows it, or set it back to RUNNING");
}

/* What a status wants of the other fields; it must be known itself. */
static void
judge_gates(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];

	if (n->status == NODE_READY || n->status == NODE_RUNNING ||
		n->status == NODE_PASSED) {
		judge_dependencies(j, node);
		judge_approval(j, node);
	}
	if (n->status == NODE_NEEDS_APPROVAL)
		judge_approval_word(j, node);
	if (n->status == NODE_PASSED)
		judge_evidence(j, node);
}

/* The nodes of one cycle, whole, back to the first. */
static void
on_cycle(void *arg, const uint32_t *path, uint32_t count)
{
	struct judge *j = arg;
	const struct ledger_node *n = &j->l->nodes[path[0]];
	struct ledger_finding *x;
	struct buf b = { 0 };
	uint32_t next = path[count > 1 ? 1 : 0];
	uint32_t i = 0;

	while (i < n->depends_count && n->depends[i] != next)
		i++;
	x = find(j, LEDGER_CYCLE,
		(struct place){ path[0], STR("depends_on"), i });
	if (x == NULL)
		return;
	buf_add(&b, STR("depends on itself: "));
	for (i = 0; i < count; i++) {
		buf_add(&b, j->l->nodes[path[i]].id);
		buf_add(&b, STR(" -> "));
	}
	buf_add(&b, n->id);
	x->message = arena_copy(&j->f->mem, buf_str(&b));
	x->hint = STR("take one of these dependencies out");
	buf_release(&b);
}

/*
 * Whether an edge is one of the graph whose cycles are looked for: to a node
 * that is known, and not to itself, which is a cycle that needs no search.
 */
static bool
is_edge(const struct ledger *l, uint32_t from, uint32_t to)
{
	return to != LEDGER_NO_NODE && to != from &&
		!is_ledger_broken(&l->nodes[to], LEDGER_FIELD_ID);
}

static void
judge_loops(struct judge *j)
{
	for (uint32_t i = 0; i < j->l->count; i++) {
		const struct ledger_node *n = &j->l->nodes[i];
		const uint32_t path[] = { i, i };
		bool loops = false;

		for (uint32_t k = 0; k < n->depends_count && !loops; k++)
			loops = n->depends[k] == i &&
				!is_ledger_broken(n, LEDGER_FIELD_ID);
		if (loops)
			on_cycle(j, path, 1);
	}
}

/* Most documents name what a node depends on before it: no cycle then. */
static bool
is_in_order(const struct ledger *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (n->depends[k] >= i)
				return false;
		}
	}
	return true;
}

static void
judge_cycles(struct judge *j)
{
	const struct ledger *l = j->l;
	size_t edges = 0;
	uint32_t *at, *to;
	struct graph g;

	if (is_in_order(l))
		return;
	judge_loops(j);
	for (uint32_t i = 0; i < l->count; i++)
		edges += l->nodes[i].depends_count;
	assert(edges < UINT32_MAX);
	at = die_alloc((size_t)l->count + 1, sizeof(*at));
	to = die_alloc(edges, sizeof(*to));
	edges = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		at[i] = (uint32_t)edges;
		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (is_edge(l, i, n->depends[k]))
				to[edges++] = n->depends[k];
		}
	}
	at[l->count] = (uint32_t)edges;
	g = (struct graph){ .count = l->count, .at = at, .to = to };
	(void)graph_cycles(&g, on_cycle, j);
	free(at);
	free(to);
}

/* The first node that can certainly move: its number, or NONE. */
static uint32_t
first_mover(const struct ledger *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (can_ledger_node_move(l, i))
			return i;
	}
	return NONE;
}

/* Its id; or, when it has none, its place. */
static struct str
name_of(struct judge *j, uint32_t node)
{
	struct str id = j->l->nodes[node].id;

	return id.len > 0 ? id : say(j, "/nodes/%" PRIu32, node);
}

/* The statuses of a set, in words: "FAILED or BLOCKED". */
static struct str
words_of(struct judge *j, unsigned set)
{
	struct buf b = { 0 };
	struct str words;

	for (int s = 0; s < RUN_STATUS_COUNT; s++) {
		if (!(set >> s & 1))
			continue;
		if (b.len > 0)
			buf_add(&b, STR(" or "));
		buf_add(&b, run_status_word((enum run_status)s));
	}
	words = arena_copy(&j->f->mem, buf_str(&b));
	buf_release(&b);
	return words;
}

#define EARNED(status) (1u << RUN_##status)

/*
 * The rule that a final claim breaks when it is in none of the sets of what may
 * be earned, or LEDGER_RULE_COUNT when it may be a note or a violation.
 */
static enum ledger_rule
rule_of_claim(const struct ledger *l, unsigned earned, uint32_t mover)
{
	if (mover != NONE)
		return LEDGER_RUN_MOVES;
	if (l->status != RUN_BLOCKED || !(earned & EARNED(NEEDS_APPROVAL)) ||
		!may_ledger_wait_and_block(l))
		return LEDGER_RUN_UNEARNED;
	if (earned == EARNED(NEEDS_APPROVAL) && has_ledger_blocked(l))
		return LEDGER_RUN_ORDER;
	return LEDGER_RULE_COUNT;
}

static void
judge_run(struct judge *j)
{
	const struct ledger *l = j->l;
	enum run_status claimed = l->status;
	const char *word = run_status_word(claimed).ptr;
	unsigned earned = ledger_may_earn(l);
	enum ledger_rule rule = LEDGER_RUN_UNCLAIMED;
	uint32_t mover = NONE;
	struct str right;
	struct ledger_finding *x;

	if (claimed == RUN_PLANNING || (earned >> claimed & 1) != 0)
		return;
	if (claimed != RUN_RUNNING) {
		mover = first_mover(l);
		rule = rule_of_claim(l, earned, mover);
	} else if (earned & EARNED(PLANNING)) {
		return;
	}
	x = rule == LEDGER_RULE_COUNT
		? NULL
		: find(j, rule, in_node(NONE, STR("status")));
	if (x == NULL)
		return;
	right = words_of(j, earned);
	if (rule == LEDGER_RUN_MOVES) {
		x->message =
			say(j, "the run is %s while '" STR_FMT "' can move",
				word, STR_ARG(name_of(j, mover)));
	} else {
		x->message = say(j, "the run is %s%s has earned " STR_FMT, word,
			rule == LEDGER_RUN_UNCLAIMED ? "; it" : " and",
			STR_ARG(right));
	}
	if ((earned & (earned - 1)) == 0)
		x->hint = say(j, "write \"" STR_FMT "\"", STR_ARG(right));
}

void
ledger_judge(const struct ledger *l, struct ledger_findings *f)
{
	struct judge j = { .l = l, .f = f };

	for (uint32_t i = 0; i < l->count; i++) {
		judge_history(&j, i);
		judge_attempts(&j, i);
		if (!is_ledger_broken(&l->nodes[i], LEDGER_FIELD_STATUS))
			judge_gates(&j, i);
	}
	judge_cycles(&j);
	if (!l->status_broken && !l->nodes_broken)
		judge_run(&j);
	ledger_findings_sort(f);
	arena_reset(&j.mem);
}
