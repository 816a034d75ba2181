/* Each call is made in a process of its own, under each filter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/seccomp.h"
#include "tempdir.h"

enum {
	UNIX = SECCOMP_NO_UNIX,
	CUT = SECCOMP_NO_TRUNCATE,
	BOTH = UNIX | CUT,
};

static int
unix_socket(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int
unix_pair(void)
{
	int ends[2];

	return socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static int
inet_socket(void)
{
	return socket(AF_INET, SOCK_STREAM, 0);
}

static int
cut(void)
{
	return truncate("f", 1);
}

static int
cut_by_opening(void)
{
	return open("f", O_RDONLY | O_TRUNC | O_CLOEXEC);
}

static int
cut_by_opening_in_the_old_way(void)
{
#ifdef SYS_open
	return (int)syscall(SYS_open, "f", O_RDONLY | O_TRUNC, 0);
#else
	return cut_by_opening();
#endif
}

static int
cut_by_opening_in_the_new_way(void)
{
	struct {
		uint64_t flags, mode, resolve;
	} how = { O_RDONLY | O_TRUNC, 0, 0 };

	return (int)syscall(SYS_openat2, AT_FDCWD, "f", &how, sizeof(how));
}

static int
open_to_write(void)
{
	return open("f", O_WRONLY | O_TRUNC);
}

static int
open_to_read(void)
{
	return open("f", O_RDONLY);
}

static int
cut_what_is_open(void)
{
	int fd = open("f", O_RDWR);

	return ftruncate(fd, 1);
}

static int
a_ring(void)
{
	char params[256] = { 0 };

	return (int)syscall(SYS_io_uring_setup, 0, params);
}

static const struct {
	int (*call)(void);
	unsigned refused_by; /* any of these */
	int sys;
	const char *name;
} calls[] = {
	{ unix_socket, UNIX, EPERM, "a socket of AF_UNIX" },
	{ unix_pair, 0, 0, "a pair" },
	{ inet_socket, 0, 0, "a socket of AF_INET" },
	{ cut, CUT, EPERM, "truncate" },
	{ cut_by_opening, CUT, EPERM, "open to read with O_TRUNC" },
	{ cut_by_opening_in_the_old_way, CUT, EPERM, "the same by open" },
	{ cut_by_opening_in_the_new_way, CUT, ENOSYS, "the same by openat2" },
	{ open_to_write, 0, 0, "open to write with O_TRUNC" },
	{ open_to_read, 0, 0, "open to read" },
	{ cut_what_is_open, 0, 0, "ftruncate" },
};

enum { CALLS = sizeof(calls) / sizeof(calls[0]) };

/* The number of the first call that isn't as the table says; 0: all are. */
static int
inside(unsigned flags)
{
	struct seccomp filter;

	if (!seccomp_make(flags, &filter) || !seccomp_enter(&filter))
		return CALLS + 1;
	for (int i = 0; i < CALLS; i++) {
		bool refused = (calls[i].refused_by & flags) != 0;
		int rc = calls[i].call();

		if ((rc < 0) != refused || (refused && errno != calls[i].sys))
			return i + 1;
	}
	/* some machines have no rings: never more than without a filter */
	return flags != 0 && (a_ring() >= 0 || errno != ENOSYS) ? CALLS + 2 : 0;
}

static void
each_call_is_as_its_filter_says(void **state)
{
	static const unsigned filters[] = { 0, UNIX, CUT, BOTH };

	(void)state;
	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct tempdir dir = tempdir_open();
		int status;
		pid_t pid;

		assert_int_equal(chdir(dir.path), 0);
		assert_int_equal(system("echo 123 >f"), 0);
		pid = fork();
		if (pid == 0)
			_exit(inside(filters[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) != 0) {
			fail_msg("filter %u: %s", filters[i],
				WEXITSTATUS(status) == CALLS + 1
					? "could not enter"
					: WEXITSTATUS(status) > CALLS
					? "a ring"
					: calls[WEXITSTATUS(status) - 1].name);
		}
		assert_int_equal(chdir("/"), 0);
		tempdir_close(&dir);
	}
}

/* It goes with whatever is executed. */
static void
it_holds_after_an_exec(void **state)
{
	struct seccomp filter;
	int status;
	pid_t pid;

	(void)state;
	assert_true(seccomp_make(BOTH, &filter));
	pid = fork();
	if (pid == 0) {
		if (!seccomp_enter(&filter))
			_exit(3);
		(void)execlp("sh", "sh", "-c",
			"sh -c 'echo x >/dev/null' && grep -q "
			"'^Seccomp:.2' /proc/self/status && grep -q "
			"'^NoNewPrivs:.1' /proc/self/status",
			NULL);
		_exit(4);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_call_is_as_its_filter_says),
		cmocka_unit_test(it_holds_after_an_exec),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
