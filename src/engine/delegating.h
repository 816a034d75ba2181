/*
 * delegating: parts of an attempt's work on their way: from an intent to a
 * worker of its own, and what it reports back into the record.
 *
 *	outbox/API-01@1/ask-2.json	the intent, when the worker asked
 *	outbox/API-01@1/answers/g1.json	where it stands, for that worker
 *	capsules/g1.json		what the delegation's worker is told
 *	outbox/g1/report.json		its result; the attempt in it is `g1`
 *
 * Each verb is one line of the journal, decided by model/decide_delegation.c.
 * Said again with the same words it changes nothing and is answered as before;
 * other words are a conflict.  pawl starts no process: its coordinator hands
 * capsule, outbox and environment on, as of an attempt of the driver `host`.
 *
 * A run that `pawl run` coordinates has nobody who could approve, so what its
 * workers ask for is recorded and rejected in one line.
 */
#ifndef PAWL_ENGINE_DELEGATING_H
#define PAWL_ENGINE_DELEGATING_H

#include "engine/act.h"
#include "engine/host.h"
#include "model/delegation_doc.h"

struct delegating {
	struct run *run;  /* entered by its coordinator */
	struct act act;   /* without its request */
	const char *top;  /* of the repository */
	uint32_t subject; /* the delegation; of a request the attempt */
	uint64_t read;    /* delegating_is_outrun's: the last line, last time */
};

struct delegating_answer {
	uint32_t delegation; /* index; with a dry run it may not be there */
	bool again;          /* it was said before */
};

/* As act_is_outrun: what was asked for is then asked for once more. */
bool delegating_is_outrun(
	struct delegating *d, enum pawl_rc rc, const struct pawl_err *err);

/*
 * Propose what the worker of a live attempt asked for by message `number`; part
 * of the commit under way.  One that is stale is recorded and rejected; while
 * there are too many it stays where it lies.
 */
PAWL_MUST_CHECK enum pawl_rc delegating_take(struct pilot *p, uint32_t attempt,
	uint32_t number, const struct delegation_intent *intent,
	struct pawl_err *err);

/* The coordinator asks itself.  Errors: ERR_STALE_SEQ, ERR_ATTEMPT_STATE. */
PAWL_MUST_CHECK enum pawl_rc delegating_request(const struct delegating *d,
	const struct delegation_intent *intent,
	struct delegating_answer *ret_answer, struct pawl_err *err);

/* What is granted; a list that is NULL: all that was asked for. */
struct delegating_grant {
	const struct strs *paths; /* as people write them */
	const struct strs *context_refs;
	const struct strs *capabilities;
};

/* Errors: ERR_DELEGATION_WIDENS, ERR_DELEGATION_STATE, ERR_INVALID_PATH. */
PAWL_MUST_CHECK enum pawl_rc delegating_approve(const struct delegating *d,
	const struct delegating_grant *grant,
	struct delegating_answer *ret_answer, struct pawl_err *err);

/* Errors: ERR_DELEGATION_STATE. */
PAWL_MUST_CHECK enum pawl_rc delegating_reject(const struct delegating *d,
	struct str reason, struct delegating_answer *ret_answer,
	struct pawl_err *err);

/*
 * Make capsule and outbox, and record that the delegation is its coordinator's
 * to hand on.  `worker` is a name, `cleanup` an open cleanup of its attempt,
 * by which it is released; both may be empty.
 *
 * Errors: ERR_DELEGATION_STATE, ERR_CLEANUP_NOT_FOUND, ERR_CLEANUP_SETTLED,
 * ERR_CLEANUP_TAKEN.
 */
PAWL_MUST_CHECK enum pawl_rc delegating_start(const struct delegating *d,
	struct str worker, struct str cleanup,
	struct delegating_answer *ret_answer, struct pawl_err *err);

/* What is handed on; strings live as long as the run. */
void delegating_handout(
	const struct delegating *d, struct handout *ret_handout);

/*
 * Record its result: `bytes`, or with none what lies in its outbox.
 *
 * Errors: ERR_INVALID_RESULT, ERR_DELEGATION_WIDENS, ERR_DELEGATION_STATE;
 * ERR_FILE_NOT_FOUND when nothing lies there.
 */
PAWL_MUST_CHECK enum pawl_rc delegating_report(const struct delegating *d,
	struct str bytes, struct delegating_answer *ret_answer,
	struct pawl_err *err);

/*
 * Record what lies in the outboxes of all that have started.  One whose result
 * can't be taken in is left as it is, and holds up no other; the first of them
 * is the error, of the class PAWL_ENO or PAWL_EPERM.  Nothing is proposed by
 * the pilot when it is called.  All other errors end it.
 */
PAWL_MUST_CHECK enum pawl_rc delegating_collect(
	struct pilot *p, struct pawl_err *err);

/*
 * Release it: by a cleanup that is settled (the one that its start named, or
 * `cleanup`), or for a reason.
 *
 * Errors: ERR_DELEGATION_STATE, ERR_REASON_NEEDED, ERR_CLEANUP_NOT_FOUND,
 * ERR_CLEANUP_PENDING.
 */
PAWL_MUST_CHECK enum pawl_rc delegating_release(const struct delegating *d,
	struct str cleanup, struct str reason,
	struct delegating_answer *ret_answer, struct pawl_err *err);

/* Tell the parents that live where their delegations stand, as far as they
 * weren't told. */
PAWL_MUST_CHECK enum pawl_rc delegating_deliver_all(
	const struct run *r, struct pawl_err *err);

#endif
