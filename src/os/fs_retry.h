/*
 * fs_retry: what the two files of fs share; nobody else includes it.
 */
#ifndef PAWL_OS_FS_RETRY_H
#define PAWL_OS_FS_RETRY_H

#include <errno.h>

#include "base/err.h"

enum {
	FS_INTERRUPTS = 1000, /* in a row, before a call is given up */
};

/*
 * Repeat a call while a signal interrupts it.  Bounded, so that a file system
 * which only knows EINTR ends in an error and not in a loop.
 */
#define FS_RETRY(rc, call)                                        \
	do {                                                      \
		unsigned left = FS_INTERRUPTS;                    \
		do                                                \
			(rc) = (call);                            \
		while ((rc) < 0 && errno == EINTR && --left > 0); \
	} while (0)

enum pawl_code fs_code_of(int sys);

/* Fail with errno: "could not WHAT 'NAME'". */
enum pawl_rc fs_fail(struct pawl_err *err, const char *what, const char *name);

#endif
