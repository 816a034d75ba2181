#include "engine/pilot.h"
#include "engine/agents.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include "engine/afar.h"
#include "engine/allowance.h"
#include "engine/asking.h"
#include "engine/closing.h"
#include "engine/drivers.h"
#include "engine/host.h"
#include "engine/landing.h"
#include "engine/patience.h"
#include "engine/verdict.h"
#include "engine/worker.h"
#include "model/next_task.h"

enum {
	PROBE_FIRST_MS = 1000, /* wait before the breaker's first probe */
	PROBE_MAX_MS = 60000,
};

struct attempt *
pilot_attempt(struct pilot *p, uint32_t attempt)
{
	return &p->run->state.attempts.items[attempt];
}

struct str
pilot_attempt_id(struct pilot *p, uint32_t attempt)
{
	return state_attempt_id(&p->run->state, attempt, &p->mem);
}

struct str
pilot_node_id(struct pilot *p, uint32_t attempt)
{
	return plan_id(&p->run->plan, pilot_attempt(p, attempt)->node);
}

bool
pilot_writes(const struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = &p->run->state.attempts.items[attempt];

	return p->run->plan.nodes[a->node].mode == MODE_WRITE;
}

struct command
pilot_command(struct pilot *p, enum event_type type, uint32_t attempt)
{
	return run_command(p->run, type, pilot_node_id(p, attempt),
		pilot_attempt_id(p, attempt));
}

enum pawl_rc
pilot_begin(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	if (!p->open) {
		rc = run_begin(p->run, err);
		p->open = rc == PAWL_OK;
	}
	return rc;
}

enum pawl_rc
pilot_propose(struct pilot *p, const struct command *cmd, struct pawl_err *err)
{
	enum pawl_rc rc = pilot_begin(p, err);

	return rc == PAWL_OK ? run_propose(p->run, cmd, err) : rc;
}

enum pawl_rc
pilot_commit(struct pilot *p, struct pawl_err *err)
{
	if (!p->open)
		return PAWL_OK;
	p->open = false;
	return run_commit(p->run, err);
}

const char *
pilot_path(struct pilot *p, const char *fmt, ...)
{
	struct buf path = { 0 };
	const char *copy;
	va_list ap;

	buf_addf(&path, "%s/runs/" STR_FMT "/", p->run->place->state_path,
		STR_ARG(p->run->id));
	va_start(ap, fmt);
	buf_addv(&path, fmt, ap);
	va_end(ap);
	copy = arena_strdup(&p->mem, buf_str(&path));
	buf_release(&path);
	return copy;
}

/* Reserve what may start into the free slots; part of the open commit. */
static enum pawl_rc
reserve_ready(struct pilot *p, struct pawl_err *err)
{
	struct state *s = &p->run->state;
	enum pawl_rc rc = PAWL_OK;
	uint32_t node;

	if (p->stop_signal != 0 || is_run_closed(s))
		return PAWL_OK;
	if (p->config.once && p->started > 0)
		return PAWL_OK;
	if (is_breaker_open(s) &&
		clock_boot_ms(p->run->place->clock) < p->probe_at_ms)
		return PAWL_OK;
	while (rc == PAWL_OK && allowance_first(p->run, &node)) {
		rc = worker_reserve(p, node, err);
		p->started++;
	}
	return rc;
}

/* May the next attempts work in the user's tree?  What is there isn't theirs.
 */
static bool
may_be_placed(const struct pilot *p)
{
	const struct state *s = &p->run->state;

	return s->run.placement == PLACEMENT_IN_PLACE ||
		(p->has_readers && s->tip.len == 0);
}

/* Something may start that isn't reserved: measure what that needs, reserve. */
static enum pawl_rc
dispatch(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc;
	uint32_t node;

	if (p->stop_signal != 0 || !allowance_first(p->run, &node))
		return pilot_commit(p, err);
	if (p->tree.len == 0 && may_be_placed(p)) {
		rc = pilot_commit(p, err);
		if (rc == PAWL_OK)
			rc = workspace_snapshot_place(p, err);
		if (rc != PAWL_OK)
			return rc;
	}
	rc = reserve_ready(p, err);
	return rc == PAWL_OK ? pilot_commit(p, err) : rc;
}

/* Take one attempt as far as it goes without waiting. */
static enum pawl_rc
advance(struct pilot *p, uint32_t attempt, struct pawl_err *err)
{
	const struct slot *slot = pilot_slot(p, attempt);
	enum pawl_rc rc = PAWL_OK;

	if ((slot != NULL && !slot->ended) || afar_is_left(p, attempt))
		return PAWL_OK;
	if (landing_kept_open(p, attempt))
		rc = landing_look_registered(p, attempt, err);
	if (rc != PAWL_OK || landing_kept_open(p, attempt))
		return rc;
	switch ((enum attempt_status)pilot_attempt(p, attempt)->status) {
	case ATTEMPT_RESERVED:
		return worker_start(p, attempt, err);
	case ATTEMPT_STARTED:
		return driver_of(pilot_attempt(p, attempt))
			->advance(p, attempt, err);
	case ATTEMPT_REPORTED:
		return verdict_advance(p, attempt, err);
	case ATTEMPT_CHECKED:
	case ATTEMPT_INTEGRATED:
		return landing_advance(p, attempt, err);
	case ATTEMPT_SETTLED:
	case ATTEMPT_REJECTED:
	case ATTEMPT_START_FAILED:
	case ATTEMPT_INTERRUPTED:
	case ATTEMPT_LOST:
	case ATTEMPT_INTEGRATION_FAILED:
	case ATTEMPT_ABANDONED:
	case ATTEMPT_QUARANTINED:
	case ATTEMPT_WORKSPACE_LOST:
	case ATTEMPT_STATUS_COUNT:
		break;
	}
	return PAWL_OK;
}

/* An attempt that is over and in order stays so: no turn looks at it again. */
static void
skip_ended(struct pilot *p)
{
	const struct state *s = &p->run->state;

	while (p->oldest < s->attempts.count &&
		!is_attempt_live(&s->attempts.items[p->oldest]) &&
		!s->attempts.items[p->oldest].unreconciled)
		p->oldest++;
}

/* Live attempts, and those whose end left something to put in order. */
static enum pawl_rc
advance_all(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	skip_ended(p);
	for (uint32_t i = p->oldest; rc == PAWL_OK; i++) {
		const struct state *s = &p->run->state;

		if (i >= s->attempts.count ||
			(s->live_attempts == 0 && s->unreconciled == 0))
			break;
		if (is_attempt_live(&s->attempts.items[i])) {
			/* Effects of this one wait for no lock of ours. */
			rc = pilot_commit(p, err);
			if (rc == PAWL_OK)
				rc = advance(p, i, err);
			/* A grade and the next reservations: one line. */
			if (rc == PAWL_OK && p->open)
				rc = dispatch(p, err);
		} else if (s->attempts.items[i].unreconciled)
			rc = workspace_reconcile(p, i, err);
	}
	return rc;
}

static bool
is_moving(const struct pilot *p)
{
	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (p->slots[i].used)
			return true;
	}
	return false;
}

/* Something could be done without waiting for anything. */
static bool
has_work(struct pilot *p)
{
	const struct state *s = &p->run->state;
	uint32_t node;

	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (p->slots[i].used && p->slots[i].ended)
			return true;
	}
	for (uint32_t i = p->oldest; i < s->attempts.count &&
		(s->live_attempts > 0 || s->unreconciled > 0);
		i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (is_attempt_live(a) ? pilot_slot(p, i) == NULL &&
					!landing_waits(p, i) &&
					!is_attempt_held(s, a) &&
					!landing_kept_open(p, i) &&
					!afar_is_left(p, i) &&
					!(p->stop_signal != 0 &&
						host_waits(p, i))
				       : a->unreconciled)
			return true;
	}
	return p->stop_signal == 0 && allowance_first(p->run, &node) &&
		!(p->config.once && p->started > 0) &&
		!(is_breaker_open(s) &&
			clock_boot_ms(p->run->place->clock) < p->probe_at_ms);
}

/* A stop: nothing new, TERM to every monitor, which ends its tree. */
static void
stop_children(struct pilot *p)
{
	for (uint32_t i = 0; i < p->slot_count; i++) {
		struct slot *slot = &p->slots[i];

		/* Who works there is not ours to stop; it goes on waiting. */
		if (slot->used && slot->host) {
			pilot_unwatch(p, slot);
		} else if (slot->used && slot->afar) {
			slot->ended = true; /* its driver is told next */
		} else if (slot->used && !slot->ended && !slot->asked) {
			monitor_end(&slot->monitor);
			slot->asked = true;
		}
	}
}

static bool
has_monitor(const struct slot *slot)
{
	return slot->used && !slot->ended && slot->monitor.pidfd >= 0;
}

/*
 * Ctrl-Z: workers have sessions of their own, so the terminal doesn't stop
 * them; we do, then ourselves, and let them go on when we do.
 */
static void
pause_all(struct pilot *p)
{
	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (has_monitor(&p->slots[i]))
			monitor_pause(&p->slots[i].monitor);
	}
	(void)raise(SIGSTOP);
	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (has_monitor(&p->slots[i]))
			monitor_continue(&p->slots[i].monitor);
	}
}

static enum pawl_rc
on_signal(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct pilot *p = arg;

	(void)err;
	if (event->signo == SIGTSTP)
		pause_all(p);
	else if (p->stop_signal == 0)
		p->stop_signal = event->signo;
	return PAWL_OK;
}

static enum pawl_rc
on_journal(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct pilot *p = arg;

	(void)err;
	if (str_eq(event->name, STR("events.jsonl")) ||
		(event->events & IN_Q_OVERFLOW) != 0)
		p->changed = true;
	return PAWL_OK;
}

static enum pawl_rc
on_probe(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct pilot *p = arg;

	(void)event;
	(void)err;
	p->probe_timer = 0;
	return PAWL_OK;
}

/* While the breaker is open one attempt at a time goes, after a growing wait.
 */
static enum pawl_rc
breaker_wait(struct pilot *p, struct pawl_err *err)
{
	const struct state *s = &p->run->state;
	uint64_t wait = PROBE_FIRST_MS;

	if (!is_breaker_open(s)) {
		p->probe_at_ms = 0;
		return PAWL_OK;
	}
	if (p->probe_timer != 0 || is_breaker_tripped(s) ||
		s->live_attempts > 0)
		return PAWL_OK;
	for (uint32_t i = 0; i < s->breaker.probes && wait < PROBE_MAX_MS; i++)
		wait *= 4;
	p->probe_at_ms = clock_boot_ms(p->run->place->clock) + wait;
	return loop_timer(&p->loop, p->probe_at_ms,
		(struct loop_call){ on_probe, p }, &p->probe_timer, err);
}

enum pawl_rc
pilot_refresh(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (!p->changed)
		return PAWL_OK;
	p->changed = false;
	rc = run_refresh(p->run, err);
	if (rc == PAWL_OK && p->run->state.gen != p->run->gen)
		rc = pawl_fail(err, ERR_STALE_COORDINATOR,
			"generation %llu took the run over",
			(unsigned long long)p->run->state.gen);
	return rc;
}

static enum pawl_rc
turn(struct pilot *p, struct pawl_err *err)
{
	enum pawl_rc rc = pilot_refresh(p, err);

	if (rc == PAWL_OK && p->stop_signal != 0)
		stop_children(p);
	if (rc == PAWL_OK)
		rc = asking_turn(p, err);
	if (rc == PAWL_OK)
		patience_turn(p);
	if (rc == PAWL_OK)
		rc = afar_settle_all(p, err);
	if (rc == PAWL_OK)
		rc = advance_all(p, err);
	if (rc == PAWL_OK)
		rc = dispatch(p, err);
	if (rc == PAWL_OK)
		rc = breaker_wait(p, err);
	arena_reset(&p->mem);
	return rc;
}

/* Nothing moves by itself any more: is that the end, and which? */
static bool
is_over(struct pilot *p, enum pilot_outcome *ret_outcome)
{
	struct next next;
	enum run_status status = state_run_status(&p->run->state);

	if (is_moving(p) || has_work(p))
		return false;
	if (p->stop_signal != 0) {
		*ret_outcome = PILOT_STOPPED;
		return true;
	}
	if (p->probe_timer != 0)
		return false;
	if (status == RUN_COMPLETE) {
		*ret_outcome = PILOT_COMPLETE;
		return true;
	}
	if (status == RUN_NEEDS_APPROVAL && p->config.wait)
		return false;
	*ret_outcome = status == RUN_NEEDS_APPROVAL ? PILOT_WAITS_FOR_HUMAN
		: status == RUN_RUNNING && !allowance_holds(p->run) &&
			!next_kept_open(&p->run->state, &p->mem, &next)
		? PILOT_STOPPED
		: PILOT_STANDS;
	return true;
}

static enum pawl_rc
close_run(struct pilot *p, struct pawl_err *err)
{
	struct command cmd =
		run_command(p->run, EV_RUN_CLOSED, STR(""), STR(""));
	enum pawl_rc rc;

	if (is_run_closed(&p->run->state))
		return PAWL_OK;
	EVENT_SET(&cmd.event, F_OUTCOME, outcome, STR("pass"));
	rc = closing_prove(p, &p->run->mem, err);
	if (rc == PAWL_OK)
		rc = pilot_propose(p, &cmd, err);
	if (rc == PAWL_OK)
		rc = pilot_commit(p, err);
	return rc == PAWL_OK ? landing_closed(p->run, err) : rc;
}

enum pawl_rc
pilot_look(struct pilot *p, struct pawl_err *err)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP };
	uint64_t ignored;
	enum pawl_rc rc;

	if (p->looking)
		return PAWL_OK;
	p->looking = true;
	p->changed = true;
	rc = loop_signals(&p->loop, signals,
		sizeof(signals) / sizeof(signals[0]),
		(struct loop_call){ on_signal, p }, err);
	if (rc == PAWL_OK)
		rc = loop_watch(&p->loop, pilot_path(p, "."),
			IN_MODIFY | IN_MOVED_TO | IN_CREATE,
			(struct loop_call){ on_journal, p }, &ignored, err);
	return rc;
}

enum pawl_rc
pilot_open(struct pilot *p, struct run *run, const struct repo *repo,
	const struct pilot_config *config, struct pawl_err *err)
{
	enum pawl_rc rc;

	*p = (struct pilot){ .run = run,
		.repo = *repo,
		.config = *config,
		.loop = { .epoll = -1 },
		.exits = -1,
		.changed = true,
		.first_seq = run->state.seq };
	p->serve.git_dir = repo->common_dir;
	p->repo.serve = &p->serve;
	/* Adopted attempts may be more than the slots of today. */
	p->slot_count =
		(uint32_t)run->state.run.slots + run->state.live_attempts;
	p->slots = die_alloc(p->slot_count, sizeof(*p->slots));
	memset(p->slots, 0, p->slot_count * sizeof(*p->slots));
	for (uint32_t i = 0; !p->has_readers && i < run->plan.count; i++)
		p->has_readers = run->plan.nodes[i].mode != MODE_WRITE;
	p->has_afar = afar_is_needed(p);
	rc = loop_open(&p->loop, err);
	if (rc == PAWL_OK && !config->manual)
		rc = pilot_look(p, err);
	if (rc == PAWL_OK)
		rc = fs_make_view_dir(run->place->fs, run->dir, "logs", err);
	if (rc == PAWL_OK)
		rc = exit_open(run->place->fs, run->dir, &p->exits, err);
	if (rc == PAWL_OK)
		rc = agents_load(p, err);
	if (rc == PAWL_OK)
		rc = owner_of(&owner_here, 0, &p->self, err);
	if (rc != PAWL_OK)
		pilot_close(p);
	return rc;
}

void
pilot_close(struct pilot *p)
{
	struct pawl_err ignored;
	enum pawl_rc rc = PAWL_OK;

	if (p->run == NULL)
		return;
	if (p->open)
		rc = run_abort(p->run, &ignored);
	(void)rc; /* the run is closed next, or refuses by itself */
	for (uint32_t i = 0; i < p->slot_count; i++) {
		if (p->slots[i].used)
			pilot_unwatch(p, &p->slots[i]);
	}
	for (int i = 0; i < PILOT_DRIVERS_MAX; i++)
		driver_client_close(&p->drivers[i]);
	attempt_indexes_release(&p->left);
	attempt_indexes_release(&p->asked);
	if (p->loop.epoll >= 0)
		loop_close(&p->loop);
	git_serve_close(&p->serve);
	fs_close(p->run->place->fs, &p->exits);
	free(p->slots);
	arena_reset(&p->mem);
	arena_reset(&p->keep);
	*p = (struct pilot){ 0 };
}

enum pawl_rc
pilot_run(struct run *run, const struct repo *repo,
	const struct pilot_config *config, enum pilot_outcome *ret_outcome,
	int *ret_signal, struct pawl_err *err)
{
	enum pilot_outcome outcome = PILOT_STOPPED;
	struct pilot p;
	enum pawl_rc rc = pilot_open(&p, run, repo, config, err);

	/* Whoever answered may have been killed before the worker was told. */
	if (rc == PAWL_OK)
		rc = asking_deliver_all(run, err);
	if (rc == PAWL_OK)
		rc = landing_look_ended(&p, err);
	while (rc == PAWL_OK) {
		rc = turn(&p, err);
		if (rc != PAWL_OK || is_over(&p, &outcome))
			break;
		if (!has_work(&p))
			rc = loop_step(&p.loop, err);
	}
	assert(rc != PAWL_OK || !p.open);
	if (rc == PAWL_OK && outcome == PILOT_COMPLETE)
		rc = close_run(&p, err);
	*ret_outcome = outcome;
	*ret_signal = p.stop_signal;
	pilot_close(&p);
	return rc;
}
