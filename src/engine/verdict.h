/*
 * verdict: checks; the only thing that can move a node forward.
 *
 * A check is an argument vector, run by the coordinator in the attempt's
 * workspace under a monitor of its own, one at a time for an attempt.  The
 * snapshot before and after must be the same, else the verdict is void and the
 * check is run again, three times at the most.
 */
#ifndef PAWL_ENGINE_VERDICT_H
#define PAWL_ENGINE_VERDICT_H

#include "engine/landing.h"

/*
 * A reported attempt: start its check, adopt one that an earlier coordinator
 * started, or record the one that has ended, with what follows from it.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_advance(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/* The tip moved under a checked attempt: check again where it is now. */
PAWL_MUST_CHECK enum pawl_rc verdict_again(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * Propose what ends an attempt that was judged and didn't pass: `rejected`
 * while a repair is left, else the grade `fail`.  `why` names the cause.
 */
PAWL_MUST_CHECK enum pawl_rc verdict_reject(struct pilot *p, uint32_t attempt,
	struct str reason, struct str why, struct pawl_err *err);

#endif
