#include <sys/stat.h>

#include "engine/integrate.h"
#include "engine/ref.h"

enum { LAND_LIST_MAX = 64 << 20 };

/* The worktree that has `branch` checked out, as a repository; or none. */
static enum pawl_rc
find_checkout(const struct repo *repo, const char *branch, struct arena *mem,
	struct repo *ret_repo, bool *ret_found, struct pawl_err *err)
{
	static const char *const args[] = { "worktree", "list", "--porcelain",
		"-z", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->common_dir,
		.out_max = LAND_LIST_MAX };
	struct git_ran ran = { 0 };
	struct str rest, path = { 0 };
	enum pawl_rc rc;
	bool found = false;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0 && !found) {
		struct str value = str_cut(&rest, '\0');
		struct str key = str_cut(&value, ' ');

		if (str_eq(key, STR("worktree")))
			path = value;
		found = str_eq(key, STR("branch")) &&
			str_eq(value, str_from(branch));
	}
	if (found)
		rc = repo_find(arena_strdup(mem, path), mem, ret_repo, err);
	git_ran_release(&ran);
	if (rc == PAWL_OK)
		*ret_found = found;
	return rc;
}

static bool
is_there(const struct repo *repo, struct str path, struct arena *mem)
{
	struct stat st;

	return lstat(arena_strdup(mem,
			     arena_format(mem, "%s/" STR_FMT, repo->top,
				     STR_ARG(path))),
		       &st) == 0;
}

static bool
touches(const struct changes *list, struct str path)
{
	for (size_t i = 0; i < list->count; i++) {
		struct str of = list->items[i].path;

		/* a file where a folder is wanted stands in the way, too */
		if (str_eq(of, path) ||
			(of.len > path.len && str_starts(of, path) &&
				of.ptr[path.len] == '/') ||
			(path.len > of.len && str_starts(path, of) &&
				path.ptr[of.len] == '/'))
			return true;
	}
	return false;
}

/* The user's files that a step from `from` to `head` would write over. */
static enum pawl_rc
find_blockers(const struct repo *repo, const struct oid *from,
	const struct oid *head, struct arena *mem, struct paths *ret_paths,
	struct pawl_err *err)
{
	struct changes steps = { 0 }, dirty = { 0 };
	struct paths found = { 0 };
	enum pawl_rc rc;

	rc = snapshot_changes(repo, from, head, mem, &steps, err);
	if (rc == PAWL_OK)
		rc = snapshot_dirty(repo, mem, &dirty, err);
	for (size_t i = 0; rc == PAWL_OK && i < dirty.count; i++) {
		if (touches(&steps, dirty.items[i].path))
			(void)paths_push(&found, dirty.items[i].path);
	}
	/* an ignored file isn't dirty, but it is the user's */
	for (size_t i = 0; rc == PAWL_OK && i < steps.count; i++) {
		const struct change *c = &steps.items[i];

		if (c->kind == CHANGE_ADDED && !touches(&dirty, c->path) &&
			is_there(repo, c->path, mem))
			(void)paths_push(&found, c->path);
	}
	changes_release(&steps);
	changes_release(&dirty);
	if (rc == PAWL_OK) {
		*ret_paths = found;
	} else {
		paths_release(&found);
	}
	return rc;
}

static enum pawl_rc
merge_into(const struct repo *repo, const struct oid *head, struct arena *mem,
	struct landing *l, struct pawl_err *err)
{
	const char *const args[] = { "merge", "--ff-only", "--no-autostash",
		"--no-overwrite-ignore", "--no-verify-signatures", "--no-stat",
		"-q", head->hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->git_dir, .work_tree = repo->top
	};
	enum pawl_rc rc;

	rc = find_blockers(repo, &l->from, head, mem, &l->paths, err);
	if (rc != PAWL_OK)
		return rc;
	if (l->paths.count > 0) {
		l->outcome = LAND_BLOCKED;
		return PAWL_OK;
	}
	/* git looks again: a file may have come since */
	rc = git_run_quiet(&call, err);
	if (rc == PAWL_OK)
		l->outcome = LAND_DONE;
	return rc;
}

static enum pawl_rc
land(const struct repo *repo, const char *branch, const struct oid *head,
	struct arena *mem, struct landing *l, struct pawl_err *err)
{
	struct ref_update move = { .name = branch, .to = *head };
	struct repo at = { 0 };
	struct oid now = { 0 };
	bool contains = false, found = false;
	enum pawl_rc rc;

	rc = ref_read(repo, branch, &l->from, err);
	if (rc != PAWL_OK)
		return rc;
	if (oid_is_none(&l->from)) {
		return pawl_fail(
			err, ERR_REF_MOVED, "the branch '%s' is gone", branch);
	}
	if (oid_eq(&l->from, head)) {
		l->outcome = LAND_NOTHING;
		return PAWL_OK;
	}
	rc = integrate_contains(repo, head, &l->from, &contains, err);
	if (rc == PAWL_OK && !contains) {
		l->outcome = LAND_NOT_FAST_FORWARD;
		return PAWL_OK;
	}
	if (rc == PAWL_OK)
		rc = find_checkout(repo, branch, mem, &at, &found, err);
	if (rc != PAWL_OK)
		return rc;
	if (found) {
		rc = merge_into(&at, head, mem, l, err);
	} else {
		move.from = l->from;
		rc = ref_update(repo, &move, 1, err);
		l->outcome = LAND_DONE;
	}
	if (rc != PAWL_OK || l->outcome != LAND_DONE)
		return rc;
	rc = ref_read(repo, branch, &now, err);
	if (rc == PAWL_OK && !oid_eq(&now, head)) {
		rc = pawl_fail(err, ERR_REF_MOVED,
			"the branch '%s' is at %.12s after landing %.12s",
			branch, now.hex, head->hex);
	}
	return rc;
}

enum pawl_rc
integrate_land(const struct repo *repo, const struct land_spec *spec,
	struct arena *mem, struct landing *ret_landing, struct pawl_err *err)
{
	struct git_lock lock = { 0 };
	struct landing l = { 0 };
	enum pawl_rc rc;

	rc = git_lock_take(spec->lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = land(repo, spec->branch, &spec->head, mem, &l, err);
	git_lock_release(&lock);
	if (rc == PAWL_OK) {
		*ret_landing = l;
	} else {
		paths_release(&l.paths);
	}
	return rc;
}
