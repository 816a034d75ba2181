#include "model/event_table.h"
#include "model/fold.h"
#include "model/wall.h"

#include <string.h>

enum pawl_rc
fold_impossible(struct fold *f, const char *why)
{
	return pawl_fail(f->err, ERR_CORRUPT,
		"line %llu: event '" STR_FMT "' of '" STR_FMT "': %s",
		(unsigned long long)f->line->seq,
		STR_ARG(event_word(f->e->type)), STR_ARG(f->e->node), why);
}

struct str
fold_keep(struct fold *f, struct str s)
{
	return s.len ? arena_copy(&f->s->mem, s) : (struct str){ "", 0 };
}

struct strs
fold_keep_list(struct fold *f, struct strs list)
{
	struct strs copy = { arena_array(&f->s->mem, list.count, struct str),
		list.count };

	for (uint32_t i = 0; i < list.count; i++)
		copy.items[i] = fold_keep(f, list.items[i]);
	return copy;
}

/* Most are of the machine and the boot that the coordinator is on. */
static struct str
keep_again(struct fold *f, struct str s, struct str known)
{
	return str_eq(s, known) ? known : fold_keep(f, s);
}

struct owner_id
fold_keep_owner(struct fold *f)
{
	const struct owner_id *known = &f->s->coordinator;
	const struct event *e = f->e;

	return (struct owner_id){ keep_again(f, e->machine, known->machine),
		keep_again(f, e->boot, known->boot), e->pidns, e->pid,
		e->start };
}

/* Steps of design 3.3, a row for `from`, a bit for each `to`. */
#define TO(status) (1u << (status))
static const uint8_t steps[NODE_STATUS_COUNT] = {
	[NODE_PENDING] = TO(NODE_READY) | TO(NODE_NEEDS_APPROVAL) |
		TO(NODE_SKIPPED) | TO(NODE_BLOCKED),
	[NODE_READY] = TO(NODE_RUNNING) | TO(NODE_SKIPPED) | TO(NODE_BLOCKED),
	[NODE_RUNNING] = TO(NODE_PASSED) | TO(NODE_FAILED) | TO(NODE_READY) |
		TO(NODE_BLOCKED) | TO(NODE_NEEDS_APPROVAL),
	[NODE_NEEDS_APPROVAL] =
		TO(NODE_PENDING) | TO(NODE_BLOCKED) | TO(NODE_SKIPPED),
	[NODE_BLOCKED] = TO(NODE_PENDING) | TO(NODE_SKIPPED),
	[NODE_FAILED] = TO(NODE_READY),
};

static void
history_push(struct state *s, uint32_t node, enum node_status to)
{
	struct node_state *n = &s->nodes[node];

	if (n->history_count < HISTORY_INLINE)
		n->history[n->history_count++] = (uint8_t)to;
	else
		history_entries_push(&s->history,
			(struct history_entry){ node, (uint8_t)to });
}

/* Only a PENDING node is due a gate. */
static void
due_remove(struct state *s, uint32_t node)
{
	for (size_t i = 0; i < s->due.count; i++) {
		if (s->due.items[i] != node)
			continue;
		s->due.items[i] = s->due.items[--s->due.count];
		return;
	}
}

enum pawl_rc
fold_step(struct fold *f, uint32_t node, enum node_status to)
{
	struct state *s = f->s;
	struct node_state *n = &s->nodes[node];

	if ((steps[n->status] & TO(to)) == 0)
		return fold_impossible(f, "the node's status doesn't allow it");
	if (n->status == NODE_PENDING)
		due_remove(s, node);
	s->by_status[n->status]--;
	s->by_status[to]++;
	if (n->status == NODE_READY)
		rankset_remove(&s->ready, s->rank_of[node]);
	n->status = (uint8_t)to;
	n->seq = f->line->seq;
	history_push(s, node, to);
	if (to == NODE_READY)
		rankset_add(&s->ready, s->rank_of[node]);
	if (to == NODE_RUNNING)
		n->runs++;
	if (to != NODE_BLOCKED)
		n->block = BLOCK_NONE;
	return PAWL_OK;
}

enum pawl_rc
fold_block(struct fold *f, uint32_t node, enum block_reason reason,
	struct str message)
{
	enum pawl_rc rc = fold_step(f, node, NODE_BLOCKED);

	if (rc != PAWL_OK)
		return rc;
	f->s->nodes[node].block = (uint8_t)reason;
	blocks_push(
		&f->s->blocks, (struct block){ node, fold_keep(f, message) });
	f->s->nodes[node].block_1 = (uint32_t)f->s->blocks.count;
	return PAWL_OK;
}

enum pawl_rc
fold_derive(struct fold *f, uint32_t node)
{
	struct state *s = f->s;

	if (s->nodes[node].status != NODE_PENDING || s->nodes[node].waiting > 0)
		return PAWL_OK;
	if (s->plan->nodes[node].approval && !is_approved(s, node)) {
		node_numbers_push(&s->due, node);
		return PAWL_OK;
	}
	return fold_step(f, node, NODE_READY);
}

enum pawl_rc
fold_passed(struct fold *f, uint32_t node)
{
	const struct plan *p = f->s->plan;
	const struct contract *c = &p->nodes[node];
	enum pawl_rc rc = fold_step(f, node, NODE_PASSED);

	for (uint32_t i = 0; rc == PAWL_OK && i < c->dependants_count; i++) {
		uint32_t to = p->dependants[c->dependants_at + i];

		f->s->nodes[to].waiting--;
		rc = fold_derive(f, to);
	}
	return rc;
}

static enum pawl_rc
run_started(struct fold *f)
{
	const struct event *e = f->e;
	struct state *s = f->s;
	enum pawl_rc rc = PAWL_OK;

	if (s->lines_started != 0 || f->line->seq != 1)
		return fold_impossible(
			f, "a run starts once, with its first line");
	s->lines_started = 1;
	s->run = (struct run_facts){
		.run = fold_keep(f, e->run),
		.list = fold_keep(f, e->list),
		.list_sha256 = fold_keep(f, e->list_sha256),
		.list_bytes = e->list_bytes,
		.decision_sha256 = fold_keep(f, e->decision_sha256),
		.repo = fold_keep(f, e->repo),
		.base = fold_keep(f, e->base),
		.branch = fold_keep(f, e->branch),
		.profile = fold_keep(f, e->profile),
		.filesystem = fold_keep(f, e->filesystem),
		.version = fold_keep(f, e->version),
		.binary = fold_keep(f, e->binary),
		.author = fold_keep(f, e->by),
		.argv = fold_keep_list(f, e->argv),
		.secrets = fold_keep_list(f, e->secrets),
		.dirty = fold_keep_list(f, e->dirty),
		.sandbox = fold_keep(f, e->sandbox),
		.reads = fold_keep_list(f, e->reads),
		.writes = fold_keep_list(f, e->writes),
		.check_net = e->check_net,
		.agents_sha256 = fold_keep(f, e->agents_sha256),
		.slots = e->slots,
		.capacity = fold_keep_list(f, e->capacity),
		.device = e->device,
		.allow_dirty = e->allow_dirty,
		.strict = e->strict,
		.placement = str_eq(e->placement, STR("worktree"))
			? PLACEMENT_WORKTREE
			: PLACEMENT_IN_PLACE,
	};
	rc = fold_decision_begun(f);
	s->coordinator = fold_keep_owner(f);
	s->driver_asked = fold_keep(f, e->driver);
	s->coordinator_capsule = fold_keep(f, e->capsule_sha256);
	s->capsule_gen = f->line->gen;
	s->vacant = event_has(e, F_CAPSULE_SHA256);
	for (uint32_t i = 0; rc == PAWL_OK && i < s->plan->count; i++)
		rc = fold_derive(f, i);
	return rc;
}

static enum pawl_rc
node_blocked(struct fold *f)
{
	if (state_live(f->s, f->node) != NULL)
		return fold_impossible(f, "an attempt of it is running");
	return fold_block(
		f, f->node, block_reason_from(f->e->reason), f->e->message);
}

static enum pawl_rc
node_unblocked(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];
	enum pawl_rc rc = fold_step(f, f->node, NODE_PENDING);

	if (rc != PAWL_OK)
		return rc;
	n->start_failures = 0;
	n->ends = 0;
	n->red = VERDICT_NONE;
	n->grade = GRADE_NONE;
	f->s->breaker = (struct breaker){ 0 };
	return fold_derive(f, f->node);
}

static enum pawl_rc
gate_opened(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];
	struct gate g = { .node = f->node, .number = n->gates + 1u };

	if (n->gates == UINT8_MAX || n->waiting > 0 ||
		state_live(f->s, f->node) != NULL)
		return fold_impossible(f, "the node can't open a gate");
	if (!is_numbered_id(f->e->gate, f->e->node, '!', g.number))
		return fold_impossible(f, "the gate's id is out of order");
	g.reason = fold_keep(f, f->e->reason);
	g.contract_sha256 = fold_keep(f, f->e->contract_sha256);
	g.scope_sha256 = fold_keep(f, f->e->scope_sha256);
	n->gates++;
	gates_push(&f->s->gates, g);
	n->gate_1 = (uint32_t)f->s->gates.count;
	f->s->gates_open++;
	return fold_step(f, f->node, NODE_NEEDS_APPROVAL);
}

static enum pawl_rc
gate_decided(struct fold *f)
{
	struct state *s = f->s;
	enum pawl_rc rc;
	uint32_t at;
	struct gate *g;

	if (!state_find_gate(s, f->e->gate, &at) ||
		s->gates.items[at].node != f->node)
		return fold_impossible(f, "no such gate");
	g = &s->gates.items[at];
	if (g->status != GATE_OPEN || s->nodes[f->node].gate_1 != at + 1)
		return fold_impossible(f, "the gate isn't open");
	g->by = fold_keep(f, f->e->by);
	g->at = fold_keep(f, f->line->at);
	g->assurance = fold_keep(f, f->e->assurance);
	g->policy = fold_keep(f, f->e->policy);
	g->why = fold_keep(f, f->e->reason);
	s->gates_open--;
	if (str_eq(f->e->decision, STR("denied"))) {
		g->status = GATE_DENIED;
		return fold_block(f, f->node, BLOCK_DENIED, g->why);
	}
	if (!str_eq(f->e->decision, STR("granted")))
		return fold_impossible(f, "the decision is no decision");
	g->status = GATE_GRANTED;
	rc = fold_step(f, f->node, NODE_PENDING);
	return rc == PAWL_OK ? fold_derive(f, f->node) : rc;
}

static enum pawl_rc
journal_repaired(struct fold *f)
{
	(void)f; /* a fact about the file, not about the run */
	return PAWL_OK;
}

static enum pawl_rc
run_closed(struct fold *f)
{
	if (is_run_closed(f->s))
		return fold_impossible(f, "the run is closed already");
	if (f->e->outcome.len == 0)
		return fold_impossible(f, "the outcome is empty");
	if (f->s->due.count > 0)
		return fold_impossible(f, "a gate is due");
	f->s->outcome = fold_keep(f, f->e->outcome);
	return PAWL_OK;
}

static apply_fn *const appliers[EVENT_TYPE_COUNT] = {
	/* NULL: not a task run's */
	[EV_RUN_STARTED] = run_started,
	[EV_COORDINATOR_TAKEN_OVER] = fold_coordinator_taken_over,
	[EV_COORDINATOR_CLAIMED] = fold_coordinator_claimed,
	[EV_COORDINATOR_TRANSFERRED] = fold_coordinator_transferred,
	[EV_COORDINATOR_RESUMED] = fold_coordinator_resumed,
	[EV_DRIVER_SELECTION_RESERVED] = fold_driver_reserved,
	[EV_DRIVER_SELECTED] = fold_driver_selected,
	[EV_DECISION_AMENDED] = fold_decision_amended,
	[EV_ATTEMPT_RESERVED] = fold_attempt_reserved,
	[EV_ATTEMPT_STARTED] = fold_attempt_started,
	[EV_ATTEMPT_START_FAILED] = fold_attempt_start_failed,
	[EV_ATTEMPT_REPORTED] = fold_attempt_reported,
	[EV_ATTEMPT_INTERRUPTED] = fold_attempt_interrupted,
	[EV_ATTEMPT_LOST] = fold_attempt_lost,
	[EV_ATTEMPT_ABANDONED] = fold_attempt_abandoned,
	[EV_RESULT_QUARANTINED] = fold_result_quarantined,
	[EV_RESULT_KEPT] = fold_result_kept,
	[EV_ATTEMPT_REJECTED] = fold_attempt_rejected,
	[EV_WORKSPACE_RECONCILED] = fold_workspace_reconciled,
	[EV_CHECK_STARTED] = fold_check_started,
	[EV_CHECK_RECORDED] = fold_check_recorded,
	[EV_INTEGRATED] = fold_integrated,
	[EV_INTEGRATION_FAILED] = fold_integration_failed,
	[EV_NODE_GRADED] = fold_node_graded,
	[EV_NODE_BLOCKED] = node_blocked,
	[EV_NODE_UNBLOCKED] = node_unblocked,
	[EV_GATE_OPENED] = gate_opened,
	[EV_GATE_DECIDED] = gate_decided,
	[EV_QUESTION_OPENED] = fold_question_opened,
	[EV_QUESTION_ANSWERED] = fold_question_answered,
	[EV_DELEGATION_REQUESTED] = fold_delegation_requested,
	[EV_DELEGATION_APPROVED] = fold_delegation_approved,
	[EV_DELEGATION_REJECTED] = fold_delegation_rejected,
	[EV_DELEGATION_STARTED] = fold_delegation_started,
	[EV_DELEGATION_REPORTED] = fold_delegation_reported,
	[EV_DELEGATION_RELEASED] = fold_delegation_released,
	[EV_CLEANUP_REGISTERED] = fold_cleanup_registered,
	[EV_CLEANUP_SETTLED] = fold_cleanup_settled,
	[EV_SCOPE_AMENDED] = fold_scope_amended,
	[EV_SCOPE_VIOLATED] = fold_scope_violated,
	[EV_JOURNAL_REPAIRED] = journal_repaired,
	[EV_FINDING_RECORDED] = fold_finding_recorded,
	[EV_DECISION_RECORDED] = fold_decision_recorded,
	[EV_CONTRACT_AMENDED] = fold_contract_amended,
	[EV_RUN_CLOSED] = run_closed,
	[EV_NODE_IMPORTED] = fold_node_imported,
};

/* Most events are of the node that the one before was of. */
static bool
node_find(struct fold *f)
{
	struct state *s = f->s;
	struct str id = f->e->node;

	if (!(s->plan->count > 0 &&
		    str_eq(plan_id(s->plan, s->last_node), id)) &&
		!plan_find(s->plan, id, &s->last_node))
		return false;
	f->node = s->last_node;
	return true;
}

/* Most events are of the last attempt of their node. */
static bool
attempt_find(struct fold *f)
{
	const struct state *s = f->s;
	const struct event *e = f->e;
	uint32_t last_1 = e->node.len > 0 ? s->nodes[f->node].attempt_1 : 0;

	if (last_1 == 0 ||
		!is_numbered_id(e->attempt, e->node, '@',
			s->attempts.items[last_1 - 1].number))
		return state_find_attempt(s, e->attempt, &f->attempt);
	f->attempt = last_1 - 1;
	return true;
}

/* Find what the event names; some may name a new attempt. */
static enum pawl_rc
subject_find(struct fold *f)
{
	const struct event *e = f->e;
	struct attempt *a;

	if (e->node.len > 0 && !node_find(f))
		return fold_impossible(f, "the plan has no such node");
	if (e->attempt.len == 0 || is_event_attempt_new(e->type))
		return PAWL_OK;
	if (!attempt_find(f))
		return fold_impossible(f, "no such attempt");
	a = &f->s->attempts.items[f->attempt];
	if (a->node != f->node)
		return fold_impossible(f, "the attempt is of another node");
	if (f->s->nodes[f->node].attempt_1 != f->attempt + 1 &&
		!is_event_of_earlier(e->type))
		return fold_impossible(f, "the attempt isn't the node's last");
	return PAWL_OK;
}

/* Of the last line only, so in one place for all of them. */
static void
at_keep(struct fold *f)
{
	struct state *s = f->s;
	struct str at = f->line->at;

	s->wall_ms += wall_between(s->at, at);
	if (at.len > sizeof(s->at_room->text)) {
		s->at = fold_keep(f, at);
		return;
	}
	if (s->at_room == NULL)
		s->at_room = arena_new(&s->mem, struct at_room);
	memcpy(s->at_room->text, at.ptr, at.len);
	s->at = (struct str){ s->at_room->text, at.len };
}

enum pawl_rc
apply(struct state *s, const struct line_facts *line, const struct event *e,
	struct pawl_err *err)
{
	struct fold f = { .s = s, .line = line, .e = e, .err = err };
	enum pawl_rc rc;

	if (s->lines_started == 0 && e->type != EV_RUN_STARTED)
		return fold_impossible(&f, "the run hasn't started");
	if (is_run_closed(s) && e->type != EV_CLEANUP_SETTLED &&
		e->type != EV_JOURNAL_REPAIRED &&
		e->type != EV_COORDINATOR_TAKEN_OVER)
		return fold_impossible(&f, "the run is closed");
	if (line->gen < s->gen || line->seq < s->seq)
		return fold_impossible(&f, "generation or number fell");
	if (line->gen != s->gen && !event_begins_generation(e->type))
		return fold_impossible(&f, "it can't raise the generation");
	if (appliers[e->type] == NULL)
		return fold_impossible(&f, "only a ledger run has such events");
	rc = subject_find(&f);
	if (rc == PAWL_OK)
		rc = appliers[e->type](&f);
	if (rc != PAWL_OK)
		return rc;
	if (s->seq != line->seq)
		at_keep(&f);
	if (event_kinds[e->type].about != ABOUT_RUN)
		s->nodes[f.node].seq = line->seq;
	s->last_type = (uint8_t)e->type;
	s->seq = line->seq;
	s->gen = line->gen;
	return PAWL_OK;
}
