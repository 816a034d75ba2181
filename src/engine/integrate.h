/*
 * integrate: bring an attempt's work onto the run's branch, and the run's
 * branch onto the user's.
 *
 * The work is a tree (snapshot.h) whose differences to the attempt's base were
 * proven to lie in its scope.  It becomes a commit on that base.  When the
 * run's branch still is at the base, the branch moves to the commit.  When it
 * moved, the commit is merged with its tip three ways in the object store,
 * without a working tree; the result is a new commit on the tip, to be checked
 * again before it is published.
 *
 * A merge by git knows nothing of scopes, so its result is compared with the
 * tip: it must change the attempt's paths only, and may delete only what the
 * attempt deleted.  What a stale base lacks is thus never taken from the
 * branch.
 *
 * References move by comparison under the repository's lock; a branch that
 * moved meanwhile is ERR_REF_MOVED with nothing changed.  Nothing here deletes
 * a branch that isn't contained in another.  Commits have the caller's time, so
 * repeating a step after a crash makes the same objects.
 */
#ifndef PAWL_ENGINE_INTEGRATE_H
#define PAWL_ENGINE_INTEGRATE_H

#include "engine/snapshot.h"

/* Is `commit` the tip or one of its ancestors?  Errors: ERR_GIT. */
PAWL_MUST_CHECK enum pawl_rc integrate_contains(const struct repo *repo,
	const struct oid *tip, const struct oid *commit, bool *ret_contains,
	struct pawl_err *err);

/* Tree and first parent of `commit`.  Errors: ERR_GIT when it has none. */
PAWL_MUST_CHECK enum pawl_rc integrate_look(const struct repo *repo,
	const struct oid *commit, struct oid *ret_tree, struct oid *ret_parent,
	struct pawl_err *err);

/*
 * Make the run's branch at `base`; nothing happens when it is there and
 * contains the base.
 *
 * Errors: ERR_REF_MOVED when it is there without it; ERR_GIT, ERR_GIT_BUSY.
 */
PAWL_MUST_CHECK enum pawl_rc integrate_start(const struct repo *repo,
	const char *lock_dir, const char *ref, const struct oid *base,
	struct pawl_err *err);

struct integrate_work {
	struct oid tree;        /* what the attempt's worktree holds */
	struct oid base;        /* the commit it began at; the parent */
	struct oid commit;      /* of both: what integrate_commit gave */
	struct str message;     /* of the commit; bytes, may hold anything */
	struct git_ident ident; /* with a time that a repetition has, too */
};

/* Make work->commit.  Errors: ERR_GIT.  Cost: one process. */
PAWL_MUST_CHECK enum pawl_rc integrate_commit(const struct repo *repo,
	const struct integrate_work *work, struct oid *ret_commit,
	struct pawl_err *err);

enum integrate_outcome {
	INTEGRATE_DONE,     /* `commit` is on the tip; check, then publish it */
	INTEGRATE_CONFLICT, /* `paths` can't be merged */
	INTEGRATE_ALIEN, /* the merge would change `paths`, not the attempt's */
};

struct integrate_rebased {
	enum integrate_outcome outcome;
	struct oid commit;  /* INTEGRATE_DONE only */
	struct oid tree;    /* likewise */
	struct paths paths; /* in the arena; release the list */
};

/*
 * Make the commit that puts `work`, which has its commit, onto `tip`.
 *
 * Errors: ERR_REF_MOVED when `tip` doesn't contain the base; ERR_GIT.
 */
PAWL_MUST_CHECK enum pawl_rc integrate_rebase(const struct repo *repo,
	const struct integrate_work *work, const struct oid *tip,
	struct arena *mem, struct integrate_rebased *ret_rebased,
	struct pawl_err *err);

/*
 * Move the run's branch from `from` to `commit`, and, when `branch` is given,
 * the attempt's branch to it as well, in one step.  Done already is success.
 *
 * Errors: ERR_REF_MOVED; ERR_REF_IN_USE when a worktree has the run's branch
 * checked out; ERR_GIT, ERR_GIT_BUSY.  Cost: one process.
 */
struct integrate_publication {
	const char *lock_dir;
	const char *ref;         /* "refs/heads/pawl/<run>/main" */
	struct oid from, commit; /* the commit's parent is `from` */
	const char *branch;      /* the attempt's, or NULL */
};

PAWL_MUST_CHECK enum pawl_rc integrate_publish(const struct repo *repo,
	const struct integrate_publication *pub, struct pawl_err *err);

/*
 * Delete an attempt's branch that `onto` contains; one that is gone is success.
 *
 * Errors: ERR_CLEANUP_BLOCKED when it isn't contained; ERR_REF_MOVED, ERR_GIT,
 * ERR_GIT_BUSY.
 */
PAWL_MUST_CHECK enum pawl_rc integrate_drop(const struct repo *repo,
	const char *lock_dir, const char *branch, const char *onto,
	struct pawl_err *err);

enum land_outcome {
	LAND_DONE,             /* the branch and its checkout are at the head */
	LAND_NOTHING,          /* they were */
	LAND_NOT_FAST_FORWARD, /* the user's branch has commits of its own */
	LAND_BLOCKED,          /* `paths` of the user's stand in the way */
};

struct land_spec {
	const char *lock_dir;
	const char *branch; /* the user's: "refs/heads/main" */
	struct oid head;    /* of the run's branch */
};

struct landing {
	enum land_outcome outcome;
	struct oid from;    /* where the branch was */
	struct paths paths; /* in the arena; release the list */
};

/*
 * Move the user's branch forward to the head, with its checkout wherever it has
 * one.  Never over a file that is modified, untracked or ignored: nothing is
 * changed then.
 *
 * Errors: ERR_GIT (an unfinished merge of the user's, for one), ERR_GIT_BUSY.
 */
PAWL_MUST_CHECK enum pawl_rc integrate_land(const struct repo *repo,
	const struct land_spec *spec, struct arena *mem,
	struct landing *ret_landing, struct pawl_err *err);

#endif
