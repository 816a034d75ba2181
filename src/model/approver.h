/*
 * approver: who may decide about a gate, and why.
 *
 * The list may name them (`Approval: required [ada]`): then nobody else may,
 * and they may whatever else they do in the run.  Where it names nobody, nobody
 * grants what they ask for: not the run's coordinator, not who worked on the
 * task, not who made the run of the plan in a coordinator's name.  A human who
 * made it as themselves may; the record says `solo` then, and `other` of
 * somebody else.
 *
 * People are compared by the part after the channel: `local:ada`.
 */
#ifndef PAWL_MODEL_APPROVER_H
#define PAWL_MODEL_APPROVER_H

#include "model/state.h"

/* Errors: ERR_NOT_APPROVER, ERR_SELF_APPROVAL. */
PAWL_MUST_CHECK enum pawl_rc approver_may(const struct state *s, uint32_t node,
	struct str by, struct pawl_err *err);

/* By which policy they may: `named`, `solo` or `other`. */
struct str approver_policy(const struct state *s, uint32_t node, struct str by);

#endif
