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

#include "engine/driver_client.h"
#include "engine/run.h"

/* In the commit under way: reserve a selection, if the run wants one. */
PAWL_MUST_CHECK enum pawl_rc driver_reserve(
	struct run *r, struct pawl_err *err);

/*
 * Finish an open selection: receipt into the artifacts, then its commit.
 * `*ret_done` is false when none was open.  A driver that was asked for by its
 * name is selected or none is, and the selection stays open.
 *
 * Errors: ERR_DRIVER_NOT_FOUND, ERR_DRIVER_UNSUPPORTED and others of
 * driver_ask; those of artifact_put, the journal.
 */
PAWL_MUST_CHECK enum pawl_rc driver_select(
	struct run *r, bool *ret_done, struct pawl_err *err);

/* The same before attempts are begun, when a program was asked for. */
PAWL_MUST_CHECK enum pawl_rc driver_finish_selection(
	struct run *r, struct pawl_err *err);

/* Is it the name of one that is a program of its own? */
bool driver_is_program(struct str name);

/* What a driver says about itself, whole and in order; in `mem`.  Errors:
 * ERR_DRIVER_UNSUPPORTED; those of driver_ask. */
PAWL_MUST_CHECK enum pawl_rc driver_describe(struct driver_client *client,
	struct arena *mem, const struct json **ret_said, struct pawl_err *err);

#endif
