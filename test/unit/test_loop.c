#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/loop.h"
#include "os/proc.h"

/* What was called, as text: one letter a source, and what it was told. */
struct scene {
	struct loop loop;
	struct buf calls;
	uint64_t id; /* for callbacks that drop it */
	bool fails;
};

struct caller {
	struct scene *scene;
	char letter;
	bool drops; /* scene->id */
	bool reads; /* a byte */
};

static enum pawl_rc
called(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	const struct caller *c = arg;
	char byte;

	buf_addc(&c->scene->calls, c->letter);
	if (event->signo != 0)
		buf_addf(&c->scene->calls, "%d", event->signo);
	if (event->name.len > 0) {
		buf_addf(&c->scene->calls, "(" STR_FMT ")",
			STR_ARG(event->name));
	}
	if (c->reads)
		assert_int_equal(read(event->fd, &byte, 1), 1);
	if (c->drops)
		loop_drop(&c->scene->loop, c->scene->id);
	if (c->scene->fails)
		return pawl_fail(err, ERR_BUSY, "no more");
	return PAWL_OK;
}

static int
scene_make(void **state)
{
	struct scene *s = calloc(1, sizeof(*s));
	struct pawl_err err = { 0 };

	assert_non_null(s);
	assert_int_equal(loop_open(&s->loop, &err), PAWL_OK);
	*state = s;
	return 0;
}

static int
scene_free(void **state)
{
	struct scene *s = *state;

	loop_close(&s->loop);
	buf_release(&s->calls);
	free(s);
	return 0;
}

static void
step(struct scene *s, const char *calls)
{
	struct pawl_err err = { 0 };

	buf_clear(&s->calls);
	if (loop_step(&s->loop, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_string_equal(s->calls.data ? s->calls.data : "", calls);
}

static uint64_t
now(struct scene *s)
{
	return clock_boot_ms(&s->loop.clock);
}

static uint64_t
timer(struct scene *s, uint64_t at_ms, struct caller *c)
{
	struct pawl_err err = { 0 };
	uint64_t id = 0;

	c->scene = s;
	assert_int_equal(loop_timer(&s->loop, at_ms,
				 (struct loop_call){ called, c }, &id, &err),
		PAWL_OK);
	assert_true(id != 0);
	return id;
}

static uint64_t
descriptor(struct scene *s, int fd, struct caller *c)
{
	struct pawl_err err = { 0 };
	uint64_t id = 0;

	c->scene = s;
	assert_int_equal(loop_fd(&s->loop, fd, EPOLLIN,
				 (struct loop_call){ called, c }, &id, &err),
		PAWL_OK);
	return id;
}

static void
timers_fire_once_and_in_their_order(void **state)
{
	struct caller a = { .letter = 'a' }, b = { .letter = 'b' },
		      c = { .letter = 'c' }, d = { .letter = 'd' };
	struct scene *s = *state;
	uint64_t start = now(s);

	(void)timer(s, start + 30, &c);
	(void)timer(s, start - 1, &b);
	(void)timer(s, start - 5, &a);
	(void)timer(s, start + 3600000, &d);
	step(s, "ab");
	step(s, "c");
	assert_in_range(now(s) - start, 30, 1000);
	assert_int_equal(s->loop.sources.count, 1);
}

static void
time_zero_and_the_far_future_are_times(void **state)
{
	struct caller a = { .letter = 'a' }, b = { .letter = 'b' };
	struct scene *s = *state;

	(void)timer(s, UINT64_MAX, &b);
	(void)timer(s, 0, &a);
	step(s, "a");
}

static void
a_timer_that_is_dropped_in_time_does_not_fire(void **state)
{
	struct caller a = { .letter = 'a', .drops = true },
		      b = { .letter = 'b' }, c = { .letter = 'c' };
	struct scene *s = *state;
	uint64_t start = now(s);

	(void)timer(s, start, &a);
	s->id = timer(s, start + 1, &b);
	(void)timer(s, start + 20, &c);
	loop_drop(&s->loop, 0);
	loop_drop(&s->loop, 999);
	while (now(s) < start + 2)
		;
	step(s, "a");
	step(s, "c");
}

static void
descriptors_are_called_until_they_are_read(void **state)
{
	struct caller a = { .letter = 'a' };
	struct scene *s = *state;
	uint64_t id;
	int ends[2];

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	id = descriptor(s, ends[0], &a);
	assert_int_equal(write(ends[1], "xy", 2), 2);
	step(s, "a");
	step(s, "a");
	a.reads = true;
	step(s, "a");
	step(s, "a");
	(void)close(ends[1]);
	a.reads = false;
	step(s, "a"); /* the end is an event, too */
	loop_drop(&s->loop, id);
	loop_drop(&s->loop, id);
	(void)close(ends[0]);
}

/* Both are ready; the first to be called takes the other out. */
static void
a_dropped_source_is_not_called_in_the_same_step(void **state)
{
	struct caller a = { .letter = 'a', .drops = true },
		      b = { .letter = 'a', .drops = true };
	struct scene *s = *state;
	int one[2], two[2];

	assert_int_equal(pipe2(one, O_CLOEXEC), 0);
	assert_int_equal(pipe2(two, O_CLOEXEC), 0);
	assert_int_equal(write(one[1], "x", 1), 1);
	assert_int_equal(write(two[1], "x", 1), 1);
	(void)descriptor(s, one[0], &a);
	s->id = descriptor(s, two[0], &b);
	step(s, "a");
	assert_int_equal(s->loop.sources.count, 1);
	for (int i = 0; i < 2; i++) {
		(void)close(one[i]);
		(void)close(two[i]);
	}
}

static void
signals_come_as_events_and_the_mask_is_restored(void **state)
{
	static const int signals[] = { SIGUSR1, SIGUSR2 };
	struct scene *s = *state;
	struct caller a = { .scene = s, .letter = 's' };
	struct pawl_err err = { 0 };
	sigset_t before, after;

	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &before), 0);
	assert_int_equal(loop_signals(&s->loop, signals, 2,
				 (struct loop_call){ called, &a }, &err),
		PAWL_OK);
	assert_int_equal(raise(SIGUSR2), 0);
	assert_int_equal(raise(SIGUSR1), 0);
	step(s, "s10s12");
	loop_close(&s->loop);
	assert_int_equal(sigprocmask(SIG_SETMASK, NULL, &after), 0);
	for (int i = 1; i < NSIG; i++) {
		assert_int_equal(
			sigismember(&before, i), sigismember(&after, i));
	}
	assert_int_equal(loop_open(&s->loop, &err), PAWL_OK);
}

/* C054: the end of a process is an event. */
static void
the_end_of_a_process_is_an_event(void **state)
{
	struct caller a = { .letter = 'p' };
	struct scene *s = *state;
	struct pawl_err err = { 0 };
	struct proc_end end;
	struct proc p;
	uint64_t id;

	assert_int_equal(
		proc_spawn(
			&(struct proc_spec){ .argv = (const char *[]){ "sh",
						     "-c", "exit 5", NULL } },
			&p, &err),
		PAWL_OK);
	id = descriptor(s, p.pidfd, &a);
	step(s, "p");
	loop_drop(&s->loop, id);
	assert_int_equal(proc_wait(&p, &end, &err), PAWL_OK);
	assert_int_equal(end.code, 5);
}

static void
touch(const char *dir, const char *name)
{
	char path[200];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	(void)close(fd);
}

static void
folders_are_watched_and_may_be_shared(void **state)
{
	char dir[] = "/tmp/pawl-loop-XXXXXX", path[200];
	struct scene *s = *state;
	struct caller a = { .scene = s, .letter = 'a' },
		      b = { .scene = s, .letter = 'b' };
	struct pawl_err err = { 0 };
	uint64_t first, second;

	assert_non_null(mkdtemp(dir));
	assert_int_equal(
		loop_watch(&s->loop, dir, IN_CREATE,
			(struct loop_call){ called, &a }, &first, &err),
		PAWL_OK);
	touch(dir, "x");
	step(s, "a(x)");
	/* The same folder with other wishes: each gets its own. */
	assert_int_equal(
		loop_watch(&s->loop, dir, IN_DELETE,
			(struct loop_call){ called, &b }, &second, &err),
		PAWL_OK);
	touch(dir, "y");
	step(s, "a(y)");
	loop_drop(&s->loop, first);
	(void)snprintf(path, sizeof(path), "%s/y", dir);
	assert_int_equal(unlink(path), 0);
	step(s, "b(y)");
	(void)snprintf(path, sizeof(path), "%s/x", dir);
	assert_int_equal(unlink(path), 0);
	step(s, "b(x)");
	/* The folder's own end is told whatever was asked for. */
	assert_int_equal(rmdir(dir), 0);
	step(s, "b");
	loop_drop(&s->loop, second);
	assert_int_equal(
		loop_watch(&s->loop, dir, IN_CREATE,
			(struct loop_call){ called, &a }, &first, &err),
		PAWL_EIO);
}

static void
a_failing_callback_ends_the_step(void **state)
{
	struct caller a = { .letter = 'a' };
	struct scene *s = *state;
	struct pawl_err err = { 0 };

	(void)timer(s, 0, &a);
	s->fails = true;
	assert_int_equal(loop_step(&s->loop, &err), PAWL_EBUSY);
	assert_int_equal(err.code, ERR_BUSY);
}

static void
the_number_of_sources_is_bounded(void **state)
{
	struct caller a = { .letter = 'a' };
	struct scene *s = *state;
	struct pawl_err err = { 0 };
	uint64_t id = 0, far = now(s) + 3600000;
	struct loop_call call = { called, &a };

	a.scene = s;
	/* Not through loop_timer(), which sets the clock for each. */
	while (s->loop.sources.count < LOOP_SOURCES_MAX - 1) {
		(void)loop_sources_push(&s->loop.sources,
			(struct loop_source){ .id = s->loop.next_id++,
				.kind = LOOP_TIMER,
				.fd = -1,
				.at_ms = far,
				.call = call });
	}
	assert_int_equal(loop_timer(&s->loop, far, call, &id, &err), PAWL_OK);
	assert_int_equal(loop_timer(&s->loop, far, call, &id, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(
		loop_fd(&s->loop, 0, EPOLLIN, call, &id, &err), PAWL_ENO);
	assert_int_equal(loop_watch(&s->loop, "/", IN_CREATE, call, &id, &err),
		PAWL_ENO);
	loop_drop(&s->loop, id);
	assert_int_equal(loop_timer(&s->loop, far, call, &id, &err), PAWL_OK);
}

#define SCENE(f) cmocka_unit_test_setup_teardown(f, scene_make, scene_free)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE(timers_fire_once_and_in_their_order),
		SCENE(time_zero_and_the_far_future_are_times),
		SCENE(a_timer_that_is_dropped_in_time_does_not_fire),
		SCENE(descriptors_are_called_until_they_are_read),
		SCENE(a_dropped_source_is_not_called_in_the_same_step),
		SCENE(signals_come_as_events_and_the_mask_is_restored),
		SCENE(the_end_of_a_process_is_an_event),
		SCENE(folders_are_watched_and_may_be_shared),
		SCENE(a_failing_callback_ends_the_step),
		SCENE(the_number_of_sources_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
