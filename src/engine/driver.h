/*
 * driver: who starts workers for a named coordinator's run.
 *
 * Selected once a run, in two commits: the reservation, which is part of the
 * first claim's or takeover's line, and the outcome.  In between a crash leaves
 * an open selection; selecting goes on under the same name (`driver-1`), which
 * gives the same outcome.  The run of `pawl run` has its driver without a
 * selection.
 */
#ifndef PAWL_ENGINE_DRIVER_H
#define PAWL_ENGINE_DRIVER_H

#include "engine/run.h"

/* In the commit under way: reserve a selection, if the run wants one. */
PAWL_MUST_CHECK enum pawl_rc driver_reserve(
	struct run *r, struct pawl_err *err);

/*
 * Finish an open selection: receipt into the artifacts, then its commit.
 * `*ret_done` is false when none was open.  Errors: ERR_INVALID_ARGUMENT for a
 * driver that this version doesn't know; those of artifact_put, the journal.
 */
PAWL_MUST_CHECK enum pawl_rc driver_select(
	struct run *r, bool *ret_done, struct pawl_err *err);

#endif
