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

/*
 * Append the derived decision.  Its `execution` is `single_writer` when no two
 * of its write packets could ever run side by side, else `parallel`.
 */
void decision_derive(const struct plan *p, const struct waves *w,
	const struct decision_facts *facts, struct arena *mem, struct buf *out);

/* What a run needs to know of its decision; views into the document. */
struct decision {
	struct str id;
	struct str request_digest;
	int64_t revision;
	bool single_writer;
	bool permitted;
};

/*
 * Validate a decision against the list: shape, mode `graph`, contiguous
 * amendments up to its revision, permission, a budget, an integrator, a cleanup
 * plan, and packets that are tasks with the same paths and the same check.
 * Tasks may lack a packet.  `bytes` is changed in place.
 *
 * Errors: ERR_NOT_JSON, ERR_INVALID_DECISION with the JSON Pointer in
 * err->field (in `mem`), ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc decision_check(const struct plan *p, char *bytes,
	size_t len, struct arena *mem, struct decision *ret_decision,
	struct pawl_err *err);

/* The JSON Schema of the document, as schemas/ has it. */
void decision_schema(struct buf *out);

#endif
