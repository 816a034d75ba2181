#include "driver/orca_holder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "driver/orca_attempt.h"
#include "os/fs.h"
#include "os/monitor.h"

enum {
	GRACE_MS = 2000,
	GATE_MS = 50,           /* between looks for the gate */
	GATE_MS_MAX = 86400000, /* nobody comes back after a day */
	SHOW_MS = 200,          /* between looks for output */
};

extern char **environ;

/* A signal asked us to end; it stays readable. */
static bool
wants_end(int signals, int ms)
{
	struct pollfd look = { .fd = signals, .events = POLLIN };

	return poll(&look, 1, ms) > 0;
}

/* Wait until somebody decides. */
static bool
is_opened(const struct orca_attempt *a, int signals, struct arena *mem)
{
	for (uint64_t ms = 0; ms < GATE_MS_MAX; ms += GATE_MS) {
		if (!fs_is_absent(&fs_real, a->dir, ORCA_GATE))
			break;
		if (wants_end(signals, GATE_MS))
			return false;
	}
	return str_eq(orca_file(a, ORCA_GATE, mem), STR(ORCA_GATE_OPEN));
}

static const char *const *
argv_of(const struct json *list, struct arena *mem)
{
	const char **argv = arena_array(mem, list->count + 1u, const char *);
	const struct json *v = json_first(list);

	for (uint32_t i = 0; i < list->count; i++, v += v->span)
		argv[i] = arena_strdup(mem, json_str(v));
	return argv;
}

/* Is it set by the profile, so that ours doesn't count? */
static bool
is_set(const struct json *object, const char *entry)
{
	struct str rest = str_from(entry);

	return json_get(object, str_cut(&rest, '=')) != NULL;
}

/* The terminal's, with what the profile adds. */
static const char *const *
env_of(const struct json *object, struct arena *mem)
{
	uint32_t more = object != NULL && object->kind == JSON_OBJECT
		? object->count
		: 0;
	const struct json *key = more > 0 ? json_first(object) : NULL;
	size_t count = 0, n = 0;
	const char **env;

	while (environ[count] != NULL)
		count++;
	env = arena_array(mem, count + more + 1, const char *);
	for (size_t i = 0; i < count; i++) {
		if (more == 0 || !is_set(object, environ[i]))
			env[n++] = environ[i];
	}
	for (uint32_t i = 0; i < more; i++, key += 1 + (key + 1)->span)
		env[n++] = arena_format(mem, STR_FMT "=" STR_FMT,
			STR_ARG(key->text), STR_ARG(json_str(key + 1)))
				   .ptr;
	return env;
}

/* What the worker has printed since `*at`, to the terminal. */
static void
show(const struct orca_attempt *a, uint64_t *at)
{
	char bytes[8192];
	struct pawl_err ignored;
	size_t len = sizeof(bytes);
	int fd = -1;

	if (fs_open(&fs_real, a->dir, "log", O_RDONLY, &fd, &ignored) !=
		PAWL_OK)
		return;
	while (len == sizeof(bytes) &&
		fs_pread(&fs_real, fd, *at, bytes, &len, &ignored) == PAWL_OK &&
		len > 0) {
		if (fwrite(bytes, 1, len, stdout) != len)
			break; /* nobody looks */
		*at += len;
	}
	(void)fflush(stdout);
	fs_close(&fs_real, &fd);
}

/* See it through: what it prints is shown, and a closed terminal ends it. */
static void
see_through(const struct orca_attempt *a, struct monitor *m, int signals)
{
	struct pollfd look[] = { { .fd = m->pidfd, .events = POLLIN },
		{ .fd = signals, .events = POLLIN } };
	uint64_t shown = 0;

	for (;;) {
		if (poll(look, 2, SHOW_MS) < 0 && errno != EINTR)
			break;
		show(a, &shown);
		if (look[0].revents != 0)
			break;
		if (look[1].revents != 0) {
			monitor_end(m);
			look[1].fd = -1;
		}
	}
	(void)monitor_reap(m);
	show(a, &shown);
}

static enum pawl_rc
run(const struct orca_attempt *a, int signals, struct arena *mem,
	struct pawl_err *err)
{
	const struct json *q = a->request;
	const struct json *profile = json_get(q, STR("profile"));
	struct monitor_spec spec = {
		.argv = argv_of(json_get(profile, STR("argv")), mem),
		.envp = env_of(json_get(profile, STR("env")), mem),
		.name = a->key,
		.outbox =
			arena_strdup(mem, json_str(json_get(q, STR("outbox")))),
		.log = arena_format(mem, "%s/log", a->path).ptr,
		.input_bytes = json_str(json_get(q, STR("prompt"))),
		.cwd = arena_strdup(mem,
			json_str(json_get(
				json_get(q, STR("workspace")), STR("path")))),
		.deadline_ms =
			(uint64_t)json_int(json_get(q, STR("deadline_ms"))),
		.grace_ms = GRACE_MS,
	};
	struct monitor m = { .pidfd = -1, .gate = -1 };
	char program[PATH_MAX];
	struct str name = { "", 0 };
	enum pawl_rc rc = monitor_program(program, err);

	spec.program = program;
	if (rc == PAWL_OK)
		rc = fs_open(&fs_real, a->dir, "exits",
			O_WRONLY | O_APPEND | O_CREAT, &spec.exits, err);
	if (rc != PAWL_OK)
		return rc;
	rc = monitor_spawn(&spec, &m, err);
	fs_close(&fs_real, &spec.exits);
	if (rc != PAWL_OK)
		return rc;
	name = arena_format(
		mem, "%d %llu", (int)m.pid, (unsigned long long)m.start);
	rc = fs_create(&fs_real, a->dir, "monitor", name, err);
	if (rc == PAWL_OK)
		rc = monitor_open(&m, err);
	if (rc == PAWL_OK)
		see_through(a, &m, signals);
	else
		monitor_close(&m); /* with its gate: it ends by itself */
	return rc;
}

/* Signals that end us, as something to read. */
static int
signals_of(void)
{
	sigset_t set;

	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGHUP);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	if (sigprocmask(SIG_BLOCK, &set, NULL) != 0)
		return -1;
	(void)signal(SIGPIPE, SIG_IGN);
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static bool
hold(const struct orca_attempt *a, struct arena *mem,
	struct serve_failure *failure)
{
	struct str own;
	struct pawl_err err;
	int signals = signals_of();
	bool mine = false;

	if (a->request == NULL)
		return serve_fail(failure, SERVE_INVALID, "nothing is asked");
	if (signals < 0 || !orca_process_text(getpid(), mem, &own))
		return serve_fail(failure, SERVE_UNAVAILABLE,
			"could not tell which process this is");
	if (!orca_file_once(a, ORCA_CLAIM, own, &mine, failure))
		return false;
	if (!mine)
		return true;
	(void)printf("pawl: holding " STR_FMT "\n",
		STR_ARG(json_str(json_get(a->request, STR("attempt")))));
	(void)fflush(stdout);
	if (is_opened(a, signals, mem) && run(a, signals, mem, &err) != PAWL_OK)
		return serve_fail(failure, SERVE_UNAVAILABLE, "%s", err.msg);
	return true;
}

int
orca_hold(const char *folder)
{
	struct arena mem = ARENA_INIT;
	const char *slash = strrchr(folder, '/');
	struct orca_attempt a = { .dir = -1 };
	struct serve_failure failure = { .code = SERVE_UNKNOWN };
	bool held = false;

	if (slash == NULL || strlen(slash + 1) != ORCA_KEY) {
		(void)serve_fail(&failure, SERVE_INVALID,
			"'%s' is no attempt's folder", folder);
	} else {
		held = orca_attempt_open(
			       arena_strdup(&mem,
				       (struct str){ folder,
					       (size_t)(slash - folder) }),
			       slash + 1, false, &mem, &a, &failure) &&
			a.dir >= 0 && hold(&a, &mem, &failure);
	}
	if (!held)
		(void)fprintf(
			stderr, "pawl-driver-orca: %s\n", failure.message);
	orca_attempt_close(&a);
	arena_reset(&mem);
	return held ? 0 : 1;
}
