#include "base/map.h"

#include <stdlib.h>

#include "base/die.h"

static void
map_resize(struct map *m, uint32_t cap)
{
	struct map old = *m;

	assert(cap != 0 && (cap & (cap - 1)) == 0);
	m->slots = die_alloc(cap, sizeof(*m->slots));
	m->cap = cap;
	for (uint32_t i = 0; i < cap; i++)
		m->slots[i] = (struct map_slot){ 0 };
	for (uint32_t i = 0; i < old.cap; i++) {
		uint32_t at = old.slots[i].hash & (cap - 1);

		if (old.slots[i].index_1 == 0)
			continue;
		while (m->slots[at].index_1 != 0)
			at = (at + 1) & (cap - 1);
		m->slots[at] = old.slots[i];
	}
	free(old.slots);
}

/* The slot that holds `key`, or the empty one where it belongs. */
static struct map_slot *
map_probe(const struct map *m, map_key_fn *key_of, const void *table,
	struct str key, uint32_t hash)
{
	uint32_t at = hash & (m->cap - 1);

	while (m->slots[at].index_1 != 0) {
		struct map_slot *s = &m->slots[at];

		if (s->hash == hash &&
			str_eq(key_of(table, s->index_1 - 1), key))
			return s;
		at = (at + 1) & (m->cap - 1);
	}
	return &m->slots[at];
}

bool
map_get(const struct map *m, map_key_fn *key_of, const void *table,
	struct str key, uint32_t *ret_index)
{
	const struct map_slot *s;

	if (m->cap == 0)
		return false;
	s = map_probe(m, key_of, table, key, (uint32_t)str_hash(key));
	if (s->index_1 == 0)
		return false;
	*ret_index = s->index_1 - 1;
	return true;
}

bool
map_add(struct map *m, map_key_fn *key_of, const void *table, struct str key,
	uint32_t index, uint32_t *ret_index)
{
	uint32_t hash = (uint32_t)str_hash(key);
	struct map_slot *s;

	assert(index < UINT32_MAX);
	if (m->count >= m->cap / 4 * 3)
		map_resize(m, m->cap ? m->cap * 2 : 16);
	s = map_probe(m, key_of, table, key, hash);
	if (s->index_1 != 0) {
		*ret_index = s->index_1 - 1;
		return false;
	}
	*s = (struct map_slot){ hash, index + 1 };
	m->count++;
	*ret_index = index;
	return true;
}

void
map_reserve(struct map *m, uint32_t count)
{
	uint32_t cap = m->cap ? m->cap : 16;

	assert(count < UINT32_MAX / 4);
	while (cap / 4 * 3 <= count)
		cap *= 2;
	if (cap != m->cap)
		map_resize(m, cap);
}

void
map_release(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}
