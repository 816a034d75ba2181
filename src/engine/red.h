/*
 * red: the check of a node on what its attempt began with, where it must fail.
 *
 * A check that passes there already shows nothing of the attempt's work.  A
 * task with `Red: true` has it run once, before the first check of its own
 * counts, in a worktree of its own that holds the base and nothing else: the
 * commit that the attempt's branch is at, or the tree that stood in place when
 * the attempt began.
 *
 * The worktree is registered as a cleanup before it is made, and removed when
 * the verdict is recorded; what the check left in it is nobody's work.
 */
#ifndef PAWL_ENGINE_RED_H
#define PAWL_ENGINE_RED_H

#include "engine/workspace.h"

/*
 * Make the worktree for the attempt's next check; again after a crash, too.
 * `ret_ws->after` is what it holds.
 *
 * Errors: ERR_NEEDS_REPOSITORY; those of workspace_look and worktree_add.
 */
PAWL_MUST_CHECK enum pawl_rc red_make(struct pilot *p, uint32_t attempt,
	struct workspace *ret_ws, struct pawl_err *err);

/* Remove the worktree of check `number`, and propose the settled cleanup. */
PAWL_MUST_CHECK enum pawl_rc red_drop(struct pilot *p, uint32_t attempt,
	uint32_t number, struct pawl_err *err);

/*
 * The attempt ends: do so for each that a call which died has left open.  None
 * of its checks may run.
 */
PAWL_MUST_CHECK enum pawl_rc red_settle(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

#endif
