#include "model/planview.h"

#include <stdlib.h>

#include "model/graph.h"
#include "model/scope.h"
#include "text/utf8.h"

enum {
	SHOWN_WAVES = 40,
	SHOWN_NODES = 40, /* of one wave, and of other parts */
	SHOWN_PATH = 100, /* of the critical path */
};

void
planview_init(struct planview *v, const struct plan *p)
{
	uint32_t *at = die_alloc((size_t)p->count + 1, sizeof(*at));
	uint32_t *length = die_alloc((size_t)p->count + 1, sizeof(*length));
	struct graph dependants = { p->count, at, p->dependants };

	*v = (struct planview){ .plan = p };
	for (uint32_t n = 0; n < p->count; n++) {
		at[n] = p->nodes[n].dependants_at;
		length[n] = p->nodes[n].path_length;
	}
	at[p->count] = p->edge_count;
	v->critical = die_alloc((size_t)p->count + 1, sizeof(*v->critical));
	v->critical_count = graph_longest(&dependants, length, v->critical);
	free(at);
	free(length);
	waves_init(&v->waves, p);
}

void
planview_release(struct planview *v)
{
	waves_release(&v->waves);
	free(v->critical);
	*v = (struct planview){ 0 };
}

static void
show(struct buf *out, struct str s)
{
	utf8_show(out, s, UTF8_LINE);
}

static void
show_count(struct buf *out, uint32_t n, const char *one, const char *many)
{
	buf_addf(out, "%u %s", n, n == 1 ? one : many);
}

static void
show_paths(const struct plan *p, uint32_t node, struct buf *out)
{
	const struct contract *c = &p->nodes[node];

	for (uint32_t i = 0; i < c->scopes_count && i < 3; i++) {
		buf_add(out, i == 0 ? STR("") : STR(", "));
		show(out, scope_shown(plan_scope_str(p, c->scopes_at + i)));
	}
	if (c->scopes_count > 3)
		buf_addf(out, " and %u more", c->scopes_count - 3);
}

static void
show_waves(const struct planview *v, struct buf *out)
{
	const struct plan *p = v->plan;
	const struct waves *w = &v->waves;

	for (uint32_t k = 0; k < w->count && k < SHOWN_WAVES; k++) {
		uint32_t count = w->at[k + 1] - w->at[k];

		buf_addf(out, "\nwave %u\n", k + 1);
		for (uint32_t i = 0; i < count && i < SHOWN_NODES; i++) {
			uint32_t node = w->nodes[w->at[k] + i];

			buf_add(out, STR("  "));
			show(out, plan_id(p, node));
			buf_add(out, STR("  "));
			show(out, plan_title(p, node));
			buf_add(out,
				p->nodes[node].mode == MODE_WRITE
					? STR("  (write ")
					: STR("  (read "));
			show_paths(p, node, out);
			buf_add(out, STR(")\n"));
		}
		if (count > SHOWN_NODES)
			buf_addf(out, "  and %u more\n", count - SHOWN_NODES);
	}
	if (w->count > SHOWN_WAVES)
		buf_addf(out, "\nand %u more waves\n", w->count - SHOWN_WAVES);
}

static void
show_critical(const struct planview *v, struct buf *out)
{
	buf_addf(out, "\ncritical path, %u long: ", v->critical_count);
	for (uint32_t i = 0; i < v->critical_count && i < SHOWN_PATH; i++) {
		buf_add(out, i == 0 ? STR("") : STR(" -> "));
		show(out, plan_id(v->plan, v->critical[i]));
	}
	if (v->critical_count > SHOWN_PATH)
		buf_addf(out, " and %u more", v->critical_count - SHOWN_PATH);
	buf_addc(out, '\n');
}

static void
show_clashes(const struct planview *v, struct buf *out)
{
	const struct plan *p = v->plan;
	const struct waves *w = &v->waves;

	if (w->clash_count > 0)
		buf_add(out, STR("\nconflicts\n"));
	for (uint32_t i = 0; i < w->clash_count && i < SHOWN_NODES; i++) {
		const struct wave_clash *c = &w->clashes[i];

		buf_addf(out, "  wave %u: ", c->wave + 1);
		show(out, plan_id(p, c->node));
		buf_add(out, STR(" waits for "));
		show(out, plan_id(p, c->other));
		buf_add(out, STR(": "));
		show(out, scope_shown(plan_scope_str(p, c->scope)));
		buf_add(out, STR(" overlaps "));
		show(out, scope_shown(plan_scope_str(p, c->other_scope)));
		buf_addc(out, '\n');
	}
	if (w->clash_count + w->clashes_dropped > SHOWN_NODES)
		buf_addf(out, "  and %u more\n",
			w->clash_count + w->clashes_dropped - SHOWN_NODES);
}

/* Why the gate of a node does not pass by itself; NULL when it may. */
static const char *
gate_reason(const struct contract *c)
{
	if (c->sentinel)
		return "missing validation evidence";
	return c->approval ? "approval required" : NULL;
}

static void
show_gates(const struct plan *p, bool sentinel, struct buf *out)
{
	uint32_t count = 0;

	for (uint32_t n = 0; n < p->count; n++) {
		const struct contract *c = &p->nodes[n];

		if (gate_reason(c) == NULL || c->sentinel != sentinel)
			continue;
		if (count++ == 0)
			buf_add(out,
				sentinel ? STR("\ngates that can't pass\n")
					 : STR("\nwaits for a human\n"));
		if (count > SHOWN_NODES)
			continue;
		buf_add(out, STR("  "));
		show(out, plan_id(p, n));
		buf_addf(out, " (line %u): %s\n", c->line, gate_reason(c));
	}
	if (count > SHOWN_NODES)
		buf_addf(out, "  and %u more\n", count - SHOWN_NODES);
}

void
planview_text(const struct planview *v, const struct tasks_report *report,
	struct str list, struct buf *out)
{
	const struct plan *p = v->plan;

	buf_add(out, STR("good: "));
	show_count(out, p->count, "task", "tasks");
	buf_add(out, STR(" in "));
	show_count(out, v->waves.count, "wave", "waves");
	buf_add(out, STR(", at most "));
	buf_addf(out, "%u at once, critical path %u\n", v->waves.widest,
		v->critical_count);
	if (v->waves.writers == 1 && p->count > 1)
		buf_add(out,
			STR("no two tasks may write at once: one slot (-j 1) "
			    "is enough for them\n"));
	show_waves(v, out);
	show_critical(v, out);
	show_clashes(v, out);
	show_gates(p, true, out);
	show_gates(p, false, out);
	if (report->warnings.count > 0)
		buf_add(out, STR("\nwarnings\n"));
	planview_findings_text(&report->warnings, list, out);
}

static void
put_nodes(struct json_writer *w, const struct plan *p, const uint32_t *nodes,
	uint32_t count)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < count; i++)
		json_put_str(w, plan_id(p, nodes[i]));
	json_close(w, ']');
}

static void
put_clashes(struct json_writer *w, const struct planview *v)
{
	const struct plan *p = v->plan;

	json_key(w, STR("conflicts"));
	json_open(w, '[');
	for (uint32_t i = 0; i < v->waves.clash_count; i++) {
		const struct wave_clash *c = &v->waves.clashes[i];

		json_open(w, '{');
		json_pair_u64(w, STR("wave"), c->wave + 1);
		json_pair_str(w, STR("node"), plan_id(p, c->node));
		json_pair_str(w, STR("path"),
			scope_shown(plan_scope_str(p, c->scope)));
		json_pair_str(w, STR("other"), plan_id(p, c->other));
		json_pair_str(w, STR("other_path"),
			scope_shown(plan_scope_str(p, c->other_scope)));
		json_close(w, '}');
	}
	json_close(w, ']');
	if (v->waves.clashes_dropped > 0)
		json_pair_u64(
			w, STR("conflicts_dropped"), v->waves.clashes_dropped);
}

static void
put_gates(struct json_writer *w, const struct plan *p)
{
	json_key(w, STR("gates"));
	json_open(w, '[');
	for (uint32_t n = 0; n < p->count; n++) {
		const char *reason = gate_reason(&p->nodes[n]);

		if (reason == NULL)
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("node"), plan_id(p, n));
		json_pair_u64(w, STR("line"), p->nodes[n].line);
		json_pair_str(w, STR("reason"), str_from(reason));
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
planview_json(const struct planview *v, const struct tasks_report *report,
	struct json_writer *w)
{
	const struct plan *p = v->plan;
	const struct waves *waves = &v->waves;

	json_open(w, '{');
	json_pair_u64(w, STR("tasks"), p->count);
	json_pair_u64(w, STR("edges"), p->edge_count);
	json_key(w, STR("waves"));
	json_open(w, '[');
	for (uint32_t k = 0; k < waves->count; k++)
		put_nodes(w, p, waves->nodes + waves->at[k],
			waves->at[k + 1] - waves->at[k]);
	json_close(w, ']');
	json_key(w, STR("critical_path"));
	put_nodes(w, p, v->critical, v->critical_count);
	json_pair_str(w, STR("execution"),
		waves->writers < 2 ? STR("single_writer") : STR("parallel"));
	put_clashes(w, v);
	put_gates(w, p);
	json_key(w, STR("warnings"));
	planview_findings_json(&report->warnings, w);
	json_close(w, '}');
}

void
planview_findings_text(
	const struct findings *f, struct str list, struct buf *out)
{
	for (uint32_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		show(out, list);
		buf_addf(out, ":%u:%u: ", x->line, x->column);
		show(out, x->message);
		buf_addc(out, '\n');
		if (x->hint.len == 0)
			continue;
		buf_add(out, STR("  hint: "));
		show(out, x->hint);
		buf_addc(out, '\n');
	}
	if (f->dropped > 0)
		buf_addf(out, "and %u more\n", f->dropped);
}

void
planview_findings_json(const struct findings *f, struct json_writer *w)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		json_open(w, '{');
		json_pair_u64(w, STR("line"), x->line);
		json_pair_u64(w, STR("column"), x->column);
		json_pair_str(w, STR("code"),
			str_from(pawl_code_info(x->code)->word));
		json_pair_str(w, STR("message"), x->message);
		if (x->hint.len > 0)
			json_pair_str(w, STR("hint"), x->hint);
		json_close(w, '}');
	}
	json_close(w, ']');
}
