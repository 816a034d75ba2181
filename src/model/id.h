/*
 * id: the grammar of identifiers and of the names made from them.
 *
 *	ID      = [A-Za-z0-9]+([._-][A-Za-z0-9]+)*    1 to 128 bytes
 *	attempt = ID '@' n      visit = ID '~' n      gate = ID '!' n
 *	run     = r-YYYYMMDD-xxxxxx                   six of [a-z2-7]
 *
 * An ID does not end in `.lock`, in any case, so that it may name a Git ref and
 * a file.  The signs of derived names are outside the alphabet, so a name says
 * what it names.  Ids are compared as bytes; two that differ only in case may
 * not live in one run (file systems that fold case would mix them up).
 */
#ifndef PAWL_MODEL_ID_H
#define PAWL_MODEL_ID_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/rand.h"
#include "base/str.h"

enum id_sign {
	ID_ATTEMPT = '@',
	ID_VISIT = '~',
	ID_GATE = '!',
};

enum {
	ID_RUN_BYTES = 17, /* of a generated run id */
};

/* What is wrong with an id, in words that follow it; NULL when nothing is. */
const char *id_fault(struct str s);
bool id_is_valid(struct str s);

/* The same for a JSON Schema (ECMA-262), of ids of such letters; the look-ahead
 * is the rule about `.lock`. */
#define ID_PATTERN_OF(letter) \
	"^(?!.*[.][lL][oO][cC][kK]$)" letter "+([._-]" letter "+)*$"
#define ID_PATTERN ID_PATTERN_OF("[A-Za-z0-9]")

/* Errors: ERR_INVALID_ID, with the rule that is broken and a hint. */
PAWL_MUST_CHECK enum pawl_rc id_check(struct str s, struct pawl_err *err);

/* Equal when ASCII case is ignored. */
bool id_equal_fold(struct str a, struct str b);

/* A hash that is the same for ids which differ only in case. */
uint32_t id_hash_fold(struct str s);

/* Append `node`, the sign and `n`; `n` counts from 1. */
void id_ref_format(
	struct buf *out, struct str node, enum id_sign sign, uint32_t n);

/*
 * Take apart what id_ref_format made.
 * Errors: ERR_INVALID_ID for another sign, a number that is not plain, 0 or
 * over 32 bits, and for what precedes the sign not being an ID.
 */
PAWL_MUST_CHECK enum pawl_rc id_ref_parse(struct str s, enum id_sign sign,
	struct str *ret_node, uint32_t *ret_n, struct pawl_err *err);

/* A new run id for a time in seconds since the epoch (UTC's day), with a NUL.
 */
void id_run_new(uint64_t now_s, struct rand *r, char ret_id[ID_RUN_BYTES + 1]);

/* Whether `prefix` is all of `id`, or its beginning up to one of `.`, `_`, `-`.
 */
bool id_has_prefix(struct str id, struct str prefix);

#endif
