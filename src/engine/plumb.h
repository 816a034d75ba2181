/*
 * plumb: a pilot for one verb, of whoever coordinates a run by hand.
 *
 * The plumbing verbs (`pawl task ...`) use the autopilot's functions: what a
 * worker's end, a check's verdict or a merge means is decided in one place.  A
 * plumb is a pilot that schedules nothing (`config.manual`): a fact is recorded
 * and nothing follows from it by itself.
 *
 *	run_open(&run, ...)  coordinator_enter(&run, name)
 *	plumb_open(&p, &run, &repo, &config)
 *	worker_..., verdict_..., landing_...; pilot_propose, pilot_commit
 *	plumb_await(&p, attempt)        when its worker or check is to be seen
 *					through
 *	plumb_close(&p)
 *
 * Children outlive the verb under their monitors; the next verb, or the
 * autopilot, finds them by what the journal says.
 */
#ifndef PAWL_ENGINE_PLUMB_H
#define PAWL_ENGINE_PLUMB_H

#include "engine/pilot.h"

/*
 * Over a run that this process may change (run->gen, run->actor are set).
 * Errors: those of pilot_open; there is then nothing to close.
 */
PAWL_MUST_CHECK enum pawl_rc plumb_open(struct pilot *ret_pilot,
	struct run *run, const struct repo *repo,
	const struct pilot_config *config, struct pawl_err *err);

/* Also of one that was never opened, when it is zero. */
void plumb_close(struct pilot *p);

/*
 * The attempt `node@n`.  Errors: ERR_INVALID_ID for an empty one;
 * ERR_ATTEMPT_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc plumb_attempt(const struct run *r, struct str id,
	uint32_t *ret_attempt, struct pawl_err *err);

/*
 * Wait until the watched child of an attempt has ended; at once when none is
 * watched.  What others append meanwhile is read.
 *
 * Errors: ERR_INTERRUPTED by a signal (p->stop_signal): the child goes on;
 * ERR_STALE_COORDINATOR.
 */
PAWL_MUST_CHECK enum pawl_rc plumb_await(
	struct pilot *p, uint32_t attempt, struct pawl_err *err);

/*
 * What was to be done with an attempt is refused: has somebody else moved it on
 * from status `was`?  What was proposed is forgotten and the run is read again.
 */
bool plumb_is_overtaken(
	struct pilot *p, uint32_t attempt, enum attempt_status was);

/*
 * A verb with an idempotency key: was it done?  `request` is what the key
 * stands for; `*ret_seq` is the commit that was made for it, or 0, and then
 * plumb_finish() makes it.  Without a key nothing is looked for.
 *
 * Errors: ERR_KEY_CONFLICT, ERR_KEY_EXPIRED and others of keys_find.
 */
PAWL_MUST_CHECK enum pawl_rc plumb_ask(struct pilot *p, struct str key,
	struct str request, uint64_t *ret_seq, struct pawl_err *err);

/* Commit what was proposed, as what the verb was asked for. */
PAWL_MUST_CHECK enum pawl_rc plumb_finish(
	struct pilot *p, struct pawl_err *err);

/* Take a lock of the run's, a file among its logs.  Errors: ERR_BUSY. */
PAWL_MUST_CHECK enum pawl_rc plumb_lock(struct pilot *p, const char *name,
	unsigned timeout_ms, int *ret_fd, struct pawl_err *err);

/* Read what others have appended, though nothing told that they did. */
PAWL_MUST_CHECK enum pawl_rc plumb_reread(
	struct pilot *p, struct pawl_err *err);

/*
 * What lies outside of the journal is moved by one verb at a time: two calls of
 * `sync`, or of `grade`, would take the same worktree apart and call each
 * other's half of it lost.  The state is read anew, since who had the turn
 * before has changed it.  What must wait for long has no turn meanwhile.
 *
 * Errors: ERR_BUSY, which names the holder; those of pilot_refresh.
 */
PAWL_MUST_CHECK enum pawl_rc plumb_turn(
	struct pilot *p, int *ret_turn, struct pawl_err *err);

/* Who drives the checks of an attempt, or ends it, which no check may cross.
 * Taken before the turn; lock_close() ends either. */
PAWL_MUST_CHECK enum pawl_rc plumb_flight(struct pilot *p, uint32_t attempt,
	unsigned timeout_ms, int *ret_flight, struct pawl_err *err);

/* The two of them, for what ends an attempt. */
struct plumb_hold {
	int flight, turn;
};
#define PLUMB_HOLD_NONE \
	{               \
		-1, -1  \
	}
PAWL_MUST_CHECK enum pawl_rc plumb_hold(struct pilot *p, uint32_t attempt,
	struct plumb_hold *hold, struct pawl_err *err);
void plumb_let_go(struct pilot *p, struct plumb_hold *hold);

/* Sleep until something happened; errors as plumb_await. */
PAWL_MUST_CHECK enum pawl_rc plumb_step(struct pilot *p, struct pawl_err *err);

#endif
