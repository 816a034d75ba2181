/*
 * map: names to small numbers; open addressing, eight bytes a slot.
 *
 * The map keeps no keys: a value is an index into a table of the caller's, and
 * `key_of` says the name of the entry at that index.  So a name is stored once.
 */
#ifndef PAWL_BASE_MAP_H
#define PAWL_BASE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

typedef struct str map_key_fn(const void *table, uint32_t index);

struct map_slot {
	uint32_t hash;
	uint32_t index_1; /* index + 1; 0 is empty */
};

struct map {
	struct map_slot *slots;
	uint32_t count;
	uint32_t cap; /* a power of two, or 0 */
};

/* The index under `key`; false when absent. */
bool map_get(const struct map *m, map_key_fn *key_of, const void *table,
	struct str key, uint32_t *ret_index);

/*
 * Put `index` under `key`, which must be its name.  True when it is new; false
 * when the name was there, and `*ret_index` is the entry that has it.
 */
bool map_add(struct map *m, map_key_fn *key_of, const void *table,
	struct str key, uint32_t index, uint32_t *ret_index);

/* Room for `count` entries without another move. */
void map_reserve(struct map *m, uint32_t count);
void map_release(struct map *m);

#endif
