/*
 * worktree: a checkout of our own for one attempt, made, verified, removed.
 *
 * It is a folder outside the repository, at `<parent>/<name>/`:
 *
 *	.pawl-marker  the caller's bytes: what proves that it is ours
 *	ready         written last: git's folder for it, device and inode
 *	index         the index as it was checked out; snapshots go through it
 *	tree/         the checked-out files, all that a worker sees
 *
 * The marker comes first and goes last.  Each step can be repeated after a
 * crash: a worktree without `ready` is one that nobody was let into, so it is
 * deleted and made again.  The branch is made at the base, or is there at
 * exactly that commit.
 *
 * Git's administrative steps happen under the repository's lock (git.h), and so
 * does the first checkout, which is part of git's step.
 *
 * Before git looks at a tree that a worker could write to, its `.git` file is
 * compared byte by byte with the one that git made (worktree_open), and git is
 * told where its folder is rather than left to look.
 *
 * Removal proves that the folder is the one that was made (os/rmtree.h), that
 * nothing in it is lost (no change that isn't committed, no commit that isn't
 * on the run's branch) unless the caller has kept the difference, that no
 * process is in it, and that it is gone, from the disk and from git's list.
 *What stops it is an error ERR_CLEANUP_BLOCKED with the reason; nothing
 *stronger is tried.
 */
#ifndef PAWL_ENGINE_WORKTREE_H
#define PAWL_ENGINE_WORKTREE_H

#include "engine/repo.h"

enum { WORKTREE_MARKER_MAX = 4096, WORKTREE_NAME_MAX = 200 };

struct worktree_spec {
	const char *parent;   /* a folder of ours that is there; a real path */
	const char *name;     /* one component: "<node>-<n>" */
	const char *branch;   /* "refs/heads/pawl/<run>/<node>-<n>" */
	const char *lock_dir; /* for git.h's lock */
	struct oid base;      /* a commit */
	struct str marker;    /* identifies the attempt; not empty */
};

struct worktree {
	const char *dir;     /* <parent>/<name> */
	const char *index;   /* <dir>/index, for snapshot.h */
	uint64_t dev, inode; /* of dir: the receipt */
	struct repo repo;    /* top is <dir>/tree */
};

/*
 * Make it, or finish making it.
 *
 * Repeating it with the same spec gives the same worktree; one that is ready is
 * verified and left as it is.
 * Errors: ERR_UNSAFE_PATH when the parent lies in the repository, or something
 * that isn't ours stands at the path; ERR_REF_MOVED when the branch is there at
 * another commit; ERR_GIT, ERR_GIT_BUSY, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc worktree_add(const struct repo *repo,
	const struct worktree_spec *spec, struct arena *mem,
	struct worktree *ret_worktree, struct pawl_err *err);

/*
 * Open one that was made: marker, folder, `.git` file and git's own folder are
 * what they were.
 *
 * Errors: ERR_FILE_NOT_FOUND when it is gone or never got ready;
 * ERR_UNSAFE_PATH when something differs; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc worktree_open(const struct repo *repo,
	const struct worktree_spec *spec, struct arena *mem,
	struct worktree *ret_worktree, struct pawl_err *err);

/*
 * Put the checkout at `commit`, its branch too.  The caller has just proven
 * by a snapshot that all that it holds is kept.
 *
 * Errors: ERR_GIT, ERR_GIT_BUSY, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc worktree_reset(const struct worktree *w,
	const struct oid *commit, struct pawl_err *err);

/*
 * Wait for a worktree_reset() that is under way: its git outlives a caller that
 * is killed, and what lies there meanwhile is nobody's work.
 *
 * Errors: ERR_GIT_BUSY, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc worktree_await(
	const struct worktree *w, struct pawl_err *err);

struct worktree_removal {
	const struct worktree_spec *spec;
	uint64_t dev, inode; /* the receipt */
	const char *onto;    /* reference that must contain its commits */
	bool preserved;      /* the caller has kept the difference */
};

/*
 * Remove it; gone already is success.  The branch stays.
 *
 * Errors: ERR_CLEANUP_BLOCKED, with the reason and the worktree kept as far as
 * it still stands; ERR_GIT_BUSY.
 */
PAWL_MUST_CHECK enum pawl_rc worktree_remove(const struct repo *repo,
	const struct worktree_removal *removal, struct pawl_err *err);

#endif
