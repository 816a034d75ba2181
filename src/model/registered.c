#include "model/registered.h"

bool
registered_first(const struct state *s, uint32_t node, uint32_t *ret_cleanup)
{
	for (uint32_t i = 0;
		s->nodes[node].cleanups > 0 && i < s->cleanups.count; i++) {
		const struct cleanup *c = &s->cleanups.items[i];

		if (c->by.len > 0 && !is_cleanup_settled(c) &&
			s->attempts.items[c->attempt].node == node) {
			*ret_cleanup = i;
			return true;
		}
	}
	return false;
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
