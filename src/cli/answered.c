#include "cli/answered.h"

#include "engine/asking.h"

/* True once it is committed; a worker that can't be told yet is told later. */
static bool
deliver(const struct cmd_ctx *ctx, const struct run *r, uint32_t ask)
{
	struct pawl_err why;

	if (r->state.asks.items[ask].attempt_1 == 0)
		return false;
	if (asking_deliver(r, ask, &why) == PAWL_OK)
		return true;
	cmd_notice(ctx, "the answer isn't in the worker's outbox yet: %s",
		why.msg);
	return false;
}

void
answered_show(struct cmd_ctx *ctx, const struct run *r, uint32_t ask,
	const char *done, bool again)
{
	const struct ask *q = &r->state.asks.items[ask];
	struct str id = state_ask_id(ask, ctx->mem);
	bool told = !ctx->args.dry_run && deliver(ctx, r, ask);

	if (ctx->args.json) {
		struct json_writer *w = &ctx->json;

		json_pair_str(w, STR("run"), r->id);
		json_pair_str(w, STR("question"), id);
		json_pair_str(w, STR("node"), plan_id(&r->plan, q->node));
		json_pair_str(w, STR("kind"), ask_kind_word(q->kind));
		json_pair_str(w, STR("prompt"), q->prompt);
		json_pair_bool(w, STR("denied"), q->status == ASK_DENIED);
		json_pair_str(w, STR("answer"), q->answer);
		json_pair_str(w, STR("by"), q->answered_by);
		json_pair_str(w, STR("assurance"), q->assurance);
		json_pair_bool(w, STR("delivered"), told);
		json_pair_bool(w, STR("again"), again);
		json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(w, STR("seq"), r->state.seq);
		return;
	}
	out_text(&ctx->out, ask_kind_word(q->kind).ptr);
	out_f(&ctx->out, " " STR_FMT " of ", STR_ARG(id));
	out_data(&ctx->out, plan_id(&r->plan, q->node));
	out_text(&ctx->out, ": ");
	out_data(&ctx->out, q->prompt);
	out_f(&ctx->out, "\n%s%s " STR_FMT "/" STR_FMT "%s\n",
		ctx->args.dry_run ? "would be " : "", done, STR_ARG(r->id),
		STR_ARG(id), again ? ", before" : "");
}
