/*
 * moved: which attempts and delegations stand otherwise than they did, for an
 * answer.
 *
 *	struct moved before = moved_from(ctx, &run.state);
 *	... run.state goes on ...
 *	moved_json(ctx, &run.state, &before)	or moved_text()
 */
#ifndef PAWL_CLI_MOVED_H
#define PAWL_CLI_MOVED_H

#include "cli/cmd.h"
#include "model/state.h"

struct moved {
	uint8_t *status; /* of `count` attempts */
	struct str *kept;
	size_t count;
	uint8_t *delegated; /* status of `delegations` of them */
	size_t delegations;
};

/* How they stand now; in ctx->mem. */
struct moved moved_from(struct cmd_ctx *ctx, const struct state *s);

/* Attempts that stand otherwise, as a list under `name`; delegations as
 * `delegations`. */
void moved_json(struct cmd_ctx *ctx, struct str name, const struct state *s,
	const struct moved *before);

/* The same as a line each. */
void moved_text(
	struct cmd_ctx *ctx, const struct state *s, const struct moved *before);

#endif
