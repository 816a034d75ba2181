#include "engine/context_source.h"

#include "engine/object.h"

/* What stands at a path of a commit: mode 0 is nothing. */
static enum pawl_rc
find(struct git_serve *serve, const struct oid *commit, struct str path,
	struct arena *mem, struct tree_entry *ret_entry, struct pawl_err *err)
{
	struct tree_entry at = { .mode = OBJECT_MODE_TREE, .oid = *commit };
	struct str rest = path;

	while (rest.len > 0 && at.mode != 0) {
		struct str name = str_cut(&rest, '/');
		struct tree_entries entries = { 0 };
		const struct tree_entry *e;
		enum pawl_rc rc;

		if (at.mode != OBJECT_MODE_TREE) {
			at.mode = 0;
			break;
		}
		rc = object_read_tree(serve, &at.oid, mem, &entries, err);
		if (rc != PAWL_OK)
			return rc;
		at.mode = 0;
		VEC_EACH (e, &entries) {
			if (str_eq(e->name, name))
				at = *e;
		}
		tree_entries_release(&entries);
	}
	*ret_entry = at;
	return PAWL_OK;
}

static enum pawl_rc
take_excerpt(struct git_serve *serve, const struct oid *blob, struct context *c,
	struct context_ref *ref, struct arena *mem, struct pawl_err *err)
{
	struct object o = { 0 };
	struct pawl_err why = { 0 };
	enum pawl_rc rc;

	if (!context_has_room(c, ref))
		return PAWL_OK;
	rc = object_read(serve, blob, &o, &why);
	if (rc != PAWL_OK && why.code == ERR_LIMIT) {
		ref->omitted = CONTEXT_OMITTED_TOO_LARGE;
		return PAWL_OK;
	}
	if (rc != PAWL_OK) {
		*err = why;
		return rc;
	}
	ref->bytes = object_bytes(&o).len;
	context_excerpt(c, ref, object_bytes(&o), mem);
	object_release(&o);
	return PAWL_OK;
}

static enum pawl_rc
resolve(struct git_serve *serve, const struct oid *commit, struct context *c,
	struct context_ref *ref, struct arena *mem, struct pawl_err *err)
{
	struct tree_entry e = { 0 };
	enum pawl_rc rc = find(serve, commit, ref->id, mem, &e, err);

	if (rc != PAWL_OK || e.mode == 0)
		return rc;
	ref->digest = arena_format(mem, "git:%s", e.oid.hex);
	switch (e.mode & OBJECT_MODE_TYPE) {
	case OBJECT_MODE_TREE:
		ref->omitted = CONTEXT_OMITTED_FOLDER;
		return PAWL_OK;
	case OBJECT_MODE_LINK:
		ref->omitted = CONTEXT_OMITTED_LINK;
		return PAWL_OK;
	case OBJECT_MODE_REPO:
		ref->omitted = CONTEXT_OMITTED_REPOSITORY;
		return PAWL_OK;
	default:
		return take_excerpt(serve, &e.oid, c, ref, mem, err);
	}
}

enum pawl_rc
context_gather(struct pilot *p, const struct context_of *of, struct str base,
	struct context *ret_context, struct pawl_err *err)
{
	struct git_serve own;
	struct git_serve *serve =
		git_serve_or(p->repo.serve, &own, p->repo.common_dir);
	struct context_ref *ref;
	struct oid commit;
	enum pawl_rc rc = PAWL_OK;

	context_collect(ret_context, &p->run->state, of, &p->mem);
	if (oid_read(base, &commit)) {
		VEC_EACH (ref, &ret_context->refs) {
			if (ref->kind == CONTEXT_SOURCE && rc == PAWL_OK)
				rc = resolve(serve, &commit, ret_context, ref,
					&p->mem, err);
		}
	}
	git_serve_close(&own);
	context_drop_unresolved(ret_context);
	return rc;
}
