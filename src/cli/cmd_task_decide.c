#include "cli/rework_desk.h"

static const struct cmd_option options[] = {
	{ .name = "action",
		.arg = "ACTION",
		.help = "accept_check, amend_acceptance, amend_paths, ..." },
	{ .name = "note", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = "id", .arg = "ID", .help = "its name; else the next d<n>" },
	{ .name = NULL },
};

static enum pawl_rc
choice_of(struct rework_desk *d, struct rework_choice *ret_choice,
	struct pawl_err *err)
{
	struct rework_choice choice = { .id = { "", 0 } };
	struct str action = { 0 };
	enum pawl_rc rc = rework_desk_text(d, "action", &action, err);

	if (rc == PAWL_OK)
		rc = cmd_own_id(d->ctx, "id", &choice.id, err);
	if (rc == PAWL_OK)
		rc = rework_desk_text(d, "note", &choice.note, err);
	if (rc == PAWL_OK)
		rc = rework_action_read(action, &choice.action, err);
	if (rc == PAWL_OK)
		*ret_choice = choice;
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct rework_answer answer;
	struct rework_choice choice;
	struct rework_desk d;
	uint32_t node;
	enum pawl_rc rc = rework_desk_open(&d, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = rework_desk_node(&d, &node, err);
	if (rc == PAWL_OK)
		rc = choice_of(&d, &choice, err);
	if (rc == PAWL_OK)
		rc = rework_decide(&d.work, node, &choice, &answer, err);
	if (rc == PAWL_OK)
		rework_desk_answer(&d, node, "decided by", &answer);
	rework_desk_close(&d);
	return rc;
}

const struct cmd cmd_task_decide = {
	.name = "task decide",
	.operands = "[RUN/]NODE",
	.summary = "decide about a node that has used its attempts",
	.help = "amend_acceptance, amend_paths and regroup grant one attempt "
		"more, once a node;\n"
		"accept_check lets the passed check stand against what an "
		"audit "
		"found; block\n"
		"names a prerequisite that is missing; input_required asks the "
		"note as a question\n"
		"that only a human answers, and the answer grants the attempt. "
		"Each decision\n"
		"serves one attempt.",
	.options = options,
	.page = "pawl-task",
	.aliases = "record-decision coordinator-decision finding-decision",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run,
};
