#include "os/loop.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	LOOP_BATCH = 64,
	/* Ids of the three descriptors of the loop itself. */
	ID_SIGNALS = 1,
	ID_TIMER = 2,
	ID_INOTIFY = 3,
	ID_FIRST = 16,
};

static enum pawl_rc
control(struct loop *l, int op, int fd, uint32_t events, uint64_t id,
	struct pawl_err *err)
{
	struct epoll_event event = { .events = events, .data.u64 = id };

	if (epoll_ctl(l->epoll, op, fd, &event) == 0)
		return PAWL_OK;
	return pawl_fail_sys(
		err, ERR_IO, "could not wait for descriptor %d", fd);
}

enum pawl_rc
loop_open(struct loop *l, struct pawl_err *err)
{
	*l = (struct loop){ .signals = -1,
		.timer = -1,
		.inotify = -1,
		.next_id = ID_FIRST,
		.clock = clock_real() };
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (l->epoll >= 0) {
		l->timer = timerfd_create(
			CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	}
	if (l->timer < 0) {
		(void)pawl_fail_sys(
			err, ERR_IO, "could not make an event loop");
		loop_close(l);
		return err->rc;
	}
	return control(l, EPOLL_CTL_ADD, l->timer, EPOLLIN, ID_TIMER, err);
}

static void
fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* nothing is written through these */
	*fd = -1;
}

void
loop_close(struct loop *l)
{
	if (l->signals >= 0)
		(void)sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
	fd_close(&l->signals);
	fd_close(&l->inotify);
	fd_close(&l->timer);
	fd_close(&l->epoll);
	loop_sources_release(&l->sources);
}

/* Index of the first source whose id is not less than `id`. */
static size_t
find(const struct loop *l, uint64_t id)
{
	size_t low = 0, high = l->sources.count;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->sources.items[mid].id < id) {
			low = mid + 1;
		} else {
			high = mid;
		}
	}
	return low;
}

static struct loop_source *
get(struct loop *l, uint64_t id)
{
	size_t at = find(l, id);

	if (at == l->sources.count || l->sources.items[at].id != id)
		return NULL;
	return &l->sources.items[at];
}

static enum pawl_rc
add(struct loop *l, struct loop_source source, uint64_t *ret_id,
	struct pawl_err *err)
{
	if (l->sources.count >= LOOP_SOURCES_MAX) {
		return pawl_fail(err, ERR_LIMIT,
			"cannot wait for more than %d things",
			LOOP_SOURCES_MAX);
	}
	source.id = l->next_id++;
	*ret_id = source.id;
	(void)loop_sources_push(&l->sources, source);
	return PAWL_OK;
}

static void
discard(struct loop *l, uint64_t id)
{
	size_t at = find(l, id);

	memmove(&l->sources.items[at], &l->sources.items[at + 1],
		(l->sources.count - at - 1) * sizeof(l->sources.items[0]));
	l->sources.count--;
}

enum pawl_rc
loop_fd(struct loop *l, int fd, uint32_t events, struct loop_call call,
	uint64_t *ret_id, struct pawl_err *err)
{
	struct loop_source source = { .kind = LOOP_FD, .fd = fd, .call = call };
	uint64_t id = 0;
	enum pawl_rc rc = add(l, source, &id, err);

	if (rc != PAWL_OK)
		return rc;
	rc = control(l, EPOLL_CTL_ADD, fd, events, id, err);
	if (rc != PAWL_OK) {
		discard(l, id);
	} else {
		*ret_id = id;
	}
	return rc;
}

/* Set the one timer to the earliest of all; without any, switch it off. */
static void
timer_arm(struct loop *l)
{
	struct itimerspec at = { 0 };
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < l->sources.count; i++) {
		const struct loop_source *s = &l->sources.items[i];

		if (s->kind == LOOP_TIMER && s->at_ms < first)
			first = s->at_ms;
	}
	if (first != UINT64_MAX) {
		if (first > INT_MAX * UINT64_C(1000))
			first = INT_MAX * UINT64_C(1000);
		at.it_value.tv_sec = (time_t)(first / 1000);
		at.it_value.tv_nsec = (long)(first % 1000) * 1000000;
		if (first == 0)
			at.it_value.tv_nsec = 1; /* zero would switch it off */
	}
	if (timerfd_settime(l->timer, TFD_TIMER_ABSTIME, &at, NULL) != 0)
		die("could not set a timer");
}

enum pawl_rc
loop_timer(struct loop *l, uint64_t at_ms, struct loop_call call,
	uint64_t *ret_id, struct pawl_err *err)
{
	struct loop_source source = { .kind = LOOP_TIMER,
		.fd = -1,
		.at_ms = at_ms < UINT64_MAX ? at_ms : UINT64_MAX - 1,
		.call = call };
	enum pawl_rc rc = add(l, source, ret_id, err);

	if (rc == PAWL_OK)
		timer_arm(l);
	return rc;
}

enum pawl_rc
loop_watch(struct loop *l, const char *path, uint32_t mask,
	struct loop_call call, uint64_t *ret_id, struct pawl_err *err)
{
	struct loop_source source = {
		.kind = LOOP_WATCH, .mask = mask, .call = call
	};
	enum pawl_rc rc;

	if (l->sources.count >= LOOP_SOURCES_MAX)
		return add(l, source, ret_id, err);
	if (l->inotify < 0) {
		int fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);

		if (fd < 0) {
			return pawl_fail_sys(
				err, ERR_IO, "could not watch folders");
		}
		rc = control(l, EPOLL_CTL_ADD, fd, EPOLLIN, ID_INOTIFY, err);
		if (rc != PAWL_OK) {
			(void)close(fd);
			return rc;
		}
		l->inotify = fd;
	}
	/* A folder has one watch in the kernel, whoever asks for it. */
	source.fd = inotify_add_watch(
		l->inotify, path, mask | IN_ONLYDIR | IN_MASK_ADD);
	if (source.fd < 0) {
		return pawl_fail_sys(
			err, ERR_IO, "could not watch folder '%s'", path);
	}
	return add(l, source, ret_id, err);
}

enum pawl_rc
loop_signals(struct loop *l, const int *signals, size_t count,
	struct loop_call call, struct pawl_err *err)
{
	struct loop_source source = {
		.kind = LOOP_SIGNALS, .fd = -1, .call = call
	};
	uint64_t id = 0;
	enum pawl_rc rc;
	sigset_t set;

	assert(l->signals < 0);
	(void)sigemptyset(&set);
	for (size_t i = 0; i < count; i++)
		(void)sigaddset(&set, signals[i]);
	rc = add(l, source, &id, err);
	if (rc != PAWL_OK)
		return rc;
	if (sigprocmask(SIG_BLOCK, &set, &l->old_mask) != 0)
		die("could not block signals");
	l->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (l->signals < 0) {
		(void)pawl_fail_sys(err, ERR_IO, "could not wait for signals");
		(void)sigprocmask(SIG_SETMASK, &l->old_mask, NULL);
		discard(l, id);
		return err->rc;
	}
	return control(l, EPOLL_CTL_ADD, l->signals, EPOLLIN, ID_SIGNALS, err);
}

void
loop_drop(struct loop *l, uint64_t id)
{
	struct loop_source *s = get(l, id);
	struct loop_source gone;
	bool shared = false;

	if (s == NULL)
		return;
	gone = *s;
	discard(l, id);
	switch (gone.kind) {
	case LOOP_FD:
		/* A descriptor that was closed has left by itself. */
		(void)epoll_ctl(l->epoll, EPOLL_CTL_DEL, gone.fd, NULL);
		break;
	case LOOP_TIMER:
		timer_arm(l);
		break;
	case LOOP_WATCH:
		for (size_t i = 0; i < l->sources.count; i++) {
			const struct loop_source *other = &l->sources.items[i];

			shared = shared ||
				(other->kind == LOOP_WATCH &&
					other->fd == gone.fd);
		}
		if (!shared)
			(void)inotify_rm_watch(l->inotify, gone.fd);
		break;
	case LOOP_SIGNALS:
		break;
	}
}

static enum pawl_rc
on_signals(struct loop *l, struct pawl_err *err)
{
	struct signalfd_siginfo info;
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK &&
		read(l->signals, &info, sizeof(info)) ==
			(ssize_t)sizeof(info)) {
		struct loop_event event = { .fd = -1,
			.signo = (int)info.ssi_signo,
			.sender = (pid_t)info.ssi_pid };

		for (size_t i = 0; i < l->sources.count; i++) {
			struct loop_source s = l->sources.items[i];

			if (s.kind == LOOP_SIGNALS) {
				rc = s.call.fn(s.call.arg, &event, err);
				break;
			}
		}
	}
	return rc;
}

/* The earliest timer that is due and existed before `limit`; or NULL. */
static const struct loop_source *
timer_due(const struct loop *l, uint64_t now, uint64_t limit)
{
	const struct loop_source *due = NULL;

	for (size_t i = 0; i < l->sources.count; i++) {
		const struct loop_source *s = &l->sources.items[i];

		if (s->kind == LOOP_TIMER && s->at_ms <= now && s->id < limit &&
			(!due || s->at_ms < due->at_ms))
			due = s;
	}
	return due;
}

static enum pawl_rc
on_timer(struct loop *l, struct pawl_err *err)
{
	uint64_t now = clock_boot_ms(&l->clock), limit = l->next_id, times;
	enum pawl_rc rc = PAWL_OK;
	const struct loop_source *s;

	if (read(l->timer, &times, sizeof(times)) < 0 && errno != EAGAIN)
		die("could not read a timer");
	/* What a callback adds waits for the next step, even if it is due. */
	while (rc == PAWL_OK && (s = timer_due(l, now, limit)) != NULL) {
		struct loop_event event = { .fd = -1 };
		struct loop_source once = *s;

		discard(l, once.id);
		rc = once.call.fn(once.call.arg, &event, err);
	}
	timer_arm(l);
	return rc;
}

/* Call every watch of the folder; with IN_Q_OVERFLOW (wd -1), every watch. */
static enum pawl_rc
watch_call(struct loop *l, const struct inotify_event *in, struct pawl_err *err)
{
	struct loop_event event = { .fd = -1,
		.events = in->mask,
		.name = str_from(in->len > 0 ? in->name : "") };
	const uint32_t always = IN_Q_OVERFLOW | IN_IGNORED | IN_UNMOUNT;
	uint64_t last = 0, limit = l->next_id;
	enum pawl_rc rc = PAWL_OK;

	while (rc == PAWL_OK) {
		size_t at = find(l, last + 1);
		struct loop_source s;

		if (at == l->sources.count || l->sources.items[at].id >= limit)
			break;
		s = l->sources.items[at];
		last = s.id;
		if (s.kind == LOOP_WATCH && (in->wd < 0 || s.fd == in->wd) &&
			(in->mask & (s.mask | always)) != 0)
			rc = s.call.fn(s.call.arg, &event, err);
	}
	return rc;
}

static enum pawl_rc
on_inotify(struct loop *l, struct pawl_err *err)
{
	/* The alignment is what inotify(7) asks for. */
	char bytes[4096] __attribute__((aligned(8)));
	ssize_t n = read(l->inotify, bytes, sizeof(bytes));
	enum pawl_rc rc = PAWL_OK;
	struct inotify_event in;

	for (ssize_t at = 0; rc == PAWL_OK && at < n;
		at += (ssize_t)(sizeof(in) + in.len)) {
		const void *event = bytes + at;

		memcpy(&in, event, sizeof(in));
		rc = watch_call(l, event, err);
	}
	return rc;
}

static enum pawl_rc
deliver(struct loop *l, const struct epoll_event *got, struct pawl_err *err)
{
	struct loop_source *s;

	switch (got->data.u64) {
	case ID_SIGNALS:
		return on_signals(l, err);
	case ID_TIMER:
		return on_timer(l, err);
	case ID_INOTIFY:
		return on_inotify(l, err);
	default:
		break;
	}
	s = get(l, got->data.u64); /* may be dropped by an earlier callback */
	if (s == NULL)
		return PAWL_OK;
	return s->call.fn(s->call.arg,
		&(struct loop_event){ .fd = s->fd, .events = got->events },
		err);
}

enum pawl_rc
loop_step(struct loop *l, struct pawl_err *err)
{
	struct epoll_event got[LOOP_BATCH];
	enum pawl_rc rc = PAWL_OK;
	int count;

	do {
		count = epoll_wait(l->epoll, got, LOOP_BATCH, -1);
	} while (count < 0 && errno == EINTR);
	if (count < 0)
		return pawl_fail_sys(err, ERR_IO, "could not wait");
	for (int i = 0; i < count && rc == PAWL_OK; i++)
		rc = deliver(l, &got[i], err);
	return rc;
}
