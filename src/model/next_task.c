#include "model/next_task.h"

#include "base/bounds.h"
#include "model/cause.h"
#include "model/contract.h"
#include "model/ready.h"
#include "model/registered.h"
#include "model/rework.h"
#include "model/stage.h"

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

struct next
next_delegation(const struct state *s, uint32_t delegation, struct arena *mem)
{
	struct cause cause = cause_delegation(s, delegation, mem);

	return (struct next){ NEXT_DELEGATE,
		arena_format(mem, STR_FMT "/" STR_FMT, STR_ARG(s->run.run),
			STR_ARG(cause.subject)),
		cause.sentence, cause.command };
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

/* The first delegation of the attempt that waits for the coordinator: while
 * the attempt is at work, one that isn't handed on yet. */
static bool
of_delegation(const struct state *s, uint32_t attempt, struct arena *mem,
	struct next *ret_next)
{
	const struct attempt *a = &s->attempts.items[attempt];

	for (uint32_t i = 0;
		s->nodes[a->node].delegations > 0 && i < s->delegations.count;
		i++) {
		const struct delegation *d = &s->delegations.items[i];
		bool handed_on = d->status == DELEGATION_STARTED ||
			d->status == DELEGATION_REPORTED;

		if (s->attempts.items[d->attempt].node != a->node ||
			!is_delegation_open(d) ||
			(handed_on && a->status == ATTEMPT_STARTED))
			continue;
		*ret_next = next_delegation(s, i, mem);
		return true;
	}
	return false;
}

/* Its work can't pass as it is: once more, or by a decision, or no more. */
static struct next
of_refused(const struct state *s, uint32_t attempt, struct str why,
	struct arena *mem)
{
	uint32_t node = s->attempts.items[attempt].node;
	struct str id = plan_id(s->plan, node);

	if (has_repair_left(s, node))
		return by_verb(
			s, NEXT_REWORK, id, " --hypothesis TEXT", why, mem);
	if (s->nodes[node].grants < BOUND_GRANTS)
		return by_verb(s, NEXT_DECIDE, id,
			" --action ACTION --note TEXT", why, mem);
	return by_verb(s, NEXT_GRADE, id, " fail", why, mem);
}

/* A finding stands against it. */
static struct next
of_found(const struct state *s, uint32_t attempt, struct str why,
	struct arena *mem)
{
	const struct rework_finding *f = s->findings.items;

	while (f->attempt != attempt || !is_finding_open(s, f))
		f++;
	return by_verb(s, NEXT_AUDIT, state_attempt_id(s, attempt, mem),
		arena_format(mem, " --finding " STR_FMT " --hypothesis TEXT",
			STR_ARG(f->id))
			.ptr,
		why, mem);
}

/* The grade that is left for what no check of its own can judge any more. */
static const char *
grade_unchecked(const struct state *s, const struct attempt *a)
{
	struct contract_view v = contract_of(s, a->node);

	if (a->status == ATTEMPT_INTEGRATED && a->cause.len > 0)
		return " fail";
	if (a->status == ATTEMPT_INTEGRATED)
		return a->blocking > 0 ? " blocked --reason TEXT" : NULL;
	if (a->status != ATTEMPT_REPORTED)
		return NULL;
	if (s->nodes[a->node].red == VERDICT_PASS)
		return " blocked --reason TEXT";
	return contract_sentinel(&v) && a->cause.len == 0 ? " unobserved"
							  : NULL;
}

/* The step of work that is checked, lands and passes; false when no such step
 * is left before its grade. */
static bool
of_judged(const struct state *s, uint32_t attempt, struct str why,
	struct arena *mem, struct next *ret_next)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str node = plan_id(s->plan, a->node);
	bool lands = s->plan->nodes[a->node].mode == MODE_WRITE &&
		a->placement == PLACEMENT_WORKTREE;
	uint32_t cleanup;

	if (a->status == ATTEMPT_INTEGRATED)
		return false;
	if (registered_holds(s, a->node, &cleanup))
		*ret_next = of_cleanup(s, cleanup, mem);
	else if (a->cause.len > 0 || a->verdict == VERDICT_FAIL)
		*ret_next = of_refused(s, attempt, why, mem);
	else if (a->status == ATTEMPT_CHECKED && a->blocking > 0)
		*ret_next = of_found(s, attempt, why, mem);
	else if (a->status == ATTEMPT_CHECKED && lands)
		*ret_next = by_verb(s, NEXT_INTEGRATE, node, "", why, mem);
	else if (a->status == ATTEMPT_REPORTED)
		*ret_next = by_verb(s, NEXT_CHECK, node, "", why, mem);
	else
		return false;
	return true;
}

bool
next_of_attempt(const struct state *s, uint32_t attempt, struct arena *mem,
	struct next *ret_next)
{
	const struct attempt *a = &s->attempts.items[attempt];
	struct str id = state_attempt_id(s, attempt, mem);
	struct str node = plan_id(s->plan, a->node);
	const char *grade = grade_unchecked(s, a);
	uint32_t cleanup;
	struct str at;
	struct str why;

	(void)stage_of(s, attempt, &at);
	why = arena_format(mem, STR_FMT " " STR_FMT, STR_ARG(id), STR_ARG(at));
	if (a->status == ATTEMPT_RESERVED) {
		*ret_next = by_verb(s, NEXT_RECOVER, id, "", why, mem);
		return true;
	}
	if (is_attempt_checking(s, a)) {
		*ret_next = by_verb(s, NEXT_CHECK, node, "", why, mem);
		return true;
	}
	if (of_delegation(s, attempt, mem, ret_next))
		return true;
	if (a->status == ATTEMPT_STARTED)
		return false;
	if (grade == NULL && of_judged(s, attempt, why, mem, ret_next))
		return true;
	*ret_next = is_attempt_kept_open(s, a, &cleanup)
		? of_cleanup(s, cleanup, mem)
		: by_verb(s, NEXT_GRADE, node, grade != NULL ? grade : " pass",
			  why, mem);
	return true;
}

struct next
next_sync(const struct state *s, struct arena *mem)
{
	return by_verb(s, NEXT_SYNC, STR(""), " --wait 180",
		STR("its attempts are at work"), mem);
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
			next_of_attempt(s, i, mem, ret_next))
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
	*ret_next = next_sync(s, mem);
	return true;
}
