/*
 * object: read and write git's objects, by a git that serves (git_serve.h).
 *
 * Objects are read whole and bounded by GIT_OUT_MAX; what git writes is on the
 * disk when its name is known (core.fsync), and git checks its form.
 */
#ifndef PAWL_ENGINE_OBJECT_H
#define PAWL_ENGINE_OBJECT_H

#include "base/vec.h"
#include "engine/git_serve.h"

enum {
	OBJECT_MODE_TREE = 0040000,
	OBJECT_MODE_FILE = 0100000,
	OBJECT_MODE_LINK = 0120000,
	OBJECT_MODE_REPO = 0160000,
	OBJECT_MODE_TYPE = 0170000,
};

enum object_kind { OBJECT_BLOB, OBJECT_TREE, OBJECT_COMMIT, OBJECT_OTHER };

struct object {
	enum object_kind kind;
	struct buf bytes; /* the answer; */
	size_t at, len;   /* what of it is the object's */
};

/*
 * Read one; release with object_release().
 *
 * Errors: ERR_GIT, also when there is none of that name; ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc object_read(struct git_serve *s,
	const struct oid *name, struct object *ret_object,
	struct pawl_err *err);

struct str object_bytes(const struct object *o);
void object_release(struct object *o);

/* Tree and first parent of a commit.  Errors: as object_read; ERR_GIT: it has
 * none. */
PAWL_MUST_CHECK enum pawl_rc object_commit_read(struct git_serve *s,
	const struct oid *commit, struct oid *ret_tree, struct oid *ret_parent,
	struct pawl_err *err);

struct tree_entry {
	struct str name;
	uint32_t mode;
	struct oid oid;
};

VEC_DEF(tree_entries, struct tree_entry);

/*
 * The entries of a tree, or of a commit's, ordered by their names as bytes; the
 * names live in `mem`, the list is the caller's to release.
 *
 * Errors: as object_read; ERR_GIT when it is neither, or no good one.
 */
PAWL_MUST_CHECK enum pawl_rc object_read_tree(struct git_serve *s,
	const struct oid *name, struct arena *mem,
	struct tree_entries *ret_entries, struct pawl_err *err);

/*
 * Write a tree of these, which must be there; they are put in git's order.
 *
 * Errors: ERR_GIT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc object_write_tree(struct git_serve *s,
	struct tree_entries *entries, struct oid *ret_tree,
	struct pawl_err *err);

struct object_commit {
	const struct oid *tree, *parent;
	const struct git_ident *ident; /* of author and committer */
	struct str message;            /* taken as it is */
};

/*
 * Write a commit, the bytes that `git commit-tree` makes of the same.
 *
 * Errors: ERR_GIT, also for a message with a NUL; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc object_write_commit(struct git_serve *s,
	const struct object_commit *commit, struct oid *ret_commit,
	struct pawl_err *err);

#endif
