/*
 * finding_doc: what an audit found, as a document.
 *
 * Closed (schemas/finding.schema.json), at most BOUND_FINDING_BYTES long:
 *
 *	{"class":"acceptance_violation","summary":"the empty list is refused",
 *	 "acceptance":"all lists are taken","file":"src/list.c",
 *	 "reproduction":"./list []","smallest_repair":"count from 0",
 *	 "check_gap":"no case of the check is empty"}
 *
 * A class that blocks needs all of it; the others need class and summary.  Two
 * documents are the same finding when their digest is: that of the canonical
 * bytes, which know no order of members and no white space around them.
 */
#ifndef PAWL_MODEL_FINDING_DOC_H
#define PAWL_MODEL_FINDING_DOC_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/event.h"
#include "model/rework.h"

struct finding_doc {
	enum finding_class class;
	struct str summary;
	struct str acceptance; /* what it violates; these may be empty */
	struct str file;       /* in normal form */
	struct str reproduction;
	struct str smallest_repair;
	struct str check_gap; /* why the check doesn't see it */
};

/*
 * Read one from its bytes; strings lie in `mem`.
 *
 * Errors: ERR_INVALID_FINDING with the place in err->field; ERR_NOT_JSON;
 * ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc finding_doc_read(struct arena *mem,
	struct str bytes, struct finding_doc *ret_doc, struct pawl_err *err);

/* SHA-256 of the canonical bytes, in hex, in `mem`. */
struct str finding_doc_sha256(const struct finding_doc *d, struct arena *mem);

/* What a `finding_recorded` says of it, but for its id and attempt. */
void finding_doc_set(
	struct event *e, const struct finding_doc *d, struct arena *mem);

/* Append the JSON Schema. */
void finding_doc_schema(struct buf *out);

#endif
