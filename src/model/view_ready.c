#include "model/view.h"

#include "text/utf8.h"

static uint64_t
slots_free(const struct state *s)
{
	return s->run.slots > s->live_attempts ? s->run.slots - s->live_attempts
					       : 0;
}

static void
ready_row(struct buf *out, const struct state *s, const struct ready_entry *e,
	struct arena *mem)
{
	struct cause cause;

	buf_addf(out, "  " STR_FMT "  ", STR_ARG(plan_id(s->plan, e->node)));
	if (e->answer.hold == HOLD_NONE) {
		utf8_show(out, utf8_cut(plan_title(s->plan, e->node), 120),
			UTF8_LINE);
	} else {
		explain_hold(s, e->answer, mem, &cause);
		utf8_show(out, cause.sentence, UTF8_LINE);
	}
	buf_addc(out, '\n');
}

/* Of `count` entries, those of the wave, or the others. */
static uint32_t
ready_rows(struct buf *out, const struct state *s,
	const struct ready_entry *list, uint32_t count, bool wave)
{
	struct arena mem = ARENA_INIT;
	uint32_t rows = 0;

	for (uint32_t i = 0; i < count; i++) {
		if ((list[i].answer.hold == HOLD_NONE) != wave)
			continue;
		if (out != NULL)
			ready_row(out, s, &list[i], &mem);
		rows++;
		arena_reset(&mem);
	}
	return rows;
}

void
view_ready(struct buf *out, const struct state *s, uint32_t max)
{
	struct arena mem = ARENA_INIT;
	const struct ready_entry *list;
	uint32_t count, wave;

	list = ready_list(s, max, &mem, &count);
	wave = ready_rows(NULL, s, list, count, true);
	if (is_run_closed(s))
		buf_add(out, STR("nothing may start: the run is closed\n"));
	else if (wave == 0)
		buf_add(out, STR("nothing may start now"));
	else
		buf_addf(out, "%u may start now", wave);
	if (!is_run_closed(s))
		buf_addf(out, ", %llu of %llu slots are free\n",
			(unsigned long long)slots_free(s),
			(unsigned long long)s->run.slots);
	(void)ready_rows(out, s, list, count, true);
	if (count > wave)
		buf_addf(out, "%u READY but held\n", count - wave);
	(void)ready_rows(out, s, list, count, false);
	if (s->ready.count > count)
		buf_addf(out, "and %u more READY\n", s->ready.count - count);
	arena_reset(&mem);
}

static void
held_json(struct json_writer *w, const struct state *s,
	const struct ready_entry *e, struct arena *mem)
{
	struct cause cause;

	explain_hold(s, e->answer, mem, &cause);
	json_open(w, '{');
	json_pair_str(w, STR("node"), plan_id(s->plan, e->node));
	json_pair_str(w, STR("code"), cause_word(cause.code));
	json_pair_str(w, STR("subject"), cause.subject);
	json_pair_str(w, STR("sentence"), cause.sentence);
	json_close(w, '}');
}

void
view_ready_json(struct json_writer *w, const struct state *s, uint32_t max)
{
	struct arena mem = ARENA_INIT;
	const struct ready_entry *list;
	uint32_t count;

	list = ready_list(s, max, &mem, &count);
	json_open(w, '{');
	json_pair_str(w, STR("run"), s->run.run);
	json_pair_u64(w, STR("slots"), s->run.slots);
	json_pair_u64(w, STR("slots_free"), slots_free(s));
	json_key(w, STR("ready"));
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].answer.hold == HOLD_NONE)
			json_put_str(w, plan_id(s->plan, list[i].node));
	}
	json_close(w, ']');
	json_key(w, STR("held"));
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++) {
		if (list[i].answer.hold != HOLD_NONE)
			held_json(w, s, &list[i], &mem);
	}
	json_close(w, ']');
	json_pair_u64(w, STR("left_out"), s->ready.count - count);
	json_close(w, '}');
	arena_reset(&mem);
}
