/*
 * scope_trie: which scopes are in use, and by whom.
 *
 * A trie by segments.  Each node counts the readers and writers at it and below
 * it, and lists the children that have any, so that adding, removing and asking
 * take time in proportion to the path, however many scopes are held.
 *
 * A writer clashes with all that overlap its scope, a reader with writers only.
 * Scopes are in the normal form of model/scope.h (folded, where the file system
 * folds case) and views of a text that outlives the trie.  A zeroed trie is
 * empty and ready.
 */
#ifndef PAWL_MODEL_SCOPE_TRIE_H
#define PAWL_MODEL_SCOPE_TRIE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Hash to an index into an array; open addressing. */
struct trie_slot {
	uint32_t hash;
	uint32_t index_1; /* index + 1; 0 is empty */
};

struct trie_slots {
	struct trie_slot *items;
	uint32_t used;
	uint32_t cap; /* a power of two, or 0 */
};

/* Of each pair the first is for readers, the second for writers. */
struct trie_node {
	const char *name; /* the segment; not NUL-terminated */
	uint32_t name_len;
	uint32_t parent;
	uint32_t below[2];  /* held here and below */
	uint32_t hold[2];   /* first one held here, + 1 */
	uint32_t holder[2]; /* its holder, so that a question ends here */
	uint32_t child[2];  /* first child with any below */
	uint32_t next[2], prev[2];
};

struct trie_hold {
	uint32_t hash; /* of node, kind and holder */
	uint32_t node;
	uint32_t holder;
	uint32_t next, prev; /* + 1 */
	bool writer;
};

struct scope_trie {
	struct trie_node *nodes; /* [0] is the root once anything was held */
	uint32_t node_count, node_cap;
	uint32_t node_free; /* + 1; chained by `parent` */
	struct trie_hold *holds;
	uint32_t hold_count, hold_cap;
	uint32_t hold_free; /* + 1; chained by `next` */
	struct trie_slots by_name, by_holder;
};

void scope_trie_init(struct scope_trie *t);
void scope_trie_release(struct scope_trie *t);

/*
 * The number of the scope's node, made with those above it where they are
 * missing; t->nodes[n].parent leads to the root, which is 0 and its own parent.
 * For using the trie as a tree of segments: it stays as long as nothing is
 * removed.
 */
uint32_t scope_trie_node(struct scope_trie *t, struct str scope);

/* `holder` is any number of the caller's; it is named by a conflict. */
void scope_trie_add(
	struct scope_trie *t, struct str scope, bool writer, uint32_t holder);

/* Take back one scope_trie_add with the same arguments; there must be one. */
void scope_trie_remove(
	struct scope_trie *t, struct str scope, bool writer, uint32_t holder);

/*
 * Whether a writer, or else a reader, of `scope` would clash, and with whom:
 * one that holds the scope nearest to the root comes first, a writer before a
 * reader.  `*ret_holder` is untouched when nothing does.
 */
bool scope_trie_conflict(const struct scope_trie *t, struct str scope,
	bool writer, uint32_t *ret_holder);

#endif
