/*
 * picture: a graph as the answer of a command, in the form that was asked for.
 */
#ifndef PAWL_CLI_PICTURE_H
#define PAWL_CLI_PICTURE_H

#include "cli/cmd.h"
#include "model/draw.h"

#define PICTURE_OPTIONS                                                    \
	{ .name = "dot", .help = "as a picture for graphviz" },            \
		{ .name = "mermaid",                                       \
			.help = "as a picture for Mermaid, in Markdown" }, \
	{                                                                  \
		.name = "max", .arg = "N",                                 \
		.help = "draw the first N nodes (500), and count the rest" \
	}

/* Was --dot or --mermaid given? */
bool is_picture_wanted(const struct cmd_ctx *ctx);

/* How many nodes may be drawn.  Errors: ERR_USAGE, ERR_INVALID_ARGUMENT. */
PAWL_MUST_CHECK enum pawl_rc picture_max(
	const struct cmd_ctx *ctx, uint32_t *ret_max, struct pawl_err *err);

/* In the form that was asked for; as text when none was. */
void picture_put(struct cmd_ctx *ctx, const struct draw *d);

/* Both for a ledger.  Errors: those of picture_max(). */
PAWL_MUST_CHECK enum pawl_rc picture_ledger(
	struct cmd_ctx *ctx, const struct ledger *l, struct pawl_err *err);

#endif
