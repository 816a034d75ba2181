#include "model/explain.h"

#include "model/budget_use.h"
#include "model/capacity.h"
#include "model/cause.h"
#include "model/confined.h"
#include "model/contract.h"
#include "model/next_task.h"
#include "model/registered.h"
#include "model/scope.h"
#include "model/stage.h"

/* Where the causes of one node are gathered. */
struct gather {
	const struct state *s;
	struct explanation *ex;
	uint32_t max;
	struct arena *mem;
};

static void
cause_push(struct gather *g, struct cause cause)
{
	g->ex->total++;
	if (g->ex->count < g->max)
		g->ex->causes[g->ex->count++] = cause;
}

/* Who takes a live attempt on, and by what: a named coordinator by a verb. */
static struct str
running_command(const struct state *s, uint32_t attempt, struct str *ret_who,
	struct arena *mem)
{
	bool works = s->attempts.items[attempt].status == ATTEMPT_STARTED;
	struct next next;

	*ret_who = works ? STR("its worker") : STR("the coordinator");
	if (s->coordinator_name.len == 0)
		return cause_command(s, "watch", STR(""), "", mem);
	if (next_of_attempt(s, attempt, mem, &next)) {
		*ret_who = STR("the coordinator");
		return next.command;
	}
	return next_sync(s, mem).command;
}

static struct cause
cause_running(const struct state *s, uint32_t attempt, struct arena *mem)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str sentence, who;
	struct str stage = stage_of(s, attempt, &sentence);
	struct str command = running_command(s, attempt, &who, mem);
	bool works = a->status == ATTEMPT_STARTED;
	uint32_t cleanup;

	/* By hand it is in the way of the grade alone. */
	if (is_attempt_kept_open(s, a, &cleanup) &&
		(s->coordinator_name.len == 0 ||
			str_eq(stage, STR("cleaning_up"))))
		return cause_cleanup(s, cleanup, mem);
	/* `2026-11-30T17:04:19.123456Z` */
	return (struct cause){ CAUSE_RUNNING, state_attempt_id(s, attempt, mem),
		stage,
		arena_format(mem, "attempt %u " STR_FMT "%s" STR_FMT "%s",
			a->number, STR_ARG(sentence), works ? " since " : "",
			STR_ARG(str_part(a->at_started, 11, works ? 8 : 0)),
			works ? "Z" : ""),
		who, command };
}

static struct str
amend_command(const struct state *s, struct arena *mem)
{
	return cause_command(s, "task amend-decision", STR(""),
		arena_format(mem, " --decision F --as " STR_FMT,
			STR_ARG(cause_coordinator(s)))
			.ptr,
		mem);
}

static struct str
unblock_command(const struct state *s, uint32_t node, struct arena *mem)
{
	if (is_surplus(s, node))
		return amend_command(s, mem);
	return cause_command(
		s, "unblock", plan_id(s->plan, node), " --reason …", mem);
}

/* The first open question of a node that has one. */
static uint32_t
first_ask(const struct state *s, uint32_t node)
{
	uint32_t ask = 0;
	bool found = state_open_ask(s, node, &ask);

	assert(found);
	return ask;
}

/* Who can change the status of a node, and how. */
static void
changer(const struct state *s, uint32_t node, struct arena *mem,
	struct cause *ret_cause)
{
	const struct node_state *n = &s->nodes[node];
	struct str id = plan_id(s->plan, node);

	switch ((enum node_status)n->status) {
	case NODE_NEEDS_APPROVAL:
		if (is_node_asking(s, node)) {
			*ret_cause = cause_question(s, first_ask(s, node), mem);
			return;
		}
		ret_cause->who = STR("a human");
		ret_cause->command = cause_command(s, "approve",
			state_gate_id(s, n->gate_1 - 1, mem), "", mem);
		return;
	case NODE_BLOCKED:
		ret_cause->who = str_from(block_reason_who(n->block));
		ret_cause->command = unblock_command(s, node, mem);
		return;
	case NODE_FAILED:
		ret_cause->who = STR("whoever owns the list");
		ret_cause->command = cause_command_new_run(s, mem);
		return;
	case NODE_READY:
		if (state_live(s, node) != NULL) { /* it is reserved */
			*ret_cause = cause_running(s, n->attempt_1 - 1, mem);
			return;
		}
		ret_cause->who = STR("the coordinator");
		ret_cause->command = cause_command_start(s, node, mem);
		return;
	case NODE_RUNNING:
		if (n->attempt_1 != 0 && state_live(s, node) != NULL) {
			*ret_cause = cause_running(s, n->attempt_1 - 1, mem);
			return;
		}
		ret_cause->who = STR("whoever owns the list");
		ret_cause->command = cause_command_new_run(s, mem);
		return;
	case NODE_PENDING:
	case NODE_PASSED:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		break;
	}
	ret_cause->who = STR("what it waits for");
	ret_cause->command =
		arena_format(mem, "pawl explain " STR_FMT, STR_ARG(id));
}

/* What a dependency lacks: `DOMAIN-01 is RUNNING (attempt 1)`. */
static struct cause
cause_dependency(const struct state *s, uint32_t node, struct arena *mem)
{
	const struct node_state *n = &s->nodes[node];
	const struct attempt *a = state_last_attempt(s, node);
	struct str id = plan_id(s->plan, node);
	struct str status = node_status_word(n->status);
	struct cause cause = { 0 };

	changer(s, node, mem, &cause);
	cause.code = CAUSE_DEPENDENCY;
	cause.subject = id;
	cause.detail = status;
	if (n->status == NODE_BLOCKED) {
		cause.sentence = arena_format(mem,
			STR_FMT " is BLOCKED (" STR_FMT ")", STR_ARG(id),
			STR_ARG(block_reason_word(n->block)));
	} else if (is_node_asking(s, node)) {
		cause.sentence = arena_format(mem,
			STR_FMT " is NEEDS_APPROVAL (question q%u)",
			STR_ARG(id), first_ask(s, node) + 1);
	} else if (n->status == NODE_NEEDS_APPROVAL) {
		cause.sentence = arena_format(mem,
			STR_FMT " is NEEDS_APPROVAL (gate " STR_FMT "!%u)",
			STR_ARG(id), STR_ARG(id), n->gates);
	} else if (a != NULL) {
		cause.sentence = arena_format(mem,
			STR_FMT " is " STR_FMT " (attempt %u)", STR_ARG(id),
			STR_ARG(status), a->number);
	} else {
		cause.sentence = arena_format(mem, STR_FMT " is " STR_FMT,
			STR_ARG(id), STR_ARG(status));
	}
	return cause;
}

static void
pending_gather(struct gather *g, uint32_t node)
{
	const struct state *s = g->s;
	const struct contract *c = &s->plan->nodes[node];
	struct str id = plan_id(s->plan, node);

	for (uint32_t i = 0; i < c->depends_count; i++) {
		uint32_t on = s->plan->depends[c->depends_at + i];

		if (s->nodes[on].status == NODE_PASSED ||
			s->nodes[on].status == NODE_SKIPPED)
			continue;
		if (g->ex->count < g->max)
			cause_push(g, cause_dependency(s, on, g->mem));
		else
			g->ex->total++;
	}
	if (c->approval && !is_approved(s, node)) {
		cause_push(g,
			(struct cause){ CAUSE_APPROVAL_AHEAD, id, STR(""),
				STR("it needs an approval, asked for once its "
				    "dependencies are done"),
				STR("a human"),
				arena_format(g->mem, "pawl show " STR_FMT,
					STR_ARG(id)) });
	}
}

/* What is asked about a node, and waits for an answer. */
static void
questions_gather(struct gather *g, uint32_t node)
{
	const struct state *s = g->s;

	for (uint32_t i = 0; s->nodes[node].questions > 0 && i < s->asks.count;
		i++) {
		const struct ask *q = &s->asks.items[i];

		if (q->node != node || q->status != ASK_OPEN)
			continue;
		if (g->ex->count < g->max)
			cause_push(g, cause_question(s, i, g->mem));
		else
			g->ex->total++;
	}
}

/* What was given away and isn't released. */
static void
delegations_gather(struct gather *g, uint32_t node)
{
	const struct state *s = g->s;

	for (uint32_t i = 0;
		s->nodes[node].delegations > 0 && i < s->delegations.count;
		i++) {
		const struct delegation *d = &s->delegations.items[i];

		if (!is_delegation_open(d) ||
			s->attempts.items[d->attempt].node != node)
			continue;
		if (g->ex->count < g->max)
			cause_push(g, cause_delegation(s, i, g->mem));
		else
			g->ex->total++;
	}
}

static struct cause
cause_approval(const struct state *s, uint32_t node, struct arena *mem)
{
	struct str gate = state_gate_id(s, s->nodes[node].gate_1 - 1, mem);

	return (struct cause){ CAUSE_APPROVAL, gate,
		s->gates.items[s->nodes[node].gate_1 - 1].reason,
		arena_format(mem, "gate " STR_FMT " waits for an approval",
			STR_ARG(gate)),
		STR("a human"), cause_command(s, "approve", gate, "", mem) };
}

static struct cause
cause_blocked(const struct state *s, uint32_t node, struct arena *mem)
{
	enum block_reason reason = s->nodes[node].block;
	struct str word = block_reason_word(reason);
	struct str message = state_block_message(s, node);

	return (struct cause){ CAUSE_BLOCKED, plan_id(s->plan, node), word,
		arena_format(mem, "it is BLOCKED (" STR_FMT ")%s" STR_FMT,
			STR_ARG(word), message.len > 0 ? ": " : "",
			STR_ARG(message)),
		str_from(block_reason_who(reason)),
		unblock_command(s, node, mem) };
}

static struct cause
cause_failed(const struct state *s, uint32_t node, struct arena *mem)
{
	const struct attempt *a = state_last_attempt(s, node);
	struct str why = a->cause;
	struct str tail = { 0 }, who;
	struct str command = cause_command_failed(s, node, &who, mem);

	if (a->check_1 != 0 &&
		s->checks.items[a->check_1 - 1].verdict == VERDICT_FAIL) {
		why = s->checks.items[a->check_1 - 1].ended;
		tail = s->checks.items[a->check_1 - 1].tail;
	}
	return (struct cause){ CAUSE_FAILED,
		state_attempt_id(s, s->nodes[node].attempt_1 - 1, mem),
		attempt_status_word(a->status),
		arena_format(mem,
			"attempt %u FAILED (" STR_FMT ")%s" STR_FMT
			"%s" STR_FMT,
			a->number, STR_ARG(attempt_status_word(a->status)),
			why.len > 0 ? ": " : "", STR_ARG(why),
			tail.len > 0 ? ": " : "", STR_ARG(tail)),
		who, command };
}

/* RUNNING without an attempt: its last one was graded `unobserved`. */
static struct cause
cause_unobserved(const struct state *s, uint32_t node, struct arena *mem)
{
	return (struct cause){ CAUSE_UNOBSERVED, plan_id(s->plan, node),
		STR(""),
		arena_format(mem, "attempt %u was graded unobserved%s" STR_FMT,
			state_last_attempt(s, node)->number,
			state_last_attempt(s, node)->cause.len ? ": " : "",
			STR_ARG(state_last_attempt(s, node)->cause)),
		STR("whoever owns the list"), cause_command_new_run(s, mem) };
}

static struct cause
cause_breaker(const struct state *s, struct arena *mem)
{
	bool tripped = is_breaker_tripped(s);
	const struct breaker *b = &s->breaker;

	return (struct cause){ CAUSE_BREAKER, s->run.run, b->cause,
		arena_format(mem,
			"%u attempts in a row ended with '" STR_FMT "'; %s",
			b->count, STR_ARG(b->cause),
			tripped ? "nothing starts until that is mended"
				: "one more tries first"),
		str_from(block_reason_who(BLOCK_ENVIRONMENT)),
		cause_command(s, tripped ? "run" : "watch", STR(""), "", mem) };
}

/* Of the attempt that holds the scope, or is alone in place. */
static struct str
holder_id(const struct state *s, struct hold_answer h, struct arena *mem)
{
	return h.hold == HOLD_WAVE ? plan_id(s->plan, h.other)
				   : state_attempt_id(s, h.other, mem);
}

static struct cause
cause_held(const struct state *s, struct hold_answer h, struct arena *mem)
{
	struct contract_view v = contract_of(s, h.node);
	struct str holder = holder_id(s, h, mem);
	struct str scope = { 0 };
	struct cause cause = { .code = CAUSE_IN_PLACE,
		.subject = holder,
		.who = STR("the coordinator"),
		.command = cause_command(s, "watch", STR(""), "", mem) };

	if (h.scope_1 != 0)
		scope = scope_shown(contract_scope(&v, h.scope_1 - 1));
	if (h.hold == HOLD_SCOPE) {
		cause.code = CAUSE_SCOPE;
		cause.detail = scope;
		cause.sentence = arena_format(mem,
			"scope '" STR_FMT "' overlaps what attempt " STR_FMT
			" holds",
			STR_ARG(scope), STR_ARG(holder));
	} else if (h.hold == HOLD_WAVE && scope.len > 0) {
		cause.code = CAUSE_WAVE;
		cause.detail = scope;
		cause.sentence = arena_format(mem,
			"scope '" STR_FMT "' overlaps " STR_FMT
			", which goes first",
			STR_ARG(scope), STR_ARG(holder));
	} else if (h.hold == HOLD_WAVE) {
		cause.code = CAUSE_WAVE;
		cause.sentence = arena_format(
			mem, STR_FMT " goes first, alone", STR_ARG(holder));
	} else {
		cause.sentence = arena_format(mem,
			"in place a writer works alone, and attempt " STR_FMT
			" is at work",
			STR_ARG(holder));
	}
	return cause;
}

/* What the run's decision holds back. */
static struct cause
cause_decided(const struct state *s, struct hold_answer h, struct arena *mem)
{
	struct cause cause = { .code = CAUSE_SURPLUS,
		.subject = s->run.run,
		.sentence = STR("the run was reduced to other tasks"),
		.who = STR("whoever amends the decision"),
		.command = amend_command(s, mem) };

	if (h.hold == HOLD_BUDGET) {
		cause.code = CAUSE_BUDGET;
		cause.detail =
			str_from(budget_resource_words[s->budget.limits[h.other]
							       .resource]);
		cause.sentence = budget_sentence(s, h.other, STR(""), mem);
	} else if (h.hold == HOLD_WRITER) {
		cause.code = CAUSE_WRITER;
		cause.subject = state_attempt_id(s, h.other, mem);
		cause.sentence = arena_format(mem,
			"one writer at a time, and attempt " STR_FMT
			" is at work",
			STR_ARG(cause.subject));
		cause.who = STR("the coordinator");
		cause.command = cause_command(s, "watch", STR(""), "", mem);
	}
	return cause;
}

void
explain_hold(const struct state *s, struct hold_answer h, struct arena *mem,
	struct cause *ret_cause)
{
	struct cause cause = { .who = STR("the coordinator"),
		.command = cause_command(s, "run", STR(""), "", mem) };

	switch (h.hold) {
	case HOLD_LIVE:
		cause = cause_running(s, h.other, mem);
		break;
	case HOLD_QUESTION:
		cause = cause_question(s, h.other, mem);
		break;
	case HOLD_DELEGATION:
		cause = cause_delegation(s, h.other, mem);
		break;
	case HOLD_CLEANUP:
		cause = cause_cleanup(s, h.other, mem);
		break;
	case HOLD_UNRECONCILED:
		cause.code = CAUSE_UNRECONCILED;
		cause.subject = state_attempt_id(s, h.other, mem);
		cause.sentence = arena_format(mem,
			"attempt %u may have left changes that must be put "
			"back first",
			s->attempts.items[h.other].number);
		if (s->coordinator_name.len > 0)
			cause.command = next_sync(s, mem).command;
		break;
	case HOLD_SCOPE:
	case HOLD_IN_PLACE:
	case HOLD_WAVE:
		cause = cause_held(s, h, mem);
		break;
	case HOLD_SURPLUS:
	case HOLD_BUDGET:
	case HOLD_WRITER:
		cause = cause_decided(s, h, mem);
		break;
	case HOLD_CAPACITY:
		cause.code = CAUSE_CAPACITY;
		cause.subject = s->run.run;
		cause.sentence = capacity_sentence(s, h.node, h.other, mem);
		cause.command = cause_command(s, "watch", STR(""), "", mem);
		break;
	case HOLD_BREAKER:
		cause = cause_breaker(s, mem);
		break;
	case HOLD_SLOTS:
		cause.code = CAUSE_SLOTS;
		cause.subject = s->run.run;
		cause.sentence = arena_format(mem,
			"no slot is free: %u attempts are alive, %llu may be",
			s->live_attempts, (unsigned long long)s->run.slots);
		cause.command = cause_command(s, "watch", STR(""), "", mem);
		break;
	case HOLD_NONE:
	case HOLD_STATUS:
	case HOLD_RUN_CLOSED:
		cause.code = CAUSE_RUN_CLOSED;
		cause.subject = s->run.run;
		cause.sentence = arena_format(mem,
			"the run is closed with outcome '" STR_FMT "'",
			STR_ARG(s->outcome));
		cause.who = STR("whoever owns the list");
		cause.command = cause_command_new_run(s, mem);
		break;
	}
	*ret_cause = cause;
}

/* The verdict of a node whose run can still go on. */
static void
status_gather(struct gather *g, uint32_t node)
{
	const struct state *s = g->s;
	struct explanation *ex = g->ex;
	struct hold_answer h = ready_hold(s, node);
	struct str id = plan_id(s->plan, node);
	const char *verdict = " isn't ready";
	struct cause cause;

	switch ((enum node_status)s->nodes[node].status) {
	case NODE_PENDING:
		pending_gather(g, node);
		break;
	case NODE_NEEDS_APPROVAL:
		if (is_node_asking(s, node))
			questions_gather(g, node);
		else
			cause_push(g, cause_approval(s, node, g->mem));
		break;
	case NODE_BLOCKED:
		cause_push(g, cause_blocked(s, node, g->mem));
		pending_gather(g, node);
		break;
	case NODE_FAILED:
		verdict = " isn't done";
		questions_gather(g, node);
		cause_push(g, cause_failed(s, node, g->mem));
		break;
	case NODE_RUNNING:
		verdict = " isn't done";
		questions_gather(g, node);
		delegations_gather(g, node);
		if (h.hold == HOLD_LIVE)
			cause_push(g, cause_running(s, h.other, g->mem));
		else
			cause_push(g, cause_unobserved(s, node, g->mem));
		break;
	case NODE_READY:
		ex->may_start = h.hold == HOLD_NONE;
		verdict = ex->may_start       ? " may start now"
			: h.hold == HOLD_LIVE ? " isn't done"
					      : " is READY but can't start yet";
		if (ex->may_start)
			break;
		explain_hold(s, h, g->mem, &cause);
		cause_push(g, cause);
		break;
	case NODE_PASSED:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		break;
	}
	ex->verdict = arena_format(g->mem, STR_FMT "%s", STR_ARG(id), verdict);
}

/* More causes than these a node can't have. */
static uint32_t
causes_max(const struct state *s, uint32_t node)
{
	return s->plan->nodes[node].depends_count + s->nodes[node].questions +
		s->nodes[node].delegations + 2;
}

void
explain_node(const struct state *s, uint32_t node, uint32_t max,
	struct arena *mem, struct explanation *ret_explanation)
{
	struct explanation ex = { .node = node };
	struct gather g = { s, &ex, max, mem };
	enum node_status status = s->nodes[node].status;
	struct str id = plan_id(s->plan, node);
	struct cause cause;

	assert(max > 0);
	ex.causes = arena_array(mem,
		max < causes_max(s, node) ? max : causes_max(s, node),
		struct cause);
	if (status == NODE_PASSED || status == NODE_SKIPPED) {
		ex.done = true;
		ex.verdict = arena_format(mem, STR_FMT " is done: " STR_FMT,
			STR_ARG(id), STR_ARG(node_status_word(status)));
	} else if (s->lines_started == 0) {
		ex.verdict =
			arena_format(mem, STR_FMT " isn't ready", STR_ARG(id));
		cause_push(&g,
			(struct cause){ CAUSE_NOT_STARTED, s->run.run, STR(""),
				STR("the run hasn't started"),
				STR("the coordinator"), STR("pawl run LIST") });
	} else if (is_run_closed(s)) {
		ex.verdict =
			arena_format(mem, STR_FMT " isn't done", STR_ARG(id));
		explain_hold(s, (struct hold_answer){ .hold = HOLD_RUN_CLOSED },
			mem, &cause);
		cause_push(&g, cause);
	} else {
		status_gather(&g, node);
	}
	if (status == NODE_FAILED && s->nodes[node].attempt_1 != 0)
		ex.note = confined_hint(s, s->nodes[node].attempt_1 - 1);
	*ret_explanation = ex;
}
