#include "engine/ground.h"

#include <errno.h>
#include <sys/inotify.h>

#include "engine/worker.h"

/* Nothing at that place, rather than no way to tell. */
static bool
is_absent(const struct pawl_err *err)
{
	return err->code == ERR_FILE_NOT_FOUND || err->sys == ENOTDIR;
}

/* The folder, and nobody else's in its place. */
static bool
is_replaced(struct pilot *p, const struct attempt *a, int dir)
{
	struct pawl_err ignored;
	struct stat st;

	return a->ino != 0 &&
		fs_fstat(p->run->place->fs, dir, &st, &ignored) == PAWL_OK &&
		(st.st_dev != a->dev || st.st_ino != a->ino);
}

bool
ground_is_gone(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct fs *fs = p->run->place->fs;
	struct pawl_err err = { 0 };
	bool gone;
	int dir = -1;

	if (a->placement != PLACEMENT_WORKTREE)
		return false;
	gone = fs_open_dir(fs, AT_FDCWD, arena_strdup(&p->mem, a->worktree),
		       &dir, &err) == PAWL_OK
		? is_replaced(p, a, dir) || fs_is_absent(fs, dir, "tree/.git")
		: is_absent(&err);
	fs_close(fs, &dir);
	return gone;
}

static void
look(struct slot *slot)
{
	if (slot->ended || slot->asked ||
		!ground_is_gone(slot->pilot, slot->attempt))
		return;
	monitor_end(&slot->monitor);
	slot->asked = true;
}

static enum pawl_rc
on_change(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)event;
	(void)err;
	look(arg);
	return PAWL_OK;
}

static enum pawl_rc
watch(struct slot *slot, const char *path, uint64_t *ret_source,
	struct pawl_err *err)
{
	enum pawl_rc rc = loop_watch(&slot->pilot->loop, path,
		IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF |
			IN_DONT_FOLLOW,
		(struct loop_call){ on_change, slot }, ret_source, err);

	return rc != PAWL_OK && (err->sys == ENOENT || err->sys == ENOTDIR)
		? PAWL_OK
		: rc;
}

enum pawl_rc
ground_watch(struct pilot *p, struct slot *slot, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, slot->attempt);
	enum pawl_rc rc;

	if (a->placement != PLACEMENT_WORKTREE)
		return PAWL_OK;
	rc = watch(slot, arena_strdup(&p->mem, a->worktree), &slot->ground[0],
		err);
	if (rc == PAWL_OK)
		rc = watch(slot, worker_workspace(p, a), &slot->ground[1], err);
	if (rc == PAWL_OK)
		look(slot);
	return rc;
}
