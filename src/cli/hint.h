/*
 * hint: what to type next, as it works where the caller stands.
 *
 * Whoever refuses names the command that helps in its plain form, `pawl ledger
 * set api READY`, and can't know how this call found its ledger.  What the
 * caller typed for that (--file, RUN/, -C, --state) is put into the hint here,
 * at the edge, once for all hints.  A command in a hint runs to its end.
 */
#ifndef PAWL_CLI_HINT_H
#define PAWL_CLI_HINT_H

#include "cli/cmd.h"

/* Add a word as a POSIX shell reads it back. */
void hint_quote(struct buf *b, struct str word);

/* `hint` for this call; in ctx->mem, or `hint` itself. */
const char *hint_as_typed(const struct cmd_ctx *ctx, const char *hint);

#endif
