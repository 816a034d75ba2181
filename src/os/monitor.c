#include "os/monitor.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/vec.h"
#include "os/proc.h"
#include "os/program.h"
#include "os/pstat.h"
#include "os/seccomp.h"

enum { GATE_FD = 3, EXITS_FD, CONFINE_FD };

VEC_DEF(args, const char *);

enum pawl_rc
monitor_program(char ret_path[PATH_MAX], struct pawl_err *err)
{
	return program_beside("pawl-child", "child", ret_path, err);
}

static void
option(struct args *args, const char *name, const char *value)
{
	if (value != NULL) {
		(void)args_push(args, name);
		(void)args_push(args, value);
	}
}

static void
option_number(
	struct args *args, struct arena *mem, const char *name, uint64_t n)
{
	struct str text = arena_format(mem, "%llu", (unsigned long long)n);

	option(args, name, arena_strdup(mem, text));
}

static void
options_each(struct args *args, const char *name, const char *const *values)
{
	for (; values != NULL && *values != NULL; values++)
		option(args, name, *values);
}

/* A kernel without Landlock has made no rule set. */
static bool
is_confined(const struct monitor_spec *spec)
{
	return spec->confine != NULL && spec->confine->fd >= 0;
}

static void
build(const struct monitor_spec *spec, int input, struct arena *mem,
	struct args *args)
{
	(void)args_push(args, spec->program);
	option_number(args, mem, "--gate", GATE_FD);
	option_number(args, mem, "--exits", EXITS_FD);
	option(args, "--name", spec->name);
	option(args, "--outbox", spec->outbox);
	option(args, "--log", spec->log);
	option_number(args, mem, "--deadline-ms", spec->deadline_ms);
	option_number(args, mem, "--grace-ms", spec->grace_ms);
	option(args, "--stdin", input < 0 ? spec->input : "-");
	option(args, "--cwd", spec->cwd);
	options_each(args, "--mask", spec->masks);
	options_each(args, "--limit", spec->limits);
	if (is_confined(spec))
		option_number(args, mem, "--confine", CONFINE_FD);
	if ((spec->refused & SECCOMP_NO_UNIX) != 0)
		option(args, "--refuse", "unix");
	if ((spec->refused & SECCOMP_NO_TRUNCATE) != 0)
		option(args, "--refuse", "truncate");
	options_each(args, "--protect", spec->apart.protect);
	options_each(args, "--open", spec->apart.open);
	if (spec->apart.net)
		option(args, "--net", "none");
	(void)args_push(args, "--");
	for (const char *const *arg = spec->argv; *arg != NULL; arg++)
		(void)args_push(args, *arg);
	(void)args_push(args, NULL);
}

static void
fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing is buffered */
	*fd = -1;
}

enum pawl_rc
monitor_spawn(const struct monitor_spec *spec, struct monitor *ret_monitor,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct args args = { 0 };
	struct proc proc = { .pidfd = -1 };
	struct pstat stat;
	int gate[2]; /* a socket, since a pipe's writer may get SIGPIPE */
	int input = -1;
	enum pawl_rc rc;

	if (spec->input_bytes.len > 0) {
		rc = proc_input(spec->input_bytes, &input, err);
		if (rc != PAWL_OK)
			return rc;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0) {
		rc = pawl_fail_sys(err, ERR_IO, "could not make a gate");
		fd_close(&input);
		return rc;
	}
	build(spec, input, &mem, &args);
	rc = proc_spawn(
		&(struct proc_spec){ .argv = args.items,
			.envp = spec->envp,
			.fds = (int[]){ input, -1, -1, gate[1], spec->exits,
				is_confined(spec) ? spec->confine->fd : -1 },
			.fd_count = CONFINE_FD + is_confined(spec) },
		&proc, err);
	args_release(&args);
	arena_reset(&mem);
	fd_close(&input);
	fd_close(&gate[1]);
	if (rc == PAWL_OK &&
		(pstat_read("/proc", proc.pid, &stat) != PSTAT_HERE)) {
		struct proc_end end;

		rc = pawl_fail(err, ERR_IO, "could not read /proc/%d/stat",
			(int)proc.pid);
		fd_close(&gate[0]); /* it ends by itself */
		if (proc_wait(&proc, &end, &(struct pawl_err){ 0 }) != PAWL_OK)
			fd_close(&proc.pidfd);
	}
	if (rc != PAWL_OK) {
		fd_close(&gate[0]);
		return rc;
	}
	*ret_monitor = (struct monitor){ .pid = proc.pid,
		.start = stat.start,
		.pidfd = proc.pidfd,
		.gate = gate[0] };
	return PAWL_OK;
}

enum pawl_rc
monitor_open(struct monitor *m, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;
	ssize_t n;

	assert(m->gate >= 0);
	do {
		n = send(m->gate, "g", 1, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n != 1) {
		rc = pawl_fail_sys(err, ERR_SPAWN,
			"monitor %d ended before its worker started",
			(int)m->pid);
	}
	fd_close(&m->gate);
	return rc;
}

enum pawl_rc
monitor_adopt(pid_t pid, uint64_t start, bool *ret_alive,
	struct monitor *ret_monitor, struct pawl_err *err)
{
	struct pstat stat = { 0 };
	enum pstat_found found;
	int fd;

	if (pid <= 0) {
		*ret_alive = false;
		return PAWL_OK;
	}
	fd = pidfd_open(pid, 0);
	/* EINVAL: the id is that of a thread, so not of a monitor. */
	if (fd < 0 && errno != ESRCH && errno != EINVAL) {
		return pawl_fail_sys(
			err, ERR_IO, "could not hold process %d", (int)pid);
	}
	/* The descriptor holds whoever it is: compare after it is open. */
	found = fd < 0 ? PSTAT_GONE : pstat_read("/proc", pid, &stat);
	if (found == PSTAT_HIDDEN) {
		fd_close(&fd);
		return pawl_fail(
			err, ERR_IO, "could not read /proc/%d/stat", (int)pid);
	}
	if (found == PSTAT_GONE || stat.start != start ||
		pstat_is_dead(&stat)) {
		fd_close(&fd);
		*ret_alive = false;
		return PAWL_OK;
	}
	*ret_monitor = (struct monitor){
		.pid = pid, .start = start, .pidfd = fd, .gate = -1
	};
	*ret_alive = true;
	return PAWL_OK;
}

static void
tell(const struct monitor *m, int signo)
{
	/* It may have ended, which is what the caller will see. */
	(void)pidfd_send_signal(m->pidfd, signo, NULL, 0);
}

void
monitor_end(const struct monitor *m)
{
	tell(m, SIGTERM);
}

void
monitor_force(const struct monitor *m)
{
	tell(m, SIGQUIT);
	tell(m, SIGCONT);
}

void
monitor_pause(const struct monitor *m)
{
	tell(m, SIGTSTP);
}

void
monitor_continue(const struct monitor *m)
{
	tell(m, SIGCONT);
}

void
monitor_hold(const struct monitor *m)
{
	tell(m, SIGUSR1);
}

void
monitor_unhold(const struct monitor *m)
{
	tell(m, SIGUSR2);
}

int
monitor_reap(struct monitor *m)
{
	siginfo_t info = { 0 };
	int rc, status = -1;

	do {
		rc = waitid(P_PIDFD, (id_t)m->pidfd, &info, WEXITED);
	} while (rc < 0 && errno == EINTR);
	if (rc == 0) {
		status = info.si_code == CLD_EXITED ? info.si_status
						    : 128 + info.si_status;
	}
	monitor_close(m);
	return status;
}

void
monitor_close(struct monitor *m)
{
	fd_close(&m->gate);
	fd_close(&m->pidfd);
}
