/*
 * decision: which mode of work was chosen for a run, and on what grounds.
 *
 * The process decision is frozen beside a run's list; no run lacks one.  It is
 * derived from the list when nobody wrote one: mode `graph`, revision 1, a
 * packet for each task.  Creating a run validates that its decision still says
 * what the list says.  Each observation names its provenance: `measured` by
 * pawl, or `reported` by whoever started the run.
 */
#ifndef PAWL_MODEL_DECISION_H
#define PAWL_MODEL_DECISION_H

#include "model/decision_doc.h"
#include "model/decision_finding.h"
#include "model/event.h"
#include "model/plan.h"
#include "model/waves.h"
#include "text/json.h"

/* What deriving needs beyond the plan. */
struct decision_facts {
	struct str request_sha256; /* of the list's bytes; 64 digits */
	struct str base;           /* commit of the checkout, or empty */
	struct str
		permission; /* whose act it is, such as `local:ada`; filled */
	uint32_t dirty_paths;
	uint32_t slots; /* workers at once */
};

/* What a run needs to know of its decision; views into the document. */
struct decision {
	struct str id;
	struct str request_digest;
	int64_t revision;
	enum decision_mode mode;
	bool single_writer;
	bool permitted;
	struct strs budget; /* its limits, as lines (model/budget.h) */
};

/*
 * Append the derived decision.  Its `execution` is `single_writer` when no two
 * of its write packets could ever run side by side, else `parallel`.  What a
 * run needs to know of it is in `ret_decision`.
 */
void decision_derive(const struct plan *p, const struct waves *w,
	const struct decision_facts *facts, struct arena *mem, struct buf *out,
	struct decision *ret_decision);

void decision_of(const struct decision_doc *d, struct arena *mem,
	struct decision *ret_decision);

/*
 * Find all that is wrong with a decision, and, with a plan, all in which it
 * differs from the list: mode `graph`, packets that are tasks with the same
 * paths and the same check (tasks may lack a packet), an execution that the
 * list allows.  `bytes` is changed in place; everything else is in `mem`.
 * With a violation of the fields themselves `ret_doc` is partly filled, and
 * nothing else is looked for.
 *
 * Errors: ERR_NOT_JSON, ERR_INVALID_DOCUMENT for a duplicate key, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc decision_judge(const struct plan *p, char *bytes,
	size_t len, struct arena *mem, struct decision_doc *ret_doc,
	struct decision_findings *ret_findings, struct pawl_err *err);

/*
 * The same, as a yes or no.
 *
 * Errors: those of decision_judge; ERR_INVALID_DECISION, or ERR_DECISION_DRIFT
 * when only the list and the decision differ, with the JSON Pointer in
 * err->field (in `mem`).
 */
PAWL_MUST_CHECK enum pawl_rc decision_check(const struct plan *p, char *bytes,
	size_t len, struct arena *mem, struct decision *ret_decision,
	struct pawl_err *err);

/*
 * Why work under this decision mustn't begin, by what it says itself:
 * `missing_permission`, `insufficient_oracle_for_blast_radius`,
 * `budget_exhausted:RESOURCE` for a hard limit of 0, `budget_unavailable:…` for
 * a hard limit of what can't be measured.  In `mem`.
 */
struct strs decision_stops(const struct decision_doc *d, struct arena *mem);

/*
 * May a run of the plan begin under this decision?  `path` is for messages.
 *
 * Errors: ERR_STOP_CONDITION with the reasons in its details; those of
 * decision_check; prefixed with the path.
 */
PAWL_MUST_CHECK enum pawl_rc decision_fit(const struct plan *p,
	struct str bytes, const char *path, struct arena *mem,
	struct decision_doc *ret_doc, struct pawl_err *err);

/* The JSON Schema of the document, as schemas/ has it. */
void decision_schema(struct buf *out);

#endif
