/*
 * input: a document that a command is given: a file, or `-`, standard input.
 */
#ifndef PAWL_CLI_INPUT_H
#define PAWL_CLI_INPUT_H

#include "cli/cmd.h"

/* How a document is called in messages. */
const char *input_name(const char *path);

/*
 * Append all of it, at most `max` bytes; `path` may be NULL, which is `-`.
 * Where a file is named nothing else is read; standard input may be a pipe.
 *
 * Errors: ERR_FILE_NOT_FOUND, ERR_LIMIT, ERR_IO; ERR_INVALID_PATH for what is
 * no file, such as a folder or a pipe.
 */
PAWL_MUST_CHECK enum pawl_rc input_read(const struct cmd_ctx *ctx,
	const char *path, size_t max, struct buf *to, struct pawl_err *err);

#endif
