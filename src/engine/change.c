#include <stdlib.h>
#include <string.h>

#include "base/die.h"
#include "engine/object.h"
#include "engine/snapshot.h"

enum {
	MODE_LINK = 0120000,
	MODE_REPO = 0160000,
	MODE_TYPE = 0170000,
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

/* Two trees at one path, of which one may be missing. */
struct pair {
	struct str prefix; /* "" or "a/b/" */
	struct oid from, to;
};

VEC_DEF(pairs, struct pair);

/* A walk over what differs between two trees. */
struct diff {
	struct git_serve *serve;
	struct pairs todo;
	struct arena scratch;
	struct arena *mem;
	struct changes list;
};

static enum pawl_rc
entries_of(struct diff *d, const struct oid *tree,
	struct tree_entries *ret_entries, struct pawl_err *err)
{
	*ret_entries = (struct tree_entries){ 0 };
	return oid_is_none(tree) ? PAWL_OK
				 : object_read_tree(d->serve, tree, &d->scratch,
					   ret_entries, err);
}

/* What stands at one name before and after; one of them may be NULL. */
static enum pawl_rc
diff_entry(struct diff *d, struct str prefix, const struct tree_entry *old,
	const struct tree_entry *new, struct pawl_err *err)
{
	const struct tree_entry *any = old != NULL ? old : new;
	struct pair below = { 0 };
	struct change c = { 0 };
	struct str path;

	assert(any != NULL);
	path = arena_format(&d->scratch, STR_FMT STR_FMT, STR_ARG(prefix),
		STR_ARG(any->name));
	if (old != NULL && new != NULL &&
		old->mode == new->mode &&oid_eq(&old->oid, &new->oid))
		return PAWL_OK;
	if (old != NULL && old->mode == OBJECT_MODE_TREE) {
		below.from = old->oid;
	} else if (old != NULL) {
		c.old_mode = old->mode;
		c.old = old->oid;
	}
	if (new != NULL &&new->mode == OBJECT_MODE_TREE) {
		below.to = new->oid;
	} else if (new != NULL) {
		c.new_mode = new->mode;
		c.new = new->oid;
	}
	if (!oid_is_none(&below.from) || !oid_is_none(&below.to)) {
		below.prefix =
			arena_format(&d->scratch, STR_FMT "/", STR_ARG(path));
		(void)pairs_push(&d->todo, below);
	}
	if (c.old_mode == 0 && c.new_mode == 0)
		return PAWL_OK;
	classify(&c);
	return push(&d->list, c, path, d->mem, err);
}

/* Both lists are in order of names: walk them side by side. */
static enum pawl_rc
diff_pair(struct diff *d, const struct pair *p, struct pawl_err *err)
{
	struct tree_entries old = { 0 }, new = { 0 };
	size_t i = 0, k = 0;
	enum pawl_rc rc = entries_of(d, &p->from, &old, err);

	if (rc == PAWL_OK)
		rc = entries_of(d, &p->to, &new, err);
	while (rc == PAWL_OK && (i < old.count || k < new.count)) {
		const struct tree_entry *from = NULL, *to = NULL;
		int order = i == old.count ? 1
			: k == new.count
			? -1
			: str_cmp(old.items[i].name, new.items[k].name);

		if (order <= 0)
			from = &old.items[i++];
		if (order >= 0)
			to = &new.items[k++];
		rc = diff_entry(d, p->prefix, from, to, err);
	}
	tree_entries_release(&old);
	tree_entries_release(&new);
	return rc;
}

static int
by_path(const void *a, const void *b)
{
	return str_cmp(((const struct change *)a)->path,
		((const struct change *)b)->path);
}

enum pawl_rc
snapshot_changes(const struct repo *repo, const struct oid *from,
	const struct oid *to, struct arena *mem, struct changes *ret_changes,
	struct pawl_err *err)
{
	struct git_serve own;
	struct diff d = { .mem = mem };
	enum pawl_rc rc = PAWL_OK;

	d.serve = git_serve_or(repo->serve, &own, repo->common_dir);
	if (!oid_eq(from, to))
		(void)pairs_push(&d.todo, (struct pair){ STR(""), *from, *to });
	while (rc == PAWL_OK && d.todo.count > 0) {
		struct pair next = d.todo.items[--d.todo.count];

		rc = diff_pair(&d, &next, err);
	}
	pairs_release(&d.todo);
	arena_reset(&d.scratch);
	git_serve_close(&own);
	if (rc == PAWL_OK) {
		if (d.list.count > 1)
			qsort(d.list.items, d.list.count,
				sizeof(d.list.items[0]), by_path);
		*ret_changes = d.list;
	} else {
		changes_release(&d.list);
	}
	return rc;
}

const struct change *
changes_find(const struct changes *list, struct str path)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		int order = str_cmp(list->items[mid].path, path);

		if (order == 0)
			return &list->items[mid];
		if (order < 0) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return NULL;
}

enum pawl_rc
snapshot_index_changes(const struct index_entries *from,
	const struct index_entries *to, size_t oid_bytes, struct arena *mem,
	struct changes *ret_changes, struct pawl_err *err)
{
	struct changes list = { 0 };
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
			c.old = index_oid(old, oid_bytes);
		}
		if (new != NULL) {
			path = new->path;
			c.new_mode = new->mode;
			c.new = index_oid(new, oid_bytes);
		}
		classify(&c);
		rc = push(&list, c, path, mem, err);
	}
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
