/*
 * human: what only a human may append: a gate's decision, an unblocking.
 *
 * Each is one commit under the run's present generation; the coordinator of the
 * run sees it by its watch on the journal.  With an idempotency key a repeated
 * request is answered by the commit that was made for it the first time.
 */
#ifndef PAWL_ENGINE_HUMAN_H
#define PAWL_ENGINE_HUMAN_H

#include "engine/run.h"

struct human_act {
	struct str by;     /* who, as a word: `local:ada` */
	struct str reason; /* may be empty for a gate */
	struct str key;    /* idempotency key, or empty */
	bool dry_run;      /* decide, append nothing */
};

/*
 * Grant or deny the gate `gate` (an index, as the run was read and shown).
 *
 * What it binds is what stands in the state that was shown; another commit in
 * between that changed it makes this ERR_APPROVAL_STALE.  `*ret_again` is true
 * when the key had done it before.  Errors: those of decide() and the journal.
 */
PAWL_MUST_CHECK enum pawl_rc human_decide(struct run *r, uint32_t gate,
	bool granted, const struct human_act *act, bool *ret_again,
	struct pawl_err *err);

/* Let a BLOCKED node go on; needs a reason. */
PAWL_MUST_CHECK enum pawl_rc human_unblock(struct run *r, uint32_t node,
	const struct human_act *act, bool *ret_again, struct pawl_err *err);

#endif
