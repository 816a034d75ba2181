/*
 * inquiry: a decision that is a question to a human (`input_required`).
 *
 * Question and decision are one commit; an attempt that lives ends with it, and
 * its workspace is put in order after that: by the same call, or by whoever
 * syncs next.
 */
#ifndef PAWL_ENGINE_INQUIRY_H
#define PAWL_ENGINE_INQUIRY_H

#include "engine/rework.h"

/*
 * `cmd` is the decision, whole but for its question; the act's request is set.
 * Fills `answer->question` and `answer->again`.
 *
 * Errors: those of decide() and the journal; ERR_STALE_SEQ when others have
 * written since the run was read.
 */
PAWL_MUST_CHECK enum pawl_rc inquiry_decide(const struct rework *w,
	uint32_t node, struct command *cmd, struct rework_answer *answer,
	struct pawl_err *err);

#endif
