#include "model/registered.h"

/* The node's open ones are counted, and nearly always the last. */
static bool
first_of(const struct state *s, uint32_t node, bool worktrees,
	uint32_t *ret_cleanup)
{
	uint32_t open = s->nodes[node].cleanups;
	bool found = false;

	for (size_t i = s->cleanups.count; i-- > 0 && open > 0;) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (is_cleanup_settled(c) ||
			s->attempts.items[c->attempt].node != node)
			continue;
		open--;
		if (c->by.len == 0 ||
			(!worktrees && str_eq(c->kind, STR("worktree"))))
			continue;
		*ret_cleanup = (uint32_t)i;
		found = true;
	}
	return found;
}

bool
registered_first(const struct state *s, uint32_t node, uint32_t *ret_cleanup)
{
	return first_of(s, node, true, ret_cleanup);
}

bool
registered_holds(const struct state *s, uint32_t node, uint32_t *ret_cleanup)
{
	return first_of(s, node, false, ret_cleanup);
}

bool
is_attempt_kept_open(
	const struct state *s, const struct attempt *a, uint32_t *ret_cleanup)
{
	return (a->status == ATTEMPT_REPORTED || a->status == ATTEMPT_CHECKED ||
		       a->status == ATTEMPT_INTEGRATED) &&
		state_running_check(s, a) == NULL &&
		registered_first(s, a->node, ret_cleanup);
}
