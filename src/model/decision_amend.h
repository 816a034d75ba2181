/*
 * decision_amend: a decision with one more revision.
 *
 * An amendment is a document of its own: the mode from now on, what is known
 * now and wasn't before, why, the check that replaces the selected one, and
 * those parts of the decision that change with it.  Parts that it doesn't name
 * stay.  The same amendment again changes nothing.
 */
#ifndef PAWL_MODEL_DECISION_AMEND_H
#define PAWL_MODEL_DECISION_AMEND_H

#include "model/decision_doc.h"

enum change_execution {
	EXECUTION_AS_BEFORE,
	CHANGE_SINGLE_WRITER,
	CHANGE_PARALLEL
};

struct decision_change {
	enum decision_mode mode;
	const struct str *changed_evidence;
	struct str reason;
	const struct decision_selected *replacement_check;
	const struct decision_reduction *reduction; /* or NULL */
	/* What replaces a part of the decision; NULL and empty: it stays. */
	const struct str *scope;
	const struct decision_assumption *assumptions;
	const struct decision_question *questions;
	const struct decision_packet *packets;
	const struct decision_budget *budget;
	const struct str *stop_conditions;
	const struct str *triggers;
	const struct decision_permission *permission;
	struct str integrator;
	struct str cleanup_plan;
	enum change_execution execution;
	uint32_t changed_evidence_count, scope_count, assumptions_count,
		questions_count, packets_count, budget_count,
		stop_conditions_count, triggers_count;
};

/*
 * Read an amendment; views of a copy in `mem`.  Errors: ERR_NOT_JSON,
 * ERR_LIMIT; ERR_INVALID_DECISION with the JSON Pointer in err->field.
 */
PAWL_MUST_CHECK enum pawl_rc decision_change_read(struct arena *mem,
	struct str bytes, struct decision_change *ret_change,
	struct pawl_err *err);

/*
 * Append the amended decision to `out`; `*ret_again` when this was its last
 * amendment already: then it is the decision as it is.  It is not judged here.
 *
 * Errors: ERR_LIMIT over BOUND_AMENDMENTS.
 */
PAWL_MUST_CHECK enum pawl_rc decision_change_apply(const struct decision_doc *d,
	const struct decision_change *change, struct arena *mem,
	struct buf *out, bool *ret_again, struct pawl_err *err);

/*
 * Is `next` the decision `d` with more amendments?  What both have must be the
 * same in both.  Errors: ERR_DECISION_DRIFT, which says in what they differ.
 */
PAWL_MUST_CHECK enum pawl_rc decision_extends(const struct decision_doc *d,
	const struct decision_doc *next, struct pawl_err *err);

/* The JSON Schema of the amendment. */
void decision_change_schema(struct buf *out);

#endif
