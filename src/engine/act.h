/*
 * act: one command on a run, appended once however often it is asked for.
 *
 * Under an idempotency key the commit is looked for before anything is decided;
 * `request` is what the key stands for, so that the same key with another
 * request is a conflict.  A dry run decides what would be answered from reading
 * alone: it takes no lock, since catching up under the lock would cut a torn
 * tail.
 *
 * A command that says what comes next (an id, a revision) is made from what was
 * read, before the lock: others may have written meanwhile.  Then it is made
 * anew from what stands there now, as if it had been asked for after them:
 *
 *	do
 *		rc = make and act_commit(..., seen = the state's seq)
 *	while (act_is_outrun(rc, err));
 */
#ifndef PAWL_ENGINE_ACT_H
#define PAWL_ENGINE_ACT_H

#include "engine/run.h"

struct act {
	struct str key;     /* or empty */
	struct str request; /* any bytes */
	bool dry_run;
	uint64_t seen; /* the line that it was made from; 0: any will do */
};

/*
 * Decide and append the command as a line of its own.  `*ret_again`: the key
 * had done it before.  Errors: those of decide(), keys_find and the journal;
 * ERR_STALE_SEQ when there are lines after the one that it was made from.
 */
PAWL_MUST_CHECK enum pawl_rc act_commit(struct run *r,
	const struct command *cmd, const struct act *act, bool *ret_again,
	struct pawl_err *err);

/* Is the line that it was made from still the last?  Errors: ERR_STALE_SEQ. */
PAWL_MUST_CHECK enum pawl_rc act_check_seen(
	const struct run *r, const struct act *act, struct pawl_err *err);

/* Was it refused only since others had written?  The run has been read again.
 */
bool act_is_outrun(enum pawl_rc rc, const struct pawl_err *err);

/*
 * What would be recorded is recorded: sync it under the lock, since who wrote
 * it may have died before that.  A dry run only says so.
 */
PAWL_MUST_CHECK enum pawl_rc act_sync(
	struct run *r, const struct act *act, struct pawl_err *err);

/* What act_commit would answer, with nothing appended and no lock taken. */
PAWL_MUST_CHECK enum pawl_rc act_rehearse(struct run *r,
	const struct command *cmd, const struct act *act, bool *ret_again,
	struct pawl_err *err);

/* From what was read, without the lock: has the key done it? */
PAWL_MUST_CHECK enum pawl_rc act_look(struct run *r, const struct act *act,
	bool *ret_again, struct pawl_err *err);

/*
 * Under the lock: has the key done it?  An answer is only given once its commit
 * is synced.
 */
PAWL_MUST_CHECK enum pawl_rc act_find(struct run *r, const struct act *act,
	bool *ret_again, struct pawl_err *err);

/*
 * Unlock: with a commit of what was proposed, under the key, unless `rc` is a
 * failure or the act was done `again`.
 */
PAWL_MUST_CHECK enum pawl_rc act_end(struct run *r, const struct act *act,
	bool again, enum pawl_rc rc, struct pawl_err *err);

#endif
