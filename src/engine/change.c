#include <string.h>
#include <sys/stat.h>

#include "base/die.h"
#include "engine/index.h"
#include "engine/snapshot.h"

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

static enum pawl_rc
ask_changes(const struct repo *repo, const struct oid *from,
	const struct oid *to, struct arena *mem, struct changes *list,
	struct pawl_err *err)
{
	const char *const args[] = { "diff-tree", "-r", "-z", "--raw",
		"--no-renames", "--no-abbrev", "--ignore-submodules=none",
		from->hex, to->hex, NULL };
	struct git_call call = {
		.args = args, .git_dir = repo->git_dir, .dir = repo->top
	};
	struct git_ran ran = { 0 };
	struct str rest;
	enum pawl_rc rc;

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
			rc = push(list, c, path, mem, err);
		}
	}
	git_ran_release(&ran);
	return rc;
}

static struct oid
name_of(const struct index_entry *e, size_t oid_bytes)
{
	static const char digits[] = "0123456789abcdef";
	struct oid oid = { 0 };

	for (size_t i = 0; i < oid_bytes; i++) {
		oid.hex[2 * i] = digits[e->oid[i] >> 4];
		oid.hex[2 * i + 1] = digits[e->oid[i] & 15];
	}
	return oid;
}

/* Walk both lists, which are in path order, side by side. */
static enum pawl_rc
compare(const struct index_entries *from, const struct index_entries *to,
	size_t oid_bytes, struct arena *mem, struct changes *list,
	struct pawl_err *err)
{
	size_t i = 0, k = 0;
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK && (i < from->count || k < to->count)) {
		const struct index_entry *old = NULL, *new = NULL;
		struct change c = { 0 };
		struct str path = { 0 };
		int order = i == from->count ? 1
			: k == to->count
			? -1
			: str_cmp(from->items[i].path, to->items[k].path);

		if (order <= 0)
			old = &from->items[i++];
		if (order >= 0)
			new = &to->items[k++];
		if (old != NULL && new != NULL &&
			old->mode ==
				new->mode &&memcmp(
					old->oid, new->oid, oid_bytes) == 0)
			continue;
		if (old != NULL) {
			path = old->path;
			c.old_mode = old->mode;
			c.old = name_of(old, oid_bytes);
		}
		if (new != NULL) {
			path = new->path;
			c.new_mode = new->mode;
			c.new = name_of(new, oid_bytes);
		}
		classify(&c);
		rc = push(list, c, path, mem, err);
	}
	return rc;
}

static bool
read_kept(const struct repo *repo, const struct oid *name, struct arena *mem,
	struct index_entries *ret_entries)
{
	const char *kept = snapshot_kept(repo->index, name, mem);
	struct pawl_err why;
	struct stat st;
	bool plain = false;

	return lstat(kept, &st) == 0 &&
		index_read(kept, repo->oid_bytes, mem, ret_entries, &plain,
			&why) == PAWL_OK &&
		plain;
}

enum pawl_rc
snapshot_changes(const struct repo *repo, const struct oid *from,
	const struct oid *to, struct arena *mem, struct changes *ret_changes,
	struct pawl_err *err)
{
	struct index_entries old = { 0 }, new = { 0 };
	struct arena scratch = ARENA_INIT;
	struct changes list = { 0 };
	enum pawl_rc rc = PAWL_OK;

	if (oid_eq(from, to))
		goto out;
	if (repo->index != NULL && read_kept(repo, from, &scratch, &old) &&
		read_kept(repo, to, &scratch, &new))
		rc = compare(&old, &new, repo->oid_bytes, mem, &list, err);
	else
		rc = ask_changes(repo, from, to, mem, &list, err);
out:
	index_entries_release(&old);
	index_entries_release(&new);
	arena_reset(&scratch);
	if (rc == PAWL_OK)
		*ret_changes = list;
	else
		changes_release(&list);
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
