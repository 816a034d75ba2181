#include "model/question.h"

#include "model/approver.h"
#include "model/contract.h"

static enum pawl_rc
rule_none(struct question *q)
{
	(void)q;
	return PAWL_OK;
}

static enum pawl_rc
rule_run_started(struct question *q)
{
	if (q->s->lines_started != 0)
		return pawl_fail(q->err, ERR_ID_TAKEN,
			"run '" STR_FMT "' has started already",
			STR_ARG(q->s->run.run));
	return PAWL_OK;
}

static enum pawl_rc
rule_blocked(struct question *q)
{
	enum node_status st = q->s->nodes[q->node].status;

	if (state_live(q->s, q->node) != NULL ||
		(st != NODE_PENDING && st != NODE_READY && st != NODE_RUNNING))
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' is " STR_FMT " and can't be blocked",
			STR_ARG(q->e->node), STR_ARG(node_status_word(st)));
	return PAWL_OK;
}

static enum pawl_rc
rule_unblocked(struct question *q)
{
	enum node_status st = q->s->nodes[q->node].status;

	if (st != NODE_BLOCKED)
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' is " STR_FMT ", not BLOCKED",
			STR_ARG(q->e->node), STR_ARG(node_status_word(st)));
	if (is_surplus(q->s, q->node)) {
		(void)pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"'" STR_FMT "' isn't one of the tasks that the run"
			" was reduced to",
			STR_ARG(q->e->node));
		return pawl_hint(q->err,
			"pawl task amend-decision RUN --decision F --as ID");
	}
	if (str_trim(q->e->reason).len == 0)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"unblocking '" STR_FMT "' needs a reason",
			STR_ARG(q->e->node));
	if (q->s->nodes[q->node].gates == UINT8_MAX)
		return pawl_fail(q->err, ERR_LIMIT,
			"'" STR_FMT "' has had the limit of %d gates",
			STR_ARG(q->e->node), UINT8_MAX);
	return PAWL_OK;
}

static enum pawl_rc
rule_gate_decided(struct question *q)
{
	const struct event *e = q->e;
	const struct gate *g;
	uint32_t at;

	if (!state_find_gate(q->s, e->gate, &at) ||
		q->s->gates.items[at].node != q->node)
		return pawl_fail(q->err, ERR_GATE_NOT_FOUND,
			"run '" STR_FMT "' has no gate '" STR_FMT "'",
			STR_ARG(q->s->run.run), STR_ARG(e->gate));
	g = &q->s->gates.items[at];
	if (!str_eq(e->decision, STR("granted")) &&
		!str_eq(e->decision, STR("denied")))
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"decision '" STR_FMT "' is none of granted, denied",
			STR_ARG(e->decision));
	if (g->status == GATE_STALE)
		return pawl_fail(q->err, ERR_APPROVAL_STALE,
			"gate '" STR_FMT "' binds a contract that was amended",
			STR_ARG(e->gate));
	if (g->status != GATE_OPEN) {
		struct str status = gate_status_word(g->status);

		return pawl_fail(q->err, ERR_GATE_DECIDED,
			"gate '" STR_FMT "' was " STR_FMT " by " STR_FMT
			" at " STR_FMT,
			STR_ARG(e->gate), STR_ARG(status), STR_ARG(g->by),
			STR_ARG(g->at));
	}
	if (!str_eq(e->contract_sha256, g->contract_sha256) ||
		!str_eq(e->scope_sha256, g->scope_sha256)) {
		return pawl_fail(q->err, ERR_APPROVAL_STALE,
			"gate '" STR_FMT
			"' binds another contract than was shown",
			STR_ARG(e->gate));
	}
	return approver_may(q->s, q->node, e->by, q->err);
}

/* Gates open by themselves, in the commit that made them due. */
static enum pawl_rc
rule_gate_opened(struct question *q)
{
	return pawl_fail(q->err, ERR_ATTEMPT_STATE,
		"'" STR_FMT "' is " STR_FMT " and no gate of it is due",
		STR_ARG(q->e->node),
		STR_ARG(node_status_word(q->s->nodes[q->node].status)));
}

static rule_fn *const rules[EVENT_TYPE_COUNT] = {
	/* NULL: not a task run's */
	[EV_RUN_STARTED] = rule_run_started,
	[EV_COORDINATOR_TAKEN_OVER] = decide_taken_over,
	[EV_COORDINATOR_CLAIMED] = decide_claimed,
	[EV_COORDINATOR_TRANSFERRED] = decide_transferred,
	[EV_COORDINATOR_RESUMED] = rule_none,
	[EV_DRIVER_SELECTION_RESERVED] = decide_driver_reserved,
	[EV_DRIVER_SELECTED] = decide_driver_selected,
	[EV_DECISION_AMENDED] = decide_decision_amended,
	[EV_ATTEMPT_RESERVED] = decide_reserved,
	[EV_ATTEMPT_STARTED] = decide_reservation,
	[EV_ATTEMPT_START_FAILED] = decide_reservation,
	[EV_ATTEMPT_REPORTED] = decide_reported,
	[EV_ATTEMPT_INTERRUPTED] = decide_ended,
	[EV_ATTEMPT_LOST] = decide_ended,
	[EV_ATTEMPT_ABANDONED] = decide_abandoned,
	[EV_RESULT_QUARANTINED] = decide_quarantined,
	[EV_RESULT_KEPT] = decide_kept,
	[EV_ATTEMPT_REJECTED] = decide_rejected,
	[EV_WORKSPACE_RECONCILED] = decide_reconciled,
	[EV_CHECK_STARTED] = decide_check_started,
	[EV_CHECK_RECORDED] = decide_check_recorded,
	[EV_INTEGRATED] = decide_integrated,
	[EV_INTEGRATION_FAILED] = decide_integration_failed,
	[EV_NODE_GRADED] = decide_graded,
	[EV_NODE_BLOCKED] = rule_blocked,
	[EV_NODE_UNBLOCKED] = rule_unblocked,
	[EV_GATE_OPENED] = rule_gate_opened,
	[EV_GATE_DECIDED] = rule_gate_decided,
	[EV_QUESTION_OPENED] = decide_question_opened,
	[EV_QUESTION_ANSWERED] = decide_question_answered,
	[EV_DELEGATION_REQUESTED] = decide_delegation_requested,
	[EV_DELEGATION_APPROVED] = decide_delegation_approved,
	[EV_DELEGATION_REJECTED] = decide_delegation_rejected,
	[EV_DELEGATION_STARTED] = decide_delegation_started,
	[EV_DELEGATION_REPORTED] = decide_delegation_reported,
	[EV_DELEGATION_RELEASED] = decide_delegation_released,
	[EV_CLEANUP_REGISTERED] = decide_cleanup_registered,
	[EV_CLEANUP_SETTLED] = decide_cleanup_settled,
	[EV_SCOPE_AMENDED] = decide_scope_amended,
	[EV_SCOPE_VIOLATED] = decide_violated,
	[EV_JOURNAL_REPAIRED] = rule_none,
	[EV_FINDING_RECORDED] = decide_finding,
	[EV_DECISION_RECORDED] = decide_decision,
	[EV_CONTRACT_AMENDED] = decide_amended,
	[EV_RUN_CLOSED] = decide_closed,
	[EV_NODE_IMPORTED] = decide_imported,
};

static bool
is_humans(enum event_type type)
{
	return type == EV_GATE_DECIDED || type == EV_NODE_UNBLOCKED;
}

/* What both a human and the coordinator may say. */
static bool
is_eithers(enum event_type type)
{
	return type == EV_JOURNAL_REPAIRED || type == EV_QUESTION_ANSWERED;
}

/* Design 3.10: who may say this at all, and of which generation. */
static enum pawl_rc
authority(struct question *q)
{
	const struct command *cmd = q->cmd;

	if (!is_eithers(q->e->type) &&
		is_humans(q->e->type) != (cmd->actor == ACTOR_HUMAN)) {
		return pawl_fail(q->err, ERR_NOT_PERMITTED,
			"'" STR_FMT "' isn't %s's to record",
			STR_ARG(event_word(q->e->type)),
			cmd->actor == ACTOR_HUMAN ? "a human"
						  : "a coordinator");
	}
	if (q->e->type == EV_COORDINATOR_TAKEN_OVER ||
		q->e->type == EV_RUN_STARTED)
		return PAWL_OK; /* they begin a generation */
	if (cmd->actor == ACTOR_COORDINATOR && cmd->gen != q->s->gen) {
		return pawl_fail(q->err, ERR_STALE_COORDINATOR,
			"generation %llu has ended; the run is at %llu",
			(unsigned long long)cmd->gen,
			(unsigned long long)q->s->gen);
	}
	if (cmd->actor == ACTOR_COORDINATOR && q->s->vacant &&
		q->e->type != EV_COORDINATOR_CLAIMED) {
		return pawl_fail(q->err, ERR_STALE_COORDINATOR,
			"nobody coordinates run '" STR_FMT
			"': it waits for a claim",
			STR_ARG(q->s->run.run));
	}
	return PAWL_OK;
}

static enum pawl_rc
subject_find(struct question *q)
{
	const struct event *e = q->e;

	if (e->node.len > 0 &&
		state_need_node(q->s, e->node, &q->node, q->err) != PAWL_OK)
		return q->err->rc;
	if (e->attempt.len == 0 || is_event_attempt_new(e->type))
		return PAWL_OK;
	if (state_need_attempt(q->s, e->attempt, &q->attempt, q->err) !=
		PAWL_OK)
		return q->err->rc;
	if (question_attempt(q)->node != q->node)
		return pawl_fail(q->err, ERR_INVALID_ARGUMENT,
			"attempt '" STR_FMT "' is not of node '" STR_FMT "'",
			STR_ARG(e->attempt), STR_ARG(e->node));
	if (q->s->nodes[q->node].attempt_1 != q->attempt + 1 &&
		!is_event_of_earlier(e->type))
		return pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt '" STR_FMT "' is not the last of its node",
			STR_ARG(e->attempt));
	return PAWL_OK;
}

enum pawl_rc
decide(const struct state *s, const struct command *cmd, struct pawl_err *err)
{
	struct question q = {
		.s = s, .cmd = cmd, .e = &cmd->event, .err = err
	};
	enum event_type type = cmd->event.type;
	enum pawl_rc rc;

	if (s->lines_started == 0 && type != EV_RUN_STARTED)
		return pawl_fail(
			err, ERR_RUN_NOT_FOUND, "the run hasn't started");
	if (is_run_closed(s) && type != EV_CLEANUP_SETTLED &&
		type != EV_JOURNAL_REPAIRED &&
		type != EV_COORDINATOR_TAKEN_OVER) {
		return pawl_fail(err, ERR_RUN_CLOSED,
			"run '" STR_FMT "' is closed with outcome '" STR_FMT
			"'",
			STR_ARG(s->run.run), STR_ARG(s->outcome));
	}
	if (rules[type] == NULL)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is a ledger run's",
			STR_ARG(event_word(type)));
	rc = authority(&q);
	if (rc == PAWL_OK)
		rc = subject_find(&q);
	if (rc == PAWL_OK)
		rc = rules[type](&q);
	return rc;
}

static int
node_compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void
decide_due_gates(const struct state *s, struct arena *mem, struct events *out)
{
	uint32_t *due = arena_array(mem, s->due.count, uint32_t);

	for (size_t i = 0; i < s->due.count; i++)
		due[i] = s->due.items[i];
	qsort(due, s->due.count, sizeof(*due), node_compare);
	for (size_t i = 0; i < s->due.count; i++) {
		uint32_t node = due[i];
		struct contract_view v = contract_of(s, node);
		struct str id = plan_id(s->plan, node);
		bool gated =
			s->plan->nodes[node].access < ACCESS_EXTERNAL_WRITE;
		struct event e = { .type = EV_GATE_OPENED, .node = id };

		EVENT_SET(&e, F_GATE, gate,
			arena_format(mem, STR_FMT "!%u", STR_ARG(id),
				s->nodes[node].gates + 1u));
		EVENT_SET(&e, F_REASON, reason,
			gated ? STR("approval") : STR("access"));
		EVENT_SET(&e, F_REVISION, revision, contract_revision(&v));
		EVENT_SET(&e, F_CONTRACT_SHA256, contract_sha256,
			contract_sha256(&v, mem));
		EVENT_SET(&e, F_SCOPE_SHA256, scope_sha256,
			contract_scope_sha256(&v, mem));
		events_push(out, e);
	}
}
