/*
 * landing: workspaces, and how their work reaches the run's branch.
 *
 * An attempt's worktree always stands as *base commit + changes*: its branch is
 * at the base, the work is in the tree.  When the run's branch moved meanwhile,
 * the work is merged onto the new tip in the object store, and the worktree is
 * put to that tip plus the merged changes, to be checked there again.  Only one
 * attempt at a time does so, so a second move can't overtake it.
 */
#ifndef PAWL_ENGINE_LANDING_H
#define PAWL_ENGINE_LANDING_H

#include "engine/pilot.h"
#include "engine/snapshot.h"
#include "engine/worktree.h"

/* Snapshot of the user's own tree, kept in p->tree for this turn. */
PAWL_MUST_CHECK enum pawl_rc landing_snapshot_place(
	struct pilot *p, struct pawl_err *err);

/* Make (or finish making, or open again) the worktree of an attempt. */
PAWL_MUST_CHECK enum pawl_rc landing_worktree_make(struct pilot *p,
	uint32_t attempt, struct worktree *ret_worktree, struct pawl_err *err);

/* An attempt that never ran: remove what was made for it. */
PAWL_MUST_CHECK enum pawl_rc landing_worktree_discard(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* What an attempt's workspace holds, and what it stood on before the work. */
struct workspace {
	struct repo repo;
	const char *index; /* for snapshots */
	struct oid before; /* tree or commit that the work is judged against */
	struct oid after;  /* tree now */
};

/* Errors: those of worktree_open and snapshot_take. */
PAWL_MUST_CHECK enum pawl_rc landing_look(struct pilot *p, uint32_t attempt,
	struct workspace *ret_ws, struct pawl_err *err);

/*
 * Does this failure of landing_look() mean that the worktree is gone, or that
 * somebody put something else in its place?
 */
bool landing_is_lost(struct pilot *p, uint32_t attempt, enum pawl_rc rc,
	const struct pawl_err *err);

/*
 * A reported attempt that is to be checked: put its worktree onto the run's
 * tip when that moved.  `*ret_ready` is false when another attempt has the way,
 * or when the attempt ended here (INTEGRATION_FAILED).
 */
PAWL_MUST_CHECK enum pawl_rc landing_rebase(struct pilot *p, uint32_t attempt,
	bool *ret_ready, struct pawl_err *err);

/* Checked: integrate.  Integrated: remove the worktree, grade. */
PAWL_MUST_CHECK enum pawl_rc landing_advance(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* It must wait until another attempt has landed. */
bool landing_waits(struct pilot *p, uint32_t attempt);

/* Propose the grade `pass` of an attempt with nothing left open. */
PAWL_MUST_CHECK enum pawl_rc landing_pass(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * The node has failed: keep the work as a commit on the attempt's branch,
 * remove the worktree.  Propose the settled cleanups.
 */
PAWL_MUST_CHECK enum pawl_rc landing_give_up(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* An end without a verdict: keep the changes as a patch, undo them. */
PAWL_MUST_CHECK enum pawl_rc landing_reconcile(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The run was closed: its logs go, and the mark that it is active; again, too.
 */
PAWL_MUST_CHECK enum pawl_rc landing_closed(
	const struct run *run, struct pawl_err *err);

#endif
