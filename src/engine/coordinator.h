/*
 * coordinator: who may act for a run, by name and token.
 *
 * A run is coordinated by the process of `pawl run`, or by a *named*
 * coordinator: an ID that acts through `pawl task ... --as ID` and has no
 * process of its own, unless it names one.  A run may also be *vacant*: it was
 * made, or handed over, and waits for a claim.
 *
 *	vacant ── claim ──> named ── transfer ──> vacant      generation + 1
 *	   any ── takeover ──> named, or a process            generation + 1
 *
 * Authority is the generation: decide() refuses what an ended one proposes,
 * under the lock.  The token (engine/token.h) says who may act for a named
 * one's; nothing ambient does.
 *
 *	run_open(&r, place, id, err)
 *	coordinator_enter(&r, name, err)     r.gen and r.actor are set
 *	run_begin(&r) run_propose(&r, &cmd) run_commit(&r)
 *
 * Order of a claim: the capsule's bytes are compared with the journal's digest,
 * the claim is decided, the token is written, the claim is committed together
 * with the reservation of a driver, and then the driver is selected
 * (engine/driver.h).  A crash between any two is gone on from by the same claim
 * again: a token of the generation that is there is used.
 */
#ifndef PAWL_ENGINE_COORDINATOR_H
#define PAWL_ENGINE_COORDINATOR_H

#include "base/rand.h"
#include "engine/run.h"
#include "engine/token.h"
#include "model/handover.h"

/* Who wants to coordinate. */
struct candidate {
	struct str name;    /* empty: this process */
	uint64_t owner_pid; /* process of a named one; 0: it has none */
	struct rand *rand;
	struct str key; /* of the act, against doing it twice; or empty */
};

/*
 * Act as `name` in what follows: sets run->gen and run->actor.
 *
 * What is read here is what the run was read at, without a lock; decide()
 * fences again.  Errors: ERR_STALE_COORDINATOR when the token is of a
 * generation that ended, or the run is another's; ERR_NOT_PERMITTED without a
 * token; ERR_WRONG_TOKEN for one that the journal doesn't name;
 * ERR_OTHER_BINARY when another program was recorded; those of token_load.
 */
PAWL_MUST_CHECK enum pawl_rc coordinator_enter(
	struct run *r, struct str name, struct pawl_err *err);

/* Does this name coordinate the run now, and has it the token? */
bool coordinator_is(const struct run *r, struct str name);

/* The same by whatever program: for who is about to record it. */
PAWL_MUST_CHECK enum pawl_rc coordinator_prove(
	struct run *r, struct str name, struct pawl_err *err);

/*
 * Claim a vacant run.  `*ret_again`: this one had claimed it.
 *
 * Errors: ERR_ALREADY_CLAIMED, ERR_NOT_PERMITTED (it is another's to claim),
 * ERR_DIGEST_MISMATCH, ERR_RUN_CLOSED; those of token_save, driver_select.
 */
PAWL_MUST_CHECK enum pawl_rc coordinator_claim(struct run *r,
	const struct candidate *who, bool *ret_again, struct pawl_err *err);

/* Would it be claimed?  Writes nothing and takes no lock. */
PAWL_MUST_CHECK enum pawl_rc coordinator_rehearse_claim(struct run *r,
	const struct candidate *who, bool *ret_again, struct pawl_err *err);

/*
 * Enter the run as `from` and give it to whoever claims it; `only`: to that one
 * alone, or empty.  With a key that did it before `*ret_again` is true, though
 * `from` is stale by then.  Errors: those of coordinator_enter, decide() and
 * the journal.
 */
PAWL_MUST_CHECK enum pawl_rc coordinator_transfer(struct run *r,
	const struct candidate *from, struct str only, bool *ret_again,
	struct pawl_err *err);

/* Would it be given by who has entered it?  Writes nothing. */
PAWL_MUST_CHECK enum pawl_rc coordinator_rehearse_transfer(
	struct run *r, struct str only, struct pawl_err *err);

/* The facts of the capsule that began, or would begin, generation `gen`. */
struct handover coordinator_handover(
	const struct run *r, uint64_t gen, struct str only);

/*
 * Write a capsule into the run's folder, durable; the digest is in `ret_hex`.
 * Writing the same again changes nothing.
 */
PAWL_MUST_CHECK enum pawl_rc coordinator_capsule_put(const struct run *r,
	const struct handover *h, char ret_hex[SHA256_HEX + 1],
	struct pawl_err *err);

/* For takeovers (engine/takeover.h). */

/* Who acts in the journal's words; in the run's arena. */
struct str coordinator_actor(struct run *r, struct str name);

/* Version, binary and process of a candidate, into an event. */
PAWL_MUST_CHECK enum pawl_rc coordinator_identify(struct run *r,
	const struct candidate *who, struct event *e, struct pawl_err *err);

/* The token of a candidate for a generation: one that a call which died has
 * left, or a new one, which is not saved yet. */
PAWL_MUST_CHECK enum pawl_rc coordinator_token(struct run *r,
	const struct candidate *who, uint64_t gen, struct token *ret_token,
	struct pawl_err *err);

#endif
