/*
 * scope_proof: does what an attempt did stay within what it may, and would all
 * that it reports land?
 *
 * Proven from trees (snapshot.h), before a report's work is checked, and again
 * where the work isn't any more what was proven.  In this order:
 *
 *	outside     a path that differs lies in no path of its scope, or its
 *	            task only reads
 *	repository  it made another repository inside of this one: of that only
 *	            the name of a commit would land
 *	linked      a file that it changed in its worktree has a name outside of
 *	            it as well: what it wrote is written there, too
 *	ignored     it reports a path that is there and that git ignores: a
 *	            check would see it, and the run's branch never would
 *
 * Not proven: that it wrote through a hard link at an ignored path or in place,
 * where files may have had other names before; there only a sandbox helps,
 * which makes no link between a folder that it may read and one that it may
 * write.
 *
 * The first that holds is the fact that is recorded; it condemns the attempt.
 */
#ifndef PAWL_ENGINE_SCOPE_PROOF_H
#define PAWL_ENGINE_SCOPE_PROOF_H

#include "engine/workspace.h"
#include "model/result.h"

struct scope_breach {
	enum breach why;
	uint64_t count;    /* of paths; 0: there is none */
	struct strs paths; /* the first of them; in the turn's arena */
};

/* What an attempt did. */
struct scope_work {
	const struct workspace *ws;
	const struct changes *changes; /* from ws->before to ws->after */
	const struct result *declared; /* NULL: pawl measured it */
};

/*
 * Look for a breach.
 *
 * Errors: ERR_GIT, ERR_IO.  Cost: an lstat for each path that is declared and
 * isn't changed, and for those that are there a question a folder on the way.
 */
PAWL_MUST_CHECK enum pawl_rc scope_prove(struct pilot *p, uint32_t attempt,
	const struct scope_work *work, struct scope_breach *ret_breach,
	struct pawl_err *err);

/*
 * Of a writer whose report was proven: is what lies in its workspace now still
 * so?  Nothing is looked at where it is the tree that was.
 *
 * Errors: as scope_prove; those of handed_look().
 */
PAWL_MUST_CHECK enum pawl_rc scope_prove_again(struct pilot *p,
	uint32_t attempt, const struct workspace *ws,
	struct scope_breach *ret_breach, struct pawl_err *err);

/* Propose what there is, which condemns the attempt.  Errors: of decide(). */
PAWL_MUST_CHECK enum pawl_rc scope_condemn(struct pilot *p, uint32_t attempt,
	const struct scope_breach *breach, struct pawl_err *err);

#endif
