#include "cli/handed.h"

#include "cli/hint.h"
#include "engine/coordinator.h"

static struct str
command_line(const struct strs *argv, struct arena *mem)
{
	struct buf line = { 0 };
	struct str text;

	for (uint32_t i = 0; i < argv->count; i++) {
		if (i > 0)
			buf_addc(&line, ' ');
		hint_quote(&line, argv->items[i]);
	}
	text = arena_copy(mem, buf_str(&line));
	buf_release(&line);
	return text;
}

void
handed_answer(struct cmd_ctx *ctx, const struct run *r)
{
	const struct state *s = &r->state;
	struct handover h = coordinator_handover(r, s->gen, s->coordinator_for);
	struct str path = arena_format(ctx->mem, "%s/runs/" STR_FMT "/" STR_FMT,
		r->place->state_path, STR_ARG(r->id),
		STR_ARG(handover_path(s->capsule_gen, ctx->mem)));
	struct strs argv;

	handover_claim(&h, ctx->mem, &argv);
	if (ctx->args.json) {
		struct json_writer *w = &ctx->json;

		json_pair_str(w, STR("run"), r->id);
		json_pair_u64(w, STR("generation"), s->gen);
		json_key(w, STR("capsule"));
		json_open(w, '{');
		json_pair_str(w, STR("path"), path);
		json_pair_str(w, STR("sha256"), s->coordinator_capsule);
		json_close(w, '}');
		json_pair_str(w, STR("claim"), command_line(&argv, ctx->mem));
		return;
	}
	out_text(&ctx->out, "  capsule  ");
	out_data(&ctx->out, path);
	out_text(&ctx->out, "\n  claim    ");
	out_data(&ctx->out, command_line(&argv, ctx->mem));
	out_text(&ctx->out, "\n");
}
