#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/die.h"

enum { FORK_STACK_BYTES = 64 << 10 }; /* touched is what is used */

void
proc_close_fd(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

static int
actions_add(posix_spawn_file_actions_t *actions, const struct proc_spec *spec,
	const struct fdset *m)
{
	int rc = 0;

	for (size_t i = 0; i < m->count && rc == 0; i++) {
		rc = posix_spawn_file_actions_adddup2(
			actions, m->fds[i], (int)i);
	}
	if (rc == 0 && spec->dir != NULL) {
		rc = posix_spawn_file_actions_addchdir_np(actions, spec->dir);
	} else if (rc == 0 && m->dir >= 0) {
		rc = posix_spawn_file_actions_addfchdir_np(actions, m->dir);
	}
	if (rc == 0) {
		rc = posix_spawn_file_actions_addclosefrom_np(
			actions, (int)m->count);
	}
	return rc;
}

/* Own session, no blocked signal, every signal as by default. */
static int
attr_fill(posix_spawnattr_t *attr)
{
	sigset_t all, none;
	int rc;

	(void)sigfillset(&all);
	(void)sigemptyset(&none);
	rc = posix_spawnattr_setflags(attr,
		POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
			POSIX_SPAWN_SETSIGDEF);
	if (rc == 0)
		rc = posix_spawnattr_setsigmask(attr, &none);
	if (rc == 0)
		rc = posix_spawnattr_setsigdefault(attr, &all);
	return rc;
}

/* posix_spawn takes pointers to char that it promises not to write through. */
static char *const *
unconst(const char *const *array)
{
	return (char *const *)(uintptr_t)array;
}

/* 0, or the errno of what failed. */
static int
spawn(const struct proc_spec *spec, const struct fdset *m, pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	char *const *envp = spec->envp ? unconst(spec->envp) : environ;
	int rc = posix_spawn_file_actions_init(&actions);

	if (rc != 0)
		return rc;
	rc = posix_spawnattr_init(&attr);
	if (rc != 0)
		goto out;
	rc = attr_fill(&attr);
	if (rc == 0)
		rc = actions_add(&actions, spec, m);
	if (rc == 0) {
		rc = posix_spawnp(ret_pid, spec->argv[0], &actions, &attr,
			unconst(spec->argv), envp);
	}
	(void)posix_spawnattr_destroy(&attr);
out:
	(void)posix_spawn_file_actions_destroy(&actions);
	return rc;
}

static void
reap(pid_t pid)
{
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* A child that we can't hold by a pidfd can't be kept. */
static enum pawl_rc
hold(pid_t pid, struct proc *ret_proc, struct pawl_err *err)
{
	int pidfd = pidfd_open(pid, 0);
	enum pawl_rc rc;

	if (pidfd >= 0) {
		*ret_proc = (struct proc){ .pid = pid, .pidfd = pidfd };
		return PAWL_OK;
	}
	rc = pawl_fail_sys(err, ERR_IO, "could not open a pidfd");
	(void)kill(pid, SIGKILL);
	reap(pid);
	return rc;
}

enum pawl_rc
proc_spawn(const struct proc_spec *spec, struct proc *ret_proc,
	struct pawl_err *err)
{
	struct fdset m;
	pid_t pid;
	int sys;

	assert(spec->argv[0] != NULL);
	if (!fdset_init(&m, spec->fds, spec->fd_count,
		    spec->dir ? 0 : spec->dir_fd)) {
		return pawl_fail_sys(err, ERR_IO,
			"could not prepare the descriptors of '%s'",
			spec->argv[0]);
	}
	sys = spawn(spec, &m, &pid);
	fdset_release(&m);
	if (sys != 0) {
		errno = sys;
		return pawl_fail_sys(
			err, ERR_SPAWN, "could not start '%s'", spec->argv[0]);
	}
	return hold(pid, ret_proc, err);
}

/* What the new process could not do. */
enum fork_step {
	FORK_NONE, /* it could do all of it */
	FORK_ISOLATE,
	FORK_CONFINE,
	FORK_FDS,
	FORK_LIMIT,
	FORK_DIR,
	FORK_EXEC,
};

/* What a new process looks at; it lives in our memory until it executes. */
struct fork_child {
	const struct proc_spec *spec;
	const struct fdset *fds;
	pid_t parent;
	volatile enum fork_step failed;
	volatile int sys; /* its errno then */
};

static bool
fork_fds(const struct fdset *m)
{
	for (size_t i = 0; i < m->count; i++) {
		if (dup2(m->fds[i], (int)i) < 0)
			return false;
	}
	if (m->dir >= 0 && fchdir(m->dir) != 0)
		return false;
	return close_range((unsigned)m->count, ~0u, 0) == 0;
}

static bool
fork_limits(const struct proc_spec *spec)
{
	for (size_t i = 0; i < spec->limit_count; i++) {
		const struct proc_limit *l = &spec->limits[i];
		struct rlimit r = { l->value, l->value };

		if (setrlimit((__rlimit_resource_t)l->resource, &r) != 0)
			return false;
	}
	return true;
}

/*
 * As execvpe, but a file without a known format is refused and never handed to
 * a shell.  Returns only when nothing was executed.
 */
static void
fork_exec(const struct proc_spec *spec)
{
	char *const *envp = spec->envp ? unconst(spec->envp) : environ;
	const char *name = spec->argv[0], *path = getenv("PATH");
	struct str rest = str_from(path != NULL ? path : "/usr/bin:/bin");
	bool denied = false;

	if (strchr(name, '/') != NULL) {
		(void)execve(name, unconst(spec->argv), envp);
		return;
	}
	errno = ENOENT;
	while (rest.ptr != NULL) {
		struct str dir = str_cut(&rest, ':');
		char file[PATH_MAX];
		int n = snprintf(file, sizeof(file), STR_FMT "%s%s",
			STR_ARG(dir), dir.len > 0 ? "/" : "./", name);

		if (n < 0 || (size_t)n >= sizeof(file))
			continue;
		(void)execve(file, unconst(spec->argv), envp);
		denied = denied || errno == EACCES;
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return;
	}
	errno = denied ? EACCES : ENOENT;
}

/*
 * In the new process: never runs a line of the caller.  All signals are blocked
 * until none has a handler any more, which would run in the caller's memory.
 */
static int
fork_child(void *arg)
{
	struct fork_child *child = arg;
	const struct proc_spec *spec = child->spec;
	enum fork_step step = FORK_ISOLATE;
	sigset_t none;

	for (int signo = 1; signo < NSIG && !spec->signals_are_default; signo++)
		(void)signal(signo, SIG_DFL); /* KILL and STOP refuse */
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)setsid(); /* can't fail: a new process leads no group */
	if (spec->isolate != NULL && !isolate_enter(spec->isolate))
		goto fail;
	if (spec->dies_with_us) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != child->parent)
			_exit(127); /* it ended before we asked */
	}
	step = FORK_CONFINE;
	/* While the rule set's descriptor is still there. */
	if (spec->confine != NULL && !landlock_enter(spec->confine))
		goto fail;
	step = FORK_FDS;
	if (!fork_fds(child->fds))
		goto fail;
	step = FORK_DIR;
	if (spec->dir != NULL && chdir(spec->dir) != 0)
		goto fail;
	step = FORK_LIMIT;
	if (!fork_limits(spec))
		goto fail;
	step = FORK_CONFINE;
	if (spec->filter != NULL && !seccomp_enter(spec->filter))
		goto fail;
	step = FORK_EXEC;
	fork_exec(spec);
fail:
	child->sys = errno;
	child->failed = step;
	_exit(127);
}

/* Fail with the step that the new process could not do. */
static enum pawl_rc
fork_failed(const struct fork_child *child, struct pawl_err *err)
{
	const struct proc_spec *spec = child->spec;

	errno = child->sys;
	switch (child->failed) {
	case FORK_DIR:
		return pawl_fail_sys(
			err, ERR_SPAWN, "could not enter '%s'", spec->dir);
	case FORK_ISOLATE:
		return pawl_fail_sys(
			err, ERR_SPAWN, "could not be given namespaces");
	case FORK_CONFINE:
		return pawl_fail_sys(err, ERR_SPAWN, "could not be confined");
	case FORK_LIMIT:
		return pawl_fail_sys(err, ERR_SPAWN, "could not set a limit");
	case FORK_FDS:
		return pawl_fail_sys(
			err, ERR_SPAWN, "could not pass descriptors");
	case FORK_NONE:
	case FORK_EXEC:
		break;
	}
	return pawl_fail_sys(
		err, ERR_SPAWN, "could not start '%s'", spec->argv[0]);
}

/*
 * As vfork(2): we sleep until the new process executes or ends.  It has a stack
 * of its own, so that it can't spoil ours.
 */
static pid_t
fork_start(struct fork_child *child, int *ret_pidfd)
{
	char *stack = die_alloc(1, FORK_STACK_BYTES);
	sigset_t all, old;
	pid_t pid;
	int sys;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, &old);
	pid = clone(fork_child, stack + FORK_STACK_BYTES,
		CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, child,
		ret_pidfd);
	sys = errno;
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	free(stack);
	errno = sys;
	return pid;
}

enum pawl_rc
proc_become(const struct proc_spec *spec, struct pawl_err *err)
{
	for (int signo = 1; signo < NSIG; signo++)
		(void)signal(signo, SIG_DFL); /* KILL and STOP refuse */
	if ((spec->isolate != NULL && !isolate_enter(spec->isolate)) ||
		(spec->confine != NULL && !landlock_enter(spec->confine)) ||
		(spec->filter != NULL && !seccomp_enter(spec->filter)))
		return pawl_fail_sys(err, ERR_SPAWN, "could not be confined");
	fork_exec(spec);
	return pawl_fail_sys(
		err, ERR_SPAWN, "could not start '%s'", spec->argv[0]);
}

enum pawl_rc
proc_fork(const struct proc_spec *spec, struct proc *ret_proc,
	struct pawl_err *err)
{
	struct fdset m = FDSET_INIT;
	struct fork_child child = {
		.spec = spec, .fds = &m, .parent = getpid()
	};
	int pidfd = -1;
	enum pawl_rc rc = PAWL_OK;
	pid_t pid = -1;

	assert(spec->argv[0] != NULL);
	if (fdset_init(&m, spec->fds, spec->fd_count,
		    spec->dir ? 0 : spec->dir_fd))
		pid = fork_start(&child, &pidfd);
	if (pid < 0) {
		rc = pawl_fail_sys(err, ERR_IO,
			"could not prepare the start of '%s'", spec->argv[0]);
	} else if (child.failed != FORK_NONE) {
		reap(pid);
		proc_close_fd(&pidfd);
		rc = fork_failed(&child, err);
	} else {
		*ret_proc = (struct proc){ .pid = pid, .pidfd = pidfd };
	}
	fdset_release(&m);
	return rc;
}

bool
proc_can_isolate(const struct isolate *isolate)
{
	/* A folder is never executed: that is the last step, and fails. */
	static const char *const folder[] = { "/", NULL };
	const struct proc_spec spec = { .argv = folder, .isolate = isolate };
	struct fdset m = FDSET_INIT;
	struct fork_child child = {
		.spec = &spec, .fds = &m, .parent = getpid()
	};
	int pidfd = -1;
	pid_t pid = -1;

	if (fdset_init(&m, NULL, 0, 0))
		pid = fork_start(&child, &pidfd);
	fdset_release(&m);
	if (pid < 0)
		return false;
	reap(pid);
	proc_close_fd(&pidfd);
	return child.failed == FORK_EXEC;
}

static uint64_t
us(struct timeval tv)
{
	return (uint64_t)tv.tv_sec * 1000000 + (uint64_t)tv.tv_usec;
}

enum pawl_rc
proc_wait(struct proc *p, struct proc_end *ret_end, struct pawl_err *err)
{
	struct rusage usage;
	struct proc_end end = { 0 };
	int status;

	while (wait4(p->pid, &status, 0, &usage) < 0) {
		if (errno != EINTR) {
			return pawl_fail_sys(err, ERR_IO,
				"could not wait for process %d", (int)p->pid);
		}
	}
	proc_close_fd(&p->pidfd);
	if (WIFEXITED(status)) {
		end.kind = PROC_EXIT;
		end.code = WEXITSTATUS(status);
	} else {
		end.kind = PROC_SIGNAL;
		end.code = WTERMSIG(status);
	}
	end.user_us = us(usage.ru_utime);
	end.system_us = us(usage.ru_stime);
	end.rss_max_kib = (uint64_t)usage.ru_maxrss;
	*ret_end = end;
	return PAWL_OK;
}
