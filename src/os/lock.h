/*
 * lock: advisory locks by flock(2), which die with their process.
 *
 * A lock is a descriptor.  Waiting is bounded: growing pauses up to the time
 * given, then ERR_BUSY, which names the holder where the kernel tells it.  A
 * lock file is never deleted; should somebody do it all the same, lock_shared
 * and lock_exclusive see that the path leads elsewhere and take the new one.
 *
 * Errors: ERR_BUSY; ERR_NO_LOCKS where the file system has none, with the
 * reason; those of fs_open.
 */
#ifndef PAWL_OS_LOCK_H
#define PAWL_OS_LOCK_H

#include "os/fs.h"

/* Open `name` and lock it for reading; it must be there. */
PAWL_MUST_CHECK enum pawl_rc lock_shared(const struct fs *fs, int dir,
	const char *name, unsigned timeout_ms, int *ret_fd,
	struct pawl_err *err);

/* Open `name`, made where it is absent, and lock it for one alone. */
PAWL_MUST_CHECK enum pawl_rc lock_exclusive(const struct fs *fs, int dir,
	const char *name, unsigned timeout_ms, int *ret_fd,
	struct pawl_err *err);

/* Unlock and close if it is open; it becomes -1. */
void lock_close(const struct fs *fs, int *fd);

/* Unlock a lock that is held, and leave its file open for lock_again. */
void lock_keep(const struct fs *fs, int *fd, int *ret_kept);

/*
 * As lock_exclusive, by a descriptor that lock_keep left: only when the path
 * leads elsewhere by now another file is opened.  `*fd` becomes the lock, or -1
 * on failure.
 */
PAWL_MUST_CHECK enum pawl_rc lock_again(const struct fs *fs, int dir,
	const char *name, unsigned timeout_ms, int *fd, struct pawl_err *err);

/*
 * The process that holds a lock on `name`, as the kernel's table has it; 0 when
 * nobody does, or it isn't told (another pid namespace).
 */
uint64_t lock_holder(const struct fs *fs, int dir, const char *name);

/*
 * Prove that locks are real in `dir`: a second descriptor must fail to take
 * what the first holds, and get it afterwards.  Errors: ERR_NO_LOCKS.
 */
PAWL_MUST_CHECK enum pawl_rc lock_probe(
	const struct fs *fs, int dir, struct pawl_err *err);

#endif
