#include "model/approver.h"

static struct str
name_of(struct str who)
{
	size_t colon = str_find(who, ':');

	return colon < who.len ? str_part(who, colon + 1, who.len) : who;
}

static bool
has_worked(const struct state *s, uint32_t node, struct str name)
{
	const struct attempt *a;

	VEC_EACH (a, &s->attempts) {
		if (a->node == node && str_eq(a->worker, name))
			return true;
	}
	return false;
}

enum pawl_rc
approver_may(const struct state *s, uint32_t node, struct str by,
	struct pawl_err *err)
{
	struct str name = name_of(by);

	switch (plan_approver(s->plan, node, name)) {
	case PLAN_APPROVER_NAMED:
		return PAWL_OK;
	case PLAN_APPROVER_OTHER:
		return pawl_fail(err, ERR_NOT_APPROVER,
			"'" STR_FMT
			"' is none of those who may decide about '" STR_FMT "'",
			STR_ARG(name), STR_ARG(plan_id(s->plan, node)));
	case PLAN_APPROVER_ANY:
		break;
	}
	if (name.len == 0)
		return PAWL_OK;
	if (state_has_coordinated(s, name))
		return pawl_fail(err, ERR_SELF_APPROVAL,
			"'" STR_FMT "' coordinates the run, or has",
			STR_ARG(name));
	if (str_starts(s->run.author, STR("coordinator:")) &&
		str_eq(name, name_of(s->run.author)))
		return pawl_fail(err, ERR_SELF_APPROVAL,
			"'" STR_FMT "' made the run of this plan",
			STR_ARG(name));
	if (has_worked(s, node, name))
		return pawl_fail(err, ERR_SELF_APPROVAL,
			"'" STR_FMT "' worked on '" STR_FMT "'", STR_ARG(name),
			STR_ARG(plan_id(s->plan, node)));
	return PAWL_OK;
}

struct str
approver_policy(const struct state *s, uint32_t node, struct str by)
{
	struct str name = name_of(by);

	if (plan_approver(s->plan, node, name) != PLAN_APPROVER_ANY)
		return STR("named");
	/* Of older runs it isn't known who made them. */
	return s->run.author.len == 0 || str_eq(name, name_of(s->run.author))
		? STR("solo")
		: STR("other");
}
