#include "engine/pilot.h"

enum pawl_rc
pilot_settle(struct pilot *p, uint32_t attempt, struct str kind,
	struct str status, struct str reason, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	uint32_t node = pilot_attempt(p, attempt)->node;
	uint32_t open = s->nodes[node].cleanups;

	/* The node's open ones are nearly always the last. */
	for (size_t i = s->cleanups.count; i-- > 0 && open > 0;) {
		const struct cleanup *c = &s->cleanups.items[i];
		struct command cmd;
		enum pawl_rc rc;

		if (is_cleanup_settled(c) ||
			s->attempts.items[c->attempt].node != node)
			continue;
		open--;
		/* What somebody registered is theirs to finish. */
		if (c->by.len > 0 || !str_eq(c->kind, kind) ||
			(str_eq(kind, STR("worktree")) &&
				!str_eq(c->target,
					pilot_attempt(p, attempt)->worktree)))
			continue;
		cmd = pilot_command(p, EV_CLEANUP_SETTLED, c->attempt);
		EVENT_SET(&cmd.event, F_CLEANUP, cleanup, c->id);
		EVENT_SET(&cmd.event, F_STATUS, status, status);
		EVENT_SET(&cmd.event, F_REASON, reason, reason);
		rc = pilot_propose(p, &cmd, err);
		if (rc != PAWL_OK)
			return rc;
	}
	return PAWL_OK;
}
