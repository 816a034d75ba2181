/*
 * hint: what to type next, as it works where the caller stands.
 *
 * Whoever refuses names the command that helps in its plain form, `pawl ledger
 * set api READY`, and can't know how this call found its ledger.  What the
 * caller typed for that (--file, RUN/, -C, --state, --as) is put into the hint
 * here, at the edge, once for all hints; so is what it named, where a hint
 * leaves that open (NODE, ATTEMPT).  A command in a hint runs to its end.
 */
#ifndef PAWL_CLI_HINT_H
#define PAWL_CLI_HINT_H

#include "cli/cmd.h"

/* Add a word as a POSIX shell reads it back. */
void hint_quote(struct buf *b, struct str word);

/* Set the hint to a command and one more word, if both have room. */
void hint_with(struct pawl_err *err, const char *command, struct str word);

/* What is other than typed in a call that would work; members may be empty. */
struct hint_change {
	struct str run;     /* RUN */
	struct str status;  /* the second operand */
	const char *option; /* added, when it wasn't typed */
	struct str value;   /* of `option` */
};

/* Set the hint to this call with what `c` says, if that has room. */
void hint_call(const struct cmd_ctx *ctx, const struct hint_change *c,
	struct pawl_err *err);

/* `hint` for this call; in ctx->mem, or `hint` itself. */
const char *hint_as_typed(const struct cmd_ctx *ctx, const char *hint);

#endif
