#include "engine/host.h"

#include <unistd.h>

#include "engine/asking.h"
#include "engine/handed.h"
#include "engine/outbox.h"
#include "engine/owner_event.h"
#include "engine/worker.h"

static uint64_t
ticks_a_second(void)
{
	long n = sysconf(_SC_CLK_TCK);

	return n > 0 ? (uint64_t)n : 100;
}

void
handout_of(struct pilot *p, uint32_t attempt, struct handout *ret_handout)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct str id = pilot_attempt_id(p, attempt);

	*ret_handout = (struct handout){
		.attempt = id,
		.node = pilot_node_id(p, attempt),
		.workspace = worker_workspace(p, a),
		.capsule =
			pilot_path(p, "capsules/" STR_FMT ".json", STR_ARG(id)),
		.outbox = pilot_path(p, "outbox/" STR_FMT, STR_ARG(id)),
		.deadline_ms = a->deadline_ms,
	};
}

void
handout_env(const struct run *r, const struct handout *h,
	struct handout_var ret_vars[HANDOUT_VARS])
{
	const struct handout_var vars[HANDOUT_VARS] = {
		{ "PAWL_RUN", r->id },
		{ "PAWL_NODE", h->node },
		{ "PAWL_ATTEMPT", h->attempt },
		{ "PAWL_CAPSULE", str_from(h->capsule) },
		{ "PAWL_OUTBOX", str_from(h->outbox) },
	};

	for (size_t i = 0; i < HANDOUT_VARS; i++)
		ret_vars[i] = vars[i];
}

enum pawl_rc
host_start(struct pilot *p, uint32_t attempt, const struct worktree *w,
	struct pawl_err *err)
{
	struct command cmd = pilot_command(p, EV_ATTEMPT_STARTED, attempt);
	struct owner nobody = p->self;
	enum pawl_rc rc;

	nobody.pid = 0;
	nobody.start =
		clock_boot_ms(p->run->place->clock) * ticks_a_second() / 1000;
	if (w != NULL && w->dir != NULL) {
		EVENT_SET(&cmd.event, F_DEV, dev, w->dev);
		EVENT_SET(&cmd.event, F_INO, ino, w->inode);
	}
	owner_event_set(&cmd.event, &nobody, &p->mem);
	rc = pilot_propose(p, &cmd, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* Boot time at which its deadline passes. */
static uint64_t
ends_at_ms(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	uint64_t began_ms = 0;

	if (str_eq(a->monitor.boot, str_from(p->self.boot)))
		began_ms = a->monitor.start * 1000 / ticks_a_second();
	return began_ms + a->deadline_ms;
}

static bool
is_overdue(struct pilot *p, uint32_t attempt)
{
	return clock_boot_ms(p->run->place->clock) >= ends_at_ms(p, attempt);
}

bool
host_waits(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	return a->status == ATTEMPT_STARTED && is_attempt_unmonitored(a) &&
		!is_handed_in(p, attempt) && !is_overdue(p, attempt);
}

enum pawl_rc
host_advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct slot *slot = pilot_slot(p, attempt);
	uint32_t asked;
	enum pawl_rc rc;

	if (slot != NULL)
		pilot_unwatch(p, slot);
	rc = asking_take(p, attempt, &asked, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc != PAWL_OK)
		return rc;
	if (is_handed_in(p, attempt)) {
		rc = worker_collect(p, attempt, err);
		/* What can't be taken in holds no deadline up. */
		return rc != PAWL_OK && is_outbox_spoilt(err) &&
				is_overdue(p, attempt)
			? worker_expire(p, attempt, err)
			: rc;
	}
	if (!host_waits(p, attempt))
		return worker_expire(p, attempt, err);
	if (p->stop_signal != 0 || !p->looking)
		return PAWL_OK;
	return pilot_watch_host(p, attempt, ends_at_ms(p, attempt), err);
}
