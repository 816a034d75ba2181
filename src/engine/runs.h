/*
 * runs: which run a command means.
 *
 * No name means the only active run; when none is active, a read means the one
 * whose journal was written to last.  A name is an identifier, or, where that
 * is enough (a read), the beginning of one up to a `.`, `_` or `-`.
 */
#ifndef PAWL_ENGINE_RUNS_H
#define PAWL_ENGINE_RUNS_H

#include "base/arena.h"
#include "base/err.h"
#include "os/fs.h"

enum runs_match {
	RUNS_WHOLE,  /* for what changes something */
	RUNS_PREFIX, /* for reads */
};

/* Where runs are looked for. */
struct runs {
	const struct fs *fs;
	int state; /* the state folder's descriptor; -1: there is none */
	struct arena *mem; /* of what is found */
};

/*
 * Find the run that `name` means; NULL is no name.
 *
 * Errors: ERR_INVALID_ID; ERR_RUN_NOT_FOUND; ERR_AMBIGUOUS_RUN and
 * ERR_AMBIGUOUS_ID with the names in `detail`; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc runs_find(const struct runs *runs,
	const char *name, enum runs_match match, struct str *ret_id,
	struct pawl_err *err);

#endif
