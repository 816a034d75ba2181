#include "model/ledger_export.h"

#include <string.h>

#include "base/bounds.h"
#include "model/contract.h"
#include "model/ledger_earned.h"
#include "text/utf8.h"

struct exporter {
	const struct state *s;
	struct ledger *l;
	uint32_t *split; /* starts up to the one that was rejected; 0: none */
	uint32_t *later_at; /* of a node in `later`; one more than nodes */
	uint8_t *later;     /* statuses that nodes have no room for */
	struct arena scratch;
};

/* One line without control characters; `otherwise` when nothing is left. */
static struct str
line_of(struct exporter *x, struct str text, struct str otherwise)
{
	struct buf b = { 0 };

	if (utf8_fold(&b, text))
		text = arena_copy(&x->l->mem, str_trim(buf_str(&b)));
	buf_release(&b);
	return str_trim(text).len > 0 ? text : otherwise;
}

static struct str
lower(struct exporter *x, struct str id)
{
	char *copy;
	size_t at = 0;

	while (at < id.len && (id.ptr[at] < 'A' || id.ptr[at] > 'Z'))
		at++;
	if (at == id.len)
		return id;
	copy = arena_bytes(&x->l->mem, id.len);
	for (at = 0; at < id.len; at++) {
		bool upper = id.ptr[at] >= 'A' && id.ptr[at] <= 'Z';

		copy[at] = (char)(upper ? id.ptr[at] | 0x20 : id.ptr[at]);
	}
	return (struct str){ copy, id.len };
}

static bool
has_started(const struct attempt *a)
{
	return a->at_started.len > 0;
}

/* Find where the nodes that are or were repaired went wrong. */
static void
splits_find(struct exporter *x)
{
	const struct state *s = x->s;
	uint32_t *starts = arena_array(&x->scratch, s->plan->count, uint32_t);
	const struct attempt *a;

	x->split = arena_array(&x->scratch, s->plan->count, uint32_t);
	VEC_EACH (a, &s->attempts) {
		starts[a->node] += has_started(a);
		if (a->status == ATTEMPT_REJECTED && x->split[a->node] == 0 &&
			s->nodes[a->node].rejects > 0)
			x->split[a->node] = starts[a->node];
	}
}

/* Sort what the nodes had no room for by node. */
static void
later_sort(struct exporter *x)
{
	const struct history_entries *all = &x->s->history;
	uint32_t count = x->s->plan->count;
	const struct history_entry *h;
	uint32_t *next = arena_array(&x->scratch, count, uint32_t);

	x->later_at = arena_array(&x->scratch, count + 1, uint32_t);
	x->later = arena_array(&x->scratch, all->count, uint8_t);
	VEC_EACH (h, all)
		x->later_at[h->node + 1]++;
	for (uint32_t i = 0; i < count; i++) {
		x->later_at[i + 1] += x->later_at[i];
		next[i] = x->later_at[i];
	}
	VEC_EACH (h, all)
		x->later[next[h->node]++] = h->status;
}

static void
history_of(struct exporter *x, uint32_t node, struct buf *ret_history)
{
	const struct node_state *n = &x->s->nodes[node];
	uint32_t at = x->later_at[node];

	buf_clear(ret_history);
	buf_add(ret_history,
		(struct str){ (const char *)n->history, n->history_count });
	buf_add(ret_history,
		(struct str){ (const char *)x->later + at,
			x->later_at[node + 1] - at });
}

/*
 * Give a node a history, its status and its attempts.  Of a long one the end is
 * told, from the earliest READY or PENDING that fits: both may follow PENDING,
 * with which it begins.
 */
static void
history_put(struct exporter *x, struct ledger_node *n, struct str history)
{
	uint32_t count = (uint32_t)history.len, begin = count, starts = 0;

	n->attempt = 0;
	for (uint32_t i = count; i-- > 1;) {
		uint8_t status = (uint8_t)history.ptr[i];

		starts += status == NODE_RUNNING;
		if (starts >= BOUND_LEDGER_ATTEMPTS ||
			count - i >= BOUND_LEDGER_HISTORY)
			break;
		if (i > 1 && status != NODE_READY && status != NODE_PENDING)
			continue;
		begin = status == NODE_PENDING ? i + 1 : i;
		n->attempt = starts;
	}
	n->history_count = 1 + count - begin;
	n->history = arena_array(&x->l->mem, n->history_count, uint8_t);
	n->history[0] = NODE_PENDING;
	memcpy(n->history + 1, history.ptr + begin, count - begin);
	n->status = n->history[n->history_count - 1];
}

/* What the run allows, as far as it has been seen. */
static uint32_t
max_attempts(const struct ledger_node *n)
{
	bool done = n->status == NODE_PASSED || n->status == NODE_RUNNING;
	uint32_t wanted = n->attempt + !done;

	if (n->status == NODE_FAILED && n->attempt > 0)
		return n->attempt;
	return wanted > BOUND_ATTEMPTS ? wanted : BOUND_ATTEMPTS;
}

static enum ledger_approval
approval_of(const struct state *s, uint32_t node)
{
	uint32_t gate_1 = s->nodes[node].gate_1;

	if (is_node_asking(s, node))
		return LEDGER_REQUIRED;
	if (!s->plan->nodes[node].approval)
		return LEDGER_NOT_REQUIRED;
	if (gate_1 == 0)
		return LEDGER_REQUIRED;
	switch ((enum gate_status)s->gates.items[gate_1 - 1].status) {
	case GATE_GRANTED:
		return LEDGER_GRANTED;
	case GATE_DENIED:
		return LEDGER_DENIED;
	case GATE_OPEN:
	case GATE_STALE:
		break;
	}
	return LEDGER_REQUIRED;
}

/* The attempt whose work stands, or may come to: the last, unless it failed. */
static const struct attempt *
standing(const struct state *s, uint32_t node)
{
	const struct attempt *a = state_last_attempt(s, node);

	if (a == NULL || a->status > ATTEMPT_SETTLED)
		return NULL;
	return a;
}

static bool
is_evidence(const struct state *s, const struct check *c)
{
	const struct attempt *a = &s->attempts.items[c->attempt];

	return c->verdict == VERDICT_PASS && standing(s, a->node) == a;
}

/* A node's evidence has room for its last references. */
static void
evidence_push(struct ledger_node *n, uint32_t *left_out, struct str ref)
{
	if (*left_out > 0)
		(*left_out)--;
	else
		n->evidence[n->evidence_count++] = ref;
}

static void
evidence_put(struct exporter *x)
{
	const struct state *s = x->s;
	struct arena *mem = &x->l->mem;
	uint32_t *over = arena_array(&x->scratch, s->plan->count, uint32_t);
	const struct check *c;

	VEC_EACH (c, &s->checks)
		over[s->attempts.items[c->attempt].node] += is_evidence(s, c);
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct attempt *a = standing(s, i);
		uint32_t count = over[i];

		if (a == NULL)
			continue;
		count += a->commit.len > 0;
		over[i] = count > BOUND_LEDGER_EVIDENCE
			? count - BOUND_LEDGER_EVIDENCE
			: 0;
		x->l->nodes[i].evidence =
			arena_array(mem, count - over[i], struct str);
	}
	for (uint32_t i = 0; i < s->checks.count; i++) {
		struct str id;

		c = &s->checks.items[i];
		if (!is_evidence(s, c))
			continue;
		id = state_check_id(s, i, mem);
		evidence_push(&x->l->nodes[s->attempts.items[c->attempt].node],
			&over[s->attempts.items[c->attempt].node],
			arena_format(mem, "check:" STR_FMT, STR_ARG(id)));
	}
	for (uint32_t i = 0; i < s->plan->count; i++) {
		const struct attempt *a = standing(s, i);

		if (a != NULL && a->commit.len > 0)
			evidence_push(&x->l->nodes[i], &over[i],
				arena_format(mem, "commit:" STR_FMT,
					STR_ARG(a->commit)));
	}
}

static void
node_put(struct exporter *x, uint32_t node, struct buf *history)
{
	const struct plan *p = x->s->plan;
	const struct contract *c = &p->nodes[node];
	struct contract_view v = contract_of(x->s, node);
	struct ledger_node *n;
	uint32_t number;
	bool added = ledger_add(x->l, lower(x, plan_id(p, node)), &number);

	assert(added && number == node);
	n = &x->l->nodes[number];
	n->title = line_of(x, plan_title(p, node), n->id);
	n->expected_output =
		line_of(x, contract_acceptance(&v, &x->l->mem), n->title);
	n->kind = c->mode == MODE_WRITE ? LEDGER_EXECUTE : LEDGER_EXPLORE;
	n->role = LEDGER_WORKER;
	n->access = c->access;
	n->approval = (uint8_t)approval_of(x->s, node);
	n->evidence_required = true;
	n->depends = p->depends + c->depends_at;
	n->depends_count = c->depends_count;
	history_of(x, node, history);
	history_put(x, n, buf_str(history));
	n->max_attempts = max_attempts(n);
}

/* Its node's id with `-repair`, or whatever follows that and is free. */
static uint32_t
repair_add(struct exporter *x, uint32_t node)
{
	uint32_t number;

	for (uint32_t n = 1;; n++) {
		struct str tail = n == 1
			? STR("-repair")
			: arena_format(&x->scratch, "-repair-%u", n);
		struct str head = str_part(
			x->l->nodes[node].id, 0, BOUND_ID_BYTES - tail.len);

		while (strchr("._-", head.ptr[head.len - 1]) != NULL)
			head.len--;
		if (ledger_add(x->l,
			    arena_format(&x->l->mem, STR_FMT STR_FMT,
				    STR_ARG(head), STR_ARG(tail)),
			    &number))
			return number;
	}
}

/* What the rejected attempt left to be mended. */
static struct str
repair_title(struct exporter *x, uint32_t node)
{
	const struct attempt *a = state_last_attempt(x->s, node);
	struct str id = plan_id(x->s->plan, node);
	struct str why = a->hypothesis.len > 0 ? a->hypothesis : a->cause;
	struct str title =
		arena_format(&x->l->mem, "Repair " STR_FMT "%s" STR_FMT,
			STR_ARG(id), why.len > 0 ? ": " : "", STR_ARG(why));

	return line_of(x, utf8_cut(title, BOUND_TITLE_BYTES), title);
}

/*
 * A node's work after the rejection becomes a node; the node itself failed
 * then, and is done once the repair is.
 */
static void
repair_put(
	struct exporter *x, uint32_t node, uint32_t split, struct buf *history)
{
	uint32_t number = repair_add(x, node), at = 0;
	struct ledger_node *n = &x->l->nodes[node];
	struct ledger_node *r = &x->l->nodes[number];
	struct str id = r->id;
	bool passed = n->status == NODE_PASSED;
	struct buf first = { 0 };

	*r = *n;
	r->id = id;
	r->kind = LEDGER_REPAIR;
	r->title = repair_title(x, node);
	history_of(x, node, history);
	for (uint32_t starts = 0; starts < split; at++)
		starts += history->data[at] == NODE_RUNNING;
	buf_add(&first, str_part(buf_str(history), 0, at));
	buf_addc(&first, NODE_FAILED);
	/* It failed outright, and a decision granted what came after. */
	if (at < history->len && history->data[at] == NODE_FAILED)
		at++;
	history->data[at - 1] = NODE_PENDING;
	history_put(x, r, str_part(buf_str(history), at - 1, history->len));
	r->max_attempts = max_attempts(r);
	if (passed) {
		n->depends =
			arena_array(&x->l->mem, n->depends_count + 1, uint32_t);
		memcpy(n->depends, r->depends,
			r->depends_count * sizeof(*n->depends));
		n->depends[n->depends_count++] = number;
		buf_addc(&first, NODE_READY);
		buf_addc(&first, NODE_RUNNING);
		buf_addc(&first, NODE_PASSED);
	} else {
		n->evidence_count = 0;
	}
	history_put(x, n, buf_str(&first));
	n->max_attempts = n->attempt + !passed;
	buf_release(&first);
}

/* A final status is the run's own where the nodes earn it. */
static enum run_status
status_of(const struct exporter *x)
{
	enum run_status own = state_run_status(x->s);
	enum run_status earned = ledger_earned(x->l);

	/* All nodes passed and a finding stands, which a ledger can't tell. */
	if (earned == RUN_COMPLETE && own != RUN_COMPLETE)
		return RUN_RUNNING;
	return own == RUN_PLANNING || own == RUN_RUNNING ? own : earned;
}

void
ledger_export(const struct state *s, bool repairs, struct ledger *ret_ledger)
{
	struct exporter x = { .s = s, .l = ret_ledger };
	struct buf history = { 0 };

	x.l->run_id = s->run.run;
	x.l->task = line_of(&x,
		arena_format(
			&x.l->mem, "Task list " STR_FMT, STR_ARG(s->run.list)),
		STR("Task list"));
	splits_find(&x);
	later_sort(&x);
	for (uint32_t i = 0; i < s->plan->count; i++)
		node_put(&x, i, &history);
	evidence_put(&x);
	for (uint32_t i = 0; repairs && i < s->plan->count; i++) {
		if (x.split[i] > 0)
			repair_put(&x, i, x.split[i], &history);
	}
	x.l->status = (uint8_t)status_of(&x);
	buf_release(&history);
	arena_reset(&x.scratch);
}
