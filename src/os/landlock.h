/*
 * landlock: what a process and all that it starts may do to files, enforced by
 * the kernel.
 *
 * A rule set is an allow-list: what no rule grants is refused with EACCES, by
 * whatever path it is reached, and nobody inside can undo it.  It is made
 * before the process is: every path is opened then, so that a wrong one is a
 * located error and not a worker that can't start.  What the kernel can't
 * enforce isn't enforced; `abi` says what it can, and lacks() names the rest:
 *
 *	ABI 1  Linux 5.13  reading, executing, writing, making, removing
 *	    2        5.19  a file may move from one granted folder to another
 *	                   (before, no file may change its folder at all)
 *	    3        6.2   truncate(2)
 *	    4        6.7   binding and connecting TCP
 *	    5        6.10  ioctl(2) of devices
 *	    6        6.12  signals to, and abstract sockets of, who is outside
 *
 * Never covered: modes, times and attributes of what is there, UDP, and sockets
 * that have a path.  A process that is confined can mount nothing, and may be
 * confined once more, never less.
 *
 * Source: Linux, Documentation/userspace-api/landlock.rst; landlock(7).
 */
#ifndef PAWL_OS_LANDLOCK_H
#define PAWL_OS_LANDLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

enum {
	LANDLOCK_ABI_MAX = 6,  /* the highest that we know */
	LANDLOCK_ABI_NONE = 7, /* as a spec's most: as if there were none */
};

enum landlock_grant {
	LANDLOCK_READ,  /* read, list, execute */
	LANDLOCK_WRITE, /* everything */
};

struct landlock_path {
	const char *path; /* absolute: a folder with all below, or a file */
	enum landlock_grant grant;
	bool optional; /* one that can't be reached is left out */
};

struct landlock_spec {
	const struct landlock_path *paths;
	size_t count;
	bool tcp;         /* it may bind and connect */
	unsigned abi_max; /* as if the kernel had no more; 0: what it has */
};

struct landlock {
	int fd;       /* of the rule set; -1: the kernel has no Landlock */
	unsigned abi; /* that is used; 0: none */
};

/* The kernel's version, at most LANDLOCK_ABI_MAX; 0 when it has none, or it is
 * switched off. */
unsigned landlock_abi(void);

/*
 * Make the rule set; `ret_set` is closed with landlock_close().  A kernel
 * without Landlock is no error: `abi` is 0 then.
 *
 * Errors: ERR_FILE_NOT_FOUND, ERR_NOT_PERMITTED, ERR_IO with the path;
 * ERR_INVALID_ARGUMENT for one that isn't absolute.
 */
PAWL_MUST_CHECK enum pawl_rc landlock_make(const struct landlock_spec *spec,
	struct landlock *ret_set, struct pawl_err *err);

void landlock_close(struct landlock *set);

/*
 * Confine the calling process, and all that it starts, for good; it also gives
 * up gaining privileges by executing (no_new_privs).  Safe between fork and
 * exec.  False, with errno, when it can't; true without an effect for abi 0.
 */
bool landlock_enter(const struct landlock *set);

/*
 * What isn't enforced with this version though a spec may ask for it: the next
 * word from `*at` on, or NULL after the last.  Start with 0.
 */
const char *landlock_lacks(unsigned abi, size_t *at);

#endif
