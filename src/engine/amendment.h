/*
 * amendment: a run goes on under the next revision of its decision.
 *
 * The document is judged as one that makes a run is (of mode graph against the
 * frozen list), and must be the run's own decision with more amendments.  Its
 * bytes are an artifact, durable before the line that names them by digest; the
 * line has its budget, and of a run that leaves mode graph the reduction of its
 * last amendment.  What is refused leaves nothing behind; the same document
 * again appends nothing.
 */
#ifndef PAWL_ENGINE_AMENDMENT_H
#define PAWL_ENGINE_AMENDMENT_H

#include "engine/act.h"
#include "model/decision.h"

struct amendment_answer {
	struct str sha256; /* of the document; in the run's arena */
	struct decision decision;
	bool again; /* the run had it */
};

/*
 * Amend the decision of a run that was entered by its coordinator.
 *
 * Errors: ERR_NOT_JSON, ERR_INVALID_DECISION, ERR_STOP_CONDITION;
 * ERR_DECISION_DRIFT when it differs from the list, isn't an amendment of the
 * run's decision, or an older one; ERR_DIGEST_MISMATCH when the run's own
 * decision isn't what the journal says; ERR_ATTEMPT_STATE while an attempt of a
 * task that it leaves out is alive; those of decide() and the journal.
 */
PAWL_MUST_CHECK enum pawl_rc amendment_commit(struct run *r,
	struct str document, const struct act *act,
	struct amendment_answer *ret_answer, struct pawl_err *err);

#endif
