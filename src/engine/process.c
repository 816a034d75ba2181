#include "engine/process.h"

#include "engine/worker.h"

static enum pawl_rc
begin(struct pilot *p, uint32_t attempt, struct begun *ret_begun,
	struct pawl_err *err)
{
	enum pawl_rc rc = worker_gate(p, attempt, ret_begun, err);

	if (rc == PAWL_OK) {
		ret_begun->owner = p->self;
		ret_begun->owner.pid = ret_begun->monitor.pid;
		ret_begun->owner.start = ret_begun->monitor.start;
	}
	return rc;
}

static void
drop(struct begun *begun)
{
	monitor_close(&begun->monitor);
}

static enum pawl_rc
open_gate(struct pilot *p, uint32_t attempt, struct begun *begun,
	struct pawl_err *err)
{
	enum pawl_rc rc = pilot_watch(p, attempt, false, &begun->monitor, err);

	if (rc != PAWL_OK) {
		drop(begun);
		return rc;
	}
	return pilot_open_gate(p, attempt, err);
}

static enum pawl_rc
undone(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	return pilot_settle(p, attempt, str_from(driver_process.cleanup),
		STR("verified"), STR("nothing was executed"), err);
}

static enum pawl_rc
advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	return pilot_slot(p, attempt) == NULL ? worker_adopt(p, attempt, err)
					      : worker_end(p, attempt, err);
}

static enum pawl_rc
released(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct monitor m;
	bool alive = false;
	enum pawl_rc rc;

	if (a->status == ATTEMPT_RESERVED)
		return undone(p, attempt, err);
	if (a->status == ATTEMPT_STARTED) {
		rc = worker_find_monitor(p, &a->monitor, &alive, &m, err);
		if (rc == PAWL_OK && !alive)
			rc = worker_end_strays(p, attempt, err);
		if (rc != PAWL_OK)
			return rc;
	}
	if (!alive)
		return worker_settle_processes(p, attempt, NULL, err);
	monitor_close(&m);
	return pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"process %llu of attempt '" STR_FMT "' lives",
		(unsigned long long)a->monitor.pid,
		STR_ARG(pilot_attempt_id(p, attempt)));
}

const struct driver driver_process = {
	.cleanup = "process",
	.begin = begin,
	.open = open_gate,
	.drop = drop,
	.undone = undone,
	.advance = advance,
	.released = released,
};
