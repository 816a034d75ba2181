#include "model/scope_trie.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"

static uint32_t
mix(uint64_t h)
{
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return (uint32_t)(h ^ (h >> 32));
}

static uint32_t
hash_holder(uint32_t node, bool writer, uint32_t holder)
{
	return mix(((uint64_t)node << 32 | holder) * 2 + writer);
}

static void
slots_put(struct trie_slots *s, uint32_t hash, uint32_t index_1)
{
	uint32_t at = hash & (s->cap - 1);

	while (s->items[at].index_1 != 0)
		at = (at + 1) & (s->cap - 1);
	s->items[at] = (struct trie_slot){ hash, index_1 };
}

static void
slots_add(struct trie_slots *s, uint32_t hash, uint32_t index)
{
	if (s->used >= s->cap / 2) {
		struct trie_slots old = *s;

		s->cap = old.cap ? old.cap * 2 : 16;
		assert(s->cap != 0);
		s->items = die_alloc(s->cap, sizeof(*s->items));
		memset(s->items, 0, s->cap * sizeof(*s->items));
		for (uint32_t i = 0; i < old.cap; i++) {
			if (old.items[i].index_1 != 0)
				slots_put(s, old.items[i].hash,
					old.items[i].index_1);
		}
		free(old.items);
	}
	slots_put(s, hash, index + 1);
	s->used++;
}

/*
 * Take out the entry of `index` and close the gap, so that no search ends
 * early.  Source: D. Knuth, TAOCP volume 3, 6.4, algorithm R.
 */
static void
slots_remove(struct trie_slots *s, uint32_t hash, uint32_t index)
{
	uint32_t mask = s->cap - 1;
	uint32_t gap = hash & mask;
	uint32_t at;

	while (s->items[gap].index_1 != index + 1) {
		assert(s->items[gap].index_1 != 0);
		gap = (gap + 1) & mask;
	}
	for (at = (gap + 1) & mask; s->items[at].index_1 != 0;
		at = (at + 1) & mask) {
		uint32_t home = s->items[at].hash & mask;

		/* Stays where it is when its home lies behind the gap. */
		if (((at - home) & mask) < ((at - gap) & mask))
			continue;
		s->items[gap] = s->items[at];
		gap = at;
	}
	s->items[gap] = (struct trie_slot){ 0 };
	s->used--;
}

void
scope_trie_init(struct scope_trie *t)
{
	*t = (struct scope_trie){ 0 };
}

void
scope_trie_release(struct scope_trie *t)
{
	free(t->nodes);
	free(t->holds);
	free(t->by_name.items);
	free(t->by_holder.items);
	*t = (struct scope_trie){ 0 };
}

/*
 * A walk over a scope's segments: each is hashed with all before it, in the one
 * pass that finds where it ends.
 */
struct walk {
	struct str rest; /* not cut yet */
	uint64_t path;   /* hash of what was */
};

struct segment {
	struct str name;
	uint32_t hash;
};

static struct walk
walk_of(struct str scope)
{
	return (struct walk){ scope, 0xcbf29ce484222325u };
}

/* The next segment; FNV-1a of the path with a `/` before each. */
static struct segment
walk_next(struct walk *w)
{
	const uint64_t prime = 0x100000001b3u;
	struct str rest = w->rest;
	uint64_t path = (w->path ^ '/') * prime;
	size_t len = 0;

	for (; len < rest.len && rest.ptr[len] != '/'; len++)
		path = (path ^ (unsigned char)rest.ptr[len]) * prime;
	w->path = path;
	w->rest = str_part(rest, len + 1, rest.len);
	return (struct segment){ { rest.ptr, len }, mix(path) };
}

/* The child of `parent` with this name; 0, which is the root, when absent. */
static uint32_t
child_find(const struct scope_trie *t, uint32_t parent,
	const struct segment *segment)
{
	struct str name = segment->name;
	uint32_t hash = segment->hash;
	const struct trie_slots *s = &t->by_name;

	if (s->cap == 0)
		return 0;
	for (uint32_t at = hash & (s->cap - 1); s->items[at].index_1 != 0;
		at = (at + 1) & (s->cap - 1)) {
		const struct trie_node *n = &t->nodes[s->items[at].index_1 - 1];

		/* What holds a scope often asks for it, with the same bytes. */
		if (s->items[at].hash == hash && n->parent == parent &&
			n->name_len == name.len &&
			(n->name == name.ptr ||
				memcmp(n->name, name.ptr, name.len) == 0))
			return s->items[at].index_1 - 1;
	}
	return 0;
}

static uint32_t
node_new(struct scope_trie *t, struct trie_node n)
{
	uint32_t index;

	if (t->node_free != 0) {
		index = t->node_free - 1;
		t->node_free = t->nodes[index].parent;
	} else {
		if (t->node_count == t->node_cap) {
			t->node_cap = t->node_cap ? t->node_cap * 2 : 16;
			t->nodes = die_realloc(
				t->nodes, t->node_cap, sizeof(*t->nodes));
		}
		index = t->node_count++;
	}
	t->nodes[index] = n;
	return index;
}

uint32_t
scope_trie_node(struct scope_trie *t, struct str scope)
{
	struct walk w = walk_of(scope);
	uint32_t at = 0;

	if (t->node_count == 0)
		(void)node_new(t, (struct trie_node){ 0 });
	while (w.rest.len > 0) {
		struct segment s = walk_next(&w);
		uint32_t child = child_find(t, at, &s);

		if (child == 0) {
			child = node_new(t,
				(struct trie_node){ .name = s.name.ptr,
					.name_len = (uint32_t)s.name.len,
					.parent = at });
			slots_add(&t->by_name, s.hash, child);
		}
		at = child;
	}
	return at;
}

static void
child_link(struct scope_trie *t, uint32_t index, unsigned kind)
{
	struct trie_node *n = &t->nodes[index];
	struct trie_node *parent = &t->nodes[n->parent];

	n->prev[kind] = 0;
	n->next[kind] = parent->child[kind];
	if (n->next[kind] != 0)
		t->nodes[n->next[kind]].prev[kind] = index;
	parent->child[kind] = index;
}

static void
child_unlink(struct scope_trie *t, uint32_t index, unsigned kind)
{
	struct trie_node *n = &t->nodes[index];

	if (n->prev[kind] != 0)
		t->nodes[n->prev[kind]].next[kind] = n->next[kind];
	else
		t->nodes[n->parent].child[kind] = n->next[kind];
	if (n->next[kind] != 0)
		t->nodes[n->next[kind]].prev[kind] = n->prev[kind];
}

static uint32_t
hold_new(struct scope_trie *t, struct trie_hold hold)
{
	uint32_t index;

	if (t->hold_free != 0) {
		index = t->hold_free - 1;
		t->hold_free = t->holds[index].next;
	} else {
		if (t->hold_count == t->hold_cap) {
			t->hold_cap = t->hold_cap ? t->hold_cap * 2 : 16;
			t->holds = die_realloc(
				t->holds, t->hold_cap, sizeof(*t->holds));
		}
		index = t->hold_count++;
	}
	t->holds[index] = hold;
	return index;
}

void
scope_trie_add(
	struct scope_trie *t, struct str scope, bool writer, uint32_t holder)
{
	uint32_t at = scope_trie_node(t, scope);
	struct trie_hold hold = {
		.hash = hash_holder(at, writer, holder),
		.node = at,
		.holder = holder,
		.next = t->nodes[at].hold[writer],
		.writer = writer,
	};
	uint32_t index = hold_new(t, hold);

	if (hold.next != 0)
		t->holds[hold.next - 1].prev = index + 1;
	t->nodes[at].hold[writer] = index + 1;
	t->nodes[at].holder[writer] = holder;
	slots_add(&t->by_holder, hold.hash, index);
	for (;;) {
		if (t->nodes[at].below[writer]++ == 0 && at != 0)
			child_link(t, at, writer);
		if (at == 0)
			break;
		at = t->nodes[at].parent;
	}
}

/* The hold with these properties; there is one. */
static uint32_t
hold_must_get(
	const struct scope_trie *t, uint32_t node, bool writer, uint32_t holder)
{
	const struct trie_slots *s = &t->by_holder;
	uint32_t hash = hash_holder(node, writer, holder);
	uint32_t at = hash & (s->cap - 1);

	for (;;) {
		uint32_t index_1 = s->items[at].index_1;

		assert(index_1 != 0);
		if (t->holds[index_1 - 1].node == node &&
			t->holds[index_1 - 1].holder == holder &&
			t->holds[index_1 - 1].writer == writer)
			return index_1 - 1;
		at = (at + 1) & (s->cap - 1);
	}
}

/* One hold less at a node or below it; without any it is given back. */
static void
node_lower(struct scope_trie *t, uint32_t at, uint32_t hash, bool writer)
{
	struct trie_node *n = &t->nodes[at];

	if (--n->below[writer] == 0)
		child_unlink(t, at, writer);
	if (n->below[0] == 0 && n->below[1] == 0) {
		slots_remove(&t->by_name, hash, at);
		n->parent = t->node_free;
		t->node_free = at + 1;
	}
}

void
scope_trie_remove(
	struct scope_trie *t, struct str scope, bool writer, uint32_t holder)
{
	struct walk w = walk_of(scope);
	struct trie_hold *hold;
	uint32_t at = 0;
	uint32_t index;

	assert(t->node_count > 0);
	while (w.rest.len > 0) {
		struct segment s = walk_next(&w);

		at = child_find(t, at, &s);
		assert(at != 0);
	}
	index = hold_must_get(t, at, writer, holder);
	hold = &t->holds[index];
	if (hold->prev != 0) {
		t->holds[hold->prev - 1].next = hold->next;
	} else {
		t->nodes[at].hold[writer] = hold->next;
		if (hold->next != 0)
			t->nodes[at].holder[writer] =
				t->holds[hold->next - 1].holder;
	}
	if (hold->next != 0)
		t->holds[hold->next - 1].prev = hold->prev;
	slots_remove(&t->by_holder, hold->hash, index);
	*hold = (struct trie_hold){ .next = t->hold_free };
	t->hold_free = index + 1;
	/* From the root down: a child knows its parent when that is gone. */
	t->nodes[0].below[writer]--;
	at = 0;
	for (w = walk_of(scope); w.rest.len > 0;) {
		struct segment s = walk_next(&w);

		at = child_find(t, at, &s);
		node_lower(t, at, s.hash, writer);
	}
}

/* One that holds a scope at or below `at`, where there is one of the kind. */
static uint32_t
holder_below(const struct scope_trie *t, uint32_t at, unsigned kind)
{
	while (t->nodes[at].hold[kind] == 0) {
		at = t->nodes[at].child[kind];
		assert(at != 0);
	}
	return t->nodes[at].holder[kind];
}

/* Whether one holds the node, or one at or below it when it is the `last`. */
static bool
is_held(const struct scope_trie *t, uint32_t at, bool last, bool writer,
	uint32_t *ret_holder)
{
	const struct trie_node *n = &t->nodes[at];

	for (unsigned kind = 2; kind-- > (writer ? 0u : 1u);) {
		if ((last ? n->below[kind] : n->hold[kind]) == 0)
			continue;
		*ret_holder = holder_below(t, at, kind);
		return true;
	}
	return false;
}

bool
scope_trie_conflict(const struct scope_trie *t, struct str scope, bool writer,
	uint32_t *ret_holder)
{
	struct walk w = walk_of(scope);
	uint32_t at = 0;

	if (t->node_count == 0)
		return false;
	for (;;) {
		bool last = w.rest.len == 0;
		struct segment s;

		if (is_held(t, at, last, writer, ret_holder))
			return true;
		if (last)
			return false;
		s = walk_next(&w);
		at = child_find(t, at, &s);
		if (at == 0)
			return false;
	}
}
