/*
 * seccomp: system calls that a process and all that it starts may not make.
 *
 * It closes what Landlock (landlock.h) leaves open, and no more: a call that is
 * refused fails with an errno, and nobody is killed for it.
 *
 *	NO_UNIX      socket(2) of AF_UNIX: who can't make one reaches no session
 *	             bus, agent or terminal server by a path.  Pairs
 *	             (socketpair(2)) reach nobody, and stay.
 *	NO_TRUNCATE  truncate(2), and opening for reading with O_TRUNC: below
 *	             version 3 Landlock lets both cut what may only be read
 *
 * Calls that no filter can look into fail as on a kernel without them: io_uring
 * whenever anything is refused, openat2(2) with NO_TRUNCATE.  So do all calls
 * of another architecture than the program's own.
 *
 * Source: Linux, Documentation/userspace-api/seccomp_filter.rst; seccomp(2).
 */
#ifndef PAWL_OS_SECCOMP_H
#define PAWL_OS_SECCOMP_H

#include <linux/filter.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

enum {
	SECCOMP_NO_UNIX = 1 << 0,
	SECCOMP_NO_TRUNCATE = 1 << 1,
};

enum { SECCOMP_STEPS_MAX = 64 };

/* The word of a flag, `unix` or `truncate`; added to `*flags`.  False for
 * another word. */
bool seccomp_flag_from(struct str word, unsigned *flags);

struct seccomp {
	struct sock_filter steps[SECCOMP_STEPS_MAX];
	unsigned short count; /* 0: nothing is refused */
};

/*
 * Make the filter of these flags.  False, with one that refuses nothing, on a
 * machine whose architecture has no row in seccomp.c.
 */
PAWL_MUST_CHECK bool seccomp_make(unsigned flags, struct seccomp *ret_filter);

/*
 * Refuse from now on, for good, in this process and all that it starts; it also
 * gives up gaining privileges by executing.  Safe between fork and exec.
 * False, with errno, when the kernel can't.
 */
bool seccomp_enter(const struct seccomp *filter);

#endif
