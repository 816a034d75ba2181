/*
 * sandbox: what a command may touch, as the kernel can hold it to that.
 *
 * Landlock (os/landlock.h) for files and TCP, a filter of system calls
 * (os/seccomp.h) for what that leaves open.  Granted for reading: the folders
 * of the system, and what the caller names.  Never $HOME as a whole.  Granted
 * for writing: what the caller names, and devices like /dev/null.  Sockets that
 * have a path can't be made, so no session bus, agent or terminal server is
 * reached by one.
 *
 * Not covered by any kernel: modes, times and attributes of what may be read,
 * UDP.  What this kernel doesn't enforce is named in `lacks`.
 */
#ifndef PAWL_ENGINE_SANDBOX_H
#define PAWL_ENGINE_SANDBOX_H

#include "base/arena.h"
#include "os/landlock.h"
#include "os/seccomp.h"

enum { SANDBOX_LACKS_MAX = LANDLOCK_ABI_MAX + 1 };

struct sandbox_spec {
	const char *const *reads; /* absolute paths */
	size_t read_count;
	const char *const *writes;
	size_t write_count;
	bool tcp;         /* it may connect and listen */
	unsigned abi_max; /* of Landlock, for tests; 0: what there is */
};

struct sandbox {
	struct landlock files;
	struct seccomp calls;
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

void sandbox_close(struct sandbox *sb);

/* The caller's environment without what leads to sessions of its user's:
 * NULL-terminated, in `mem`. */
const char *const *sandbox_env(struct arena *mem);

#endif
