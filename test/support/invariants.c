#include "invariants.h"

#include <string.h>

#include "base/bounds.h"
#include "invariants_capacity.h"
#include "invariants_delegation.h"
#include "model/contract.h"
#include "model/decide.h"
#include "model/explain.h"
#include "model/fold.h"
#include "model/rework.h"
#include "model/scope.h"
#include "model/state_json.h"

#define HOLDS(condition, words)       \
	do {                          \
		if (!(condition))     \
			return words; \
	} while (0)

bool
is_step(enum node_status from, enum node_status to)
{
	switch (from) {
	case NODE_PENDING:
		return to == NODE_READY || to == NODE_NEEDS_APPROVAL ||
			to == NODE_SKIPPED || to == NODE_BLOCKED;
	case NODE_READY:
		return to == NODE_SKIPPED || to == NODE_BLOCKED ||
			to == NODE_RUNNING;
	case NODE_NEEDS_APPROVAL:
		return to == NODE_PENDING || to == NODE_BLOCKED ||
			to == NODE_SKIPPED;
	case NODE_RUNNING:
		return to == NODE_BLOCKED || to == NODE_PASSED ||
			to == NODE_FAILED || to == NODE_READY ||
			to == NODE_NEEDS_APPROVAL;
	case NODE_BLOCKED:
		return to == NODE_PENDING || to == NODE_SKIPPED;
	case NODE_FAILED:
		return to == NODE_READY;
	case NODE_PASSED:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		break;
	}
	return false;
}

static bool
is_resolved(const struct state *s, uint32_t node)
{
	return s->nodes[node].status == NODE_PASSED ||
		s->nodes[node].status == NODE_SKIPPED;
}

static const char *
history_broken(const struct state *s, uint32_t node, struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	uint32_t count, runs = 0;
	const uint8_t *h = state_history(s, node, mem, &count);

	HOLDS(count > 0 && h[0] == NODE_PENDING, "5: begins not with PENDING");
	HOLDS(h[count - 1] == n->status, "5: ends not at the status");
	for (uint32_t i = 0; i < count; i++) {
		runs += h[i] == NODE_RUNNING;
		HOLDS(i == 0 || is_step(h[i - 1], h[i]), "5: not a step");
	}
	HOLDS(runs == n->runs, "5: runs isn't the number of RUNNING");
	HOLDS(n->runs <= n->attempts, "5: more runs than attempts");
	return NULL;
}

static const char *
passed_broken(const struct state *s, uint32_t node)
{
	const struct attempt *a = state_last_attempt(s, node);
	const struct contract *c = &s->plan->nodes[node];

	HOLDS(a != NULL && a->status == ATTEMPT_SETTLED, "4: not settled");
	HOLDS(a->verdict == VERDICT_PASS && a->check_1 > 0, "4: no verdict");
	HOLDS(&s->attempts.items[s->checks.items[a->check_1 - 1].attempt] == a,
		"4: the check is of another attempt");
	HOLDS(s->checks.items[a->check_1 - 1].verdict == VERDICT_PASS,
		"4: the check didn't pass");
	HOLDS(c->mode == MODE_READ || a->placement == PLACEMENT_IN_PLACE ||
			a->commit.len > 0,
		"4: not integrated");
	HOLDS(!c->sentinel, "4: the sentinel passed");
	HOLDS(!c->red || s->nodes[node].red == VERDICT_FAIL,
		"4: the check wasn't seen to fail on the base");
	HOLDS(s->nodes[node].cleanups == 0, "4: passed with open cleanups");
	return NULL;
}

/* Counted from the findings, the decisions and the attempts alone. */
static const char *
rework_broken(const struct state *s)
{
	uint32_t blocking = 0, carried = 0;
	const struct rework_finding *f;
	const struct rework_decision *d;
	const struct attempt *a, *b;

	VEC_EACH (f, &s->findings) {
		blocking += is_finding_open(s, f);
		carried += f->class == FINDING_HARDENING;
	}
	HOLDS(blocking == s->findings_blocking, "8: open findings miscounted");
	HOLDS(carried == s->findings_carried, "8: carried ones miscounted");
	VEC_EACH (a, &s->attempts) {
		uint32_t open = 0;

		VEC_EACH (f, &s->findings)
			open += &s->attempts.items[f->attempt] == a &&
				is_finding_open(s, f);
		HOLDS(open == a->blocking ||
				(!is_attempt_live(a) &&
					a->status != ATTEMPT_SETTLED),
			"4: the findings of an attempt are miscounted");
		VEC_EACH (b, &s->attempts) {
			HOLDS(b >= a || a->node != b->node ||
					a->status != ATTEMPT_REJECTED ||
					b->status != ATTEMPT_REJECTED ||
					s->nodes[a->node].status ==
						NODE_FAILED ||
					s->nodes[a->node].grants > 0 ||
					!str_eq(a->cause, b->cause),
				"two rejections of one hypothesis");
		}
	}
	VEC_EACH (d, &s->decisions) {
		HOLDS(d->attempt_1 == 0 ||
				s->attempts.items[d->attempt_1 - 1].node ==
					d->node,
			"a decision served another node");
		HOLDS(d->attempt_1 > 0 || is_rework_grant(d->action) ||
				d->ask_1 > 0,
			"a decision served nothing");
		HOLDS((d->ask_1 > 0) == (d->action == REWORK_INPUT_REQUIRED),
			"input_required is a question, and nothing else is");
	}
	return NULL;
}

static const char *
node_broken(const struct state *s, uint32_t node, struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	const struct contract *c = &s->plan->nodes[node];
	const struct attempt *live = state_live(s, node);
	bool on = n->status == NODE_READY || n->status == NODE_RUNNING ||
		n->status == NODE_PASSED;
	uint32_t waiting = 0;

	for (uint32_t i = 0; i < c->depends_count; i++)
		waiting += !is_resolved(s, s->plan->depends[c->depends_at + i]);
	HOLDS(waiting == n->waiting, "the count of dependencies is wrong");
	HOLDS(!on || waiting == 0, "5: goes on before its dependencies");
	HOLDS(!on || !c->approval || is_approved(s, node),
		"5: goes on without its approval");
	HOLDS(n->status != NODE_PENDING || waiting > 0,
		"PENDING, and waits for nothing");
	HOLDS(n->status != NODE_NEEDS_APPROVAL || n->questions > 0 ||
			(n->gate_1 > 0 &&
				s->gates.items[n->gate_1 - 1].status ==
					GATE_OPEN),
		"C097: waits for no gate and no answer");
	HOLDS(n->status != NODE_PASSED || n->questions == 0,
		"C094: passed with an open question");
	HOLDS((n->status == NODE_BLOCKED) == (n->block != BLOCK_NONE),
		"BLOCKED and its reason don't go together");
	HOLDS(live == NULL || live->status == ATTEMPT_RESERVED
			? live == NULL || n->status == NODE_READY
			: n->status == NODE_RUNNING,
		"status and live attempt don't go together");
	HOLDS(n->status != NODE_RUNNING || live != NULL ||
			n->grade == GRADE_UNOBSERVED,
		"RUNNING with nothing that runs");
	HOLDS(n->grants <= BOUND_GRANTS, "too many decisions");
	HOLDS(n->rejects < BOUND_ATTEMPTS + n->grants, "too many rejections");
	HOLDS(n->ends <= BOUND_ENDS_WITHOUT_VERDICT, "too many ends");
	if (n->status == NODE_PASSED) {
		const char *broken = passed_broken(s, node);

		if (broken != NULL)
			return broken;
	}
	return history_broken(s, node, mem);
}

static bool
overlap(const struct state *s, uint32_t a, uint32_t b)
{
	struct contract_view va = contract_of(s, a), vb = contract_of(s, b);

	for (uint32_t i = 0; i < contract_scopes(&va); i++) {
		for (uint32_t k = 0; k < contract_scopes(&vb); k++) {
			if (scope_overlaps(contract_scope(&va, i),
				    contract_scope(&vb, k)))
				return true;
		}
	}
	return false;
}

/* 3: among live attempts. */
static const char *
scopes_broken(const struct state *s)
{
	const struct attempt *a, *b;
	uint32_t live = 0;

	VEC_EACH (a, &s->attempts) {
		bool writes = s->plan->nodes[a->node].mode == MODE_WRITE;

		if (!is_attempt_live(a))
			continue;
		live++;
		VEC_EACH (b, &s->attempts) {
			if (b >= a)
				break;
			if (!is_attempt_live(b) ||
				(!writes &&
					s->plan->nodes[b->node].mode ==
						MODE_READ))
				continue;
			HOLDS(a->node != b->node, "two attempts of a node");
			HOLDS(!overlap(s, a->node, b->node),
				"3: scopes overlap");
			HOLDS(a->placement == PLACEMENT_WORKTREE ||
					b->placement == PLACEMENT_WORKTREE,
				"3: a writer in place isn't alone");
		}
	}
	HOLDS(live == s->live_attempts, "the count of live attempts is wrong");
	return NULL;
}

static const char *
complete_broken(const struct state *s)
{
	const struct attempt *a;
	const struct gate *g;
	const struct cleanup *c;
	const struct ask *q;

	for (uint32_t i = 0; i < s->plan->count; i++)
		HOLDS(is_resolved(s, i), "8: a node isn't done");
	VEC_EACH (a, &s->attempts)
		HOLDS(!is_attempt_live(a) && !a->unreconciled,
			"8: an attempt is open");
	VEC_EACH (g, &s->gates)
		HOLDS(g->status != GATE_OPEN, "8: a gate is open");
	VEC_EACH (q, &s->asks)
		HOLDS(q->status != ASK_OPEN, "8: a question is open");
	VEC_EACH (c, &s->cleanups)
		HOLDS(is_cleanup_settled(c), "8: a cleanup is open");
	HOLDS(s->findings_blocking == 0, "8: a finding blocks");
	HOLDS(s->findings_carried == 0, "8: a finding is carried");
	return NULL;
}

/* Open questions are counted right, and are of what may still change. */
static const char *
asks_broken(const struct state *s)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < s->asks.count; i++) {
		const struct ask *q = &s->asks.items[i];
		const struct attempt *a = q->attempt_1 > 0
			? &s->attempts.items[q->attempt_1 - 1]
			: NULL;
		uint32_t of_node = 0;

		for (uint32_t k = 0; k < s->asks.count; k++)
			of_node += s->asks.items[k].node == q->node &&
				s->asks.items[k].status == ASK_OPEN;
		HOLDS(of_node == s->nodes[q->node].questions,
			"the count of a node's questions is wrong");
		HOLDS(a == NULL || a->node == q->node,
			"a question is of another node than its attempt");
		HOLDS(is_ask_answered(q) == (q->seq_answered > 0),
			"answered and its line don't go together");
		if (q->status != ASK_OPEN)
			continue;
		open++;
		HOLDS(a == NULL || is_attempt_live(a) ||
				(a->status == ATTEMPT_INTERRUPTED &&
					str_eq(a->cause, CAUSE_INPUT_REQUIRED)),
			"C093: open, and its attempt ended for something else");
	}
	HOLDS(open == s->asks_open, "the count of open questions is wrong");
	return NULL;
}

const char *
invariants_broken(const struct state *s, struct arena *mem)
{
	enum run_status status = state_run_status(s);
	const char *broken = scopes_broken(s);

	if (broken == NULL)
		broken = asks_broken(s);
	if (broken == NULL)
		broken = invariants_delegations(s);
	if (broken == NULL)
		broken = invariants_capacity(s, mem);
	for (uint32_t i = 0; broken == NULL && i < s->plan->count; i++)
		broken = node_broken(s, i, mem);
	if (broken == NULL)
		broken = rework_broken(s);
	if (broken == NULL && status == RUN_COMPLETE)
		broken = complete_broken(s);
	if (broken != NULL)
		return broken;
	HOLDS(s->due.count == 0, "C097: a gate is due and not open");
	HOLDS(str_eq(s->outcome, STR("pass")) ==
			(is_run_closed(s) && status == RUN_COMPLETE),
		"8: pass and COMPLETE don't go together");
	HOLDS(!is_run_closed(s) || status != RUN_RUNNING,
		"closed, and RUNNING");
	HOLDS(status != RUN_NEEDS_APPROVAL || s->gates_open > 0 ||
			s->asks_open > 0 || s->delegations_open > 0,
		"C097: NEEDS_APPROVAL, and nobody is asked for anything");
	return NULL;
}

/* Would a reservation of this node be decided with yes? */
static bool
is_reservable(const struct state *s, uint32_t node, struct arena *mem)
{
	struct pawl_err err;
	struct str id = plan_id(s->plan, node);
	struct command cmd = { .gen = s->gen };
	struct contract_view v;

	cmd.event.type = EV_ATTEMPT_RESERVED;
	cmd.event.node = id;
	cmd.event.attempt = arena_format(
		mem, STR_FMT "@%u", STR_ARG(id), s->nodes[node].attempts + 1u);
	cmd.event.placement = placement_word(s->run.placement);
	v = contract_of(s, node);
	cmd.event.revision = contract_revision(&v);
	return decide(s, &cmd, &err) == PAWL_OK;
}

static const char *
wave_broken(const struct state *s, struct arena *mem)
{
	uint32_t wave, list, in_wave = 0;
	const uint32_t *nodes = ready_wave(s, UINT32_MAX, mem, &wave);
	const struct ready_entry *all = ready_list(s, UINT32_MAX, mem, &list);

	for (uint32_t i = 0; i < list; i++) {
		if (all[i].answer.hold != HOLD_NONE)
			continue;
		HOLDS(in_wave < wave && nodes[in_wave] == all[i].node,
			"9: list and wave differ");
		in_wave++;
	}
	HOLDS(in_wave == wave, "9: list and wave differ in length");
	for (uint32_t i = 0; i < wave; i++) {
		enum hold hold = ready_hold(s, nodes[i]).hold;

		HOLDS(hold == HOLD_NONE || hold == HOLD_SLOTS,
			"9: a node of the wave may not start");
		for (uint32_t k = 0; k < i; k++) {
			HOLDS((s->plan->nodes[nodes[i]].mode == MODE_READ &&
				      s->plan->nodes[nodes[k]].mode ==
					      MODE_READ) ||
					!overlap(s, nodes[i], nodes[k]),
				"9: the wave overlaps itself");
		}
	}
	return NULL;
}

const char *
invariants_ready(const struct state *s, struct arena *mem)
{
	uint32_t first = 0, rank = 0;
	bool any = ready_first(s, &first);
	bool found = false;

	for (; rank < s->plan->count; rank++) {
		uint32_t node = s->node_at[rank];
		bool may = ready_hold(s, node).hold == HOLD_NONE;
		struct explanation ex;

		explain_node(s, node, 3, mem, &ex);
		/* What is ready is nobody's to start while nobody coordinates.
		 */
		HOLDS((may && !s->vacant) == is_reservable(s, node, mem),
			"9: ready and dispatch differ");
		HOLDS(may == ex.may_start, "9: ready and explain differ");
		HOLDS(ex.done == is_resolved(s, node), "9: done and status");
		HOLDS(ex.done || ex.may_start || ex.total > 0,
			"9: neither done nor ready, and no cause");
		HOLDS(!ex.done || ex.total == 0, "9: done, with a cause");
		HOLDS(!may || found || (any && node == first),
			"9: ready_first isn't the first");
		found = found || may;
	}
	HOLDS(found == any, "9: ready_first finds another number of nodes");
	return wave_broken(s, mem);
}

bool
state_copy(const struct state *s, struct arena *mem, struct state *ret)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	const struct json *v;
	struct pawl_err err;
	bool read;

	state_json_write(&w, s);
	state_init(ret, s->plan);
	read = json_read(mem, text.data, text.len, JSON_STRICT, &v, &err) ==
			PAWL_OK &&
		state_json_read(ret, v, &err) == PAWL_OK;
	buf_release(&text);
	if (!read)
		state_release(ret);
	return read;
}

static struct line_facts
line_of(const struct state *s)
{
	return (struct line_facts){ s->seq + 1, s->gen,
		STR("2026-11-30T12:00:00.000000Z"), STR("human:alice") };
}

/* As if the dependency had passed, however far it is from that. */
static bool
force_pass(struct state *s, uint32_t node)
{
	struct line_facts line = line_of(s);
	struct event e = { .type = EV_NODE_GRADED };
	struct pawl_err err;
	struct fold f = { .s = s, .line = &line, .e = &e, .err = &err };

	s->by_status[s->nodes[node].status]--;
	s->by_status[NODE_RUNNING]++;
	rankset_remove(&s->ready, s->rank_of[node]);
	s->nodes[node].status = NODE_RUNNING;
	return fold_passed(&f, node) == PAWL_OK;
}

static bool
fold_now(struct state *s, const struct event *e)
{
	struct line_facts line = line_of(s);
	struct pawl_err err;

	return apply(s, &line, e, &err) == PAWL_OK;
}

/* Grant the open gate of the node; true, too, when there is none yet. */
static bool
grant(struct state *s, uint32_t node, struct arena *mem)
{
	struct event e = { .type = EV_GATE_DECIDED,
		.node = plan_id(s->plan, node) };

	if (s->nodes[node].status != NODE_NEEDS_APPROVAL)
		return true;
	e.gate = state_gate_id(s, s->nodes[node].gate_1 - 1, mem);
	e.decision = STR("granted");
	return fold_now(s, &e);
}

static bool
answer(struct state *s, uint32_t node, struct str question)
{
	struct event e = { .type = EV_QUESTION_ANSWERED,
		.node = plan_id(s->plan, node),
		.question = question,
		.answer = STR("yes"),
		.by = STR("alice") };

	return fold_now(s, &e);
}

static bool
release(struct state *s, struct str delegation, struct arena *mem)
{
	struct event e = { .type = EV_DELEGATION_RELEASED,
		.delegation = delegation,
		.status = DELEGATION_RETAINED,
		.by = STR("coordinator:c1") };
	const struct attempt *a;
	uint32_t at;

	if (!state_find_delegation(s, delegation, &at))
		return false;
	at = s->delegations.items[at].attempt;
	a = &s->attempts.items[at];
	e.node = plan_id(s->plan, a->node);
	e.attempt = state_attempt_id(s, at, mem);
	return fold_now(s, &e);
}

static bool
open_gates(struct state *s, struct arena *mem)
{
	struct events gates = { 0 };
	const struct event *e;
	bool folded = true;

	decide_due_gates(s, mem, &gates);
	VEC_EACH (e, &gates)
		folded = folded && fold_now(s, e);
	events_release(&gates);
	return folded;
}

/* Take one cause away; gates that become due open by themselves. */
static bool
cause_remove(struct state *s, uint32_t node, const struct cause *c,
	struct arena *mem)
{
	struct event e = { .type = EV_NODE_UNBLOCKED,
		.node = plan_id(s->plan, node),
		.by = STR("alice"),
		.reason = STR("it is there") };
	bool removed = true;
	uint32_t on;

	if (c->code == CAUSE_DEPENDENCY)
		removed = plan_find(s->plan, c->subject, &on) &&
			force_pass(s, on);
	else if (c->code == CAUSE_BLOCKED)
		removed = fold_now(s, &e);
	else if (c->code == CAUSE_QUESTION)
		removed = answer(s, node, c->subject);
	else if (c->code == CAUSE_DELEGATION)
		removed = release(s, c->subject, mem);
	else if (c->code != CAUSE_APPROVAL && c->code != CAUSE_APPROVAL_AHEAD)
		return false;
	return removed && open_gates(s, mem) &&
		(c->code == CAUSE_DEPENDENCY || c->code == CAUSE_BLOCKED ||
			c->code == CAUSE_QUESTION ||
			c->code == CAUSE_DELEGATION || grant(s, node, mem));
}

/* Without all causes but `left` (none: UINT32_MAX): is the node READY? */
static const char *
simulate(const struct state *s, uint32_t node, const struct explanation *ex,
	uint32_t left, struct arena *mem)
{
	bool all = left == UINT32_MAX;
	bool removed = true;
	struct state copy;
	bool ready;

	if (!state_copy(s, mem, &copy))
		return "2: the projection is refused";
	for (uint32_t i = 0; removed && i < ex->count; i++)
		removed = i == left ||
			cause_remove(&copy, node, &ex->causes[i], mem);
	ready = copy.nodes[node].status == NODE_READY;
	state_release(&copy);
	HOLDS(removed, "9: a cause can't be removed");
	HOLDS(ready || !all, "9: without its causes the node isn't READY");
	HOLDS(!ready || all, "9: READY while a cause is left");
	return NULL;
}

const char *
invariants_causes(const struct state *s, uint32_t node, struct arena *mem)
{
	enum node_status status = s->nodes[node].status;
	struct explanation ex;
	const char *broken;

	if (is_run_closed(s) ||
		(status != NODE_PENDING && status != NODE_NEEDS_APPROVAL &&
			status != NODE_BLOCKED))
		return NULL;
	explain_node(s, node, UINT32_MAX, mem, &ex);
	broken = simulate(s, node, &ex, UINT32_MAX, mem);
	for (uint32_t i = 0; broken == NULL && i < ex.count; i++)
		broken = simulate(s, node, &ex, i, mem);
	return broken;
}

const char *
invariants_differ(const struct state *a, const struct state *b)
{
	struct buf x = { 0 }, y = { 0 };
	struct json_writer wx = { .out = &x }, wy = { .out = &y };
	bool same;

	state_json_write(&wx, a);
	state_json_write(&wy, b);
	same = str_eq(buf_str(&x), buf_str(&y));
	buf_release(&x);
	buf_release(&y);
	HOLDS(same, "2: the projections differ");
	for (uint32_t i = 0; i < a->plan->count; i++)
		HOLDS(rankset_has(&a->ready, i) == rankset_has(&b->ready, i),
			"2: the READY sets differ");
	HOLDS(memcmp(a->by_status, b->by_status, sizeof(a->by_status)) == 0,
		"2: counts of statuses differ");
	HOLDS(a->ready.count == b->ready.count &&
			a->live_attempts == b->live_attempts &&
			a->live_writers == b->live_writers &&
			a->live_in_place == b->live_in_place,
		"2: counts of live attempts differ");
	HOLDS(a->cleanups_open == b->cleanups_open &&
			a->gates_open == b->gates_open &&
			a->asks_open == b->asks_open &&
			a->delegations_open == b->delegations_open &&
			a->delegations_left == b->delegations_left &&
			a->unobserved == b->unobserved &&
			a->findings_blocking == b->findings_blocking &&
			a->findings_carried == b->findings_carried &&
			a->unreconciled == b->unreconciled,
		"2: counts of what is open differ");
	return NULL;
}

const char *
invariants_terminal(const struct state *before, const struct state *now)
{
	for (uint32_t i = 0; i < before->plan->count; i++)
		HOLDS(!is_resolved(before, i) ||
				before->nodes[i].status == now->nodes[i].status,
			"7: a node that was done changed");
	for (uint32_t i = 0; i < before->attempts.count; i++) {
		const struct attempt *a = &before->attempts.items[i];
		const struct attempt *b = &now->attempts.items[i];

		HOLDS(is_attempt_live(a) ||
				(a->status == b->status &&
					a->verdict == b->verdict &&
					a->seq_ended == b->seq_ended &&
					str_eq(a->cause, b->cause)),
			"7: an attempt that had ended changed");
	}
	for (uint32_t i = 0; i < before->gates.count; i++) {
		HOLDS(before->gates.items[i].status == GATE_OPEN ||
				before->gates.items[i].status ==
					now->gates.items[i].status ||
				(before->gates.items[i].status ==
						GATE_GRANTED &&
					now->gates.items[i].status ==
						GATE_STALE),
			"7: a decided gate changed");
	}
	for (uint32_t i = 0; i < before->asks.count; i++) {
		HOLDS(before->asks.items[i].status == ASK_OPEN ||
				(before->asks.items[i].status ==
						now->asks.items[i].status &&
					str_eq(before->asks.items[i].answer,
						now->asks.items[i].answer)),
			"7: a question that was over changed");
	}
	for (uint32_t i = 0; i < before->cleanups.count; i++) {
		HOLDS(!is_cleanup_settled(&before->cleanups.items[i]) ||
				before->cleanups.items[i].status ==
					now->cleanups.items[i].status,
			"7: a settled cleanup changed");
	}
	for (uint32_t i = 0; i < before->decisions.count; i++) {
		uint32_t served = before->decisions.items[i].attempt_1;

		HOLDS(served == 0 ||
				served == now->decisions.items[i].attempt_1,
			"7: a decision was used twice");
	}
	for (uint32_t i = 0; i < before->findings.count; i++)
		HOLDS(!before->findings.items[i].overruled ||
				now->findings.items[i].overruled,
			"7: a finding that was overruled stands again");
	HOLDS(before->outcome.len == 0 || str_eq(before->outcome, now->outcome),
		"7: the outcome changed");
	return NULL;
}
