#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/num.h"
#include "engine/landing.h"
#include "engine/worker.h"
#include "os/pstat.h"

enum {
	STRAYS_ROUNDS = 100, /* looks, a little apart, until none is left */
	STRAYS_PAUSE_MS = 20,
	STRAYS_ENV_MAX = 256 << 10,
};

static bool
holds(struct str environment, struct str entry)
{
	while (environment.len > 0) {
		if (str_eq(str_cut(&environment, '\0'), entry))
			return true;
	}
	return false;
}

/* What a process was started with names it as a worker of this attempt. */
static bool
is_stray(struct pilot *p, const char *pid, struct str run, struct str attempt)
{
	char path[64];
	struct buf bytes = { 0 };
	struct pawl_err ignored;
	int fd = -1;
	bool found = false;

	(void)snprintf(path, sizeof(path), "/proc/%s", pid);
	if (fs_open_dir(p->run->place->fs, AT_FDCWD, path, &fd, &ignored) ==
			PAWL_OK &&
		fs_read_proc(p->run->place->fs, fd, "environ", STRAYS_ENV_MAX,
			&bytes, &ignored) == PAWL_OK)
		found = holds(buf_str(&bytes), run) &&
			holds(buf_str(&bytes), attempt);
	fs_close(p->run->place->fs, &fd);
	buf_release(&bytes);
	return found;
}

/* Signal all of them once; how many there were. */
static uint32_t
strays_kill(struct pilot *p, struct str run, struct str attempt)
{
	struct buf names = { 0 };
	struct str rest, name;
	struct pawl_err ignored;
	uint32_t count = 0;
	int proc = -1;

	if (fs_open_dir(p->run->place->fs, AT_FDCWD, "/proc", &proc,
		    &ignored) != PAWL_OK ||
		fs_list(p->run->place->fs, proc, &names, &ignored) != PAWL_OK)
		goto out;
	rest = buf_str(&names);
	while (rest.len > 0) {
		struct pstat stat;
		uint64_t pid;

		name = str_cut(&rest, '\0');
		if (num_u64(name, 2, INT32_MAX, &pid, &ignored) != PAWL_OK ||
			pstat_read("/proc", (pid_t)pid, &stat) != PSTAT_HERE ||
			pstat_is_dead(&stat) ||
			!is_stray(p, name.ptr, run, attempt))
			continue;
		count += pstat_signal("/proc", &stat, SIGKILL);
	}
out:
	fs_close(p->run->place->fs, &proc);
	buf_release(&names);
	return count;
}

enum pawl_rc
worker_end_strays(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct str run =
		arena_format(&p->mem, "PAWL_RUN=" STR_FMT, STR_ARG(p->run->id));
	struct str id = arena_format(&p->mem, "PAWL_ATTEMPT=" STR_FMT,
		STR_ARG(pilot_attempt_id(p, attempt)));

	for (int i = 0; i < STRAYS_ROUNDS; i++) {
		if (strays_kill(p, run, id) == 0)
			return pilot_settle(p, attempt, STR("process"),
				STR("verified"),
				STR("none with its environment is left"), err);
		(void)poll(NULL, 0, STRAYS_PAUSE_MS);
	}
	return pilot_settle(p, attempt, STR("process"), STR("retained"),
		STR("processes with its environment could not be ended"), err);
}
