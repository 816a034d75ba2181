/*
 * ground: the worktree that a worker stands on, watched while it works.
 *
 * What is removed under a worker can't come back, and its work can't land: its
 * tree of processes is ended at once, rather than at its deadline.  The kernel
 * tells (inotify); nothing is looked at in turns.  A worker that keeps the
 * folder busy delays what the kernel says of the folder itself, so it is the
 * folder above that is asked, and the `.git` inside.
 *
 * Whether it is gone is told by looking, never by having been told: who takes
 * in an end that was asked for finds the same.
 */
#ifndef PAWL_ENGINE_GROUND_H
#define PAWL_ENGINE_GROUND_H

#include "engine/pilot.h"

/*
 * Watch it for a worker's slot; one that is gone already is acted on now.
 * Errors: those of loop_watch.
 */
PAWL_MUST_CHECK enum pawl_rc ground_watch(
	struct pilot *p, struct slot *slot, struct pawl_err *err);

/* Has the attempt a worktree, and isn't it there any more? */
bool ground_is_gone(struct pilot *p, uint32_t attempt);

#endif
