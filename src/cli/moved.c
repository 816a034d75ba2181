#include "cli/moved.h"

#include "model/delegation.h"

struct moved
moved_from(struct cmd_ctx *ctx, const struct state *s)
{
	struct moved m = { .count = s->attempts.count,
		.delegations = s->delegations.count };

	m.status = arena_array(ctx->mem, m.count, uint8_t);
	m.kept = arena_array(ctx->mem, m.count, struct str);
	for (size_t i = 0; i < m.count; i++) {
		m.status[i] = s->attempts.items[i].status;
		m.kept[i] =
			arena_copy(ctx->mem, s->attempts.items[i].kept_sha256);
	}
	m.delegated = arena_array(ctx->mem, m.delegations, uint8_t);
	for (size_t i = 0; i < m.delegations; i++)
		m.delegated[i] = s->delegations.items[i].status;
	return m;
}

static bool
is_moved(const struct moved *before, const struct attempt *a, size_t i)
{
	return i >= before->count || before->status[i] != a->status ||
		!str_eq(before->kept[i], a->kept_sha256);
}

static bool
is_delegation_moved(
	const struct moved *before, const struct state *s, uint32_t i)
{
	return i >= before->delegations ||
		before->delegated[i] != s->delegations.items[i].status;
}

static struct str
delegation_status(const struct state *s, uint32_t i)
{
	return delegation_status_word(
		(enum delegation_status)s->delegations.items[i].status);
}

static void
delegations_json(
	struct cmd_ctx *ctx, const struct state *s, const struct moved *before)
{
	struct json_writer *w = &ctx->json;

	json_key(w, STR("delegations"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->delegations.count; i++) {
		if (!is_delegation_moved(before, s, i))
			continue;
		json_open(w, '{');
		json_pair_str(
			w, STR("delegation"), state_delegation_id(i, ctx->mem));
		json_pair_str(w, STR("status"), delegation_status(s, i));
		json_close(w, '}');
	}
	json_close(w, ']');
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
	delegations_json(ctx, s, before);
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
	for (uint32_t i = 0; i < s->delegations.count; i++) {
		if (is_delegation_moved(before, s, i))
			out_f(&ctx->out, "  " STR_FMT "  " STR_FMT "\n",
				STR_ARG(state_delegation_id(i, ctx->mem)),
				STR_ARG(delegation_status(s, i)));
	}
}
