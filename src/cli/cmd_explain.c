
#include "cli/ledger_look.h"
#include "cli/place.h"
#include "model/detail.h"
#include "model/explain.h"

enum { CAUSES_MAX = 20 };

static enum pawl_rc
run_explain(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct explanation ex;
	struct buf text = { 0 };
	struct run r = { .dir = -1 };
	struct str subject;
	uint32_t node;
	enum pawl_rc rc = place_open_subject(ctx, &r, &subject, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_explain(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	rc = plan_find_prefix(&r.plan, subject, &node, err);
	if (rc == PAWL_OK) {
		explain_node(&r.state, node, CAUSES_MAX, ctx->mem, &ex);
		if (ctx->args.json) {
			json_key(&ctx->json, STR("explanation"));
			explain_json(&ctx->json, &r.state, &ex);
		} else {
			explain_text(&text, &r.state, &ex);
			out_text(&ctx->out, text.data);
		}
	}
	buf_release(&text);
	run_close(&r);
	return rc;
}

const struct cmd cmd_explain = {
	.name = "explain",
	.operands = "[RUN/]NODE",
	.summary =
		"say why a node isn't ready or done, and who can change that",
	.help = "The causes are minimal: once each of them is gone, the node "
		"is\n"
		"ready. Each comes with the command that removes it.",
	.page = "pawl-status",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_explain,
};

static enum pawl_rc
run_show(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct detail detail;
	struct buf text = { 0 };
	struct run r = { .dir = -1 };
	struct str subject;
	enum pawl_rc rc = place_open_subject(ctx, &r, &subject, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return ledger_look_show(ctx, err);
	if (rc != PAWL_OK)
		return rc;
	rc = detail_find(&r.state, subject, &detail, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_key(&ctx->json, STR("detail"));
		detail_json(&ctx->json, &r.state, &detail);
	} else if (rc == PAWL_OK) {
		detail_text(&text, &r.state, &detail);
		out_text(&ctx->out, text.data);
	}
	buf_release(&text);
	run_close(&r);
	return rc;
}

const struct cmd cmd_show = {
	.name = "show",
	.operands = "[RUN/]ID",
	.summary = "show one node, attempt, check, gate or cleanup",
	.help = "API-01 is a node, API-01@2 its second attempt, API-01@2#1 a "
		"check\n"
		"of that, API-01!1 a gate, q2 a question, c3 a cleanup, g4 "
		"a delegation. Where\n"
		"a node has such a name, too: node:q2 or question:q2.",
	.page = "pawl-status",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_show,
};
