/*
 * ref: what a repository's references say, and changing them by comparison.
 *
 * HEAD, loose and packed references are read from their files, so that a read
 * costs no process; git is asked where they aren't files.  Writes are git's
 * (`update-ref --stdin`): each names the value that it found, and all of one
 * call happen or none.  Write under the repository's lock (git.h).
 */
#ifndef PAWL_ENGINE_REF_H
#define PAWL_ENGINE_REF_H

#include "engine/repo.h"

enum { REF_NAME_MAX = 512, REF_UPDATES_MAX = 16 };

struct ref_head {
	const char *branch; /* "refs/heads/main"; NULL: detached */
	struct oid commit;  /* none: the branch has no commit yet */
};

/* Errors: ERR_CORRUPT, ERR_GIT. */
PAWL_MUST_CHECK enum pawl_rc ref_head(const struct repo *repo,
	struct arena *mem, struct ref_head *ret_head, struct pawl_err *err);

/* As ref_head; ERR_NEEDS_REPOSITORY when there is no commit. */
PAWL_MUST_CHECK enum pawl_rc ref_must_head(const struct repo *repo,
	struct arena *mem, struct ref_head *ret_head, struct pawl_err *err);

/*
 * The value of a full name ("refs/heads/x"); none when absent.
 *
 * Errors: ERR_CORRUPT, ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc ref_read(const struct repo *repo, const char *name,
	struct oid *ret_oid, struct pawl_err *err);

/*
 * The folder of a worktree that has the branch `name` checked out; NULL: none
 * has.  Read from the worktrees' HEAD files.
 *
 * Errors: ERR_CORRUPT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc ref_checkout(const struct repo *repo,
	const char *name, struct arena *mem, const char **ret_top,
	struct pawl_err *err);

struct ref_update {
	const char *name; /* full */
	struct oid to;    /* none: delete it */
	struct oid from;  /* what it must be now; none: absent */
};

/*
 * Change references if all are what they must be.
 *
 * Errors: ERR_REF_MOVED when one isn't, with nothing changed; ERR_GIT_BUSY,
 * ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc ref_update(const struct repo *repo,
	const struct ref_update *updates, size_t count, struct pawl_err *err);

#endif
