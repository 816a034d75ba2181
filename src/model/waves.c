#include "model/waves.h"

#include <stdlib.h>
#include <string.h>

#include "model/scope_trie.h"

VEC_DEF(heap, uint64_t);
VEC_DEF(numbers, uint32_t);

/* Tasks that wait because this scope of theirs clashed. */
struct group {
	struct heap ranks;
	uint32_t place;
	bool writers;
	bool listed; /* in `full` */
};

VEC_DEF(groups, struct group);

/* A task that goes to a group when the wave is over. */
struct parked {
	uint32_t rank, group;
};

VEC_DEF(parkeds, struct parked);

/*
 * A path in the tree of all scopes: what the newest wave that took something
 * there did.  Of each pair the first is for readers, the second for writers.
 */
struct place {
	uint32_t parent;
	uint32_t group_1[2];     /* group + 1 */
	uint32_t here_wave_1[2]; /* wave + 1 */
	uint32_t here_node[2];
	uint32_t below_wave_1[2]; /* here or below */
	uint32_t below_node[2];
};

struct weaver {
	const struct plan *p;
	struct waves *w;
	uint32_t *node_at;    /* by rank */
	uint32_t *rank;       /* by node */
	uint32_t *open;       /* dependencies that stand in no wave yet */
	uint8_t *clashed;     /* by node: it is in a clash already */
	uint32_t *place_of;   /* by scope */
	struct place *places; /* [0] is the whole repository */
	struct heap tries;    /* of this wave: rank << 32 | group + 1 */
	struct groups groups;
	struct numbers full; /* groups that are not empty */
	struct parkeds parked;
	struct numbers at;
	uint32_t placed;
};

static void
heap_add(struct heap *h, uint64_t key)
{
	size_t i = h->count;

	assert(h->cap == 0 || h->items != NULL);
	(void)heap_push(h, key);
	while (i > 0 && h->items[(i - 1) / 2] > key) {
		h->items[i] = h->items[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	h->items[i] = key;
}

static uint64_t
heap_take(struct heap *h)
{
	uint64_t top, key;
	size_t i = 0;

	assert(h->items != NULL && h->count > 0);
	top = h->items[0];
	key = h->items[--h->count];
	for (;;) {
		size_t child = 2 * i + 1;

		if (child >= h->count)
			break;
		if (child + 1 < h->count &&
			h->items[child + 1] < h->items[child])
			child++;
		if (h->items[child] >= key)
			break;
		h->items[i] = h->items[child];
		i = child;
	}
	if (h->count > 0)
		h->items[i] = key;
	return top;
}

static int
key_order(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* By path length alone: counted, since most plans have no priorities. */
static void
rank_by_length(const struct plan *p, uint32_t *ret_node_at)
{
	uint32_t *start = die_alloc((size_t)p->count + 2, sizeof(*start));

	memset(start, 0, ((size_t)p->count + 2) * sizeof(*start));
	for (uint32_t n = 0; n < p->count; n++)
		start[p->count - p->nodes[n].path_length + 1]++;
	for (uint32_t i = 1; i <= p->count; i++)
		start[i] += start[i - 1];
	for (uint32_t n = 0; n < p->count; n++)
		ret_node_at[start[p->count - p->nodes[n].path_length]++] = n;
	free(start);
}

void
waves_rank(const struct plan *p, uint32_t *ret_node_at)
{
	bool priorities = false;
	uint64_t *keys;

	rank_by_length(p, ret_node_at);
	for (uint32_t i = 0; i < p->extra_count; i++)
		priorities = priorities || p->extras[i].priority != 0;
	if (!priorities)
		return;
	keys = die_alloc(p->count, sizeof(*keys));
	for (uint32_t i = 0; i < p->count; i++) {
		const struct contract_extra *x = plan_extra(p, ret_node_at[i]);
		int64_t priority = x ? x->priority : 0;

		keys[i] = (uint64_t)(INT32_MAX - priority) << 32 | i;
	}
	qsort(keys, p->count, sizeof(*keys), key_order);
	for (uint32_t i = 0; i < p->count; i++)
		keys[i] = ret_node_at[keys[i] & UINT32_MAX];
	for (uint32_t i = 0; i < p->count; i++)
		ret_node_at[i] = (uint32_t)keys[i];
	free(keys);
}

static uint32_t
group_must_get(struct weaver *v, uint32_t place, bool writers)
{
	uint32_t *group_1 = &v->places[place].group_1[writers];

	assert(v->groups.count == v->groups.cap || v->groups.items != NULL);
	if (*group_1 == 0) {
		(void)groups_push(&v->groups,
			(struct group){ .place = place, .writers = writers });
		*group_1 = (uint32_t)v->groups.count;
	}
	return *group_1 - 1;
}

/* Whether a writer, or reader, of a place clashes with this wave; with whom. */
static bool
clash(const struct weaver *v, uint32_t place, bool writer, uint32_t *ret_other)
{
	uint32_t wave_1 = v->w->count + 1;
	const struct place *p = &v->places[place];

	for (unsigned kind = 2; kind-- > (writer ? 0u : 1u);) {
		if (p->below_wave_1[kind] != wave_1)
			continue;
		*ret_other = p->below_node[kind];
		return true;
	}
	while (place != 0) {
		place = p->parent;
		p = &v->places[place];
		for (unsigned kind = 2; kind-- > (writer ? 0u : 1u);) {
			if (p->here_wave_1[kind] != wave_1)
				continue;
			*ret_other = p->here_node[kind];
			return true;
		}
	}
	return false;
}

static void
clash_note(struct weaver *v, uint32_t node, uint32_t scope, uint32_t other)
{
	struct waves *w = v->w;
	struct wave_clash c = { w->count, node, scope, other, 0 };
	uint32_t own;

	if (v->clashed[node])
		return;
	v->clashed[node] = 1;
	if (w->clash_count == WAVES_CLASHES_MAX) {
		w->clashes_dropped++;
		return;
	}
	if (w->clashes == NULL)
		w->clashes = die_alloc(WAVES_CLASHES_MAX, sizeof(*w->clashes));
	(void)plan_overlap(v->p, node, other, &own, &c.other_scope);
	c.scope = own;
	w->clashes[w->clash_count++] = c;
}

static void
take(struct weaver *v, uint32_t node)
{
	const struct contract *c = &v->p->nodes[node];
	bool kind = c->mode == MODE_WRITE;
	uint32_t wave_1 = v->w->count + 1;

	for (uint32_t i = c->scopes_at; i < c->scopes_at + c->scopes_count;
		i++) {
		struct place *p = &v->places[v->place_of[i]];

		p->here_wave_1[kind] = wave_1;
		p->here_node[kind] = node;
		while (p->below_wave_1[kind] != wave_1) {
			p->below_wave_1[kind] = wave_1;
			p->below_node[kind] = node;
			p = &v->places[p->parent];
		}
	}
	v->w->nodes[v->placed++] = node;
}

/* Put the first of a group, if there is one, among those to be tried. */
static void
try_group(struct weaver *v, uint32_t group)
{
	const struct heap *h;

	assert(v->groups.items != NULL);
	h = &v->groups.items[group].ranks;
	if (h->count > 0)
		heap_add(&v->tries, h->items[0] << 32 | (group + 1));
}

/* Try the first of a group, or a task (group_1 is 0) that waits in none. */
static void
try_node(struct weaver *v, uint32_t rank, uint32_t group_1)
{
	uint32_t node = v->node_at[rank];
	const struct contract *c = &v->p->nodes[node];
	struct group *g = group_1 == 0 ? NULL : &v->groups.items[group_1 - 1];
	uint32_t other;

	/* When the group's own scope clashes, it does so for all in it. */
	if (g != NULL && clash(v, g->place, g->writers, &other))
		return;
	if (g != NULL)
		(void)heap_take(&g->ranks);
	for (uint32_t i = c->scopes_at; i < c->scopes_at + c->scopes_count;
		i++) {
		struct parked parked = { rank, 0 };

		if (!clash(v, v->place_of[i], c->mode == MODE_WRITE, &other))
			continue;
		clash_note(v, node, i, other);
		parked.group = group_must_get(
			v, v->place_of[i], c->mode == MODE_WRITE);
		(void)parkeds_push(&v->parked, parked);
		if (group_1 != 0)
			try_group(v, group_1 - 1);
		return;
	}
	take(v, node);
	if (g != NULL && !g->writers)
		try_group(v, group_1 - 1);
}

/* Let what depends on the wave be tried. */
static void
wave_end(struct weaver *v)
{
	struct waves *w = v->w;
	uint32_t start = v->at.items[w->count];
	uint32_t writers = 0;

	for (uint32_t k = start; k < v->placed; k++) {
		const struct contract *c = &v->p->nodes[w->nodes[k]];

		writers += c->mode == MODE_WRITE;
		for (uint32_t i = 0; i < c->dependants_count; i++) {
			uint32_t to = v->p->dependants[c->dependants_at + i];

			if (--v->open[to] == 0)
				heap_add(
					&v->tries, (uint64_t)v->rank[to] << 32);
		}
	}
	if (writers > w->writers)
		w->writers = writers;
	if (v->placed - start > w->widest)
		w->widest = v->placed - start;
	w->count++;
	(void)numbers_push(&v->at, v->placed);
}

/* Those put off go to their groups, and each group's first is to be tried. */
static void
wave_next(struct weaver *v)
{
	struct parked *parked;
	size_t kept = 0;

	VEC_EACH (parked, &v->parked) {
		struct group *g = &v->groups.items[parked->group];

		heap_add(&g->ranks, parked->rank);
		if (!g->listed)
			(void)numbers_push(&v->full, parked->group);
		g->listed = true;
	}
	v->parked.count = 0;
	for (size_t i = 0; i < v->full.count; i++) {
		struct group *g = &v->groups.items[v->full.items[i]];

		g->listed = g->ranks.count > 0;
		if (!g->listed)
			continue;
		try_group(v, v->full.items[i]);
		v->full.items[kept++] = v->full.items[i];
	}
	v->full.count = kept;
}

static void
weave(struct weaver *v)
{
	for (uint32_t n = 0; n < v->p->count; n++) {
		v->open[n] = v->p->nodes[n].depends_count;
		if (v->open[n] == 0)
			heap_add(&v->tries, (uint64_t)v->rank[n] << 32);
	}
	(void)numbers_push(&v->at, 0);
	while (v->tries.count > 0) {
		while (v->tries.count > 0) {
			uint64_t key = heap_take(&v->tries);

			try_node(v, (uint32_t)(key >> 32), (uint32_t)key);
		}
		wave_end(v);
		wave_next(v);
	}
	assert(v->placed == v->p->count);
}

/* The tree of all scopes, once: no names are looked up while weaving. */
static void
plant(struct weaver *v)
{
	struct scope_trie tree = { 0 };

	(void)scope_trie_node(&tree, (struct str){ 0 });
	for (uint32_t i = 0; i < v->p->scope_count; i++)
		v->place_of[i] =
			scope_trie_node(&tree, plan_scope_str(v->p, i));
	v->places = die_alloc(tree.node_count, sizeof(*v->places));
	memset(v->places, 0, tree.node_count * sizeof(*v->places));
	for (uint32_t i = 0; i < tree.node_count; i++)
		v->places[i].parent = tree.nodes[i].parent;
	scope_trie_release(&tree);
}

void
waves_init(struct waves *w, const struct plan *p)
{
	size_t count = p->count ? p->count : 1;
	struct weaver v = {
		.p = p,
		.w = w,
		.node_at = die_alloc(count, sizeof(uint32_t)),
		.rank = die_alloc(count, sizeof(uint32_t)),
		.open = die_alloc(count, sizeof(uint32_t)),
		.clashed = die_alloc(count, 1),
		.place_of =
			die_alloc((size_t)p->scope_count + 1, sizeof(uint32_t)),
	};

	*w = (struct waves){ .nodes = die_alloc(count, sizeof(uint32_t)) };
	memset(v.clashed, 0, count);
	waves_rank(p, v.node_at);
	for (uint32_t i = 0; i < p->count; i++)
		v.rank[v.node_at[i]] = i;
	plant(&v);
	weave(&v);
	w->at = v.at.items;
	free(v.node_at);
	free(v.rank);
	free(v.open);
	free(v.clashed);
	free(v.place_of);
	free(v.places);
	heap_release(&v.tries);
	for (size_t i = 0; i < v.groups.count; i++)
		heap_release(&v.groups.items[i].ranks);
	groups_release(&v.groups);
	numbers_release(&v.full);
	parkeds_release(&v.parked);
}

void
waves_release(struct waves *w)
{
	free(w->nodes);
	free(w->at);
	free(w->clashes);
	*w = (struct waves){ 0 };
}
