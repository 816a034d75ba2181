#include "engine/tree_edit.h"

#include "base/die.h"
#include "engine/object.h"

/*
 * A folder on the way to the path that is being changed.  Paths come in order,
 * so all below one folder come together, and a stack of open ones is enough.
 */
struct level {
	struct str path; /* "" or "a/b" */
	struct str name; /* in the folder above */
	struct tree_entries entries;
	bool changed;
};

VEC_DEF(levels, struct level);

struct edit {
	struct git_serve *serve;
	struct levels open;
	struct arena mem;
	bool fits;
};

static bool
is_tree(const struct tree_entry *e)
{
	return e->mode == OBJECT_MODE_TREE;
}

/* A file and a folder of one name are two entries, until the folder closes. */
static struct tree_entry *
entry_find(struct tree_entries *entries, struct str name, bool tree)
{
	struct tree_entry *e;

	VEC_EACH (e, entries) {
		if (is_tree(e) == tree && str_eq(e->name, name))
			return e;
	}
	return NULL;
}

static void
entry_set(
	struct level *l, struct str name, uint32_t mode, const struct oid *oid)
{
	bool tree = mode == OBJECT_MODE_TREE;
	struct tree_entry *e = entry_find(&l->entries, name, tree);

	l->changed = true;
	if (e == NULL)
		e = tree_entries_push(
			&l->entries, (struct tree_entry){ .name = name });
	e->mode = mode;
	e->oid = *oid;
}

static void
entry_drop(struct level *l, struct tree_entry *e)
{
	l->changed = true;
	*e = l->entries.items[--l->entries.count];
}

static int
by_name(const void *a, const void *b)
{
	return str_cmp(((const struct tree_entry *)a)->name,
		((const struct tree_entry *)b)->name);
}

/* No name twice: that would be a file and a folder. */
static bool
is_sound(struct tree_entries *entries)
{
	if (entries->count > 1)
		qsort(entries->items, entries->count, sizeof(entries->items[0]),
			by_name);
	for (size_t i = 1; i < entries->count; i++) {
		if (str_eq(entries->items[i - 1].name, entries->items[i].name))
			return false;
	}
	return true;
}

/* Write the innermost folder; the one above gets to know. */
static enum pawl_rc
close_level(struct edit *e, struct pawl_err *err)
{
	struct level l = e->open.items[--e->open.count];
	struct level *above = &e->open.items[e->open.count - 1];
	struct tree_entry *old;
	struct oid tree;
	enum pawl_rc rc = PAWL_OK;

	assert(above >= e->open.items); /* the root isn't closed here */
	if (!l.changed)
		goto out;
	if (l.entries.count == 0) {
		old = entry_find(&above->entries, l.name, true);
		if (old != NULL)
			entry_drop(above, old);
		goto out;
	}
	e->fits = e->fits && is_sound(&l.entries);
	if (e->fits)
		rc = object_write_tree(e->serve, &l.entries, &tree, err);
	if (e->fits && rc == PAWL_OK)
		entry_set(above, l.name, OBJECT_MODE_TREE, &tree);
out:
	tree_entries_release(&l.entries);
	return rc;
}

static bool
is_above(struct str dir, struct str path)
{
	return dir.len == 0 ||
		(path.len > dir.len && str_starts(path, dir) &&
			path.ptr[dir.len] == '/');
}

/* Close what isn't above `path`, open what is down to its folder. */
static enum pawl_rc
go_to(struct edit *e, struct str path, struct str *ret_name,
	struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK &&
		!is_above(e->open.items[e->open.count - 1].path, path))
		rc = close_level(e, err);
	while (rc == PAWL_OK) {
		struct level *above = &e->open.items[e->open.count - 1];
		size_t done = above->path.len > 0 ? above->path.len + 1 : 0;
		struct str rest = str_part(path, done, path.len);
		struct str name = str_part(rest, 0, str_find(rest, '/'));
		struct level l = { .name = name,
			.path = str_part(path, 0, done + name.len) };
		const struct tree_entry *old;

		if (name.len == rest.len) {
			*ret_name = name;
			return PAWL_OK;
		}
		old = entry_find(&above->entries, name, true);
		if (old != NULL)
			rc = object_read_tree(
				e->serve, &old->oid, &e->mem, &l.entries, err);
		if (rc == PAWL_OK)
			(void)levels_push(&e->open, l);
	}
	return rc;
}

/* One change, in the folder that is open. */
static void
apply(struct edit *e, const struct change *c, struct str name)
{
	struct level *l = &e->open.items[e->open.count - 1];
	struct tree_entry *old = entry_find(&l->entries, name, false);

	if (c->old_mode == 0 ? old != NULL
			     : old == NULL || old->mode != c->old_mode ||
				!oid_eq(&old->oid, &c->old)) {
		e->fits = false;
	} else if (c->new_mode != 0) {
		entry_set(l, name, c->new_mode, &c->new);
	} else if (old != NULL) {
		entry_drop(l, old);
	}
}

enum pawl_rc
tree_edit(struct git_serve *serve, const struct oid *base,
	const struct changes *changes, struct oid *ret_tree, bool *ret_fits,
	struct pawl_err *err)
{
	struct edit e = { .serve = serve, .fits = true };
	struct level root = { 0 };
	const struct change *c;
	struct oid tree = { 0 };
	struct str name;
	enum pawl_rc rc;

	rc = object_read_tree(serve, base, &e.mem, &root.entries, err);
	(void)levels_push(&e.open, root);
	VEC_EACH (c, changes) {
		if (rc == PAWL_OK && e.fits)
			rc = go_to(&e, c->path, &name, err);
		if (rc == PAWL_OK && e.fits)
			apply(&e, c, name);
	}
	while (rc == PAWL_OK && e.open.count > 1)
		rc = close_level(&e, err);
	if (rc == PAWL_OK && e.fits) {
		e.fits = is_sound(&e.open.items[0].entries);
		if (e.fits)
			rc = object_write_tree(
				serve, &e.open.items[0].entries, &tree, err);
	}
	while (e.open.count > 0)
		tree_entries_release(&e.open.items[--e.open.count].entries);
	levels_release(&e.open);
	arena_reset(&e.mem);
	if (rc == PAWL_OK) {
		*ret_fits = e.fits;
		*ret_tree = tree;
	}
	return rc;
}
