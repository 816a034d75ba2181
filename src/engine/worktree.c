#include "engine/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/ref.h"
#include "engine/snapshot.h"
#include "engine/worktree_place.h"

enum { WORKTREE_LINK_MAX = 8 << 10 };

static const char heads[] = "refs/heads/";

/* A worktree that nobody was let into: away with it, but for the marker. */
static enum pawl_rc
clear_half_made(const struct repo *repo, const struct worktree_spec *spec,
	const struct place *p, struct pawl_err *err)
{
	const char *guards[PLACE_GUARDS];
	struct rmtree_spec removal = place_rmtree(repo, spec, guards);
	struct rmtree tree = { 0 };
	struct stat st;
	enum pawl_rc rc;

	if (lstat(p->dir, &st) != 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", p->dir);
	}
	removal.dev = st.st_dev;
	removal.inode = st.st_ino;
	rc = rmtree_open(&removal, &tree, err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "tree", err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "index", err);
	rmtree_close(&tree);
	if (rc == PAWL_OK)
		rc = place_forget(repo, spec, p, true, err);
	return rc;
}

/*
 * The folder with its marker in it, in one step: it is made under another name.
 * What an earlier try left under that name is a marker at most.
 */
static enum pawl_rc
make_dir(const struct worktree_spec *spec, const struct place *p,
	struct arena *mem, struct pawl_err *err)
{
	const char *marker = place_path(mem, p->making, PLACE_MARKER);
	enum pawl_rc rc;

	if (unlink(marker) != 0 && errno != ENOENT) {
		return pawl_fail_sys(
			err, ERR_IO, "could not remove '%s'", marker);
	}
	if (rmdir(p->making) != 0 && errno != ENOENT) {
		return pawl_fail_sys(err, ERR_UNSAFE_PATH,
			"could not remove '%s'", p->making);
	}
	if (mkdir(p->making, 0700) != 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", p->making);
	}
	rc = file_create(marker, spec->marker, err);
	if (rc != PAWL_OK)
		return rc;
	if (renameat2(AT_FDCWD, p->making, AT_FDCWD, p->dir,
		    RENAME_NOREPLACE) != 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", p->dir);
	}
	return PAWL_OK;
}

/* Git's own part: the entry, the branch, the checkout. */
static enum pawl_rc
register_it(const struct repo *repo, const struct worktree_spec *spec,
	const struct place *p, struct pawl_err *err)
{
	const char *branch = spec->branch + strlen(heads);
	const char *const fresh[] = { "worktree", "add", "-q", "-b", branch,
		"--", p->tree, spec->base.hex, NULL };
	const char *const again[] = { "worktree", "add", "-q", "--", p->tree,
		branch, NULL };
	struct git_call call = { .git_dir = repo->common_dir,
		.lock = &p->lock };
	struct git_lock lock = { 0 };
	struct oid now = { 0 };
	enum pawl_rc rc;

	rc = git_lock_take(spec->lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = ref_read(repo, spec->branch, &now, err);
	if (rc != PAWL_OK)
		goto out;
	if (!oid_is_none(&now) && !oid_eq(&now, &spec->base)) {
		rc = pawl_fail(err, ERR_REF_MOVED,
			"the branch '%s' is at %.12s, not at the base %.12s",
			branch, now.hex, spec->base.hex);
		goto out;
	}
	call.args = oid_is_none(&now) ? fresh : again;
	rc = git_run_quiet(&call, err);
out:
	git_lock_release(&lock);
	return rc;
}

/* What `file` holds, without the line's end, must be `text`. */
static enum pawl_rc
must_say(const char *file, const char *text, struct pawl_err *err)
{
	struct buf found = { .max = WORKTREE_LINK_MAX };
	enum pawl_rc rc;
	bool there;

	rc = file_read(file, &found, &there, err);
	if (rc == PAWL_OK && !there) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s' is gone", file);
	} else if (rc == PAWL_OK &&
		!str_eq(str_trim(buf_str(&found)), str_from(text))) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s' was changed", file);
	}
	buf_release(&found);
	return rc;
}

/* Git's folder for this worktree, out of the bytes of its `.git` file. */
static enum pawl_rc
git_dir_of(const struct repo *repo, const char *tree, struct str link,
	struct arena *mem, const char **ret_git_dir, struct pawl_err *err)
{
	struct str prefix =
		arena_format(mem, "gitdir: %s/worktrees/", repo->common_dir);
	const char *git_dir;
	enum pawl_rc rc;

	if (!str_starts(link, prefix) || link.ptr[link.len - 1] != '\n' ||
		str_find(str_part(link, prefix.len, link.len), '/') + 1 <=
			link.len - prefix.len) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s/.git' does not lead into '%s'", tree,
			repo->common_dir);
	}
	git_dir = arena_strdup(mem, str_part(link, 8, link.len - 9));
	rc = must_say(place_path(mem, git_dir, "commondir"), "../..", err);
	if (rc == PAWL_OK) {
		rc = must_say(place_path(mem, git_dir, "gitdir"),
			place_path(mem, tree, ".git"), err);
	}
	if (rc == PAWL_OK)
		*ret_git_dir = git_dir;
	return rc;
}

static enum pawl_rc
describe(const struct repo *repo, const struct place *p, struct str link,
	struct arena *mem, struct worktree *ret_worktree, struct pawl_err *err)
{
	struct worktree w = { .dir = p->dir, .index = p->index };
	struct stat st;
	enum pawl_rc rc;

	w.repo = *repo;
	w.repo.top = p->tree;
	w.repo.is_worktree = true;
	rc = git_dir_of(repo, p->tree, link, mem, &w.repo.git_dir, err);
	if (rc != PAWL_OK)
		return rc;
	if (lstat(p->dir, &st) != 0 || !S_ISDIR(st.st_mode)) {
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", p->dir);
	}
	w.dev = st.st_dev;
	w.inode = st.st_ino;
	*ret_worktree = w;
	return PAWL_OK;
}

/*
 * Whole or not at all, whenever we are killed: an empty one would pass for that
 * of a worktree whose `.git` somebody has changed.
 */
static enum pawl_rc
say_ready(const struct place *p, struct str link, struct arena *mem,
	struct pawl_err *err)
{
	const char *making = place_path(mem, p->dir, "ready.making");
	enum pawl_rc rc;

	if (unlink(making) != 0 && errno != ENOENT) {
		return pawl_fail_sys(
			err, ERR_IO, "could not remove '%s'", making);
	}
	rc = file_create(making, link, err);
	if (rc == PAWL_OK && rename(making, p->ready) != 0) {
		rc = pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", p->ready);
	}
	return rc;
}

/* All is there: say that it is ready. */
static enum pawl_rc
finish(const struct repo *repo, const struct place *p, const struct oid *base,
	struct arena *mem, struct worktree *ret_worktree, struct pawl_err *err)
{
	struct buf link = { .max = WORKTREE_LINK_MAX };
	struct worktree w = { 0 };
	enum pawl_rc rc;
	bool there = false;

	rc = file_read(place_path(mem, p->tree, ".git"), &link, &there, err);
	if (rc == PAWL_OK)
		rc = describe(repo, p, buf_str(&link), mem, &w, err);
	if (rc != PAWL_OK)
		goto out;
	rc = snapshot_seed(&w.repo, p->index, base, err);
	if (rc == PAWL_OK)
		rc = say_ready(p, buf_str(&link), mem, err);
	if (rc == PAWL_OK)
		*ret_worktree = w;
out:
	buf_release(&link);
	return rc;
}

enum pawl_rc
worktree_add(const struct repo *repo, const struct worktree_spec *spec,
	struct arena *mem, struct worktree *ret_worktree, struct pawl_err *err)
{
	struct place p = place_find(spec, mem);
	bool half_made = false;
	enum pawl_rc rc;

	rc = place_check(repo, spec, err);
	if (rc != PAWL_OK)
		return rc;
	if (place_is_there(p.ready))
		return worktree_open(repo, spec, mem, ret_worktree, err);
	if (!place_is_there(p.dir))
		rc = make_dir(spec, &p, mem, err);
	else
		half_made = true;
	if (rc == PAWL_OK)
		rc = git_lock_dir(p.dir, &p.lock, err);
	if (rc == PAWL_OK && half_made)
		rc = clear_half_made(repo, spec, &p, err);
	if (rc == PAWL_OK)
		rc = register_it(repo, spec, &p, err);
	if (rc == PAWL_OK)
		rc = finish(repo, &p, &spec->base, mem, ret_worktree, err);
	git_lock_release(&p.lock);
	return rc;
}

static enum pawl_rc
check_link(const struct place *p, struct str link, struct arena *mem,
	struct pawl_err *err)
{
	const char *file = place_path(mem, p->tree, ".git");
	struct buf found = { .max = WORKTREE_LINK_MAX };
	enum pawl_rc rc;
	bool there;

	rc = file_read(file, &found, &there, err);
	if (rc != PAWL_OK || !there || !str_eq(buf_str(&found), link)) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not the file that git made", file);
	}
	buf_release(&found);
	return rc;
}

static enum pawl_rc
check_tree(const struct worktree_spec *spec, const struct place *p,
	struct arena *mem, struct pawl_err *err)
{
	struct buf marker = { .max = WORKTREE_MARKER_MAX };
	struct stat st;
	enum pawl_rc rc;
	bool there;

	rc = file_read(
		place_path(mem, p->dir, PLACE_MARKER), &marker, &there, err);
	if (rc == PAWL_OK &&
		(!there || !str_eq(buf_str(&marker), spec->marker))) {
		rc = pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not the worktree of this attempt", p->dir);
	}
	if (rc == PAWL_OK &&
		(lstat(p->tree, &st) != 0 || !S_ISDIR(st.st_mode))) {
		rc = pawl_fail(err, ERR_FILE_NOT_FOUND,
			"the worktree at '%s' is gone", p->tree);
	}
	buf_release(&marker);
	return rc;
}

enum pawl_rc
worktree_open(const struct repo *repo, const struct worktree_spec *spec,
	struct arena *mem, struct worktree *ret_worktree, struct pawl_err *err)
{
	struct place p = place_find(spec, mem);
	struct buf link = { .max = WORKTREE_LINK_MAX };
	enum pawl_rc rc;
	bool there;

	rc = place_check(repo, spec, err);
	if (rc == PAWL_OK)
		rc = file_read(p.ready, &link, &there, err);
	if (rc == PAWL_OK && (!there || place_is_there(p.removing))) {
		rc = pawl_fail(err, ERR_FILE_NOT_FOUND,
			"there is no %sworktree at '%s'", there ? "whole " : "",
			p.dir);
	}
	if (rc == PAWL_OK)
		rc = check_tree(spec, &p, mem, err);
	if (rc == PAWL_OK)
		rc = check_link(&p, buf_str(&link), mem, err);
	if (rc == PAWL_OK)
		rc = describe(repo, &p, buf_str(&link), mem, ret_worktree, err);
	buf_release(&link);
	return rc;
}

enum pawl_rc
worktree_reset(const struct worktree *w, const struct oid *commit,
	struct pawl_err *err)
{
	const char *const args[] = { "reset", "--hard", "-q", commit->hex,
		NULL };
	struct git_lock lock = { .fd = -1 };
	struct git_call call = { .args = args,
		.git_dir = w->repo.git_dir,
		.work_tree = w->repo.top,
		.lock = &lock };
	struct arena mem = ARENA_INIT;
	bool found = false;
	enum pawl_rc rc;

	rc = git_lock_dir(w->dir, &lock, err);
	if (rc != PAWL_OK)
		return rc;
	/* Ours knows the work, so git leaves alone what stays as it is. */
	rc = file_copy(w->index, place_path(&mem, w->repo.git_dir, "index"),
		&found, err);
	if (rc == PAWL_OK)
		rc = git_run_quiet(&call, err);
	if (rc == PAWL_OK)
		rc = snapshot_seed(&w->repo, w->index, commit, err);
	git_lock_release(&lock);
	arena_reset(&mem);
	return rc;
}

enum pawl_rc
worktree_await(const struct worktree *w, struct pawl_err *err)
{
	struct git_lock lock = { .fd = -1 };
	enum pawl_rc rc = git_lock_dir(w->dir, &lock, err);

	git_lock_release(&lock);
	return rc;
}
