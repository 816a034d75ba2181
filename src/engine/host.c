#include "engine/host.h"

#include <unistd.h>

#include "engine/asking.h"
#include "engine/drivers.h"
#include "engine/handed.h"
#include "engine/outbox.h"
#include "engine/patience.h"
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

struct owner
host_nobody(const struct pilot *p)
{
	struct owner nobody = p->self;

	nobody.pid = 0;
	nobody.start =
		clock_boot_ms(p->run->place->clock) * ticks_a_second() / 1000;
	return nobody;
}

uint64_t
host_ends_at_ms(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	uint64_t began_ms = 0;

	if (is_attempt_asking(&p->run->state, attempt))
		return clock_boot_ms(p->run->place->clock) + a->deadline_ms;
	if (str_eq(a->monitor.boot, str_from(p->self.boot)))
		began_ms = a->monitor.start * 1000 / ticks_a_second();
	return began_ms + a->deadline_ms +
		patience_waited_ms(&p->run->state, attempt);
}

static bool
is_overdue(struct pilot *p, uint32_t attempt)
{
	return clock_boot_ms(p->run->place->clock) >=
		host_ends_at_ms(p, attempt);
}

bool
host_waits(struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);

	return a->status == ATTEMPT_STARTED && is_attempt_unmonitored(a) &&
		!is_handed_in(p, attempt) && !is_overdue(p, attempt);
}

static enum pawl_rc
begin(struct pilot *p, uint32_t attempt, struct begun *ret_begun,
	struct pawl_err *err)
{
	struct str ignored;

	ret_begun->owner = host_nobody(p);
	return worker_prepare(p, attempt, &ignored, err);
}

/* It is handed on by whoever asks for it: there is nothing to open. */
static enum pawl_rc
open_nothing(struct pilot *p, uint32_t attempt, struct begun *begun,
	struct pawl_err *err)
{
	(void)p;
	(void)attempt;
	(void)begun;
	(void)err;
	return PAWL_OK;
}

static void
drop_nothing(struct begun *begun)
{
	(void)begun;
}

/* Its attempts own nothing that pawl knows of. */
static enum pawl_rc
settle_nothing(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	(void)p;
	(void)attempt;
	(void)err;
	return PAWL_OK;
}

static enum pawl_rc
advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
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
	return pilot_watch_host(p, attempt, host_ends_at_ms(p, attempt), err);
}

const struct driver driver_host = {
	.begin = begin,
	.open = open_nothing,
	.drop = drop_nothing,
	.undone = settle_nothing,
	.advance = advance,
	.released = settle_nothing,
};
