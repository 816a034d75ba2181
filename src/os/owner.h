/*
 * owner: who holds something, so that a later process can tell whether it still
 * lives.
 *
 * An owner is {machine id, boot id, pid namespace, pid, start time}.  It is
 * *dead* when it was on this machine in another boot; or in this boot and pid
 * namespace, and no process has both its id and its start time.  What can be
 * seen running is *alive*, stopped or slow included.  Everything else is
 * *unknown*: another machine, another namespace, a hidden process.  Unknown is
 * never dead, and age makes nothing dead.
 */
#ifndef PAWL_OS_OWNER_H
#define PAWL_OS_OWNER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

enum {
	OWNER_MACHINE_BYTES = 64,
	OWNER_BOOT_BYTES = 64,
};

struct owner {
	char machine[OWNER_MACHINE_BYTES + 1]; /* "" when it isn't known */
	char boot[OWNER_BOOT_BYTES + 1];       /* "" when it isn't known */
	uint64_t pid_ns; /* inode of the namespace; 0 when it isn't known */
	pid_t pid;       /* 0: there is no process, so it is never dead */
	uint64_t start;  /* clock ticks since boot, field 22 of stat */
};

/* Where the kernel is asked; owner_here outside tests. */
struct owner_place {
	const char *proc;       /* "/proc" */
	const char *machine_id; /* "/etc/machine-id" */
};

extern const struct owner_place owner_here;

enum owner_state { OWNER_UNKNOWN, OWNER_ALIVE, OWNER_DEAD };

/*
 * Describe a process; 0 is this one.
 *
 * Errors: ERR_INVALID_ARGUMENT when there is no such process, or it can't be
 * seen.
 */
PAWL_MUST_CHECK enum pawl_rc owner_of(const struct owner_place *place,
	pid_t pid, struct owner *ret_owner, struct pawl_err *err);

/* How `owner` is, seen from `self`, which is a process of this machine. */
enum owner_state owner_state(const struct owner_place *place,
	const struct owner *self, const struct owner *owner);

/*
 * Is `owner` OWNER_ALIVE, seen from this process?  Asks the kernel only until
 * the answer is known.
 */
bool owner_is_alive(const struct owner_place *place, const struct owner *owner);

/*
 * Whose files are ours: the effective user that the program was started with
 * and never changes.  No system call.
 */
uid_t owner_uid(void);

/* "unknown", "alive", "dead" */
const char *owner_state_word(enum owner_state state);

/*
 * Add the JSON object, keys in this order:
 * {"machine":"…","boot":"…","pid_ns":N,"pid":N,"start":N}
 */
void owner_format(const struct owner *owner, struct buf *to);

#endif
