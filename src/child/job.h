/*
 * job: what one monitor is told by its arguments.
 *
 *	pawl-child --gate FD --outbox DIR --log FILE --deadline-ms N
 *	           [--grace-ms N] [--stdin FILE] [--cwd DIR] [--mask NAME]...
 *	           [--limit NAME=N]... -- PROGRAM [ARGUMENT]...
 *
 * Paths are absolute.  The worker gets the monitor's environment as it is;
 * --mask names variables of it whose values must not be written down.
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
};

struct job {
	int gate;           /* read end of a pipe */
	const char *outbox; /* folder */
	const char *log;
	const char *input; /* stdin of the worker; NULL is /dev/null */
	const char *cwd;   /* NULL is / */
	uint64_t deadline_ms;
	uint64_t grace_ms;
	struct mask mask;
	struct proc_limit limits[JOB_LIMITS_MAX];
	size_t limit_count;
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
