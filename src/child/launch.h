/*
 * launch: start the worker of a job, with its ends of the pipes.
 */
#ifndef PAWL_CHILD_LAUNCH_H
#define PAWL_CHILD_LAUNCH_H

#include "child/job.h"
#include "child/stream.h"

/*
 * Fork and execute it; `out` and `errs` read what it prints.  Errors: ERR_SPAWN
 * when the program can't be executed or its input can't be read; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc launch_worker(const struct job *job,
	struct stream *out, struct stream *errs, struct proc *ret_worker,
	struct pawl_err *err);

#endif
