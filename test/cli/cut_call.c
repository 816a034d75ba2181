/*
 * cut_call: kill a command before one of the system calls that change the
 * world.
 *
 *	cut_call N CMD...
 *
 * Counted are those of the command's own process that make, write, sync, name
 * or remove something, start a process or send a signal.  The N-th is not made:
 * the command is killed there, and what it had started goes on.  Ends with 0
 * when it was killed, with 3 when it ended by itself before, with 77 where
 * processes may not be traced.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#include "base/die.h"
#include "base/num.h"

enum { ENDED_BEFORE = 3, CANNOT_TRACE = 77 };

static const long changing[] = { SYS_write, SYS_pwrite64, SYS_writev,
	SYS_ftruncate, SYS_fallocate, SYS_fsync, SYS_fdatasync, SYS_renameat,
	SYS_renameat2, SYS_linkat, SYS_symlinkat, SYS_unlinkat, SYS_mkdirat,
	SYS_fchmod, SYS_fchmodat, SYS_utimensat, SYS_clone, SYS_clone3,
	SYS_pidfd_send_signal, SYS_kill, SYS_flock, SYS_sendto };

static bool
is_changing(const struct __ptrace_syscall_info *call)
{
	if (call->op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	if (call->entry.nr == SYS_openat)
		return (call->entry.args[2] & (O_CREAT | O_TRUNC)) != 0;
	for (size_t i = 0; i < sizeof(changing) / sizeof(changing[0]); i++) {
		if ((long)call->entry.nr == changing[i])
			return true;
	}
	return false;
}

static void
start(char **argv)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(CANNOT_TRACE);
	if (raise(SIGSTOP) != 0)
		_exit(1);
	(void)execvp(argv[0], argv);
	_exit(1);
}

/* True when it was killed before its `left`-th change. */
static bool
cut(pid_t pid, uint64_t left)
{
	struct __ptrace_syscall_info call;
	bool started = false;
	int status = 0;
	int signo = 0;

	while (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(intptr_t)signo) ==
			0 &&
		waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		signo = 0;
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			started = true;
		} else if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			signo = WSTOPSIG(status);
		} else if (started &&
			ptrace(PTRACE_GET_SYSCALL_INFO, pid,
				(void *)sizeof(call), &call) > 0 &&
			is_changing(&call) && --left == 0) {
			return kill(pid, SIGKILL) == 0 &&
				waitpid(pid, &status, 0) == pid;
		}
	}
	return false;
}

int
main(int argc, char **argv)
{
	struct pawl_err err;
	uint64_t nth = 0;
	int status = 0;
	pid_t pid;

	if (argc < 3 ||
		num_u64(str_from(argv[1]), 1, UINT32_MAX, &nth, &err) !=
			PAWL_OK)
		die("usage: cut_call N CMD...");
	pid = fork();
	if (pid < 0)
		die("could not fork");
	if (pid == 0)
		start(argv + 2);
	if (waitpid(pid, &status, 0) != pid)
		die("could not wait");
	if (!WIFSTOPPED(status) ||
		ptrace(PTRACE_SETOPTIONS, pid, NULL,
			PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
				PTRACE_O_EXITKILL) != 0)
		return CANNOT_TRACE;
	return cut(pid, nth) ? 0 : ENDED_BEFORE;
}
