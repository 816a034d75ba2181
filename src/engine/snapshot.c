#include "engine/snapshot.h"

#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "base/num.h"
#include "engine/file.h"
#include "engine/index.h"

enum {
	MODE_LINK = 0120000,
	MODE_REPO = 0160000,
	MODE_TYPE = 0170000,
	ALL_FIELDS = 5, /* of a raw line: two modes, two names, a status */
};

static const char *const kind_words[] = {
	[CHANGE_MODIFIED] = "modified",
	[CHANGE_MODE] = "mode",
	[CHANGE_TYPE] = "type",
	[CHANGE_ADDED] = "added",
	[CHANGE_DELETED] = "deleted",
};

const char *
change_kind_word(enum change_kind kind)
{
	assert(kind <= CHANGE_DELETED);
	return kind_words[kind];
}

enum pawl_rc
snapshot_seed(const struct repo *repo, const char *index, struct pawl_err *err)
{
	struct arena mem = ARENA_INIT;
	const char *from;
	enum pawl_rc rc;
	bool found;

	from = arena_strdup(
		&mem, arena_format(&mem, "%s/index", repo->git_dir));
	/* none is the empty index, for git too */
	rc = file_copy(from, index, &found, err);
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
	struct git_call call = { .args = write,
		.git_dir = repo->git_dir,
		.work_tree = repo->top,
		.index = index };
	struct stat st;
	enum pawl_rc rc = PAWL_OK;

	if (lstat(index, &st) != 0)
		rc = snapshot_seed(repo, index, err);
	if (rc == PAWL_OK)
		rc = add_all(repo, index, err);
	if (rc == PAWL_OK)
		rc = git_run_oid(&call, ret_tree, err);
	/* git makes it anew under the user's mask; it names all files. */
	if (rc == PAWL_OK && chmod(index, S_IRUSR | S_IWUSR) != 0)
		rc = pawl_fail_sys(err, ERR_IO, "index '%s'", index);
	return rc;
}

static bool
read_octal(struct str text, uint32_t *ret_mode)
{
	uint32_t mode = 0;

	if (text.len == 0 || text.len > 7)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '7')
			return false;
		mode = mode * 8 + (uint32_t)(text.ptr[i] - '0');
	}
	*ret_mode = mode;
	return true;
}

static void
read_oid_or_none(struct str text, struct oid *ret_oid)
{
	if (!oid_read(text, ret_oid) ||
		strspn(ret_oid->hex, "0") == strlen(ret_oid->hex))
		*ret_oid = (struct oid){ 0 };
}

static void
classify(struct change *c)
{
	c->symlink = (c->old_mode & MODE_TYPE) == MODE_LINK ||
		(c->new_mode & MODE_TYPE) == MODE_LINK;
	c->submodule = (c->old_mode & MODE_TYPE) == MODE_REPO ||
		(c->new_mode & MODE_TYPE) == MODE_REPO;
	if (c->old_mode == 0) {
		c->kind = CHANGE_ADDED;
	} else if (c->new_mode == 0) {
		c->kind = CHANGE_DELETED;
	} else if ((c->old_mode & MODE_TYPE) != (c->new_mode & MODE_TYPE)) {
		c->kind = CHANGE_TYPE;
	} else if (oid_eq(&c->old, &c->new) && c->old_mode != c->new_mode) {
		c->kind = CHANGE_MODE;
	} else {
		c->kind = CHANGE_MODIFIED;
	}
}

/* ":100644 100755 <old> <new> M", then the path in a field of its own. */
static bool
read_raw(struct str head, struct change *c)
{
	struct str field[ALL_FIELDS];

	if (head.len == 0 || head.ptr[0] != ':')
		return false;
	head = str_part(head, 1, head.len);
	for (size_t i = 0; i < ALL_FIELDS; i++)
		field[i] = str_cut(&head, ' ');
	if (!read_octal(field[0], &c->old_mode) ||
		!read_octal(field[1], &c->new_mode) || field[4].len == 0)
		return false;
	read_oid_or_none(field[2], &c->old);
	read_oid_or_none(field[3], &c->new);
	classify(c);
	return true;
}

static enum pawl_rc
push(struct changes *list, struct change c, struct str path, struct arena *mem,
	struct pawl_err *err)
{
	if (list->count >= SNAPSHOT_CHANGES_MAX) {
		return pawl_fail(err, ERR_LIMIT, "more than %d paths changed",
			SNAPSHOT_CHANGES_MAX);
	}
	c.path = arena_copy(mem, path);
	(void)changes_push(list, c);
	return PAWL_OK;
}

enum pawl_rc
snapshot_changes(const struct repo *repo, const struct oid *from,
	const struct oid *to, struct arena *mem, struct changes *ret_changes,
	struct pawl_err *err)
{
	const char *const args[] = { "diff-tree", "-r", "-z", "--raw",
		"--no-renames", "--no-abbrev", "--ignore-submodules=none",
		from->hex, to->hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->git_dir, .dir = repo->top
	};
	struct changes list = { 0 };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	if (oid_eq(from, to)) {
		*ret_changes = list;
		return PAWL_OK;
	}
	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str head = str_cut(&rest, '\0');
		struct str path = str_cut(&rest, '\0');
		struct change c = { 0 };

		if (path.len == 0 || !read_raw(head, &c)) {
			rc = pawl_fail(err, ERR_GIT,
				"git diff-tree gave a line that isn't raw");
		} else {
			rc = push(&list, c, path, mem, err);
		}
	}
	git_ran_release(&ran);
	if (rc == PAWL_OK) {
		*ret_changes = list;
	} else {
		changes_release(&list);
	}
	return rc;
}

/*
 * One record of porcelain v2: "1 XY sub mH mI mW hH hI path",
 * "u XY sub m1 m2 m3 mW h1 h2 h3 path", "? path".
 */
static bool
read_status(struct str line, struct change *c, struct str *ret_path)
{
	struct str rest = line;
	struct str kind = str_cut(&rest, ' ');
	struct str field[9];
	size_t count = 7;

	if (str_eq(kind, STR("?"))) {
		*ret_path = rest;
		c->kind = CHANGE_ADDED;
		/* a nested repository is shown as a folder */
		c->submodule = str_ends(rest, STR("/"));
		return rest.len > 0;
	}
	if (str_eq(kind, STR("u"))) {
		count = 9;
	} else if (!str_eq(kind, STR("1"))) {
		return false;
	}
	for (size_t i = 0; i < count; i++)
		field[i] = str_cut(&rest, ' ');
	*ret_path = rest;
	if (!read_octal(field[2], &c->old_mode) ||
		!read_octal(field[count == 9 ? 5 : 4], &c->new_mode))
		return false;
	if (count == 7)
		read_oid_or_none(field[5], &c->old);
	classify(c);
	/* what is in the index but in neither HEAD nor the folder */
	if (c->old_mode == 0 && c->new_mode == 0)
		c->kind = CHANGE_MODIFIED;
	return rest.len > 0;
}

enum pawl_rc
snapshot_dirty(const struct repo *repo, struct arena *mem,
	struct changes *ret_changes, struct pawl_err *err)
{
	static const char *const args[] = { "status", "--porcelain=v2", "-z",
		"--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->git_dir, .work_tree = repo->top
	};
	struct changes list = { 0 };
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

	rc = git_run(&call, &ran, err);
	if (rc != PAWL_OK)
		return rc;
	rest = buf_str(&ran.out);
	while (rc == PAWL_OK && rest.len > 0) {
		struct str line = str_cut(&rest, '\0');
		struct change c = { 0 };
		struct str path = { 0 };

		if (!read_status(line, &c, &path)) {
			rc = pawl_fail(err, ERR_GIT,
				"git status gave a line that isn't porcelain "
				"v2");
		} else {
			rc = push(&list, c, path, mem, err);
		}
	}
	git_ran_release(&ran);
	if (rc == PAWL_OK) {
		*ret_changes = list;
	} else {
		changes_release(&list);
	}
	return rc;
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
