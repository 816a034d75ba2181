#include "engine/worktree_place.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "engine/file.h"

enum { PLACE_LINK_MAX = 8 << 10 };

static const char heads[] = "refs/heads/";

const char *
place_path(struct arena *mem, const char *dir, const char *name)
{
	return arena_strdup(mem, arena_format(mem, "%s/%s", dir, name));
}

struct place
place_find(const struct worktree_spec *spec, struct arena *mem)
{
	struct place p = { 0 };

	p.dir = place_path(mem, spec->parent, spec->name);
	p.making = arena_strdup(mem, arena_format(mem, "%s.making", p.dir));
	p.tree = place_path(mem, p.dir, "tree");
	p.ready = place_path(mem, p.dir, "ready");
	p.index = place_path(mem, p.dir, "index");
	p.removing = place_path(mem, p.dir, "removing");
	return p;
}

bool
place_is_there(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

enum pawl_rc
place_check(const struct repo *repo, const struct worktree_spec *spec,
	struct pawl_err *err)
{
	const char *name = spec->name;
	char *real;
	bool same;

	if (name[0] == '\0' || name[0] == '.' || name[0] == '-' ||
		strchr(name, '/') != NULL || strlen(name) > WORKTREE_NAME_MAX ||
		spec->marker.len == 0 ||
		spec->marker.len > WORKTREE_MARKER_MAX ||
		strncmp(spec->branch, heads, strlen(heads)) != 0) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is no name for a worktree", name);
	}
	real = realpath(spec->parent, NULL);
	if (real == NULL) {
		return pawl_fail_sys(err, ERR_IO,
			"could not look at the folder '%s'", spec->parent);
	}
	same = strcmp(real, spec->parent) == 0;
	free(real);
	if (!same) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"'%s' is not a real path", spec->parent);
	}
	if (repo_path_is_below(spec->parent, repo->top) ||
		repo_path_is_below(spec->parent, repo->common_dir) ||
		(repo->main_top != NULL &&
			repo_path_is_below(spec->parent, repo->main_top))) {
		return pawl_fail(err, ERR_UNSAFE_PATH,
			"worktrees can't be made inside the repository at '%s'",
			repo->top);
	}
	return PAWL_OK;
}

/* Git's entry for a worktree names its `.git` file in a line of its own. */
static enum pawl_rc
entry_names(const char *entry, struct str link, bool *ret_names,
	struct pawl_err *err)
{
	struct buf text = { .max = PLACE_LINK_MAX };
	bool there = false;
	enum pawl_rc rc = file_read(entry, &text, &there, err);

	if (rc == PAWL_OK)
		*ret_names = there && str_eq(str_trim(buf_str(&text)), link);
	buf_release(&text);
	return rc;
}

enum pawl_rc
place_is_listed(const struct repo *repo, const char *path, bool *ret_listed,
	struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *dir = place_path(&mem, repo->common_dir, "worktrees");
	struct str link = str_from(place_path(&mem, path, ".git"));
	DIR *stream = opendir(dir);
	const struct dirent *entry;
	enum pawl_rc rc = PAWL_OK;
	bool listed = false;

	if (stream == NULL && errno != ENOENT)
		rc = pawl_fail_sys(err, ERR_IO, "could not list '%s'", dir);
	errno = 0;
	while (rc == PAWL_OK && stream != NULL && !listed &&
		(entry = readdir(stream)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		rc = entry_names(
			place_path(&mem, place_path(&mem, dir, entry->d_name),
				"gitdir"),
			link, &listed, err);
		errno = 0;
	}
	if (rc == PAWL_OK && stream != NULL && !listed && errno != 0)
		rc = pawl_fail_sys(err, ERR_IO, "could not list '%s'", dir);
	if (stream != NULL)
		(void)closedir(stream); /* was only read */
	arena_reset(&mem);
	if (rc == PAWL_OK)
		*ret_listed = listed;
	return rc;
}

struct rmtree_spec
place_rmtree(const struct repo *repo, const struct worktree_spec *spec,
	const char **guards)
{
	size_t n = 0;

	guards[n++] = repo->top;
	guards[n++] = repo->git_dir;
	guards[n++] = repo->common_dir;
	if (repo->main_top != NULL && place_is_there(repo->main_top))
		guards[n++] = repo->main_top;
	guards[n] = NULL;
	return (struct rmtree_spec){
		.parent = spec->parent,
		.name = spec->name,
		.marker = PLACE_MARKER,
		.evidence = spec->marker,
		.guards = guards,
	};
}

enum pawl_rc
place_forget(const struct repo *repo, const struct worktree_spec *spec,
	const struct place *p, bool half_made, struct pawl_err *err)
{
	const char *const plain[] = { "worktree", "remove", "--", p->tree,
		NULL };
	const char *const forced[] = { "worktree", "remove", "--force",
		"--force", "--", p->tree, NULL };
	struct git_call call = { .args = half_made ? forced : plain,
		.git_dir = repo->common_dir,
		.lock = &p->lock };
	struct git_lock lock = { 0 };
	enum pawl_rc rc;
	bool listed;

	assert(!place_is_there(p->tree));
	rc = git_lock_take(spec->lock_dir, repo->key, &lock, err);
	if (rc == PAWL_OK)
		rc = place_is_listed(repo, p->tree, &listed, err);
	if (rc == PAWL_OK && listed)
		rc = git_run_quiet(&call, err);
	git_lock_release(&lock);
	return rc;
}
