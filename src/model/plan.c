#include "model/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "model/check_argv.h"
#include "model/id.h"
#include "model/scope.h"

enum {
	SLOT_HASH = (1 << 14) - 1,
	FIND_AT_ONCE = 32, /* more than the memory requests of one core */
};

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

struct str
plan_agent(const struct plan *p, uint32_t node)
{
	const struct contract_extra *extra = plan_extra(p, node);

	return extra == NULL ? STR("") : text_of(p, extra->agent);
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

static_assert(BOUND_LIST_BYTES <= 1 << 30, "an offset has 30 bits");
static_assert(BOUND_TASKS < 1 << 20, "a node + 1 has 20 bits");

/* The first slot from `at` on with this hash, or the empty one that ends the
 * search. */
static uint32_t
slot_next(const struct plan *p, uint32_t at, uint32_t hash)
{
	hash &= SLOT_HASH;
	while (p->slots[at].node_1 != 0 && p->slots[at].hash != hash)
		at = at + 1 == p->slot_count ? 0 : at + 1;
	return at;
}

/* Whether the id that stands at an offset, up to a blank, is `id` but for case.
 */
static bool
is_id_at(const struct plan *p, uint32_t at, struct str id)
{
	struct str text = str_part(p->text, at, id.len + 1);

	if (text.len == id.len)
		return id_equal_fold(text, id);
	return text.len > id.len && strchr(" \t\r\n", text.ptr[id.len]) &&
		id_equal_fold((struct str){ text.ptr, id.len }, id);
}

/* The slot of the node whose id is `id` but for case, or the empty one. */
static struct plan_slot *
slot_find(const struct plan *p, struct str id, uint32_t hash)
{
	uint32_t at = slot_next(p, slot_start(p, hash), hash);

	while (p->slots[at].node_1 != 0 && !is_id_at(p, p->slots[at].at, id))
		at = slot_next(p, at + 1 == p->slot_count ? 0 : at + 1, hash);
	return &p->slots[at];
}

bool
plan_index_add(struct plan *p, uint32_t node, uint32_t *ret_other)
{
	struct str id = plan_id(p, node);
	uint32_t hash = id_hash_fold(id);
	struct plan_slot *slot = slot_find(p, id, hash);

	/* The ids of a list come in its order; their slots do not. */
	if (node + FIND_AT_ONCE < p->count)
		__builtin_prefetch(&p->slots[slot_start(
			p, id_hash_fold(plan_id(p, node + FIND_AT_ONCE)))]);

	if (slot->node_1 != 0) {
		*ret_other = (uint32_t)slot->node_1 - 1;
		return false;
	}
	*slot = (struct plan_slot){ .at = p->nodes[node].id.at & 0x3fffffff,
		.node_1 = (node + 1) & 0xfffff,
		.hash = hash & SLOT_HASH };
	return true;
}

/* The node of a slot when its id is this one, also in case. */
static uint32_t
slot_node(const struct plan *p, const struct plan_slot *slot, struct str id)
{
	if (slot->node_1 == 0 ||
		!str_eq(str_part(p->text, slot->at, id.len), id))
		return UINT32_MAX;
	return (uint32_t)slot->node_1 - 1;
}

bool
plan_find(const struct plan *p, struct str id, uint32_t *ret_node)
{
	uint32_t node;

	if (p->slot_count == 0)
		return false;
	node = slot_node(p, slot_find(p, id, id_hash_fold(id)), id);
	if (node == UINT32_MAX)
		return false;
	*ret_node = node;
	return true;
}

void
plan_find_all(const struct plan *p, const struct span *names, uint32_t count,
	uint32_t *ret_nodes)
{
	uint32_t hash[FIND_AT_ONCE];

	for (uint32_t at = 0; at < count; at += FIND_AT_ONCE) {
		uint32_t n =
			count - at < FIND_AT_ONCE ? count - at : FIND_AT_ONCE;

		for (uint32_t i = 0; i < n; i++) {
			hash[i] = id_hash_fold(text_of(p, names[at + i]));
			__builtin_prefetch(&p->slots[slot_start(p, hash[i])]);
		}
		for (uint32_t i = 0; i < n; i++) {
			uint32_t slot =
				slot_next(p, slot_start(p, hash[i]), hash[i]);

			__builtin_prefetch(p->text.ptr + p->slots[slot].at);
		}
		for (uint32_t i = 0; i < n; i++) {
			struct str name = text_of(p, names[at + i]);

			ret_nodes[at + i] =
				slot_node(p, slot_find(p, name, hash[i]), name);
		}
	}
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
