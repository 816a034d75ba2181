/*
 * The whole monitor: the real pawl-child, real processes, one behaviour a test.
 * PAWL_CHILD names the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "child/log.h"
#include "os/clock.h"
#include "os/monitor.h"
#include "os/proc.h"
#include "os/pstat.h"
#include "os/seccomp.h"
#include "os/tree.h"

struct scene {
	char top[64]; /* folder of this test */
	char outbox[80];
	char exits[80];
	int exits_fd;
	char log[80];
	const char *argv[8];
	const char *envp[8];
	struct monitor_spec spec;
	struct monitor m;
	uint64_t start_ms;
	char exit_json[64 << 10]; /* "" when there is none */
	char output[LOG_FILE_MAX + 2];
	size_t output_len;
	int status; /* of the monitor */
};

static uint64_t
now(void)
{
	struct clock c = clock_real();

	return clock_boot_ms(&c);
}

static void
nap(unsigned ms)
{
	(void)usleep(ms * 1000);
}

/* 0 bytes and "" when there is no such file. */
static size_t
slurp(const char *dir, const char *name, char *to, size_t size)
{
	char path[200];
	size_t len;
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	to[0] = '\0';
	f = fopen(path, "re");
	if (f == NULL)
		return 0;
	len = fread(to, 1, size - 1, f);
	to[len] = '\0';
	(void)fclose(f);
	return len;
}

static bool
is_there(const struct scene *s, const char *name)
{
	char path[200];
	struct stat st;

	(void)snprintf(path, sizeof(path), "%s/%s", s->top, name);
	return lstat(path, &st) == 0;
}

/* A scene whose worker is `sh -c script` in the scene's folder. */
static int
scene_make(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	(void)snprintf(s->top, sizeof(s->top), "/tmp/pawl-child-XXXXXX");
	assert_non_null(mkdtemp(s->top));
	(void)snprintf(s->outbox, sizeof(s->outbox), "%s/outbox", s->top);
	(void)snprintf(s->log, sizeof(s->log), "%s/log", s->top);
	(void)snprintf(s->exits, sizeof(s->exits), "%s/exits", s->top);
	assert_int_equal(mkdir(s->outbox, 0700), 0);
	s->exits_fd = open(s->exits,
		O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	assert_true(s->exits_fd >= 0);
	s->envp[0] = "PATH=/usr/bin:/bin";
	s->spec = (struct monitor_spec){ .program = getenv("PAWL_CHILD"),
		.argv = s->argv,
		.envp = s->envp,
		.name = "a@1",
		.exits = s->exits_fd,
		.outbox = s->outbox,
		.log = s->log,
		.cwd = s->top,
		.deadline_ms = 4000,
		.grace_ms = 200 };
	s->m = (struct monitor){ .pidfd = -1, .gate = -1 };
	assert_non_null(s->spec.program);
	*state = s;
	return 0;
}

static int
scene_free(void **state)
{
	struct scene *s = *state;
	char command[128];

	monitor_close(&s->m);
	(void)close(s->exits_fd);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", s->top);
	/* NOLINTNEXTLINE(cert-env33-c): a path that mkdtemp made */
	assert_int_equal(system(command), 0);
	free(s);
	return 0;
}

static void
spawn(struct scene *s, const char *script)
{
	struct pawl_err err = { 0 };

	if (script != NULL) {
		s->argv[0] = "/bin/sh";
		s->argv[1] = "-c";
		s->argv[2] = script;
	}
	if (monitor_spawn(&s->spec, &s->m, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
}

static void
open_gate(struct scene *s)
{
	struct pawl_err err = { 0 };

	s->start_ms = now();
	if (monitor_open(&s->m, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
}

static bool
ends_within(const struct scene *s, int ms)
{
	struct pollfd p = { .fd = s->m.pidfd, .events = POLLIN };

	return poll(&p, 1, ms) == 1;
}

/* The last line of the file; "" for none, and when it tells no end. */
static void
read_exit(struct scene *s)
{
	char text[sizeof(s->exit_json)];
	size_t len = 0;
	ssize_t n;

	while ((n = pread(s->exits_fd, text + len, sizeof(text) - 1 - len,
			(off_t)len)) > 0)
		len += (size_t)n;
	text[len] = '\0';
	s->exit_json[0] = '\0';
	for (char *line = text, *end; *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		len = (size_t)(end + 1 - line);
		if (len == 1 ||
			memmem(line, len, "\"opened\":true", 13) != NULL)
			continue;
		memcpy(s->exit_json, line, len);
		s->exit_json[len] = '\0';
	}
}

/* What it waits for, since it happens once in a thousand, if at all. */
static void
fail_stuck(struct scene *s)
{
	char dir[64], stat[512], wchan[64], children[256];

	(void)snprintf(dir, sizeof(dir), "/proc/%d", (int)s->m.pid);
	(void)slurp(dir, "stat", stat, sizeof(stat));
	(void)slurp(dir, "wchan", wchan, sizeof(wchan));
	(void)snprintf(dir, sizeof(dir), "/proc/%d/task/%d", (int)s->m.pid,
		(int)s->m.pid);
	(void)slurp(dir, "children", children, sizeof(children));
	monitor_force(&s->m);
	fail_msg("the monitor did not end: in %s, children '%s', stat %s",
		wchan, children, stat);
}

/* Wait for the monitor and read what it left. */
static void
finish(struct scene *s)
{
	if (!ends_within(s, 8000))
		fail_stuck(s);
	s->status = monitor_reap(&s->m);
	read_exit(s);
	s->output_len = slurp(s->top, "log", s->output, sizeof(s->output));
}

/* Its worker runs, and has made a file of that name. */
static void
until_ready(const struct scene *s)
{
	for (int i = 0; i < 4000 && !is_there(s, "ready"); i++)
		nap(5);
}

static void
run(struct scene *s, const char *script)
{
	spawn(s, script);
	open_gate(s);
	finish(s);
	assert_int_equal(s->status, 0);
}

static void
assert_has(const struct scene *s, const char *text)
{
	if (strstr(s->exit_json, text) == NULL)
		fail_msg("no %s in %s", text, s->exit_json);
}

static void
assert_has_not(const struct scene *s, const char *text)
{
	if (strstr(s->exit_json, text) != NULL)
		fail_msg("%s in %s", text, s->exit_json);
}

/* The number after "key": */
static uint64_t
number(const struct scene *s, const char *key)
{
	char quoted[64];
	const char *at;

	(void)snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(s->exit_json, quoted);
	if (at == NULL) {
		fail_msg("no %s in %s", quoted, s->exit_json);
		return 0;
	}
	/* NOLINTNEXTLINE(cert-err34-c): our own output */
	return strtoull(at + strlen(quoted), NULL, 10);
}

static bool
is_running(pid_t pid)
{
	struct pstat stat;

	return pstat_read("/proc", pid, &stat) == PSTAT_HERE &&
		!pstat_is_dead(&stat);
}

/* A process id that the worker wrote; waits until it is there. */
static pid_t
pid_from(const struct scene *s, const char *name)
{
	char text[32];

	for (int i = 0; i < 200; i++) {
		if (slurp(s->top, name, text, sizeof(text)) > 1 &&
			strchr(text, '\n') != NULL)
			return (pid_t)strtol(text, NULL, 10);
		nap(10);
	}
	fail_msg("no %s", name);
	return -1;
}

/* C043: an early crash with much output; the exit status wins, at once. */
static void
a_crash_after_much_output_is_an_exit_at_once(void **state)
{
	struct scene *s = *state;

	run(s, "head -c 1048576 /dev/zero >&2; exit 3");
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":3,");
	assert_has(s, "\"stderr\":{\"bytes\":1048576,");
	assert_true(number(s, "duration_ms") < 2000);
	assert_true(number(s, "settle_ms") < 100);
	assert_true(now() - s->start_ms < 2500);
}

/* C045: TERM is ignored; no marker is written after the recorded end. */
static void
a_worker_that_ignores_term_is_gone_at_the_end(void **state)
{
	struct scene *s = *state;
	char before[4096], after[4096];
	size_t len;

	s->spec.deadline_ms = 300;
	run(s, "trap '' TERM; while :; do echo x >>marker; sleep 0.02; done");
	len = slurp(s->top, "marker", before, sizeof(before));
	assert_true(len > 4);
	assert_has(s,
		"{\"v\":1,\"of\":\"a@1\",\"timeout\":true,\"limit_ms\":300,"
		"\"last\":{\"signal\":9},");
	assert_true(number(s, "duration_ms") >= 500);
	assert_true(now() - s->start_ms < 2500);
	nap(150);
	assert_int_equal(slurp(s->top, "marker", after, sizeof(after)), len);
}

static void
a_worker_that_heeds_term_ends_without_kill(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 300;
	s->spec.grace_ms = 3000;
	run(s,
		"exec 2>/dev/null; trap 'echo bye; exit 5' TERM; "
		"while :; do sleep 0.02; done");
	assert_has(
		s, "\"timeout\":true,\"limit_ms\":300,\"last\":{\"exit\":5}");
	assert_has(s, "\"survivors\":[],");
	assert_string_equal(s->output, "bye\n");
	assert_true(now() - s->start_ms < 2500);
}

/* C054: the end comes from outside. */
static void
a_kill_from_outside_is_a_signal_within_a_second(void **state)
{
	struct scene *s = *state;
	uint64_t killed_ms;

	spawn(s, "echo $$ >pid; exec sleep 60");
	open_gate(s);
	assert_int_equal(kill(pid_from(s, "pid"), SIGKILL), 0);
	killed_ms = now();
	finish(s);
	assert_true(now() - killed_ms < 1000);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"signal\":9,");
	assert_has_not(s, "timeout");
}

/* C056: three ways to hang on; each ends within limit and grace. */
static void
what_hangs_on_is_ended_within_limit_and_grace(void **state)
{
	static const char *const scripts[] = {
		"sleep 600 & echo $! >pid; echo started; wait",
		"trap '' TERM; (sleep 600 & echo $! >pid; wait) & "
		"echo started; wait; sleep 600",
		"setsid sh -c 'trap \"\" TERM; echo $$ >pid; "
		"while :; do sleep 600; done' & echo started; sleep 600",
	};
	struct scene *s = *state;

	s->spec.deadline_ms = 300;
	for (size_t i = 0; i < 3; i++) {
		run(s, scripts[i]);
		assert_true(now() - s->start_ms < 2500);
		assert_string_equal(s->output, "started\n");
		assert_has(s, "\"timeout\":true");
		assert_has(s, "\"remaining\":[]");
		assert_false(is_running(pid_from(s, "pid")));
		(void)remove(s->log);
	}
}

/* C056: a check that leaves a background process with its pipe open. */
static void
a_background_process_with_the_pipe_does_not_hold_us_up(void **state)
{
	struct scene *s = *state;

	run(s, "sleep 600 & echo $! >pid; echo started");
	assert_true(now() - s->start_ms < 1500);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":0,");
	assert_has(s, "\"comm\":\"sleep\"");
	assert_string_equal(s->output, "started\n");
	assert_false(is_running(pid_from(s, "pid")));
}

/* C057: servers left behind in each known way are listed and ended. */
static void
servers_left_behind_are_listed_and_ended(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	struct scene *s = *state;
	char listed[64];

	run(s,
		"nohup sh -c 'echo $$ >a; exec sleep 600' >/dev/null 2>&1 &\n"
		"sh -c 'echo $$ >b; exec sleep 600' >/dev/null 2>&1 &\n"
		"(setsid sh -c 'echo $$ >c; exec sleep 600' >/dev/null 2>&1 "
		"&)\n"
		"(trap '' TERM; sh -c 'echo $$ >d; exec sleep 600' &)\n"
		"while [ ! -s a ] || [ ! -s b ] || [ ! -s c ] || [ ! -s d ]; "
		"do "
		"sleep 0.01; done");
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":0,");
	assert_int_equal(number(s, "survivor_count"), 4);
	for (size_t i = 0; i < 4; i++) {
		pid_t pid = pid_from(s, names[i]);

		(void)snprintf(
			listed, sizeof(listed), "{\"pid\":%d,", (int)pid);
		assert_has(s, listed);
		assert_false(is_running(pid));
	}
	assert_has(s, "\"remaining\":[]");
}

/* What is about to end anyway is no survivor. */
static void
a_helper_that_ends_by_itself_is_no_survivor(void **state)
{
	struct scene *s = *state;

	run(s, "(sleep 0.03; echo late) & exit 0");
	assert_has(s, "\"survivors\":[],");
	assert_string_equal(s->output, "late\n");
}

static void
processes_that_fork_without_end_are_caught(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 300;
	s->spec.grace_ms = 0;
	/* Each generation makes the next in a new session, and ends. */
	s->argv[0] = "/bin/sh";
	s->argv[1] = "-c";
	s->argv[2] = "echo x >>gen; setsid \"$0\" -c \"$1\" \"$0\" \"$1\" &";
	s->argv[3] = "/bin/sh";
	s->argv[4] = s->argv[2];
	spawn(s, NULL);
	open_gate(s);
	finish(s);
	assert_int_equal(s->status, 0);
	assert_has(s, "\"remaining\":[]");
	assert_true(now() - s->start_ms < 3000);
}

static void
a_closed_gate_executes_nothing_and_leaves_nothing(void **state)
{
	struct scene *s = *state;
	int dir = open(s->outbox, O_RDONLY | O_DIRECTORY);
	size_t entries = 0;
	DIR *d;

	spawn(s, "echo ran >ran");
	assert_false(ends_within(s, 100));
	assert_int_equal(close(s->m.gate), 0);
	s->m.gate = -1;
	finish(s);
	assert_int_equal(s->status, 0);
	assert_false(is_there(s, "ran"));
	assert_false(is_there(s, "log"));
	d = fdopendir(dir);
	assert_non_null(d);
	while (readdir(d) != NULL)
		entries++;
	(void)closedir(d);
	assert_int_equal(entries, 2); /* . and .. */
	assert_int_equal(lseek(s->exits_fd, 0, SEEK_END), 0);
}

static void
term_before_the_gate_executes_nothing(void **state)
{
	struct scene *s = *state;
	struct pawl_err err = { 0 };

	spawn(s, "echo ran >ran");
	nap(50); /* it may not have blocked the signal yet; both must hold */
	monitor_end(&s->m);
	assert_true(ends_within(s, 2000));
	assert_int_equal(monitor_open(&s->m, &err), PAWL_EIO);
	assert_int_equal(err.code, ERR_SPAWN);
	finish(s);
	assert_false(is_there(s, "ran"));
	assert_string_equal(s->exit_json, "");
}

/*
 * A coordinator in a process of its own that is killed, with the gate open or
 * closed; tells the identity of its monitor first, as the journal would.
 */
static void
coordinate_and_die(struct scene *s, const char *script, bool open)
{
	pid_t pid;
	int ends[2];
	int status;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		spawn(s, script);
		if (write(ends[1], &s->m, sizeof(s->m)) != sizeof(s->m))
			_exit(1);
		if (open)
			open_gate(s);
		(void)raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(read(ends[0], &s->m, sizeof(s->m)), sizeof(s->m));
	s->m.pidfd = s->m.gate = -1; /* theirs, not ours */
	(void)close(ends[0]);
	(void)close(ends[1]);
}

static bool
adopt(struct scene *s, pid_t pid, uint64_t start)
{
	struct pawl_err err = { 0 };
	bool alive = false;

	if (monitor_adopt(pid, start, &alive, &s->m, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	return alive;
}

static void
a_worker_outlives_its_coordinator_and_is_adopted(void **state)
{
	struct scene *s = *state;
	struct monitor before;

	coordinate_and_die(s, "echo one; sleep 0.4; echo two; exit 6", true);
	before = s->m;
	assert_true(adopt(s, before.pid, before.start));
	assert_int_equal(s->m.pid, before.pid);
	assert_string_equal(s->exit_json, "");
	assert_true(ends_within(s, 4000));
	assert_int_equal(monitor_reap(&s->m), -1); /* no child of ours */
	read_exit(s);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":6,");
	(void)slurp(s->top, "log", s->output, sizeof(s->output));
	assert_string_equal(s->output, "one\ntwo\n");
	assert_false(adopt(s, before.pid, before.start));
}

static void
a_deadline_outlives_the_coordinator(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 300;
	coordinate_and_die(s, "sleep 60", true);
	assert_true(adopt(s, s->m.pid, s->m.start));
	assert_true(ends_within(s, 3000));
	read_exit(s);
	assert_has(s, "\"timeout\":true");
}

static void
a_coordinator_that_dies_before_the_gate_started_nothing(void **state)
{
	struct scene *s = *state;

	coordinate_and_die(s, "echo ran >ran", false);
	for (int i = 0; i < 200 && is_running(s->m.pid); i++)
		nap(10);
	assert_false(is_running(s->m.pid));
	assert_false(is_there(s, "ran"));
	assert_false(is_there(s, "log"));
	assert_int_equal(lseek(s->exits_fd, 0, SEEK_END), 0);
}

/* A process id that was used again is another process. */
static void
another_start_time_is_not_adopted(void **state)
{
	struct scene *s = *state;
	struct monitor mine;

	spawn(s, "exit 0");
	mine = s->m;
	assert_false(adopt(s, mine.pid, mine.start + 1));
	assert_false(adopt(s, mine.pid, mine.start - 1));
	assert_false(adopt(s, 0, mine.start));
	assert_false(adopt(s, -1, mine.start));
	assert_int_equal(s->m.pidfd, mine.pidfd); /* untouched */
	assert_true(adopt(s, mine.pid, mine.start));
	monitor_close(&s->m);
	s->m = mine;
	open_gate(s);
	assert_true(ends_within(s, 4000));
	/* A zombie is nobody to take over, although its id is taken. */
	assert_false(adopt(s, mine.pid, mine.start));
	finish(s);
}

/* C120 */
static void
secrets_are_masked_wherever_writes_cut_them(void **state)
{
	static const char *const masks[] = { "TOKEN", "KEY", "UNSET", NULL };
	struct scene *s = *state;

	s->spec.masks = masks;
	s->envp[1] = "TOKEN=s3cret-value";
	s->envp[2] = "KEY=line one is long\nline two is long";
	run(s,
		"printf 'a s3cret-value b\\n'; printf 'c s3cr'; sleep 0.05; "
		"printf 'et-val'; sleep 0.05; printf 'ue d\\n'; "
		"printf 's3cret'; echo; env | grep TOKEN >&2; "
		"printf '[line two is long]\\n'; echo \"$KEY\"");
	assert_null(strstr(s->output, "s3cret-value"));
	assert_null(strstr(s->output, "line one"));
	assert_null(strstr(s->output, "line two"));
	assert_non_null(strstr(s->output, "a *** b\nc *** d\ns3cret\n"));
	assert_non_null(strstr(s->output, "TOKEN=***\n"));
	assert_non_null(strstr(s->output, "[***]\n"));
	assert_int_equal(number(s, "masked"), 5);
	assert_null(strstr(s->exit_json, "s3cret-value"));
}

static void
much_output_is_bounded_by_leaving_out_the_middle(void **state)
{
	struct scene *s = *state;
	struct stat st;

	run(s, "yes 12345678 | head -c 9437184; echo the end");
	assert_int_equal(stat(s->log, &st), 0);
	assert_true(st.st_size <= LOG_FILE_MAX);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_true(strncmp(s->output, "12345678\n", 9) == 0);
	assert_non_null(strstr(s->output, "\n*** pawl: "));
	assert_true(strcmp(s->output + s->output_len - 8, "the end\n") == 0);
	assert_has(s, "\"head\":32768,\"tail\":32768,\"dropped\":");
}

/* The digest is of all of it, also of what the log leaves out. */
static void
the_digest_is_what_sha256sum_says(void **state)
{
	struct scene *s = *state;
	char hex[128], expected[200];

	run(s,
		"yes 12345678 | head -c 10000000 | tee copy; "
		"sha256sum <copy | cut -d' ' -f1 | tr -d '\\n' >sum");
	assert_int_equal(slurp(s->top, "sum", hex, sizeof(hex)), SHA256_HEX);
	(void)snprintf(expected, sizeof(expected),
		"\"stdout\":{\"bytes\":10000000,\"sha256\":\"%s\"}", hex);
	assert_has(s, expected);
}

/* Someone who looks while the worker runs sees the newest output. */
static void
the_log_grows_while_the_worker_runs_and_stays_in_its_bound(void **state)
{
	struct scene *s = *state;
	struct stat st;
	uint64_t seen = 0;

	spawn(s, "exec yes");
	open_gate(s);
	while (seen <= LOG_HEAD + LOG_TAIL && !ends_within(s, 20)) {
		if (stat(s->log, &st) == 0)
			seen = (uint64_t)st.st_size;
		assert_true(seen <= LOG_FILE_MAX);
	}
	/* Long before the deadline, so it isn't the last word. */
	assert_true(seen > LOG_HEAD + LOG_TAIL);
	assert_true(now() - s->start_ms < s->spec.deadline_ms - 500);
	monitor_force(&s->m);
	finish(s);
	assert_true(s->output_len <= LOG_FILE_MAX);
}

static void
a_start_that_fails_says_why(void **state)
{
	static const char *const limits[] = { "nofile=99999999999", NULL };
	struct scene *s = *state;
	char path[200];
	int fd;

	s->argv[0] = "/no/such/program";
	run(s, NULL);
	assert_has(s,
		"{\"v\":1,\"of\":\"a@1\",\"start_failed\":\"could not start "
		"'/no/such/program': No such file or directory\","
		"\"errno\":2,");
	s->argv[0] = "no-such-program";
	run(s, NULL);
	assert_has(s, "\"errno\":2,");
	(void)snprintf(path, sizeof(path), "%s/plain", s->top);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	assert_int_equal(write(fd, "echo ran >ran\n", 14), 14);
	s->argv[0] = path;
	run(s, NULL);
	assert_has(s, "Permission denied\",\"errno\":13,");
	/* Executable, but of no known format: never handed to a shell. */
	assert_int_equal(fchmod(fd, 0755), 0);
	(void)close(fd);
	run(s, NULL);
	assert_has(s, "Exec format error\",\"errno\":8,");
	assert_false(is_there(s, "ran"));
	s->argv[0] = "true";
	s->spec.cwd = "/no/such/folder";
	run(s, NULL);
	assert_has(s, "could not enter '/no/such/folder'");
	s->spec.cwd = NULL;
	s->spec.input = "/no/such/input";
	run(s, NULL);
	assert_has(s, "could not open input '/no/such/input'");
	s->spec.input = "/dev/zero";
	run(s, NULL);
	assert_has(s, "input '/dev/zero' is no regular file");
	s->spec.input = NULL;
	s->spec.limits = limits;
	run(s, NULL);
	assert_has(s, "could not set a limit");
}

static void
a_log_that_is_a_link_is_not_followed(void **state)
{
	struct scene *s = *state;
	char target[200];

	(void)snprintf(target, sizeof(target), "%s/target", s->top);
	assert_int_equal(symlink(target, s->log), 0);
	run(s, "echo ran >ran; echo text");
	assert_has(s, "\"exit\":0,");
	assert_has(s, "\"failed\":\"Too many levels of symbolic links\"");
	assert_false(is_there(s, "target"));
	assert_true(is_there(s, "ran"));
}

static void
a_bad_outbox_ends_the_monitor_before_the_gate(void **state)
{
	struct scene *s = *state;

	s->spec.outbox = "/no/such/outbox";
	spawn(s, "echo ran >ran");
	finish(s);
	assert_int_equal(s->status, PAWL_EIO);
	assert_false(is_there(s, "ran"));
}

/* Orphans are taken in while the worker still runs. */
static void
no_zombies_gather(void **state)
{
	struct scene *s = *state;
	struct tree tree = { 0 };
	size_t zombies = 0;

	spawn(s,
		"i=0; while [ $i -lt 40 ]; do (true &); i=$((i + 1)); done; "
		"echo x >ready; sleep 60");
	open_gate(s);
	until_ready(s);
	nap(100);
	tree_read("/proc", s->m.pid, &tree);
	for (size_t i = 0; i < tree.count; i++)
		zombies += tree.items[i].state == 'Z' ? 1 : 0;
	assert_true(tree.count >= 1);
	tree_release(&tree);
	assert_int_equal(zombies, 0);
	monitor_force(&s->m);
	finish(s);
}

static void
the_worker_gets_three_descriptors_and_no_terminal(void **state)
{
	struct scene *s = *state;

	run(s,
		"for i in 0 1 2 3 4 5 6 7 8 9 10 11 12 20; do "
		"test ! -e /proc/$$/fd/$i || echo $i; done; "
		"readlink /proc/$$/fd/0; : </dev/tty && echo terminal; exit 0");
	assert_true(strncmp(s->output, "0\n1\n2\n/dev/null\n", 16) == 0);
	assert_null(strstr(s->output, "terminal"));
}

/* C117 */
static void
arguments_pass_untouched(void **state)
{
	struct scene *s = *state;

	s->argv[0] = "printf";
	s->argv[1] = "[%s]";
	s->argv[2] = "it's \"quoted\" `id` $(id) ;|&";
	s->argv[3] = "two\nlines";
	s->argv[4] = "--gate";
	s->argv[5] = "C-c";
	s->argv[6] = "";
	run(s, NULL);
	assert_string_equal(s->output,
		"[it's \"quoted\" `id` $(id) ;|&][two\nlines][--gate][C-c][]");
}

static void
the_environment_is_exactly_what_was_given(void **state)
{
	struct scene *s = *state;

	s->argv[0] = "/usr/bin/env";
	s->envp[1] = "PAWL_ATTEMPT=API-01@2";
	run(s, NULL);
	assert_string_equal(
		s->output, "PATH=/usr/bin:/bin\nPAWL_ATTEMPT=API-01@2\n");
}

static void
input_comes_from_a_file(void **state)
{
	struct scene *s = *state;
	char path[200];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/prompt", s->top);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs("do $(this)\n", f) >= 0);
	assert_int_equal(fclose(f), 0);
	s->spec.input = path;
	run(s, "cat");
	assert_string_equal(s->output, "do $(this)\n");
}

static void
limits_hold_for_the_worker(void **state)
{
	static const char *const limits[] = { "nofile=64", "core=0", NULL };
	struct scene *s = *state;

	s->spec.limits = limits;
	run(s, "ulimit -n; ulimit -Hn; ulimit -c");
	assert_string_equal(s->output, "64\n64\n0\n");
}

/* The monitor itself isn't: it goes on writing its log and its line. */
static void
a_rule_set_holds_for_the_worker_alone(void **state)
{
	struct scene *s = *state;
	const struct landlock_path paths[] = {
		{ "/", LANDLOCK_READ, false },
		{ "/dev/null", LANDLOCK_WRITE, true },
		{ s->outbox, LANDLOCK_WRITE, false },
	};
	const struct landlock_spec spec = { .paths = paths, .count = 3 };
	struct pawl_err err = { 0 };
	struct landlock set;

	assert_int_equal(landlock_make(&spec, &set, &err), PAWL_OK);
	if (set.abi == 0)
		skip();
	s->spec.confine = &set;
	run(s,
		"echo in >outbox/f && (echo out >f) 2>/dev/null || echo "
		"refused;"
		" ls /proc/self/fd | wc -l");
	landlock_close(&set);
	assert_string_equal(s->output, "refused\n4\n");
	assert_true(is_there(s, "outbox/f"));
	assert_false(is_there(s, "f"));
	assert_has(s, "\"exit\":0,");
}

static void
refused_calls_are_the_workers(void **state)
{
	struct scene *s = *state;
	struct seccomp any;

	if (!seccomp_make(SECCOMP_NO_UNIX, &any))
		skip();
	s->spec.refused = SECCOMP_NO_UNIX;
	run(s, "grep Seccomp: /proc/self/status | tr -d '\\t'");
	assert_string_equal(s->output, "Seccomp:2\n");
}

static void
without_a_network_there_is_a_loopback_of_its_own(void **state)
{
	struct scene *s = *state;
	char wanted[32];

	s->spec.apart.net = true;
	if (!proc_can_isolate(&s->spec.apart))
		skip();
	run(s,
		"tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' ';"
		" readlink /proc/self/ns/net | cut -d: -f1; id -u");
	(void)snprintf(wanted, sizeof(wanted), "lo\nnet\n%u\n", getuid());
	assert_string_equal(s->output, wanted);
}

static void
what_is_protected_is_read_only_below_a_granted_folder(void **state)
{
	struct scene *s = *state;
	const char *protect[] = { s->outbox, NULL };

	s->spec.apart.protect = protect;
	if (!proc_can_isolate(&s->spec.apart))
		skip();
	run(s,
		"echo x >f && (echo x >outbox/f) 2>/dev/null || echo refused;"
		" (umount outbox || rmdir outbox) 2>/dev/null || echo stays");
	assert_string_equal(
		s->output, getuid() == 0 ? "refused\n" : "refused\nstays\n");
	assert_true(is_there(s, "f"));
	assert_false(is_there(s, "outbox/f"));
	/* Others write there as ever. */
	assert_int_equal(mkdirat(AT_FDCWD, s->outbox, 0700), -1);
	assert_int_equal(access(s->outbox, W_OK), 0);
}

static void
namespaces_that_cant_be_made_are_a_start_that_failed(void **state)
{
	static const char *const protect[] = { "/no/such/folder", NULL };
	struct scene *s = *state;

	s->spec.apart.protect = protect;
	run(s, "echo ran");
	assert_has(s, "\"start_failed\":\"could not be given namespaces: ");
	assert_string_equal(s->output, "");
}

static void
asked_to_end_it_says_interrupted_and_what_was_silent(void **state)
{
	struct scene *s = *state;

	spawn(s, "echo up; echo x >ready; sleep 60");
	open_gate(s);
	until_ready(s);
	nap(250);
	monitor_end(&s->m);
	finish(s);
	assert_has(s,
		"{\"v\":1,\"of\":\"a@1\",\"interrupted\":true,\"last\":{"
		"\"signal\":15},");
	assert_has(s, "\"silent\":{\"output_ms\":");
	assert_true(number(s, "output_ms") >= 150);
	assert_true(number(s, "heartbeat_ms") >= 200);
	assert_has(s, "\"survivors\":[]");
}

/* The heartbeat is the outbox folder's time, the output is older. */
static void
a_heartbeat_is_a_sign_of_life(void **state)
{
	struct scene *s = *state;
	char script[400];

	s->spec.deadline_ms = 1200;
	(void)snprintf(script, sizeof(script),
		"echo up; while :; do touch %s; sleep 0.02; done", s->outbox);
	run(s, script);
	assert_has(s, "\"timeout\":true");
	assert_true(number(s, "output_ms") > 800);
	assert_true(number(s, "heartbeat_ms") < 400);
	assert_true(number(s, "cpu_ms") < 800);
}

static void
force_leaves_out_the_grace(void **state)
{
	struct scene *s = *state;
	uint64_t asked_ms;

	s->spec.grace_ms = 60000;
	spawn(s, "trap '' TERM; echo $$ >pid; while :; do sleep 1; done");
	open_gate(s);
	(void)pid_from(s, "pid");
	monitor_end(&s->m);
	assert_false(ends_within(s, 200));
	asked_ms = now();
	monitor_force(&s->m);
	finish(s);
	assert_true(now() - asked_ms < 1500);
	assert_has(s, "\"interrupted\":true,\"last\":{\"signal\":9}");
}

/* C029: a monitor that was stopped is alive, and can be woken to end. */
static void
a_stopped_monitor_can_be_forced(void **state)
{
	struct scene *s = *state;

	spawn(s, "echo x >ready; sleep 60");
	open_gate(s);
	until_ready(s);
	assert_int_equal(kill(s->m.pid, SIGSTOP), 0);
	nap(50);
	assert_true(is_running(s->m.pid));
	monitor_force(&s->m);
	finish(s);
	assert_has(s, "\"interrupted\":true");
}

/* Both have come when the monitor looks: the worker's own end counts. */
static void
an_end_together_with_the_deadline_is_the_workers(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 500;
	spawn(s, "echo x >ready; sleep 0.3; exit 4");
	open_gate(s);
	until_ready(s);
	assert_int_equal(kill(s->m.pid, SIGSTOP), 0);
	nap(900);
	assert_int_equal(kill(s->m.pid, SIGCONT), 0);
	finish(s);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":4,");
	assert_has_not(s, "timeout");
}

/* A stopped worker can't act on TERM: it is continued for that. */
static void
a_stopped_worker_ends_at_its_deadline(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 300;
	s->spec.grace_ms = 3000;
	run(s, "kill -STOP $$");
	assert_has(s,
		"\"timeout\":true,\"limit_ms\":300,"
		"\"last\":{\"signal\":15}");
	assert_true(now() - s->start_ms < 2500);
}

static void
a_pause_stops_the_deadline_too(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 600;
	spawn(s,
		"echo $$ >pid; i=0; while [ $i -lt 10 ]; do "
		"sleep 0.02; i=$((i + 1)); done; exit 4");
	open_gate(s);
	(void)pid_from(s, "pid");
	monitor_pause(&s->m);
	assert_false(ends_within(s, 900));
	monitor_continue(&s->m);
	finish(s);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":4,");
	assert_true(number(s, "duration_ms") >= 900);
}

/* C046: its clock stands still, and the worker goes on. */
static void
a_held_worker_works_on_past_its_deadline(void **state)
{
	struct scene *s = *state;
	char answer[128];

	s->spec.deadline_ms = 1000;
	spawn(s,
		"echo $$ >pid; until test -e answer; do sleep 0.02; done; "
		"exit 5");
	open_gate(s);
	(void)pid_from(s, "pid");
	monitor_hold(&s->m);
	monitor_hold(&s->m);
	assert_false(ends_within(s, 1300));
	(void)snprintf(answer, sizeof(answer), "%s/answer", s->top);
	assert_int_equal(mkdir(answer, 0700), 0);
	monitor_unhold(&s->m);
	finish(s);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":5,");
	assert_true(number(s, "held_ms") >= 1250);
}

static void
a_worker_that_is_held_no_more_meets_its_deadline(void **state)
{
	struct scene *s = *state;

	s->spec.deadline_ms = 1000;
	spawn(s, "echo $$ >pid; sleep 60");
	open_gate(s);
	(void)pid_from(s, "pid");
	monitor_hold(&s->m);
	assert_false(ends_within(s, 1200));
	monitor_unhold(&s->m);
	finish(s);
	assert_has(s, "\"timeout\":true,\"limit_ms\":1000,");
	assert_true(number(s, "held_ms") >= 1150);
}

/* A worker may write to what it finds; the last line counts, and is ours. */
static void
a_forged_end_is_not_the_last(void **state)
{
	struct scene *s = *state;
	char script[400];

	(void)snprintf(script, sizeof(script),
		"echo '{\"v\":1,\"of\":\"a@1\",\"exit\":0}' >>%s; exit 9",
		s->exits);
	run(s, script);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":9,");
	(void)snprintf(script, sizeof(script),
		"printf '{\"v\":1,\"of' >>%s; exit 8", s->exits);
	run(s, script);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":8,");
	(void)snprintf(script, sizeof(script), "rm %s; exit 7", s->exits);
	run(s, script);
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":7,");
}

/* Whoever has to tell what a killed monitor did knows that it began. */
static void
an_opened_gate_is_written_down_before_the_worker_runs(void **state)
{
	struct scene *s = *state;
	char text[200] = "", want[200];

	spawn(s, "echo x >ready; sleep 60");
	assert_int_equal(lseek(s->exits_fd, 0, SEEK_END), 0);
	open_gate(s);
	until_ready(s);
	assert_true(pread(s->exits_fd, text, sizeof(text) - 1, 0) > 0);
	(void)snprintf(want, sizeof(want),
		"\n{\"v\":1,\"of\":\"a@1\",\"opened\":true,\"monitor\":"
		"{\"pid\":%d,\"start\":%llu}}\n",
		(int)s->m.pid, (unsigned long long)s->m.start);
	assert_string_equal(text, want);
	monitor_force(&s->m);
	finish(s);
}

/* Nothing is executed that couldn't be told from what never ran. */
static void
what_cannot_be_written_down_is_not_executed(void **state)
{
	struct scene *s = *state;

	s->spec.exits = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_true(s->spec.exits >= 0);
	spawn(s, "echo ran >ran");
	open_gate(s);
	finish(s);
	(void)close(s->spec.exits);
	assert_int_equal(s->status, PAWL_EIO);
	assert_false(is_there(s, "ran"));
}

/* A check has no outbox; its input may be bytes instead of a file. */
static void
an_outbox_may_be_left_out_and_input_be_bytes(void **state)
{
	struct scene *s = *state;

	s->spec.outbox = NULL;
	s->spec.input_bytes = STR("told\n");
	run(s, "cat");
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":0,");
	assert_string_equal(s->output, "told\n");
	s->spec.input_bytes = STR("");
	assert_int_equal(unlink(s->log), 0);
	run(s, "cat; test ! -e log");
	assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":0,");
	assert_false(is_there(s, "log")); /* nothing was printed */
}

/* A dead monitor watches nobody, so its worker must not go on. */
static void
a_worker_dies_with_its_monitor(void **state)
{
	struct scene *s = *state;
	pid_t worker;

	spawn(s, "echo $$ >pid; exec sleep 60");
	open_gate(s);
	worker = pid_from(s, "pid");
	assert_int_equal(kill(s->m.pid, SIGKILL), 0);
	finish(s);
	assert_int_equal(s->status, 128 + SIGKILL);
	assert_string_equal(s->exit_json, "");
	for (int i = 0; i < 100 && is_running(worker); i++)
		nap(10);
	assert_false(is_running(worker));
}

/* C058: whoever removes a worktree meets no monitor in it. */
static void
the_monitor_stays_in_no_folder(void **state)
{
	struct scene *s = *state;
	char link[64], target[64] = "";

	spawn(s, "echo x >ready; sleep 60");
	open_gate(s);
	until_ready(s);
	(void)snprintf(link, sizeof(link), "/proc/%d/cwd", (int)s->m.pid);
	assert_int_equal(readlink(link, target, sizeof(target)), 1);
	assert_string_equal(target, "/");
	monitor_force(&s->m);
	finish(s);
}

/* `pkill -f` by a worker that looks for its own server. */
static void
the_monitor_does_not_carry_the_command_line_of_its_worker(void **state)
{
	struct scene *s = *state;
	char text[4096], dir[64];
	size_t len;

	spawn(s, "echo x >ready; : my-dev-server; sleep 60");
	open_gate(s);
	until_ready(s);
	(void)snprintf(dir, sizeof(dir), "/proc/%d", (int)s->m.pid);
	len = slurp(dir, "cmdline", text, sizeof(text));
	assert_true(len > 0);
	assert_non_null(memmem(text, len, s->outbox, strlen(s->outbox)));
	assert_null(memmem(text, len, "my-dev-server", 13));
	assert_null(memmem(text, len, "/bin/sh", 7));
	monitor_force(&s->m);
	finish(s);
}

static void
wrong_arguments_are_refused(void **state)
{
	static const struct {
		const char *key;
		const char *value;
	} rows[] = {
		{ "--outbox", "relative" },
		{ "--deadline-ms", "0" },
		{ "--deadline-ms", "604800001" },
		{ "--grace-ms", "600001" },
		{ "--limit", "nonsense=1" },
		{ "--limit", "nofile" },
		{ "--limit", "nofile=-1" },
		{ "--gate", "x" },
		{ "--exits", "x" },
		{ "--name", "" },
		{ "--nothing", "1" },
	};
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct proc_run_spec spec = {
			.child.argv = (const char *[]){ s->spec.program,
				"--gate", "0", "--exits", "1", "--name", "a@1",
				"--log", s->log, "--deadline-ms", "1000",
				rows[i].key, rows[i].value, "--", "/bin/sh",
				"-c", "exit 0", NULL },
			.deadline_ms = 4000,
			.out_max = 4096,
		};
		struct pawl_err err = { 0 };
		struct proc_ran ran;

		assert_int_equal(proc_run(&spec, &ran, &err), PAWL_OK);
		assert_int_equal(ran.end.kind, PROC_EXIT);
		assert_int_not_equal(ran.end.code, 0);
		assert_non_null(strstr(ran.err.data, rows[i].key));
		proc_ran_release(&ran);
		assert_false(is_there(s, "log"));
	}
}

static void
copy_file(const char *from, const char *dir, const char *name)
{
	const char *argv[] = { "/bin/cp", from, name, NULL };
	struct proc_run_spec spec = { .child = { .argv = argv, .dir = dir },
		.deadline_ms = 4000,
		.out_max = 4096 };
	struct pawl_err err = { 0 };
	struct proc_ran ran;

	assert_int_equal(proc_run(&spec, &ran, &err), PAWL_OK);
	assert_int_equal(ran.end.code, 0);
	proc_ran_release(&ran);
}

/* What monitor_program() says in a copy of this program in `bin`. */
static void
assert_program(struct scene *s, int status, const char *program)
{
	char self[200], wanted[300];
	const char *argv[] = { self, "--program", NULL };
	struct proc_run_spec spec = {
		.child.argv = argv, .deadline_ms = 8000, .out_max = 8192
	};
	struct pawl_err err = { 0 };
	struct proc_ran ran;

	(void)snprintf(self, sizeof(self), "%s/bin/pawl", s->top);
	(void)snprintf(wanted, sizeof(wanted), "%s/%s", s->top, program);
	assert_int_equal(proc_run(&spec, &ran, &err), PAWL_OK);
	assert_int_equal(ran.end.kind, PROC_EXIT);
	assert_int_equal(ran.end.code, status);
	if (status == 0)
		assert_string_equal(ran.out.data, wanted);
	proc_ran_release(&ran);
}

static void
the_program_is_found_from_where_ours_lies(void **state)
{
	static const char *const folders[] = { "bin", "libexec", "child",
		"libexec/pawl" };
	struct scene *s = *state;
	char path[200];

	for (size_t i = 0; i < 4; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", s->top, folders[i]);
		assert_int_equal(mkdir(path, 0700), 0);
	}
	(void)snprintf(path, sizeof(path), "/proc/%d/exe", (int)getpid());
	copy_file(path, s->top, "bin/pawl");
	assert_program(s, PAWL_ENOENT, "");
	copy_file(s->spec.program, s->top, "child/pawl-child");
	assert_program(s, 0, "bin/../child/pawl-child");
	copy_file(s->spec.program, s->top, "libexec/pawl/pawl-child");
	assert_program(s, 0, "bin/../libexec/pawl/pawl-child");
}

/* The limit is inherited; what it cuts short is a log, and no life.  The tail
 * of much output is written last of all, when no signal is waited for any more.
 */
static void
a_size_limit_does_not_end_the_monitor(void **state)
{
	static const struct {
		rlim_t limit;
		unsigned bytes;
	} rows[] = { { 8192, 20000 }, { 40000, 80000 } };
	const struct rlimit wide = { RLIM_INFINITY, RLIM_INFINITY };
	struct scene *s = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rlimit narrow = { rows[i].limit, RLIM_INFINITY };
		char text[64];

		(void)snprintf(text, sizeof(text),
			"head -c %u /dev/zero; exit 3", rows[i].bytes);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &narrow), 0);
		spawn(s, text);
		assert_int_equal(setrlimit(RLIMIT_FSIZE, &wide), 0);
		open_gate(s);
		finish(s);
		assert_int_equal(s->status, 0);
		assert_has(s, "{\"v\":1,\"of\":\"a@1\",\"exit\":3,");
		(void)snprintf(text, sizeof(text), "\"stdout\":{\"bytes\":%u,",
			rows[i].bytes);
		assert_has(s, text);
		assert_has(s, "\"failed\":\"File too large\"");
	}
}

/* The other half of the test above, in another process. */
static int
print_program(void)
{
	char path[PATH_MAX];
	struct pawl_err err = { 0 };
	enum pawl_rc rc = monitor_program(path, &err);

	if (rc == PAWL_OK && fputs(path, stdout) < 0)
		rc = PAWL_EIO;
	return (int)rc;
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, scene_make, scene_free)

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		SCENE(a_crash_after_much_output_is_an_exit_at_once),
		SCENE(a_worker_that_ignores_term_is_gone_at_the_end),
		SCENE(a_worker_that_heeds_term_ends_without_kill),
		SCENE(a_kill_from_outside_is_a_signal_within_a_second),
		SCENE(what_hangs_on_is_ended_within_limit_and_grace),
		SCENE(a_background_process_with_the_pipe_does_not_hold_us_up),
		SCENE(servers_left_behind_are_listed_and_ended),
		SCENE(a_helper_that_ends_by_itself_is_no_survivor),
		SCENE(processes_that_fork_without_end_are_caught),
		SCENE(a_closed_gate_executes_nothing_and_leaves_nothing),
		SCENE(term_before_the_gate_executes_nothing),
		SCENE(a_worker_outlives_its_coordinator_and_is_adopted),
		SCENE(a_deadline_outlives_the_coordinator),
		SCENE(a_coordinator_that_dies_before_the_gate_started_nothing),
		SCENE(another_start_time_is_not_adopted),
		SCENE(secrets_are_masked_wherever_writes_cut_them),
		SCENE(much_output_is_bounded_by_leaving_out_the_middle),
		SCENE(the_digest_is_what_sha256sum_says),
		SCENE(the_log_grows_while_the_worker_runs_and_stays_in_its_bound),
		SCENE(a_start_that_fails_says_why),
		SCENE(a_log_that_is_a_link_is_not_followed),
		SCENE(a_size_limit_does_not_end_the_monitor),
		SCENE(a_bad_outbox_ends_the_monitor_before_the_gate),
		SCENE(no_zombies_gather),
		SCENE(the_worker_gets_three_descriptors_and_no_terminal),
		SCENE(arguments_pass_untouched),
		SCENE(the_environment_is_exactly_what_was_given),
		SCENE(input_comes_from_a_file),
		SCENE(limits_hold_for_the_worker),
		SCENE(a_rule_set_holds_for_the_worker_alone),
		SCENE(refused_calls_are_the_workers),
		SCENE(without_a_network_there_is_a_loopback_of_its_own),
		SCENE(what_is_protected_is_read_only_below_a_granted_folder),
		SCENE(namespaces_that_cant_be_made_are_a_start_that_failed),
		SCENE(asked_to_end_it_says_interrupted_and_what_was_silent),
		SCENE(a_heartbeat_is_a_sign_of_life),
		SCENE(force_leaves_out_the_grace),
		SCENE(a_stopped_monitor_can_be_forced),
		SCENE(an_end_together_with_the_deadline_is_the_workers),
		SCENE(a_stopped_worker_ends_at_its_deadline),
		SCENE(a_pause_stops_the_deadline_too),
		SCENE(a_held_worker_works_on_past_its_deadline),
		SCENE(a_worker_that_is_held_no_more_meets_its_deadline),
		SCENE(a_forged_end_is_not_the_last),
		SCENE(an_opened_gate_is_written_down_before_the_worker_runs),
		SCENE(what_cannot_be_written_down_is_not_executed),
		SCENE(an_outbox_may_be_left_out_and_input_be_bytes),
		SCENE(a_worker_dies_with_its_monitor),
		SCENE(the_monitor_stays_in_no_folder),
		SCENE(the_monitor_does_not_carry_the_command_line_of_its_worker),
		SCENE(the_program_is_found_from_where_ours_lies),
		SCENE(wrong_arguments_are_refused),
	};

	if (argc > 1 && strcmp(argv[1], "--program") == 0)
		return print_program();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
