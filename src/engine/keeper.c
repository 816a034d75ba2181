#include "engine/keeper.h"

#include <signal.h>

#include "os/lock.h"
#include "os/owner.h"
#include "os/pstat.h"
#include "store/tail.h"

static bool
is_stopped(const struct pstat *stat)
{
	return stat->state == 'T' || stat->state == 't';
}

/* Whoever has got the id by now holds the lock, or it is another process. */
static bool
end(const struct fs *fs, int dir, const char *name, bool any,
	struct keepers *killed)
{
	uint64_t pid = lock_holder(fs, dir, name);
	struct pstat stat;

	if (pid == 0 || killed->count == KEEPERS_MAX ||
		pstat_read(owner_here.proc, (pid_t)pid, &stat) != PSTAT_HERE ||
		(!any && !is_stopped(&stat)) ||
		lock_holder(fs, dir, name) != pid ||
		!pstat_signal(owner_here.proc, &stat, SIGKILL))
		return false;
	killed->pids[killed->count++] = pid;
	return true;
}

bool
keeper_kill(const struct run *r, struct keepers *killed)
{
	return end(r->place->fs, r->dir, JOURNAL_LOCK, true, killed);
}

void
keepers_kill_stopped(const struct run *r, struct keepers *killed)
{
	const struct fs *fs = r->place->fs;
	struct pawl_err ignored;
	struct buf names = { 0 };
	struct str rest;
	int logs = -1;
	enum pawl_rc rc = fs_open_dir(fs, r->dir, "logs", &logs, &ignored);

	if (rc == PAWL_OK)
		rc = fs_list(fs, logs, &names, &ignored);
	rest = rc == PAWL_OK ? buf_str(&names) : STR("");
	while (rest.len > 0) {
		struct str name = str_cut(&rest, '\0');

		if (str_ends(name, STR(".lock")))
			(void)end(fs, logs, name.ptr, false, killed);
	}
	fs_close(fs, &logs);
	buf_release(&names);
}
