#include "engine/afar.h"

#include "engine/afar_talk.h"
#include "engine/asking.h"
#include "engine/cleaning.h"
#include "engine/host.h"
#include "engine/worker.h"
#include "model/capability.h"

enum {
	PAUSE_MS = 50, /* before the second poll; it doubles */
	PAUSE_MS_MAX = 1000,
	AWAY_MS_MAX = 30000, /* while the driver can't be reached */
	FAILURES_MAX = 6,    /* polls in a row that nobody answers */
	LATE_MS = 30000,     /* past the deadline, which the driver keeps */
};

static bool
is_afar(const struct attempt *a)
{
	return driver_of(a) == &driver_afar;
}

bool
afar_is_needed(const struct pilot *p)
{
	const struct attempt *a;
	enum builtin d;

	if (p->config.driver.len > 0 && !builtin_from(p->config.driver, &d))
		return true;
	VEC_EACH (a, &p->run->state.attempts) {
		if (is_afar(a))
			return true;
	}
	return false;
}

static bool
has(const struct attempt_indexes *list, uint32_t attempt)
{
	const uint32_t *i;

	VEC_EACH (i, list) {
		if (*i == attempt)
			return true;
	}
	return false;
}

bool
afar_is_left(const struct pilot *p, uint32_t attempt)
{
	return has(&p->left, attempt);
}

static void
leave(struct pilot *p, uint32_t attempt)
{
	struct slot *slot = pilot_slot(p, attempt);

	if (slot != NULL)
		pilot_unwatch(p, slot);
	if (!afar_is_left(p, attempt))
		attempt_indexes_push(&p->left, attempt);
}

/* Of its own cleanup: what the driver said, or why it isn't settled. */
static enum pawl_rc
propose_settled(struct pilot *p, uint32_t attempt, bool released,
	struct str why, struct pawl_err *err)
{
	return pilot_settle(p, attempt, str_from(driver_afar.cleanup),
		released ? STR("done") : STR("failed"), why, err);
}

/* Has it a cleanup of ours that isn't settled, nor failed for this reason? */
static bool
owns(const struct pilot *p, uint32_t attempt, struct str why)
{
	const struct cleanup *c;

	VEC_EACH (c, &p->run->state.cleanups) {
		if (c->attempt == attempt && c->by.len == 0 &&
			!is_cleanup_settled(c) &&
			str_eq(c->kind, str_from(driver_afar.cleanup)))
			return why.len == 0 || !str_eq(c->reason, why);
	}
	return false;
}

/*
 * Have it released and propose what came of it.  What can't be asked now stays
 * open as what can't be proven does.
 */
static enum pawl_rc
release(struct pilot *p, uint32_t attempt, struct str refs, bool *ret_released,
	struct pawl_err *err)
{
	struct pawl_err why;
	struct str words = { "", 0 };

	*ret_released = false;
	if (afar_release(p, attempt, refs, ret_released, &words, &why) !=
		PAWL_OK)
		words = arena_copy(&p->mem, str_from(why.msg));
	if (!owns(p, attempt, *ret_released ? STR("") : words))
		return PAWL_OK;
	return propose_settled(p, attempt, *ret_released, words, err);
}

/* After its end was recorded. */
static enum pawl_rc
release_ended(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	bool released;
	enum pawl_rc rc = release(
		p, attempt, pilot_attempt(p, attempt)->refs, &released, err);

	attempt_indexes_push(&p->asked, attempt);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

enum pawl_rc
afar_settle_all(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	enum pawl_rc rc = PAWL_OK;

	/* Not one by one in a run that has none. */
	if (!p->has_afar)
		return PAWL_OK;
	for (size_t i = s->cleanups.count;
		rc == PAWL_OK && s->cleanups_open > 0 && i-- > 0;) {
		const struct cleanup *c = &s->cleanups.items[i];
		const struct attempt *a = &s->attempts.items[c->attempt];
		uint32_t attempt = c->attempt;

		if (c->by.len > 0 || is_cleanup_settled(c) || !is_afar(a) ||
			a->status == ATTEMPT_RESERVED ||
			a->status == ATTEMPT_STARTED ||
			!str_eq(c->kind, str_from(driver_afar.cleanup)) ||
			has(&p->asked, attempt))
			continue;
		rc = release_ended(p, attempt, err);
	}
	return rc;
}

/* What it may have made is gone, as far as the driver can tell. */
static enum pawl_rc
undone(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum afar_presence presence = AFAR_UNKNOWN;
	struct str refs = { "", 0 };
	struct pawl_err why;
	bool released;

	if (!owns(p, attempt, STR("")))
		return PAWL_OK;
	if (afar_reconcile(p, attempt, &presence, &refs, &why) != PAWL_OK)
		return propose_settled(p, attempt, false,
			arena_copy(&p->mem, str_from(why.msg)), err);
	switch (presence) {
	case AFAR_ABSENT:
		return propose_settled(p, attempt, true,
			STR("its driver proves that there is none"), err);
	case AFAR_PRESENT:
		return release(p, attempt, refs, &released, err);
	case AFAR_UNKNOWN:
		break;
	}
	return propose_settled(p, attempt, false,
		STR("its driver can't tell whether there is one"), err);
}

static enum pawl_rc
begin(struct pilot *p, uint32_t attempt, struct begun *ret_begun,
	struct pawl_err *err)
{
	struct str prompt, ignored;
	bool released;
	struct pawl_err why;
	enum pawl_rc rc = worker_prepare(p, attempt, &prompt, err);

	if (rc != PAWL_OK)
		return rc;
	ret_begun->owner = host_nobody(p);
	rc = afar_start(p, attempt, prompt, ret_begun, err);
	ret_begun->unsure = rc != PAWL_OK &&
		(err->code == ERR_DRIVER_UNKNOWN ||
			err->code == ERR_DRIVER_CONFLICT ||
			err->code == ERR_DRIVER_NOT_FOUND);
	if (rc == PAWL_OK || ret_begun->unsure || ret_begun->refs.len == 0)
		return rc;
	/* Whether that is proven shows in undone(). */
	if (afar_release(p, attempt, ret_begun->refs, &released, &ignored,
		    &why) != PAWL_OK)
		return rc;
	return rc;
}

/* Its driver keeps it, under the same identity. */
static void
drop(struct begun *begun)
{
	(void)begun;
}

/* A stop: what it has is ended; what can't be proven so stays as it is. */
static enum pawl_rc
stop(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	struct slot *slot = pilot_slot(p, attempt);
	bool released;
	enum pawl_rc rc = release(
		p, attempt, pilot_attempt(p, attempt)->refs, &released, err);

	if (rc == PAWL_OK && !released) {
		leave(p, attempt);
		return pilot_commit(p, err);
	}
	if (slot != NULL)
		pilot_unwatch(p, slot);
	return rc == PAWL_OK ? worker_stopped(p, attempt, err) : rc;
}

/* Its driver knows nothing of it: gone for good, or can't that be told? */
static enum pawl_rc
vanished(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum afar_presence presence = AFAR_UNKNOWN;
	struct slot *slot = pilot_slot(p, attempt);
	struct str refs;
	enum pawl_rc rc = afar_reconcile(p, attempt, &presence, &refs, err);

	if (rc == PAWL_OK && presence != AFAR_ABSENT)
		rc = pawl_fail(err, ERR_DRIVER_UNKNOWN,
			"driver '" STR_FMT
			"' can't tell what became of '" STR_FMT "'",
			STR_ARG(pilot_attempt(p, attempt)->driver),
			STR_ARG(pilot_attempt_id(p, attempt)));
	if (rc != PAWL_OK)
		return rc;
	if (slot != NULL)
		pilot_unwatch(p, slot);
	rc = worker_lost(p, attempt, STR("driver_lost"),
		STR("its driver proves that there is none; the outcome is "
		    "unknown"),
		err);
	return rc == PAWL_OK ? release_ended(p, attempt, err) : rc;
}

/* Its outcome is known, or known to be unknown. */
static enum pawl_rc
ended(struct pilot *p, uint32_t attempt, const struct afar_polled *polled,
	struct pawl_err *err)
{
	struct slot *slot = pilot_slot(p, attempt);
	enum pawl_rc rc;

	if (slot != NULL)
		pilot_unwatch(p, slot);
	if (polled->state == AFAR_EXITED)
		rc = worker_ended(p, attempt, &polled->exit, err);
	else
		rc = worker_lost(p, attempt, STR("driver_gone"),
			STR("its driver says that the outcome can't be known"),
			err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc != PAWL_OK ||
		pilot_attempt(p, attempt)->status == ATTEMPT_STARTED)
		return rc;
	return release_ended(p, attempt, err);
}

/* It had its time, and its driver didn't end it. */
static enum pawl_rc
expired(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct afar_polled polled = { .state = AFAR_EXITED,
		.exit = { .trace = EXIT_TRACE_ENDED, .kind = EXIT_TIMEOUT } };
	bool released;
	struct str words;
	enum pawl_rc rc = afar_release(p, attempt,
		pilot_attempt(p, attempt)->refs, &released, &words, err);

	if (rc == PAWL_OK && !released)
		rc = pawl_fail(err, ERR_DRIVER_UNKNOWN,
			"'" STR_FMT "' is past its deadline; " STR_FMT,
			STR_ARG(pilot_attempt_id(p, attempt)), STR_ARG(words));
	return rc == PAWL_OK ? ended(p, attempt, &polled, err) : rc;
}

/* When it is asked next. */
static enum pawl_rc
again_in(struct pilot *p, uint32_t attempt, const struct afar_watch *w,
	struct pawl_err *err)
{
	enum pawl_rc rc;

	if (!p->looking)
		return PAWL_OK;
	rc = pilot_watch_afar(p, attempt,
		clock_boot_ms(p->run->place->clock) + w->pause_ms, err);
	if (rc == PAWL_OK)
		pilot_slot(p, attempt)->watch = *w;
	return rc;
}

/* Nobody answered: later, for as long as somebody may. */
static enum pawl_rc
unanswered(struct pilot *p, uint32_t attempt, struct afar_watch *w,
	struct pawl_err *err)
{
	bool away = err->code == ERR_DRIVER_UNAVAILABLE;

	if (p->config.manual || (!away && err->code != ERR_DRIVER_UNKNOWN) ||
		(!away && ++w->failures >= FAILURES_MAX))
		return err->rc;
	w->pause_ms = w->pause_ms == 0 ? 4 * PAUSE_MS : 2 * w->pause_ms;
	if (w->pause_ms > AWAY_MS_MAX)
		w->pause_ms = AWAY_MS_MAX;
	return again_in(p, attempt, w, err);
}

static enum pawl_rc
advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct slot *slot = pilot_slot(p, attempt);
	struct afar_watch w = { .opened = false };
	struct afar_polled polled;
	uint64_t now_ms = clock_boot_ms(p->run->place->clock);
	uint32_t asked;
	enum pawl_rc rc = pilot_commit(p, err);

	if (slot != NULL)
		w = slot->watch;
	if (rc != PAWL_OK)
		return rc;
	if (p->stop_signal != 0 && !p->config.manual)
		return stop(p, attempt, err);
	/* Who recorded it may have died before that. */
	if (!w.opened)
		rc = afar_open(p, attempt, err);
	w.opened = rc == PAWL_OK;
	if (rc == PAWL_OK)
		rc = afar_poll(p, attempt, &w, &polled, err);
	if (rc != PAWL_OK && err->code == ERR_DRIVER_LOST)
		return vanished(p, attempt, err);
	if (rc != PAWL_OK)
		return unanswered(p, attempt, &w, err);
	if (polled.state != AFAR_RUNNING)
		return ended(p, attempt, &polled, err);
	rc = asking_take(p, attempt, &asked, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	if (rc != PAWL_OK)
		return rc;
	if (now_ms > host_ends_at_ms(p, attempt) + LATE_MS)
		return expired(p, attempt, err);
	w.failures = 0;
	w.pause_ms = polled.news || w.pause_ms == 0 ? PAUSE_MS
		: w.pause_ms * 2 < PAUSE_MS_MAX     ? w.pause_ms * 2
						    : PAUSE_MS_MAX;
	return again_in(p, attempt, &w, err);
}

static enum pawl_rc
open_gate(struct pilot *p, uint32_t attempt, struct begun *begun,
	struct pawl_err *err)
{
	struct afar_watch w = { .opened = false };
	enum pawl_rc rc;

	(void)begun;
	p->has_afar = true;
	rc = afar_open(p, attempt, err);
	w.opened = rc == PAWL_OK;
	/* That is asked again with the next look. */
	if (rc != PAWL_OK && err->code == ERR_DRIVER_LOST)
		return vanished(p, attempt, err);
	if (rc != PAWL_OK)
		return unanswered(p, attempt, &w, err);
	w.pause_ms = PAUSE_MS;
	return again_in(p, attempt, &w, err);
}

static enum pawl_rc
blocked(struct pilot *p, uint32_t attempt, const char *what,
	struct pawl_err *err)
{
	return pawl_fail(err, ERR_CLEANUP_BLOCKED,
		"driver '" STR_FMT "' %s '" STR_FMT "'",
		STR_ARG(pilot_attempt(p, attempt)->driver), what,
		STR_ARG(pilot_attempt_id(p, attempt)));
}

/* Present: is it at its end, so that all that is left is to let it go? */
static enum pawl_rc
released_present(struct pilot *p, uint32_t attempt, struct str refs,
	struct pawl_err *err)
{
	struct afar_watch w = { .opened = true };
	struct afar_polled polled = { .state = AFAR_EXITED };
	bool released;
	enum pawl_rc rc = PAWL_OK;

	if (pilot_attempt(p, attempt)->status == ATTEMPT_STARTED)
		rc = afar_poll(p, attempt, &w, &polled, err);
	if (rc == PAWL_OK && polled.state == AFAR_RUNNING)
		return blocked(p, attempt, "still runs", err);
	if (rc == PAWL_OK)
		rc = release(p, attempt, refs, &released, err);
	if (rc == PAWL_OK && !released)
		return blocked(
			p, attempt, "can't prove that it let go of", err);
	return rc;
}

static enum pawl_rc
released(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	enum afar_presence presence = AFAR_UNKNOWN;
	struct str refs = { "", 0 };
	enum pawl_rc rc;

	if (!owns(p, attempt, STR("")))
		return PAWL_OK;
	rc = afar_reconcile(p, attempt, &presence, &refs, err);
	if (rc != PAWL_OK)
		return rc;
	switch (presence) {
	case AFAR_ABSENT:
		return propose_settled(p, attempt, true,
			STR("its driver proves that there is none"), err);
	case AFAR_PRESENT:
		return released_present(p, attempt, refs, err);
	case AFAR_UNKNOWN:
		break;
	}
	return blocked(p, attempt, "can't tell what became of", err);
}

const struct driver driver_afar = {
	.cleanup = "provider_dispatch",
	.begin = begin,
	.open = open_gate,
	.drop = drop,
	.undone = undone,
	.advance = advance,
	.released = released,
};
