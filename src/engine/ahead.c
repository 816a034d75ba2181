#include "engine/ahead.h"

#include <string.h>

#include "engine/worker.h"
#include "model/ready.h"

void
ahead_drop(struct pilot *p)
{
	struct ahead *h = &p->ahead;

	if (h->used) {
		monitor_shut(&h->monitor);
		(void)monitor_reap(&h->monitor);
	}
	*h = (struct ahead){ 0 };
}

/* The node that a free slot would go to. */
static bool
is_next(struct pilot *p, uint32_t *ret_node)
{
	const struct state *s = &p->run->state;
	const uint32_t *wave;
	uint32_t count;

	if (p->stop_signal != 0 || p->config.once || is_run_closed(s) ||
		is_breaker_open(s))
		return false;
	wave = ready_wave(s, 1, &p->mem, &count);
	if (count > 0)
		*ret_node = wave[0];
	return count > 0;
}

void
ahead_prepare(struct pilot *p)
{
	struct ahead next = { .used = true };
	struct attempt a;
	struct pawl_err ignored;
	struct str id;

	if (!is_next(p, &next.node)) {
		ahead_drop(p);
		return;
	}
	if (p->ahead.used && p->ahead.node == next.node)
		return;
	ahead_drop(p);
	if (!worker_foresee(p, next.node, &a))
		return;
	id = arena_format(&p->mem, STR_FMT "@1",
		STR_ARG(plan_id(&p->run->plan, next.node)));
	memcpy(next.capsule_sha256, a.capsule_sha256.ptr, a.capsule_sha256.len);
	/* The start itself will meet what is wrong, and tell it. */
	if (worker_gate(p, &a, id, &next.monitor, &ignored) == PAWL_OK)
		p->ahead = next;
}

enum pawl_rc
ahead_use(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	struct ahead *h = &p->ahead;
	enum pawl_rc rc;

	if (!h->used || h->attempt_1 != 0 || h->node != a->node ||
		a->number != 1 || a->placement != PLACEMENT_IN_PLACE ||
		!str_eq(a->capsule_sha256, str_from(h->capsule_sha256)))
		return PAWL_OK;
	rc = worker_propose_started(p, attempt, &h->monitor, NULL, err);
	if (rc == PAWL_OK)
		h->attempt_1 = attempt + 1;
	return rc;
}

enum pawl_rc
ahead_open(struct pilot *p, struct pawl_err *err)
{
	struct ahead h = p->ahead;
	enum pawl_rc rc;

	if (h.attempt_1 == 0)
		return PAWL_OK;
	rc = pilot_watch(p, h.attempt_1 - 1, false, &h.monitor, err);
	if (rc != PAWL_OK)
		return rc;
	p->ahead = (struct ahead){ 0 };
	return pilot_open_gate(p, h.attempt_1 - 1, err);
}
