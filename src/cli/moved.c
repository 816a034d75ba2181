#include "cli/moved.h"

struct moved
moved_from(struct cmd_ctx *ctx, const struct state *s)
{
	struct moved m = { .count = s->attempts.count };

	m.status = arena_array(ctx->mem, m.count, uint8_t);
	m.kept = arena_array(ctx->mem, m.count, struct str);
	for (size_t i = 0; i < m.count; i++) {
		m.status[i] = s->attempts.items[i].status;
		m.kept[i] =
			arena_copy(ctx->mem, s->attempts.items[i].kept_sha256);
	}
	return m;
}

static bool
is_moved(const struct moved *before, const struct attempt *a, size_t i)
{
	return i >= before->count || before->status[i] != a->status ||
		!str_eq(before->kept[i], a->kept_sha256);
}

void
moved_json(struct cmd_ctx *ctx, struct str name, const struct state *s,
	const struct moved *before)
{
	struct json_writer *w = &ctx->json;

	json_key(w, name);
	json_open(w, '[');
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_moved(before, a, i))
			continue;
		json_open(w, '{');
		json_pair_str(
			w, STR("attempt"), state_attempt_id(s, i, ctx->mem));
		json_pair_str(w, STR("status"), attempt_status_word(a->status));
		if (i < before->count)
			json_pair_str(w, STR("was"),
				attempt_status_word((
					enum attempt_status)before->status[i]));
		if (a->cause.len > 0)
			json_pair_str(w, STR("cause"), a->cause);
		if (a->message.len > 0)
			json_pair_str(w, STR("message"), a->message);
		if (a->kept_sha256.len > 0)
			json_pair_str(w, STR("kept_sha256"), a->kept_sha256);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
moved_text(
	struct cmd_ctx *ctx, const struct state *s, const struct moved *before)
{
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_moved(before, a, i))
			continue;
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, state_attempt_id(s, i, ctx->mem));
		out_f(&ctx->out, "  " STR_FMT,
			STR_ARG(attempt_status_word(a->status)));
		out_text(&ctx->out, a->cause.len > 0 ? ": " : "");
		out_data(&ctx->out, a->cause);
		out_text(&ctx->out, "\n");
	}
}
