#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/proc.h"

static const char *const envp[] = { "PATH=/usr/bin:/bin", "ONLY=this", NULL };

static struct proc_ran
run(struct proc_run_spec spec)
{
	struct pawl_err err = { 0 };
	struct proc_ran ran = { 0 };

	if (spec.child.envp == NULL)
		spec.child.envp = envp;
	if (spec.deadline_ms == 0)
		spec.deadline_ms = 5000;
	if (spec.out_max == 0)
		spec.out_max = 1 << 16;
	if (proc_run(&spec, &ran, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	return ran;
}

static struct proc_ran
run_sh(const char *script, uint64_t deadline_ms, uint64_t grace_ms)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };

	return run((struct proc_run_spec){ .child.argv = argv,
		.deadline_ms = deadline_ms,
		.grace_ms = grace_ms });
}

static void
assert_out(struct proc_ran *ran, const char *out, const char *err)
{
	assert_string_equal(ran->out.data ? ran->out.data : "", out);
	assert_string_equal(ran->err.data ? ran->err.data : "", err);
	proc_ran_release(ran);
}

static void
each_end_is_told_apart(void **state)
{
	static const struct {
		const char *script;
		enum proc_end_kind kind;
		int code;
	} rows[] = {
		{ "exit 0", PROC_EXIT, 0 },
		{ "exit 127", PROC_EXIT, 127 },
		{ "exit 255", PROC_EXIT, 255 },
		{ "kill -9 $$", PROC_SIGNAL, 9 },
		{ "kill -15 $$", PROC_SIGNAL, 15 },
		{ "exec sleep 30", PROC_TIMEOUT, 9 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct proc_ran ran = run_sh(rows[i].script, 200, 0);

		assert_int_equal(ran.end.kind, rows[i].kind);
		assert_int_equal(ran.end.code, rows[i].code);
		proc_ran_release(&ran);
	}
}

static void
a_failing_start_is_data_and_runs_nothing(void **state)
{
	static const struct {
		const char *program;
		const char *dir;
		int sys;
	} rows[] = {
		{ "/no/such/program", NULL, ENOENT },
		{ "no-such-program-anywhere", NULL, ENOENT },
		{ "/etc/passwd", NULL, EACCES },
		{ "/bin/true", "/no/such/folder", ENOENT },
		{ "/bin/true", "/etc/passwd", ENOTDIR },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *argv[] = { rows[i].program, NULL };
		struct proc_ran ran = run((struct proc_run_spec){
			.child = { .argv = argv, .dir = rows[i].dir } });

		assert_int_equal(ran.end.kind, PROC_START_FAILED);
		assert_int_equal(ran.end.code, rows[i].sys);
		assert_out(&ran, "", "");
	}
}

static void
output_comes_back_by_stream(void **state)
{
	struct proc_ran ran = run_sh("echo out; echo err >&2; exit 3", 0, 0);

	(void)state;
	assert_int_equal(ran.end.code, 3);
	assert_out(&ran, "out\n", "err\n");
}

static void
input_is_fed_and_its_absence_is_the_end(void **state)
{
	static char big[300000];
	const char *argv[] = { "cat", NULL };
	struct proc_ran ran;

	(void)state;
	memset(big, 'x', sizeof(big));
	ran = run((struct proc_run_spec){ .child.argv = argv,
		.input = { big, sizeof(big) },
		.out_max = 1 << 20 });
	assert_int_equal(ran.end.code, 0);
	assert_int_equal(ran.out.len, sizeof(big));
	assert_memory_equal(ran.out.data, big, sizeof(big));
	proc_ran_release(&ran);
	ran = run((struct proc_run_spec){ .child.argv = argv });
	assert_out(&ran, "", "");
	/* A command that doesn't read its input must not hurt us. */
	argv[0] = "true";
	ran = run((struct proc_run_spec){
		.child.argv = argv, .input = { big, sizeof(big) } });
	assert_int_equal(ran.end.kind, PROC_EXIT);
	assert_int_equal(ran.end.code, 0);
	proc_ran_release(&ran);
}

static void
output_is_bounded_below_at_and_above(void **state)
{
	static const struct {
		size_t out_max;
		size_t kept;
		bool overflow;
	} rows[] = { { 5, 5, true }, { 6, 6, false }, { 7, 6, false } };
	const char *argv[] = { "printf", "abcdef", NULL };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct proc_ran ran = run((struct proc_run_spec){
			.child.argv = argv, .out_max = rows[i].out_max });

		assert_int_equal(ran.out.len, rows[i].kept);
		assert_int_equal(ran.out.overflow, rows[i].overflow);
		assert_int_equal(ran.end.kind, PROC_EXIT);
		proc_ran_release(&ran);
	}
}

/* C056: writing without end is ended by the deadline, within its bound. */
static void
endless_output_ends_at_the_deadline(void **state)
{
	struct proc_ran ran = run_sh("exec yes", 200, 0);

	(void)state;
	assert_int_equal(ran.end.kind, PROC_TIMEOUT);
	assert_int_equal(ran.out.len, 1 << 16);
	assert_true(ran.out.overflow);
	proc_ran_release(&ran);
}

/* C117 */
static void
arguments_pass_untouched(void **state)
{
	const char *argv[] = { "printf", "%s|", "a b", "$(id)", "`id`",
		"x;y\n'\"", "-n", "--", "C-c", "", NULL };
	struct proc_ran ran = run((struct proc_run_spec){ .child.argv = argv });

	(void)state;
	assert_out(&ran, "a b|$(id)|`id`|x;y\n'\"|-n|--|C-c||", "");
}

static void
the_environment_is_exactly_what_was_named(void **state)
{
	const char *argv[] = { "/usr/bin/env", NULL };
	struct proc_ran ran = run((struct proc_run_spec){ .child.argv = argv });

	(void)state;
	assert_out(&ran, "PATH=/usr/bin:/bin\nONLY=this\n", "");
}

static void
the_directory_is_by_name_or_descriptor(void **state)
{
	const char *argv[] = { "/bin/pwd", NULL };
	int fd = open("/usr", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct proc_ran ran;

	(void)state;
	ran = run((struct proc_run_spec){
		.child = { .argv = argv, .dir = "/tmp" } });
	assert_out(&ran, "/tmp\n", "");
	ran = run((struct proc_run_spec){
		.child = { .argv = argv, .dir_fd = fd } });
	assert_out(&ran, "/usr\n", "");
	(void)close(fd);
}

static void
no_descriptor_leaks_either_way(void **state)
{
	const char *argv[] = { "/bin/sh", "-c",
		"for i in 0 1 2 3 4 5 6 7 8 9; do "
		"test ! -e /proc/$$/fd/$i || echo $i; done",
		NULL };
	int leak = open("/dev/null", O_RDONLY); /* not close-on-exec */
	int first = dup(leak);
	struct proc_ran ran;

	(void)state;
	(void)close(first);
	ran = run((struct proc_run_spec){ .child.argv = argv });
	assert_out(&ran, "0\n1\n2\n", "");
	assert_int_equal(dup(leak), first); /* all of ours are closed again */
	(void)close(first);
	(void)close(leak);
}

static void
named_descriptors_arrive_at_their_numbers(void **state)
{
	const char *argv[] = { "/bin/sh", "-c", "echo four >&4; echo three >&3",
		NULL };
	struct pawl_err err = { 0 };
	struct proc_end end;
	struct proc p;
	char text[16] = "";
	int a[2], b[2];

	(void)state;
	assert_int_equal(pipe2(a, O_CLOEXEC), 0);
	assert_int_equal(pipe2(b, O_CLOEXEC), 0);
	/* Crossed on purpose: each stands where the other has to go. */
	assert_int_equal(
		proc_spawn(&(struct proc_spec){ .argv = argv,
				   .fds = (int[]){ -1, -1, -1, b[1], a[1] },
				   .fd_count = 5 },
			&p, &err),
		PAWL_OK);
	assert_int_equal(proc_wait(&p, &end, &err), PAWL_OK);
	assert_int_equal(p.pidfd, -1);
	assert_int_equal(end.kind, PROC_EXIT);
	assert_int_equal(end.code, 0);
	assert_int_equal(read(a[0], text, sizeof(text)), 5);
	assert_memory_equal(text, "four\n", 5);
	assert_int_equal(read(b[0], text, sizeof(text)), 6);
	assert_memory_equal(text, "three\n", 6);
	for (int i = 0; i < 2; i++) {
		(void)close(a[i]);
		(void)close(b[i]);
	}
}

/* C056: a background process keeps the pipe; another ignores TERM. */
static void
a_group_is_gone_when_its_leader_ended(void **state)
{
	struct clock clock = clock_real();
	uint64_t start = clock_boot_ms(&clock);
	struct proc_ran ran = run_sh("sleep 600 & echo $!", 4000, 0);
	pid_t left = (pid_t)atoi(ran.out.data); /* NOLINT(cert-err34-c) */

	(void)state;
	assert_int_equal(ran.end.kind, PROC_EXIT);
	assert_true(clock_boot_ms(&clock) - start < 2000);
	assert_true(left > 1);
	for (int i = 0; i < 100 && kill(left, 0) == 0; i++)
		(void)usleep(10000);
	/* It may stay as a zombie of init; it runs no more. */
	if (kill(left, 0) == 0) {
		char path[64], stat[256] = "";
		FILE *f;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)left);
		f = fopen(path, "re");
		assert_true(f == NULL || fgets(stat, sizeof(stat), f) != NULL);
		assert_true(f == NULL || strstr(stat, ") Z ") != NULL);
		if (f != NULL)
			(void)fclose(f);
	}
	proc_ran_release(&ran);
}

static void
term_comes_first_and_kill_after_the_grace(void **state)
{
	struct proc_ran ran;

	(void)state;
	ran = run_sh("exec 2>/dev/null; trap 'echo bye; exit 7' TERM; echo up; "
		     "while :; do sleep 0.05; done",
		300, 2000);
	assert_int_equal(ran.end.kind, PROC_TIMEOUT);
	assert_int_equal(ran.end.code, 7);
	assert_out(&ran, "up\nbye\n", "");
	ran = run_sh("trap '' TERM; while :; do sleep 0.05; done", 200, 200);
	assert_int_equal(ran.end.kind, PROC_TIMEOUT);
	assert_int_equal(ran.end.code, 9);
	proc_ran_release(&ran);
}

/* glibc leaves its two internal signals, 32 and 33, ignored in a child. */
static void
a_child_has_its_own_session_and_plain_signals(void **state)
{
	const char *argv[] = { "/bin/sh", "-c",
		"read -r pid comm st ppid pgrp sid rest </proc/$$/stat;"
		"test $pid = $pgrp && test $pid = $sid || echo no session;"
		"while read -r name value; do case $name in"
		" SigBlk:) echo $((0x$value)) ;;"
		" SigIgn:) echo $((0x$value & 0x7fffffff)) ;;"
		"esac; done </proc/$$/status",
		NULL };
	sigset_t block, old;
	struct proc_ran ran;

	(void)state;
	(void)sigfillset(&block);
	(void)sigprocmask(SIG_SETMASK, &block, &old);
	(void)signal(SIGPIPE, SIG_IGN);
	ran = run((struct proc_run_spec){ .child.argv = argv });
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	assert_out(&ran, "0\n0\n", "");
}

/* The fork way: what it adds, and that it does the rest alike. */
static void
a_fork_sets_limits_and_passes_the_same(void **state)
{
	const char *argv[] = { "sh", "-c",
		"ulimit -n; pwd; echo $ONLY; "
		"for i in 0 1 2 3 4 5 6 7 8 9 15 16 17 18 40; do "
		"test ! -e /proc/$$/fd/$i || echo $i; done",
		NULL };
	struct proc_limit limit = { RLIMIT_NOFILE, 64 };
	struct pawl_err err = { 0 };
	struct proc_end end;
	struct proc p;
	char text[128] = "";
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(dup2(ends[0], 40), 40); /* not close-on-exec */
	assert_int_equal(proc_fork(&(struct proc_spec){ .argv = argv,
					   .envp = envp,
					   .dir = "/usr",
					   .fds = (int[]){ -1, ends[1] },
					   .fd_count = 2,
					   .limits = &limit,
					   .limit_count = 1 },
				 &p, &err),
		PAWL_OK);
	assert_int_equal(proc_wait(&p, &end, &err), PAWL_OK);
	assert_int_equal(end.code, 0);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "64\n/usr\nthis\n0\n1\n2\n");
	(void)close(40);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static void
a_fork_that_fails_says_at_which_step(void **state)
{
	static const struct {
		const char *program;
		const char *dir;
		uint64_t limit;
		int sys;
		const char *text;
	} rows[] = {
		{ "/no/such", NULL, 64, ENOENT, "could not start '/no/such'" },
		{ "no-such", NULL, 64, ENOENT, "could not start 'no-such'" },
		{ "/etc/passwd", NULL, 64, EACCES, "could not start" },
		{ "true", "/nope", 64, ENOENT, "could not enter '/nope'" },
		{ "true", NULL, INT64_MAX, EPERM, "could not set a limit" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *argv[] = { rows[i].program, NULL };
		struct proc_limit limit = { RLIMIT_NOFILE, rows[i].limit };
		struct pawl_err err = { 0 };
		struct proc p = { .pid = 42 };

		assert_int_equal(proc_fork(&(struct proc_spec){ .argv = argv,
						   .dir = rows[i].dir,
						   .limits = &limit,
						   .limit_count = 1 },
					 &p, &err),
			PAWL_EIO);
		assert_int_equal(err.code, ERR_SPAWN);
		assert_int_equal(err.sys, rows[i].sys);
		assert_non_null(strstr(err.msg, rows[i].text));
		assert_int_equal(p.pid, 42);
		assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* reaped */
	}
}

/* From its first instruction on. */
static void
a_fork_is_confined_before_it_executes(void **state)
{
	const char *argv[] = { "sh", "-c",
		"cat /usr/bin/env >/dev/null; echo $?; "
		"cat /etc/passwd 2>/dev/null; echo $?; "
		"grep -c '^Seccomp:.2' /proc/self/status",
		NULL };
	static const struct landlock_path paths[] = {
		{ "/usr", LANDLOCK_READ, false },
		{ "/lib", LANDLOCK_READ, true },
		{ "/lib64", LANDLOCK_READ, true },
		{ "/bin", LANDLOCK_READ, true },
		{ "/dev/null", LANDLOCK_WRITE, false },
		{ "/proc", LANDLOCK_READ, false },
	};
	const struct landlock_spec spec = { .paths = paths, .count = 6 };
	struct pawl_err err = { 0 };
	struct seccomp filter;
	struct landlock set;
	struct proc_end end;
	struct proc p;
	char text[128] = "";
	int ends[2];

	(void)state;
	if (!seccomp_make(SECCOMP_NO_TRUNCATE, &filter))
		skip();
	assert_int_equal(landlock_make(&spec, &set, &err), PAWL_OK);
	if (set.abi == 0)
		skip();
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	assert_int_equal(proc_fork(&(struct proc_spec){ .argv = argv,
					   .fds = (int[]){ -1, ends[1] },
					   .fd_count = 2,
					   .confine = &set,
					   .filter = &filter },
				 &p, &err),
		PAWL_OK);
	assert_int_equal(proc_wait(&p, &end, &err), PAWL_OK);
	assert_int_equal(end.code, 0);
	assert_true(read(ends[0], text, sizeof(text) - 1) > 0);
	assert_string_equal(text, "0\n1\n1\n");
	landlock_close(&set);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

/* One that can't be has executed nothing. */
static void
a_fork_that_cannot_be_confined_executes_nothing(void **state)
{
	const char *argv[] = { "true", NULL };
	const struct landlock gone = { .fd = -1, .abi = 1 };
	struct pawl_err err = { 0 };
	struct proc p;

	(void)state;
	assert_int_equal(
		proc_fork(&(struct proc_spec){ .argv = argv, .confine = &gone },
			&p, &err),
		PAWL_EIO);
	assert_int_equal(err.code, ERR_SPAWN);
	assert_non_null(strstr(err.msg, "could not be confined"));
}

/* Whoever makes the descriptor readable ends the command before its time. */
static void
a_command_is_stopped_through_a_descriptor(void **state)
{
	const char *argv[] = { "sleep", "60", NULL };
	int ends[2];
	struct proc_ran ran;

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	ran = run((struct proc_run_spec){
		.child.argv = argv, .grace_ms = 5000, .stop = ends[0] });
	assert_true(ran.stopped);
	assert_int_equal(ran.end.kind, PROC_TIMEOUT);
	assert_int_equal(ran.end.code, SIGTERM);
	proc_ran_release(&ran);
	argv[1] = "0";
	(void)close(ends[0]);
	(void)close(ends[1]);
	assert_int_equal(pipe(ends), 0);
	ran = run(
		(struct proc_run_spec){ .child.argv = argv, .stop = ends[0] });
	assert_false(ran.stopped);
	assert_int_equal(ran.end.kind, PROC_EXIT);
	proc_ran_release(&ran);
	(void)close(ends[0]);
	(void)close(ends[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_is_told_apart),
		cmocka_unit_test(a_failing_start_is_data_and_runs_nothing),
		cmocka_unit_test(output_comes_back_by_stream),
		cmocka_unit_test(input_is_fed_and_its_absence_is_the_end),
		cmocka_unit_test(output_is_bounded_below_at_and_above),
		cmocka_unit_test(endless_output_ends_at_the_deadline),
		cmocka_unit_test(arguments_pass_untouched),
		cmocka_unit_test(the_environment_is_exactly_what_was_named),
		cmocka_unit_test(the_directory_is_by_name_or_descriptor),
		cmocka_unit_test(no_descriptor_leaks_either_way),
		cmocka_unit_test(named_descriptors_arrive_at_their_numbers),
		cmocka_unit_test(a_group_is_gone_when_its_leader_ended),
		cmocka_unit_test(term_comes_first_and_kill_after_the_grace),
		cmocka_unit_test(a_child_has_its_own_session_and_plain_signals),
		cmocka_unit_test(a_fork_sets_limits_and_passes_the_same),
		cmocka_unit_test(a_fork_is_confined_before_it_executes),
		cmocka_unit_test(
			a_fork_that_cannot_be_confined_executes_nothing),
		cmocka_unit_test(a_fork_that_fails_says_at_which_step),
		cmocka_unit_test(a_command_is_stopped_through_a_descriptor),
	};

	/* Folders of the PATH that nobody may enter would be another errno. */
	if (setenv("PATH", "/usr/bin:/bin", 1) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
