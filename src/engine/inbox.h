/*
 * inbox: requests that users of a view left for a run's coordinator.
 *
 *	inbox/ID.json   the request, canonical; made once, never changed
 *	inbox/ID.taken  {"by","at","sha256"}: who took it; made once, too
 *
 * Both are made whole under a name that nobody has, and synced.  Nothing here
 * is part of the run: no journal line is written and no lock is taken; a run
 * without its inbox is the same run.
 */
#ifndef PAWL_ENGINE_INBOX_H
#define PAWL_ENGINE_INBOX_H

#include "engine/run.h"
#include "model/view_request.h"

enum { INBOX_REQUESTS_MAX = 256 }; /* that wait; taken ones don't count */

struct inbox_entry {
	struct view_request request;
	struct str sha256;             /* of the bytes */
	struct str taken_by, taken_at; /* NULL while it waits */
};

/*
 * Put a request in; it must fit the run as it is now, or be there already with
 * the same bytes.  `*ret_made` is false then.
 *
 * Errors: those of view_request_fits; ERR_ID_TAKEN for other bytes under its
 * id; ERR_LIMIT when too many wait; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc inbox_put(struct run *r,
	const struct view_request *q, struct arena *mem, struct str *ret_sha256,
	bool *ret_made, struct pawl_err *err);

/*
 * The one with this id.
 * Errors: ERR_REQUEST_NOT_FOUND; ERR_CORRUPT for what is no request; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc inbox_get(struct run *r, struct str id,
	struct arena *mem, struct inbox_entry *ret_entry, struct pawl_err *err);

/* What lies in the inbox and is no request; it is left where it is. */
struct inbox_foreign {
	struct str name;
	struct str why;
};

struct inbox_list {
	struct inbox_entry *items;
	struct inbox_foreign *foreign;
	uint32_t count;
	uint32_t foreign_count;
	uint32_t total; /* that there are; more than `count` when cut */
};

/*
 * All that are there, by id, at most `max`, and of what is none as many.
 * Errors: ERR_UNSAFE_PATH when the inbox is no folder; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc inbox_list(struct run *r, uint32_t max,
	struct arena *mem, struct inbox_list *ret_list, struct pawl_err *err);

/*
 * Take one, once, by `by`.  Errors: those of inbox_get; ERR_REQUEST_TAKEN with
 * who has it.
 */
PAWL_MUST_CHECK enum pawl_rc inbox_take(struct run *r, struct str id,
	struct str by, struct arena *mem, struct inbox_entry *ret_entry,
	struct pawl_err *err);

#endif
