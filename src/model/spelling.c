#include "model/spelling.h"

#include "base/map.h"
#include "base/vec.h"
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
	spelled_paths_release(&s.paths);
	map_release(&s.by_folded);
	return clashes;
}
