/*
 * cleaning: cleanups of a coordinator's own, and pawl's proof that what was
 * registered is gone.
 *
 * Proven are a process (by its id and start time on this machine, os/owner.h),
 * a worktree (nothing at its path, and git names it nowhere) and a temporary
 * path (nothing there).  What pawl didn't make it never deletes: it only looks.
 * For the other kinds a caller's word gives `done`, with a receipt kept by
 * digest when there is one.
 *
 *	register   the intent, before the side effect
 *	finish     it is gone: verified by looking, or done by word
 *	recover    look once more, and record what was seen
 *	retain     it stays, by whom and why
 */
#ifndef PAWL_ENGINE_CLEANING_H
#define PAWL_ENGINE_CLEANING_H

#include "engine/act.h"
#include "engine/pilot.h"

struct cleaning_intent {
	uint32_t attempt;
	struct str kind;
	struct str target; /* a path, or a name; of a process may be empty */
	uint64_t pid;      /* of a process */
};

/*
 * Register it for the entered coordinator; `*ret_cleanup` is its index.  The
 * same intent, while it is open, is the same cleanup: `*ret_again`.
 *
 * Errors: ERR_CLEANUP_TAKEN when somebody else's has that target; ERR_INVALID_
 * ARGUMENT for a process that isn't there or a path that isn't absolute; those
 * of act_commit.
 */
PAWL_MUST_CHECK enum pawl_rc cleaning_register(struct run *r,
	const struct cleaning_intent *intent, const struct act *act,
	uint32_t *ret_cleanup, bool *ret_again, struct pawl_err *err);

/* How a cleanup is to be settled. */
struct cleaning_end {
	uint32_t cleanup;
	struct str reason;   /* of retain */
	struct str receipt;  /* bytes that show it, or empty; of finish */
	const char *git_dir; /* the repository's common folder; NULL: no
			      * worktree can be proven gone */
};

/*
 * Errors: ERR_CLEANUP_UNPROVEN when it is still there: nothing is recorded;
 * ERR_CLEANUP_SETTLED; those of act_commit.
 */
PAWL_MUST_CHECK enum pawl_rc cleaning_finish(struct run *r,
	const struct cleaning_end *end, const struct act *act, bool *ret_again,
	struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc cleaning_retain(struct run *r,
	const struct cleaning_end *end, const struct act *act, bool *ret_again,
	struct pawl_err *err);

/* Records what it saw when that is news: `*ret_again` is true when not. */
PAWL_MUST_CHECK enum pawl_rc cleaning_recover(struct run *r,
	const struct cleaning_end *end, const struct act *act, bool *ret_again,
	struct pawl_err *err);

/*
 * Propose `verified` for each open cleanup of an ended attempt that is gone;
 * the caller commits.
 */
PAWL_MUST_CHECK enum pawl_rc cleaning_retry(
	struct pilot *p, struct pawl_err *err);

/* The same of those that a coordinator registered for a node, whose attempt may
 * live: for who has taken the run over from that coordinator. */
PAWL_MUST_CHECK enum pawl_rc cleaning_retry_registered(
	struct pilot *p, uint32_t node, struct pawl_err *err);

#endif
