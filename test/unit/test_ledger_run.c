/*
 * A ledger run under random changes: whatever is proposed, the ledger in memory
 * is the one that its journal folds to, no rule is broken, and a refusal leaves
 * no trace.
 *
 *	PAWL_SEQUENCES=100000 PAWL_SEED=7 ./test_ledger_run
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "engine/ledger_run.h"
#include "fs_sim.h"
#include "model/ledger_read.h"
#include "moves.h"
#include "store/rundir.h"

enum {
	SEQUENCES = 2000,
	COMMITS = 80, /* of a sequence */
	NODES = 4,
};

struct trial {
	struct fs_sim *sim;
	struct fs fs;
	struct clock clock;
	struct rand rand;
	struct place place;
	struct ledger_run r;
	struct arena mem;
	struct pawl_err err;
	uint64_t seed;
};

/* What was folded and refused, so that a poor generator is noticed. */
static uint32_t folded[EVENT_TYPE_COUNT], refused[EVENT_TYPE_COUNT];
static uint32_t statuses[NODE_STATUS_COUNT];

static void
check(const struct trial *t, bool holds, const char *what)
{
	if (!holds)
		fail_msg("seed %llu: %s: %s", (unsigned long long)t->seed, what,
			t->err.msg);
}

#define CHECK(t, x) check((t), (x), #x)

static void
begin(struct trial *t, uint64_t seed)
{
	*t = (struct trial){ .sim = fs_sim_new(),
		.clock = clock_fixed(1764501600000000, 1000),
		.rand = rand_seeded(seed),
		.seed = seed };
	t->fs = fs_sim_fs(t->sim);
	t->place = (struct place){ .fs = &t->fs,
		.clock = &t->clock,
		.state_dir = fs_sim_root(t->sim),
		.state_path = "/" };
	CHECK(t,
		rundir_init_state(&t->fs, t->place.state_dir, &t->err) ==
			PAWL_OK);
}

static void
end(struct trial *t)
{
	ledger_run_close(&t->r);
	arena_reset(&t->mem);
	fs_sim_free(t->sim);
}

static struct str
node_id(struct trial *t, uint32_t n)
{
	return arena_format(&t->mem, "n%u", n);
}

static void
fill_added(struct trial *t, struct event *e)
{
	uint32_t on = rand_below(&t->rand, 3);
	struct strs depends = { arena_array(&t->mem, 2, struct str), 0 };

	while (depends.count < on)
		depends.items[depends.count++] =
			node_id(t, rand_below(&t->rand, NODES));
	EVENT_SET(e, F_TITLE, title, STR("Do it"));
	EVENT_SET(e, F_KIND, kind,
		rand_below(&t->rand, 2) ? STR("execute") : STR("repair"));
	EVENT_SET(e, F_ROLE, role, STR("main"));
	EVENT_SET(e, F_ACCESS, access,
		rand_below(&t->rand, 4) ? STR("read-only")
					: STR("destructive"));
	EVENT_SET(e, F_EXPECTED_OUTPUT, expected_output, STR("it"));
	EVENT_SET(e, F_EVIDENCE_REQUIRED, evidence_required,
		rand_below(&t->rand, 2) == 0);
	EVENT_SET(e, F_MAX_ATTEMPTS, max_attempts, 1 + rand_below(&t->rand, 2));
	EVENT_SET(e, F_APPROVAL, approval,
		rand_below(&t->rand, 4) ? STR("not-required")
					: STR("required"));
	EVENT_SET(e, F_DEPENDS_ON, depends_on, depends);
}

/* Where the node is likely to go, or anywhere at all. */
static enum node_status
status_of(struct trial *t, struct str id)
{
	uint32_t dice = rand_below(&t->rand, 4), node;

	if (dice < 2 && ledger_find(&t->r.ledger, id, &node)) {
		switch (t->r.ledger.nodes[node].status) {
		case NODE_READY:
			return NODE_RUNNING;
		case NODE_RUNNING:
			return dice ? NODE_PASSED : NODE_FAILED;
		case NODE_BLOCKED:
			return NODE_PENDING;
		default:
			break;
		}
	}
	return (enum node_status)rand_below(&t->rand, NODE_STATUS_COUNT);
}

/* A node that FAILED and a repair that PASSED, where there are such. */
static void
fill_dependency(struct trial *t, struct event *e, struct strs *on)
{
	const struct ledger *l = &t->r.ledger;

	for (uint32_t i = 0; i < l->count; i++) {
		if (l->nodes[i].status == NODE_FAILED)
			e->node = l->nodes[i].id;
		if (l->nodes[i].status == NODE_PASSED &&
			l->nodes[i].kind == LEDGER_REPAIR)
			on->items[0] = l->nodes[i].id;
	}
	EVENT_SET(e, F_DEPENDS_ON, depends_on, *on);
}

/* Of any kind and about any node; much of it is refused. */
static struct command
command_of(struct trial *t)
{
	static const enum event_type types[] = { EV_NODE_ADDED, EV_NODE_ADDED,
		EV_NODE_MOVED, EV_NODE_MOVED, EV_NODE_MOVED, EV_NODE_MOVED,
		EV_EVIDENCE_ADDED, EV_EVIDENCE_ADDED, EV_APPROVAL_DECIDED,
		EV_APPROVAL_DECIDED, EV_DEPENDENCY_ADDED };
	struct command cmd = { .actor = rand_below(&t->rand, 2)
			? ACTOR_HUMAN
			: ACTOR_COORDINATOR };
	struct event *e = &cmd.event;
	struct strs one = { arena_array(&t->mem, 1, struct str), 1 };

	e->type = types[rand_below(&t->rand, sizeof(types) / sizeof(types[0]))];
	e->node = node_id(t, rand_below(&t->rand, NODES));
	one.items[0] = node_id(t, rand_below(&t->rand, NODES));
	switch ((unsigned)e->type) {
	case EV_NODE_ADDED:
		fill_added(t, e);
		break;
	case EV_NODE_MOVED:
		EVENT_SET(e, F_STATUS, status,
			node_status_word(status_of(t, e->node)));
		if (rand_below(&t->rand, 4) > 0)
			EVENT_SET(e, F_REASON, reason, STR("so"));
		EVENT_SET(e, F_BY, by, STR("local:ada"));
		break;
	case EV_EVIDENCE_ADDED:
		EVENT_SET(e, F_EVIDENCE, evidence, one);
		break;
	case EV_APPROVAL_DECIDED:
		EVENT_SET(e, F_DECISION, decision,
			rand_below(&t->rand, 3) ? STR("granted")
						: STR("denied"));
		EVENT_SET(e, F_BY, by, STR("local:ada"));
		EVENT_SET(e, F_ASSURANCE, assurance, STR("local"));
		break;
	default:
		fill_dependency(t, e, &one);
	}
	return cmd;
}

static void
document(const struct ledger *l, struct buf *ret)
{
	struct json_writer w = { .out = ret };

	ledger_write(l, &w);
}

/* No rule is broken, and every step is one of the table. */
static void
check_rules(struct trial *t, struct str text)
{
	struct ledger_findings findings;
	struct ledger l;

	CHECK(t,
		ledger_read(&t->mem, text, true, &l, &findings, &t->err) ==
			PAWL_OK);
	CHECK(t, findings.violations == 0);
	ledger_findings_release(&findings);
	ledger_release(&l);
}

/* Somebody else who reads the journal has the same. */
static void
check_reader(struct trial *t, struct str text)
{
	struct ledger_run other = { .dir = -1 };
	struct buf read = { 0 };

	CHECK(t,
		ledger_run_open(&other, &t->place, t->r.id, &t->err) ==
			PAWL_OK);
	CHECK(t, ledger_run_seq(&other) == ledger_run_seq(&t->r));
	document(&other.ledger, &read);
	CHECK(t, str_eq(buf_str(&read), text));
	buf_release(&read);
	ledger_run_close(&other);
}

/* Propose a few at once; all of them are committed, or none. */
static void
change(struct trial *t)
{
	struct buf before = { 0 }, after = { 0 };
	uint64_t seq = ledger_run_seq(&t->r);
	uint32_t count = 1 + rand_below(&t->rand, 2);
	enum pawl_rc rc = ledger_run_begin(&t->r, &t->err);

	CHECK(t, rc == PAWL_OK);
	document(&t->r.ledger, &before);
	for (uint32_t i = 0; rc == PAWL_OK && i < count; i++) {
		struct command cmd = command_of(t);

		rc = ledger_run_propose(&t->r, &cmd, &t->err);
		(rc == PAWL_OK ? folded : refused)[cmd.event.type]++;
		CHECK(t, rc == PAWL_OK || t->err.code != ERR_CORRUPT);
	}
	if (rc == PAWL_OK) {
		CHECK(t,
			ledger_run_commit(&t->r, STR(""), STR(""), &t->err) ==
				PAWL_OK);
	} else {
		CHECK(t, ledger_run_abort(&t->r, &t->err) == PAWL_OK);
	}
	document(&t->r.ledger, &after);
	CHECK(t, ledger_run_seq(&t->r) == seq + (rc == PAWL_OK));
	CHECK(t, rc == PAWL_OK || str_eq(buf_str(&before), buf_str(&after)));
	if (rc == PAWL_OK)
		check_rules(t, buf_str(&after));
	if (rc == PAWL_OK || rand_below(&t->rand, 8) == 0)
		check_reader(t, buf_str(&after));
	buf_release(&before);
	buf_release(&after);
}

static void
sequence(uint64_t seed)
{
	struct ledger_run_new wanted = { .task = STR("All of it") };
	struct trial t;
	bool again;

	begin(&t, seed);
	wanted.rand = &t.rand;
	CHECK(&t,
		ledger_run_create(&t.r, &t.place, &wanted, &again, &t.err) ==
			PAWL_OK);
	CHECK(&t, !again);
	CHECK(&t, ledger_run_commit(&t.r, STR(""), STR(""), &t.err) == PAWL_OK);
	for (int i = 0; i < COMMITS; i++)
		change(&t);
	for (uint32_t i = 0; i < t.r.ledger.count; i++)
		statuses[t.r.ledger.nodes[i].status]++;
	end(&t);
}

static uint64_t
setting(const char *name, uint64_t otherwise)
{
	struct pawl_err err = { 0 };
	uint64_t n = otherwise;
	const char *text = getenv(name);

	if (text != NULL &&
		num_u64(str_from(text), 0, UINT32_MAX, &n, &err) != PAWL_OK)
		fail_msg("%s: %s", name, err.msg);
	return n;
}

static void
no_sequence_of_changes_parts_ledger_and_journal(void **state)
{
	static const enum event_type types[] = { EV_NODE_ADDED, EV_NODE_MOVED,
		EV_EVIDENCE_ADDED, EV_APPROVAL_DECIDED, EV_DEPENDENCY_ADDED };
	uint64_t first = setting("PAWL_SEED", 1);
	uint64_t last = first + setting("PAWL_SEQUENCES", SEQUENCES);

	(void)state;
	for (uint64_t seed = first; seed < last; seed++)
		sequence(seed);
	if (last - first < SEQUENCES)
		return;
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		assert_true(refused[types[i]] > 0);
		assert_true(folded[types[i]] > 0);
	}
	for (uint32_t i = 0; i < NODE_STATUS_COUNT; i++)
		assert_true(statuses[i] > 0);
}

static void
begun(struct trial *t, const char *id)
{
	struct ledger_run_new wanted = { .id = str_from(id),
		.task = STR("All of it") };
	bool again;

	begin(t, 1);
	wanted.rand = &t->rand;
	CHECK(t,
		ledger_run_create(&t->r, &t->place, &wanted, &again, &t->err) ==
			PAWL_OK);
	CHECK(t,
		ledger_run_commit(&t->r, STR(""), STR(""), &t->err) == PAWL_OK);
}

static void
an_id_is_one_runs(void **state)
{
	struct ledger_run_new wanted = { .id = STR("l"), .task = STR("T") };
	struct ledger_run other = { .dir = -1 };
	struct trial t;
	bool again;

	(void)state;
	begun(&t, "l");
	assert_int_equal(
		ledger_run_create(&other, &t.place, &wanted, &again, &t.err),
		PAWL_ECONFLICT);
	assert_int_equal(t.err.code, ERR_ID_TAKEN);
	assert_int_equal(ledger_run_rehearse(&other, &t.place, &wanted, &t.err),
		PAWL_ECONFLICT);
	wanted.id = STR("../l");
	assert_int_equal(
		ledger_run_create(&other, &t.place, &wanted, &again, &t.err),
		PAWL_ENO);
	assert_int_equal(t.err.code, ERR_INVALID_ID);
	end(&t);
}

/* A folder with nothing in it: whoever made it died, and its id isn't lost. */
static void
a_folder_that_was_never_begun_is_taken(void **state)
{
	struct ledger_run_new wanted = { .id = STR("l"), .task = STR("T") };
	struct trial t;
	bool again;
	int runs;

	(void)state;
	begin(&t, 1);
	CHECK(&t,
		fs_open_dir(&t.fs, t.place.state_dir, "runs", &runs, &t.err) ==
			PAWL_OK);
	CHECK(&t, fs_make_new_dir(&t.fs, runs, "l", &t.err) == PAWL_OK);
	fs_close(&t.fs, &runs);
	assert_int_equal(
		ledger_run_open(&t.r, &t.place, STR("l"), &t.err), PAWL_ENOENT);
	CHECK(&t,
		ledger_run_create(&t.r, &t.place, &wanted, &again, &t.err) ==
			PAWL_OK);
	CHECK(&t, ledger_run_commit(&t.r, STR(""), STR(""), &t.err) == PAWL_OK);
	assert_int_equal(ledger_run_seq(&t.r), 1);
	end(&t);
}

static void
a_closed_run_takes_nothing_more(void **state)
{
	struct command cmd = { .event = { .type = EV_RUN_CLOSED } };
	struct ledger_run other = { .dir = -1 };
	struct trial t;

	(void)state;
	begun(&t, "l");
	EVENT_SET(&cmd.event, F_OUTCOME, outcome, STR("partial"));
	CHECK(&t, ledger_run_begin(&t.r, &t.err) == PAWL_OK);
	CHECK(&t, ledger_run_propose(&t.r, &cmd, &t.err) == PAWL_OK);
	CHECK(&t, ledger_run_commit(&t.r, STR(""), STR(""), &t.err) == PAWL_OK);
	CHECK(&t, ledger_run_begin(&t.r, &t.err) == PAWL_OK);
	assert_int_equal(ledger_run_propose(&t.r, &cmd, &t.err), PAWL_ENO);
	assert_int_equal(t.err.code, ERR_RUN_CLOSED);
	CHECK(&t, ledger_run_abort(&t.r, &t.err) == PAWL_OK);
	CHECK(&t,
		ledger_run_open(&other, &t.place, STR("l"), &t.err) == PAWL_OK);
	assert_true(is_ledger_run_closed(&other));
	ledger_run_close(&other);
	end(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			no_sequence_of_changes_parts_ledger_and_journal),
		cmocka_unit_test(an_id_is_one_runs),
		cmocka_unit_test(a_folder_that_was_never_begun_is_taken),
		cmocka_unit_test(a_closed_run_takes_nothing_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
