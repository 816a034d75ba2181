/*
 * tether: an attempt's branch is where pawl left it, whatever its worker did.
 *
 * A worker's work is the content of its worktree, compared with the commit that
 * the worktree was put at.  Workers commit, though: on their branch, on one of
 * their own, or after a reset; and what they committed must be compared, too,
 * or it would be taken for what was there before.  So when a worker has ended,
 * the branch goes back to the newest commit of the run that it holds, and HEAD
 * to the branch; no file is touched.
 */
#ifndef PAWL_ENGINE_TETHER_H
#define PAWL_ENGINE_TETHER_H

#include "engine/worktree.h"

struct tether {
	const char *branch; /* full name, of the attempt */
	struct oid base;    /* where the attempt began */
	struct oid tip;     /* head of the run's branch, by the journal */
};

/*
 * Put the branch and HEAD of a worktree back; `*ret_at` is where the branch is.
 *
 * Nothing of the worktree's worker may be running.  Errors: ERR_REF_MOVED,
 * ERR_GIT, ERR_GIT_BUSY, ERR_IO.  Cost: no process when nothing was moved.
 */
PAWL_MUST_CHECK enum pawl_rc tether_settle(const struct worktree *w,
	const struct tether *t, struct oid *ret_at, struct pawl_err *err);

#endif
