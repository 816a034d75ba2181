/*
 * proc: children; the only place that starts any.
 *
 * A child gets exactly what its `struct proc_spec` names: its arguments as an
 * array (no shell ever sees them), its whole environment, its descriptors, its
 * directory.  It leads a session of its own, so it has no terminal and is the
 * leader of a process group that can be signalled; its signals are as at a
 * login; every descriptor that isn't named is closed.
 *
 * Two ways to start it, whose cost doesn't grow with the caller's memory:
 * proc_spawn() uses posix_spawn; proc_fork() can also set limits, confine the
 * child, and says which step failed.
 *
 * proc_run() is a whole short command: start, feed, capture within bounds, end
 * it at its deadline, reap.
 *
 * How a child ended is data (`struct proc_end`), never an error.
 */
#ifndef PAWL_OS_PROC_H
#define PAWL_OS_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "os/fdset.h"
#include "os/isolate.h"
#include "os/landlock.h"
#include "os/seccomp.h"

struct proc_limit {
	int resource;   /* RLIMIT_NOFILE … */
	uint64_t value; /* soft and hard */
};

struct proc_spec {
	/* NULL-terminated.  A name without '/' is looked up on the caller's
	 * PATH; a relative path counts from the child's directory. */
	const char *const *argv;
	const char *const *envp; /* NULL-terminated, all of it; NULL: ours */
	const char *dir;         /* working directory; NULL: see dir_fd */
	int dir_fd;      /* instead of `dir`; 0 (never a directory) for none */
	const int *fds;  /* fds[i] becomes descriptor i; -1 is /dev/null */
	size_t fd_count; /* at most FDSET_MAX; 0 to 2 become /dev/null */
	/* The rest is proc_fork's alone. */
	const struct proc_limit *limits;
	size_t limit_count;
	const struct isolate *isolate;  /* before it executes; NULL: not */
	const struct landlock *confine; /* likewise, after that */
	const struct seccomp *filter;   /* likewise */
	bool dies_with_us;              /* KILL when we end, however we end */
	bool signals_are_default;       /* ours are, as proc_spawn made them */
};

struct proc {
	pid_t pid;
	int pidfd; /* close-on-exec; owned by this struct */
};

enum proc_end_kind {
	PROC_EXIT,
	PROC_SIGNAL,
	PROC_TIMEOUT,      /* we ended it */
	PROC_START_FAILED, /* nothing was executed */
};

struct proc_end {
	enum proc_end_kind kind;
	int code; /* exit status, signal, signal after time-out, or errno */
	uint64_t user_us;
	uint64_t system_us;
	uint64_t rss_max_kib; /* largest resident set */
};

/*
 * Start a child.
 *
 * Errors: ERR_SPAWN with err->sys, the errno of the step that failed; nothing
 * was executed then.
 */
PAWL_MUST_CHECK enum pawl_rc proc_spawn(const struct proc_spec *spec,
	struct proc *ret_proc, struct pawl_err *err);

/*
 * As proc_spawn, with the rest of the spec; the message says which step failed.
 * For processes of one thread, which sleeps until the child executes.
 * Errors: as proc_spawn.
 */
PAWL_MUST_CHECK enum pawl_rc proc_fork(const struct proc_spec *spec,
	struct proc *ret_proc, struct pawl_err *err);

/*
 * Become the program, in this process: of the spec its arguments, environment,
 * namespaces, rule set and filter.  Signals are as at a login first.  Returns
 * only when it can't, and may then be confined already.  Errors: as proc_fork.
 */
PAWL_MUST_CHECK enum pawl_rc proc_become(
	const struct proc_spec *spec, struct pawl_err *err);

/*
 * Could a process of ours be isolated like that?  One tries it, and ends.
 */
bool proc_can_isolate(const struct isolate *isolate);

/* Close it if it is open, and make it -1: for one that nothing was written by.
 */
void proc_close_fd(int *fd);

/*
 * A descriptor that reads `input` from its start: what a child may have as its
 * standard input.  The caller closes it.  Errors: ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc proc_input(
	struct str input, int *ret_fd, struct pawl_err *err);

/*
 * Wait until the child ends, and reap it; the pidfd is closed.
 *
 * Errors: ERR_IO when it isn't ours to reap.
 */
PAWL_MUST_CHECK enum pawl_rc proc_wait(
	struct proc *p, struct proc_end *ret_end, struct pawl_err *err);

struct proc_run_spec {
	struct proc_spec child; /* its fds are not looked at */
	struct str input;       /* stdin; empty is /dev/null */
	uint64_t deadline_ms;   /* from the start, suspend included */
	uint64_t grace_ms; /* between TERM and KILL at the deadline; 0: KILL */
	size_t out_max;    /* bytes kept of stdout, and of stderr; not 0 */
	int stop;          /* readable: end it, as at the deadline; 0: none */
	int held; /* the child has it as descriptor 3, so that a lock lasts as
		     long as the child; 0: none */
};

struct proc_ran {
	struct proc_end end;
	struct buf out, err; /* `overflow`: there was more */
	bool stopped;        /* by spec->stop */
};

/*
 * Run a short command to its end.
 *
 * PAWL_OK says that the outcome stands in `ret_ran`, whatever it is; the caller
 * releases it with proc_ran_release().  What the command left in its process
 * group is killed when it ends, so a background process can't hold us up by
 * keeping a pipe; one that made a session of its own lives on.
 * Errors: ERR_SPAWN, ERR_IO when the machine refused what a start needs.
 */
PAWL_MUST_CHECK enum pawl_rc proc_run(const struct proc_run_spec *spec,
	struct proc_ran *ret_ran, struct pawl_err *err);

void proc_ran_release(struct proc_ran *ran);

#endif
