/*
 * Many processes at one journal: nothing is lost, and one wins.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vec.h"
#include "engine/launch.h"
#include "engine/run.h"
#include "model/contract.h"
#include "os/clock.h"
#include "store/rundir.h"
#include "tempdir.h"

enum {
	WRITERS = 32,
	EACH = 50,
	CLAIMERS = 8,
	CLAIMED = 1250, /* claims: 8 times as many */
	NODES_MAX = WRITERS * EACH,
};

struct rivals {
	struct tempdir dir;
	struct clock clock;
	struct rand rand;
	struct place place;
	struct arena mem;
	struct buf list;
	char id[128];
};

/* A run of `nodes` tasks that only read, all READY, with room for all. */
static void
rivals_open(struct rivals *r, uint32_t nodes)
{
	struct str argv[] = { STR("true") };
	struct launch l = { 0 };
	struct pawl_err err;
	struct run run;

	*r = (struct rivals){ .dir = tempdir_open() };
	r->clock = clock_real();
	r->rand = rand_seeded(1);
	r->place = (struct place){ .fs = &fs_real,
		.clock = &r->clock,
		.state_dir = r->dir.fd,
		.state_path = r->dir.path };
	for (uint32_t i = 0; i < nodes; i++) {
		buf_addf(&r->list,
			"- [ ] N-%u Read\n  Depends: []\n  Paths: [src]\n"
			"  Mode: read\n  Isolation: auto\n  Acceptance: Read.\n"
			"  Check: true\n",
			i);
	}
	l = (struct launch){ .place = &r->place,
		.rand = &r->rand,
		.mem = &r->mem,
		.list_path = "tasks.md",
		.list = buf_str(&r->list),
		.argv = { argv, 1 },
		.permission = STR("local:t"),
		.slots = nodes };
	if (launch_create(&l, &run, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_true(run.id.len < sizeof(r->id));
	memcpy(r->id, run.id.ptr, run.id.len);
	run_close(&run);
}

static void
rivals_close(struct rivals *r)
{
	buf_release(&r->list);
	arena_reset(&r->mem);
	tempdir_close(&r->dir);
}

/* Reserve the next attempt of a node, as the coordinator would. */
static enum pawl_rc
reserve(struct run *run, uint32_t node, struct pawl_err *err)
{
	struct str id = plan_id(&run->plan, node);
	struct arena mem = ARENA_INIT;
	struct command cmd = run_command(run, EV_ATTEMPT_RESERVED, id,
		arena_format(&mem, STR_FMT "@1", STR_ARG(id)));
	struct event *e = &cmd.event;
	struct contract_view v = contract_of(&run->state, node);
	struct pawl_err ignored;
	enum pawl_rc rc;

	EVENT_SET(e, F_DRIVER, driver, STR("process"));
	EVENT_SET(e, F_PROFILE, profile, STR("command"));
	EVENT_SET(e, F_BASE, base, STR(""));
	EVENT_SET(e, F_REVISION, revision, 1);
	EVENT_SET(e, F_CONTRACT_SHA256, contract_sha256,
		contract_sha256(&v, &mem));
	EVENT_SET(e, F_SCOPE_SHA256, scope_sha256,
		contract_scope_sha256(&v, &mem));
	EVENT_SET(e, F_PLACEMENT, placement, STR("in_place"));
	EVENT_SET(e, F_DEADLINE_MS, deadline_ms, 1000);
	rc = run_begin(run, err);
	if (rc == PAWL_OK) {
		rc = run_propose(run, &cmd, err);
		if (rc == PAWL_OK)
			rc = run_commit(run, err);
		else if (run_abort(run, &ignored) != PAWL_OK)
			rc = PAWL_EINTERNAL;
	}
	arena_reset(&mem);
	return rc;
}

/* As reserve(); a lock that took too long is asked for again. */
static enum pawl_rc
reserve_in_the_end(struct run *run, uint32_t node, struct pawl_err *err)
{
	enum pawl_rc rc;

	do {
		rc = reserve(run, node, err);
	} while (rc == PAWL_EBUSY);
	return rc;
}

static void
coordinator_open(struct rivals *r, struct run *run)
{
	struct pawl_err err;

	if (run_open(run, &r->place, str_from(r->id), &err) != PAWL_OK)
		_exit(90);
	run->gen = 1;
	run->actor = STR("coordinator:run");
}

typedef int rival_fn(struct rivals *r, uint32_t number, int out);

/* Run `count` processes; each one's exit status must be 0. */
static void
rivals_run(struct rivals *r, uint32_t count, rival_fn *fn, int out)
{
	for (uint32_t i = 0; i < count; i++) {
		pid_t pid = fork();

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(fn(r, i, out));
	}
	for (uint32_t i = 0; i < count; i++) {
		int status = 0;

		assert_true(wait(&status) > 0);
		assert_int_equal(status, 0);
	}
}

static int
writer(struct rivals *r, uint32_t number, int out)
{
	struct pawl_err err;
	struct run run;

	coordinator_open(r, &run);
	for (uint32_t i = 0; i < EACH; i++) {
		uint32_t node = number * EACH + i;

		if (reserve_in_the_end(&run, node, &err) != PAWL_OK)
			return 91;
		/* Acknowledged: from now on it must be there. */
		if (write(out, &node, sizeof(node)) != sizeof(node))
			return 92;
	}
	run_close(&run);
	return 0;
}

/* C001, C002, C003 */
static void
thirty_two_writers_lose_nothing(void **state)
{
	static uint8_t acknowledged[NODES_MAX];
	struct rivals r;
	struct pawl_err err;
	struct run run;
	uint32_t node;
	int ends[2];

	(void)state;
	rivals_open(&r, NODES_MAX);
	assert_int_equal(pipe(ends), 0);
	rivals_run(&r, WRITERS, writer, ends[1]);
	(void)close(ends[1]);
	while (read(ends[0], &node, sizeof(node)) == sizeof(node))
		acknowledged[node]++;
	(void)close(ends[0]);
	assert_int_equal(
		run_open(&run, &r.place, str_from(r.id), &err), PAWL_OK);
	assert_int_equal(run.tail.end, JOURNAL_WHOLE);
	assert_int_equal(run.state.seq, 1 + NODES_MAX);
	for (uint32_t i = 0; i < NODES_MAX; i++) {
		assert_int_equal(acknowledged[i], 1);
		assert_int_equal(run.state.nodes[i].attempts, 1);
	}
	run_close(&run);
	rivals_close(&r);
}

static int
claimer(struct rivals *r, uint32_t number, int out)
{
	struct pawl_err err;
	struct run run;

	(void)number;
	coordinator_open(r, &run);
	for (uint32_t node = 0; node < CLAIMED; node++) {
		enum pawl_rc rc = reserve_in_the_end(&run, node, &err);

		if (rc == PAWL_OK &&
			write(out, &node, sizeof(node)) != sizeof(node))
			return 92;
		if (rc != PAWL_OK && err.code != ERR_TASK_NOT_READY)
			return 93;
	}
	run_close(&run);
	return 0;
}

/* C002, C071: ten thousand claims, a winner a node. */
static void
one_claim_of_a_node_wins(void **state)
{
	static uint8_t winners[CLAIMED];
	struct rivals r;
	struct pawl_err err;
	struct run run;
	uint32_t node;
	int ends[2];

	(void)state;
	rivals_open(&r, CLAIMED);
	assert_int_equal(pipe(ends), 0);
	rivals_run(&r, CLAIMERS, claimer, ends[1]);
	(void)close(ends[1]);
	while (read(ends[0], &node, sizeof(node)) == sizeof(node))
		winners[node]++;
	(void)close(ends[0]);
	assert_int_equal(
		run_open(&run, &r.place, str_from(r.id), &err), PAWL_OK);
	assert_int_equal(run.state.seq, 1 + CLAIMED);
	for (uint32_t i = 0; i < CLAIMED; i++)
		assert_int_equal(winners[i], 1);
	run_close(&run);
	rivals_close(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(thirty_two_writers_lose_nothing),
		cmocka_unit_test(one_claim_of_a_node_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
