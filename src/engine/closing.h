/*
 * closing: how a coordinator ends a run for good.
 *
 * A run is closed with an outcome once nothing of it is open (decide) and the
 * provenance of its result is proven: every path that differs between the run's
 * base and its result lies in the scope of a task that passed.  The result is
 * the head of the run's branch, or, of a run in place, the tree as it is now
 * without what was uncommitted before the run.  A run that let no worker write
 * has changed nothing, and nothing is asked of it.
 */
#ifndef PAWL_ENGINE_CLOSING_H
#define PAWL_ENGINE_CLOSING_H

#include "engine/plumb.h"

/*
 * The paths that no passed task answers for, in path order; in p->mem.
 * Errors: ERR_REF_MOVED when the run's branch isn't where the journal has it;
 * those of snapshot_changes.
 */
PAWL_MUST_CHECK enum pawl_rc closing_unproven(
	struct pilot *p, struct strs *ret_paths, struct pawl_err *err);

/*
 * Close the run.  The same outcome once more is success.  Details of a refusal
 * lie in `mem`, which outlives the run.
 *
 * Errors: those of decide() for `run_closed`; ERR_CHANGED_PATH_UNPROVEN with
 * the list in its details; ERR_RUN_CLOSED for another outcome.
 */
PAWL_MUST_CHECK enum pawl_rc closing_complete(struct pilot *p,
	struct str outcome, struct str reason, struct arena *mem,
	bool *ret_again, struct pawl_err *err);

#endif
