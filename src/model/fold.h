/*
 * fold: what the parts of apply share: one event on its way into a state.
 *
 * Private to model/apply.c (the run, its nodes, gates and cleanups),
 * model/apply_attempt.c (attempts and their checks), model/apply_import.c,
 * model/apply_coordinator.c (who coordinates), model/apply_rework.c
 * (rejections, findings, decisions), model/apply_scope.c (what an attempt may
 * touch), model/apply_cleanup.c (what must be gone), model/apply_ask.c
 * (questions) and model/apply_delegation.c.
 */
#ifndef PAWL_MODEL_FOLD_H
#define PAWL_MODEL_FOLD_H

#include "model/apply.h"

struct fold {
	struct state *s;
	const struct line_facts *line;
	const struct event *e;
	uint32_t node;    /* valid when the event names one */
	uint32_t attempt; /* likewise */
	struct pawl_err *err;
};

typedef enum pawl_rc apply_fn(struct fold *f);

/* Fail with ERR_CORRUPT and the line: no version of pawl wrote this here. */
enum pawl_rc fold_impossible(struct fold *f, const char *why);

/* Copies that live as long as the state. */
struct str fold_keep(struct fold *f, struct str s);
struct strs fold_keep_list(struct fold *f, struct strs list);
struct owner_id fold_keep_owner(struct fold *f);

/* How the event's process ended: `exit 1`, `signal 9`, `timeout`, … */
struct str fold_ended_words(struct fold *f);

/* Take a node one step of design 3.3 on; any other step is impossible. */
PAWL_MUST_CHECK enum pawl_rc fold_step(
	struct fold *f, uint32_t node, enum node_status to);
PAWL_MUST_CHECK enum pawl_rc fold_block(struct fold *f, uint32_t node,
	enum block_reason reason, struct str message);

/* A PENDING node whose dependencies are resolved goes on, or is due a gate. */
PAWL_MUST_CHECK enum pawl_rc fold_derive(struct fold *f, uint32_t node);

/* The attempt has ended: what its worker asked and nobody answered is stale. */
void fold_asks_end(struct fold *f);

/* Likewise: what it delegated ends with it, unless that has started. */
void fold_delegations_end(struct fold *f);

/* PASSED, and what that lets go on. */
PAWL_MUST_CHECK enum pawl_rc fold_passed(struct fold *f, uint32_t node);

/* The attempt that `f` is of is over: free its slot and its scopes. */
void fold_attempt_end(struct fold *f, enum attempt_status status);

/* Take the scopes of the attempt, or give them back. */
void fold_scopes_hold(struct fold *f, bool hold);

/* The attempt was reserved: a decision that granted it has served. */
void fold_decision_consumed(struct fold *f);

/* Its workspace is in question no more. */
void fold_reconciled(struct state *s, struct attempt *a);

apply_fn fold_attempt_reserved, fold_attempt_started, fold_attempt_start_failed,
	fold_attempt_reported, fold_attempt_interrupted, fold_attempt_lost,
	fold_attempt_abandoned, fold_result_quarantined, fold_result_kept,
	fold_attempt_rejected, fold_workspace_reconciled, fold_check_started,
	fold_check_recorded, fold_integrated, fold_integration_failed,
	fold_node_graded, fold_node_imported, fold_scope_amended,
	fold_scope_violated;
apply_fn fold_coordinator_taken_over, fold_coordinator_claimed,
	fold_coordinator_transferred, fold_coordinator_resumed,
	fold_driver_reserved, fold_driver_selected;
apply_fn fold_decision_begun, fold_decision_amended;
apply_fn fold_finding_recorded, fold_decision_recorded, fold_contract_amended;
apply_fn fold_cleanup_registered, fold_cleanup_settled;
apply_fn fold_question_opened, fold_question_answered;
apply_fn fold_delegation_requested, fold_delegation_approved,
	fold_delegation_rejected, fold_delegation_started,
	fold_delegation_reported, fold_delegation_released;

#endif
