#include "model/spelling.h"

#include "base/map.h"
#include "base/vec.h"
#include "model/contract.h"
#include "model/scope.h"

/* A path that a scope names or leads through. */
struct spelled {
	struct str path, folded;
	uint32_t node;
};

VEC_DEF(spelled_paths, struct spelled);

struct spellings {
	struct spelled_paths paths;
	struct map by_folded;
	struct arena *mem;
};

static struct str
folded_of(const void *table, uint32_t index)
{
	return ((const struct spelled_paths *)table)->items[index].folded;
}

/* Note a path; false when another spelling of it was noted before. */
static bool
note(struct spellings *s, struct str path, uint32_t node, uint32_t *ret_other)
{
	struct spelled p = { path, scope_fold(path, s->mem), node };
	uint32_t index = (uint32_t)s->paths.count;

	spelled_paths_push(&s->paths, p);
	if (map_add(&s->by_folded, folded_of, &s->paths, p.folded, index,
		    ret_other))
		return true;
	s->paths.count--;
	return str_eq(s->paths.items[*ret_other].path, path);
}

static bool
scope_clashes(struct spellings *s, struct str scope, uint32_t node,
	struct spelling_clash *ret_clash)
{
	for (size_t end = 1; end <= scope.len; end++) {
		struct str path = { scope.ptr, end };
		uint32_t other;

		if ((end < scope.len && scope.ptr[end] != '/') ||
			note(s, path, node, &other))
			continue;
		*ret_clash = (struct spelling_clash){ node,
			s->paths.items[other].node, path,
			s->paths.items[other].path };
		return true;
	}
	return false;
}

static void
spellings_release(struct spellings *s)
{
	spelled_paths_release(&s->paths);
	map_release(&s->by_folded);
}

bool
spelling_clashes(const struct plan *p, struct arena *mem,
	struct spelling_clash *ret_clash)
{
	struct spellings s = { .mem = mem };
	bool clashes = false;

	for (uint32_t i = 0; !clashes && i < p->count; i++) {
		const struct contract *c = &p->nodes[i];

		for (uint32_t k = 0; !clashes && k < c->scopes_count; k++)
			clashes = scope_clashes(&s,
				plan_scope_str(p, c->scopes_at + k), i,
				ret_clash);
	}
	spellings_release(&s);
	return clashes;
}

bool
spelling_clashes_amended(const struct state *st, uint32_t node,
	const struct strs *paths, struct arena *mem,
	struct spelling_clash *ret_clash)
{
	struct spellings s = { .mem = mem };
	bool clashes = false;

	for (uint32_t i = 0; !clashes && i < st->plan->count; i++) {
		struct contract_view v = contract_of(st, i);

		for (uint32_t k = 0;
			!clashes && i != node && k < contract_scopes(&v); k++)
			clashes = scope_clashes(
				&s, contract_scope(&v, k), i, ret_clash);
	}
	for (uint32_t k = 0; !clashes && k < paths->count; k++)
		clashes = scope_clashes(&s, paths->items[k], node, ret_clash);
	spellings_release(&s);
	return clashes;
}

enum pawl_rc
spelling_fail(const struct plan *p, const struct spelling_clash *clash,
	struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_INVALID_PATH,
		"'" STR_FMT "' of '" STR_FMT "' and '" STR_FMT "' of '" STR_FMT
		"' are one path here: letter case is folded",
		STR_ARG(clash->path), STR_ARG(plan_id(p, clash->node)),
		STR_ARG(clash->other_path), STR_ARG(plan_id(p, clash->other)));
	return pawl_hint(err, "spell both alike");
}
