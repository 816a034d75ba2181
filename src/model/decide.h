/*
 * decide: may this be recorded?
 *
 * A command is an event that somebody proposes, with what was measured about
 * the world and who asks.  decide() is pure: the same command on the same state
 * gives the same answer.  After a yes the engine folds the event (apply), asks
 * for the gates that became due, and commits all of it as one line.
 *
 * Refusals carry a code and say what stands in the way; nothing is changed.
 */
#ifndef PAWL_MODEL_DECIDE_H
#define PAWL_MODEL_DECIDE_H

#include "model/state.h"

enum actor_kind { ACTOR_COORDINATOR, ACTOR_HUMAN };

struct command {
	struct event event;
	enum actor_kind actor;
	uint64_t gen;    /* a coordinator's own generation */
	struct str at;   /* wall time of the commit; empty: not known */
	bool owner_dead; /* a takeover: the old owner is proven dead */
};

/*
 * Errors: ERR_NOT_PERMITTED, ERR_STALE_COORDINATOR, ERR_RUN_NOT_FOUND,
 * ERR_RUN_CLOSED, ERR_RUN_HELD, ERR_ID_TAKEN, ERR_NODE_NOT_FOUND,
 * ERR_ATTEMPT_NOT_FOUND, ERR_ATTEMPT_STATE, ERR_GATE_NOT_FOUND,
 * ERR_GATE_DECIDED, ERR_QUESTION_NOT_FOUND, ERR_QUESTION_ANSWERED,
 * ERR_QUESTION_STALE, ERR_QUESTION_OPEN, ERR_APPROVAL_STALE,
 * ERR_INVALID_ARGUMENT, ERR_LIMIT; of a claim ERR_ALREADY_CLAIMED,
 * ERR_DIGEST_MISMATCH; of a takeover ERR_REASON_NEEDED; of rework
 * ERR_FINDING_NOT_FOUND, ERR_FINDING_NOT_BLOCKING, ERR_FINDING_OPEN,
 * ERR_HYPOTHESIS_KNOWN, ERR_REPAIR_CAP_REACHED, ERR_ALLOWANCE_LEFT; of an
 * attempt's scope ERR_SCOPE_FROZEN, ERR_SCOPE_OVERLAP, ERR_APPROVAL_STALE; of a
 * delegation ERR_DELEGATION_NOT_FOUND, ERR_DELEGATION_STATE,
 * ERR_DELEGATION_WIDENS, ERR_DELEGATION_OPEN, ERR_STALE_SEQ; of a
 * cleanup ERR_CLEANUP_NOT_FOUND, ERR_CLEANUP_SETTLED, ERR_CLEANUP_TAKEN,
 * ERR_CLEANUP_UNPROVEN; of a reservation with the words of explain_node():
 * ERR_TASK_NOT_READY, ERR_SCOPE_OVERLAP, ERR_APPROVAL_NEEDED, ERR_BUSY (no free
 * slot), ERR_BUDGET_EXHAUSTED; of an amendment ERR_DECISION_DRIFT,
 * ERR_INVALID_DECISION.
 */
PAWL_MUST_CHECK enum pawl_rc decide(
	const struct state *s, const struct command *cmd, struct pawl_err *err);

/*
 * The `gate_opened` events of the nodes that are due one, in document order.
 * Strings lie in `mem`.
 */
void decide_due_gates(
	const struct state *s, struct arena *mem, struct events *out);

#endif
