/*
 * guard: watch over one worker from its start to the end of everything it left.
 *
 * Phases, and what leads on:
 *
 *	GATE    nothing runs    'g' on the gate: RUN; its end: nothing happened
 *	RUN     the worker runs it ended: SETTLE, or DONE when it left nothing;
 *	                        deadline or TERM: TERM; QUIT: KILL
 *	SETTLE  what is ending  1 s passed: those that live are listed as
 *	        anyway          survivors, TERM; nobody left: DONE
 *	TERM    TERM was sent   nobody left: DONE; the grace passed: KILL
 *	KILL    KILL to all,    nobody is left, or 10 s passed: DONE
 *	        over and over
 *	DONE    the end is written down
 *
 * "Nobody left" is what the kernel says: the monitor is the subreaper of all
 * its descendants, so it has no child exactly when it has no descendant.
 *
 * When the worker's end and the deadline come together, the end counts.
 *
 * TSTP and CONT stop the worker and its deadline and let both go on; USR1 and
 * USR2 do that with the deadline alone, while a human is to answer.
 */
#ifndef PAWL_CHILD_GUARD_H
#define PAWL_CHILD_GUARD_H

#include "base/err.h"
#include "child/job.h"

/*
 * Wait for the gate, run the worker, end what is left, write that down.
 *
 * PAWL_OK also when the gate closed and nothing was run.  Errors: ERR_IO when
 * the outcome could not be written, or nothing could be set up.
 */
PAWL_MUST_CHECK enum pawl_rc guard_run(
	const struct job *job, struct pawl_err *err);

#endif
