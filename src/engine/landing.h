/*
 * landing: how an attempt's work reaches the run's branch, or is given up.
 *
 * When the run's branch moved while an attempt was at work, the work is merged
 * onto the new tip in the object store, and the worktree is put to that tip
 * plus the merged changes, to be checked there again.  Only one attempt at a
 * time does so, so a second move can't overtake it.
 */
#ifndef PAWL_ENGINE_LANDING_H
#define PAWL_ENGINE_LANDING_H

#include "engine/workspace.h"

/*
 * A reported attempt that is to be checked: put its worktree onto the run's
 * tip when that moved.  `*ret_ready` is false when another attempt has the way,
 * or when the attempt ended here (INTEGRATION_FAILED).
 */
PAWL_MUST_CHECK enum pawl_rc landing_rebase(struct pilot *p, uint32_t attempt,
	bool *ret_ready, struct pawl_err *err);

/*
 * Checked: integrate.  Integrated: remove the worktree, grade.  Nothing of a
 * manual pilot, which is asked for each of the two.
 */
PAWL_MUST_CHECK enum pawl_rc landing_advance(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * Put the work of a checked attempt onto the run's branch and record it.  When
 * the branch moved, or the workspace isn't what the check saw, the autopilot
 * checks again; a manual pilot puts the work onto the new tip and says so.  Its
 * caller commits.
 *
 * Errors, of a manual pilot: ERR_CHECK_STALE; ERR_INTEGRATION_FAILED when the
 * work doesn't go onto the tip, and the attempt has ended so.
 */
PAWL_MUST_CHECK enum pawl_rc landing_integrate(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * Nothing of a passed attempt is left but its worktree: remove that and propose
 * the grade `pass`.
 */
PAWL_MUST_CHECK enum pawl_rc landing_finish(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* Who commits, into p->ident: asked once, so that all work of this process is
 * by one. */
PAWL_MUST_CHECK enum pawl_rc landing_identify(
	struct pilot *p, struct pawl_err *err);

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

/*
 * What a coordinator by name registered (model/registered.h) is nobody's to
 * finish here, and keeps an attempt, or any, from being taken further; nothing
 * keeps those of a manual pilot.
 */
bool landing_kept_open(const struct pilot *p, uint32_t attempt);
bool landing_any_kept_open(const struct pilot *p);

/* Look for what was registered for an attempt's node; what is gone is settled.
 */
PAWL_MUST_CHECK enum pawl_rc landing_look_registered(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The run was closed: its logs go, and the mark that it is active; again, too.
 */
PAWL_MUST_CHECK enum pawl_rc landing_closed(
	const struct run *run, struct pawl_err *err);

#endif
