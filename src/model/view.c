#include "model/view.h"

#include "model/rework.h"
#include "text/utf8.h"

enum {
	ID_COLUMN_MAX = 24,
	TITLE_COLUMN = 40,
	TITLE_COLUMN_MIN = 10,
	STATUS_COLUMN = 14,
	TRIES_COLUMN = 7,
	WAITS_COLUMN = 34, /* what a screen keeps for the last one */
	GAP = 2,
};

/* RUNNING, and its last attempt is over. */
static uint32_t
unobserved_count(const struct state *s)
{
	uint32_t count = 0;

	if (s->unobserved == 0)
		return 0;
	for (uint32_t i = 0; i < s->plan->count; i++)
		count += s->nodes[i].status == NODE_RUNNING &&
			state_live(s, i) == NULL;
	return count;
}

void
view_progress(const struct state *s, struct progress *ret_progress)
{
	const uint32_t *by = s->by_status;
	uint32_t unobserved = unobserved_count(s);

	*ret_progress = (struct progress){
		.status = state_run_status(s),
		.total = s->plan->count,
		.passed = by[NODE_PASSED],
		.skipped = by[NODE_SKIPPED],
		.running = by[NODE_RUNNING] - unobserved,
		.unobserved = unobserved,
		.ready = by[NODE_READY],
		.pending = by[NODE_PENDING],
		.failed = by[NODE_FAILED],
		.blocked = by[NODE_BLOCKED],
		.needs_approval = by[NODE_NEEDS_APPROVAL],
		.waits = s->gates_open + s->asks_open,
		.may_start = s->ready.count,
	};
}

static void
part_add(struct buf *out, uint32_t count, const char *words)
{
	if (count > 0)
		buf_addf(out, ", %u %s", count, words);
}

void
view_summary(struct buf *out, const struct state *s)
{
	struct progress p;

	view_progress(s, &p);
	utf8_show(out, s->run.run, UTF8_LINE);
	buf_addf(out, "  " STR_FMT "  %u/%u passed",
		STR_ARG(run_status_word(p.status)), p.passed, p.total);
	part_add(out, p.skipped, "skipped");
	part_add(out, p.running, "running");
	part_add(out, p.failed, "failed");
	part_add(out, p.blocked, "blocked");
	part_add(out, p.unobserved, "unobserved");
	part_add(out, s->delegations_open, "delegated");
	part_add(out, p.waits, p.waits == 1 ? "waits for you" : "wait for you");
	if (s->live_attempts == 0)
		part_add(out, s->cleanups_open, "to clean up");
	if (is_run_closed(s)) {
		buf_add(out, STR(", closed as "));
		utf8_show(out, s->outcome, UTF8_LINE);
	}
	buf_addc(out, '\n');
}

uint32_t
view_tries(const struct state *s, uint32_t node)
{
	const struct node_state *n = &s->nodes[node];
	bool judged = n->status == NODE_PASSED || n->status == NODE_FAILED ||
		n->status == NODE_RUNNING;

	return n->rejects + (judged || state_live(s, node) != NULL ? 1u : 0u);
}

/* The head that takes at most `width` columns. */
static struct str
columns_cut(struct str s, size_t width)
{
	size_t at = 0, used = 0, len;
	uint32_t code;

	while ((len = utf8_next(str_part(s, at, s.len), &code)) > 0) {
		used += utf8_columns(str_part(s, at, len));
		if (used > width)
			break;
		at += len;
	}
	return str_part(s, 0, at);
}

/* A cell of `width` columns, cut or filled, and two spaces. */
static void
cell_add(struct buf *out, struct str s, size_t width)
{
	struct buf shown = { 0 };
	struct str text;
	size_t count;

	utf8_show(&shown, s, UTF8_LINE);
	text = buf_str(&shown);
	count = utf8_columns(text);
	if (count > width) {
		text = columns_cut(text, width - 1);
		count = utf8_columns(text) + 1;
	}
	buf_add(out, text);
	if (text.len < shown.len)
		buf_add(out, STR("…"));
	for (; count < width + GAP; count++)
		buf_addc(out, ' ');
	buf_release(&shown);
}

struct columns {
	size_t id, title;
};

/* The rows of a table: node numbers in document order. */
struct rows {
	uint32_t *items;
	uint32_t count;
};

/*
 * At most `max` of the nodes: those that somebody watches for go before those
 * that wait, and these before those that are done.
 */
static struct rows
rows_choose(const struct state *s, uint32_t max, struct arena *mem)
{
	static const uint8_t urgency[NODE_STATUS_COUNT] = { NODE_RUNNING,
		NODE_NEEDS_APPROVAL, NODE_FAILED, NODE_BLOCKED, NODE_READY,
		NODE_PENDING, NODE_PASSED, NODE_SKIPPED };
	uint32_t quota[NODE_STATUS_COUNT];
	uint32_t left = s->plan->count < max ? s->plan->count : max;
	struct rows rows = { arena_array(mem, left, uint32_t), 0 };

	for (uint32_t i = 0; i < NODE_STATUS_COUNT; i++) {
		uint32_t have = s->by_status[urgency[i]];

		quota[urgency[i]] = have < left ? have : left;
		left -= quota[urgency[i]];
	}
	for (uint32_t i = 0; i < s->plan->count; i++) {
		if (quota[s->nodes[i].status] == 0)
			continue;
		quota[s->nodes[i].status]--;
		rows.items[rows.count++] = i;
	}
	return rows;
}

static struct columns
columns_measure(const struct state *s, const struct rows *rows)
{
	struct columns c = { 2, 5 };

	for (uint32_t i = 0; i < rows->count; i++) {
		size_t id = plan_id(s->plan, rows->items[i]).len;
		size_t title =
			utf8_columns(plan_title(s->plan, rows->items[i]));

		if (id > c.id)
			c.id = id;
		if (title > c.title)
			c.title = title;
	}
	if (c.id > ID_COLUMN_MAX)
		c.id = ID_COLUMN_MAX;
	if (c.title > TITLE_COLUMN)
		c.title = TITLE_COLUMN;
	return c;
}

static void
line_end(struct buf *out)
{
	while (out->len > 0 && out->data[out->len - 1] == ' ')
		out->len--;
	buf_addc(out, '\n');
}

/* What the row's node waits for. */
static void
waits_add(struct buf *out, const struct state *s, uint32_t node,
	struct arena *mem)
{
	struct explanation ex;

	explain_node(s, node, 1, mem, &ex);
	if (ex.may_start)
		buf_add(out, STR("may start"));
	if (ex.count > 0)
		utf8_show(out, ex.causes[0].sentence, UTF8_LINE);
	if (ex.total > 1)
		buf_addf(out, ", and %u more", ex.total - 1);
}

static void
row_add(struct buf *out, const struct state *s, uint32_t node,
	const struct columns *c, struct arena *mem)
{
	uint32_t tries = view_tries(s, node);
	struct str id = plan_id(s->plan, node);

	cell_add(out, node_status_word(s->nodes[node].status), STATUS_COLUMN);
	if (id.len > c->id) {
		buf_add(out, id);
		buf_add(out, STR("  "));
	} else {
		cell_add(out, id, c->id);
	}
	cell_add(out, plan_title(s->plan, node), c->title);
	cell_add(out,
		tries > 0 ? arena_format(mem, "%u/%u", tries,
				    state_allowance(s, node))
			  : STR("-"),
		TRIES_COLUMN);
	waits_add(out, s, node, mem);
	line_end(out);
}

void
view_table_within(
	struct buf *out, const struct state *s, uint32_t max, uint32_t columns)
{
	struct arena mem = ARENA_INIT, row = ARENA_INIT;
	struct rows rows = rows_choose(s, max, &mem);
	struct columns c = columns_measure(s, &rows);
	size_t others = STATUS_COLUMN + c.id + TRIES_COLUMN + WAITS_COLUMN +
		(size_t)4 * GAP;
	size_t left = columns > others + TITLE_COLUMN_MIN ? columns - others
							  : TITLE_COLUMN_MIN;

	if (c.title > left)
		c.title = left;
	cell_add(out, STR("STATUS"), STATUS_COLUMN);
	cell_add(out, STR("ID"), c.id);
	cell_add(out, STR("TITLE"), c.title);
	cell_add(out, STR("ATTEMPT"), TRIES_COLUMN);
	buf_add(out, STR("WAITS FOR\n"));
	for (uint32_t i = 0; i < rows.count; i++) {
		row_add(out, s, rows.items[i], &c, &row);
		arena_reset(&row);
	}
	if (rows.count < s->plan->count)
		buf_addf(out, "and %u more\n", s->plan->count - rows.count);
	arena_reset(&mem);
}

void
view_table(struct buf *out, const struct state *s, uint32_t max)
{
	view_table_within(out, s, max, UINT32_MAX);
}

void
view_clip(struct buf *out, struct str text, uint32_t columns, uint32_t rows)
{
	for (; text.len > 0 && rows > 0; rows--) {
		struct str line = str_cut(&text, '\n');

		if (utf8_columns(line) <= columns) {
			buf_add(out, line);
		} else {
			buf_add(out, columns_cut(line, columns - 1));
			buf_add(out, STR("…"));
		}
		buf_addc(out, '\n');
	}
}
