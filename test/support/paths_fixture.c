#include "paths_fixture.h"

#include "model/contract.h"

enum { PATHS_MAX = 4 };

void
paths_fixture(struct run_fixture *f, struct event *e, const char *paths)
{
	struct strs list = { arena_array(&f->mem, PATHS_MAX, struct str), 0 };
	struct contract_view v = { .plan = &f->plan.plan };
	struct str rest = str_from(paths);

	while (rest.len > 0 && list.count < PATHS_MAX)
		list.items[list.count++] = str_cut(&rest, ' ');
	v.scope = &list;
	EVENT_SET(e, F_PATHS, paths, list);
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		contract_scope_sha256(&v, &f->mem));
	EVENT_SET(e, F_CAPSULE_SHA256, capsule_sha256,
		arena_format(&f->mem, "capsule of %s", paths));
}
