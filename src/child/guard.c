#include "child/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "child/brood.h"
#include "child/deadline.h"
#include "child/exitfile.h"
#include "child/launch.h"
#include "child/life.h"
#include "child/log.h"
#include "child/stream.h"
#include "os/loop.h"

enum {
	SETTLE_MS = 1000,
	KILL_MS = 10000,
	FLUSH_MS = 1000,
	READ_MAX = 256 << 10, /* a turn, so that the deadline gets its turn */
	DRAIN_MAX = 4 << 20,  /* at the end; more than a pipe can hold */
};

enum phase {
	PHASE_GATE,
	PHASE_RUN,
	PHASE_SETTLE,
	PHASE_TERM,
	PHASE_KILL,
	PHASE_DONE,
};

/* What would end us, or stop us, is heard by the loop. */
static const int signals[] = { SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT,
	SIGTSTP, SIGCONT, SIGUSR1, SIGUSR2, SIGPIPE, SIGXFSZ, SIGTTIN,
	SIGTTOU };
enum { SIGNALS = sizeof(signals) / sizeof(signals[0]) };

struct guard {
	const struct job *job;
	enum phase phase;
	bool opened; /* the gate */
	struct loop loop;
	struct clock clock;
	int outbox; /* or -1 */
	struct proc worker;
	struct brood brood;
	struct stream out, err;
	struct log log;
	struct life life;
	struct exitfile report;
	struct tree survivors, remaining;
	uint64_t start_ms, end_ms; /* boot time, of the worker */
	struct deadline deadline;
	uint64_t give_up_ms; /* boot time */
	uint64_t gate_id, out_id, err_id;
	uint64_t phase_timer, life_timer, flush_timer;
	uint64_t kill_pause_ms;
};

static uint64_t
now(const struct guard *g)
{
	return clock_boot_ms(&g->clock);
}

static enum pawl_rc
timer(struct guard *g, uint64_t *id, uint64_t at_ms, loop_fn *fn,
	struct pawl_err *err)
{
	loop_drop(&g->loop, *id);
	*id = 0;
	return loop_timer(
		&g->loop, at_ms, (struct loop_call){ fn, g }, id, err);
}

/* Take in everyone who ended, and note the worker's end. */
static void
reap(struct guard *g)
{
	brood_reap(&g->brood);
	if (g->brood.ended && g->end_ms == 0) {
		g->end_ms = now(g);
		g->report.status = g->brood.status;
		g->report.ended_us = clock_wall_us(&g->clock);
	}
}

static enum pawl_rc on_phase_timer(
	void *arg, const struct loop_event *event, struct pawl_err *err);

static enum pawl_rc
enter_kill(struct guard *g, struct pawl_err *err)
{
	if (g->phase != PHASE_KILL) {
		if (g->survivors.count == 0)
			brood_living(&g->survivors);
		g->phase = PHASE_KILL;
		g->give_up_ms = now(g) + KILL_MS;
		g->kill_pause_ms = 5;
	}
	brood_kill(&g->brood);
	reap(g);
	if (g->brood.alone || now(g) >= g->give_up_ms) {
		brood_living(&g->remaining);
		g->phase = PHASE_DONE;
		return PAWL_OK;
	}
	if (g->kill_pause_ms < 200)
		g->kill_pause_ms *= 2;
	return timer(g, &g->phase_timer, now(g) + g->kill_pause_ms,
		on_phase_timer, err);
}

static enum pawl_rc
enter_term(struct guard *g, struct pawl_err *err)
{
	if (g->job->grace_ms == 0)
		return enter_kill(g, err);
	g->phase = PHASE_TERM;
	brood_signal(&g->brood, SIGTERM);
	brood_signal(&g->brood, SIGCONT); /* what is stopped can't end */
	return timer(g, &g->phase_timer, now(g) + g->job->grace_ms,
		on_phase_timer, err);
}

/* End the worker for a reason of ours; `force` leaves out TERM. */
static enum pawl_rc
end_worker(
	struct guard *g, enum end_cause cause, bool force, struct pawl_err *err)
{
	uint64_t at = now(g);

	life_sample(&g->life, g->outbox, at);
	g->report.cause = cause;
	g->report.silent_output_ms = at - g->life.output_ms;
	g->report.silent_heartbeat_ms = at - g->life.heartbeat_ms;
	g->report.silent_cpu_ms = at - g->life.cpu_ms;
	return force ? enter_kill(g, err) : enter_term(g, err);
}

/* What follows from who is still there. */
static enum pawl_rc
advance(struct guard *g, struct pawl_err *err)
{
	reap(g);
	if (!g->opened || g->phase == PHASE_DONE)
		return PAWL_OK;
	if (g->brood.alone) {
		g->phase = PHASE_DONE;
		return PAWL_OK;
	}
	if (g->phase == PHASE_RUN && g->brood.ended) {
		g->phase = PHASE_SETTLE;
		return timer(g, &g->phase_timer, now(g) + SETTLE_MS,
			on_phase_timer, err);
	}
	return PAWL_OK;
}

static enum pawl_rc
on_phase_timer(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;
	enum pawl_rc rc;

	(void)event;
	g->phase_timer = 0;
	/* An end that came together with the deadline is the worker's own. */
	rc = advance(g, err);
	if (rc != PAWL_OK || g->phase_timer != 0)
		return rc;
	switch (g->phase) {
	case PHASE_RUN:
		return end_worker(g, CAUSE_TIMEOUT, false, err);
	case PHASE_SETTLE:
		brood_living(&g->survivors);
		return enter_term(g, err);
	case PHASE_TERM:
	case PHASE_KILL:
		return enter_kill(g, err);
	case PHASE_GATE:
	case PHASE_DONE:
		break;
	}
	return PAWL_OK;
}

static enum pawl_rc
stop_clock(struct guard *g, enum deadline_stop why)
{
	if (g->phase == PHASE_RUN && deadline_stop(&g->deadline, why, now(g))) {
		loop_drop(&g->loop, g->phase_timer);
		g->phase_timer = 0;
	}
	return PAWL_OK;
}

static enum pawl_rc
start_clock(struct guard *g, enum deadline_stop why, struct pawl_err *err)
{
	if (g->phase != PHASE_RUN || !deadline_go_on(&g->deadline, why, now(g)))
		return PAWL_OK;
	return timer(
		g, &g->phase_timer, g->deadline.at_ms, on_phase_timer, err);
}

/* Stop the worker's clock with it: a person pressed Ctrl-Z. */
static enum pawl_rc
pause_worker(struct guard *g)
{
	if (g->phase == PHASE_RUN)
		brood_signal(&g->brood, SIGSTOP);
	return stop_clock(g, DEADLINE_PAUSED);
}

static enum pawl_rc
continue_worker(struct guard *g, struct pawl_err *err)
{
	if (g->phase == PHASE_RUN && (g->deadline.stops & DEADLINE_PAUSED) != 0)
		brood_signal(&g->brood, SIGCONT);
	return start_clock(g, DEADLINE_PAUSED, err);
}

static enum pawl_rc
on_end_signal(struct guard *g, int signo, struct pawl_err *err)
{
	bool force = signo == SIGQUIT;
	enum pawl_rc rc = advance(g, err);

	if (rc != PAWL_OK)
		return rc;
	switch (g->phase) {
	case PHASE_GATE:
		g->phase = PHASE_DONE;
		return PAWL_OK;
	case PHASE_RUN:
		return end_worker(g, CAUSE_INTERRUPTED, force, err);
	case PHASE_SETTLE:
		brood_living(&g->survivors);
		return force ? enter_kill(g, err) : enter_term(g, err);
	case PHASE_TERM:
		return force ? enter_kill(g, err) : PAWL_OK;
	case PHASE_KILL:
	case PHASE_DONE:
		break;
	}
	return PAWL_OK;
}

static enum pawl_rc
on_signal(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;

	switch (event->signo) {
	case SIGCHLD:
		return g->phase == PHASE_KILL ? enter_kill(g, err)
					      : advance(g, err);
	case SIGTSTP:
		return pause_worker(g);
	case SIGCONT:
		return continue_worker(g, err);
	case SIGUSR1:
		return stop_clock(g, DEADLINE_HELD);
	case SIGUSR2:
		return start_clock(g, DEADLINE_HELD, err);
	case SIGTERM:
	case SIGINT:
	case SIGHUP:
	case SIGQUIT:
		return on_end_signal(g, event->signo, err);
	default: /* taken in so that they can't end or stop us */
		return PAWL_OK;
	}
}

static enum pawl_rc
on_flush_timer(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;

	(void)event, (void)err;
	g->flush_timer = 0;
	log_flush(&g->log);
	return PAWL_OK;
}

static enum pawl_rc
on_life_timer(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;

	(void)event;
	g->life_timer = 0;
	if (g->phase != PHASE_RUN)
		return PAWL_OK;
	life_sample(&g->life, g->outbox, now(g));
	return timer(g, &g->life_timer,
		now(g) + life_interval_ms(g->job->deadline_ms), on_life_timer,
		err);
}

static enum pawl_rc
on_output(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;
	bool is_out = event->fd == g->out.fd;
	struct stream *s = is_out ? &g->out : &g->err;
	uint64_t *id = is_out ? &g->out_id : &g->err_id;

	if (stream_read(s, &g->job->mask, &g->log, READ_MAX))
		g->life.output_ms = now(g);
	if (s->fd < 0) {
		loop_drop(&g->loop, *id);
		*id = 0;
	}
	/* Readers of a live log see the tail a second late at most. */
	if (g->flush_timer == 0) {
		return timer(g, &g->flush_timer, now(g) + FLUSH_MS,
			on_flush_timer, err);
	}
	return PAWL_OK;
}

static enum pawl_rc
watch_worker(struct guard *g, struct pawl_err *err)
{
	struct loop_call call = { on_output, g };
	struct pstat stat;
	enum pawl_rc rc;

	g->phase = PHASE_RUN;
	g->brood = (struct brood){ .worker = g->worker.pid };
	if (pstat_read("/proc", g->worker.pid, &stat) == PSTAT_HERE)
		g->report.worker_start = stat.start;
	rc = loop_fd(&g->loop, g->out.fd, EPOLLIN, call, &g->out_id, err);
	if (rc == PAWL_OK) {
		rc = loop_fd(
			&g->loop, g->err.fd, EPOLLIN, call, &g->err_id, err);
	}
	if (rc == PAWL_OK) {
		rc = timer(g, &g->phase_timer, g->deadline.at_ms,
			on_phase_timer, err);
	}
	if (rc == PAWL_OK) {
		rc = timer(g, &g->life_timer,
			g->start_ms + life_interval_ms(g->job->deadline_ms),
			on_life_timer, err);
	}
	return rc;
}

/* From here on it isn't true any more that nothing was executed. */
static enum pawl_rc
mark_opened(struct guard *g, struct pawl_err *err)
{
	struct buf line = { 0 };
	enum pawl_rc rc;

	exitfile_format_opened(&g->report, &line);
	rc = exitfile_append(g->job->exits, buf_str(&line), err);
	buf_release(&line);
	return rc;
}

/* A start that fails is the outcome, not a failure of the monitor. */
static enum pawl_rc
open_gate(struct guard *g, struct pawl_err *err)
{
	const struct job *job = g->job;
	struct pawl_err start_err = { 0 };

	g->opened = true;
	g->start_ms = now(g);
	deadline_start(&g->deadline, g->start_ms, g->job->deadline_ms);
	g->report.started_us = clock_wall_us(&g->clock);
	life_start(&g->life, g->outbox, g->start_ms);
	log_init(&g->log, g->job->log);
	if (mark_opened(g, &start_err) == PAWL_OK &&
		launch_worker(job, &g->out, &g->err, &g->worker, &start_err) ==
			PAWL_OK)
		return watch_worker(g, err);
	g->report.cause = CAUSE_START_FAILED;
	g->report.start_err = start_err;
	g->report.ended_us = clock_wall_us(&g->clock);
	g->end_ms = now(g);
	g->phase = PHASE_DONE;
	return PAWL_OK;
}

static enum pawl_rc
on_gate(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct guard *g = arg;
	char byte = 0;
	ssize_t n = read(event->fd, &byte, 1);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return PAWL_OK;
	loop_drop(&g->loop, g->gate_id);
	g->gate_id = 0;
	(void)close(event->fd);
	if (n == 1 && byte == 'g')
		return open_gate(g, err);
	g->phase = PHASE_DONE; /* whoever held the gate is gone */
	return PAWL_OK;
}

/* All that can fail comes before the gate, and leaves no trace. */
static enum pawl_rc
set_up(struct guard *g, struct pawl_err *err)
{
	struct pstat self;
	enum pawl_rc rc;

	(void)setsid(); /* fails when the spawner did it for us */
	(void)signal(SIGCHLD, SIG_DFL); /* ignored, it would hide every end */
	if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not be a subreaper");
	if (pstat_read("/proc", getpid(), &self) != PSTAT_HERE)
		return pawl_fail(err, ERR_IO, "could not read /proc");
	g->report.monitor_pid = self.pid;
	g->report.monitor_start = self.start;
	if (g->job->outbox != NULL)
		g->outbox = open(g->job->outbox,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (g->job->outbox != NULL && g->outbox < 0) {
		return pawl_fail_sys(err, ERR_IO, "could not open outbox '%s'",
			g->job->outbox);
	}
	if (chdir("/") != 0) /* hold no worktree in use */
		return pawl_fail_sys(err, ERR_IO, "could not enter '/'");
	if (fcntl(g->job->gate, F_SETFD, FD_CLOEXEC) != 0 ||
		fcntl(g->job->exits, F_SETFD, FD_CLOEXEC) != 0) {
		return pawl_fail_sys(err, ERR_IO, "could not use gate %d or %d",
			g->job->gate, g->job->exits);
	}
	if (g->job->confine.fd >= 0 &&
		fcntl(g->job->confine.fd, F_SETFD, FD_CLOEXEC) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not use rule set %d",
			g->job->confine.fd);
	rc = loop_signals(&g->loop, signals, SIGNALS,
		(struct loop_call){ on_signal, g }, err);
	if (rc != PAWL_OK)
		return rc;
	return loop_fd(&g->loop, g->job->gate, EPOLLIN,
		(struct loop_call){ on_gate, g }, &g->gate_id, err);
}

static enum pawl_rc
report(struct guard *g, struct pawl_err *err)
{
	struct exitfile *e = &g->report;
	struct buf text = { 0 };
	struct rusage usage;
	enum pawl_rc rc;

	(void)stream_read(&g->out, &g->job->mask, &g->log, DRAIN_MAX);
	(void)stream_read(&g->err, &g->job->mask, &g->log, DRAIN_MAX);
	stream_end(&g->out, &g->job->mask, &g->log, &e->out);
	stream_end(&g->err, &g->job->mask, &g->log, &e->err);
	e->masked = g->out.masked + g->err.masked;
	log_flush(&g->log);
	log_close(&g->log);
	e->log_head = g->log.head;
	e->log_tail = log_tail(&g->log);
	e->log_dropped = log_dropped(&g->log);
	e->log_sys = g->log.sys;
	if (getrusage(RUSAGE_CHILDREN, &usage) == 0) {
		e->user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000 +
			(uint64_t)usage.ru_utime.tv_usec;
		e->system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000 +
			(uint64_t)usage.ru_stime.tv_usec;
		e->rss_max_kib = (uint64_t)usage.ru_maxrss;
	}
	e->limit_ms = g->job->deadline_ms;
	e->held_ms = deadline_held_ms(&g->deadline, g->end_ms);
	e->duration_ms = g->end_ms - g->start_ms;
	e->settle_ms = now(g) - g->end_ms;
	e->worker_pid = g->worker.pid;
	e->survivors = &g->survivors;
	e->remaining = &g->remaining;
	exitfile_format(e, &text);
	rc = exitfile_append(g->job->exits, buf_str(&text), err);
	buf_release(&text);
	return rc;
}

/*
 * The outcome is written down.  A signal that was held back while it was (the
 * log's last bytes are over a limit, say) must not end us in place of it.
 */
static void
ignore_what_waits(void)
{
	for (size_t i = 0; i < SIGNALS; i++)
		(void)signal(signals[i], SIG_IGN);
}

/* We can't watch any more: nobody may go on unwatched. */
static void
kill_blindly(struct guard *g)
{
	uint64_t until = now(g) + KILL_MS;

	reap(g);
	while (!g->brood.alone && now(g) < until) {
		brood_kill(&g->brood);
		(void)usleep(5000);
	}
}

enum pawl_rc
guard_run(const struct job *job, struct pawl_err *err)
{
	struct guard *g = die_alloc(1, sizeof(*g));
	enum pawl_rc rc;

	*g = (struct guard){ .job = job,
		.report.name = job->name,
		.clock = clock_real(),
		.outbox = -1,
		.worker.pidfd = -1,
		.out.fd = -1,
		.err.fd = -1,
		.log.fd = -1 };
	sha256_init(&g->out.sha);
	sha256_init(&g->err.sha);
	rc = loop_open(&g->loop, err);
	if (rc != PAWL_OK)
		goto out;
	rc = set_up(g, err);
	while (rc == PAWL_OK && g->phase != PHASE_DONE)
		rc = loop_step(&g->loop, err);
	if (rc != PAWL_OK && g->opened)
		kill_blindly(g);
	if (rc == PAWL_OK && g->opened)
		rc = report(g, err);
	ignore_what_waits();
	loop_close(&g->loop);
out:
	if (g->outbox >= 0)
		(void)close(g->outbox);
	if (g->worker.pidfd >= 0)
		(void)close(g->worker.pidfd);
	tree_release(&g->survivors);
	tree_release(&g->remaining);
	free(g);
	return rc;
}
