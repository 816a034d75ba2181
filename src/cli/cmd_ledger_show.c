#include "cli/ledger_door.h"

#include "base/bounds.h"
#include "cli/picture.h"
#include "model/ledger_earned.h"
#include "text/utf8.h"

enum { TITLE_SHOWN = 60 };

static const struct cmd_option options[] = {
	LEDGER_DOOR_OPTIONS,
	{ .name = "node", .arg = "ID", .help = "all of one node" },
	PICTURE_OPTIONS,
	{ .name = NULL },
};

static enum out_style
style_of(enum node_status s)
{
	switch (s) {
	case NODE_PASSED:
		return OUT_GOOD;
	case NODE_FAILED:
	case NODE_BLOCKED:
		return OUT_BAD;
	case NODE_NEEDS_APPROVAL:
		return OUT_WAIT;
	case NODE_RUNNING:
	case NODE_READY:
		return OUT_BOLD;
	case NODE_PENDING:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		break;
	}
	return OUT_DIM;
}

static void
show_status(struct out *o, enum node_status s)
{
	out_style(o, style_of(s));
	out_f(o, "%-16s", node_status_word(s).ptr);
	out_style(o, OUT_PLAIN);
}

static void
show_names(struct out *o, const struct ledger *l, const struct ledger_node *n)
{
	for (uint32_t i = 0; i < n->depends_count; i++) {
		out_text(o, i > 0 ? ", " : "");
		out_data(o, l->nodes[n->depends[i]].id);
	}
}

/* The verdict first: "RUN  RUNNING  2/10 passed, 1 running". */
static void
show_head(struct out *o, const struct ledger_door *door)
{
	const struct ledger *l = door->ledger;
	uint32_t by[NODE_STATUS_COUNT] = { 0 };

	for (uint32_t i = 0; i < l->count; i++)
		by[l->nodes[i].status]++;
	out_data(o, l->run_id);
	out_f(o, "  " STR_FMT "  %u/%u passed",
		STR_ARG(run_status_word((enum run_status)l->status)),
		by[NODE_PASSED], l->count);
	if (by[NODE_SKIPPED] > 0)
		out_f(o, ", %u skipped", by[NODE_SKIPPED]);
	if (by[NODE_RUNNING] > 0)
		out_f(o, ", %u running", by[NODE_RUNNING]);
	if (by[NODE_FAILED] > 0)
		out_f(o, ", %u failed", by[NODE_FAILED]);
	if (by[NODE_BLOCKED] > 0)
		out_f(o, ", %u blocked", by[NODE_BLOCKED]);
	if (by[NODE_NEEDS_APPROVAL] > 0)
		out_f(o, ", %u wait%s for you", by[NODE_NEEDS_APPROVAL],
			by[NODE_NEEDS_APPROVAL] == 1 ? "s" : "");
	out_text(o, "\n");
	out_data(o, l->task);
	out_text(o, "\n");
}

static void
show_table(struct out *o, const struct ledger_door *door)
{
	const struct ledger *l = door->ledger;
	size_t width = 0;

	show_head(o, door);
	for (uint32_t i = 0; i < l->count; i++) {
		if (l->nodes[i].id.len > width)
			width = l->nodes[i].id.len;
	}
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];
		struct str title = utf8_cut(n->title, TITLE_SHOWN);

		show_status(o, (enum node_status)n->status);
		out_f(o, "%u/%-3u ", n->attempt, n->max_attempts);
		out_data(o, n->id);
		out_f(o, "%*s", (int)(width - n->id.len + 2), "");
		out_data(o, title);
		out_text(o, title.len < n->title.len ? "…" : "");
		if (n->depends_count > 0) {
			out_style(o, OUT_DIM);
			out_text(o, "  after ");
			show_names(o, l, n);
			out_style(o, OUT_PLAIN);
		}
		out_text(o, "\n");
	}
}

static void
show_node(struct out *o, const struct ledger *l, const struct ledger_node *n)
{
	out_data(o, n->id);
	out_text(o, "  ");
	show_status(o, (enum node_status)n->status);
	out_data(o, n->title);
	out_f(o,
		"\n  kind        " STR_FMT "\n  role        " STR_FMT
		"\n  access      %s\n  approval    " STR_FMT
		"\n  attempt     %u of %u\n  evidence    %s\n  expected    ",
		STR_ARG(ledger_kind_word((enum ledger_kind)n->kind)),
		STR_ARG(ledger_role_word((enum ledger_role)n->role)),
		plan_access_word((enum node_access)n->access),
		STR_ARG(ledger_approval_word(
			(enum ledger_approval)n->approval)),
		n->attempt, n->max_attempts,
		n->evidence_required ? "required" : "not required");
	out_data(o, n->expected_output);
	out_text(o, "\n  history    ");
	for (uint32_t i = 0; i < n->history_count; i++)
		out_f(o, " " STR_FMT,
			STR_ARG(node_status_word(
				(enum node_status)n->history[i])));
	out_text(o, "\n  after       ");
	show_names(o, l, n);
	out_text(o, "\n");
	for (uint32_t i = 0; i < n->evidence_count; i++) {
		out_text(o, "  - ");
		out_data(o, n->evidence[i]);
		out_text(o, "\n");
	}
}

/* The whole ledger, or one node with the run's status around it. */
static void
show_json(struct cmd_ctx *ctx, const struct ledger_door *door)
{
	struct json_writer *w = &ctx->json;

	json_pair_str(w, STR("ledger"), door->name);
	json_pair_str(
		w, STR("earned"), run_status_word(ledger_earned(door->ledger)));
	json_pair_u64(w, STR("seq"), door->seq);
	json_key(w, STR("state"));
	ledger_write(door->ledger, w);
}

static enum pawl_rc
show(struct cmd_ctx *ctx, const struct ledger_door *door, struct pawl_err *err)
{
	const char *id = args_value(&ctx->args, "node");
	const struct ledger *l = door->ledger;
	uint32_t node = 0;

	if (id != NULL && !ledger_find(l, str_from(id), &node)) {
		(void)pawl_fail(err, ERR_NODE_NOT_FOUND,
			"ledger '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(l->run_id),
			STR_ARG(str_part(str_from(id), 0, BOUND_ID_BYTES)));
		return pawl_hint(err, "pawl ledger show");
	}
	if (ctx->args.json && id != NULL) {
		json_pair_str(&ctx->json, STR("ledger"), door->name);
		json_key(&ctx->json, STR("node"));
		ledger_node_write(l, node, &ctx->json);
	} else if (ctx->args.json) {
		show_json(ctx, door);
	} else if (id != NULL) {
		show_node(&ctx->out, l, &l->nodes[node]);
	} else {
		show_table(&ctx->out, door);
	}
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	enum pawl_rc rc = ledger_door_open(&door, ctx, DOOR_READ, NULL, err);

	if (rc == PAWL_OK)
		rc = is_picture_wanted(ctx)
			? picture_ledger(ctx, door.ledger, err)
			: show(ctx, &door, err);
	ledger_door_close(&door);
	return rc;
}

const struct cmd cmd_ledger_show = {
	.name = "ledger show",
	.operands = "[RUN]",
	.summary = "show a ledger: each node, where it stands, what it waits "
		   "for",
	.help = "The checkpoint is checked first; one with violations isn't "
		"shown.",
	.options = options,
	.page = "pawl-ledger",
	.args_min = 0,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.run = run,
};
