/*
 * sync: take in what attempts have done since, and nothing else.
 *
 * One round looks at every attempt: the slots of reports are compared with
 * their digests; a report in an outbox is taken in, or set aside; a worker
 * whose monitor is gone is ended as it ended; a workspace in question is put in
 * order; a result that came too late is kept.  It judges nothing and starts
 * nothing.  When there is nothing new, nothing is appended.
 *
 * Waiting sleeps on the outboxes, the monitors and the journal.
 */
#ifndef PAWL_ENGINE_SYNC_H
#define PAWL_ENGINE_SYNC_H

#include "engine/pilot.h"

/*
 * One round.  What can't be read as a file in one outbox doesn't keep the
 * others from being taken in; the first of these is returned.
 *
 * Errors: ERR_RESULT_SLOT before anything is done; ERR_UNSAFE_PATH, ERR_LIMIT;
 * those of the journal.
 */
PAWL_MUST_CHECK enum pawl_rc sync_round(struct pilot *p, struct pawl_err *err);

enum sync_reason {
	SYNC_NOTHING,   /* nothing new, and nobody waited */
	SYNC_CHANGE,    /* the journal grew */
	SYNC_ATTENTION, /* only the coordinator, or a human, moves it on */
	SYNC_TIMEOUT,
};

struct str sync_reason_word(enum sync_reason reason);

/*
 * Rounds until something changed, or wants attention, for up to `wait_ms`.
 * Errors: as sync_round; ERR_INTERRUPTED, ERR_STALE_COORDINATOR.
 */
PAWL_MUST_CHECK enum pawl_rc sync_wait(struct pilot *p, uint64_t wait_ms,
	enum sync_reason *ret_reason, struct pawl_err *err);

#endif
