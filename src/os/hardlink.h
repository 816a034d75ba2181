/*
 * hardlink: does a file below a folder have a name elsewhere, too?
 *
 * The kernel says how many names a file has, not where.  So the names below the
 * folder are counted: when there are fewer than the kernel says, another one
 * lies outside, and what is written to the file is written there as well.
 *
 * Iterative, one descriptor at any depth; no link is followed.  A folder that
 * can't be looked into, and what lies past HARDLINK_ENTRIES_MAX, counts for
 * nothing.
 */
#ifndef PAWL_OS_HARDLINK_H
#define PAWL_OS_HARDLINK_H

#include <stddef.h>
#include <stdint.h>

enum { HARDLINK_ENTRIES_MAX = 1000000 };

struct hardlink {
	uint64_t dev, inode; /* of a file */
	uint64_t found;      /* names of it below the folder */
};

/* Add to `found` of each; `top` is absolute. */
void hardlink_count(const char *top, struct hardlink *links, size_t count);

#endif
