#include "model/budget_use.h"
#include "model/question.h"

static uint64_t
revision_of(const struct state *s)
{
	return s->decision_revision ? s->decision_revision : 1;
}

/* Each retained task is one; what is left out has nothing under way. */
static enum pawl_rc
reduction_allowed(struct question *q)
{
	const struct strs *retained = &q->e->retained;
	struct node_numbers numbers = { 0 };
	const struct attempt *a;
	enum pawl_rc rc = PAWL_OK;

	for (uint32_t i = 0; rc == PAWL_OK && i < retained->count; i++) {
		uint32_t node;

		if (!plan_find(q->s->plan, retained->items[i], &node))
			rc = pawl_fail(q->err, ERR_NODE_NOT_FOUND,
				"run '" STR_FMT "' has no task '" STR_FMT "'",
				STR_ARG(q->s->run.run),
				STR_ARG(retained->items[i]));
		else
			node_numbers_push(&numbers, node);
	}
	VEC_EACH (a, &q->s->attempts) {
		bool stays = retained->count == 0;

		for (size_t i = 0; !stays && i < numbers.count; i++)
			stays = numbers.items[i] == a->node;
		if (rc != PAWL_OK || stays || !is_attempt_live(a))
			continue;
		rc = pawl_fail(q->err, ERR_ATTEMPT_STATE,
			"attempt %u of '" STR_FMT
			"', which the reduction leaves out, is alive",
			a->number, STR_ARG(plan_id(q->s->plan, a->node)));
		(void)pawl_hint(q->err, "pawl task abandon " STR_FMT "@%u",
			STR_ARG(plan_id(q->s->plan, a->node)), a->number);
	}
	node_numbers_release(&numbers);
	return rc;
}

enum pawl_rc
decide_decision_amended(struct question *q)
{
	const struct event *e = q->e;
	bool graph = str_eq(e->mode, STR("graph"));
	struct budget budget;

	if (e->revision <= revision_of(q->s))
		return pawl_fail(q->err, ERR_DECISION_DRIFT,
			"the run's decision is at revision %llu already",
			(unsigned long long)revision_of(q->s));
	if (str_trim(e->reason).len == 0)
		return pawl_fail(q->err, ERR_REASON_NEEDED,
			"an amendment needs a reason");
	if (!budget_limits_read(e->budget.items, e->budget.count, &budget))
		return pawl_fail(q->err, ERR_INVALID_DECISION,
			"a limit of its budget is none");
	if (!graph &&
		(e->retained.count == 0 || e->integrator.len == 0 ||
			e->cleanup_plan.len == 0))
		return pawl_fail(q->err, ERR_INVALID_DECISION,
			"a run that leaves mode graph needs a reduction:"
			" integrator, reason, cleanup plan, retained tasks");
	if (graph && e->retained.count > 0)
		return pawl_fail(q->err, ERR_INVALID_DECISION,
			"a run of mode graph leaves nothing out");
	return reduction_allowed(q);
}

enum pawl_rc
decide_within_budget(struct question *q)
{
	struct arena mem = ARENA_INIT;
	uint32_t limit;
	enum pawl_rc rc = PAWL_OK;

	if (!budget_holds(q->s, q->cmd->at, &limit))
		return PAWL_OK;
	rc = pawl_fail(q->err, ERR_BUDGET_EXHAUSTED, STR_FMT,
		STR_ARG(budget_sentence(q->s, limit, q->cmd->at, &mem)));
	q->err->field = str_from(
		budget_resource_words[q->s->budget.limits[limit].resource]);
	arena_reset(&mem);
	return rc;
}
