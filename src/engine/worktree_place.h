/*
 * worktree_place: where a worktree of ours stands, on the disk and in git's
 * list; what making one and removing one have in common.
 */
#ifndef PAWL_ENGINE_WORKTREE_PLACE_H
#define PAWL_ENGINE_WORKTREE_PLACE_H

#include "engine/worktree.h"
#include "os/rmtree.h"

#define PLACE_MARKER ".pawl-marker"

enum { PLACE_GUARDS = 5 };

struct place {
	const char *dir;      /* <parent>/<name> */
	const char *making;   /* its name before it has its marker */
	const char *tree;     /* what git checks out */
	const char *ready;    /* a copy of tree/.git, written last */
	const char *index;    /* for snapshots */
	const char *removing; /* all was proven; what is missing, we removed */
	/*
	 * On dir, for as long as we or a git of ours works there: a git that
	 * outlives its starter is waited for by the next one.
	 */
	struct git_lock lock;
};

struct place place_find(const struct worktree_spec *spec, struct arena *mem);

const char *place_path(struct arena *mem, const char *dir, const char *name);
bool place_is_there(const char *path); /* a link counts as itself */

/* A good name, outside the repository?  Errors: ERR_UNSAFE_PATH, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc place_check(const struct repo *repo,
	const struct worktree_spec *spec, struct pawl_err *err);

/* Has git an entry for a worktree at `path`?  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc place_is_listed(const struct repo *repo,
	const char *path, bool *ret_listed, struct pawl_err *err);

/* What may be deleted there; the caller adds device and inode, and lends room
 * for PLACE_GUARDS guards. */
struct rmtree_spec place_rmtree(const struct repo *repo,
	const struct worktree_spec *spec, const char **guards);

/*
 * Remove git's entry of a worktree whose tree is gone, if there is one.
 * `half_made`: git itself locked it while it was making it.
 *
 * Errors: ERR_GIT, ERR_GIT_BUSY.
 */
PAWL_MUST_CHECK enum pawl_rc place_forget(const struct repo *repo,
	const struct worktree_spec *spec, const struct place *p, bool half_made,
	struct pawl_err *err);

#endif
