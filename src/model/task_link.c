#include "model/task_link.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "model/graph.h"
#include "model/id.h"

enum {
	NEAREST_NODES = 2000, /* more are not searched for a likely name */
};

struct linker {
	struct tasks_reader *r;
	struct plan *plan;
};

static uint32_t *
array(size_t count)
{
	return die_alloc(count ? count : 1, sizeof(uint32_t));
}

static void
index_ids(struct tasks_reader *r, struct plan *p)
{
	plan_index_init(p, p->count);
	for (uint32_t n = 0; n < p->count; n++) {
		struct pawl_err err = { 0 };
		struct str id = plan_id(p, n);
		uint32_t other;

		if (id.len == 0 || plan_index_add(p, n, &other))
			continue;
		if (str_eq(id, plan_id(p, other))) {
			(void)pawl_fail(&err, ERR_INVALID_TASKS,
				"id '" STR_FMT
				"' is already taken by the task in line %u",
				STR_ARG(str_part(id, 0, 140)),
				p->nodes[other].line);
		} else {
			(void)pawl_fail(&err, ERR_INVALID_TASKS,
				"id '" STR_FMT
				"' differs only in case from '" STR_FMT
				"' in line %u",
				STR_ARG(str_part(id, 0, 140)),
				STR_ARG(str_part(plan_id(p, other), 0, 140)),
				p->nodes[other].line);
		}
		(void)pawl_hint(&err, "give one of them another id");
		findings_take(r->errors, p->nodes[n].id.at, &err);
	}
}

PAWL_COLD static void
find_unknown(struct linker *l, struct str name, struct span at)
{
	struct pawl_err err = { 0 };
	unsigned best = 3;
	struct str nearest = { 0 };

	if (id_check(name, &err) != PAWL_OK) {
		findings_take(l->r->errors, at.at, &err);
		return;
	}
	(void)pawl_fail(&err, ERR_UNKNOWN_DEPENDENCY, "no task '" STR_FMT "'",
		STR_ARG(name));
	if (findings_has_room(l->r->errors) &&
		l->plan->count <= NEAREST_NODES) {
		for (uint32_t n = 0; n < l->plan->count; n++) {
			struct str id = plan_id(l->plan, n);
			unsigned d = str_distance(name, id);

			if (id_equal_fold(name, id))
				d = 0;
			if (d < best) {
				best = d;
				nearest = id;
			}
		}
	}
	if (nearest.len > 0)
		(void)pawl_hint(&err, "did you mean '" STR_FMT "'?",
			STR_ARG(str_part(nearest, 0, 140)));
	findings_take(l->r->errors, at.at, &err);
}

PAWL_COLD static void
find_bad(struct linker *l, enum pawl_code code, struct str name, struct span at,
	const char *why)
{
	struct pawl_err err = { 0 };

	(void)pawl_fail(&err, code, "'" STR_FMT "' %s", STR_ARG(name), why);
	(void)pawl_hint(&err, "leave it out");
	findings_take(l->r->errors, at.at, &err);
}

/*
 * Dependencies by number.  What has a finding is left out, so later ones move
 * forward; the spans move with them, since cycles are shown at their place.
 */
static void
resolve(struct linker *l)
{
	struct plan *p = l->plan;
	struct span *names = l->r->depends.items;
	uint32_t *last = array(p->count); /* node + 1 that last named it */
	uint32_t kept = 0;

	memset(last, 0, p->count * sizeof(*last));
	p->depends = array(l->r->depends.count);
	plan_find_all(p, names, (uint32_t)l->r->depends.count, p->depends);
	for (uint32_t n = 0; n < p->count; n++) {
		struct contract *c = &p->nodes[n];
		uint32_t end = c->depends_at + c->depends_count;
		uint32_t start = kept;

		for (uint32_t e = c->depends_at; e < end; e++) {
			struct str name =
				str_part(p->text, names[e].at, names[e].len);
			uint32_t to = p->depends[e];

			if (to == UINT32_MAX) {
				find_unknown(l, name, names[e]);
			} else if (to == n) {
				find_bad(l, ERR_CYCLE, name, names[e],
					"depends on itself");
			} else if (last[to] == n + 1) {
				find_bad(l, ERR_INVALID_TASKS, name, names[e],
					"stands there twice");
			} else {
				last[to] = n + 1;
				names[kept] = names[e];
				p->depends[kept++] = to;
			}
		}
		c->depends_at = start;
		c->depends_count = kept - start;
	}
	p->edge_count = kept;
	free(last);
}

static void
find_cycle(void *arg, const uint32_t *path, uint32_t count)
{
	struct linker *l = arg;
	const struct plan *p = l->plan;
	const struct contract *c = &p->nodes[path[0]];
	uint32_t next = path[count > 1 ? 1 : 0];
	size_t at = c->id.at;
	struct buf text = { 0 };

	for (uint32_t e = 0; e < c->depends_count; e++) {
		if (p->depends[c->depends_at + e] == next)
			at = l->r->depends.items[c->depends_at + e].at;
	}
	if (findings_has_room(l->r->errors)) {
		buf_add(&text, STR("dependencies in a circle: "));
		for (uint32_t i = 0; i < count; i++) {
			buf_add(&text, plan_id(p, path[i]));
			buf_add(&text, STR(" -> "));
		}
		buf_add(&text, plan_id(p, path[0]));
	}
	findings_add(l->r->errors, at, ERR_CYCLE, buf_str(&text),
		STR("take one of these dependencies out"));
	buf_release(&text);
}

/* Dependants, order and path lengths; or cycles. */
static void
derive(struct linker *l)
{
	struct plan *p = l->plan;
	uint32_t *at = array((size_t)p->count + 1);
	uint32_t *back_at = array((size_t)p->count + 1);
	struct graph depends = { p->count, at, p->depends };
	struct graph dependants = { p->count, back_at, NULL };
	uint32_t *length;

	for (uint32_t n = 0; n < p->count; n++)
		at[n] = p->nodes[n].depends_at;
	at[p->count] = p->edge_count;
	p->dependants = array(p->edge_count);
	p->order = array(p->count);
	graph_reverse(&depends, back_at, p->dependants);
	dependants.to = p->dependants;
	if (graph_order(&depends, &dependants, p->order) < p->count) {
		(void)graph_cycles(&depends, find_cycle, l);
	} else {
		length = at; /* no longer needed */
		graph_lengths(&dependants, p->order, length);
		for (uint32_t n = 0; n < p->count; n++) {
			p->nodes[n].path_length = length[n];
			p->nodes[n].dependants_at = back_at[n];
			p->nodes[n].dependants_count =
				back_at[n + 1] - back_at[n];
		}
	}
	free(at);
	free(back_at);
}

/* An array as its vec leaves it: cut to what is used. */
static void *
cut(void *items, size_t count, size_t size)
{
	return count == 0 ? items : die_realloc(items, count, size);
}

void
task_link(struct tasks_reader *r, struct plan *ret_plan)
{
	struct linker l = { r, ret_plan };
	struct plan *p = ret_plan;

	*p = (struct plan){ .text = r->text };
	p->count = (uint32_t)r->nodes.count;
	p->scope_count = (uint32_t)r->scopes.count;
	p->extra_count = (uint32_t)r->extras.count;
	p->nodes = cut(r->nodes.items, p->count, sizeof(*p->nodes));
	r->nodes = (struct contracts){ 0 };
	p->scopes = cut(r->scopes.items, p->scope_count, sizeof(*p->scopes));
	r->scopes = (struct plan_scopes){ 0 };
	p->extras = cut(r->extras.items, p->extra_count, sizeof(*p->extras));
	r->extras = (struct contract_extras){ 0 };
	p->scope_text = r->scope_text.data;
	p->scope_text_len = r->scope_text.len;
	r->scope_text = (struct buf){ 0 };
	index_ids(r, p);
	resolve(&l);
	derive(&l);
}
