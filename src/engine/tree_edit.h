/*
 * tree_edit: put a list of changes into a tree, as a patch that must fit.
 *
 * Only the folders on the way to the changed paths are read, and written anew;
 * the rest is shared with the tree that was given.  Each path must be what the
 * change's old side says, so that an edit which fits is what a three-way merge
 * makes when nobody else touched these paths: nothing of it is left to decide.
 *
 * A folder that becomes empty goes, as in git.
 */
#ifndef PAWL_ENGINE_TREE_EDIT_H
#define PAWL_ENGINE_TREE_EDIT_H

#include "engine/snapshot.h"

/*
 * Edit the tree (or a commit's) `base`; `changes` are in path order.
 *
 * `*ret_fits` is false, and there is no tree, when a path isn't what it must
 * be, or when a file and a folder would stand at one name.
 * Errors: ERR_GIT, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc tree_edit(struct git_serve *serve,
	const struct oid *base, const struct changes *changes,
	struct oid *ret_tree, bool *ret_fits, struct pawl_err *err);

#endif
