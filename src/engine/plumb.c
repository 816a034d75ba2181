#include "engine/plumb.h"

#include "model/id.h"

enum pawl_rc
plumb_open(struct pilot *ret_pilot, struct run *run, const struct repo *repo,
	const struct pilot_config *config, struct pawl_err *err)
{
	struct pilot_config manual = *config;

	manual.manual = true;
	return pilot_open(ret_pilot, run, repo, &manual, err);
}

void
plumb_close(struct pilot *p)
{
	pilot_close(p);
}

enum pawl_rc
plumb_attempt(struct pilot *p, struct str id, uint32_t *ret_attempt,
	struct pawl_err *err)
{
	if (id.len == 0)
		return pawl_fail(
			err, ERR_INVALID_ID, "an attempt's id is empty");
	if (!state_find_attempt(&p->run->state, id, ret_attempt))
		return pawl_fail(err, ERR_ATTEMPT_NOT_FOUND,
			"run '" STR_FMT "' has no attempt '" STR_FMT "'",
			STR_ARG(p->run->id), STR_ARG(id));
	return PAWL_OK;
}

enum pawl_rc
plumb_node(struct pilot *p, struct str id, uint32_t *ret_node,
	struct pawl_err *err)
{
	enum pawl_rc rc = id_check(id, err);

	if (rc == PAWL_OK && !plan_find(&p->run->plan, id, ret_node))
		rc = pawl_fail(err, ERR_NODE_NOT_FOUND,
			"run '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(p->run->id), STR_ARG(id));
	return rc;
}

enum pawl_rc
plumb_step(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = loop_step(&p->loop, err);

	if (rc == PAWL_OK && p->stop_signal != 0)
		rc = pawl_fail(err, ERR_INTERRUPTED,
			"interrupted by signal %d; what was started goes on",
			p->stop_signal);
	return rc == PAWL_OK ? pilot_refresh(p, err) : rc;
}

enum pawl_rc
plumb_await(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct slot *slot = pilot_slot(p, attempt);
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK && slot != NULL && !slot->ended) {
		rc = plumb_step(p, err);
		slot = pilot_slot(p, attempt);
	}
	return rc;
}
