#include "model/list_value.h"
#include "model/need.h"
#include "model/plan.h"
#include "text/json.h"

static const char *const access_words[] = {
	[ACCESS_READ_ONLY] = "read-only",
	[ACCESS_WORKSPACE_WRITE] = "workspace-write",
	[ACCESS_EXTERNAL_WRITE] = "external-write",
	[ACCESS_DESTRUCTIVE] = "destructive",
};

const char *
plan_access_word(enum node_access access)
{
	return access_words[access];
}

/* A list of names, or one alone, as an array; nothing when it is empty. */
static void
put_names(struct json_writer *w, const struct plan *p, struct str key,
	struct span span)
{
	struct list_value l = { .text = { p->text.ptr + span.at, span.len } };
	struct str item;

	if (span.len == 0)
		return;
	json_key(w, key);
	json_open(w, '[');
	if (l.text.ptr[0] == '[') {
		while (list_next(&l, &item) == LIST_ITEM)
			json_put_str(w, item);
	} else {
		json_put_str(w, l.text);
	}
	json_close(w, ']');
}

/* Is it one of a list of names, or the one that stands alone? */
static bool
is_named(const struct plan *p, struct span span, struct str name)
{
	struct list_value l = { .text = { p->text.ptr + span.at, span.len } };
	struct str item;

	if (span.len == 0)
		return false;
	if (l.text.ptr[0] != '[')
		return str_eq(l.text, name);
	while (list_next(&l, &item) == LIST_ITEM) {
		if (str_eq(item, name))
			return true;
	}
	return false;
}

bool
plan_needs(const struct plan *p, uint32_t node, struct str name)
{
	struct need needs[BOUND_NAMES];
	uint32_t count = needs_of(p, node, needs);

	for (uint32_t i = 0; i < count; i++) {
		if (str_eq(needs[i].class, name))
			return true;
	}
	return false;
}

bool
plan_has_context(const struct plan *p, uint32_t node, struct str item)
{
	const struct contract_extra *x = plan_extra(p, node);
	struct str rest;

	if (x == NULL || x->context.len == 0)
		return false;
	if (is_named(p, x->context, item))
		return true;
	rest = (struct str){ p->text.ptr + x->context.at, x->context.len };
	while (rest.len > 0 && rest.ptr[0] != '[') {
		if (str_eq(str_trim(str_cut(&rest, ',')), item))
			return true;
	}
	return false;
}

uint32_t
plan_context_items(const struct plan *p, uint32_t node, struct str *ret_items,
	uint32_t max)
{
	const struct contract_extra *x = plan_extra(p, node);
	struct list_value l = { 0 };
	struct str item;
	uint32_t count = 0;

	if (x == NULL || x->context.len == 0)
		return 0;
	l.text = (struct str){ p->text.ptr + x->context.at, x->context.len };
	if (l.text.ptr[0] == '[') {
		for (; list_next(&l, &item) == LIST_ITEM; count++) {
			if (count < max)
				ret_items[count] = item;
		}
		return count;
	}
	while (l.text.len > 0) {
		item = str_trim(str_cut(&l.text, ','));
		if (item.len == 0)
			continue;
		if (count < max)
			ret_items[count] = item;
		count++;
	}
	return count;
}

enum plan_approver
plan_approver(const struct plan *p, uint32_t node, struct str name)
{
	const struct contract_extra *x = plan_extra(p, node);

	if (x == NULL || x->approvers.len == 0)
		return PLAN_APPROVER_ANY;
	return is_named(p, x->approvers, name) ? PLAN_APPROVER_NAMED
					       : PLAN_APPROVER_OTHER;
}

static void
put_depends(struct json_writer *w, const struct plan *p, uint32_t node)
{
	const struct contract *c = &p->nodes[node];

	json_key(w, STR("depends_on"));
	json_open(w, '[');
	for (uint32_t i = 0; i < c->depends_count; i++)
		json_put_str(w, plan_id(p, p->depends[c->depends_at + i]));
	json_close(w, ']');
}

/* As in the list, with the `/` that asserts a directory. */
static void
put_paths(struct json_writer *w, const struct plan *p, uint32_t node,
	struct arena *mem)
{
	const struct contract *c = &p->nodes[node];

	json_key(w, STR("paths"));
	json_open(w, '[');
	for (uint32_t i = c->scopes_at; i < c->scopes_at + c->scopes_count;
		i++) {
		struct str path = plan_scope_str(p, i);

		if (path.len == 0)
			path = STR(".");
		else if (p->scopes[i].directory)
			path = arena_format(mem, STR_FMT "/", STR_ARG(path));
		json_put_str(w, path);
	}
	json_close(w, ']');
}

/* Fields that are at their default are left out. */
static void
put_extra(struct json_writer *w, const struct plan *p, uint32_t node,
	struct arena *mem)
{
	const struct contract_extra *x = plan_extra(p, node);
	struct str text;

	if (p->nodes[node].red)
		json_pair_bool(w, STR("red"), true);
	if (x == NULL)
		return;
	if (x->context.len > 0)
		json_pair_str(w, STR("context"), plan_context(p, node, mem));
	if (x->timeout_ms > 0)
		json_pair_u64(w, STR("timeout_ms"), x->timeout_ms);
	if (x->check_timeout_ms > 0)
		json_pair_u64(w, STR("check_timeout_ms"), x->check_timeout_ms);
	if (x->priority != 0) {
		json_key(w, STR("priority"));
		json_put_i64(w, x->priority);
	}
	put_names(w, p, STR("labels"), x->labels);
	put_names(w, p, STR("needs"), x->needs);
	put_names(w, p, STR("approvers"), x->approvers);
	if (x->agent.len > 0) {
		text = (struct str){ p->text.ptr + x->agent.at, x->agent.len };
		json_pair_str(w, STR("agent"), text);
	}
	if (x->visual.len > 0) {
		text = (struct str){ p->text.ptr + x->visual.at,
			x->visual.len };
		json_pair_str(w, STR("visual"), plan_join(text, mem));
	}
}

static void
put_changed_paths(struct json_writer *w, const struct plan_change *change)
{
	json_key(w, STR("paths"));
	json_open(w, '[');
	for (uint32_t i = 0; i < change->paths_count; i++)
		json_put_str(w, change->paths[i]);
	json_close(w, ']');
}

void
plan_contract_json_changed(const struct plan *p, uint32_t node,
	const struct plan_change *change, struct arena *mem, struct buf *out)
{
	const struct contract *c = &p->nodes[node];
	struct json_writer w = { .out = out };

	json_open(&w, '{');
	json_pair_str(&w, STR("id"), plan_id(p, node));
	json_pair_str(&w, STR("title"), plan_title(p, node));
	json_pair_str(&w, STR("mode"),
		c->mode == MODE_WRITE ? STR("write") : STR("read"));
	json_pair_str(&w, STR("access"), str_from(access_words[c->access]));
	json_pair_str(&w, STR("isolation"),
		c->isolation == ISOLATION_WORKTREE ? STR("worktree")
						   : STR("auto"));
	json_pair_str(&w, STR("approval"),
		c->approval ? STR("required") : STR("not-required"));
	put_depends(&w, p, node);
	if (change->paths_count > 0)
		put_changed_paths(&w, change);
	else
		put_paths(&w, p, node, mem);
	json_pair_str(&w, STR("acceptance"),
		change->acceptance.len > 0 ? change->acceptance
					   : plan_acceptance(p, node, mem));
	json_pair_str(&w, STR("check"),
		change->check.len > 0 ? change->check
				      : plan_check(p, node, mem));
	put_extra(&w, p, node, mem);
	if (change->revision > 0)
		json_pair_u64(&w, STR("revision"), change->revision);
	json_close(&w, '}');
}

void
plan_contract_json(
	const struct plan *p, uint32_t node, struct arena *mem, struct buf *out)
{
	const struct plan_change none = { 0 };

	plan_contract_json_changed(p, node, &none, mem, out);
}
