#include "engine/snapshot.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/file.h"
#include "engine/nested.h"
#include "engine/tree_edit.h"

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

/* Git's refusal of a repository without a commit (nested.h). */
static bool
is_unborn_refused(const struct pawl_err *err)
{
	return err->code == ERR_GIT &&
		strstr(err->msg, "does not have a commit checked out") != NULL;
}

/* Git's refusal of what is neither file nor link nor folder. */
static bool
is_special_refused(const struct pawl_err *err)
{
	return err->code == ERR_GIT &&
		strstr(err->msg, "can only add regular files") != NULL;
}

/*
 * A pipe, a socket or a device that stands where the index has a file: git
 * passes over those that it doesn't know, so the file is gone for it as soon as
 * the index has none.
 */
static enum pawl_rc
drop_special(const struct repo *repo, const char *index, struct arena *mem,
	struct pawl_err *err)
{
	static const char *const changed[] = { "ls-files", "-z", "--modified",
		NULL };
	static const char *const drop[] = { "update-index", "--force-remove",
		"-z", "--stdin", NULL };
	struct git_call call = { .args = changed,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	struct git_ran ran = { 0 };
	struct buf special = { 0 };
	struct str rest;
	enum pawl_rc rc = git_run(&call, &ran, err);

	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rest.len > 0) {
		struct str path = str_cut(&rest, '\0');
		struct stat st;

		if (lstat(arena_strdup(mem,
				  arena_format(mem, "%s/" STR_FMT, repo->top,
					  STR_ARG(path))),
			    &st) != 0 ||
			S_ISREG(st.st_mode) || S_ISLNK(st.st_mode) ||
			S_ISDIR(st.st_mode))
			continue;
		buf_add(&special, path);
		buf_addc(&special, '\0');
	}
	call.args = drop;
	call.input = buf_str(&special);
	if (special.len > 0)
		rc = git_run_quiet(&call, err);
	buf_release(&special);
	git_ran_release(&ran);
	return rc;
}

/*
 * `git add` would run `git status` inside of each submodule, by the
 * configuration there, which may be a worker's: its filters are programs.  So
 * add is told to leave them out, and update-index, which only reads their HEAD,
 * takes them.
 */
static enum pawl_rc
add_beside(const struct repo *repo, const char *index,
	const struct nesteds *links, struct pawl_err *err)
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
	const struct nested *n;
	enum pawl_rc rc;

	buf_add(&without, STR(":(top)"));
	buf_addc(&without, '\0');
	VEC_EACH (n, links) {
		buf_add(&without, STR(":(top,exclude,literal)"));
		buf_add(&without, n->path);
		buf_addc(&without, '\0');
		buf_add(&only, n->path);
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
add_plain(const struct repo *repo, const char *index, struct pawl_err *err)
{
	static const char *const add[] = { "add", "-A", "--sparse", "--", ".",
		NULL };
	struct git_call call = { .args = add,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };

	return git_run_quiet(&call, err);
}

/*
 * Does a link stand where a folder on the way to a path was?  Then the path is
 * gone, and git refuses it by name: so it isn't named.
 */
static bool
is_beyond_link(const struct repo *repo, struct str path, struct arena *mem)
{
	struct str rest = path;
	struct stat st;

	for (;;) {
		const char *above;

		(void)str_cut(&rest, '/');
		if (rest.len == 0)
			return false;
		above = arena_strdup(mem,
			arena_format(mem, "%s/" STR_FMT, repo->top,
				STR_ARG(str_part(
					path, 0, path.len - rest.len - 1))));
		if (lstat(above, &st) == 0 && S_ISLNK(st.st_mode))
			return true;
	}
}

/*
 * What stood for a repository without a commit is forgotten first: it may be
 * none any more.  Where git finds one, all that it doesn't know stand for such
 * until update-index has looked at them.
 */
static enum pawl_rc
add_files(const struct repo *repo, const char *index, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	struct nesteds links = { 0 };
	size_t kept = 0;
	enum pawl_rc rc = nested_links(repo, index, &mem, &links, err);

	if (rc == PAWL_OK)
		rc = nested_put(repo, index, &links, false, err);
	for (size_t i = 0; i < links.count; i++) {
		if (!links.items[i].unborn &&
			!is_beyond_link(repo, links.items[i].path, &mem))
			links.items[kept++] = links.items[i];
	}
	links.count = kept;
	if (rc == PAWL_OK && links.count == 0)
		rc = add_plain(repo, index, err);
	else if (rc == PAWL_OK)
		rc = add_beside(repo, index, &links, err);
	if (rc != PAWL_OK && is_unborn_refused(err)) {
		rc = nested_unknown(repo, index, &mem, &links, err);
		if (rc == PAWL_OK)
			rc = nested_put(repo, index, &links, true, err);
		if (rc == PAWL_OK)
			rc = add_beside(repo, index, &links, err);
	}
	nesteds_release(&links);
	arena_reset(&mem);
	return rc;
}

static enum pawl_rc
add_all(const struct repo *repo, const char *index, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	enum pawl_rc rc = add_files(repo, index, err);

	if (rc != PAWL_OK && is_special_refused(err)) {
		rc = drop_special(repo, index, &mem, err);
		if (rc == PAWL_OK)
			rc = add_files(repo, index, err);
	}
	arena_reset(&mem);
	return rc;
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
