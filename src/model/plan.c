#include "model/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/check_argv.h"
#include "model/id.h"
#include "model/scope.h"

static struct str
text_of(const struct plan *p, struct span s)
{
	return (struct str){ p->text.ptr + s.at, s.len };
}

struct str
plan_id(const struct plan *p, uint32_t node)
{
	assert(node < p->count);
	return text_of(p, p->nodes[node].id);
}

struct str
plan_title(const struct plan *p, uint32_t node)
{
	assert(node < p->count);
	return text_of(p, p->nodes[node].title);
}

struct str
plan_scope_str(const struct plan *p, uint32_t scope)
{
	const struct plan_scope *s = &p->scopes[scope];

	assert(scope < p->scope_count);
	return (struct str){ (s->copied ? p->scope_text : p->text.ptr) + s->at,
		s->len };
}

const struct contract_extra *
plan_extra(const struct plan *p, uint32_t node)
{
	uint32_t extra_1 = p->nodes[node].extra_1;

	return extra_1 == 0 ? NULL : &p->extras[extra_1 - 1];
}

struct str
plan_join(struct str raw, struct arena *mem)
{
	char *to;
	size_t len = 0;

	if (str_find(raw, '\n') == raw.len && str_find(raw, '\r') == raw.len)
		return raw;
	to = arena_bytes(mem, raw.len);
	while (raw.len > 0) {
		size_t end = 0;
		struct str line;

		while (end < raw.len && raw.ptr[end] != '\n' &&
			raw.ptr[end] != '\r')
			end++;
		line = str_trim(str_part(raw, 0, end));
		raw = str_part(raw, end + 1, raw.len);
		if (line.len == 0)
			continue;
		if (len > 0)
			to[len++] = ' ';
		memcpy(to + len, line.ptr, line.len);
		len += line.len;
	}
	return (struct str){ to, len };
}

struct str
plan_acceptance(const struct plan *p, uint32_t node, struct arena *mem)
{
	return plan_join(text_of(p, p->nodes[node].acceptance), mem);
}

struct str
plan_check(const struct plan *p, uint32_t node, struct arena *mem)
{
	return plan_join(text_of(p, p->nodes[node].check), mem);
}

struct str
plan_context(const struct plan *p, uint32_t node, struct arena *mem)
{
	const struct contract_extra *extra = plan_extra(p, node);

	if (extra == NULL)
		return (struct str){ 0 };
	return plan_join(text_of(p, extra->context), mem);
}

enum pawl_rc
plan_check_argv(const struct plan *p, uint32_t node, struct arena *mem,
	char ***ret_argv, struct pawl_err *err)
{
	size_t at;

	return check_argv(plan_check(p, node, mem), mem, ret_argv, &at, err);
}

/* Where the search for `hash` begins. */
static uint32_t
slot_start(const struct plan *p, uint32_t hash)
{
	return (uint32_t)(((uint64_t)hash * p->slot_count) >> 32);
}

void
plan_index_init(struct plan *p, uint32_t count)
{
	p->slot_count = count + count / 3 + 1;
	p->slots = die_alloc(p->slot_count, sizeof(*p->slots));
	memset(p->slots, 0, p->slot_count * sizeof(*p->slots));
}

/* The slot of the node whose id is `id` but for case, or the empty one. */
static struct plan_slot *
slot_find(const struct plan *p, struct str id, uint32_t hash)
{
	uint32_t at = slot_start(p, hash);

	while (p->slots[at].node_1 != 0) {
		if (p->slots[at].hash == hash &&
			id_equal_fold(plan_id(p, p->slots[at].node_1 - 1), id))
			break;
		at = at + 1 == p->slot_count ? 0 : at + 1;
	}
	return &p->slots[at];
}

bool
plan_index_add(struct plan *p, uint32_t node, uint32_t *ret_other)
{
	struct str id = plan_id(p, node);
	uint32_t hash = id_hash_fold(id);
	struct plan_slot *slot = slot_find(p, id, hash);

	if (slot->node_1 != 0) {
		*ret_other = slot->node_1 - 1;
		return false;
	}
	*slot = (struct plan_slot){ hash, node + 1 };
	return true;
}

bool
plan_find(const struct plan *p, struct str id, uint32_t *ret_node)
{
	const struct plan_slot *slot;

	if (p->slot_count == 0)
		return false;
	slot = slot_find(p, id, id_hash_fold(id));
	if (slot->node_1 == 0 || !str_eq(plan_id(p, slot->node_1 - 1), id))
		return false;
	*ret_node = slot->node_1 - 1;
	return true;
}

enum pawl_rc
plan_find_prefix(const struct plan *p, struct str prefix, uint32_t *ret_node,
	struct pawl_err *err)
{
	struct str shown = str_part(prefix, 0, BOUND_ID_BYTES);
	uint32_t found = 0;
	uint32_t matches = 0;

	if (plan_find(p, prefix, ret_node))
		return PAWL_OK;
	for (uint32_t n = 0; n < p->count; n++) {
		if (!id_has_prefix(plan_id(p, n), prefix))
			continue;
		if (++matches == 1) {
			found = n;
			continue;
		}
		(void)pawl_fail(err, ERR_AMBIGUOUS_ID,
			"'" STR_FMT "' begins more than one id: '" STR_FMT
			"', '" STR_FMT "'",
			STR_ARG(shown), STR_ARG(plan_id(p, found)),
			STR_ARG(plan_id(p, n)));
		return err->rc;
	}
	if (matches == 0)
		return pawl_fail(err, ERR_NODE_NOT_FOUND,
			"no node '" STR_FMT "'", STR_ARG(shown));
	*ret_node = found;
	return PAWL_OK;
}

bool
plan_overlap(const struct plan *p, uint32_t a, uint32_t b, uint32_t *ret_a,
	uint32_t *ret_b)
{
	const struct contract *x = &p->nodes[a];
	const struct contract *y = &p->nodes[b];

	for (uint32_t i = 0; i < x->scopes_count; i++) {
		for (uint32_t j = 0; j < y->scopes_count; j++) {
			if (!scope_overlaps(plan_scope_str(p, x->scopes_at + i),
				    plan_scope_str(p, y->scopes_at + j)))
				continue;
			*ret_a = x->scopes_at + i;
			*ret_b = y->scopes_at + j;
			return true;
		}
	}
	return false;
}

bool
plan_covers(const struct plan *p, uint32_t node, struct str path)
{
	const struct contract *c = &p->nodes[node];

	for (uint32_t i = 0; i < c->scopes_count; i++) {
		if (scope_contains(plan_scope_str(p, c->scopes_at + i), path))
			return true;
	}
	return false;
}

size_t
plan_bytes(const struct plan *p)
{
	size_t bytes = p->count * sizeof(*p->nodes);

	bytes += (size_t)p->edge_count *
		(sizeof(*p->depends) + sizeof(*p->dependants));
	bytes += p->scope_count * sizeof(*p->scopes);
	bytes += p->scope_text_len;
	bytes += p->extra_count * sizeof(*p->extras);
	bytes += p->slot_count * sizeof(*p->slots);
	bytes += p->count * sizeof(*p->order);
	return bytes;
}

void
plan_release(struct plan *p)
{
	free(p->nodes);
	free(p->depends);
	free(p->dependants);
	free(p->scopes);
	free(p->scope_text);
	free(p->extras);
	free(p->slots);
	free(p->order);
	*p = (struct plan){ 0 };
}
