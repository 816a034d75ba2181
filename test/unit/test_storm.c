/*
 * Storms: attempts that end badly over and over, whatever the reason, end in a
 * bounded number of events, and in a run that says why it stands still.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "model/ready.h"
#include "moves.h"

enum {
	NODES = 20,
	ENDLESS = 1000, /* more than any storm may take */
	ROUNDS = 300,
};

/* How an attempt may end; each place from which another one may start. */
enum end {
	END_START_FAILED,
	END_INTERRUPTED,
	END_LOST,
	END_LOST_AFTER_REPORT,
	END_REJECTED,
	END_COUNT,
};

/* `count` nodes that write beside one another. */
static void
storm_init(struct run_fixture *f, uint32_t count)
{
	static char ids[NODES][16];
	struct plan_row rows[NODES] = { 0 };

	for (uint32_t i = 0; i < count; i++) {
		(void)snprintf(ids[i], sizeof(ids[i]), "N-%02u", i);
		rows[i].id = ids[i];
	}
	fixture_init_of(f, rows, count);
}

static const char *
attempt_name(struct run_fixture *f, uint32_t node, uint32_t number)
{
	return arena_strdup(&f->mem,
		arena_format(&f->mem, STR_FMT "@%u",
			STR_ARG(plan_id(&f->plan.plan, node)), number));
}

/* A second rejection is refused: the node has had its repair, and fails. */
static void
reject_or_fail(struct run_fixture *f, const char *attempt)
{
	struct command cmd;

	fixture_step(f, EV_CHECK_STARTED, attempt);
	fixture_step_word(f, EV_CHECK_RECORDED, attempt, "fail");
	cmd = fixture_command(f, EV_ATTEMPT_REJECTED, attempt);
	if (fixture_try(f, &cmd) != PAWL_OK)
		fixture_step_word(f, EV_NODE_GRADED, attempt, "fail");
}

/* One attempt of `node`, to this end. */
static void
attempt_once(
	struct run_fixture *f, uint32_t node, enum end end, const char *cause)
{
	static const enum attempt_status until[END_COUNT] = {
		[END_START_FAILED] = ATTEMPT_RESERVED,
		[END_INTERRUPTED] = ATTEMPT_STARTED,
		[END_LOST] = ATTEMPT_STARTED,
		[END_LOST_AFTER_REPORT] = ATTEMPT_REPORTED,
		[END_REJECTED] = ATTEMPT_REPORTED,
	};
	const char *id = arena_strdup(&f->mem, plan_id(&f->plan.plan, node));
	const char *attempt =
		attempt_name(f, node, f->s.nodes[node].attempts + 1u);

	fixture_until(f, id, until[end]);
	switch (end) {
	case END_START_FAILED:
		fixture_step_word(f, EV_ATTEMPT_START_FAILED, attempt, cause);
		return;
	case END_INTERRUPTED:
		fixture_step_word(f, EV_ATTEMPT_INTERRUPTED, attempt, cause);
		break;
	case END_LOST:
	case END_LOST_AFTER_REPORT:
		fixture_step_word(f, EV_ATTEMPT_LOST, attempt, cause);
		break;
	case END_REJECTED:
		reject_or_fail(f, attempt);
		return;
	case END_COUNT:
		break;
	}
	fixture_step(f, EV_WORKSPACE_RECONCILED, attempt);
}

/* As long as anything may start. */
static uint32_t
storm(struct run_fixture *f, enum end end, bool alike)
{
	uint32_t node, attempts = 0;

	while (attempts < ENDLESS && ready_first(&f->s, &node)) {
		struct str cause = alike
			? STR("not logged in")
			: arena_format(&f->mem, "cause %c%c",
				  'a' + (char)(attempts / 26 % 26),
				  'a' + (char)(attempts % 26));

		attempt_once(f, node, end, arena_strdup(&f->mem, cause));
		attempts++;
	}
	return attempts;
}

/* C106, C107: in each place a retry can start, exactly so many attempts; what
 * isn't the task's fault leaves its repair alone. */
static void
each_way_to_fail_has_its_own_bound(void **state)
{
	static const struct {
		enum end end;
		uint32_t attempts, rejects;
		enum node_status status;
	} rows[] = {
		{ END_START_FAILED, BOUND_ENDS_WITHOUT_VERDICT, 0,
			NODE_BLOCKED },
		{ END_INTERRUPTED, BOUND_ENDS_WITHOUT_VERDICT, 0, NODE_FAILED },
		{ END_LOST, BOUND_ENDS_WITHOUT_VERDICT, 0, NODE_FAILED },
		{ END_LOST_AFTER_REPORT, BOUND_ENDS_WITHOUT_VERDICT, 0,
			NODE_FAILED },
		{ END_REJECTED, BOUND_ATTEMPTS, 1, NODE_FAILED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (int alike = 0; alike < 2; alike++) {
			struct run_fixture f;

			storm_init(&f, 1);
			assert_int_equal(storm(&f, rows[i].end, alike),
				rows[i].attempts);
			assert_int_equal(
				f.s.nodes[0].attempts, rows[i].attempts);
			assert_int_equal(f.s.nodes[0].rejects, rows[i].rejects);
			assert_int_equal(f.s.nodes[0].status, rows[i].status);
			fixture_release(&f);
		}
	}
}

/* C104, C105: three of one cause open the breaker, three probes trip it; the
 * tasks' own allowances are as they were. */
static void
one_cause_stops_the_run_after_a_few_attempts(void **state)
{
	static const enum end ends[] = { END_START_FAILED, END_INTERRUPTED,
		END_LOST };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_fixture f;

		storm_init(&f, NODES);
		for (uint32_t n = 0; n < 3; n++)
			attempt_once(&f, n, ends[i], "not logged in");
		assert_true(is_breaker_open(&f.s));
		assert_in_range(storm(&f, ends[i], true), 1, 3);
		assert_true(is_breaker_tripped(&f.s));
		assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
		assert_true(str_eq(f.s.breaker.cause, STR("not logged in")));
		assert_true(f.s.seq < 40);
		for (uint32_t n = 0; n < NODES; n++)
			assert_int_equal(f.s.nodes[n].rejects, 0);
		fixture_release(&f);
	}
}

/* C104: ever other words are no way round: twelve in a row are one storm. */
static void
different_causes_stop_it_too(void **state)
{
	static const enum end ends[] = { END_START_FAILED, END_INTERRUPTED,
		END_LOST };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_fixture f;

		storm_init(&f, NODES);
		assert_in_range(storm(&f, ends[i], false), 12, 12 + 3);
		assert_true(is_breaker_tripped(&f.s));
		assert_int_not_equal(state_run_status(&f.s), RUN_RUNNING);
		fixture_release(&f);
	}
}

/* C105: numbers in a message don't make another cause of it. */
static void
a_cause_with_other_numbers_is_the_same(void **state)
{
	static const char *const causes[] = { "pid 4711: 401", "pid 4712: 401",
		"pid 12: 401" };
	struct run_fixture f;

	(void)state;
	storm_init(&f, NODES);
	for (uint32_t n = 0; n < 3; n++)
		attempt_once(&f, n, END_INTERRUPTED, causes[n]);
	assert_true(is_breaker_open(&f.s));
	fixture_release(&f);
}

/* C104: a coordinator that comes again and again starts no storm anew. */
static void
takeovers_give_no_endless_attempts(void **state)
{
	struct run_fixture f;
	uint32_t attempts = 0;

	(void)state;
	storm_init(&f, NODES);
	for (uint32_t i = 0; i < 100; i++) {
		attempts += storm(&f, END_INTERRUPTED, true);
		fixture_step(&f, EV_COORDINATOR_TAKEN_OVER, "");
	}
	assert_true(attempts >= NODES);
	assert_true(attempts <= 2 * BOUND_ENDS_WITHOUT_VERDICT * NODES);
	fixture_release(&f);
}

/* C104, C106: in any order of any ends. */
static void
no_mixture_is_endless(void **state)
{
	const uint32_t a_node = 2 * BOUND_ENDS_WITHOUT_VERDICT + BOUND_ATTEMPTS;

	(void)state;
	for (uint64_t seed = 0; seed < ROUNDS; seed++) {
		static const char *const causes[] = { "a", "b", "c" };
		struct rand r = rand_seeded(seed);
		uint32_t nodes = 1 + rand_below(&r, NODES);
		uint32_t attempts = 0, node;
		struct run_fixture f;

		storm_init(&f, nodes);
		while (attempts < ENDLESS && ready_first(&f.s, &node)) {
			enum end end = (enum end)rand_below(&r, END_COUNT);

			attempt_once(&f, node, end, causes[rand_below(&r, 3)]);
			attempts++;
		}
		/* A report closes the breaker: three more probes. */
		if (attempts > nodes * a_node + 3 * (nodes * a_node + 1))
			fail_msg("seed %u: %u attempts of %u nodes",
				(unsigned)seed, attempts, nodes);
		for (uint32_t n = 0; n < nodes; n++) {
			assert_true(f.s.nodes[n].rejects <= 1);
			assert_true(f.s.nodes[n].ends <=
				BOUND_ENDS_WITHOUT_VERDICT);
			assert_true(f.s.nodes[n].start_failures <=
				BOUND_ENDS_WITHOUT_VERDICT);
		}
		assert_int_not_equal(state_run_status(&f.s), RUN_RUNNING);
		fixture_release(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_way_to_fail_has_its_own_bound),
		cmocka_unit_test(one_cause_stops_the_run_after_a_few_attempts),
		cmocka_unit_test(different_causes_stop_it_too),
		cmocka_unit_test(a_cause_with_other_numbers_is_the_same),
		cmocka_unit_test(takeovers_give_no_endless_attempts),
		cmocka_unit_test(no_mixture_is_endless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
