/*
 * count_calls: how many system calls a command makes.
 *
 *	count_calls CMD...
 *
 * Prints the number of those that returned, from execve on, in the command's
 * own process; its output goes to /dev/null.  Ends with 77 where processes may
 * not be traced, with 1 when the command fails.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/die.h"

enum { CANNOT_TRACE = 77 };

static void
start(char **argv)
{
	int null = open("/dev/null", O_WRONLY);

	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
		_exit(CANNOT_TRACE);
	if (null < 0 || dup2(null, STDOUT_FILENO) < 0 || raise(SIGSTOP) != 0)
		_exit(1);
	(void)close(null);
	(void)execvp(argv[0], argv);
	_exit(1);
}

/* What ends a call stops the process, and so does what begins one. */
static unsigned
count(pid_t pid, int *ret_status)
{
	bool counting = false, inside = false;
	unsigned calls = 0;
	int status = 0;

	while (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 &&
		waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			counting = true;
			inside = true;
		} else if (counting && WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			calls += inside ? 1 : 0;
			inside = !inside;
		}
	}
	*ret_status = status;
	return calls;
}

int
main(int argc, char **argv)
{
	unsigned calls;
	int status = 0;
	pid_t pid;

	if (argc < 2)
		die("usage: count_calls CMD...");
	pid = fork();
	if (pid < 0)
		die("could not fork");
	if (pid == 0)
		start(argv + 1);
	if (waitpid(pid, &status, 0) != pid)
		die("could not wait");
	if (!WIFSTOPPED(status))
		return CANNOT_TRACE;
	if (ptrace(PTRACE_SETOPTIONS, pid, NULL,
		    PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEEXEC |
			    PTRACE_O_EXITKILL) != 0)
		return CANNOT_TRACE;
	calls = count(pid, &status);
	printf("%u\n", calls);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
