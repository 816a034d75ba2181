#include "model/next_task.h"

#include "model/cause.h"
#include "model/ready.h"
#include "model/registered.h"

/* `pawl task VERB RUN/SUBJECT[ MORE] --as NAME`. */
static struct next
by_verb(const struct state *s, enum next_kind kind, struct str subject,
	const char *more, struct str why, struct arena *mem)
{
	struct str whole = subject.len > 0
		? arena_format(mem, STR_FMT "/" STR_FMT, STR_ARG(s->run.run),
			  STR_ARG(subject))
		: s->run.run;

	return (struct next){ kind, whole, why,
		arena_format(mem,
			"pawl task " STR_FMT " " STR_FMT "%s --as " STR_FMT,
			STR_ARG(next_word(kind)), STR_ARG(whole), more,
			STR_ARG(s->coordinator_name)) };
}

static struct next
of_cleanup(const struct state *s, uint32_t cleanup, struct arena *mem)
{
	struct cause cause = cause_cleanup(s, cleanup, mem);

	return (struct next){ NEXT_CLEANUP,
		arena_format(mem, STR_FMT "/" STR_FMT, STR_ARG(s->run.run),
			STR_ARG(s->cleanups.items[cleanup].id)),
		arena_format(mem, STR_FMT ": " STR_FMT, STR_ARG(cause.subject),
			STR_ARG(cause.sentence)),
		cause.command };
}

bool
next_kept_open(const struct state *s, struct arena *mem, struct next *ret_next)
{
	const struct attempt *a;
	bool found = false;
	uint32_t cleanup = 0, node, rank;

	if (s->cleanups_open == 0 || ready_first(s, &node))
		return false;
	VEC_EACH (a, &s->attempts) {
		if (!is_attempt_live(a))
			continue;
		if (!is_attempt_kept_open(s, a, &cleanup))
			return false;
		found = true;
	}
	for (uint32_t from = 0; !found && rankset_next(&s->ready, from, &rank);
		from = rank + 1)
		found = registered_holds(s, s->node_at[rank], &cleanup);
	if (found)
		*ret_next = of_cleanup(s, cleanup, mem);
	return found;
}

/* What an attempt waits for, unless that is its worker. */
static bool
of_attempt(const struct state *s, uint32_t attempt, struct arena *mem,
	struct next *ret_next)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str id = state_attempt_id(s, attempt, mem);
	struct str node = plan_id(s->plan, a->node);
	bool lands = s->plan->nodes[a->node].mode == MODE_WRITE &&
		a->placement == PLACEMENT_WORKTREE;
	uint32_t cleanup;
	struct str at;
	struct str why;

	(void)explain_stage(s, attempt, &at);
	why = arena_format(mem, STR_FMT " " STR_FMT, STR_ARG(id), STR_ARG(at));
	if (a->status == ATTEMPT_RESERVED)
		*ret_next = by_verb(s, NEXT_RECOVER, id, "", why, mem);
	else if (a->status == ATTEMPT_REPORTED &&
		(a->verdict == VERDICT_FAIL || a->cause.len > 0))
		*ret_next = by_verb(
			s, NEXT_REWORK, node, " --hypothesis TEXT", why, mem);
	else if (a->status == ATTEMPT_REPORTED)
		*ret_next = by_verb(s, NEXT_CHECK, node, "", why, mem);
	else if (a->status == ATTEMPT_CHECKED && lands)
		*ret_next = by_verb(s, NEXT_INTEGRATE, node, "", why, mem);
	else if (is_attempt_kept_open(s, a, &cleanup))
		*ret_next = of_cleanup(s, cleanup, mem);
	else if (a->status == ATTEMPT_CHECKED ||
		a->status == ATTEMPT_INTEGRATED)
		*ret_next = by_verb(s, NEXT_GRADE, node, " pass", why, mem);
	else
		return false;
	return true;
}

bool
next_by_hand(const struct state *s, struct arena *mem, struct next *ret_next)
{
	uint32_t node;

	/* A process takes each step itself, but settles no cleanup. */
	if (s->coordinator_name.len == 0)
		return state_run_status(s) == RUN_RUNNING &&
			next_kept_open(s, mem, ret_next);
	for (uint32_t i = 0; s->live_attempts > 0 && i < s->attempts.count;
		i++) {
		if (is_attempt_live(&s->attempts.items[i]) &&
			of_attempt(s, i, mem, ret_next))
			return true;
	}
	if (ready_first(s, &node)) {
		*ret_next = by_verb(s, NEXT_DISPATCH, plan_id(s->plan, node),
			"", STR("it may start"), mem);
		return true;
	}
	if (next_kept_open(s, mem, ret_next))
		return true;
	if (s->live_attempts == 0 && s->unreconciled == 0)
		return false;
	*ret_next = by_verb(s, NEXT_SYNC, STR(""), " --wait 180",
		STR("its attempts are at work"), mem);
	return true;
}
