/*
 * state_id: the names of what a run made: `API-01@2`, `API-01@2#1`, `API-01!1`,
 * `c1`, `q1`.
 *
 * Attempts and gates are numbered within their node, checks within their
 * attempt, cleanups and questions within the run, each from 1 on in the order
 * of the journal.  A number is written without a zero in front, so a thing has
 * one name only.
 */
#ifndef PAWL_MODEL_STATE_ID_H
#define PAWL_MODEL_STATE_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct state;

/* Index of `node@n`; false when the run has no such attempt. */
bool state_find_attempt(
	const struct state *s, struct str id, uint32_t *ret_index);
bool state_find_gate(const struct state *s, struct str id, uint32_t *ret_index);
bool state_find_cleanup(
	const struct state *s, struct str id, uint32_t *ret_index);

/* `q1`, `q2`, … in the order that they were opened. */
bool state_find_ask(const struct state *s, struct str id, uint32_t *ret_index);

/* What a caller named.  Errors: ERR_NODE_NOT_FOUND; ERR_ATTEMPT_NOT_FOUND. */
PAWL_MUST_CHECK enum pawl_rc state_need_node(const struct state *s,
	struct str id, uint32_t *ret_node, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc state_need_attempt(const struct state *s,
	struct str id, uint32_t *ret_attempt, struct pawl_err *err);

/* Whether `id` is `name`, the sign and the number: `API-01@2`. */
bool is_numbered_id(struct str id, struct str name, char sign, uint32_t number);

/* Ids as text, in `mem`. */
struct str state_attempt_id(
	const struct state *s, uint32_t attempt, struct arena *mem);
struct str state_check_id(
	const struct state *s, uint32_t check, struct arena *mem);
struct str state_gate_id(
	const struct state *s, uint32_t gate, struct arena *mem);
struct str state_ask_id(uint32_t ask, struct arena *mem);

#endif
