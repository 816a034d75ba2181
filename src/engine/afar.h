/*
 * afar: attempts that a driver's program has (docs/driver-protocol.md).
 *
 * An attempt is one identity, `RUN/ATTEMPT`, whatever is asked and however
 * often: what a question did that got no answer is unknown, and it is asked
 * again.  So a crash between any two steps, of the driver or of pawl, changes
 * nothing but the time that it takes:
 *
 *	reserved   start → `attempt_started` with the driver's references → open
 *	started    open once more, poll; results go into the outbox, where they
 *		   are looked at as any worker's
 *	exited     the end as a monitor's, then release, which settles the
 *		   cleanup of kind `provider_dispatch`
 *
 * What the driver says about its own is recorded as what it said (`done`, never
 * `verified`).  What it can't prove gone keeps the cleanup open; each sync asks
 * again, a pilot once.
 *
 * Files: afar.c (operations of the driver), afar_talk.c (questions and what the
 * answers hold).
 */
#ifndef PAWL_ENGINE_AFAR_H
#define PAWL_ENGINE_AFAR_H

#include "engine/drivers.h"

extern const struct driver driver_afar;

/* Does this pilot have to do with any of them? */
bool afar_is_needed(const struct pilot *p);

/* It stays as it is until another process looks at it. */
bool afar_is_left(const struct pilot *p, uint32_t attempt);

/* Have what ended attempts still own released, and commit what came of it. */
PAWL_MUST_CHECK enum pawl_rc afar_settle_all(
	struct pilot *p, struct pawl_err *err);

#endif
