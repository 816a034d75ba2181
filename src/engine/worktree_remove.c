#include <string.h>

#include "engine/file.h"
#include "engine/integrate.h"
#include "engine/nested.h"
#include "engine/ref.h"
#include "engine/snapshot.h"
#include "engine/worktree.h"
#include "engine/worktree_place.h"
#include "os/dweller.h"

enum { DWELLER_PAUSE_MS = 10, DWELLER_WAIT_MS = 1000 };

static enum pawl_rc
block(struct pawl_err *err, const char *path)
{
	char why[sizeof(err->msg)];

	if (err->code == ERR_GIT_BUSY || err->code == ERR_CLEANUP_BLOCKED ||
		fs_may_pass(err))
		return err->rc;
	memcpy(why, err->msg, sizeof(why));
	return pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"the worktree at '%s' was kept: %s", path, why);
}

/* Would removing it lose something? */
static enum pawl_rc
check_nothing_lost(const struct worktree *w, const char *onto,
	struct arena *mem, struct pawl_err *err)
{
	struct changes dirty = { 0 };
	struct ref_head head = { 0 };
	struct oid tip = { 0 };
	enum pawl_rc rc;
	bool within = false;

	rc = snapshot_dirty(&w->repo, mem, &dirty, err);
	if (rc == PAWL_OK && dirty.count > 0) {
		rc = pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"the worktree at '%s' was kept: %zu paths are not "
			"committed, '" STR_FMT "' first",
			w->repo.top, dirty.count, STR_ARG(dirty.items[0].path));
	}
	changes_release(&dirty);
	if (rc == PAWL_OK)
		rc = ref_must_head(&w->repo, mem, &head, err);
	if (rc == PAWL_OK)
		rc = ref_read(&w->repo, onto, &tip, err);
	if (rc == PAWL_OK && !oid_is_none(&tip)) {
		rc = integrate_contains(
			&w->repo, &tip, &head.commit, &within, err);
	}
	if (rc == PAWL_OK && !within) {
		rc = pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"the worktree at '%s' was kept: its commit %.12s is "
			"not on '%s'",
			w->repo.top, head.commit.hex, onto);
	}
	return rc;
}

/* Of a repository inside of it a kept difference says only a commit. */
static enum pawl_rc
check_no_other(
	const struct worktree *w, struct arena *mem, struct pawl_err *err)
{
	struct str path;
	enum pawl_rc rc =
		nested_first_there(&w->repo, w->index, mem, &path, err);

	if (rc != PAWL_OK || path.len == 0)
		return rc;
	return pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"the worktree at '%s' was kept: '" STR_FMT "' in it is a"
		" repository of its own",
		w->repo.top, STR_ARG(path));
}

/* Somebody may have told git to keep it. */
static enum pawl_rc
check_not_locked(
	const struct worktree *w, struct arena *mem, struct pawl_err *err)
{
	if (!place_is_there(place_path(mem, w->repo.git_dir, "locked")))
		return PAWL_OK;
	(void)pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"the worktree at '%s' was kept: it is locked", w->repo.top);
	return pawl_hint(err, "git worktree unlock '%s'", w->repo.top);
}

/*
 * A process whose folder goes would be left nowhere.  A git that reads here
 * outlives a killed remover by a moment, so the first look isn't the last.
 */
static enum pawl_rc
check_no_dweller(const struct place *p, struct pawl_err *err)
{
	pid_t pid = dweller_find("/proc", p->dir);
	uint64_t waited_ms = 0, pause_ms = DWELLER_PAUSE_MS;

	while (pid != 0 && waited_ms < DWELLER_WAIT_MS) {
		git_pause(pause_ms);
		waited_ms += pause_ms;
		pause_ms *= 2;
		pid = dweller_find("/proc", p->dir);
	}
	if (pid == 0)
		return PAWL_OK;
	(void)pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"the worktree at '%s' was kept: process %d is in it", p->tree,
		(int)pid);
	return pawl_hint(err, "ps -p %d", (int)pid);
}

/*
 * All that must hold before the first entry goes.  A removal that was cut short
 * has passed this before, and can't pass it again: its tree has holes.
 */
static enum pawl_rc
check_removal(const struct repo *repo, const struct worktree_removal *removal,
	const struct place *p, struct arena *mem, struct pawl_err *err)
{
	struct worktree w = { 0 };
	enum pawl_rc rc;

	if (place_is_there(p->removing))
		return PAWL_OK;
	/* nobody was let into one that isn't ready */
	if (place_is_there(p->ready)) {
		rc = worktree_open(repo, removal->spec, mem, &w, err);
		if (rc == PAWL_OK) {
			rc = check_not_locked(&w, mem, err);
			if (rc == PAWL_OK)
				rc = check_no_other(&w, mem, err);
		} else if (removal->preserved && err->code != ERR_IO) {
			rc = PAWL_OK;
		}
		if (rc == PAWL_OK && !removal->preserved)
			rc = check_nothing_lost(&w, removal->onto, mem, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return file_create(p->removing, STR("\n"), err);
}

static enum pawl_rc
remove_all(const struct repo *repo, const struct worktree_removal *removal,
	const struct place *p, struct arena *mem, struct pawl_err *err)
{
	const char *guards[PLACE_GUARDS];
	struct rmtree_spec spec = place_rmtree(repo, removal->spec, guards);
	struct rmtree tree = { 0 };
	bool half_made = !place_is_there(p->ready);
	enum pawl_rc rc;

	spec.dev = removal->dev;
	spec.inode = removal->inode;
	rc = rmtree_open(&spec, &tree, err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		return place_forget(repo, removal->spec, p, false, err);
	if (rc == PAWL_OK)
		rc = check_no_dweller(p, err);
	if (rc == PAWL_OK)
		rc = check_removal(repo, removal, p, mem, err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "tree", err);
	if (rc == PAWL_OK)
		rc = place_forget(repo, removal->spec, p, half_made, err);
	if (rc == PAWL_OK)
		rc = rmtree_all(&tree, err);
	rmtree_close(&tree);
	return rc;
}

enum pawl_rc
worktree_remove(const struct repo *repo, const struct worktree_removal *removal,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct place p = place_find(removal->spec, &mem);
	enum pawl_rc rc;
	bool listed = false;

	rc = place_check(repo, removal->spec, err);
	if (rc == PAWL_OK && place_is_there(p.dir))
		rc = git_lock_dir(p.dir, &p.lock, err);
	if (rc == PAWL_OK)
		rc = remove_all(repo, removal, &p, &mem, err);
	git_lock_release(&p.lock);
	if (rc == PAWL_OK)
		rc = place_is_listed(repo, p.tree, &listed, err);
	if (rc == PAWL_OK && (listed || place_is_there(p.dir))) {
		rc = pawl_fail(err, ERR_IO, "it is still %s",
			listed ? "in git's list" : "there");
	}
	if (rc != PAWL_OK)
		rc = block(err, p.tree);
	arena_reset(&mem);
	return rc;
}
