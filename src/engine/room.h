/*
 * room: a folder that is emptied before it is used and gone afterwards.
 *
 * Beside what is put into it lies a marker, which proves that it is ours to
 * delete (os/rmtree.h); whoever is to write there gets a folder inside of it.
 */
#ifndef PAWL_ENGINE_ROOM_H
#define PAWL_ENGINE_ROOM_H

#include "base/arena.h"
#include "base/err.h"
#include "os/fs.h"

/*
 * Make it below `parent` (absolute, ours), empty but for its marker; `*ret_dir`
 * is its path, in `mem`.
 *
 * Errors: ERR_UNSAFE_PATH for what is there and isn't ours; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc room_make(const char *parent, const char *name,
	struct arena *mem, const char **ret_dir, struct pawl_err *err);

/* The same, but one that is there and ours stays as it is. */
PAWL_MUST_CHECK enum pawl_rc room_keep(const char *parent, const char *name,
	struct arena *mem, const char **ret_dir, struct pawl_err *err);

/* Remove it with all below; one that isn't there is no failure. */
PAWL_MUST_CHECK enum pawl_rc room_drop(
	const char *parent, const char *name, struct pawl_err *err);

/* All below `parent`, and that; what can't be removed stays. */
void room_drop_all(const struct fs *fs, const char *parent);

#endif
