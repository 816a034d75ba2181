/*
 * ask_doc: a question on its way from a worker to the run, and its answer on
 * the way back.
 *
 * The worker's message is a closed document (schemas/question.schema.json):
 *
 *	{"attempt_id":"API-01@1","kind":"question","text":"Which database?"}
 *
 * `act` is what wants a human's authority, such as a publication.  The answer
 * is pawl's word to the worker and read by nobody else:
 *
 *	{"question":"q1","attempt":"API-01@1","ask":1,"prompt":"…","answer":"…",
 *	 "by":"local:ada","assurance":"local","at":"2026-11-30T11:24:23.123456Z"}
 *
 * with `"denied":true` when a human has denied the act; the answer says why.
 */
#ifndef PAWL_MODEL_ASK_DOC_H
#define PAWL_MODEL_ASK_DOC_H

#include "model/state.h"
#include "text/fields.h"

struct ask_doc {
	struct str attempt_id;
	enum ask_kind kind;
	struct str text;
};

/* More than any good one has. */
enum { ASK_DOC_BYTES = 128 << 10 };

/*
 * Read the message of the worker of `attempt`; views of a copy in `mem`.
 *
 * Errors: ERR_NOT_JSON, ERR_LIMIT; ERR_INVALID_DOCUMENT with line, column and
 * JSON Pointer, also for a message that names another attempt.
 */
PAWL_MUST_CHECK enum pawl_rc ask_doc_read(struct arena *mem, struct str bytes,
	struct str attempt, struct ask_doc *ret_doc, struct pawl_err *err);

/*
 * As canonical JSON, one line with its LF.
 * Errors: ERR_INVALID_ARGUMENT, ERR_LIMIT for a text that can't be read again.
 */
PAWL_MUST_CHECK enum pawl_rc ask_doc_write(
	const struct ask_doc *doc, struct buf *out, struct pawl_err *err);

/* The answer to question `ask`, which has one; with its LF. */
void ask_answer_write(const struct state *s, uint32_t ask, struct arena *mem,
	struct buf *out);

/* The schema, for people, with its last LF. */
void ask_doc_schema(struct buf *out);

#endif
