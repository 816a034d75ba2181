#include "os/coproc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/die.h"
#include "base/num.h"

enum { SLOT_TO, SLOT_FROM, SLOT_WORDS, SLOT_PID, SLOT_COUNT };

/* One question under way. */
struct talk {
	struct coproc *c;
	const struct coproc_question *q;
	struct coproc_answer *answer;
	struct str left; /* of the question */
	uint64_t until_ms;
};

static uint64_t
now_ms(void)
{
	struct timespec t;

	if (clock_gettime(CLOCK_BOOTTIME, &t) != 0)
		die("could not read the clock");
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void
fd_close(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd); /* what counts was answered */
	*fd = -1;
}

enum pawl_rc
coproc_start(const struct proc_spec *child, struct coproc *ret_coproc,
	struct pawl_err *err)
{
	struct proc_spec spec = *child;
	struct coproc c = { .up = true, .born_ms = now_ms() };
	int to[2] = { -1, -1 }, from[2] = { -1, -1 }, words[2] = { -1, -1 };
	enum pawl_rc rc;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0 ||
		pipe2(from, O_CLOEXEC) != 0 || pipe2(words, O_CLOEXEC) != 0 ||
		fcntl(from[0], F_SETFL, O_NONBLOCK) != 0 ||
		fcntl(words[0], F_SETFL, O_NONBLOCK) != 0) {
		rc = pawl_fail_sys(err, ERR_IO, "could not make a pipe");
	} else {
		spec.fds = (const int[]){ to[1], from[1], words[1] };
		spec.fd_count = 3;
		rc = proc_spawn(&spec, &c.proc, err);
	}
	if (rc == PAWL_OK) {
		c.to = to[0];
		c.from = from[0];
		c.words_from = words[0];
		*ret_coproc = c;
	} else {
		fd_close(&to[0]);
		fd_close(&from[0]);
		fd_close(&words[0]);
	}
	fd_close(&to[1]);
	fd_close(&from[1]);
	fd_close(&words[1]);
	return rc;
}

bool
coproc_is_ready(const struct coproc *c, uint64_t age_ms_max)
{
	struct pollfd look[] = { { .fd = c->from, .events = POLLIN },
		{ .fd = c->proc.pidfd, .events = POLLIN } };

	return c->up && now_ms() - c->born_ms <= age_ms_max &&
		poll(look, 2, 0) == 0;
}

/* What is there now, at most a few pipes full: the clock must have its turn. */
static void
drain(int *fd, struct buf *to)
{
	char bytes[16 << 10];

	for (int i = 0; i < 16 && *fd >= 0; i++) {
		ssize_t n = read(*fd, bytes, sizeof(bytes));

		if (n > 0)
			buf_add(to, (struct str){ bytes, (size_t)n });
		else if (n < 0 && errno == EAGAIN)
			return;
		else if (n == 0 || errno != EINTR)
			fd_close(fd);
	}
}

static void
feed(struct talk *t)
{
	ssize_t n = send(t->c->to, t->left.ptr, t->left.len,
		MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n > 0) {
		t->left.ptr += n;
		t->left.len -= (size_t)n;
	} else if (n < 0 && errno != EAGAIN && errno != EINTR) {
		/* it doesn't listen any more: what it says, or its end, tells
		 */
		t->left.len = 0;
		fd_close(&t->c->to);
	}
}

/* Has it ended, within `ms`?  It is not reaped. */
static bool
has_ended(const struct coproc *c, uint64_t ms)
{
	struct pollfd look = { .fd = c->proc.pidfd, .events = POLLIN };
	uint64_t until = now_ms() + ms;

	for (;;) {
		uint64_t now = now_ms();
		int n = poll(&look, 1, now < until ? (int)(until - now) : 0);

		if (n > 0)
			return true;
		if (n == 0 || errno != EINTR)
			return false;
	}
}

/* End and reap it.  It leads its group, and isn't reaped: the id is its own. */
static enum pawl_rc
stop(struct coproc *c, struct proc_end *ret_end, struct pawl_err *err)
{
	enum pawl_rc rc;

	/* with TERM git removes its lock files */
	if (!has_ended(c, 0)) {
		(void)kill(-c->proc.pid, SIGTERM);
		(void)has_ended(c, COPROC_GRACE_MS);
	}
	(void)kill(-c->proc.pid, SIGKILL);
	rc = proc_wait(&c->proc, ret_end, err);
	fd_close(&c->to);
	fd_close(&c->from);
	fd_close(&c->words_from);
	fd_close(&c->proc.pidfd);
	*c = (struct coproc){ 0 };
	return rc;
}

/* The outcome, once there is one. */
static bool
is_settled(struct talk *t, bool ended)
{
	struct coproc_answer *a = t->answer;
	enum coproc_whole whole = COPROC_MORE;

	if (!buf_ok(&a->bytes)) {
		a->outcome = COPROC_OVER;
		return true;
	}
	if (a->bytes.len > 0)
		whole = t->q->whole(t->q->arg, buf_str(&a->bytes));
	if (whole == COPROC_WHOLE && t->left.len == 0)
		a->outcome = COPROC_ANSWERED;
	else if (whole != COPROC_MORE)
		a->outcome = COPROC_WRONG;
	else if (ended)
		a->outcome = COPROC_ENDED;
	else if (now_ms() >= t->until_ms)
		a->outcome = COPROC_LATE;
	else
		return false;
	return true;
}

static void
pump(struct talk *t)
{
	struct coproc *c = t->c;
	bool ended = false;

	while (!is_settled(t, ended)) {
		struct pollfd look[SLOT_COUNT] = {
			[SLOT_TO] = { t->left.len > 0 ? c->to : -1, POLLOUT,
				0 },
			[SLOT_FROM] = { c->from, POLLIN, 0 },
			[SLOT_WORDS] = { c->words_from, POLLIN, 0 },
			[SLOT_PID] = { c->proc.pidfd, POLLIN, 0 },
		};
		uint64_t now = now_ms();
		uint64_t wait = now < t->until_ms ? t->until_ms - now : 0;

		if (poll(look, SLOT_COUNT, wait > 60000 ? 60000 : (int)wait) <
				0 &&
			errno != EINTR)
			die("could not wait for a child");
		ended = look[SLOT_PID].revents != 0;
		if (look[SLOT_TO].revents != 0)
			feed(t);
		if (look[SLOT_FROM].revents != 0 || ended)
			drain(&c->from, &t->answer->bytes);
		if (look[SLOT_WORDS].revents != 0 || ended)
			drain(&c->words_from, &t->answer->words);
	}
}

#ifdef PAWL_TEST_HOOKS
uint64_t
coproc_deadline(uint64_t ms)
{
	const char *hook = getenv("PAWL_COPROC_MS");
	struct pawl_err err;
	uint64_t max;

	if (hook == NULL)
		return ms;
	if (num_u64(str_from(hook), 1, UINT32_MAX, &max, &err) != PAWL_OK)
		die("PAWL_COPROC_MS: %s", err.msg);
	return ms < max ? ms : max;
}
#else
uint64_t
coproc_deadline(uint64_t ms)
{
	return ms;
}
#endif

enum pawl_rc
coproc_ask(struct coproc *c, const struct coproc_question *question,
	struct coproc_answer *ret_answer, struct pawl_err *err)
{
	struct coproc_answer a = { .bytes.max = question->answer_max,
		.words.max = COPROC_WORDS_MAX };
	struct talk t = { .c = c,
		.q = question,
		.answer = &a,
		.left = question->bytes,
		.until_ms = now_ms() + question->deadline_ms };
	enum pawl_rc rc = PAWL_OK;

	assert(c->up && question->bytes.len > 0 && question->answer_max > 0);
	pump(&t);
	if (a.outcome != COPROC_ANSWERED) {
		rc = stop(c, &a.end, err);
		buf_clear(&a.bytes);
	}
	if (rc == PAWL_OK)
		*ret_answer = a;
	else
		coproc_answer_release(&a);
	return rc;
}

void
coproc_answer_release(struct coproc_answer *answer)
{
	buf_release(&answer->bytes);
	buf_release(&answer->words);
	*answer = (struct coproc_answer){ 0 };
}

enum pawl_rc
coproc_end(struct coproc *c, struct proc_end *ret_end, struct pawl_err *err)
{
	bool by_itself;
	enum pawl_rc rc;

	assert(c->up);
	fd_close(&c->to);
	by_itself = has_ended(c, COPROC_GRACE_MS);
	rc = stop(c, ret_end, err);
	if (rc == PAWL_OK && !by_itself)
		ret_end->kind = PROC_TIMEOUT;
	if (rc != PAWL_OK)
		*c = (struct coproc){ 0 };
	return rc;
}

void
coproc_close(struct coproc *c)
{
	struct proc_end end;
	struct pawl_err ignored;
	enum pawl_rc rc = PAWL_OK;

	if (c->up)
		rc = coproc_end(c, &end, &ignored);
	(void)rc; /* nobody waits for how it ended */
}
