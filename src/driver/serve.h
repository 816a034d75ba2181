/*
 * serve: the conversation of a driver that is a program of its own, seen from
 * inside: docs/driver-protocol.md.
 *
 *	static const struct serve_ops ops = {
 *		.describe = describe, .start = start, …
 *	};
 *	return serve(&ops, &mine);
 *
 * Each operation reads its request and writes the members of its answer; what
 * it fails with becomes the error of the answer.  One operation runs at a time,
 * and an answer is written whole or not at all.
 */
#ifndef PAWL_DRIVER_SERVE_H
#define PAWL_DRIVER_SERVE_H

#include "text/driver_protocol.h"
#include "text/json.h"

struct serve_request {
	const struct json *root; /* the whole object */
	struct arena *mem;       /* of this request */
};

/*
 * An operation fails with serve_fail(); any other failure is answered as
 * SERVE_UNKNOWN, since what it left can't be told.
 *
 * Here `w` stands inside the answer's object, behind `id` and `ok`.
 * False, after serve_fail(), when it went wrong: what it wrote is dropped.
 */
struct serve_failure {
	enum serve_code code;
	char message[480];
};

typedef bool serve_fn(void *arg, const struct serve_request *request,
	struct json_writer *w, struct serve_failure *failure);

/* In the order of the protocol; NULL is answered `unsupported`. */
struct serve_ops {
	serve_fn *describe, *select, *start, *open, *poll, *send, *release,
		*reconcile, *surface, *present;
};

/* Says why; returns false, so that failing is one line. */
bool serve_fail(struct serve_failure *failure, enum serve_code code,
	const char *fmt, ...) PAWL_PRINTF(3, 4);

struct str serve_code_word(enum serve_code code);

/* A text member that must be there and not be empty. */
bool serve_text(const struct serve_request *request, const char *name,
	struct str *ret_text, struct serve_failure *failure);

/* A member of a request's `refs`; empty when it isn't there. */
struct str serve_ref(const struct serve_request *request, const char *name);

/*
 * Answer one request line; the answer, with its LF, is added to `out`.  A line
 * that is no request is answered, too, with `id` 0 when it has none.
 */
void serve_line(const struct serve_ops *ops, void *arg, struct str line,
	struct buf *out);

/*
 * Answer standard input on standard output until its end.  The exit status: 0,
 * or 1 when it can't read or write, or a line is too long, with a word about it
 * on standard error.
 */
int serve(const struct serve_ops *ops, void *arg);

#endif
