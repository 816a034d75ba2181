#include "cli/rework_desk.h"

static const struct cmd_option repair_options[] = {
	{ .name = "hypothesis",
		.arg = "TEXT",
		.help = "why it failed; unlike all before" },
	{ .name = "fresh", .help = "begin from the base; in a worktree only" },
	{ .name = NULL },
};

static const struct cmd_option audit_options[] = {
	{ .name = "finding",
		.arg = "ID",
		.help = "a registered finding that blocks",
		.repeatable = true },
	{ .name = "hypothesis",
		.arg = "TEXT",
		.help = "why it is wrong; unlike all before" },
	{ .name = "fresh", .help = "begin from the base; in a worktree only" },
	{ .name = NULL },
};

static struct strs
findings_of(const struct cmd_ctx *ctx)
{
	struct strs list = { .count = 0 };

	while (args_value_at(&ctx->args, "finding", list.count) != NULL)
		list.count++;
	list.items = arena_array(ctx->mem, list.count, struct str);
	for (uint32_t i = 0; i < list.count; i++)
		list.items[i] =
			str_from(args_value_at(&ctx->args, "finding", i));
	return list;
}

static enum pawl_rc
reject(struct rework_desk *d, uint32_t attempt,
	struct rework_rejection *rejection, struct pawl_err *err)
{
	uint32_t node = d->run.state.attempts.items[attempt].node;
	struct rework_answer answer;
	enum pawl_rc rc;

	rejection->fresh = args_has(&d->ctx->args, "fresh");
	rc = rework_desk_text(d, "hypothesis", &rejection->hypothesis, err);
	if (rc == PAWL_OK)
		rc = rework_reject(&d->work, attempt, rejection, &answer, err);
	if (rc == PAWL_OK)
		rework_desk_answer(d, node, "rejected", &answer);
	return rc;
}

static enum pawl_rc
run_repair(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct rework_rejection rejection = { 0 };
	struct rework_desk d;
	uint32_t node, attempt_1;
	enum pawl_rc rc = rework_desk_open(&d, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = rework_desk_node(&d, &node, err);
	if (rc == PAWL_OK) {
		attempt_1 = d.run.state.nodes[node].attempt_1;
		rc = attempt_1 != 0
			? reject(&d, attempt_1 - 1, &rejection, err)
			: pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
				  "'" STR_FMT "' has had no attempt",
				  STR_ARG(d.subject));
	}
	rework_desk_close(&d);
	return rc;
}

static enum pawl_rc
run_audit_reject(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct rework_rejection rejection = { .findings = findings_of(ctx) };
	struct rework_desk d;
	uint32_t attempt;
	enum pawl_rc rc;

	rc = rework_desk_open(&d, ctx, err);
	if (rc != PAWL_OK)
		return rc;
	rc = rework_desk_attempt(&d, &attempt, err);
	if (rc == PAWL_OK && rejection.findings.count == 0)
		rc = pawl_fail(err, ERR_USAGE,
			"'pawl task audit-reject' needs --finding");
	if (rc == PAWL_OK)
		rc = reject(&d, attempt, &rejection, err);
	rework_desk_close(&d);
	return rc;
}

const struct cmd cmd_task_repair = {
	.name = "task repair",
	.operands = "[RUN/]NODE",
	.summary = "reject the last attempt, whose check failed",
	.help = "The node is READY for its repair, which goes on with the work "
		"in its\n"
		"worktree. The hypothesis must differ from all that the node "
		"was rejected for,\n"
		"white space aside; a node has one implementation and one "
		"repair.",
	.options = repair_options,
	.page = "pawl-task",
	.aliases = "record-repair",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_repair,
};

const struct cmd cmd_task_audit_reject = {
	.name = "task audit-reject",
	.operands = "[RUN/]ATTEMPT",
	.summary = "reject an attempt whose check passed, by findings",
	.help = "Takes registered findings of a class that blocks. When no "
		"repair is left,\n"
		"the node is FAILED, and 'pawl task decide' may grant one.",
	.options = audit_options,
	.page = "pawl-task",
	.aliases = "audit-reject-attempt",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_audit_reject,
};
