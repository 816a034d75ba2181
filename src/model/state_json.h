/*
 * state_json: a state as JSON, and back.
 *
 * The body of `state.json` (store/projection.h frames it with sequence, offset,
 * chain and digest).  A record is an array of values in the order of its table
 * in state_json.c; nodes come in document order.  Reading gives a state equal
 * to the one that was written: state_json_write() of it gives the same bytes.
 */
#ifndef PAWL_MODEL_STATE_JSON_H
#define PAWL_MODEL_STATE_JSON_H

#include "model/state.h"

/* Raise it when fold or tables change: an older projection is then replayed. */
enum { STATE_FOLD_VERSION = 8 };

void state_json_write(struct json_writer *w, const struct state *s);

/*
 * Fill a state made by state_init() over the same plan.
 * Errors: ERR_CORRUPT; the state must then be released.
 */
PAWL_MUST_CHECK enum pawl_rc state_json_read(
	struct state *s, const struct json *v, struct pawl_err *err);

#endif
