/*
 * view_request: what the user of a view asks the run's coordinator for.
 *
 * A closed document (schemas/view-request.schema.json) of one wish: a kind, the
 * node, attempt or gate that it is about, and the revision and generation of
 * the view that it was made on.  It is a message, nothing else: it lies in the
 * run's inbox until the coordinator takes it, who then does what it wants by
 * the verbs that it has, or doesn't.
 *
 * It is fenced: what was made on an older view than the run has now is refused,
 * with the current revision, and with whether the view must be read anew (its
 * cursor reaches no delta, or another generation coordinates).
 */
#ifndef PAWL_MODEL_VIEW_REQUEST_H
#define PAWL_MODEL_VIEW_REQUEST_H

#include "model/agent_view.h"

/* clang-format off */
#define VIEW_REQUEST_KIND_MAP(X) \
	X(VIEW_REQUEST_DISPATCH, "dispatch") \
	X(VIEW_REQUEST_CHECK, "check") \
	X(VIEW_REQUEST_REPAIR, "repair") \
	X(VIEW_REQUEST_AMEND, "amend") \
	X(VIEW_REQUEST_APPROVE, "approve") \
	X(VIEW_REQUEST_DENY, "deny") \
	X(VIEW_REQUEST_BLOCK, "block") \
	X(VIEW_REQUEST_UNBLOCK, "unblock") \
	X(VIEW_REQUEST_ABANDON, "abandon") \
	X(VIEW_REQUEST_COMPLETE, "complete") \
	X(VIEW_REQUEST_NOTE, "note")
/* clang-format on */

#define VIEW_REQUEST_ENUM(name, word) name,
enum view_request_kind {
	VIEW_REQUEST_KIND_MAP(VIEW_REQUEST_ENUM) VIEW_REQUEST_KIND_COUNT
};

struct view_request {
	int64_t schema_version;
	struct str request_id; /* the caller's; unique in the run */
	struct str run;
	enum view_request_kind kind;
	struct str target; /* node, attempt or gate; NULL: the run */
	int64_t expected_revision, generation;
	struct str note; /* for people; or NULL */
};

enum {
	VIEW_REQUEST_BYTES = 64 << 10, /* of a document */
	VIEW_REQUEST_NOTE_BYTES = 4096,
};

/*
 * Read one; what it holds are views of a copy in `mem`.
 * Errors: ERR_LIMIT, ERR_NOT_JSON, ERR_INVALID_DOCUMENT with the place.
 */
PAWL_MUST_CHECK enum pawl_rc view_request_read(struct arena *mem,
	struct str bytes, struct view_request *ret_request,
	struct pawl_err *err);

/* As canonical JSON, one line with its LF. */
void view_request_write(const struct view_request *q, struct buf *out);

/*
 * Is it of this run as it stands?  `mem` holds the error's details.
 *
 * Errors: ERR_INVALID_DOCUMENT for another run's; ERR_STALE_SEQ for another
 * revision or generation, with {"current_revision","generation",
 * "reset_required"}; ERR_NODE_NOT_FOUND, ERR_ATTEMPT_NOT_FOUND,
 * ERR_GATE_NOT_FOUND for the target; ERR_RUN_CLOSED.
 */
PAWL_MUST_CHECK enum pawl_rc view_request_fits(const struct view_request *q,
	const struct state *s, struct arena *mem, struct pawl_err *err);

/* Would it still be accepted now? */
bool is_view_request_current(
	const struct view_request *q, const struct state *s);

struct str view_request_kind_word(enum view_request_kind kind);

/* The document's schema, for people, with its last LF. */
void view_request_schema(struct buf *out);

#endif
