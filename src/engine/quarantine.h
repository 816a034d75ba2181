/*
 * quarantine: a malformed result is set aside, and its slot closed.
 *
 *	artifacts/sha256/DIGEST         the bytes, as they were handed in
 *	artifacts/quarantine/ATTEMPT.json   the receipt
 *
 * The receipt says whose, under which key, which bytes, and what is wrong with
 * them.  In this order: bytes, receipt, `result_quarantined`, and the candidate
 * leaves the outbox.  Killed between any two of them, the same call with the
 * same key comes to the same end; another key, or other bytes under the same
 * one, is a conflict.
 */
#ifndef PAWL_ENGINE_QUARANTINE_H
#define PAWL_ENGINE_QUARANTINE_H

#include "engine/handed.h"

struct quarantine {
	struct str key;                /* whose call it is */
	const struct handed_in *in;    /* malformed */
	const struct exit_facts *exit; /* of the worker; NULL: pawl ran none */
	bool renew; /* a receipt without an event may be another's: ours now */
};

/*
 * Set aside what a started attempt handed in; commits.
 * Errors: ERR_KEY_CONFLICT; those of fs and the commit.
 */
PAWL_MUST_CHECK enum pawl_rc quarantine_put(struct pilot *p, uint32_t attempt,
	const struct quarantine *q, struct pawl_err *err);

/*
 * The verb's: `candidate` must be the attempt's own report in its outbox, and
 * malformed.  `*ret_again` is true when this key did it before.
 *
 * Errors, each for one reason: ERR_FOREIGN_PATH; ERR_FILE_NOT_FOUND;
 * ERR_UNSAFE_PATH for a link or what is no file; ERR_NOT_MALFORMED;
 * ERR_KEY_CONFLICT; ERR_RESULT_CLOSED when another key closed the slot;
 * ERR_ATTEMPT_STATE.
 */
PAWL_MUST_CHECK enum pawl_rc quarantine_candidate(struct pilot *p,
	uint32_t attempt, const char *candidate, struct str key,
	bool *ret_again, struct pawl_err *err);

#endif
