#include "engine/sync.h"

#include <sys/inotify.h>

#include "engine/afar.h"
#include "engine/asking.h"
#include "engine/cleaning.h"
#include "engine/delegating.h"
#include "engine/drivers.h"
#include "engine/handed.h"
#include "engine/outbox.h"
#include "engine/patience.h"
#include "engine/plumb.h"
#include "engine/worker.h"
#include "engine/workspace.h"
#include "model/delegation.h"
#include "os/lock.h"

struct str
sync_reason_word(enum sync_reason reason)
{
	switch (reason) {
	case SYNC_NOTHING:
		return STR("nothing");
	case SYNC_CHANGE:
		return STR("change");
	case SYNC_ATTENTION:
		return STR("attention");
	case SYNC_TIMEOUT:
		return STR("timeout");
	}
	return STR("");
}

static enum pawl_rc
started(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct slot *slot = pilot_slot(p, attempt);
	uint32_t asked;
	enum pawl_rc rc;

	if (slot != NULL && !slot->ended) {
		slot->told = false;
		rc = asking_take(p, attempt, &asked, err);
		return rc == PAWL_OK ? pilot_commit(p, err) : rc;
	}
	return driver_of(pilot_attempt(p, attempt))->advance(p, attempt, err);
}

static enum pawl_rc
look(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	bool kept;
	enum pawl_rc rc = PAWL_OK;

	if (a->status == ATTEMPT_STARTED)
		rc = started(p, attempt, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc != PAWL_OK || is_attempt_live(pilot_attempt(p, attempt)))
		return rc;
	if (pilot_attempt(p, attempt)->unreconciled)
		rc = workspace_reconcile(p, attempt, err);
	if (rc == PAWL_OK)
		rc = handed_late(p, attempt, &kept, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* The same as often as others were faster; each time it is further on. */
static enum pawl_rc
look_again(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum attempt_status was;
	enum pawl_rc rc;

	do {
		was = pilot_attempt(p, attempt)->status;
		rc = look(p, attempt, err);
	} while (rc != PAWL_OK && plumb_is_overtaken(p, attempt, was));
	return rc;
}

/* What is gone is settled, and answers lie where their workers look. */
static enum pawl_rc
put_in_order(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = cleaning_retry(p, err);

	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc == PAWL_OK)
		rc = afar_settle_all(p, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	return rc == PAWL_OK ? asking_deliver_all(p->run, err) : rc;
}

enum pawl_rc
sync_round(struct pilot *p, struct pawl_err *err)
{
	struct pawl_err why;
	/* Before anything is built on what was reported. */
	enum pawl_rc rc = handed_verify(p->run, err);
	enum pawl_rc first = PAWL_OK;

	/* What an attempt delegated comes before its own end. */
	if (rc == PAWL_OK)
		first = delegating_collect(p, err);
	if (first != PAWL_OK && first != PAWL_ENO && first != PAWL_EPERM)
		return first;
	for (uint32_t i = 0; rc == PAWL_OK && i < p->run->state.attempts.count;
		i++) {
		rc = look_again(p, i, &why);
		if (rc == PAWL_OK)
			continue;
		if (first == PAWL_OK || !is_outbox_spoilt(&why)) {
			*err = why;
			first = rc;
		}
		if (is_outbox_spoilt(&why))
			rc = PAWL_OK;
	}
	if (rc == PAWL_OK && put_in_order(p, &why) != PAWL_OK) {
		*err = why;
		rc = why.rc;
	}
	patience_turn(p);
	arena_reset(&p->mem);
	return rc != PAWL_OK ? rc : first;
}

/* Does the run stand until somebody decides? */
static bool
wants_attention(const struct state *s)
{
	const struct attempt *a;
	bool working = false;

	if (state_run_status(s) != RUN_RUNNING || s->asks_open > 0)
		return true;
	VEC_EACH (a, &s->attempts) {
		if (a->status == ATTEMPT_STARTED)
			working = true;
		else if (is_attempt_live(a))
			return true;
	}
	return !working;
}

static enum pawl_rc
time_is_up(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)event;
	(void)err;
	*(bool *)arg = true;
	return PAWL_OK;
}

static enum pawl_rc
wake(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	(void)arg;
	(void)event;
	(void)err;
	return PAWL_OK;
}

VEC_DEF(watched, uint32_t);

/* What a delegation hands in ends the wait; one without its folder has none. */
static void
watch_delegations(struct pilot *p, struct watched *watched)
{
	const struct state *s = &p->run->state;

	for (uint32_t i = 0; i < s->delegations.count; i++) {
		struct pawl_err ignored;
		uint64_t source;
		bool is = s->delegations.items[i].status != DELEGATION_STARTED;

		for (size_t k = 0; !is && k < watched->count; k++)
			is = watched->items[k] == i;
		if (is ||
			loop_watch(&p->loop,
				pilot_path(p, "outbox/" STR_FMT,
					STR_ARG(state_delegation_id(
						i, &p->mem))),
				IN_MOVED_TO | IN_CLOSE_WRITE,
				(struct loop_call){ wake, NULL }, &source,
				&ignored) != PAWL_OK)
			continue;
		watched_push(watched, i);
	}
}

enum pawl_rc
sync_wait(struct pilot *p, uint64_t wait_ms, enum sync_reason *ret_reason,
	struct pawl_err *err)
{
	uint64_t seq = p->run->state.seq;
	uint64_t timer = 0;
	struct watched watched = { 0 };
	bool over = false;
	int turn = -1;
	enum pawl_rc rc = PAWL_OK;

	if (wait_ms > 0)
		rc = pilot_look(p, err);
	if (rc == PAWL_OK)
		rc = pilot_refresh(p, err);
	if (rc == PAWL_OK && wait_ms > 0)
		rc = loop_timer(&p->loop,
			clock_boot_ms(p->run->place->clock) + wait_ms,
			(struct loop_call){ time_is_up, &over }, &timer, err);
	while (rc == PAWL_OK) {
		if (wait_ms > 0) /* before the look, so that none is missed */
			watch_delegations(p, &watched);
		rc = plumb_turn(p, &turn, err);
		if (rc == PAWL_OK)
			rc = sync_round(p, err);
		lock_close(p->run->place->fs, &turn);
		if (rc != PAWL_OK)
			break;
		*ret_reason = SYNC_NOTHING;
		if (p->run->state.seq != seq)
			*ret_reason = SYNC_CHANGE;
		else if (wait_ms > 0 && wants_attention(&p->run->state))
			*ret_reason = SYNC_ATTENTION;
		else if (over)
			*ret_reason = SYNC_TIMEOUT;
		if (*ret_reason != SYNC_NOTHING || wait_ms == 0)
			break;
		rc = plumb_step(p, err);
	}
	loop_drop(&p->loop, timer);
	watched_release(&watched);
	return rc;
}
