/*
 * ledger_text: a text that may be put into a ledger.
 *
 * As every document takes it: something to read, on one line, inside its bound.
 * `field` is what it is called in the refusal, and becomes the error's field.
 */
#ifndef PAWL_MODEL_LEDGER_TEXT_H
#define PAWL_MODEL_LEDGER_TEXT_H

#include "base/err.h"

/* Errors: ERR_LIMIT; ERR_INVALID_ARGUMENT. */
PAWL_MUST_CHECK enum pawl_rc ledger_text_check(const char *field,
	struct str text, size_t bytes_max, struct pawl_err *err);

/* The same of a title, whose bound is in code points. */
PAWL_MUST_CHECK enum pawl_rc ledger_title_check(
	struct str title, struct pawl_err *err);

#endif
