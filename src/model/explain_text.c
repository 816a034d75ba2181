#include "model/cause.h"
#include "text/utf8.h"

static void
changer_text(struct buf *out, const struct cause *c)
{
	buf_addf(out, "  can be changed by " STR_FMT ":  ", STR_ARG(c->who));
	utf8_show(out, c->command, UTF8_LINE);
	buf_addc(out, '\n');
}

void
explain_text(
	struct buf *out, const struct state *s, const struct explanation *ex)
{
	buf_add(out, ex->verdict);
	if (ex->count > 0) {
		buf_add(out, STR(": "));
		utf8_show(out, ex->causes[0].sentence, UTF8_LINE);
	}
	if (ex->total > 1)
		buf_addf(out, ", and %u more", ex->total - 1);
	buf_addc(out, '\n');
	if (ex->may_start) {
		struct arena mem = ARENA_INIT;

		buf_addf(out,
			"  can be started by the coordinator:  " STR_FMT "\n",
			STR_ARG(cause_command_start(s, ex->node, &mem)));
		arena_reset(&mem);
	}
	for (uint32_t i = 0; i < ex->count; i++) {
		if (ex->total > 1) {
			buf_add(out, STR("- "));
			utf8_show(out, ex->causes[i].sentence, UTF8_LINE);
			buf_addc(out, '\n');
		}
		changer_text(out, &ex->causes[i]);
	}
	if (ex->total > ex->count)
		buf_addf(out, "- and %u more\n", ex->total - ex->count);
	if (ex->note.len > 0)
		buf_addf(out, "  note: " STR_FMT "\n", STR_ARG(ex->note));
}

void
explain_causes_json(struct json_writer *w, const struct explanation *ex)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < ex->count; i++) {
		const struct cause *c = &ex->causes[i];

		json_open(w, '{');
		json_pair_str(w, STR("code"), cause_word(c->code));
		json_pair_str(w, STR("subject"), c->subject);
		json_pair_str(w, STR("detail"), c->detail);
		json_pair_str(w, STR("sentence"), c->sentence);
		json_pair_str(w, STR("who"), c->who);
		json_pair_str(w, STR("command"), c->command);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
explain_json(struct json_writer *w, const struct state *s,
	const struct explanation *ex)
{
	json_open(w, '{');
	json_pair_str(w, STR("run"), s->run.run);
	json_pair_str(w, STR("node"), plan_id(s->plan, ex->node));
	json_pair_str(
		w, STR("status"), node_status_word(s->nodes[ex->node].status));
	json_pair_bool(w, STR("done"), ex->done);
	json_pair_bool(w, STR("may_start"), ex->may_start);
	json_pair_str(w, STR("verdict"), ex->verdict);
	json_pair_u64(w, STR("cause_count"), ex->total);
	json_key(w, STR("causes"));
	explain_causes_json(w, ex);
	if (ex->note.len > 0)
		json_pair_str(w, STR("note"), ex->note);
	json_close(w, '}');
}
