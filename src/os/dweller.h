/*
 * dweller: a process that has a folder, or one below it, for its own.
 *
 * Whoever deletes a folder that is a process's working folder leaves that
 * process nowhere: its relative paths name nothing, and what it starts fails.
 * Looked at are the links `PROC/PID/cwd` by their text, which the kernel keeps
 * up to date; a process that isn't the caller's to look at isn't seen.
 *
 * It is a look, not a lock: one may come right after.
 */
#ifndef PAWL_OS_DWELLER_H
#define PAWL_OS_DWELLER_H

#include <sys/types.h>

/*
 * The lowest number of those in `dir` (absolute, real), or 0.  `proc` is where
 * procfs is, "/proc" outside tests.
 */
pid_t dweller_find(const char *proc, const char *dir);

#endif
