#include "engine/worktree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/die.h"
#include "engine/file.h"
#include "engine/integrate.h"
#include "engine/ref.h"
#include "engine/snapshot.h"
#include "os/rmtree.h"

enum { WORKTREE_LINK_MAX = 8 << 10, WORKTREE_LIST_MAX = 64 << 20 };

static const char marker_name[] = ".pawl-marker";
static const char heads[] = "refs/heads/";

/* Where everything of one worktree stands. */
struct places {
	const char *dir, *making, *tree, *ready, *index, *removing;
};

static const char *
path_of(struct arena *mem, const char *dir, const char *name)
{
	return arena_strdup(mem, arena_format(mem, "%s/%s", dir, name));
}

static struct places
places_of(const struct worktree_spec *spec, struct arena *mem)
{
	struct places p = { 0 };

	p.dir = path_of(mem, spec->parent, spec->name);
	p.making = arena_strdup(mem, arena_format(mem, "%s.making", p.dir));
	p.tree = path_of(mem, p.dir, "tree");
	p.ready = path_of(mem, p.dir, "ready");
	p.index = path_of(mem, p.dir, "index");
	p.removing = path_of(mem, p.dir, "removing");
	return p;
}

static bool
is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static enum pawl_rc
check_spec(const struct repo *repo, const struct worktree_spec *spec,
	struct pawl_err *err)
{
	const char *name = spec->name;
	char *real;
	bool same;

	if (name[0] == '\0' || name[0] == '.' || name[0] == '-' ||
		strchr(name, '/') != NULL || strlen(name) > WORKTREE_NAME_MAX ||
		spec->marker.len == 0 ||
		spec->marker.len > WORKTREE_MARKER_MAX ||
		strncmp(spec->branch, heads, strlen(heads)) != 0)
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is no name for a worktree", name);
	real = realpath(spec->parent, NULL);
	if (real == NULL)
		return pawl_fail_sys(err, ERR_IO,
			"could not look at the folder '%s'", spec->parent);
	same = strcmp(real, spec->parent) == 0;
	free(real);
	if (!same)
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not a real path", spec->parent);
	if (repo_path_is_below(spec->parent, repo->top) ||
		repo_path_is_below(spec->parent, repo->common_dir) ||
		(repo->main_top != NULL &&
			repo_path_is_below(spec->parent, repo->main_top)))
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"worktrees can't be made inside the repository at '%s'",
			repo->top);
	return PAWL_OK;
}

/* Has git an entry for a worktree at `path`? */
static enum pawl_rc
is_listed(const struct repo *repo, const char *path, bool *ret_listed,
	struct pawl_err *err)
{
	static const char *const args[] = { "worktree", "list", "--porcelain",
		"-z", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->common_dir,
		.out_max = WORKTREE_LIST_MAX };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;
	bool listed = false;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0 && !listed) {
		struct str value = str_cut(&rest, '\0');
		struct str key = str_cut(&value, ' ');

		listed = str_eq(key, STR("worktree")) &&
			str_eq(value, str_from(path));
	}
	git_ran_release(&ran);
	*ret_listed = listed;
	return PAWL_OK;
}

static struct rmtree_spec
removal_of(const struct repo *repo, const struct worktree_spec *spec,
	const char **guards)
{
	size_t n = 0;

	guards[n++] = repo->top;
	guards[n++] = repo->git_dir;
	guards[n++] = repo->common_dir;
	if (repo->main_top != NULL && is_there(repo->main_top))
		guards[n++] = repo->main_top;
	guards[n] = NULL;
	return (struct rmtree_spec){
		.parent = spec->parent,
		.name = spec->name,
		.marker = marker_name,
		.evidence = spec->marker,
		.guards = guards,
	};
}

/*
 * Remove git's entry of a worktree whose tree is gone.  `half_made`: one that
 * git itself locked while it was making it.
 */
static enum pawl_rc
forget(const struct repo *repo, const struct worktree_spec *spec,
	const char *tree, bool half_made, struct pawl_err *err)
{
	const char *const plain[] = { "worktree", "remove", "--", tree, NULL };
	const char *const forced[] = { "worktree", "remove", "--force",
		"--force", "--", tree, NULL };
	struct git_call call = { .args = half_made ? forced : plain,
		.git_dir = repo->common_dir };
	struct git_lock lock = { 0 };
	enum pawl_rc rc;
	bool listed;

	assert(!is_there(tree));
	rc = git_lock_take(spec->lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = is_listed(repo, tree, &listed, err);
	if (rc == PAWL_OK && listed)
		rc = git_run_quiet(&call, err);
	git_lock_release(&lock);
	return rc;
}

/* A worktree that nobody was let into: away with it, but for the marker. */
static enum pawl_rc
clear_half_made(const struct repo *repo, const struct worktree_spec *spec,
	const struct places *p, struct pawl_err *err)
{
	const char *guards[5];
	struct rmtree_spec removal = removal_of(repo, spec, guards);
	struct rmtree tree = { 0 };
	struct stat st;
	enum pawl_rc rc;

	if (lstat(p->dir, &st) != 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", p->dir);
	removal.dev = st.st_dev;
	removal.inode = st.st_ino;
	rc = rmtree_open(&removal, &tree, err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "tree", err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "index", err);
	rmtree_close(&tree);
	if (rc == PAWL_OK)
		rc = forget(repo, spec, p->tree, true, err);
	return rc;
}

/*
 * The folder with its marker in it, in one step: it is made under another name.
 * What an earlier try left under that name is a marker at most.
 */
static enum pawl_rc
make_dir(const struct worktree_spec *spec, const struct places *p,
	struct arena *mem, struct pawl_err *err)
{
	const char *marker = path_of(mem, p->making, marker_name);
	enum pawl_rc rc;

	if (unlink(marker) != 0 && errno != ENOENT)
		return pawl_fail_sys(
			err, ERR_IO, "could not remove '%s'", marker);
	if (rmdir(p->making) != 0 && errno != ENOENT)
		return pawl_fail_sys(err, ERR_UNSAFE_PATH,
			"could not remove '%s'", p->making);
	if (mkdir(p->making, 0700) != 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", p->making);
	rc = file_create(marker, spec->marker, err);
	if (rc != PAWL_OK)
		return rc;
	if (renameat2(AT_FDCWD, p->making, AT_FDCWD, p->dir,
		    RENAME_NOREPLACE) != 0)
		return pawl_fail_sys(
			err, ERR_IO, "could not make '%s'", p->dir);
	return PAWL_OK;
}

/* Git's own part: the entry and the branch, nothing checked out yet. */
static enum pawl_rc
register_it(const struct repo *repo, const struct worktree_spec *spec,
	const char *tree, struct pawl_err *err)
{
	const char *branch = spec->branch + strlen(heads);
	const char *const fresh[] = { "worktree", "add", "--no-checkout", "-b",
		branch, "--", tree, spec->base.hex, NULL };
	const char *const again[] = { "worktree", "add", "--no-checkout", "--",
		tree, branch, NULL };
	struct git_call call = { .git_dir = repo->common_dir };
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
	if (rc == PAWL_OK && !there)
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s' is gone", file);
	else if (rc == PAWL_OK &&
		!str_eq(str_trim(buf_str(&found)), str_from(text)))
		rc = pawl_fail(err, ERR_UNSAFE_PATH, "'%s' was changed", file);
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
			link.len - prefix.len)
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s/.git' does not lead into '%s'", tree,
			repo->common_dir);
	git_dir = arena_strdup(mem, str_part(link, 8, link.len - 9));
	rc = must_say(path_of(mem, git_dir, "commondir"), "../..", err);
	if (rc == PAWL_OK)
		rc = must_say(path_of(mem, git_dir, "gitdir"),
			path_of(mem, tree, ".git"), err);
	if (rc == PAWL_OK)
		*ret_git_dir = git_dir;
	return rc;
}

static enum pawl_rc
describe(const struct repo *repo, const struct places *p, struct str link,
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
	if (lstat(p->dir, &st) != 0 || !S_ISDIR(st.st_mode))
		return pawl_fail_sys(
			err, ERR_IO, "could not look at '%s'", p->dir);
	w.dev = st.st_dev;
	w.inode = st.st_ino;
	*ret_worktree = w;
	return PAWL_OK;
}

/* Check out, then say that it is ready. */
static enum pawl_rc
fill(const struct repo *repo, const struct places *p, struct arena *mem,
	struct worktree *ret_worktree, struct pawl_err *err)
{
	static const char *const args[] = { "reset", "--hard", "-q", NULL };
	struct buf link = { .max = WORKTREE_LINK_MAX };
	struct worktree w = { 0 };
	struct git_call call = { .args = args };
	enum pawl_rc rc;
	bool there = false;

	rc = file_read(path_of(mem, p->tree, ".git"), &link, &there, err);
	if (rc == PAWL_OK)
		rc = describe(repo, p, buf_str(&link), mem, &w, err);
	if (rc != PAWL_OK)
		goto out;
	call.git_dir = w.repo.git_dir;
	call.work_tree = w.repo.top;
	rc = git_run_quiet(&call, err);
	if (rc == PAWL_OK)
		rc = snapshot_seed(&w.repo, p->index, err);
	if (rc == PAWL_OK)
		rc = file_create(p->ready, buf_str(&link), err);
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
	struct places p = places_of(spec, mem);
	enum pawl_rc rc;

	rc = check_spec(repo, spec, err);
	if (rc != PAWL_OK)
		return rc;
	if (is_there(p.ready))
		return worktree_open(repo, spec, mem, ret_worktree, err);
	if (is_there(p.dir))
		rc = clear_half_made(repo, spec, &p, err);
	if (rc == PAWL_OK && !is_there(p.dir))
		rc = make_dir(spec, &p, mem, err);
	if (rc == PAWL_OK)
		rc = register_it(repo, spec, p.tree, err);
	if (rc == PAWL_OK)
		rc = fill(repo, &p, mem, ret_worktree, err);
	return rc;
}

static enum pawl_rc
check_link(const struct places *p, struct str link, struct arena *mem,
	struct pawl_err *err)
{
	const char *file = path_of(mem, p->tree, ".git");
	struct buf found = { .max = WORKTREE_LINK_MAX };
	enum pawl_rc rc;
	bool there;

	rc = file_read(file, &found, &there, err);
	if (rc != PAWL_OK || !there || !str_eq(buf_str(&found), link))
		rc = pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not the file that git made", file);
	buf_release(&found);
	return rc;
}

static enum pawl_rc
check_tree(const struct worktree_spec *spec, const struct places *p,
	struct arena *mem, struct pawl_err *err)
{
	struct buf marker = { .max = WORKTREE_MARKER_MAX };
	struct stat st;
	enum pawl_rc rc;
	bool there;

	rc = file_read(path_of(mem, p->dir, marker_name), &marker, &there, err);
	if (rc == PAWL_OK &&
		(!there || !str_eq(buf_str(&marker), spec->marker)))
		rc = pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not the worktree of this attempt", p->dir);
	if (rc == PAWL_OK && (lstat(p->tree, &st) != 0 || !S_ISDIR(st.st_mode)))
		rc = pawl_fail(err, ERR_FILE_NOT_FOUND,
			"the worktree at '%s' is gone", p->tree);
	buf_release(&marker);
	return rc;
}

enum pawl_rc
worktree_open(const struct repo *repo, const struct worktree_spec *spec,
	struct arena *mem, struct worktree *ret_worktree, struct pawl_err *err)
{
	struct places p = places_of(spec, mem);
	struct buf link = { .max = WORKTREE_LINK_MAX };
	enum pawl_rc rc;
	bool there;

	rc = check_spec(repo, spec, err);
	if (rc == PAWL_OK)
		rc = file_read(p.ready, &link, &there, err);
	if (rc == PAWL_OK && !there)
		rc = pawl_fail(err, ERR_FILE_NOT_FOUND,
			"there is no worktree at '%s'", p.dir);
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
worktree_reset(const struct worktree *w, const struct oid *held,
	const struct oid *commit, struct pawl_err *err)
{
	const char *const args[] = { "reset", "--hard", "-q", commit->hex,
		NULL };
	struct git_call call = { .args = args,
		.git_dir = w->repo.git_dir,
		.work_tree = w->repo.top };
	struct oid now;
	enum pawl_rc rc;

	rc = snapshot_take(&w->repo, w->index, &now, err);
	if (rc != PAWL_OK)
		return rc;
	if (!oid_eq(&now, held))
		return pawl_fail(err, ERR_DIRTY_SCOPE,
			"the worktree at '%s' holds work that was not kept",
			w->repo.top);
	rc = git_run_quiet(&call, err);
	if (rc == PAWL_OK)
		rc = snapshot_seed(&w->repo, w->index, err);
	return rc;
}

static enum pawl_rc
block(struct pawl_err *err, const char *path)
{
	char why[sizeof(err->msg)];

	if (err->code == ERR_GIT_BUSY || err->code == ERR_CLEANUP_BLOCKED)
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
	if (rc == PAWL_OK && dirty.count > 0)
		rc = pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"the worktree at '%s' was kept: %zu paths are not "
			"committed, '" STR_FMT "' first",
			w->repo.top, dirty.count, STR_ARG(dirty.items[0].path));
	changes_release(&dirty);
	if (rc == PAWL_OK)
		rc = ref_must_head(&w->repo, mem, &head, err);
	if (rc == PAWL_OK)
		rc = ref_read(&w->repo, onto, &tip, err);
	if (rc == PAWL_OK && !oid_is_none(&tip))
		rc = integrate_contains(
			&w->repo, &tip, &head.commit, &within, err);
	if (rc == PAWL_OK && !within)
		rc = pawl_fail(err, ERR_CLEANUP_BLOCKED,
			"the worktree at '%s' was kept: its commit %.12s is "
			"not on '%s'",
			w->repo.top, head.commit.hex, onto);
	return rc;
}

/* Somebody may have told git to keep it. */
static enum pawl_rc
check_not_locked(
	const struct worktree *w, struct arena *mem, struct pawl_err *err)
{
	if (!is_there(path_of(mem, w->repo.git_dir, "locked")))
		return PAWL_OK;
	(void)pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"the worktree at '%s' was kept: it is locked", w->repo.top);
	return pawl_hint(err, "git worktree unlock '%s'", w->repo.top);
}

/*
 * All that must hold before the first entry goes.  A removal that was cut short
 * has passed this before, and can't pass it again: its tree has holes.
 */
static enum pawl_rc
check_removal(const struct repo *repo, const struct worktree_removal *removal,
	const struct places *p, struct arena *mem, struct pawl_err *err)
{
	struct worktree w = { 0 };
	enum pawl_rc rc;

	if (is_there(p->removing))
		return PAWL_OK;
	/* nobody was let into one that isn't ready */
	if (is_there(p->ready)) {
		rc = worktree_open(repo, removal->spec, mem, &w, err);
		if (rc == PAWL_OK)
			rc = check_not_locked(&w, mem, err);
		else if (removal->preserved && err->code != ERR_IO)
			rc = PAWL_OK;
		if (rc == PAWL_OK && !removal->preserved)
			rc = check_nothing_lost(&w, removal->onto, mem, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return file_create(p->removing, STR("\n"), err);
}

static enum pawl_rc
remove_all(const struct repo *repo, const struct worktree_removal *removal,
	const struct places *p, struct arena *mem, struct pawl_err *err)
{
	const char *guards[5];
	struct rmtree_spec spec = removal_of(repo, removal->spec, guards);
	struct rmtree tree = { 0 };
	bool half_made = !is_there(p->ready);
	enum pawl_rc rc;

	spec.dev = removal->dev;
	spec.inode = removal->inode;
	rc = rmtree_open(&spec, &tree, err);
	if (rc != PAWL_OK && err->code == ERR_FILE_NOT_FOUND)
		return forget(repo, removal->spec, p->tree, false, err);
	if (rc == PAWL_OK)
		rc = check_removal(repo, removal, p, mem, err);
	if (rc == PAWL_OK)
		rc = rmtree_entry(&tree, "tree", err);
	if (rc == PAWL_OK)
		rc = forget(repo, removal->spec, p->tree, half_made, err);
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
	struct places p = places_of(removal->spec, &mem);
	enum pawl_rc rc;
	bool listed = false;

	rc = check_spec(repo, removal->spec, err);
	if (rc == PAWL_OK)
		rc = remove_all(repo, removal, &p, &mem, err);
	if (rc == PAWL_OK)
		rc = is_listed(repo, p.tree, &listed, err);
	if (rc == PAWL_OK && (listed || is_there(p.dir)))
		rc = pawl_fail(err, ERR_IO, "it is still %s",
			listed ? "in git's list" : "there");
	if (rc != PAWL_OK)
		rc = block(err, p.tree);
	arena_reset(&mem);
	return rc;
}
