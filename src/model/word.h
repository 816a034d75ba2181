/*
 * word: what is said of a word that is none of those which a field may have.
 */
#ifndef PAWL_MODEL_WORD_H
#define PAWL_MODEL_WORD_H

#include "base/err.h"

/*
 * Fail with `code`: `what` 'word' is none of `words`, which are `count` and are
 * listed in their order.
 */
enum pawl_rc word_unknown(const char *what, struct str word,
	const struct str *words, size_t count, enum pawl_code code,
	struct pawl_err *err);

#endif
