#include "cli/picture.h"

#include "base/bounds.h"

bool
is_picture_wanted(const struct cmd_ctx *ctx)
{
	return args_has(&ctx->args, "dot") || args_has(&ctx->args, "mermaid");
}

enum pawl_rc
picture_max(const struct cmd_ctx *ctx, uint32_t *ret_max, struct pawl_err *err)
{
	uint64_t max = BOUND_DRAW_NODES;
	enum pawl_rc rc;

	if (args_has(&ctx->args, "dot") && args_has(&ctx->args, "mermaid"))
		return pawl_fail(
			err, ERR_USAGE, "either --dot or --mermaid, not both");
	rc = args_u64(&ctx->args, "max", 1, BOUND_LEDGER_NODES, &max, err);
	if (rc == PAWL_OK)
		*ret_max = (uint32_t)max;
	return rc;
}

void
picture_put(struct cmd_ctx *ctx, const struct draw *d)
{
	struct buf text = { 0 };
	const char *form = "text";

	if (args_has(&ctx->args, "dot")) {
		form = "dot";
		draw_dot(d, &text);
	} else if (args_has(&ctx->args, "mermaid")) {
		form = "mermaid";
		draw_mermaid(d, &text);
	} else {
		draw_text(d, &text);
	}
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), d->name);
		json_pair_str(&ctx->json, STR("form"), str_from(form));
		json_pair_u64(&ctx->json, STR("nodes"), d->total);
		json_pair_u64(&ctx->json, STR("drawn"), d->count);
		json_pair_str(&ctx->json, STR("picture"), buf_str(&text));
	} else {
		out_text(&ctx->out, text.data);
	}
	if (d->count < d->total)
		cmd_notice(ctx, "%u of %u nodes are drawn (--max %u)", d->count,
			d->total, d->total);
	buf_release(&text);
}

enum pawl_rc
picture_ledger(
	struct cmd_ctx *ctx, const struct ledger *l, struct pawl_err *err)
{
	struct draw d;
	uint32_t max = 0;
	enum pawl_rc rc = picture_max(ctx, &max, err);

	if (rc != PAWL_OK)
		return rc;
	draw_ledger(&d, l, max, ctx->mem);
	picture_put(ctx, &d);
	return PAWL_OK;
}
