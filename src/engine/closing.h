/*
 * closing: how a run is ended for good, by its coordinator's verb or by the
 * autopilot.
 *
 * A run is closed with an outcome once nothing of it is open (decide) and the
 * provenance of its result is proven: every path that differs between the run's
 * base and its result lies in the scope of a task that passed.  The result is
 * the head of the run's branch, or, of a run in place, the tree as it is now
 * without what was uncommitted before the run.  A run that let no worker write
 * has changed nothing, and nothing is asked of it.
 *
 * A run that didn't pass may be closed over paths that aren't proven, when its
 * coordinator says why: the line names them.  So a commit of somebody else's
 * doesn't keep a run open for ever.
 */
#ifndef PAWL_ENGINE_CLOSING_H
#define PAWL_ENGINE_CLOSING_H

#include "engine/plumb.h"

/*
 * Prove it.  Details of a refusal, the paths, lie in `mem`, which outlives the
 * pilot.
 *
 * Errors: ERR_CHANGED_PATH_UNPROVEN for paths that no passed task answers for;
 * ERR_REF_MOVED when the run's branch isn't where the journal has it, with what
 * was changed on it; those of snapshot_changes.
 */
PAWL_MUST_CHECK enum pawl_rc closing_prove(
	struct pilot *p, struct arena *mem, struct pawl_err *err);

/*
 * Close the run, by a verb.  The same outcome once more is success.
 *
 * Errors: those of decide() for `run_closed` and of closing_prove;
 * ERR_RUN_CLOSED for another outcome.
 */
PAWL_MUST_CHECK enum pawl_rc closing_complete(struct pilot *p,
	struct str outcome, struct str reason, struct arena *mem,
	bool *ret_again, struct pawl_err *err);

#endif
