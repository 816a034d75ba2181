/*
 * count_calls: how many system calls a command makes.
 *
 *	count_calls [-w NAME] CMD...
 *
 * Prints the number of those that returned, from execve on, in the command's
 * own process; its output goes to /dev/null.  With -w it prints three numbers:
 * the writes to files of that name, the syncs of them, and the bytes that were
 * read of them.  Ends with 77 where processes may not be traced, with 1 when
 *the command fails.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

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

struct counts {
	const char *name; /* of the files that are watched; NULL: none */
	unsigned calls, writes, syncs;
	unsigned long long bytes;
	bool reading; /* of such a file; the call hasn't returned yet */
};

/* Is its descriptor one of a file of the name? */
static bool
is_named(pid_t pid, unsigned long fd, const char *name)
{
	char link[64], path[4096];
	size_t len = strlen(name);
	ssize_t n;

	(void)snprintf(link, sizeof(link), "/proc/%d/fd/%lu", (int)pid, fd);
	n = readlink(link, path, sizeof(path));
	return n > (ssize_t)len && path[n - (ssize_t)len - 1] == '/' &&
		memcmp(path + n - len, name, len) == 0;
}

/* Is `nr` one of `some`, which end with a 0? */
static bool
is_of(unsigned long long nr, const unsigned long long *some)
{
	while (*some != 0 && *some != nr + 1)
		some++;
	return *some != 0;
}

#define CALL(name) (SYS_##name + 1ULL)

static const unsigned long long writing[] = { CALL(write), CALL(writev),
	CALL(pwrite64), CALL(pwritev), 0 };
static const unsigned long long reading[] = { CALL(read), CALL(readv),
	CALL(pread64), CALL(preadv), 0 };
static const unsigned long long syncing[] = { CALL(fsync), CALL(fdatasync), 0 };

static void
count_named(pid_t pid, struct counts *c)
{
	struct __ptrace_syscall_info call;
	bool named;

	if (c->name == NULL ||
		ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(call),
			&call) <= 0)
		return;
	if (call.op == PTRACE_SYSCALL_INFO_EXIT) {
		if (c->reading && !call.exit.is_error)
			c->bytes += (unsigned long long)call.exit.rval;
		c->reading = false;
	} else if (call.op == PTRACE_SYSCALL_INFO_ENTRY) {
		named = is_named(pid, call.entry.args[0], c->name);
		c->writes += named && is_of(call.entry.nr, writing);
		c->syncs += named && is_of(call.entry.nr, syncing);
		c->reading = named && is_of(call.entry.nr, reading);
	}
}

/* What ends a call stops the process, and so does what begins one. */
static void
count(pid_t pid, struct counts *c, int *ret_status)
{
	bool counting = false, inside = false;
	int status = 0;

	while (ptrace(PTRACE_SYSCALL, pid, NULL, NULL) == 0 &&
		waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8)) {
			counting = true;
			inside = true;
		} else if (counting && WSTOPSIG(status) == (SIGTRAP | 0x80)) {
			c->calls += inside ? 1 : 0;
			inside = !inside;
			count_named(pid, c);
		}
	}
	*ret_status = status;
}

int
main(int argc, char **argv)
{
	struct counts c = { 0 };
	int status = 0;
	pid_t pid;

	if (argc > 2 && strcmp(argv[1], "-w") == 0) {
		c.name = argv[2];
		argv += 2;
		argc -= 2;
	}
	if (argc < 2)
		die("usage: count_calls [-w NAME] CMD...");
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
	count(pid, &c, &status);
	if (c.name != NULL)
		printf("%u %u %llu\n", c.writes, c.syncs, c.bytes);
	else
		printf("%u\n", c.calls);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : 1;
}
