/*
 * who: the human at this terminal, and who is none.
 */
#ifndef PAWL_CLI_WHO_H
#define PAWL_CLI_WHO_H

#include "cli/cmd.h"

/* This human as an actor of decisions: `local:NAME`, by the login name. */
struct str who_local(struct cmd_ctx *ctx);

/*
 * Nothing that pawl has started decides: neither a worker nor the program of a
 * check, which is a worker's as often as not.  `whose` names who does: "a
 * human's".  Errors: ERR_WORKER_CONTEXT.
 */
PAWL_MUST_CHECK enum pawl_rc who_is_outside(
	const struct cmd_ctx *ctx, const char *whose, struct pawl_err *err);

/* Whose a run is that this call makes: the coordinator's that it acts as, else
 * who_local(). */
struct str who_author(struct cmd_ctx *ctx);

/* Will who_confirms() ask? */
bool who_is_asked(const struct cmd_ctx *ctx);

/*
 * At a terminal, ask for the decision `verb` once more; elsewhere, and where
 * nothing is decided (--dry-run), there is no question.
 *
 * Errors: ERR_NOT_CONFIRMED: no answer is no decision; ERR_OUTPUT.
 */
PAWL_MUST_CHECK enum pawl_rc who_confirms(
	struct cmd_ctx *ctx, const char *verb, struct pawl_err *err);

#endif
