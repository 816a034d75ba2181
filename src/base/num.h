/*
 * num: integers from outside; the one place that parses digits.
 */
#ifndef PAWL_BASE_NUM_H
#define PAWL_BASE_NUM_H

#include <stdint.h>

#include "base/err.h"

/*
 * The decimal number that is all of `s`; false when it is none, or over 64
 * bits.  For what may well be none: a refusal by num_u64() has a message, which
 * costs.
 */
bool num_digits(struct str s, uint64_t *ret_n);

/*
 * The decimal number that is all of `s`, between `min` and `max`.
 * Errors: ERR_INVALID_ARGUMENT, which names the text and the range.
 */
PAWL_MUST_CHECK enum pawl_rc num_u64(struct str s, uint64_t min, uint64_t max,
	uint64_t *ret_n, struct pawl_err *err);

/*
 * A duration such as `90s`, `15m`, `3h`, `500ms`, in milliseconds, at most
 * `max_ms`.  Errors: ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc num_duration_ms(
	struct str s, uint64_t max_ms, uint64_t *ret_ms, struct pawl_err *err);

#endif
