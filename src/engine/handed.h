/*
 * handed: what a worker handed in, on its way from the outbox into the record.
 *
 *	outbox/ATTEMPT/report.json	the worker's; it may be anything
 *	results/ATTEMPT.json		the accepted copy; written once
 *	artifacts/sha256/DIGEST		the same bytes, by digest
 *
 * The slot in results/ is filled before `attempt_reported` names its digest; so
 * one that is there and isn't named yet was filled by who was killed, and is
 * what counts, whatever lies in the outbox now.  Later its bytes are compared
 * with the digest whenever the run is synced or resumed.
 *
 * What is no result isn't accepted: engine/quarantine.h sets it aside.
 */
#ifndef PAWL_ENGINE_HANDED_H
#define PAWL_ENGINE_HANDED_H

#include "engine/pilot.h"
#include "model/result.h"

/* A file of the outbox: its attempt has ended, as the word in it says. */
#define OUTBOX_CLOSED "closed"

enum { HANDED_BYTES_MAX = 4 << 20 }; /* that are read, to be set aside */

struct handed_in {
	bool present; /* a report lies there */
	bool malformed;
	struct result result;
	struct str sha256; /* of the accepted bytes */
	struct str bytes;  /* what lies there */
	struct str why;    /* malformed: what is wrong */
};

/* Does anything lie in the attempt's slot, or in its outbox? */
bool is_handed_in(struct pilot *p, uint32_t attempt);

/*
 * Look at what the attempt handed in; a result has no digest yet.
 *
 * Errors: ERR_UNSAFE_PATH for what is no regular file; ERR_LIMIT for more than
 * HANDED_BYTES_MAX; those of fs.
 */
PAWL_MUST_CHECK enum pawl_rc handed_look(struct pilot *p, uint32_t attempt,
	struct handed_in *ret_in, struct pawl_err *err);

/* The same, and put a well-formed result into the slot. */
PAWL_MUST_CHECK enum pawl_rc handed_read(struct pilot *p, uint32_t attempt,
	struct handed_in *ret_in, struct pawl_err *err);

/*
 * Are the bytes in the slots those that were reported, of every attempt whose
 * report its worker made?  Errors: ERR_RESULT_SLOT for the first that isn't.
 */
PAWL_MUST_CHECK enum pawl_rc handed_verify(
	const struct run *r, struct pawl_err *err);

/*
 * An attempt that has ended: propose `result_kept` when something lies in its
 * outbox that is in no record yet; the bytes are kept by digest.  `*ret_kept`
 * says whether.  Errors: those of fs.
 */
PAWL_MUST_CHECK enum pawl_rc handed_late(struct pilot *p, uint32_t attempt,
	bool *ret_kept, struct pawl_err *err);

/* Tell a worker that delivers to the outbox from now on: nothing is taken any
 * more.  A courtesy, no record. */
void handed_close(struct pilot *p, uint32_t attempt);

#endif
