#include "surfaces.h"

#include <string.h>

#include "model/agent_view.h"
#include "model/detail.h"
#include "model/state_json.h"
#include "model/view.h"
#include "text/utf8.h"

enum {
	ANSWER_MAX = 4 << 20, /* no plan of a test says more */
	ROWS_MAX = 1000,
};

/* Read what a writer wrote; NULL unless it is one strict document. */
static const struct json *
document(struct json_writer *w, struct arena *mem)
{
	struct buf *text = w->out;
	struct str copy = text->len ? arena_copy(mem, buf_str(text)) : STR("");
	const struct json *v;
	struct pawl_err err;

	if (json_read(mem, (char *)(uintptr_t)copy.ptr, copy.len, JSON_STRICT,
		    &v, &err) != PAWL_OK)
		return NULL;
	buf_clear(text);
	*w = (struct json_writer){ .out = text };
	return v;
}

static const char *
texts_read(const struct state *s, struct arena *mem)
{
	static const enum detail_kind kinds[] = { DETAIL_NODE, DETAIL_ATTEMPT,
		DETAIL_CHECK, DETAIL_GATE, DETAIL_CLEANUP };
	const size_t counts[] = { s->plan->count, s->attempts.count,
		s->checks.count, s->gates.count, s->cleanups.count };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const char *bad = NULL;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		for (uint32_t i = 0; i < counts[k]; i++) {
			struct detail d = { kinds[k], i };

			detail_text(&out, s, &d);
			buf_clear(&out);
			detail_json(&w, s, &d);
			if (document(&w, mem) == NULL)
				bad = "show gives no document";
		}
	}
	for (uint32_t i = 0; i < s->plan->count; i++) {
		struct explanation ex;

		explain_node(s, i, 3, mem, &ex);
		explain_text(&out, s, &ex);
		buf_clear(&out);
		explain_json(&w, s, &ex);
		if (document(&w, mem) == NULL)
			bad = "explain gives no document";
	}
	buf_release(&out);
	return bad;
}

/* What other programs are shown. */
static const char *
views_read(const struct state *s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct agent_view view;
	const char *bad = NULL;

	progress_text(&out, s);
	buf_clear(&out);
	progress_json(&w, s);
	if (document(&w, mem) == NULL)
		bad = "progress gives no document";
	if (progress_percent(s) == 100 &&
		progress_state(s) != PROGRESS_COMPLETE)
		bad = "100 per cent of what isn't complete";
	agent_view_whole(s, AGENT_VIEW_NO_REASON, mem, &view);
	agent_view_text(&out, &view);
	buf_clear(&out);
	agent_view_json(&w, &view);
	if (document(&w, mem) == NULL)
		bad = "a view gives no document";
	agent_view_since(s, s->seq / 2, mem, &view);
	agent_view_json(&w, &view);
	if (document(&w, mem) == NULL)
		bad = "a delta gives no document";
	buf_release(&out);
	return bad;
}

const char *
surfaces_read(const struct state *s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const char *bad = texts_read(s, mem);

	if (bad == NULL)
		bad = views_read(s, mem);
	view_status(&out, s, false, ROWS_MAX, UINT32_MAX);
	view_ready(&out, s, ROWS_MAX);
	if (out.len > ANSWER_MAX)
		bad = "an answer has no bound";
	if (utf8_valid(buf_str(&out)) != out.len)
		bad = "an answer isn't UTF-8";
	buf_clear(&out);
	view_status_json(&w, s, true, ROWS_MAX);
	if (document(&w, mem) == NULL)
		bad = "status gives no document";
	view_ready_json(&w, s, ROWS_MAX);
	if (document(&w, mem) == NULL)
		bad = "ready gives no document";
	state_json_write(&w, s);
	if (document(&w, mem) == NULL)
		bad = "state gives no document";
	buf_release(&out);
	return bad;
}

/* The first two words of the row about `id` in a table. */
static bool
has_row(struct str table, struct str first, struct str id)
{
	while (table.len > 0) {
		struct str row = str_cut(&table, '\n');
		struct str word = str_cut(&row, ' ');

		if (str_eq(word, first) &&
			str_eq(str_cut(&(struct str){ str_trim(row).ptr,
					       str_trim(row).len },
				       ' '),
				id))
			return true;
	}
	return false;
}

static bool
names(const struct json *list, struct str member, struct str id)
{
	const struct json *v = json_first(list);

	for (uint32_t i = 0; i < list->count; i++) {
		if (str_eq(json_str(member.len ? json_get(v, member) : v), id))
			return true;
		v += v->span;
	}
	return false;
}

/* `ready` as text: rows of two spaces and an id, up to the line of the held. */
static bool
text_has_ready(struct str text, struct str id)
{
	(void)str_cut(&text, '\n');
	while (text.len > 2 && text.ptr[0] == ' ') {
		struct str row = str_cut(&text, '\n');

		row = str_part(row, 2, row.len);
		if (str_eq(str_cut(&row, ' '), id))
			return true;
	}
	return false;
}

struct shown {
	struct buf status, ready; /* as text */
	const struct json *status_doc, *ready_doc;
};

static bool
in_wave(const struct state *s, uint32_t node, struct arena *mem)
{
	uint32_t count;
	const uint32_t *wave = ready_wave(s, ROWS_MAX, mem, &count);

	for (uint32_t i = 0; i < count; i++) {
		if (wave[i] == node)
			return true;
	}
	return false;
}

static const char *
node_differs(const struct state *s, uint32_t node, const struct shown *shown,
	struct arena *mem)
{
	struct str id = plan_id(s->plan, node);
	struct str word = node_status_word(s->nodes[node].status);
	const struct json *rows = json_get(shown->status_doc, STR("nodes")),
			  *row;
	bool wave = in_wave(s, node, mem);
	bool starts = ready_hold(s, node).hold == HOLD_NONE;
	struct explanation ex;
	bool held;

	row = json_first(rows);
	for (uint32_t i = 0; i < node; i++)
		row += row->span;
	explain_node(s, node, 4, mem, &ex);
	if (!str_eq(json_str(json_get(row, STR("id"))), id) ||
		!str_eq(json_str(json_get(row, STR("status"))), word))
		return "status as JSON says another status";
	if (!has_row(buf_str(&shown->status), word, id))
		return "status as text says another status";
	if (ex.may_start != starts ||
		json_bool(json_get(row, STR("may_start"))) != starts)
		return "explain or status disagree on what may start";
	if (names(json_get(shown->ready_doc, STR("ready")), STR(""), id) !=
			wave ||
		text_has_ready(buf_str(&shown->ready), id) != wave)
		return "ready as JSON or as text isn't the wave";
	if (wave && !starts && ready_hold(s, node).hold != HOLD_SLOTS)
		return "ready lists what may not start";
	held = names(json_get(shown->ready_doc, STR("held")), STR("node"), id);
	if (held && (wave || s->nodes[node].status != NODE_READY))
		return "ready says held of what isn't";
	if (starts && !wave && !held)
		return "ready says nothing of what may start alone";
	return NULL;
}

const char *
surfaces_differ(const struct state *s, struct arena *mem)
{
	struct shown shown = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const char *bad = NULL;
	struct str run, status = run_status_word(state_run_status(s));
	uint32_t first;

	view_status(&shown.status, s, false, ROWS_MAX, UINT32_MAX);
	view_ready(&shown.ready, s, ROWS_MAX);
	view_status_json(&w, s, false, ROWS_MAX);
	shown.status_doc = document(&w, mem);
	view_ready_json(&w, s, ROWS_MAX);
	shown.ready_doc = document(&w, mem);
	run = json_str(json_get(
		json_get(shown.status_doc, STR("run")), STR("status")));
	if (!str_eq(run, status))
		bad = "status as JSON says another status of the run";
	if (strstr(shown.status.data, status.ptr) == NULL)
		bad = "status as text says another status of the run";
	if (ready_first(s, &first) && !in_wave(s, first, mem))
		bad = "the autopilot would start what ready doesn't list";
	for (uint32_t i = 0; bad == NULL && i < s->plan->count; i++)
		bad = node_differs(s, i, &shown, mem);
	buf_release(&shown.status);
	buf_release(&shown.ready);
	buf_release(&out);
	return bad;
}
