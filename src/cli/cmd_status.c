
#include "cli/ledger_look.h"
#include "cli/place.h"
#include "cli/status_watch.h"
#include "engine/launch.h"
#include "model/view.h"

enum { ROWS_MAX = 200 };

/* Text goes out as it is; the views have neutralised what others wrote. */
static void
say(struct cmd_ctx *ctx, struct buf *text)
{
	if (text->len > 0)
		out_text(&ctx->out, text->data);
	buf_release(text);
}

static const struct cmd_option status_options[] = {
	{ .name = "watch", .help = "go on: a document for what changes" },
	{ .name = "cursor",
		.arg = "N",
		.help = "with --watch: only what came after line N" },
	{ .name = "iterations",
		.arg = "N",
		.help = "with --watch: end after N documents" },
	{ .name = "interval",
		.arg = "S",
		.help = "with --watch: seconds between two (1)" },
	{ .name = NULL },
};

static enum pawl_rc
run_status(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct run r = { .dir = -1 };
	enum pawl_rc rc;

	if (args_has(&ctx->args, "watch"))
		return status_watch(ctx, err);
	for (const struct cmd_option *o = status_options + 1; o->name; o++) {
		if (args_has(&ctx->args, o->name))
			return pawl_fail(err, ERR_USAGE,
				"option '--%s' needs --watch", o->name);
	}
	rc = place_open_run(ctx, 0, &r, err);
	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_status(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json)
		view_status_json(cmd_whole(ctx), &r.state, launch_is_driven(&r),
			UINT32_MAX);
	else
		view_status(&text, &r.state, launch_is_driven(&r), ROWS_MAX,
			out_columns(&ctx->out));
	say(ctx, &text);
	run_close(&r);
	return PAWL_OK;
}

static enum pawl_rc
run_next(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct run r = { .dir = -1 };
	struct next next;
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_next(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	next_find(&r.state, launch_is_driven(&r), ctx->mem, &next);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("next"));
		next_json(&ctx->json, &next);
	} else {
		next_text(&text, &next);
	}
	say(ctx, &text);
	run_close(&r);
	return PAWL_OK;
}

static enum pawl_rc
run_ready(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct run r = { .dir = -1 };
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_ready(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json)
		view_ready_json(cmd_whole(ctx), &r.state, ROWS_MAX);
	else
		view_ready(&text, &r.state, ROWS_MAX);
	say(ctx, &text);
	run_close(&r);
	return PAWL_OK;
}

const struct cmd cmd_status = {
	.name = "status",
	.operands = "[RUN]",
	.summary = "show where a run stands",
	.help = "The first line is the verdict; then a row for each node, what "
		"waits\n"
		"for a human, and the next thing to do.\n\n"
		"With --watch the whole comes first, then what really "
		"changes, as it\n"
		"does, until the run is closed; with --json a document "
		"each. A watch\n"
		"that broke off goes on behind the last cursor; one that is "
		"over 64 lines\n"
		"old is answered with the whole again, and why.",
	.options = status_options,
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_status,
};

const struct cmd cmd_next = {
	.name = "next",
	.operands = "[RUN]",
	.summary = "say the one thing to do now",
	.help = "With the command that does it.",
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_next,
};

const struct cmd cmd_task_ready = {
	.name = "task ready",
	.operands = "[RUN]",
	.summary = "list what may be dispatched now, and why the rest may not",
	.help = "The same answer as 'pawl ready', by the function that "
		"decides a dispatch.",
	.page = "pawl-task",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_ready,
};

const struct cmd cmd_ready = {
	.name = "ready",
	.operands = "[RUN]",
	.summary = "list what may start now, and why the rest may not",
	.help = "The same answer that the autopilot gets.",
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_ready,
};
