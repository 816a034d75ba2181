/*
 * snapshot: what a working tree holds, as a git tree, and what changed.
 *
 * A snapshot is the tree of everything that isn't ignored: index and untracked
 * files, as `git add -A` sees them.  It is taken through an index of ours,
 * never the user's, and its objects go to the repository's object store, where
 * git's own collection ends what nothing names (after two weeks at the
 * earliest).
 *
 * The index file belongs to the caller.  When it isn't there it starts as a
 * copy of the worktree's; later snapshots through the same file are cheap, and
 * they see what changed since even where somebody marked files in the
 * worktree's own index as not to be looked at.
 *
 * Not in a snapshot: ignored files; what lies inside a nested repository, of
 * which only the commit counts (changes of kind CHANGE_ADDED with `submodule`
 * show a new one), and that it is there when it has none (nested.h).
 */
#ifndef PAWL_ENGINE_SNAPSHOT_H
#define PAWL_ENGINE_SNAPSHOT_H

#include "base/vec.h"
#include "engine/index.h"
#include "engine/repo.h"

enum {
	SNAPSHOT_CHANGES_MAX = 1 << 20,
	SNAPSHOT_PATCH_MAX = 64 << 20, /* bytes, unless told */
};

/*
 * Take one; `index` is an absolute path in a folder of the caller's.
 *
 * Git fills the index; what that changed since the last time is put into the
 * last tree (tree_edit.h), and only where that is unknown git makes the tree.
 *
 * Errors: ERR_GIT, ERR_GIT_BUSY, ERR_IO.  Cost: one process; one more with
 * submodules, and one where the last tree is unknown; with a repository that
 * has no commit four more.
 */
PAWL_MUST_CHECK enum pawl_rc snapshot_take(const struct repo *repo,
	const char *index, struct oid *ret_tree, struct pawl_err *err);

/*
 * Start an index file from the worktree's, which is as checked out at `commit`
 * (none: unknown).  The first snapshot does it, with none.
 *
 * Errors: ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc snapshot_seed(const struct repo *repo,
	const char *index, const struct oid *commit, struct pawl_err *err);

enum change_kind {
	CHANGE_MODIFIED, /* content, and maybe mode */
	CHANGE_MODE,     /* executable or not, content the same */
	CHANGE_TYPE,     /* between file, link and submodule */
	CHANGE_ADDED,
	CHANGE_DELETED,
};

struct change {
	struct str path; /* relative to the top; any byte but NUL; not quoted */
	enum change_kind kind;
	uint32_t old_mode, new_mode; /* git's: 0100644, 0120000, ...; 0: none */
	struct oid old, new;         /* none when absent */
	bool symlink;                /* is, or was, a link */
	bool submodule;              /* is, or was, another repository */
};

VEC_DEF(changes, struct change);
VEC_DEF(paths, struct str);

const char *change_kind_word(enum change_kind kind);

/*
 * List what differs between two trees (or commits), in path order; a rename is
 * a deletion and an addition.  The paths live in `mem`; the list is the
 * caller's to release.
 *
 * Errors: ERR_LIMIT over SNAPSHOT_CHANGES_MAX; ERR_GIT.  Cost: no process of
 * its own; a question a folder that differs, and side.
 */
PAWL_MUST_CHECK enum pawl_rc snapshot_changes(const struct repo *repo,
	const struct oid *from, const struct oid *to, struct arena *mem,
	struct changes *ret_changes, struct pawl_err *err);

/* The change of a path in such a list, or NULL. */
const struct change *changes_find(const struct changes *list, struct str path);

/* The same between the entries of two indexes.  Errors: ERR_LIMIT. */
PAWL_MUST_CHECK enum pawl_rc snapshot_index_changes(
	const struct index_entries *from, const struct index_entries *to,
	size_t oid_bytes, struct arena *mem, struct changes *ret_changes,
	struct pawl_err *err);

/*
 * List the paths that differ from HEAD now: staged, unstaged, untracked, and
 * submodules at another commit.  Git gives no name for what lies in the
 * folder, so `new` is none and a changed mode counts as CHANGE_MODIFIED.
 *
 * Errors: ERR_LIMIT, ERR_GIT.  Cost: one process.
 */
PAWL_MUST_CHECK enum pawl_rc snapshot_dirty(const struct repo *repo,
	struct arena *mem, struct changes *ret_changes, struct pawl_err *err);

/*
 * The patch from one tree to another, binary content included, so that
 * `git apply` gives the second one; at most `max` bytes (0: the default).
 *
 * Errors: ERR_LIMIT, ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc snapshot_patch(const struct repo *repo,
	const struct oid *from, const struct oid *to, size_t max,
	struct buf *ret_patch, struct pawl_err *err);

#endif
