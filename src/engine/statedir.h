/*
 * statedir: where pawl keeps its runs, and why there.
 *
 * The first that holds:
 *
 *	--state DIR
 *	$PAWL_STATE
 *	.pawl/ at the top of the main worktree, if it holds `format`
 *	$XDG_STATE_HOME/pawl/<name>-<8 hex>/   (default ~/.local/state)
 *
 * <name> is that of the repository's folder, the digits are the first of the
 * SHA-256 of the git common directory's real path; so all worktrees of one
 * repository share one folder.  A link in the place of .pawl is refused: a
 * repository's content could name any folder by it.  Outside a repository the
 *folder itself takes its place.  Looking makes nothing.
 *
 * A .pawl that holds `format` was made by `pawl init`, in a repository.  It
 * counts beside a .git that is ours, whatever has become of that since: what is
 * in the repository is looked at by who needs one.
 *
 *	format        made last, so a folder that has it is whole (rundir.h)
 *	medium        where its locks were proven to be real (medium.h)
 *	runs/<id>/    one folder a run
 *	active/<id>   an empty file a run that is not closed
 *	log/          the service's own events
 *
 * Worktrees of runs stand at $XDG_STATE_HOME/pawl/<name>-<8 hex>/wt, wherever
 * the state is: never inside the repository, since build tools walk upward.
 * Keys stand beside them, in keys/, outside of all that a worker may read.
 */
#ifndef PAWL_ENGINE_STATEDIR_H
#define PAWL_ENGINE_STATEDIR_H

#include "base/arena.h"
#include "base/err.h"
#include "engine/repo.h"
#include "os/fs.h"

#define STATEDIR_NAME ".pawl"
#define STATEDIR_FORMAT "format"

enum statedir_why {
	STATEDIR_OPTION,
	STATEDIR_VARIABLE,
	STATEDIR_REPOSITORY,
	STATEDIR_XDG,
	STATEDIR_WHY_COUNT,
};

/* What the search reads of the environment; NULL or "" is not set. */
struct statedir_env {
	const char *state;          /* PAWL_STATE */
	const char *xdg_state_home; /* must be absolute, else as not set */
	const char *home;
};

struct statedir {
	const char *path;      /* absolute */
	const char *worktrees; /* absolute */
	const char *keys;      /* of runs' secrets; absolute */
	struct repo repo;      /* when has_repo */
	bool has_repo;
	enum statedir_why why;
};

/*
 * Find the state folder for the repository around `dir` (NULL: where we are).
 *
 * `option` is that of --state, or NULL.  Texts of the result are in `mem`.
 * Errors: ERR_FILE_NOT_FOUND when `dir` is no folder; ERR_INVALID_PATH when
 * there is no home folder in the environment; ERR_LIMIT for a path of
 * BOUND_PATH_BYTES and more; ERR_UNSAFE_PATH; those of repo_find but
 * ERR_NEEDS_REPOSITORY.
 */
PAWL_MUST_CHECK enum pawl_rc statedir_find(struct arena *mem,
	const struct statedir_env *env, const char *option, const char *dir,
	struct statedir *ret_dir, struct pawl_err *err);

struct statedir_search {
	const struct statedir_env *env;
	const char *option; /* of --state, or NULL */
	const char *dir;    /* as for statedir_find */
};

/*
 * Find and open it in one, for who needs nothing but runs: in few calls where
 * it is the repository's.  `has_repo` is then false, and worktrees and keys are
 * NULL.  Errors: those of statedir_find and statedir_open.
 */
PAWL_MUST_CHECK enum pawl_rc statedir_enter(const struct fs *fs,
	struct arena *mem, const struct statedir_search *search,
	struct statedir *ret_dir, int *ret_fd, struct pawl_err *err);

/* Does it hold `format`?  Looked up when it is asked. */
bool statedir_exists(const struct statedir *dir);

/*
 * Open one to read in; `*ret_fd` is -1 when there is none.
 *
 * It must be a folder of this user which nobody else can write to, with a
 * `format` that this version knows.  Errors: ERR_NOT_PERMITTED, ERR_CORRUPT,
 * ERR_NEWER_FORMAT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc statedir_open(const struct fs *fs,
	const struct statedir *dir, int *ret_fd, struct pawl_err *err);

/*
 * Make it if it isn't whole, and open it to write in.
 *
 * Locks are proven to be real before `format` is written, and again when the
 * folder lies on another device or file system than `medium` says.  What a
 * call that died left behind is completed.  `*ret_made` is false when it was
 * there.  Errors: as statedir_open; ERR_INVALID_PATH for a folder that holds
 * other things; ERR_NO_LOCKS.
 */
PAWL_MUST_CHECK enum pawl_rc statedir_make(const struct fs *fs,
	const struct statedir *dir, int *ret_fd, bool *ret_made,
	struct pawl_err *err);

/*
 * Open the folder at an absolute path; what is missing of it is made.  Each is
 * synced into its parent, also what was there: who made it may have died before
 * that.  Parents may be such that they can only be searched.  Errors: those of
 * fs_open_dir and fs_make_dir.
 */
PAWL_MUST_CHECK enum pawl_rc statedir_make_path(const struct fs *fs,
	const char *path, int *ret_fd, struct pawl_err *err);

/* As statedir_make, only saying whether it would; nothing is written. */
PAWL_MUST_CHECK enum pawl_rc statedir_would_make(const struct fs *fs,
	const struct statedir *dir, bool *ret_made, struct pawl_err *err);

/* One word ("option", "variable", "repository", "xdg") and a sentence. */
const char *statedir_why_word(enum statedir_why why);
const char *statedir_why_text(enum statedir_why why);

#endif
