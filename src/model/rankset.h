/*
 * rankset: a set of small numbers that knows its next member.
 *
 * Three levels of bits: adding, removing and finding the next member touch at
 * most six words, whatever the size; a million members take 128 KiB and a bit.
 */
#ifndef PAWL_MODEL_RANKSET_H
#define PAWL_MODEL_RANKSET_H

#include <stdbool.h>
#include <stdint.h>

struct rankset {
	uint64_t
		*bits[3]; /* bit a number, bit a word below, bit a word below */
	uint32_t size;    /* numbers are below it */
	uint32_t count;   /* members */
};

void rankset_init(struct rankset *r, uint32_t size);
void rankset_release(struct rankset *r);
void rankset_add(struct rankset *r, uint32_t n);    /* no effect when there */
void rankset_remove(struct rankset *r, uint32_t n); /* no effect when not */
bool rankset_has(const struct rankset *r, uint32_t n);

/* The least member that is `from` or more; false when there is none. */
bool rankset_next(const struct rankset *r, uint32_t from, uint32_t *ret_n);

#endif
