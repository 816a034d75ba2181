#include "base/arena.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/die.h"

enum {
	ARENA_BLOCK_MIN = 1024,
	ARENA_BLOCK_MAX = 1 << 20,
	ARENA_ALIGN = 16,
	ARENA_FORMAT_FEW = 128, /* bytes that are formatted once */
};

struct arena_block {
	struct arena_block *older;
	size_t cap; /* bytes in `data` */
	size_t used;
	alignas(ARENA_ALIGN) char data[];
};

static char *
arena_bump(struct arena *a, size_t size, size_t align)
{
	struct arena_block *b = a->newest;
	size_t start = 0;

	if (b != NULL)
		start = (b->used + align - 1) & ~(align - 1);
	if (b == NULL || start > b->cap || size > b->cap - start) {
		size_t cap = b ? b->cap * 2 : ARENA_BLOCK_MIN;

		if (cap > ARENA_BLOCK_MAX)
			cap = ARENA_BLOCK_MAX;
		if (cap < size)
			cap = size;
		b = die_alloc(1, sizeof(*b) + cap);
		*b = (struct arena_block){ .older = a->newest, .cap = cap };
		a->newest = b;
		start = 0;
	}
	b->used = start + size;
	a->bytes += size;
	return b->data + start;
}

void *
arena_alloc(struct arena *a, size_t count, size_t size)
{
	size_t bytes;
	char *p;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX / 4)
		die("out of memory: %zu elements of %zu bytes", count, size);
	p = arena_bump(a, bytes, ARENA_ALIGN);
	memset(p, 0, bytes);
	return p;
}

char *
arena_bytes(struct arena *a, size_t len)
{
	if (len > SIZE_MAX / 4)
		die("out of memory: %zu bytes", len);
	return arena_bump(a, len, 1);
}

void *
arena_extend(struct arena *a, void *p, size_t old, size_t size)
{
	struct arena_block *b = a->newest;
	char *to;

	assert(size >= old);
	assert(p != NULL || old == 0);
	if (size > SIZE_MAX / 4)
		die("out of memory: %zu bytes", size);
	if (p != NULL && (char *)p + old == b->data + b->used) {
		size_t start = b->used - old;

		if (size > b->cap - start && start == 0) {
			b = die_realloc(b, 1, sizeof(*b) + size);
			b->cap = size;
			a->newest = b;
		}
		if (size <= b->cap - start) {
			b->used = start + size;
			a->bytes += size - old;
			return b->data + start;
		}
	}
	to = arena_bump(a, size, ARENA_ALIGN);
	if (p != NULL)
		memcpy(to, p, old);
	return to;
}

char *
arena_strdup(struct arena *a, struct str s)
{
	char *p = arena_bytes(a, s.len + 1);

	if (s.len > 0)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return p;
}

struct str
arena_copy(struct arena *a, struct str s)
{
	return (struct str){ arena_strdup(a, s), s.len };
}

struct str
arena_format(struct arena *a, const char *fmt, ...)
{
	char few[ARENA_FORMAT_FEW];
	va_list ap;
	int n;
	char *p;

	va_start(ap, fmt);
	n = vsnprintf(few, sizeof(few), fmt, ap);
	va_end(ap);
	if (n < 0)
		die("could not format '%s'", fmt);
	p = arena_bytes(a, (size_t)n + 1);
	if ((size_t)n < sizeof(few)) {
		memcpy(p, few, (size_t)n + 1);
		return (struct str){ p, (size_t)n };
	}
	va_start(ap, fmt);
	n = vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return (struct str){ p, (size_t)n };
}

void
arena_reset(struct arena *a)
{
	struct arena_block *b = a->newest;

	while (b != NULL) {
		struct arena_block *older = b->older;

		free(b);
		b = older;
	}
	*a = (struct arena)ARENA_INIT;
}
