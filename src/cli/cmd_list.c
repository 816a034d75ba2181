#include "cli/ledger_look.h"
#include "cli/place.h"
#include "model/state_json.h"
#include "model/view.h"
#include "store/rundir.h"

static const struct cmd_option options[] = {
	{ .name = "all", .letter = 'a', .help = "closed runs, too" },
	{ .name = NULL },
};

/* A run that can't be read is a row, too: a list hides nothing. */
static void
add_row(struct cmd_ctx *ctx, struct str id)
{
	struct run r = { .dir = -1 };
	struct buf line = { 0 };
	struct pawl_err why;
	bool ok = run_open(&r, place_of(ctx), id, &why) == PAWL_OK;

	if (!ok && why.code == ERR_RUN_KIND && ledger_look_row(ctx, id))
		return;
	if (ctx->args.json) {
		json_open(&ctx->json, '{');
		json_pair_str(&ctx->json, STR("run"), id);
		if (ok)
			json_pair_str(&ctx->json, STR("status"),
				run_status_word(state_run_status(&r.state)));
		else
			json_pair_str(
				&ctx->json, STR("error"), str_from(why.msg));
		json_close(&ctx->json, '}');
	} else if (ok) {
		view_summary(&line, &r.state);
		out_text(&ctx->out, line.data);
	} else {
		out_data(&ctx->out, id);
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, str_from(why.msg));
		out_text(&ctx->out, "\n");
	}
	buf_release(&line);
	run_close(&r);
}

static enum pawl_rc
run_list(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct buf ids = { 0 };
	struct str rest;
	enum pawl_rc rc = PAWL_OK;

	if (ctx->state_fd >= 0) {
		rc = rundir_list(ctx->fs, ctx->state_fd,
			args_has(&ctx->args, "all") ? RUNDIR_ALL
						    : RUNDIR_STARTED,
			&ids, err);
	}
	rest = buf_str(&ids);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("runs"));
		json_open(&ctx->json, '[');
	}
	while (rc == PAWL_OK && rest.len > 0)
		add_row(ctx, str_cut(&rest, '\0'));
	if (ctx->args.json)
		json_close(&ctx->json, ']');
	else if (ids.len == 0) {
		out_text(&ctx->out,
			args_has(&ctx->args, "all")
				? "no runs\n"
				: "no active runs (pawl list --all)\n");
	}
	buf_release(&ids);
	return rc;
}

/* The projection as it is now, whatever stands in the file. */
static enum pawl_rc
run_state(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct buf text = { 0 };
	struct json_writer w = { .out = &text };
	struct run r = { .dir = -1 };
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_state(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	state_json_write(&w, &r.state);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("state"));
		json_put_raw(&ctx->json, buf_str(&text));
	} else {
		buf_addc(&text, '\n');
		ctx->out.json = true;
		out_text(&ctx->out, text.data);
	}
	buf_release(&text);
	run_close(&r);
	return PAWL_OK;
}

const struct cmd cmd_list = {
	.name = "list",
	.operands = "",
	.summary = "list the runs of this repository",
	.help = "One line a run: name, status, counts.",
	.options = options,
	.page = "pawl-status",
	.needs = CMD_NEEDS_STATE,
	.flags = CMD_ONLY_RUNS,
	.run = run_list,
};

const struct cmd cmd_state = {
	.name = "state",
	.operands = "[RUN]",
	.summary = "print the folded state of a run",
	.help = "The form of state.json's body, made from the journal now. "
		"For\n"
		"programs that want all of it; 'status --json' is the stable "
		"form.",
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_state,
};
