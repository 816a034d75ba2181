/*
 * question: a command with what it names looked up; shared by the parts of
 * decide().
 *
 * Private to model/decide.c (who may ask; the run, its nodes, gates and
 * cleanups), model/decide_attempt.c (attempts), model/decide_verdict.c (checks,
 * grades, imports, the end), model/decide_coordinator.c (who coordinates),
 * model/decide_rework.c (rejections, findings, decisions), model/decide_scope.c
 * (what an attempt may touch), model/decide_ask.c (what workers and
 * coordinators ask), model/decide_delegation.c and model/decide_cleanup.c (what
 * must be gone).
 */
#ifndef PAWL_MODEL_QUESTION_H
#define PAWL_MODEL_QUESTION_H

#include "model/decide.h"
#include "model/ready.h"

struct question {
	const struct state *s;
	const struct command *cmd;
	const struct event *e;
	uint32_t node;    /* valid when the event names one */
	uint32_t attempt; /* likewise; not of a reservation */
	struct pawl_err *err;
};

/* The attempt that the event names. */
static inline const struct attempt *
question_attempt(const struct question *q)
{
	return &q->s->attempts.items[q->attempt];
}

typedef enum pawl_rc rule_fn(struct question *q);

rule_fn decide_decision_amended, decide_within_budget;
rule_fn decide_reserved, decide_reservation, decide_reported, decide_ended,
	decide_rejected, decide_reconciled, decide_check_started,
	decide_check_recorded, decide_integrated, decide_integration_failed,
	decide_graded, decide_imported, decide_closed, decide_violated,
	decide_abandoned, decide_quarantined, decide_kept;
rule_fn decide_taken_over, decide_claimed, decide_transferred,
	decide_driver_reserved, decide_driver_selected;
rule_fn decide_cleanup_registered, decide_cleanup_settled;
rule_fn decide_question_opened, decide_question_answered;
rule_fn decide_delegation_requested, decide_delegation_approved,
	decide_delegation_rejected, decide_delegation_started,
	decide_delegation_reported, decide_delegation_released;

/* ERR_QUESTION_OPEN while a question of the node is. */
rule_fn decide_no_question;
/* ERR_DELEGATION_OPEN while a delegation of the node, or of the run, is. */
rule_fn decide_no_delegation, decide_no_delegations;
rule_fn decide_finding, decide_decision, decide_amended;
rule_fn decide_scope_amended;

/* Paths in normal form, none inside another, none that was dirty before. */
rule_fn decide_paths;

/* It says something, and not too much. */
enum pawl_rc decide_text(struct question *q, struct str text, const char *what);

/* Refuse because the attempt is in another state than `wanted`. */
enum pawl_rc decide_wrong_state(struct question *q, const char *wanted);

/* Refuse because a check of the attempt runs. */
enum pawl_rc decide_checking(struct question *q);

/* Refuse because nothing makes the attempt pass any more. */
enum pawl_rc decide_refused(struct question *q);

/* Refuse because the node may not start, with the words of explain_node(). */
enum pawl_rc decide_not_ready(struct question *q, struct hold_answer h);

#endif
