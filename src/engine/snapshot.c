#include "engine/snapshot.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"
#include "engine/file.h"
#include "engine/index.h"

enum { MODE_REPO = 0160000, MODE_TYPE = 0170000 };

const char *
snapshot_kept(const char *index, const struct oid *name, struct arena *mem)
{
	return arena_strdup(
		mem, arena_format(mem, "%s.at.%s", index, name->hex));
}

/*
 * Keep the index as it is now under `name`.  Only a saving depends on it, so
 * what fails is left: git is asked instead.
 */
static void
keep(const char *index, const struct oid *name, struct arena *mem)
{
	const char *kept = snapshot_kept(index, name, mem);

	(void)unlink(kept);
	if (link(index, kept) != 0)
		return;
}

static void
keep_tree(const char *index, const struct oid *tree)
{
	struct arena mem = ARENA_INIT;
	const char *last =
		arena_strdup(&mem, arena_format(&mem, "%s.tree", index));

	keep(index, tree, &mem);
	(void)unlink(last);
	if (symlink(tree->hex, last) != 0)
		(void)unlink(last);
	arena_reset(&mem);
}

/* The last tree, if the index still is the file that it was written from. */
static bool
is_unchanged(const char *index, struct oid *ret_tree)
{
	struct arena mem = ARENA_INIT;
	const char *last =
		arena_strdup(&mem, arena_format(&mem, "%s.tree", index));
	char hex[GIT_OID_HEX_MAX + 1];
	struct oid tree = { 0 };
	struct stat now, then;
	ssize_t len = readlink(last, hex, sizeof(hex));
	bool same;

	same = len > 0 && oid_read((struct str){ hex, (size_t)len }, &tree) &&
		lstat(index, &now) == 0 &&
		lstat(snapshot_kept(index, &tree, &mem), &then) == 0 &&
		now.st_dev == then.st_dev && now.st_ino == then.st_ino;
	if (same)
		*ret_tree = tree;
	arena_reset(&mem);
	return same;
}

enum pawl_rc
snapshot_seed(const struct repo *repo, const char *index,
	const struct oid *commit, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *from;
	enum pawl_rc rc;
	bool found = false;

	from = arena_strdup(
		&mem, arena_format(&mem, "%s/index", repo->git_dir));
	/* none is the empty index, for git too */
	rc = file_copy(from, index, &found, err);
	if (rc == PAWL_OK && found && !oid_is_none(commit))
		keep(index, commit, &mem);
	arena_reset(&mem);
	return rc;
}

/* Git's refusal of a repository that it can't record gets its name. */
static enum pawl_rc
explain_add(struct pawl_err *err)
{
	char why[sizeof(err->msg)];

	if (err->code != ERR_GIT ||
		strstr(err->msg, "does not have a commit checked out") == NULL)
		return err->rc;
	memcpy(why, err->msg, sizeof(why));
	return pawl_fail(err, ERR_UNSAFE_PATH,
		"a nested repository can't be recorded: %s", why);
}

/* The submodules of an index that isn't plain, from git. */
static enum pawl_rc
ask_submodules(const struct repo *repo, const char *index, struct arena *mem,
	struct paths *ret_paths, struct pawl_err *err)
{
	static const char *const args[] = { "ls-files", "-z", "--stage", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str path = str_cut(&rest, '\0');
		struct str head = str_cut(&path, '\t');

		if (str_starts(head, STR("160000 ")))
			(void)paths_push(ret_paths, arena_copy(mem, path));
	}
	git_ran_release(&ran);
	return PAWL_OK;
}

/* The paths that are another repository in this index. */
static enum pawl_rc
find_submodules(const struct repo *repo, const char *index, struct arena *mem,
	struct paths *ret_paths, struct pawl_err *err)
{
	struct index_entries entries = { 0 };
	const struct index_entry *e;
	enum pawl_rc rc;
	bool plain = false;

	rc = index_read(index, repo->oid_bytes, mem, &entries, &plain, err);
	if (rc != PAWL_OK)
		return rc;
	if (!plain)
		return ask_submodules(repo, index, mem, ret_paths, err);
	VEC_EACH (e, &entries) {
		if ((e->mode & MODE_TYPE) == MODE_REPO)
			(void)paths_push(ret_paths, e->path);
	}
	index_entries_release(&entries);
	return PAWL_OK;
}

/*
 * `git add` would run `git status` inside of each submodule, by the
 * configuration there, which may be a worker's: its filters are programs.  So
 * add is told to leave them out, and update-index, which only reads their HEAD,
 * takes them.
 */
static enum pawl_rc
add_beside_submodules(const struct repo *repo, const char *index,
	const struct paths *submodules, struct pawl_err *err)
{
	static const char *const add[] = { "add", "-A", "--sparse",
		"--pathspec-from-file=-", "--pathspec-file-nul", NULL };
	static const char *const update[] = { "update-index", "--add",
		"--remove", "--replace", "-z", "--stdin", NULL };
	struct git_call call = { .args = add,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index,
		.pathspecs = true };
	struct buf without = { 0 }, only = { 0 };
	const struct str *path;
	enum pawl_rc rc;

	buf_add(&without, STR(":(top)"));
	buf_addc(&without, '\0');
	VEC_EACH (path, submodules) {
		buf_add(&without, STR(":(top,exclude,literal)"));
		buf_add(&without, *path);
		buf_addc(&without, '\0');
		buf_add(&only, *path);
		buf_addc(&only, '\0');
	}
	call.input = buf_str(&without);
	rc = git_run_quiet(&call, err);
	if (rc == PAWL_OK) {
		call.args = update;
		call.input = buf_str(&only);
		rc = git_run_quiet(&call, err);
	}
	buf_release(&without);
	buf_release(&only);
	return rc;
}

static enum pawl_rc
add_all(const struct repo *repo, const char *index, struct pawl_err *err)
{
	static const char *const add[] = { "add", "-A", "--sparse", "--", ".",
		NULL };
	struct git_call call = { .args = add,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	struct arena mem = ARENA_INIT;
	struct paths submodules = { 0 };
	enum pawl_rc rc;

	rc = find_submodules(repo, index, &mem, &submodules, err);
	if (rc == PAWL_OK && submodules.count == 0)
		rc = git_run_quiet(&call, err);
	else if (rc == PAWL_OK)
		rc = add_beside_submodules(repo, index, &submodules, err);
	paths_release(&submodules);
	arena_reset(&mem);
	return rc == PAWL_OK ? rc : explain_add(err);
}

enum pawl_rc
snapshot_take(const struct repo *repo, const char *index, struct oid *ret_tree,
	struct pawl_err *err)
{
	static const char *const write[] = { "write-tree", NULL };
	static const struct oid none = { "" };
	struct git_call call = { .args = write,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	struct oid tree = { 0 };
	struct stat st;
	enum pawl_rc rc = PAWL_OK;

	if (lstat(index, &st) != 0)
		rc = snapshot_seed(repo, index, &none, err);
	if (rc == PAWL_OK)
		rc = add_all(repo, index, err);
	if (rc != PAWL_OK)
		return rc;
	if (!is_unchanged(index, &tree)) {
		rc = git_run_oid(&call, &tree, err);
		if (rc != PAWL_OK)
			return rc;
		/* git makes it anew under the user's mask; it names all files.
		 */
		if (chmod(index, S_IRUSR | S_IWUSR) != 0)
			return pawl_fail_sys(err, ERR_IO, "index '%s'", index);
		keep_tree(index, &tree);
	}
	*ret_tree = tree;
	return PAWL_OK;
}

enum pawl_rc
snapshot_patch(const struct repo *repo, const struct oid *from,
	const struct oid *to, size_t max, struct buf *ret_patch,
	struct pawl_err *err)
{
	const char *const args[] = { "diff-tree", "-r", "-p", "--binary",
		"--full-index", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--no-color", "--src-prefix=a/",
		"--dst-prefix=b/", "--submodule=short",
		"--ignore-submodules=none", from->hex, to->hex, NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.dir = repo->top,
		.out_max = max ? max : SNAPSHOT_PATCH_MAX };
	struct git_ran ran = { 0 };
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	*ret_patch = ran.out;
	ran.out = (struct buf){ 0 };
	git_ran_release(&ran);
	return PAWL_OK;
}
