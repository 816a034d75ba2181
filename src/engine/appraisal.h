/*
 * appraisal: what a coordinator by hand makes of an attempt that has reported.
 *
 * Each verb takes one step, by the autopilot's own functions, and records it:
 *
 *	reported ── check ──> checked ── integrate ──> integrated ── grade ──>
 *
 * A check is a single flight: whoever asks while one runs joins it and gets the
 * same record.  The one who drives it holds a lock of the attempt's; one who
 * waits watches the check's monitor, and goes on in the driver's place when
 * that has died.  So a check whose owner died is recorded, or voided, by
 * whoever asks next.
 *
 * A refusal changes nothing.  Where a step must touch the world (a worktree
 * that goes), it is decided first, and repeating it after a crash ends alike.
 */
#ifndef PAWL_ENGINE_APPRAISAL_H
#define PAWL_ENGINE_APPRAISAL_H

#include "engine/plumb.h"

struct appraisal {
	uint32_t attempt; /* index */
	uint32_t check;   /* index of the one that was answered with */
	bool again;       /* it stood before; nothing was recorded */
	bool joined;      /* another call drove it */
};

/*
 * Check the last attempt of a node, and see it through; answer with the verdict
 * that stands, unless `rerun`.
 *
 * Errors: ERR_ATTEMPT_NOT_FOUND, ERR_ATTEMPT_STATE, ERR_CHECK_MISSING,
 * ERR_RED_NEEDED when the check passes on the base, too,
 * ERR_INTEGRATION_FAILED; ERR_INTERRUPTED: it goes on under its monitor.  A
 * verdict that is no pass isn't an error here.
 */
PAWL_MUST_CHECK enum pawl_rc appraisal_check(struct pilot *p, uint32_t node,
	bool rerun, struct appraisal *ret_appraisal, struct pawl_err *err);

/*
 * See every check through that runs and whose driver is gone; `id`: only that
 * one.  `*ret_count` is how many got a record here.
 */
PAWL_MUST_CHECK enum pawl_rc appraisal_recover(struct pilot *p, struct str id,
	uint32_t *ret_count, struct pawl_err *err);

/*
 * Put the checked work onto the run's branch; done before is success.
 * Errors: those of landing_integrate; ERR_ATTEMPT_STATE.
 */
PAWL_MUST_CHECK enum pawl_rc appraisal_integrate(struct pilot *p, uint32_t node,
	struct appraisal *ret_appraisal, struct pawl_err *err);

/*
 * Give a node a grade.  The same once more is success; `blocked` may be given
 * to one that has no attempt.
 * Errors: those of decide(), ERR_GRADE_CONFLICT for another one.
 */
PAWL_MUST_CHECK enum pawl_rc appraisal_grade(struct pilot *p, uint32_t node,
	enum grade grade, struct str reason, bool *ret_again,
	struct pawl_err *err);

/*
 * Would this be recorded, once what pawl itself removes for it is gone?  Writes
 * nothing and takes no lock.  Errors: those of decide().
 */
PAWL_MUST_CHECK enum pawl_rc appraisal_rehearse(
	const struct run *r, const struct command *cmd, struct pawl_err *err);

#endif
