/*
 * die: the two ways a program ends that is not right: out of memory, and a
 * broken promise of its own.  Neither is ever caused by input: every outside
 * size is bounded before memory is asked for.
 */
#ifndef PAWL_BASE_DIE_H
#define PAWL_BASE_DIE_H

#include <assert.h>
#include <stddef.h>

#include "base/attr.h"

#ifdef NDEBUG
#error "assertions are part of the program; build without NDEBUG"
#endif

/* Print "pawl: text" on stderr and end with status 70. */
PAWL_NORETURN PAWL_COLD void die(const char *fmt, ...) PAWL_PRINTF(1, 2);

/* malloc, realloc to count * size bytes; never NULL.  Overflow ends it, too. */
void *die_alloc(size_t count, size_t size);
void *die_realloc(void *old, size_t count, size_t size);

#endif
