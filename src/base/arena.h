/*
 * arena: memory that is released all at once.
 *
 * One arena a command, request or event fold; reset at one place.  A list of
 * blocks, bump allocation in the newest; a larger request gets a block of its
 * own.  `struct arena a = ARENA_INIT;` and a zeroed arena are both ready.
 */
#ifndef PAWL_BASE_ARENA_H
#define PAWL_BASE_ARENA_H

#include <stddef.h>

#include "base/attr.h"
#include "base/str.h"

struct arena_block;

struct arena {
	struct arena_block *newest;
	size_t bytes; /* handed out since the last reset */
};

#define ARENA_INIT \
	{          \
		0  \
	}

/* Zeroed, aligned to 16 bytes, never NULL; size 0 is allowed. */
void *arena_alloc(struct arena *a, size_t count, size_t size);

/* As arena_alloc without the zeroes and the alignment: for text. */
char *arena_bytes(struct arena *a, size_t len);

/*
 * `p` of `old` bytes made larger: its bytes are kept, those behind them are
 * anything; aligned to 16.  NULL is the start.  What was allocated last grows
 * where it is, and what has a block of its own takes it along, so that a large
 * array that grows is neither copied nor twice in memory.
 */
void *arena_extend(struct arena *a, void *p, size_t old, size_t size);

#define arena_new(a, type) ((type *)arena_alloc((a), 1, sizeof(type)))
#define arena_array(a, count, type) \
	((type *)arena_alloc((a), (count), sizeof(type)))

char *arena_strdup(struct arena *a, struct str s);    /* NUL-terminated */
struct str arena_copy(struct arena *a, struct str s); /* a view of a copy */
struct str arena_format(struct arena *a, const char *fmt, ...)
	PAWL_PRINTF(2, 3); /* NUL-terminated, too */

void arena_reset(struct arena *a); /* the one place of release */

#endif
