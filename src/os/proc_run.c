#include "os/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"

enum { RUN_OUT, RUN_ERR, RUN_PID, RUN_TIMER, RUN_STOP, RUN_COUNT };

struct run {
	const struct proc_run_spec *spec;
	struct proc proc;
	struct pollfd poll[RUN_COUNT]; /* fd is -1 when closed */
	bool late;                     /* the deadline passed */
};

static void
timer_set(int fd, uint64_t ms)
{
	struct itimerspec at = {
		.it_value.tv_sec = (time_t)(ms / 1000),
		.it_value.tv_nsec = (long)(ms % 1000) * 1000000,
	};

	if (ms == 0)
		at.it_value.tv_nsec = 1; /* zero would disarm it */
	if (timerfd_settime(fd, 0, &at, NULL) != 0)
		die("could not set a timer");
}

/* A file in memory can't block, deadlock or raise SIGPIPE as a pipe can. */
enum pawl_rc
proc_input(struct str input, int *ret_fd, struct pawl_err *err)
{
	int fd = memfd_create("pawl-input", MFD_CLOEXEC);

	if (fd < 0)
		return pawl_fail_sys(err, ERR_IO, "could not keep the input");
	for (size_t at = 0; at < input.len;) {
		ssize_t n = write(fd, input.ptr + at, input.len - at);

		if (n < 0 && errno != EINTR) {
			(void)pawl_fail_sys(
				err, ERR_IO, "could not keep the input");
			(void)close(fd);
			return err->rc;
		}
		at += n > 0 ? (size_t)n : 0;
	}
	if (lseek(fd, 0, SEEK_SET) != 0)
		die("could not rewind a file in memory");
	*ret_fd = fd;
	return PAWL_OK;
}

/* Start the child; ERR_SPAWN alone means that the machine is well. */
static enum pawl_rc
run_start(struct run *r, struct pawl_err *err)
{
	const struct proc_run_spec *spec = r->spec;
	struct proc_spec child = spec->child;
	int fds[4] = { -1, -1, -1, spec->held };
	int out[2] = { -1, -1 }, errs[2] = { -1, -1 };
	enum pawl_rc rc = PAWL_OK;

	if (spec->input.len > 0)
		rc = proc_input(spec->input, &fds[0], err);
	if (rc != PAWL_OK)
		return rc;
	r->poll[RUN_TIMER].fd =
		timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (r->poll[RUN_TIMER].fd < 0 || pipe2(out, O_CLOEXEC) != 0 ||
		pipe2(errs, O_CLOEXEC) != 0) {
		rc = pawl_fail_sys(err, ERR_IO, "could not make a pipe");
		goto out;
	}
	r->poll[RUN_OUT].fd = out[0];
	r->poll[RUN_ERR].fd = errs[0];
	fds[1] = out[1];
	fds[2] = errs[1];
	child.fds = fds;
	child.fd_count = spec->held > 0 ? 4 : 3;
	/* Only our ends; the child's must block as any command expects. */
	if (fcntl(out[0], F_SETFL, O_NONBLOCK) != 0 ||
		fcntl(errs[0], F_SETFL, O_NONBLOCK) != 0)
		die("could not set up a pipe");
	timer_set(r->poll[RUN_TIMER].fd, spec->deadline_ms);
	rc = proc_spawn(&child, &r->proc, err);
	if (rc == PAWL_OK)
		r->poll[RUN_PID].fd = r->proc.pidfd;
out:
	proc_close_fd(&fds[0]);
	proc_close_fd(&out[1]);
	proc_close_fd(&errs[1]);
	return rc;
}

/*
 * Read what is there now, at most more than a pipe holds: whoever writes faster
 * than we read must not keep us from the clock.  At the end of the stream the
 * slot is closed.
 */
static void
run_drain(struct pollfd *slot, struct buf *to)
{
	char bytes[32 << 10];

	for (int i = 0; i < 8 && slot->fd >= 0; i++) {
		ssize_t n = read(slot->fd, bytes, sizeof(bytes));

		if (n > 0) {
			buf_add(to, (struct str){ bytes, (size_t)n });
		} else if (n < 0 && errno == EAGAIN) {
			return;
		} else if (n == 0 || errno != EINTR) {
			proc_close_fd(&slot->fd);
		}
	}
}

/* The child leads its group, and isn't reaped: the group's id is its own. */
static void
run_late(struct run *r)
{
	bool gentle = !r->late && r->spec->grace_ms > 0;

	r->late = true;
	(void)kill(-r->proc.pid, gentle ? SIGTERM : SIGKILL);
	if (gentle) {
		timer_set(r->poll[RUN_TIMER].fd, r->spec->grace_ms);
	} else {
		proc_close_fd(&r->poll[RUN_TIMER].fd);
	}
}

static void
run_pump(struct run *r, struct proc_ran *ran)
{
	for (;;) {
		if (poll(r->poll, RUN_COUNT, -1) < 0) {
			if (errno == EINTR)
				continue;
			die("could not wait for '%s'", r->spec->child.argv[0]);
		}
		if (r->poll[RUN_OUT].revents != 0)
			run_drain(&r->poll[RUN_OUT], &ran->out);
		if (r->poll[RUN_ERR].revents != 0)
			run_drain(&r->poll[RUN_ERR], &ran->err);
		if (r->poll[RUN_PID].revents != 0)
			break;
		if (r->poll[RUN_TIMER].revents != 0)
			run_late(r);
		if (r->poll[RUN_STOP].revents != 0) {
			r->poll[RUN_STOP].fd = -1;
			ran->stopped = true;
			if (!r->late)
				run_late(r);
		}
	}
	/* Nobody may fill the pipes behind the last look. */
	(void)kill(-r->proc.pid, SIGKILL);
	run_drain(&r->poll[RUN_OUT], &ran->out);
	run_drain(&r->poll[RUN_ERR], &ran->err);
}

enum pawl_rc
proc_run(const struct proc_run_spec *spec, struct proc_ran *ret_ran,
	struct pawl_err *err)
{
	struct run r = { .spec = spec, .proc.pidfd = -1 };
	struct proc_ran ran = { .out.max = spec->out_max,
		.err.max = spec->out_max };
	enum pawl_rc rc;

	assert(spec->out_max > 0);
	for (size_t i = 0; i < RUN_COUNT; i++)
		r.poll[i] = (struct pollfd){ .fd = -1, .events = POLLIN };
	if (spec->stop > 0)
		r.poll[RUN_STOP].fd = spec->stop;
	rc = run_start(&r, err);
	if (rc == PAWL_OK) {
		run_pump(&r, &ran);
		rc = proc_wait(&r.proc, &ran.end, err);
		if (r.late)
			ran.end.kind = PROC_TIMEOUT;
	} else if (err->code == ERR_SPAWN) {
		ran.end.kind = PROC_START_FAILED;
		ran.end.code = err->sys;
		rc = PAWL_OK;
	}
	proc_close_fd(&r.poll[RUN_OUT].fd);
	proc_close_fd(&r.poll[RUN_ERR].fd);
	proc_close_fd(&r.poll[RUN_TIMER].fd);
	if (rc == PAWL_OK) {
		*ret_ran = ran;
	} else {
		proc_ran_release(&ran);
	}
	return rc;
}

void
proc_ran_release(struct proc_ran *ran)
{
	buf_release(&ran->out);
	buf_release(&ran->err);
	*ran = (struct proc_ran){ 0 };
}
