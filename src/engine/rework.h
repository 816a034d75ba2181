/*
 * rework: what a coordinator says about work that isn't right.
 *
 * Each verb is one line of the journal, decided by model/decide_rework.c.  Said
 * again with the same words it changes nothing and is answered as before, with
 * or without an idempotency key; other words under an id that is taken are a
 * conflict.
 *
 * Where the work itself is given up (`fresh`, the last attempt of a node, a
 * node that is blocked), the decision is rehearsed first; then the work is kept
 * as a commit on the attempt's branch and its worktree is removed; then the
 * line is appended.  A call that died in between is said again.
 */
#ifndef PAWL_ENGINE_REWORK_H
#define PAWL_ENGINE_REWORK_H

#include "engine/act.h"
#include "engine/pilot.h"
#include "model/finding_doc.h"

struct rework {
	struct run *run; /* entered by its coordinator */
	const struct repo *repo;
	const struct pilot_config *config;
	struct act act; /* without its request */
};

struct rework_answer {
	struct str id; /* of the finding or decision; in the run's arena */
	bool again;    /* it was said before */
};

/*
 * Register a finding against the node's last attempt; `id` may be empty: the
 * next `f<n>`.  Errors: ERR_INVALID_FINDING, ERR_ATTEMPT_STATE, ERR_ID_TAKEN.
 */
PAWL_MUST_CHECK enum pawl_rc rework_register(const struct rework *w,
	uint32_t node, const struct finding_doc *doc, struct str id,
	struct rework_answer *ret_answer, struct pawl_err *err);

struct rework_rejection {
	struct str hypothesis;
	struct strs findings; /* of an audit; none: the attempt's own check */
	bool fresh;           /* the repair begins from the base */
};

/*
 * Reject the attempt: a repair follows, or the node fails when an audit rejects
 * its last one.  Errors: ERR_ATTEMPT_STATE, ERR_REPAIR_CAP_REACHED,
 * ERR_HYPOTHESIS_KNOWN, ERR_FINDING_NOT_FOUND, ERR_FINDING_NOT_BLOCKING.
 */
PAWL_MUST_CHECK enum pawl_rc rework_reject(const struct rework *w,
	uint32_t attempt, const struct rework_rejection *rejection,
	struct rework_answer *ret_answer, struct pawl_err *err);

struct rework_choice {
	enum rework_action action;
	struct str note;
	struct str id; /* may be empty: the next `d<n>` */
};

/*
 * Decide about a node that has used its allowance.  Errors: ERR_ALLOWANCE_LEFT,
 * ERR_REPAIR_CAP_REACHED, ERR_ATTEMPT_STATE, ERR_ID_TAKEN.
 */
PAWL_MUST_CHECK enum pawl_rc rework_decide(const struct rework *w,
	uint32_t node, const struct rework_choice *choice,
	struct rework_answer *ret_answer, struct pawl_err *err);

struct rework_change {
	struct strs paths;     /* as people write them; none: they stay */
	struct str acceptance; /* likewise */
	struct str check;
	struct str reason;
};

/*
 * Amend the node's contract, while no attempt of it lives: revision + 1, which
 * is `*ret_revision`.  A gate of the old one covers nothing now.
 *
 * Errors: ERR_ATTEMPT_STATE, ERR_REASON_NEEDED, ERR_INVALID_ARGUMENT,
 * ERR_INVALID_PATH, ERR_DIRTY_SCOPE, ERR_INVALID_CHECK, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc rework_amend(const struct rework *w, uint32_t node,
	const struct rework_change *change, uint32_t *ret_revision,
	struct rework_answer *ret_answer, struct pawl_err *err);

/*
 * Give a reserved attempt a scope of its own, wider or narrower, and the
 * capsule for it.  Only paths and reason of the change.
 *
 * Errors: ERR_SCOPE_FROZEN once it has started, ERR_SCOPE_OVERLAP,
 * ERR_APPROVAL_STALE, ERR_REASON_NEEDED, ERR_INVALID_PATH, ERR_DIRTY_SCOPE.
 */
PAWL_MUST_CHECK enum pawl_rc rework_rescope(const struct rework *w,
	uint32_t attempt, const struct rework_change *change,
	struct rework_answer *ret_answer, struct pawl_err *err);

#endif
