#include "model/ledger_rules.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/die.h"
#include "model/graph.h"

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

	for (uint32_t i = 1; i < n->history_count; i++) {
		if (is_ledger_step(n->history[i - 1], n->history[i]))
			continue;
		x = find(j, LEDGER_UNKNOWN_STEP,
			(struct place){ node, STR("status_history"), i });
		if (x == NULL)
			continue;
		x->message = say(j, "no step leads from %s to %s",
			node_status_word(n->history[i - 1]).ptr,
			node_status_word(n->history[i]).ptr);
	}
}

static void
judge_history(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	uint32_t last = n->history_count - 1;
	struct ledger_finding *x;

	if (n->history_count == 0)
		return;
	if (n->history[0] != NODE_PENDING &&
		(x = find(j, LEDGER_HISTORY_START,
			 (struct place){ node, STR("status_history"), 0 }))) {
		x->message = say(j, "the history begins with %s, not PENDING",
			node_status_word(n->history[0]).ptr);
	}
	if (n->history[last] != n->status &&
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
judge_attempts(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_finding *x;
	uint32_t running = 0;

	for (uint32_t i = 0; i < n->history_count; i++)
		running += n->history[i] == NODE_RUNNING;
	if (n->attempt != running &&
		(x = find(j, LEDGER_ATTEMPT_COUNT,
			 in_node(node, STR("attempt"))))) {
		x->message = say(j,
			"attempt is %" PRIu32 ", the history has %" PRIu32
			" RUNNING",
			n->attempt, running);
		x->hint = say(j, "write %" PRIu32, running);
	}
	if (running < n->attempt)
		running = n->attempt;
	if (running > n->max_attempts &&
		(x = find(j, LEDGER_ATTEMPT_LIMIT,
			 in_node(node, STR("attempt"))))) {
		x->message = say(j,
			"%" PRIu32
			" attempts are over max_attempts of %" PRIu32,
			running, n->max_attempts);
		x->hint = STR("a node that needs more gets a repair node");
	}
}

/* The first that it depends on which is neither PASSED nor SKIPPED. */
static void
judge_dependencies(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	struct ledger_finding *x;

	for (uint32_t i = 0; i < n->depends_count; i++) {
		const struct ledger_node *on = &j->l->nodes[n->depends[i]];

		if (on->unsound || on->status == NODE_PASSED ||
			on->status == NODE_SKIPPED)
			continue;
		x = find(j, LEDGER_DEPENDENCY_OPEN,
			(struct place){ node, STR("depends_on"), i });
		if (x == NULL)
			return;
		x->message = say(j, "is %s while '" STR_FMT "' is %s",
			status_of(n), STR_ARG(on->id), status_of(on));
		x->hint = STR("what it depends on must be PASSED or SKIPPED "
			      "first");
		return;
	}
}

static void
judge_gates(struct judge *j, uint32_t node)
{
	const struct ledger_node *n = &j->l->nodes[node];
	bool goes = n->status == NODE_READY || n->status == NODE_RUNNING ||
		n->status == NODE_PASSED;
	struct ledger_finding *x;

	if (goes)
		judge_dependencies(j, node);
	if (goes && is_ledger_approval_open(n) &&
		(x = find(j, LEDGER_APPROVAL_OPEN,
			 in_node(node, STR("approval"))))) {
		x->message = say(j, "is %s, and its approval is %s (access %s)",
			status_of(n),
			ledger_approval_word((enum ledger_approval)n->approval)
				.ptr,
			plan_access_word((enum node_access)n->access));
		x->hint = STR("it is NEEDS_APPROVAL until a human grants it");
	}
	if (n->status == NODE_NEEDS_APPROVAL &&
		n->approval != LEDGER_REQUIRED &&
		(x = find(j, LEDGER_APPROVAL_WORD,
			 in_node(node, STR("approval"))))) {
		x->message = say(j,
			"is NEEDS_APPROVAL, and its approval is %s, not "
			"required",
			ledger_approval_word((enum ledger_approval)n->approval)
				.ptr);
	}
	if (n->status == NODE_PASSED && n->evidence_required &&
		n->evidence_count == 0 &&
		(x = find(j, LEDGER_EVIDENCE_MISSING,
			 in_node(node, STR("evidence"))))) {
		x->message = STR("is PASSED without the evidence it requires");
		x->hint = STR("name what shows it, or set it back to RUNNING");
	}
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
	for (uint32_t i = 0; i < l->count; i++)
		edges += l->nodes[i].depends_count;
	assert(edges < UINT32_MAX);
	at = die_alloc((size_t)l->count + 1, sizeof(*at));
	to = die_alloc(edges, sizeof(*to));
	edges = 0;
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		at[i] = (uint32_t)edges;
		for (uint32_t k = 0; k < n->depends_count; k++)
			to[edges++] = n->depends[k];
	}
	at[l->count] = (uint32_t)edges;
	g = (struct graph){ .count = l->count, .at = at, .to = to };
	(void)graph_cycles(&g, on_cycle, j);
	free(at);
	free(to);
}

/* A node that shows how the run stands: the first for which `is` holds. */
static struct str
example(const struct ledger *l, bool (*is)(const struct ledger *, uint32_t))
{
	for (uint32_t i = 0; i < l->count; i++) {
		if (is(l, i))
			return l->nodes[i].id;
	}
	return STR("");
}

static bool
can_move(const struct ledger *l, uint32_t node)
{
	const struct ledger_node *n = &l->nodes[node];

	return n->status == NODE_READY || n->status == NODE_RUNNING ||
		(n->status == NODE_PENDING && is_ledger_node_free(l, node) &&
			!is_ledger_approval_open(n));
}

static bool
is_blocked(const struct ledger *l, uint32_t node)
{
	return l->nodes[node].status == NODE_BLOCKED;
}

static void
judge_run(struct judge *j)
{
	enum run_status claimed = j->l->status;
	enum run_status earned = ledger_earned(j->l);
	const char *word = run_status_word(claimed).ptr;
	const char *right = run_status_word(earned).ptr;
	bool final = claimed != RUN_PLANNING && claimed != RUN_RUNNING;
	struct str mover = example(j->l, can_move);
	enum ledger_rule rule = LEDGER_RUN_UNEARNED;
	struct ledger_finding *x;

	if (claimed == earned || claimed == RUN_PLANNING ||
		(!final && earned == RUN_PLANNING))
		return;
	if (!final) {
		rule = LEDGER_RUN_UNCLAIMED;
	} else if (mover.len > 0) {
		rule = LEDGER_RUN_MOVES;
	} else if (claimed == RUN_BLOCKED && earned == RUN_NEEDS_APPROVAL &&
		example(j->l, is_blocked).len > 0) {
		rule = LEDGER_RUN_ORDER;
	}
	x = find(j, rule, in_node(NONE, STR("status")));
	if (x == NULL)
		return;
	if (rule == LEDGER_RUN_MOVES) {
		x->message =
			say(j, "the run is %s while '" STR_FMT "' can move",
				word, STR_ARG(mover));
	} else if (rule == LEDGER_RUN_UNCLAIMED) {
		x->message =
			say(j, "the run is %s; it has earned %s", word, right);
	} else {
		x->message =
			say(j, "the run is %s and has earned %s", word, right);
	}
	x->hint = say(j, "write \"%s\"", right);
}

void
ledger_judge(const struct ledger *l, struct ledger_findings *f)
{
	struct judge j = { .l = l, .f = f };
	bool whole = !l->unsound;

	for (uint32_t i = 0; i < l->count; i++) {
		if (l->nodes[i].unsound) {
			whole = false;
			continue;
		}
		judge_history(&j, i);
		judge_attempts(&j, i);
		judge_gates(&j, i);
	}
	judge_cycles(&j);
	if (whole)
		judge_run(&j);
	ledger_findings_sort(f);
	arena_reset(&j.mem);
}
