#include "engine/snapshot.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/tree_edit.h"

enum { MODE_REPO = 0160000, MODE_TYPE = 0170000 };

/*
 * What is known of an index, beside it: `.tree`, a link whose target names a
 * tree or commit, and `.last`, the index as it was when it held that.  The name
 * goes first and comes last, so that no crash pairs it with another index.
 * Only a saving depends on them, so what fails is left: git is asked instead.
 */
struct known {
	const char *name; /* path of `.tree` */
	const char *last; /* path of `.last` */
};

static struct known
known_of(const char *index, struct arena *mem)
{
	return (struct known){
		arena_strdup(mem, arena_format(mem, "%s.tree", index)),
		arena_strdup(mem, arena_format(mem, "%s.last", index)),
	};
}

static void
known_set(const char *index, const struct oid *name)
{
	struct arena mem = ARENA_INIT;
	struct known k = known_of(index, &mem);

	if (unlink(k.name) == 0 || errno == ENOENT) {
		(void)unlink(k.last);
		if (link(index, k.last) != 0 || symlink(name->hex, k.name) != 0)
			(void)unlink(k.last);
	}
	arena_reset(&mem);
}

/* The tree or commit that `.last` is the index of; false when unknown. */
static bool
known_get(const struct known *k, struct oid *ret_name)
{
	char hex[GIT_OID_HEX_MAX + 1];
	ssize_t len = readlink(k->name, hex, sizeof(hex));

	return len > 0 && oid_read((struct str){ hex, (size_t)len }, ret_name);
}

enum pawl_rc
snapshot_seed(const struct repo *repo, const char *index,
	const struct oid *commit, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct known k = known_of(index, &mem);
	const char *from;
	enum pawl_rc rc;
	bool found = false;

	from = arena_strdup(
		&mem, arena_format(&mem, "%s/index", repo->git_dir));
	(void)unlink(k.name);
	/* none is the empty index, for git too */
	rc = file_copy(from, index, &found, err);
	if (rc == PAWL_OK && found && !oid_is_none(commit))
		known_set(index, commit);
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

static enum pawl_rc
write_tree(const struct repo *repo, const char *index, struct oid *ret_tree,
	struct pawl_err *err)
{
	static const char *const args[] = { "write-tree", NULL };
	struct git_call call = { .args = args,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };

	return git_run_oid(&call, ret_tree, err);
}

/*
 * The tree of an index: the last one, with what the index says is other now.
 * False where that isn't known, or can't be done: git makes it then.
 */
static bool
edit_last(const struct repo *repo, const char *index, struct oid *ret_tree)
{
	struct arena mem = ARENA_INIT;
	struct known k = known_of(index, &mem);
	struct index_entries then = { 0 }, now = { 0 };
	struct changes changes = { 0 };
	struct git_serve own;
	struct git_serve *serve =
		git_serve_or(repo->serve, &own, repo->common_dir);
	struct oid last;
	struct pawl_err why;
	bool plain = false, also = false, fits = false;

	fits = known_get(&k, &last) &&
		index_read(k.last, repo->oid_bytes, &mem, &then, &plain,
			&why) == PAWL_OK &&
		plain && then.count > 0 &&
		index_read(index, repo->oid_bytes, &mem, &now, &also, &why) ==
			PAWL_OK &&
		also &&
		snapshot_index_changes(&then, &now, repo->oid_bytes, &mem,
			&changes, &why) == PAWL_OK &&
		tree_edit(serve, &last, &changes, ret_tree, &fits, &why) ==
			PAWL_OK &&
		fits;
	git_serve_close(&own);
	changes_release(&changes);
	index_entries_release(&then);
	index_entries_release(&now);
	arena_reset(&mem);
	return fits;
}

enum pawl_rc
snapshot_take(const struct repo *repo, const char *index, struct oid *ret_tree,
	struct pawl_err *err)
{
	static const struct oid none = { "" };
	struct oid tree = { 0 };
	struct stat st;
	enum pawl_rc rc = PAWL_OK;

	if (lstat(index, &st) != 0)
		rc = snapshot_seed(repo, index, &none, err);
	if (rc == PAWL_OK)
		rc = add_all(repo, index, err);
	if (rc == PAWL_OK && !edit_last(repo, index, &tree))
		rc = write_tree(repo, index, &tree, err);
	if (rc != PAWL_OK)
		return rc;
	/* git makes it anew under the user's mask; it names all files */
	if (chmod(index, S_IRUSR | S_IWUSR) != 0)
		return pawl_fail_sys(err, ERR_IO, "index '%s'", index);
	known_set(index, &tree);
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
