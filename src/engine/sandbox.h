/*
 * sandbox: what a command may touch, as the kernel can hold it to that.
 *
 * Landlock (os/landlock.h) for files and TCP, a filter of system calls
 * (os/seccomp.h) for what that leaves open, namespaces (os/isolate.h) for the
 * network and for what stays read-only inside of a granted folder.  Granted for
 * reading: the folders of the system, and what the caller names.  Never $HOME
 * as a whole.  Granted for writing: what the caller names, and devices like
 * /dev/null.  Sockets that have a path can't be made, so no session bus, agent
 * or terminal server is reached by one.
 *
 * Not covered by any kernel: modes, times and attributes of what may be read,
 * UDP.  What this kernel doesn't enforce is named in `lacks`.
 */
#ifndef PAWL_ENGINE_SANDBOX_H
#define PAWL_ENGINE_SANDBOX_H

#include "base/arena.h"
#include "os/isolate.h"
#include "os/landlock.h"
#include "os/seccomp.h"

enum { SANDBOX_LACKS_MAX = LANDLOCK_ABI_MAX + 3 };

enum sandbox_level {
	SANDBOX_OFF,
	SANDBOX_BEST_EFFORT, /* what isn't enforced is said */
	SANDBOX_REQUIRED,    /* nothing runs unless all of it is */
	SANDBOX_LEVELS,
};

/* `off`, `best-effort`, `required`; false for another word. */
bool sandbox_level_from(struct str word, enum sandbox_level *ret_level);
struct str sandbox_level_word(enum sandbox_level level);

struct sandbox_spec {
	const struct landlock_path *paths; /* besides the system's */
	size_t count;
	bool tcp; /* it may connect and listen */
	struct isolate apart;
	/* For tests, as a kernel would that has less. */
	unsigned abi_max;      /* of Landlock; 0: what there is */
	bool lacks_namespaces; /* as if none could be made */
};

struct sandbox {
	struct landlock files;
	unsigned refused;                     /* flags of os/seccomp.h */
	struct isolate apart;                 /* what of it works here */
	const char *lacks[SANDBOX_LACKS_MAX]; /* words; none is repeated */
	size_t lack_count;
};

/*
 * Make it; release with sandbox_close().
 *
 * Errors: those of landlock_make(), with the path.
 */
PAWL_MUST_CHECK enum pawl_rc sandbox_make(const struct sandbox_spec *spec,
	struct arena *mem, struct sandbox *ret_sandbox, struct pawl_err *err);

/* ERR_SANDBOX_UNAVAILABLE, with the words, when something is lacking. */
PAWL_MUST_CHECK enum pawl_rc sandbox_is_whole(
	const struct sandbox *sb, struct pawl_err *err);

void sandbox_close(struct sandbox *sb);

#endif
