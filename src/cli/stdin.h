/*
 * stdin: what stands on standard input, as a whole.
 */
#ifndef PAWL_CLI_STDIN_H
#define PAWL_CLI_STDIN_H

#include "base/buf.h"
#include "base/err.h"

/* Append all of it to `to`.  Errors: ERR_LIMIT over `max` bytes; ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc stdin_read(
	size_t max, struct buf *to, struct pawl_err *err);

#endif
