#include "base/bounds.h"
#include "cli/rework_desk.h"

static const struct cmd_option options[] = {
	{ .name = "path",
		.arg = "PATH",
		.help = "what it may touch from now on; all of it",
		.repeatable = true },
	{ .name = "acceptance", .arg = "TEXT", .help = "what must be true" },
	{ .name = "check",
		.arg = "COMMAND",
		.help = "its check, as in a list" },
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

/* Of an option that may be left out. */
static enum pawl_rc
optional_text(const struct rework_desk *d, const char *option,
	struct str *ret_text, struct pawl_err *err)
{
	if (!args_has(&d->ctx->args, option))
		return PAWL_OK;
	return rework_desk_text(d, option, ret_text, err);
}

static enum pawl_rc
change_of(struct rework_desk *d, struct rework_change *ret_change,
	struct pawl_err *err)
{
	const struct args *args = &d->ctx->args;
	struct rework_change change = { 0 };
	enum pawl_rc rc = rework_desk_text(d, "reason", &change.reason, err);

	if (rc == PAWL_OK)
		rc = optional_text(d, "acceptance", &change.acceptance, err);
	if (rc == PAWL_OK)
		rc = optional_text(d, "check", &change.check, err);
	if (rc != PAWL_OK)
		return rc;
	while (args_value_at(args, "path", change.paths.count) != NULL)
		change.paths.count++;
	change.paths.items =
		arena_array(d->ctx->mem, change.paths.count, struct str);
	for (uint32_t i = 0; i < change.paths.count; i++)
		change.paths.items[i] =
			str_from(args_value_at(args, "path", i));
	*ret_change = change;
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct rework_change change;
	struct rework_answer answer;
	struct rework_desk d;
	uint32_t node, revision;
	enum pawl_rc rc = rework_desk_open(&d, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = rework_desk_node(&d, &node, err);
	if (rc == PAWL_OK)
		rc = change_of(&d, &change, err);
	if (rc == PAWL_OK)
		rc = rework_amend(
			&d.work, node, &change, &revision, &answer, err);
	if (rc == PAWL_OK) {
		if (ctx->args.json)
			json_pair_u64(&ctx->json, STR("revision"), revision);
		rework_desk_answer(&d, node, "amended", &answer);
	}
	rework_desk_close(&d);
	return rc;
}

const struct cmd cmd_task_amend = {
	.name = "task amend",
	.operands = "[RUN/]NODE",
	.summary = "change what a task may touch, must fulfil or is checked by",
	.help = "While no attempt of it lives. What isn't said stays; the "
		"contract's revision is\n"
		"one more, and an approval of the old one doesn't cover it.",
	.options = options,
	.page = "pawl-task",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run,
};
