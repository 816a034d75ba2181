/*
 * fdset: the descriptors of a child, copied out of the way of each other.
 *
 * Descriptor i of the child may be any of ours, also one whose number is the
 * target of another.  All are therefore copied above the highest target first;
 * dup2 from there can't collide.
 */
#ifndef PAWL_OS_FDSET_H
#define PAWL_OS_FDSET_H

#include <stdbool.h>
#include <stddef.h>

enum { FDSET_MAX = 16 };

struct fdset {
	int fds[FDSET_MAX]; /* copies, close-on-exec; fds[i] is for target i */
	size_t count;       /* at least 3 */
	int dir;            /* copy of the working directory, or -1 */
};

#define FDSET_INIT        \
	{                 \
		.dir = -1 \
	}

/*
 * Copy `count` descriptors; -1, and what lacks of the first three, is
 * /dev/null.  `dir_fd` 0 is no directory.  False with errno set, and nothing
 * kept, when one can't be copied.
 */
bool fdset_init(struct fdset *set, const int *fds, size_t count, int dir_fd);
void fdset_release(struct fdset *set);

#endif
