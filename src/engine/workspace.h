/*
 * workspace: what an attempt works in, and what it held before and after.
 *
 * In place it is the user's own tree; else a worktree of the attempt's, which
 * always stands as *base commit + changes*: its branch is at the base, the work
 * is in the tree.  A tree is taken by git, and only when something may have
 * been written since it was last taken (os/fingerprint.h).
 *
 * After an end without a verdict the changes are kept as a patch, by digest,
 * and undone: a worktree is removed; in place, paths of the scope go back to
 * what they were, and others are left and named.
 */
#ifndef PAWL_ENGINE_WORKSPACE_H
#define PAWL_ENGINE_WORKSPACE_H

#include "engine/pilot.h"
#include "engine/snapshot.h"
#include "engine/worktree.h"

struct workspace {
	struct repo repo;
	const char *index; /* for snapshots */
	struct oid before; /* tree or commit that the work is judged against */
	struct oid after;  /* tree now */
};

/* Snapshot of the user's own tree, kept in p->tree for this turn. */
PAWL_MUST_CHECK enum pawl_rc workspace_snapshot_place(
	struct pilot *p, struct pawl_err *err);

/* Make (or finish making, or open again) the worktree of an attempt. */
PAWL_MUST_CHECK enum pawl_rc workspace_make(struct pilot *p, uint32_t attempt,
	struct worktree *ret_worktree, struct pawl_err *err);

/* An attempt that never ran, or that ended: remove what was made for it. */
PAWL_MUST_CHECK enum pawl_rc workspace_discard(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Errors: those of worktree_open and snapshot_take. */
PAWL_MUST_CHECK enum pawl_rc workspace_look(struct pilot *p, uint32_t attempt,
	struct workspace *ret_ws, struct pawl_err *err);

/*
 * Does this failure of workspace_look() mean that the worktree is gone, or that
 * somebody put something else in its place?
 */
bool workspace_is_lost(struct pilot *p, uint32_t attempt, enum pawl_rc rc,
	const struct pawl_err *err);

/* An end without a verdict: keep the changes as a patch, undo them. */
PAWL_MUST_CHECK enum pawl_rc workspace_reconcile(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * Remove an attempt's worktree and its branch, once `onto` has its commits.
 *
 * Errors: ERR_CLEANUP_BLOCKED also for one that a cleanup retains.
 */
PAWL_MUST_CHECK enum pawl_rc workspace_drop(struct pilot *p, uint32_t attempt,
	const char *onto, bool preserved, bool branch, struct pawl_err *err);

/*
 * Settle the cleanup of its worktree after a removal: it is gone (`why` is
 * NULL), for the reason `removed`, or it is kept.
 *
 * Errors: the removal's own when it may go well another time and the attempt
 * has begun; nothing is settled then.
 */
PAWL_MUST_CHECK enum pawl_rc workspace_settle(struct pilot *p, uint32_t attempt,
	struct str removed, const struct pawl_err *why, struct pawl_err *err);

/* How git knows the attempt's worktree. */
PAWL_MUST_CHECK enum pawl_rc workspace_spec(struct pilot *p, uint32_t attempt,
	struct worktree_spec *ret_spec, struct pawl_err *err);

/* Full name of the run's branch, and its head, or the base before it has one.
 */
const char *workspace_run_ref(struct pilot *p);
PAWL_MUST_CHECK enum pawl_rc workspace_tip(
	struct pilot *p, struct oid *ret_tip, struct pawl_err *err);

/* The object that a text of the journal names.  Errors: ERR_CORRUPT. */
PAWL_MUST_CHECK enum pawl_rc workspace_oid(
	struct str text, struct oid *ret_oid, struct pawl_err *err);

#endif
