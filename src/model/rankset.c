#include "model/rankset.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"

static size_t
words(uint32_t size, int level)
{
	for (int i = 0; i <= level; i++)
		size = size / 64 + 1;
	return size;
}

void
rankset_init(struct rankset *r, uint32_t size)
{
	*r = (struct rankset){ .size = size };
	for (int i = 0; i < 3; i++) {
		size_t bytes = words(size, i) * sizeof(uint64_t);

		r->bits[i] = die_alloc(bytes, 1);
		memset(r->bits[i], 0, bytes);
	}
}

void
rankset_release(struct rankset *r)
{
	for (int i = 0; i < 3; i++)
		free(r->bits[i]);
	*r = (struct rankset){ 0 };
}

bool
rankset_has(const struct rankset *r, uint32_t n)
{
	return n < r->size && (r->bits[0][n / 64] >> (n % 64) & 1) != 0;
}

void
rankset_add(struct rankset *r, uint32_t n)
{
	assert(n < r->size);
	if (rankset_has(r, n))
		return;
	r->count++;
	for (int i = 0; i < 3; i++) {
		r->bits[i][n / 64] |= UINT64_C(1) << (n % 64);
		n /= 64;
	}
}

void
rankset_remove(struct rankset *r, uint32_t n)
{
	if (!rankset_has(r, n))
		return;
	r->count--;
	for (int i = 0; i < 3; i++) {
		r->bits[i][n / 64] &= ~(UINT64_C(1) << (n % 64));
		if (r->bits[i][n / 64] != 0)
			return;
		n /= 64;
	}
}

/* The least member from `from` on in one level; false when there is none. */
static bool
level_next(const struct rankset *r, int level, size_t from, size_t *ret_n)
{
	size_t count = words(r->size, level);
	size_t at = from / 64;
	uint64_t word;

	if (at >= count)
		return false;
	word = r->bits[level][at] & (~UINT64_C(0) << (from % 64));
	if (level == 2) {
		while (word == 0 && ++at < count)
			word = r->bits[level][at];
	}
	if (word == 0)
		return false;
	*ret_n = at * 64 + (size_t)__builtin_ctzll(word);
	return true;
}

bool
rankset_next(const struct rankset *r, uint32_t from, uint32_t *ret_n)
{
	size_t n = from;
	int level = 0;

	while (!level_next(r, level, n, &n)) {
		if (level == 2)
			return false;
		n = n / 64 + 1;
		level++;
	}
	while (level > 0) {
		level--;
		if (!level_next(r, level, n * 64, &n))
			return false;
	}
	*ret_n = (uint32_t)n;
	return true;
}
