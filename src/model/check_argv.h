/*
 * check_argv: a check's command line as an argument vector.
 *
 * Checks run without a shell.  The line is split by the quoting rules of the
 * POSIX shell (XCU 2.2: backslash, single and double quotes) and nothing is
 * expanded; a line that a shell would treat in any further way is refused
 * rather than run with another meaning.
 */
#ifndef PAWL_MODEL_CHECK_ARGV_H
#define PAWL_MODEL_CHECK_ARGV_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * The words of `line` in `mem`, NULL-terminated, at least one.
 *
 * Errors: ERR_INVALID_CHECK, with the offset of the offender in `*ret_at`:
 * unquoted `| & ; < > ( ) $ * ? [ { }` or backtick, `$` or backtick in double
 * quotes, a word that begins with unquoted `~` or `#`, a first word `NAME=` or
 * `!`, an open quote, a backslash at the end, control characters, no command.
 * ERR_LIMIT for over BOUND_CHECK_BYTES bytes or BOUND_CHECK_ARGS words.
 */
PAWL_MUST_CHECK enum pawl_rc check_argv(struct str line, struct arena *mem,
	char ***ret_argv, size_t *ret_at, struct pawl_err *err);

#endif
