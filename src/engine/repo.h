/*
 * repo: where a repository is, and what its references say.
 *
 * Found by walking upwards, as git does, and read from files, so that a short
 * command starts no process: `.git` (a folder, or a file that names one),
 * `commondir`, `HEAD`, loose and packed references, and the few keys of the
 * configuration that change how the rest is to be read.  Where a file isn't of
 * the simple form (reftable, a symbolic link as HEAD) git is asked.
 *
 * A repository whose folders belong to somebody else is used only if git itself
 * would use it (safe.directory): naming GIT_DIR, as all our calls do, switches
 * git's own test off.
 *
 * A worktree is a `struct repo` too: same common_dir, another top and git_dir.
 * All texts live in the arena that was given.
 */
#ifndef PAWL_ENGINE_REPO_H
#define PAWL_ENGINE_REPO_H

#include "base/arena.h"
#include "engine/git_serve.h"
#include "os/fs.h"

enum { REPO_KEY_HEX = 8 };

struct repo {
	const char *top;        /* of this worktree; a real path, as all here */
	const char *git_dir;    /* of this worktree */
	const char *common_dir; /* shared by all worktrees */
	const char *main_top;   /* main worktree's top; NULL when it has none */
	const char *name;       /* of the folder that holds the repository */
	struct git_serve *serve; /* of a run; NULL: none, each makes its own */
	char key[REPO_KEY_HEX + 1]; /* of SHA-256 of common_dir */
	bool is_worktree;           /* a linked one */
	bool refs_are_files;        /* not a reftable */
	size_t oid_bytes;           /* 20 or 32 */
};

/*
 * Find the repository that `start` (a folder) lies in.
 *
 * Errors: ERR_NEEDS_REPOSITORY when there is none, or only a bare one;
 * ERR_NOT_PERMITTED when it is somebody else's; ERR_CORRUPT when a file of it
 * can't be read as what it should be; ERR_FILE_NOT_FOUND when `start` isn't
 * there.
 */
PAWL_MUST_CHECK enum pawl_rc repo_find(const char *start, struct arena *mem,
	struct repo *ret_repo, struct pawl_err *err);

/*
 * Only where it is, and that it may be used: top, git_dir, common_dir and
 * is_worktree are set, and main_top as if it weren't bare.  What is in it isn't
 * looked at; repo_prove() does that, and sets the rest.  `start` is real.
 *
 * Errors: as repo_find.
 */
PAWL_MUST_CHECK enum pawl_rc repo_locate(const char *start, struct arena *mem,
	struct repo *ret_repo, struct pawl_err *err);

/* Errors: ERR_NEEDS_REPOSITORY when it isn't one, or a bare one; ERR_CORRUPT.
 */
PAWL_MUST_CHECK enum pawl_rc repo_prove(
	struct repo *repo, struct arena *mem, struct pawl_err *err);

/*
 * The user's name and address as configured, else NULL in both.
 *
 * Errors: ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc repo_identity(const struct repo *repo,
	struct arena *mem, struct git_ident *ret_ident, struct pawl_err *err);

/* Would git ignore `path`, relative to the top?  Errors: ERR_GIT. */
PAWL_MUST_CHECK enum pawl_rc repo_is_ignored(const struct repo *repo,
	const char *path, bool *ret_ignored, struct pawl_err *err);

/* Does the commit have `path`, relative to the top?  Errors: ERR_GIT. */
PAWL_MUST_CHECK enum pawl_rc repo_holds(const struct repo *repo,
	const char *commit, const char *path, bool *ret_held,
	struct pawl_err *err);

/*
 * Add a pattern to the checkout-local exclude file (info/exclude of the common
 * folder); nothing happens when the line is there.  Under a lock of
 * that folder.
 *
 * Errors: ERR_INVALID_ARGUMENT for a pattern that isn't one line; ERR_GIT_BUSY;
 * ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc repo_exclude(
	const struct repo *repo, struct str pattern, struct pawl_err *err);

/* Does the file system of its worktree take `.GIT` for `.git`? */
bool repo_folds_case(const struct repo *repo, const struct fs *fs);

/* Does `path` (a real one) lie at or below the folder `top`? */
bool repo_path_is_below(const char *path, const char *top);

#endif
