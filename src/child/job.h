/*
 * job: what one monitor is told by its arguments.
 *
 *	pawl-child --gate FD --exits FD --name NAME --log FILE --deadline-ms N
 *	           [--grace-ms N] [--outbox DIR] [--stdin FILE] [--cwd DIR]
 *	           [--mask NAME]... [--limit NAME=N]... [--confine FD]
 *	           [--refuse unix|truncate]... [--protect PATH]... [--open
 *PATH]...
 *	           [--net none] -- PROGRAM [ARGUMENT]...
 *
 * Paths are absolute; FILE may be `-` for the monitor's own standard input. The
 * worker gets the monitor's environment as it is; --mask names variables of it
 * whose values must not be written down.
 *
 * The worker alone is confined: by the rule set (os/landlock.h) that FD is, the
 * system calls (os/seccomp.h) that are refused, and namespaces (os/isolate.h)
 * in which PATH is read-only (but what is open below it), or no network is.
 */
#ifndef PAWL_CHILD_JOB_H
#define PAWL_CHILD_JOB_H

#include <stdint.h>

#include "base/err.h"
#include "child/mask.h"
#include "os/proc.h"

enum {
	JOB_LIMITS_MAX = 16,
	JOB_GRACE_MS = 5000,
	JOB_GRACE_MS_MAX = 600000,
	JOB_NAME_BYTES = 255,
	JOB_PROTECT_MAX = 16,
};

/* NULL-terminated */
struct job_paths {
	const char *items[JOB_PROTECT_MAX + 1];
	size_t count;
};

struct job {
	int gate;           /* read end of a pipe */
	int exits;          /* to append how it ended to; see exitfile.h */
	const char *name;   /* of the worker or check, in its lines there */
	const char *outbox; /* folder; NULL: it has none */
	const char *log;
	const char *input; /* stdin of the worker; NULL is /dev/null */
	bool input_ours;   /* it is what is our own */
	const char *cwd;   /* NULL is / */
	uint64_t deadline_ms;
	uint64_t grace_ms;
	struct mask mask;
	struct proc_limit limits[JOB_LIMITS_MAX];
	size_t limit_count;
	struct landlock confine; /* its `fd` is -1 without one */
	unsigned refused;        /* flags of os/seccomp.h */
	struct seccomp filter;   /* made of them */
	struct job_paths protect, open;
	bool no_net;
	const char *const *argv; /* NULL-terminated */
};

/*
 * Read the arguments, and the environment for --mask.
 *
 * The caller releases the job in any case.  Errors: ERR_USAGE,
 * ERR_INVALID_ARGUMENT, ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc job_read(
	struct job *job, const char *const *argv, struct pawl_err *err);
void job_release(struct job *job);

#endif
