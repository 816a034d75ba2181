/*
 * result: what a worker reports at the end of an attempt.
 *
 * A closed JSON document (schemas/result.schema.json), at most
 * BOUND_RESULT_BYTES long:
 *
 *	{"task_id":"API-01","attempt_id":"API-01@1","outcome":"reported",
 *	 "summary":"…","files_changed":["src/api/a.c"],"checks_run":["make
 *test"], "evidence_refs":["file:docs/a.md","commit:<full id>"],"questions":[],
 *	 "external_refs":{"ticket":17}}
 *
 * The first six fields must stand.  Whoever changed files has run at least one
 * check.  A report is a claim: it moves nothing by itself.
 *
 * pawl makes a report itself, from the measured diff, for workers that give
 * none.  Such a *synthesized* one has no checks and may be longer; a worker can
 * not hand one in, since who made it is known from where it came, not from what
 * stands in it.
 */
#ifndef PAWL_MODEL_RESULT_H
#define PAWL_MODEL_RESULT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "model/event.h"
#include "text/fields.h"

enum result_maker {
	RESULT_BY_WORKER,
	RESULT_SYNTHESIZED,
};

enum result_outcome {
	RESULT_REPORTED, /* the only word a worker has */
};

struct result {
	struct str task_id;
	struct str attempt_id;
	enum result_outcome outcome;
	struct str summary;
	const struct str *files_changed; /* paths below the repository */
	uint32_t files_changed_count;
	const struct str *checks_run; /* command lines */
	uint32_t checks_run_count;
	const struct str *evidence_refs; /* `file:` and `commit:` */
	uint32_t evidence_refs_count;
	const struct str *questions;
	uint32_t questions_count;
	const struct json *external_refs; /* NULL when absent */
	const struct json *self; /* the document; NULL when made here */
};

/* The attempt that a report must name. */
struct result_of {
	struct str task_id;
	struct str attempt_id;
};

/*
 * Read the report of an attempt; what it holds are
 * views of a copy in `mem`.
 *
 * Errors: ERR_LIMIT, ERR_NOT_JSON, ERR_INVALID_DOCUMENT for a duplicate key,
 * ERR_INVALID_RESULT with line, column and JSON Pointer.
 */
PAWL_MUST_CHECK enum pawl_rc result_read(struct arena *mem, struct str bytes,
	struct result_of of, enum result_maker maker, struct result *ret_result,
	struct pawl_err *err);

/*
 * Does it name only files that its attempt may change?  `scopes` are in normal
 * form; one that only reads changes none.  That they were changed, and no
 * others, isn't told by a report.
 *
 * Errors: ERR_INVALID_RESULT with the JSON Pointer of the first that it may
 * not.
 */
PAWL_MUST_CHECK enum pawl_rc result_within(const struct result *r,
	struct strs scopes, bool writes, struct arena *mem,
	struct pawl_err *err);

/*
 * As canonical JSON, one line with its LF.
 * Errors: ERR_LIMIT when more than BOUND_RESULT_FILES were changed.
 */
PAWL_MUST_CHECK enum pawl_rc result_write(
	const struct result *r, struct buf *out, struct pawl_err *err);

/* The document's schema, for people, with its last LF. */
void result_schema(struct buf *out);

#endif
