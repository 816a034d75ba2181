/*
 * restore: put paths of a working tree back to what a base tree holds.
 *
 * For an attempt in place that ended without a verdict: what it did to paths
 * that were clean when it began is undone (its difference is kept elsewhere).
 * The caller lists those paths as changes from the base tree to the tree now
 * (snapshot_changes); each is put back to its old side.
 *
 * Only the given paths are written, by descriptor beneath the repository's top,
 * and no link is followed on the way.  New content is written beside the path
 * and renamed over it.  Folders that become empty by a removal go, too, as with
 * git. A path that changed again since the caller looked isn't compared: take
 * the snapshot last.  The user's index isn't touched.
 *
 * What can't be restored is a result, not a failure: a submodule, a folder with
 * other things in it where a file was, an entry that the system refuses.
 */
#ifndef PAWL_ENGINE_RESTORE_H
#define PAWL_ENGINE_RESTORE_H

#include "engine/snapshot.h"

struct restore_miss {
	struct str path; /* the change's */
	char why[160];
};

VEC_DEF(restore_misses, struct restore_miss);

/*
 * Restore the old side of `changes`; `ret_misses` lists what wasn't, and is the
 * caller's to release.
 *
 * `scratch` is a folder of the caller's, absolute and outside the repository;
 * what is made in it is gone afterwards, or at the latest after the next call.
 * Errors: ERR_GIT, ERR_IO, ERR_UNSAFE_PATH when nothing could be tried.
 * Cost: two processes; two more when an attributes file is among the paths.
 */
PAWL_MUST_CHECK enum pawl_rc restore_paths(const struct repo *repo,
	const char *scratch, const struct changes *changes,
	struct restore_misses *ret_misses, struct pawl_err *err);

#endif
