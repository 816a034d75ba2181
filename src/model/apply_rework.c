#include "base/bounds.h"
#include "model/contract.h"
#include "model/fold.h"
#include "model/rework.h"

/* What the rejection names is registered, of this attempt, and open. */
static enum pawl_rc
findings_hold(struct fold *f)
{
	const struct strs *named = &f->e->findings;
	uint32_t at;

	if (named->count == 0)
		return fold_impossible(f, "an audit names no finding");
	for (uint32_t i = 0; i < named->count; i++) {
		if (!state_find_finding(f->s, named->items[i], &at) ||
			f->s->findings.items[at].attempt != f->attempt ||
			!is_finding_open(f->s, &f->s->findings.items[at]))
			return fold_impossible(
				f, "the finding doesn't block the attempt");
	}
	return PAWL_OK;
}

enum pawl_rc
fold_attempt_rejected(struct fold *f)
{
	struct attempt *a = &f->s->attempts.items[f->attempt];
	struct node_state *n = &f->s->nodes[f->node];
	bool audit = str_eq(f->e->reason, REJECTED_BY_AUDIT);
	bool left = has_repair_left(f->s, f->node);
	enum pawl_rc rc = PAWL_OK;

	if (a->status != ATTEMPT_REPORTED && a->status != ATTEMPT_CHECKED)
		return fold_impossible(f, "the attempt hasn't reported");
	if (state_running_check(f->s, a) != NULL)
		return fold_impossible(f, "a check of the attempt runs");
	if (!audit && a->verdict == VERDICT_PASS && a->cause.len == 0)
		return fold_impossible(f, "the attempt's check has passed");
	if (!left && !audit)
		return fold_impossible(f, "no repair is left");
	if (audit)
		rc = findings_hold(f);
	if (rc != PAWL_OK)
		return rc;
	a->cause = fold_keep(f, f->e->hypothesis);
	a->fresh = f->e->fresh || !left;
	fold_reconciled(f->s, a);
	fold_attempt_end(f, ATTEMPT_REJECTED);
	if (!left) {
		n->grade = GRADE_FAIL;
		return fold_step(f, f->node, NODE_FAILED);
	}
	n->rejects++;
	return fold_step(f, f->node, NODE_READY);
}

enum pawl_rc
fold_finding_recorded(struct fold *f)
{
	struct attempt *a = &f->s->attempts.items[f->attempt];
	struct rework_finding finding = { .attempt = f->attempt };
	enum finding_class class;
	uint32_t at;

	if (a->report_sha256.len == 0 ||
		(!is_attempt_live(a) && a->status != ATTEMPT_SETTLED))
		return fold_impossible(f, "no work of the attempt stands");
	if (!finding_class_from(f->e->class, &class))
		return fold_impossible(f, "the class is no class");
	if (state_find_finding(f->s, f->e->finding, &at))
		return fold_impossible(f, "the finding is recorded already");
	if (f->s->findings.count >= BOUND_FINDINGS)
		return fold_impossible(f, "too many findings");
	finding.class = (uint8_t) class;
	finding.id = fold_keep(f, f->e->finding);
	finding.sha256 = fold_keep(f, f->e->finding_sha256);
	finding.summary = fold_keep(f, f->e->summary);
	rework_findings_push(&f->s->findings, finding);
	if (is_finding_blocking(class)) {
		a->blocking++;
		f->s->findings_blocking++;
	} else if (class == FINDING_HARDENING) {
		f->s->findings_carried++;
	}
	return PAWL_OK;
}

/* The passed check stands against all that was found in the attempt. */
static enum pawl_rc
accept_check(struct fold *f, struct attempt *a)
{
	struct rework_finding *finding;

	if (a == NULL || a->blocking == 0 || a->verdict != VERDICT_PASS)
		return fold_impossible(f, "no finding stands against a check");
	VEC_EACH (finding, &f->s->findings) {
		if (finding->attempt == f->attempt &&
			is_finding_open(f->s, finding))
			finding->overruled = true;
	}
	f->s->findings_blocking -= a->blocking;
	a->blocking = 0;
	return PAWL_OK;
}

enum pawl_rc
fold_granted(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];

	if (n->grants >= BOUND_ANSWERS)
		return fold_impossible(f, "the node was granted too many");
	n->grants++;
	if (n->status != NODE_FAILED)
		return PAWL_OK;
	/* From now on the attempt that failed it is one that was rejected. */
	if (n->grade == GRADE_FAIL)
		n->rejects++;
	n->grade = GRADE_NONE;
	n->ends = 0;
	return fold_step(f, f->node, NODE_READY);
}

static enum pawl_rc
grant(struct fold *f)
{
	if (f->s->nodes[f->node].grants >= BOUND_GRANTS)
		return fold_impossible(f, "the node has had its decision");
	return fold_granted(f);
}

static enum pawl_rc
block(struct fold *f, struct attempt *a)
{
	if (a == NULL)
		return fold_impossible(f, "no attempt of the node is alive");
	f->s->nodes[f->node].grade = GRADE_BLOCKED;
	a->cause = fold_keep(f, f->e->reason);
	fold_reconciled(f->s, a);
	fold_attempt_end(f, ATTEMPT_ABANDONED);
	return fold_block(f, f->node, BLOCK_PREREQUISITE, f->e->reason);
}

/*
 * The coordinator doesn't know how to go on: a human's answer to the question
 * lets the node go on, and is the grant of one attempt more.  The live attempt
 * ends as one whose worker could not go on by itself.
 */
static enum pawl_rc
input_required(struct fold *f, struct attempt *a, uint32_t *ret_ask_1)
{
	uint32_t at;

	if (!state_find_ask(f->s, f->e->question, &at) ||
		!is_ask_for_decision(f->s, f->node, at))
		return fold_impossible(f, "it opened no question");
	*ret_ask_1 = at + 1;
	if (a == NULL)
		return PAWL_OK;
	if (a->status == ATTEMPT_INTEGRATED || is_attempt_checking(f->s, a))
		return fold_impossible(f, "the attempt can't be given up");
	a->cause = CAUSE_INPUT_REQUIRED;
	a->message = fold_keep(f, f->e->reason);
	fold_attempt_end(f, ATTEMPT_INTERRUPTED);
	return fold_step(f, f->node, NODE_NEEDS_APPROVAL);
}

enum pawl_rc
fold_decision_recorded(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];
	struct rework_decision d = { .node = f->node };
	struct attempt *a = NULL;
	enum rework_action action;
	enum pawl_rc rc;
	uint32_t at;

	if (!rework_action_from(f->e->action, &action))
		return fold_impossible(f, "the action is no action");
	if (state_find_decision(f->s, f->e->decision, &at))
		return fold_impossible(f, "the decision is recorded already");
	if (f->s->decisions.count >= BOUND_REWORK_DECISIONS)
		return fold_impossible(f, "too many decisions");
	if (state_live(f->s, f->node) != NULL) {
		f->attempt = n->attempt_1 - 1;
		a = &f->s->attempts.items[f->attempt];
	}
	if (n->status != NODE_FAILED &&
		(a == NULL || a->status < ATTEMPT_REPORTED ||
			has_repair_left(f->s, f->node)))
		return fold_impossible(f, "the allowance isn't used");
	if (is_rework_grant(action))
		rc = grant(f);
	else if (action == REWORK_ACCEPT_CHECK)
		rc = accept_check(f, a);
	else if (action == REWORK_INPUT_REQUIRED)
		rc = input_required(f, a, &d.ask_1);
	else
		rc = block(f, a);
	if (rc != PAWL_OK)
		return rc;
	d.action = (uint8_t)action;
	d.attempt_1 =
		is_rework_grant(action) || d.ask_1 != 0 ? 0 : n->attempt_1;
	d.id = fold_keep(f, f->e->decision);
	d.note = fold_keep(f, f->e->reason);
	rework_decisions_push(&f->s->decisions, d);
	return PAWL_OK;
}

void
fold_decision_consumed(struct fold *f)
{
	struct rework_decision *d;

	VEC_EACH (d, &f->s->decisions) {
		if (d->node == f->node && d->attempt_1 == 0)
			d->attempt_1 = f->attempt + 1;
	}
}

/*
 * A gate of the old revision covers nothing now.  A node that went on by it, or
 * waits for it, is back before its gate: by way of BLOCKED, the only way from
 * READY (design 3.3).
 */
static enum pawl_rc
gate_again(struct fold *f)
{
	struct state *s = f->s;
	struct node_state *n = &s->nodes[f->node];
	struct gate *g;
	enum pawl_rc rc;

	if (n->gate_1 == 0)
		return PAWL_OK;
	g = &s->gates.items[n->gate_1 - 1];
	if (g->status == GATE_OPEN)
		s->gates_open--;
	if (g->status == GATE_OPEN || g->status == GATE_GRANTED)
		g->status = GATE_STALE;
	if (n->status != NODE_READY && n->status != NODE_NEEDS_APPROVAL)
		return PAWL_OK;
	if (n->status == NODE_READY) {
		rc = fold_step(f, f->node, NODE_BLOCKED);
		if (rc != PAWL_OK)
			return rc;
	}
	rc = fold_step(f, f->node, NODE_PENDING);
	return rc == PAWL_OK ? fold_derive(f, f->node) : rc;
}

enum pawl_rc
fold_contract_amended(struct fold *f)
{
	struct node_state *n = &f->s->nodes[f->node];
	struct contract_view old = contract_of(f->s, f->node);
	struct amendment a = { .node = f->node };

	if (state_live(f->s, f->node) != NULL)
		return fold_impossible(f, "an attempt of it is running");
	if (n->status != NODE_PENDING && n->status != NODE_READY &&
		n->status != NODE_NEEDS_APPROVAL && n->status != NODE_BLOCKED)
		return fold_impossible(f, "the node's status doesn't allow it");
	if (f->e->revision != contract_revision(&old) + 1u)
		return fold_impossible(f, "the revision is out of order");
	if (old.amended != NULL)
		a = *old.amended;
	a.revision = (uint32_t)f->e->revision;
	a.reason = fold_keep(f, f->e->reason);
	if (event_has(f->e, F_PATHS))
		a.paths = fold_keep_list(f, f->e->paths);
	if (event_has(f->e, F_ACCEPTANCE))
		a.acceptance = fold_keep(f, f->e->acceptance);
	if (event_has(f->e, F_CHECK)) {
		a.check = fold_keep(f, f->e->check);
		n->red = VERDICT_NONE; /* the other one was seen to fail */
	}
	amendments_push(&f->s->amendments, a);
	n->amendment_1 = (uint32_t)f->s->amendments.count;
	return gate_again(f);
}
