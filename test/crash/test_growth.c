/*
 * C025, C026: what a verb costs doesn't grow with the history behind it.
 *
 *	PAWL_COMMITS=1000000 ./test_growth
 *
 * The history is takeovers, which leave nothing in the state; so a change that
 * reads more behind a longer one reads history.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/resource.h>

#include <cmocka.h>

#include "base/die.h"
#include "base/num.h"
#include "engine/audit.h"
#include "engine/owner_event.h"
#include "gated_run.h"
#include "store/rundir.h"
#include "tempdir.h"

enum {
	COMMITS = 6000,
	NODES = 40,
	MEMORY_KIB = 64 << 10,
	STATE_BYTES = 64 << 10, /* of a projection and a list so small */
};

static uint64_t bytes_read, syncs; /* of the file system below */
static bool sleepy;                /* syncs are left out */

static ssize_t
counted_pread(void *st, int fd, void *p, size_t n, uint64_t offset)
{
	ssize_t got = fs_real.ops->pread(st, fd, p, n, offset);

	bytes_read += got > 0 ? (uint64_t)got : 0;
	return got;
}

static int
counted_datasync(void *st, int fd)
{
	syncs++;
	return sleepy ? 0 : fs_real.ops->datasync(st, fd);
}

/* Bytes that one change reads, and that it syncs once. */
static uint64_t
cost(const struct gated_run *g, enum gated_verb verb, uint32_t node)
{
	struct pawl_err err = { 0 };

	bytes_read = syncs = 0;
	if (gated_run_act(g, verb, node, &err) != PAWL_OK)
		fail_msg("%s: %s", gated_words[verb], err.msg);
	assert_int_equal(syncs, 1);
	return bytes_read;
}

/* The highest of some: the tail behind the projection comes and goes. */
static uint64_t
cost_max(const struct gated_run *g, uint32_t first)
{
	uint64_t max = 0;

	for (uint32_t i = first; i < first + NODES / 2; i++) {
		uint64_t c = cost(g, GATED_APPROVE, i);

		max = c > max ? c : max;
	}
	return max;
}

static uint64_t
commits(void)
{
	const char *text = getenv("PAWL_COMMITS");
	struct pawl_err err;
	uint64_t n = COMMITS;

	if (text != NULL &&
		num_u64(str_from(text), 1, UINT32_MAX, &n, &err) != PAWL_OK)
		die("PAWL_COMMITS: %s", err.msg);
	return n;
}

/* One long-lived process takes over again and again. */
static void
history(const struct gated_run *g, uint64_t count)
{
	struct run r = { .dir = -1 };
	struct pawl_err err = { 0 };

	assert_int_equal(gated_run_open(g, &r, &err), PAWL_OK);
	for (uint64_t i = 0; i < count; i++) {
		struct command cmd;

		assert_int_equal(run_begin(&r, &err), PAWL_OK);
		r.gen = r.state.gen + 1;
		r.actor = STR("coordinator:run");
		cmd = run_command(
			&r, EV_COORDINATOR_TAKEN_OVER, STR(""), STR(""));
		cmd.owner_dead = true;
		EVENT_SET(&cmd.event, F_REASON, reason, STR("history"));
		EVENT_SET(&cmd.event, F_VERSION, version, STR("0.1.0"));
		EVENT_SET(&cmd.event, F_BINARY, binary,
			STR("6c6973745f7368613235366c6973745f"
			    "7368613235366c6973745f7368613235"));
		owner_event_set(
			&cmd.event, &(struct owner){ .pid = 7 }, &r.line);
		assert_int_equal(run_propose(&r, &cmd, &err), PAWL_OK);
		assert_int_equal(run_commit(&r, &err), PAWL_OK);
	}
	run_close(&r);
}

static void
a_change_costs_the_same_behind_any_history(void **state)
{
	struct fs_ops ops = *fs_real.ops;
	const struct fs fs = { .ops = &ops };
	struct tempdir dir = tempdir_open();
	uint64_t count = commits();
	struct audit audit = { 0 };
	struct pawl_err err = { 0 };
	struct rusage before, after;
	struct gated_run g;
	uint64_t little, much;

	(void)state;
	ops.pread = counted_pread;
	ops.datasync = counted_datasync;
	assert_int_equal(gated_run_init(&g, &fs, dir.fd, NODES, &err), PAWL_OK);
	little = cost_max(&g, 0);
	sleepy = true;
	history(&g, count);
	sleepy = false;
	assert_int_equal(getrusage(RUSAGE_SELF, &before), 0);
	much = cost_max(&g, NODES / 2);
	assert_int_equal(getrusage(RUSAGE_SELF, &after), 0);
	if (much > little + STATE_BYTES * UINT64_C(2))
		fail_msg("%llu bytes behind nothing, %llu behind %llu commits",
			(unsigned long long)little, (unsigned long long)much,
			(unsigned long long)count);
	/* Nor is memory taken by what lies behind: KiB of the highest mark. */
	assert_true(after.ru_maxrss - before.ru_maxrss < MEMORY_KIB);
	/* And no record of it is lost. */
	assert_int_equal(gated_run_count(&g, EV_COORDINATOR_TAKEN_OVER), count);
	assert_int_equal(gated_run_count(&g, EV_GATE_DECIDED), NODES);
	assert_int_equal(
		audit_run(&audit, &g.place, str_from(g.id), false, &err),
		PAWL_OK);
	assert_true(audit.lines > count);
	audit_release(&audit);
	tempdir_close(&dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_change_costs_the_same_behind_any_history),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
