#include <string.h>

#include "cli/help.h"
#include "cli/table.h"
#include "model/event.h"

static enum pawl_rc
explain_one(struct cmd_ctx *ctx, const char *name, struct pawl_err *err)
{
	const struct cmd *cmd = table_find(str_from(name));
	const char *near;

	if (cmd != NULL && ctx->args.json) {
		help_command_json(&ctx->json, cmd);
		return PAWL_OK;
	}
	if (cmd != NULL) {
		help_command(&ctx->out, cmd);
		return PAWL_OK;
	}
	if (table_has_first(str_from(name)) && !ctx->args.json) {
		help_group(&ctx->out, name);
		return PAWL_OK;
	}
	near = table_nearest(str_from(name));
	(void)pawl_fail(err, ERR_UNKNOWN_COMMAND, "no command '%s'", name);
	return near ? pawl_hint(err, "pawl help %s", near) : err->rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *first = args_operand(&ctx->args, 0);
	const char *second = args_operand(&ctx->args, 1);
	const char *third = args_operand(&ctx->args, 2);

	if (first == NULL) {
		if (ctx->args.json) {
			help_json(&ctx->json);
		} else {
			help_overview(&ctx->out);
		}
		return PAWL_OK;
	}
	if (second != NULL) {
		return explain_one(ctx,
			arena_format(ctx->mem, "%s %s%s%s", first, second,
				third ? " " : "", third ? third : "")
				.ptr,
			err);
	}
	if (strcmp(first, "events") == 0) {
		struct buf table = { 0 };

		event_table_write(&table);
		if (ctx->args.json)
			json_pair_str(
				&ctx->json, STR("table"), buf_str(&table));
		else
			out_text(&ctx->out, table.data);
		buf_release(&table);
		return PAWL_OK;
	}
	if (strcmp(first, "errors") != 0)
		return explain_one(ctx, first, err);
	if (ctx->args.json) {
		help_errors_json(&ctx->json);
	} else {
		help_errors(&ctx->out);
	}
	return PAWL_OK;
}

const struct cmd cmd_help = {
	.name = "help",
	.operands = "[COMMAND|errors|events]",
	.summary = "list the commands, or explain one",
	.help = "Without a word, lists the commands.  With a command, explains "
		"it.  With\n\"errors\", lists every code of an error, its exit "
		"status and what to do next.\nWith --json, prints the table of "
		"commands or errors for programs.",
	.page = "pawl",
	.args_max = 3,
	.run = run,
};
