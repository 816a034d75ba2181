/*
 * detail: all that is known of one thing of a run: what `pawl show ID` prints.
 *
 * The id says what it is: `API-01` a node, `API-01@2` an attempt, `API-01@2#1`
 * a check of it, `API-01!1` a gate; `q2` a question, `c3` a cleanup and `g4` a
 * delegation; where a node has such an id see model/subject.h.
 * For a node, a beginning up to a `.`, `_` or `-` is enough when it is the only
 * one.
 */
#ifndef PAWL_MODEL_DETAIL_H
#define PAWL_MODEL_DETAIL_H

#include "model/state.h"

enum detail_kind {
	DETAIL_NODE,
	DETAIL_ATTEMPT,
	DETAIL_CHECK,
	DETAIL_GATE,
	DETAIL_ASK,
	DETAIL_CLEANUP,
	DETAIL_DELEGATION,
};

struct detail {
	enum detail_kind kind;
	uint32_t index; /* into the plan's nodes, or the state's table */
};

/*
 * Errors: ERR_NODE_NOT_FOUND, ERR_AMBIGUOUS_ID, ERR_ATTEMPT_NOT_FOUND (also for
 * a check), ERR_GATE_NOT_FOUND; ERR_QUESTION_NOT_FOUND and its like for one
 * that was named with its kind.
 */
PAWL_MUST_CHECK enum pawl_rc detail_find(const struct state *s, struct str id,
	struct detail *ret_detail, struct pawl_err *err);

/* Lines `name  value`, the first one `<kind> <id>`; empty values are left out.
 */
void detail_text(
	struct buf *out, const struct state *s, const struct detail *detail);

/* One object with `kind` and the same facts. */
void detail_json(struct json_writer *w, const struct state *s,
	const struct detail *detail);

#endif
