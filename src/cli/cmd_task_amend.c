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

/* The scope of one attempt; the contract of its node stays. */
static enum pawl_rc
amend_attempt(struct rework_desk *d, const struct rework_change *change,
	struct pawl_err *err)
{
	struct rework_answer answer;
	uint32_t attempt;
	enum pawl_rc rc = rework_desk_attempt(d, &attempt, err);

	if (rc == PAWL_OK &&
		(change->acceptance.len > 0 || change->check.len > 0 ||
			change->paths.count == 0)) {
		return pawl_fail(err, ERR_USAGE,
			"of an attempt only its --path can be amended");
	}
	if (rc == PAWL_OK)
		rc = rework_rescope(&d->work, attempt, change, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	if (d->ctx->args.json)
		json_pair_str(&d->ctx->json, STR("attempt"), d->subject);
	rework_desk_answer(d, d->run.state.attempts.items[attempt].node,
		"amended for this attempt", &answer);
	return PAWL_OK;
}

static enum pawl_rc
amend_node(struct rework_desk *d, const struct rework_change *change,
	struct pawl_err *err)
{
	struct rework_answer answer;
	uint32_t node, revision;
	enum pawl_rc rc = rework_desk_node(d, &node, err);

	if (rc == PAWL_OK)
		rc = rework_amend(
			&d->work, node, change, &revision, &answer, err);
	if (rc != PAWL_OK)
		return rc;
	if (d->ctx->args.json)
		json_pair_u64(&d->ctx->json, STR("revision"), revision);
	rework_desk_answer(d, node, "amended", &answer);
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct rework_change change;
	struct rework_desk d;
	enum pawl_rc rc = rework_desk_open(&d, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = change_of(&d, &change, err);
	if (rc == PAWL_OK)
		rc = str_find(d.subject, '@') < d.subject.len
			? amend_attempt(&d, &change, err)
			: amend_node(&d, &change, err);
	rework_desk_close(&d);
	return rc;
}

const struct cmd cmd_task_amend = {
	.name = "task amend",
	.operands = "[RUN/]SUBJECT",
	.summary = "change what a task may touch, must fulfil or is checked by",
	.help = "Of a NODE while no attempt of it lives: what isn't said "
		"stays, "
		"the contract's\n"
		"revision is one more, and an approval of the old one doesn't "
		"cover it.\n"
		"\n"
		"Of an ATTEMPT, its paths alone, from its reservation "
		"('task dispatch --defer')\n"
		"until it starts ('task recover attempt'): wider or narrower, "
		"never over what\n"
		"another attempt works on, nor past what was approved. A "
		"repair of its work has\n"
		"the same scope; the contract stays as it is.",
	.options = options,
	.page = "pawl-task",
	.aliases = "amend-graph",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run,
};
