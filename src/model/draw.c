#include "model/draw.h"

#include "model/graph.h"
#include "text/utf8.h"

enum {
	LABEL_BYTES = 80, /* of a title in a picture */
	ID_COLUMNS = 32,  /* that ids are lined up to */
};

/* How a status looks; the classes are its word in small letters. */
static const struct look {
	const char *class, *fill, *line;
} looks[] = {
	[NODE_PENDING] = { "pending", "#f4f4f5", "#71717a" },
	[NODE_READY] = { "ready", "#dbeafe", "#2563eb" },
	[NODE_RUNNING] = { "running", "#fef9c3", "#ca8a04" },
	[NODE_PASSED] = { "passed", "#dcfce7", "#16a34a" },
	[NODE_FAILED] = { "failed", "#fee2e2", "#dc2626" },
	[NODE_BLOCKED] = { "blocked", "#ffedd5", "#ea580c" },
	[NODE_NEEDS_APPROVAL] = { "needs_approval", "#f3e8ff", "#9333ea" },
	[NODE_SKIPPED] = { "skipped", "#ffffff", "#a1a1aa" },
};

void
draw_ledger(
	struct draw *d, const struct ledger *l, uint32_t max, struct arena *mem)
{
	*d = (struct draw){ .name = l->run_id,
		.status = run_status_word((enum run_status)l->status),
		.total = l->count,
		.count = l->count < max ? l->count : max };
	d->nodes = arena_array(mem, d->count, struct draw_node);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		d->passed += n->status == NODE_PASSED;
		if (i >= d->count)
			continue;
		d->nodes[i] = (struct draw_node){ .id = n->id,
			.title = n->title,
			.depends = n->depends,
			.depends_count = n->depends_count,
			.status = n->status,
			.gate = n->approval != LEDGER_NOT_REQUIRED ||
				is_ledger_approval_open(n) };
	}
}

void
draw_state(
	struct draw *d, const struct state *s, uint32_t max, struct arena *mem)
{
	const struct plan *p = s->plan;

	*d = (struct draw){ .name = s->run.run,
		.status = run_status_word(state_run_status(s)),
		.total = p->count,
		.count = p->count < max ? p->count : max,
		.passed = s->by_status[NODE_PASSED] };
	d->nodes = arena_array(mem, d->count, struct draw_node);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct contract *c = &p->nodes[i];

		d->nodes[i] = (struct draw_node){ .id = plan_id(p, i),
			.title = plan_title(p, i),
			.depends = p->depends + c->depends_at,
			.depends_count = c->depends_count,
			.status = s->nodes[i].status,
			.gate = c->approval };
	}
}

/* A text as people may see it, cut to what a box holds. */
static void
shown_put(struct buf *out, struct str title)
{
	struct str head = utf8_cut(title, LABEL_BYTES);

	utf8_show(out, head, UTF8_LINE);
	if (head.len < title.len)
		buf_add(out, STR("\xe2\x80\xa6"));
}

/* Inside a quoted string of dot, in which entities are undone, too. */
static void
dot_put(struct buf *out, struct str text)
{
	struct buf shown = { 0 };
	struct str s;

	shown_put(&shown, text);
	s = buf_str(&shown);
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] == '"' || s.ptr[i] == '\\')
			buf_addc(out, '\\');
		if (s.ptr[i] == '&')
			buf_add(out, STR("&amp;"));
		else
			buf_addc(out, s.ptr[i]);
	}
	buf_release(&shown);
}

void
draw_dot(const struct draw *d, struct buf *out)
{
	buf_add(out, STR("digraph \""));
	dot_put(out, d->name);
	buf_add(out,
		STR("\" {\n"
		    "\trankdir=LR;\n"
		    "\tnode [shape=box, style=\"rounded,filled\", "
		    "fontname=\"sans-serif\"];\n"));
	for (uint32_t i = 0; i < d->count; i++) {
		const struct draw_node *n = &d->nodes[i];
		const struct look *look = &looks[n->status];

		buf_addf(out, "\tn%u [label=\"", i);
		dot_put(out, n->id);
		buf_add(out, STR("\\n"));
		dot_put(out, n->title);
		buf_addf(out,
			"\", class=\"%s\", fillcolor=\"%s\", "
			"color=\"%s\"%s];\n",
			look->class, look->fill, look->line,
			n->gate ? ", shape=hexagon, style=filled" : "");
	}
	if (d->total > d->count) {
		buf_addf(out,
			"\trest [label=\"%u more\", shape=plaintext, "
			"style=\"\"];\n",
			d->total - d->count);
	}
	for (uint32_t i = 0; i < d->count; i++) {
		const struct draw_node *n = &d->nodes[i];

		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (n->depends[k] < d->count)
				buf_addf(out, "\tn%u -> n%u;\n", n->depends[k],
					i);
		}
	}
	buf_add(out, STR("}\n"));
}

static bool
is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		(c >= '0' && c <= '9') || (c & 0x80) ||
		(c && strchr(" .,-_/()", c));
}

/* Inside a quoted label of Mermaid: letters, and entities for the rest. */
static void
mermaid_put(struct buf *out, struct str text)
{
	struct buf shown = { 0 };
	struct str s;

	shown_put(&shown, text);
	s = buf_str(&shown);
	for (size_t i = 0; i < s.len; i++) {
		if (is_plain(s.ptr[i]))
			buf_addc(out, s.ptr[i]);
		else
			buf_addf(out, "#%d;", s.ptr[i]);
	}
	buf_release(&shown);
}

/* The classes that occur. */
static void
mermaid_classes(const struct draw *d, struct buf *out)
{
	bool seen[NODE_STATUS_COUNT] = { false };

	for (uint32_t i = 0; i < d->count; i++)
		seen[d->nodes[i].status] = true;
	for (int s = 0; s < NODE_STATUS_COUNT; s++) {
		if (seen[s]) {
			buf_addf(out,
				"\tclassDef %s fill:%s,stroke:%s,color:#18181b"
				"\n",
				looks[s].class, looks[s].fill, looks[s].line);
		}
	}
}

void
draw_mermaid(const struct draw *d, struct buf *out)
{
	buf_add(out, STR("flowchart LR\n"));
	for (uint32_t i = 0; i < d->count; i++) {
		const struct draw_node *n = &d->nodes[i];

		buf_addf(out, "\tn%u%s\"", i, n->gate ? "{{" : "[");
		mermaid_put(out, n->id);
		buf_add(out, STR("<br/>"));
		mermaid_put(out, n->title);
		buf_addf(out, "\"%s:::%s\n", n->gate ? "}}" : "]",
			looks[n->status].class);
	}
	if (d->total > d->count)
		buf_addf(out, "\trest[\"%u more\"]\n", d->total - d->count);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct draw_node *n = &d->nodes[i];

		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (n->depends[k] < d->count)
				buf_addf(out, "\tn%u --> n%u\n", n->depends[k],
					i);
		}
	}
	mermaid_classes(d, out);
}

/* The edges between drawn nodes; `at` has count + 1 entries. */
static struct graph
edges_of(const struct draw *d, struct arena *mem)
{
	uint32_t *at = arena_array(mem, d->count + 1, uint32_t), *to;
	size_t edges = 0;

	for (uint32_t i = 0; i < d->count; i++)
		edges += d->nodes[i].depends_count;
	to = arena_array(mem, edges, uint32_t);
	for (uint32_t i = 0; i < d->count; i++) {
		const struct draw_node *n = &d->nodes[i];

		at[i + 1] = at[i];
		for (uint32_t k = 0; k < n->depends_count; k++) {
			if (n->depends[k] < d->count)
				to[at[i + 1]++] = n->depends[k];
		}
	}
	return (struct graph){ d->count, at, to };
}

/* The wave of each node, from 1; the number of waves.  What is left of a graph
 * with a cycle stands in wave 0. */
static uint32_t
waves_of(const struct draw *d, struct arena *mem, uint32_t *ret_wave)
{
	struct graph g = edges_of(d, mem), back;
	uint32_t *order = arena_array(mem, d->count, uint32_t);
	uint32_t *at = arena_array(mem, d->count + 1, uint32_t);
	uint32_t *to = arena_array(mem, g.at[d->count], uint32_t);
	uint32_t waves = 0, ordered;

	graph_reverse(&g, at, to);
	back = (struct graph){ d->count, at, to };
	ordered = graph_order(&g, &back, order);
	for (uint32_t i = 0; i < ordered; i++) {
		uint32_t n = order[i], wave = 1;

		for (uint32_t k = g.at[n]; k < g.at[n + 1]; k++) {
			if (ret_wave[g.to[k]] >= wave)
				wave = ret_wave[g.to[k]] + 1;
		}
		ret_wave[n] = wave;
		waves = wave > waves ? wave : waves;
	}
	return waves;
}

static void
row_put(const struct draw *d, const struct draw_node *n, size_t columns,
	struct buf *out)
{
	struct str word = node_status_word((enum node_status)n->status);
	bool first = true;

	buf_addf(out, "  " STR_FMT "%*s", STR_ARG(word), (int)(16 - word.len),
		"");
	utf8_show(out, n->id, UTF8_LINE);
	if (n->id.len < columns)
		buf_addf(out, "%*s", (int)(columns - n->id.len), "");
	buf_add(out, STR("  "));
	shown_put(out, n->title);
	if (n->gate)
		buf_add(out, STR("  (approval)"));
	for (uint32_t k = 0; k < n->depends_count; k++) {
		if (n->depends[k] >= d->count)
			continue;
		buf_add(out, str_from(first ? "  after " : ", "));
		utf8_show(out, d->nodes[n->depends[k]].id, UTF8_LINE);
		first = false;
	}
	buf_addc(out, '\n');
}

/* Node numbers by wave, in the order of the document: counted, then placed. */
static uint32_t *
sorted_by_wave(const struct draw *d, const uint32_t *wave, uint32_t waves,
	struct arena *mem)
{
	uint32_t *at = arena_array(mem, waves + 2, uint32_t);
	uint32_t *sorted = arena_array(mem, d->count, uint32_t);

	for (uint32_t i = 0; i < d->count; i++)
		at[wave[i] + 1]++;
	for (uint32_t w = 0; w < waves; w++)
		at[w + 1] += at[w];
	for (uint32_t i = 0; i < d->count; i++)
		sorted[at[wave[i]]++] = i;
	return sorted;
}

void
draw_text(const struct draw *d, struct buf *out)
{
	struct arena mem = ARENA_INIT;
	uint32_t *wave = arena_array(&mem, d->count, uint32_t), *sorted;
	uint32_t waves = waves_of(d, &mem, wave), last = UINT32_MAX;
	size_t columns = 0;

	utf8_show(out, d->name, UTF8_LINE);
	buf_addf(out, "  " STR_FMT "  %u/%u passed\n", STR_ARG(d->status),
		d->passed, d->total);
	for (uint32_t i = 0; i < d->count; i++) {
		size_t len = d->nodes[i].id.len;

		if (len > columns && len <= ID_COLUMNS)
			columns = len;
	}
	sorted = sorted_by_wave(d, wave, waves, &mem);
	for (uint32_t i = 0; i < d->count; i++) {
		if (wave[sorted[i]] != last) {
			last = wave[sorted[i]];
			if (last == 0)
				buf_add(out, STR("in a circle\n"));
			else
				buf_addf(out, "wave %u\n", last);
		}
		row_put(d, &d->nodes[sorted[i]], columns, out);
	}
	if (d->total > d->count)
		buf_addf(out, "and %u more\n", d->total - d->count);
	arena_reset(&mem);
}
