#include "cli/place.h"
#include "model/agent_view.h"

static const struct cmd_option options[] = {
	{ .name = "kind", .arg = "KIND", .help = "snapshot, delta or reset" },
	{ .name = "from",
		.arg = "CURSOR",
		.help = "of a delta: the cursor of the view before" },
	{ .name = NULL },
};

/* What is wanted, by the two options. */
static enum pawl_rc
read_kind(const struct args *args, enum agent_view_kind *ret_kind,
	struct pawl_err *err)
{
	struct str kind = str_from(args_value(args, "kind"));
	bool has_from = args_has(args, "from");

	*ret_kind = has_from ? AGENT_VIEW_DELTA : AGENT_VIEW_SNAPSHOT;
	if (kind.len == 0)
		return PAWL_OK;
	if (str_eq(kind, STR("delta"))) {
		*ret_kind = AGENT_VIEW_DELTA;
		if (has_from)
			return PAWL_OK;
		(void)pawl_fail(err, ERR_USAGE, "a delta needs --from");
		return pawl_hint(err, "--from CURSOR");
	}
	if (str_eq(kind, STR("snapshot")) || str_eq(kind, STR("reset"))) {
		*ret_kind = str_eq(kind, STR("reset")) ? AGENT_VIEW_RESET
						       : AGENT_VIEW_SNAPSHOT;
		return has_from
			? pawl_fail(err, ERR_USAGE, "only a delta has --from")
			: PAWL_OK;
	}
	(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
		"kind '" STR_FMT "' is neither snapshot, delta nor reset",
		STR_ARG(str_part(kind, 0, 64)));
	err->field = STR("--kind");
	return err->rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct agent_view view;
	enum agent_view_kind kind;
	uint64_t from = 0;
	struct buf text = { 0 };
	enum pawl_rc rc = read_kind(&ctx->args, &kind, err);

	if (rc == PAWL_OK)
		rc = args_u64(&ctx->args, "from", 0, INT64_MAX, &from, err);
	if (rc == PAWL_OK)
		rc = place_open_run(ctx, 0, &r, err);
	if (rc != PAWL_OK)
		return rc;
	if (kind == AGENT_VIEW_DELTA) {
		agent_view_since(&r.state, from, ctx->mem, &view);
	} else {
		agent_view_whole(&r.state,
			kind == AGENT_VIEW_RESET ? AGENT_VIEW_REQUESTED
						 : AGENT_VIEW_NO_REASON,
			ctx->mem, &view);
	}
	if (ctx->args.json) {
		agent_view_json(cmd_whole(ctx), &view);
	} else {
		progress_text(&text, &r.state);
		agent_view_text(&text, &view);
		out_text(&ctx->out, text.data);
	}
	buf_release(&text);
	run_close(&r);
	return PAWL_OK;
}

const struct cmd cmd_task_view = {
	.name = "task view",
	.operands = "[RUN]",
	.summary = "print a run's graph for another program to show",
	.help = "With --json an AgentGraphView, version 1: ids, titles, "
		"statuses and\n"
		"edges, bounded, without prompts, output or bodies.\n\n"
		"With --from only the nodes that changed after that cursor; "
		"when it is\n"
		"over 64 lines old, or ahead of the journal, the whole again "
		"(a reset)\n"
		"with the reason. A delta without nodes says that nothing "
		"changed.",
	.options = options,
	.page = "pawl-task",
	.aliases = "maestro-view",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run,
};
