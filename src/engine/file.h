/*
 * file: whole small files of git's and of worktrees', by path.
 *
 * Nothing here syncs: what these files say can be found out again, or is made
 * again under the same name.
 */
#ifndef PAWL_ENGINE_FILE_H
#define PAWL_ENGINE_FILE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

/*
 * Append a regular file to `to`, at most to->max bytes; a link is not followed.
 * `*ret_found` is false when there is none.
 *
 * Errors: ERR_LIMIT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc file_read(const char *path, struct buf *to,
	bool *ret_found, struct pawl_err *err);

/*
 * The real path of what exists, in `mem`; NULL with errno.  The kernel knows
 * it, so it is asked once and not for each component.
 */
const char *file_real_path(const char *path, struct arena *mem);

/* Make a file that must not be there yet.  Errors: ERR_ID_TAKEN, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc file_create(
	const char *path, struct str bytes, struct pawl_err *err);

/*
 * Make a file that only its owner reads, or put another in its place: whole or
 * not at all, for whoever else reads it or does the same.  Errors: ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc file_replace(
	const char *path, struct str bytes, struct pawl_err *err);

/* Add to the end of a file, made when it isn't there.  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc file_append(
	const char *path, struct str bytes, struct pawl_err *err);

/*
 * Copy a file with its times (git tells a racy entry of an index by them); an
 * old copy is replaced.  `*ret_found` is false when there was nothing to copy.
 *
 * Errors: ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc file_copy(const char *from, const char *to,
	bool *ret_found, struct pawl_err *err);

/* Copy from one descriptor to another until the end; false with errno. */
PAWL_MUST_CHECK bool file_copy_bytes(int from, int to);

#endif
