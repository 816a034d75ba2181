/*
 * Killed before any of its calls: a dispatch, a report, a sync, a quarantine, a
 * giving up.  Whatever was done by then, the same call again comes to the same
 * end, each fact is recorded once, and a third call records nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/dispatch.h"
#include "engine/launch.h"
#include "engine/outbox.h"
#include "engine/plumb.h"
#include "engine/quarantine.h"
#include "engine/sync.h"
#include "fs_fault.h"
#include "model/capability.h"
#include "store/rundir.h"
#include "tempdir.h"

enum { CALLS_MAX = 2000 };

static const char list[] = "- [ ] A Look\n"
			   "  Depends: []\n"
			   "  Paths: [a]\n"
			   "  Mode: read\n"
			   "  Isolation: auto\n"
			   "  Acceptance: looked\n"
			   "  Check: true\n";

static const char result[] =
	"{\"task_id\":\"A\",\"attempt_id\":\"A@1\",\"outcome\":\"reported\","
	"\"summary\":\"looked\",\"files_changed\":[],\"checks_run\":[],"
	"\"evidence_refs\":[],\"questions\":[]}";

/* A kill leaves what was written: nothing has to wait for the disk. */
static int
no_sync(void *st, int fd)
{
	(void)st;
	(void)fd;
	return 0;
}

/* A run of one task that reads, in a folder without a repository. */
struct scene {
	struct tempdir dir;
	struct fs_ops quick;
	struct fs_fault fault;
	struct fs fs;
	struct clock clock;
	struct place place;
	struct run run;
	struct repo repo;
	struct pilot pilot;
	char id[32];
	struct pawl_err err;
};

typedef enum pawl_rc act_fn(struct scene *s);

#define OK(s, call)                                   \
	do {                                          \
		if ((call) != PAWL_OK)                \
			fail_msg("%s", (s)->err.msg); \
	} while (0)

static void
scene_open(struct scene *s)
{
	struct rand rand = rand_seeded(7);
	struct arena mem = ARENA_INIT;
	struct launch l = { .rand = &rand,
		.mem = &mem,
		.list_path = "tasks.md",
		.list = { list, sizeof(list) - 1 },
		.permission = STR("local:t"),
		.slots = 2 };

	memset(s, 0, sizeof(*s));
	s->dir = tempdir_open();
	s->quick = *fs_real.ops;
	s->quick.sync = no_sync;
	s->quick.datasync = no_sync;
	s->fault = (struct fs_fault){ .under = { &s->quick, fs_real.state },
		.left = -1 };
	s->fs = fs_fault_over(&s->fault);
	s->clock = clock_real();
	s->place = (struct place){ .fs = &s->fs,
		.clock = &s->clock,
		.state_dir = s->dir.fd,
		.state_path = s->dir.path };
	s->repo.top = s->dir.path;
	l.place = &s->place;
	OK(s, rundir_init_state(&s->fs, s->dir.fd, &s->err));
	OK(s, launch_create(&l, &s->run, &s->err));
	(void)snprintf(s->id, sizeof(s->id), STR_FMT, STR_ARG(s->run.id));
	run_close(&s->run);
	arena_reset(&mem);
}

static void
scene_close(struct scene *s)
{
	tempdir_close(&s->dir);
}

/* One call of a verb: the run is opened, something is done, it is closed. */
static enum pawl_rc
call(struct scene *s, act_fn *act)
{
	const struct pilot_config config = {
		.driver = builtin_word(BUILTIN_HOST), .worktrees = "/"
	};
	enum pawl_rc rc =
		run_open(&s->run, &s->place, str_from(s->id), &s->err);

	if (rc != PAWL_OK)
		return rc;
	s->run.gen = s->run.state.gen;
	s->run.actor = STR("coordinator:c1");
	rc = plumb_open(&s->pilot, &s->run, &s->repo, &config, &s->err);
	if (rc == PAWL_OK)
		rc = act(s);
	plumb_close(&s->pilot);
	run_close(&s->run);
	return rc;
}

static const char *
box(struct scene *s, char path[256])
{
	(void)snprintf(path, 256, "%s/runs/%s/outbox/A@1", s->dir.path, s->id);
	return path;
}

static enum pawl_rc
act_dispatch(struct scene *s)
{
	const struct str node = STR("A");
	const struct dispatch_spec spec = {
		.nodes = &node, .count = 1, .key = STR("k")
	};
	struct dispatched done;

	return dispatch_nodes(&s->pilot, &spec, &done, &s->err);
}

static enum pawl_rc
act_report(struct scene *s)
{
	char path[256];
	bool again;
	int fd = -1;
	enum pawl_rc rc = outbox_open(&s->fs, box(s, path), &fd, &s->err);

	if (rc == PAWL_OK)
		rc = outbox_put(&s->fs, fd, OUTBOX_REPORT, str_from(result),
			&again, &s->err);
	fs_close(&s->fs, &fd);
	return rc;
}

static enum pawl_rc
act_sync(struct scene *s)
{
	return sync_round(&s->pilot, &s->err);
}

static enum pawl_rc
act_quarantine(struct scene *s)
{
	char path[256], candidate[300];
	bool again;

	(void)snprintf(candidate, sizeof(candidate), "%s/" OUTBOX_REPORT,
		box(s, path));
	return quarantine_candidate(
		&s->pilot, 0, candidate, STR("q"), &again, &s->err);
}

static enum pawl_rc
act_abandon(struct scene *s)
{
	bool again;

	return dispatch_abandon(
		&s->pilot, 0, STR("enough"), STR(""), &again, &s->err);
}

static void
put_junk(struct scene *s)
{
	char path[256];
	int fd = -1;

	OK(s, outbox_open(&s->fs, box(s, path), &fd, &s->err));
	OK(s,
		fs_replace(&s->fs, fd, OUTBOX_REPORT, STR("junk"), FS_DURABLE,
			&s->err));
	fs_close(&s->fs, &fd);
}

static void
started(struct scene *s)
{
	OK(s, call(s, act_dispatch));
}

static void
reported(struct scene *s)
{
	started(s);
	OK(s, call(s, act_report));
}

static void
junk_handed_in(struct scene *s)
{
	started(s);
	put_junk(s);
}

static void
junk_came_late(struct scene *s)
{
	started(s);
	OK(s, call(s, act_abandon));
	put_junk(s);
}

static void
nothing(struct scene *s)
{
	(void)s;
}

struct row {
	const char *name;
	void (*before)(struct scene *s);
	act_fn *act;
	enum event_type once; /* an event that is there once after it */
	enum attempt_status status;
};

static const struct row rows[] = {
	{ "dispatch", nothing, act_dispatch, EV_ATTEMPT_STARTED,
		ATTEMPT_STARTED },
	{ "report", started, act_report, EV_ATTEMPT_STARTED, ATTEMPT_STARTED },
	{ "sync", reported, act_sync, EV_ATTEMPT_REPORTED, ATTEMPT_REPORTED },
	{ "sync of junk", junk_handed_in, act_sync, EV_RESULT_QUARANTINED,
		ATTEMPT_QUARANTINED },
	{ "quarantine", junk_handed_in, act_quarantine, EV_RESULT_QUARANTINED,
		ATTEMPT_QUARANTINED },
	{ "abandon", started, act_abandon, EV_ATTEMPT_ABANDONED,
		ATTEMPT_ABANDONED },
	{ "late", junk_came_late, act_sync, EV_RESULT_KEPT, ATTEMPT_ABANDONED },
};

static uint32_t
count_of(struct str journal, enum event_type type)
{
	struct buf word = { 0 };
	uint32_t count = 0;

	buf_addf(&word, "{\"type\":\"" STR_FMT "\"", STR_ARG(event_word(type)));
	for (size_t at = 0; at + word.len <= journal.len; at++)
		count += memcmp(journal.ptr + at, word.data, word.len) == 0;
	buf_release(&word);
	return count;
}

static struct buf
journal_of(struct scene *s)
{
	char path[256];
	struct buf bytes = { 0 };

	(void)snprintf(path, sizeof(path), "%s/runs/%s/events.jsonl",
		s->dir.path, s->id);
	OK(s, fs_read(&s->fs, AT_FDCWD, path, 1 << 20, &bytes, &s->err));
	return bytes;
}

/* As it must stand once a call has gone through, whatever came before. */
static void
look(struct scene *s, const struct row *row, long at)
{
	struct buf first, second;

	OK(s, run_open(&s->run, &s->place, str_from(s->id), &s->err));
	if (s->run.state.attempts.count != 1 ||
		s->run.state.attempts.items[0].status != row->status) {
		fail_msg("%s, killed at %ld: attempt is " STR_FMT, row->name,
			at,
			STR_ARG(attempt_status_word(
				s->run.state.attempts.items[0].status)));
	}
	assert_false(s->run.state.attempts.items[0].unreconciled &&
		!is_attempt_live(&s->run.state.attempts.items[0]));
	run_close(&s->run);
	first = journal_of(s);
	if (count_of(buf_str(&first), row->once) != 1)
		fail_msg("%s, killed at %ld: %u times " STR_FMT, row->name, at,
			count_of(buf_str(&first), row->once),
			STR_ARG(event_word(row->once)));
	OK(s, call(s, row->act));
	second = journal_of(s);
	if (!str_eq(buf_str(&first), buf_str(&second)))
		fail_msg("%s, killed at %ld: the same call once more recorded"
			 " something",
			row->name, at);
	buf_release(&first);
	buf_release(&second);
}

static void
killed_before_each_call(const struct row *row)
{
	bool killed = true;

	for (long at = 0; killed; at++) {
		struct scene s;
		enum pawl_rc rc;

		assert_true(at < CALLS_MAX);
		scene_open(&s);
		row->before(&s);
		s.fault.left = at;
		s.fault.sys = EIO;
		s.fault.stays = true;
		rc = call(&s, row->act);
		killed = s.fault.fired != NULL;
		s.fault.left = -1;
		s.fault.stays = false;
		if (!killed && rc != PAWL_OK)
			fail_msg("%s: %s", row->name, s.err.msg);
		if (call(&s, row->act) != PAWL_OK)
			fail_msg("%s, killed at %ld, isn't to be repeated: %s",
				row->name, at, s.err.msg);
		look(&s, row, at);
		scene_close(&s);
	}
}

static void
a_retry_after_a_kill_comes_to_the_same_end(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		killed_before_each_call(&rows[i]);
}

/* Another call is faster: it took in what the worker has put there since. */
static int
link_after_a_rival(
	void *st, int from_dir, const char *from, int to_dir, const char *to)
{
	const struct str rival =
		STR("{\"task_id\":\"A\",\"attempt_id\":\"A@1\",\"outcome\":"
		    "\"reported\","
		    "\"summary\":\"looked twice\",\"files_changed\":[],"
		    "\"checks_run\":[],\"evidence_refs\":[],\"questions\":[]}");
	struct pawl_err err;

	if (strcmp(to, "A@1.json") == 0 && fs_is_absent(&fs_real, to_dir, to))
		assert_int_equal(
			fs_create(&fs_real, to_dir, to, rival, &err), PAWL_OK);
	return fs_real.ops->link(st, from_dir, from, to_dir, to);
}

static void
who_comes_second_to_a_slot_reports_what_is_in_it(void **state)
{
	struct buf slot = { 0 };
	char path[256], hex[SHA256_HEX + 1];
	struct scene s;

	(void)state;
	scene_open(&s);
	reported(&s);
	s.quick.link = link_after_a_rival;
	OK(&s, call(&s, act_sync));
	s.quick.link = fs_real.ops->link;
	(void)snprintf(path, sizeof(path), "%s/runs/%s/results/A@1.json",
		s.dir.path, s.id);
	OK(&s, fs_read(&s.fs, AT_FDCWD, path, 1 << 20, &slot, &s.err));
	sha256_hex(buf_str(&slot), hex);
	OK(&s, run_open(&s.run, &s.place, str_from(s.id), &s.err));
	assert_true(str_eq(
		s.run.state.attempts.items[0].summary, STR("looked twice")));
	assert_true(str_eq(
		s.run.state.attempts.items[0].report_sha256, str_from(hex)));
	run_close(&s.run);
	OK(&s, call(&s, act_sync));
	buf_release(&slot);
	scene_close(&s);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_retry_after_a_kill_comes_to_the_same_end),
		cmocka_unit_test(
			who_comes_second_to_a_slot_reports_what_is_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
