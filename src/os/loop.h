/*
 * loop: wait for everything at once: descriptors, signals, timers, folders.
 *
 * One loop a process, one thread.  Nothing is polled: loop_step() sleeps until
 * the kernel has something to say, calls back for each of it, and returns.
 * Timers count CLOCK_BOOTTIME, so a deadline that passed in a suspend is seen
 * at the resume.
 *
 * Each source has an id, never 0 and never used again; loop_drop() takes it
 * out, also from inside any callback, after which its callback is not called
 * any more.  Descriptors given to the loop stay the caller's, who drops the
 * source before closing them.
 *
 * A callback that fails ends the step, which returns its error: that is the end
 * of the loop, since signals that were read with it are gone.
 *
 * A folder that is watched may overflow the kernel's queue: every watch is then
 * called with IN_Q_OVERFLOW and must look for itself, as it must once after it
 * was added.
 */
#ifndef PAWL_OS_LOOP_H
#define PAWL_OS_LOOP_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/vec.h"
#include "os/clock.h"

enum { LOOP_SOURCES_MAX = 8192 };

struct loop_event {
	int fd;          /* of a descriptor, else -1 */
	uint32_t events; /* EPOLLIN …, or IN_CREATE … of a watch */
	int signo;       /* of a signal, else 0 */
	pid_t sender;    /* of a signal */
	struct str name; /* of a watch: the entry, "" for the folder itself */
};

typedef enum pawl_rc loop_fn(
	void *arg, const struct loop_event *event, struct pawl_err *err);

struct loop_call {
	loop_fn *fn;
	void *arg;
};

enum loop_kind { LOOP_FD, LOOP_TIMER, LOOP_WATCH, LOOP_SIGNALS };

struct loop_source {
	uint64_t id;
	enum loop_kind kind;
	int fd;         /* of a descriptor; the watch descriptor of a watch */
	uint32_t mask;  /* of a watch */
	uint64_t at_ms; /* of a timer */
	struct loop_call call;
};
VEC_DEF(loop_sources, struct loop_source);

struct loop {
	int epoll;
	int signals; /* signalfd, or -1 */
	int timer;   /* timerfd */
	int inotify; /* or -1 */
	uint64_t next_id;
	struct loop_sources sources; /* in order of their ids */
	struct clock clock;
	sigset_t old_mask; /* the signal mask before loop_signals() */
};

PAWL_MUST_CHECK enum pawl_rc loop_open(struct loop *l, struct pawl_err *err);
/* Of an opened loop; the signal mask is again as it was. */
void loop_close(struct loop *l);

/* `events` as epoll_ctl; level-triggered. Also for pidfds (EPOLLIN). */
PAWL_MUST_CHECK enum pawl_rc loop_fd(struct loop *l, int fd, uint32_t events,
	struct loop_call call, uint64_t *ret_id, struct pawl_err *err);

/* Once, when boot time reaches `at_ms`. */
PAWL_MUST_CHECK enum pawl_rc loop_timer(struct loop *l, uint64_t at_ms,
	struct loop_call call, uint64_t *ret_id, struct pawl_err *err);

/* A folder; `mask` as inotify_add_watch. */
PAWL_MUST_CHECK enum pawl_rc loop_watch(struct loop *l, const char *path,
	uint32_t mask, struct loop_call call, uint64_t *ret_id,
	struct pawl_err *err);

/*
 * All of `signals` (`count` numbers), blocked from now on and delivered here.
 * At most once a loop.
 */
PAWL_MUST_CHECK enum pawl_rc loop_signals(struct loop *l, const int *signals,
	size_t count, struct loop_call call, struct pawl_err *err);

/* 0 and ids that are gone are accepted. */
void loop_drop(struct loop *l, uint64_t id);

/* Sleep until at least one thing happened; deliver what did. */
PAWL_MUST_CHECK enum pawl_rc loop_step(struct loop *l, struct pawl_err *err);

#endif
