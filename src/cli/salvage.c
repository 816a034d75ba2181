#include "cli/salvage.h"

void
salvage_note(struct salvage *s, const struct event *events, size_t count,
	struct arena *mem)
{
	for (size_t i = 0; i < count; i++) {
		struct salvage_patch *patch;

		if (events[i].patch_sha256.len == 0)
			continue;
		patch = arena_new(mem, struct salvage_patch);
		patch->attempt = arena_copy(mem, events[i].attempt);
		patch->sha256 = arena_copy(mem, events[i].patch_sha256);
		if (s->last != NULL)
			s->last->next = patch;
		else
			s->first = patch;
		s->last = patch;
	}
}

/* One more line; the first has a title above it. */
static void
say(struct cmd_ctx *ctx, uint32_t *count, struct str what, const char *form,
	struct str where)
{
	if ((*count)++ == 0)
		out_text(&ctx->out, "kept:\n");
	out_text(&ctx->out, "  ");
	out_data(&ctx->out, what);
	out_f(&ctx->out, "  %s", form);
	out_data(&ctx->out, where);
	out_text(&ctx->out, "\n");
}

void
salvage_say(const struct salvage *s, struct cmd_ctx *ctx, const struct run *r)
{
	const struct state *st = &r->state;
	const struct salvage_patch *patch;
	const struct cleanup *c;
	uint32_t count = 0;

	for (patch = s->first; patch != NULL; patch = patch->next) {
		say(ctx, &count, patch->attempt, "git apply ",
			arena_format(ctx->mem,
				"%s/runs/" STR_FMT "/artifacts/sha256/" STR_FMT,
				r->place->state_path, STR_ARG(r->id),
				STR_ARG(patch->sha256)));
	}
	for (uint32_t i = 0; i < st->attempts.count; i++) {
		const struct attempt *a = &st->attempts.items[i];

		if (!is_attempt_live(a) || a->worktree.len == 0)
			continue;
		say(ctx, &count, state_attempt_id(st, i, ctx->mem), "worktree ",
			arena_format(ctx->mem, STR_FMT "/tree",
				STR_ARG(a->worktree)));
	}
	VEC_EACH (c, &st->cleanups) {
		const struct attempt *a = &st->attempts.items[c->attempt];

		if (c->status != CLEANUP_RETAINED || is_attempt_live(a) ||
			!str_eq(c->kind, STR("worktree")))
			continue;
		say(ctx, &count, state_attempt_id(st, c->attempt, ctx->mem),
			"worktree ",
			arena_format(ctx->mem, STR_FMT " (" STR_FMT ")",
				STR_ARG(c->target), STR_ARG(c->reason)));
	}
	if (st->tip.len > 0) {
		say(ctx, &count, r->id, "branch ",
			arena_format(ctx->mem, "pawl/" STR_FMT "/main",
				STR_ARG(r->id)));
	}
}
