/*
 * Every state that isn't an end has a way out that a verb can take: the states
 * of attempts, nodes and delegations, each with the events that its verbs
 * propose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "a" },
	{ .id = "C", .depends = "A", .paths = "c" },
	{ .id = "G", .paths = "g", .more = "Approval: required" },
	{ .id = "S", .paths = "s", .check = "missing validation evidence" },
};

/* In the order in which a row reads. */
struct way { /* NOLINT(clang-analyzer-optin.performance.Padding) */
	uint8_t from;
	const char *subject;
	enum event_type type;
	const char *word; /* NULL: the usual one */
	const char *verb;
};

/* From each state of an attempt that lives. */
static const struct way of_attempts[] = {
	{ ATTEMPT_RESERVED, "A@1", EV_ATTEMPT_STARTED, NULL,
		"task recover attempt" },
	{ ATTEMPT_RESERVED, "A@1", EV_ATTEMPT_ABANDONED, NULL, "task abandon" },
	{ ATTEMPT_STARTED, "A@1", EV_ATTEMPT_REPORTED, NULL, "task sync" },
	{ ATTEMPT_STARTED, "A@1", EV_ATTEMPT_INTERRUPTED, NULL, "task sync" },
	{ ATTEMPT_STARTED, "A@1", EV_ATTEMPT_LOST, NULL, "task sync" },
	{ ATTEMPT_STARTED, "A@1", EV_RESULT_QUARANTINED, NULL,
		"task quarantine" },
	{ ATTEMPT_STARTED, "A@1", EV_ATTEMPT_ABANDONED, NULL, "task abandon" },
	{ ATTEMPT_REPORTED, "A@1", EV_CHECK_STARTED, NULL, "task check" },
	{ ATTEMPT_REPORTED, "A@1", EV_ATTEMPT_REJECTED, NULL, "task repair" },
	{ ATTEMPT_REPORTED, "A@1", EV_ATTEMPT_ABANDONED, NULL, "task abandon" },
	{ ATTEMPT_CHECKED, "A@1", EV_INTEGRATED, NULL, "task integrate" },
	{ ATTEMPT_CHECKED, "A@1", EV_INTEGRATION_FAILED, NULL,
		"task integrate" },
	{ ATTEMPT_CHECKED, "A@1", EV_ATTEMPT_ABANDONED, NULL, "task abandon" },
	{ ATTEMPT_INTEGRATED, "A@1", EV_NODE_GRADED, "pass", "task grade" },
	{ ATTEMPT_INTEGRATED, "A@1", EV_NODE_GRADED, "blocked", "task grade" },
};

enum { WAYS = sizeof(of_attempts) / sizeof(of_attempts[0]) };

static void
each_live_attempt_has_a_way_out(void **state)
{
	(void)state;
	for (enum attempt_status s = 0; s < ATTEMPT_SETTLED; s++) {
		uint32_t ways = 0;

		for (size_t i = 0; i < WAYS; i++) {
			const struct way *w = &of_attempts[i];
			struct run_fixture f;

			if (w->from != s)
				continue;
			fixture_init_of(&f, rows, 4);
			fixture_until(&f, "A", s);
			fixture_step_word(&f, w->type, w->subject, w->word);
			/* A check that runs is a way, too: it ends. */
			assert_true(f.s.attempts.items[0].status != s ||
				f.s.attempts.items[0].checks > 0);
			fixture_release(&f);
			ways++;
		}
		if (ways == 0)
			fail_msg("no verb leads out of %s",
				attempt_status_word(s).ptr);
	}
}

/* What an attempt that ended leaves is put in order, and the node goes on. */
static void
what_ended_can_begin_again(void **state)
{
	static const enum event_type ends[] = { EV_ATTEMPT_INTERRUPTED,
		EV_ATTEMPT_LOST, EV_RESULT_QUARANTINED, EV_ATTEMPT_ABANDONED };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_fixture f;

		fixture_init_of(&f, rows, 4);
		fixture_until(&f, "A", ATTEMPT_STARTED);
		fixture_step(&f, ends[i], "A@1");
		assert_true(f.s.attempts.items[0].unreconciled);
		fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
		fixture_step(&f, EV_ATTEMPT_RESERVED, "A@2");
		fixture_release(&f);
	}
}

/* Bring a node into a state; the number of the node. */
static uint32_t
node_in(struct run_fixture *f, enum node_status s)
{
	switch (s) {
	case NODE_PENDING:
		return fixture_node(f, "C");
	case NODE_READY:
		break;
	case NODE_RUNNING:
		fixture_until(f, "A", ATTEMPT_STARTED);
		break;
	case NODE_FAILED:
		fixture_until(f, "A", ATTEMPT_REPORTED);
		fixture_step(f, EV_CHECK_STARTED, "A@1");
		fixture_step_word(f, EV_CHECK_RECORDED, "A@1", "fail");
		fixture_step_word(f, EV_NODE_GRADED, "A@1", "fail");
		break;
	case NODE_BLOCKED:
		fixture_step_word(f, EV_NODE_BLOCKED, "A", "environment");
		break;
	case NODE_NEEDS_APPROVAL:
		return fixture_node(f, "G");
	case NODE_PASSED:
	case NODE_SKIPPED:
	case NODE_STATUS_COUNT:
		fail_msg("an end");
	}
	return fixture_node(f, "A");
}

static const struct way of_nodes[] = {
	{ NODE_READY, "A@1", EV_ATTEMPT_RESERVED, NULL, "task dispatch" },
	{ NODE_RUNNING, "A@1", EV_ATTEMPT_ABANDONED, NULL, "task abandon" },
	{ NODE_FAILED, "", EV_RUN_CLOSED, "failed", "task complete" },
	{ NODE_BLOCKED, "A", EV_NODE_UNBLOCKED, NULL, "unblock" },
	{ NODE_BLOCKED, "", EV_RUN_CLOSED, "blocked", "task complete" },
	{ NODE_NEEDS_APPROVAL, "G", EV_GATE_DECIDED, "granted", "approve" },
	{ NODE_NEEDS_APPROVAL, "G", EV_GATE_DECIDED, "denied", "deny" },
};

static bool
has_left(const struct run_fixture *f, uint32_t node, enum node_status s)
{
	return f->s.nodes[node].status != s || is_run_closed(&f->s) ||
		state_live(&f->s, node) != NULL;
}

static void
each_node_that_is_not_done_has_a_way_out(void **state)
{
	(void)state;
	for (enum node_status s = NODE_READY; s < NODE_STATUS_COUNT; s++) {
		uint32_t ways = 0;

		if (s == NODE_PASSED || s == NODE_SKIPPED)
			continue;
		for (size_t i = 0; i < sizeof(of_nodes) / sizeof(of_nodes[0]);
			i++) {
			const struct way *w = &of_nodes[i];
			struct run_fixture f;
			uint32_t node;

			if (w->from != s)
				continue;
			fixture_init_of(&f, rows, 4);
			node = node_in(&f, s);
			assert_int_equal(f.s.nodes[node].status, s);
			fixture_step_word(&f, w->type, w->subject, w->word);
			assert_true(has_left(&f, node, s));
			fixture_release(&f);
			ways++;
		}
		if (ways == 0)
			fail_msg("no verb leads out of %s",
				node_status_word(s).ptr);
	}
}

static const struct way of_delegations[] = {
	{ DELEGATION_REQUESTED, "A@1", EV_DELEGATION_APPROVED, NULL,
		"task delegate approve" },
	{ DELEGATION_REQUESTED, "A@1", EV_DELEGATION_REJECTED, NULL,
		"task delegate reject" },
	{ DELEGATION_APPROVED, "A@1", EV_DELEGATION_STARTED, NULL,
		"task delegate start" },
	{ DELEGATION_APPROVED, "A@1", EV_DELEGATION_RELEASED, NULL,
		"task delegate release" },
	{ DELEGATION_STARTED, "A@1", EV_DELEGATION_REPORTED, NULL,
		"task delegate report" },
	{ DELEGATION_STARTED, "A@1", EV_DELEGATION_RELEASED, NULL,
		"task delegate release" },
	{ DELEGATION_REPORTED, "A@1", EV_DELEGATION_RELEASED, NULL,
		"task delegate release" },
};

/* Whether its parent lives or has ended: an end of it ends what hadn't begun.
 */
static void
each_open_delegation_has_a_way_out(void **state)
{
	static const enum event_type steps[] = { EV_DELEGATION_REQUESTED,
		EV_DELEGATION_APPROVED, EV_DELEGATION_STARTED,
		EV_DELEGATION_REPORTED };
	const size_t ways = sizeof(of_delegations) / sizeof(of_delegations[0]);

	(void)state;
	for (size_t i = 0; i < 2 * ways; i++) {
		const struct way *w = &of_delegations[i / 2];
		bool ends = i % 2 == 1;
		struct run_fixture f;

		fixture_init_of(&f, rows, 4);
		fixture_until(&f, "A", ATTEMPT_STARTED);
		for (uint8_t k = 0; k <= w->from; k++)
			fixture_step(&f, steps[k], "A@1");
		assert_int_equal(f.s.delegations.items[0].status, w->from);
		if (ends) {
			fixture_step(&f, EV_ATTEMPT_LOST, "A@1");
			fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
		}
		if (!ends || w->from >= DELEGATION_STARTED)
			fixture_step(&f, w->type, w->subject);
		assert_true(f.s.delegations.items[0].status != w->from);
		/* And then nothing of it is in the way. */
		if (ends && f.s.delegations_open == 0)
			fixture_step(&f, EV_ATTEMPT_RESERVED, "A@2");
		fixture_release(&f);
	}
	for (uint8_t s = 0; s < DELEGATION_REJECTED; s++) {
		size_t i = 0;

		while (i < ways && of_delegations[i].from != s)
			i++;
		if (i == ways)
			fail_msg("no verb leads out of %s",
				delegation_status_word(s).ptr);
	}
}

/* PENDING ends by itself with what it waits for; unobserved with the run. */
static void
who_waits_is_let_go(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 4);
	assert_int_equal(f.s.nodes[1].status, NODE_PENDING);
	fixture_pass(&f, "A");
	assert_int_equal(f.s.nodes[1].status, NODE_READY);
	fixture_until(&f, "S", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_NODE_GRADED, "S@1", "unobserved");
	assert_int_equal(f.s.nodes[3].status, NODE_RUNNING);
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	assert_true(is_run_closed(&f.s));
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_live_attempt_has_a_way_out),
		cmocka_unit_test(what_ended_can_begin_again),
		cmocka_unit_test(each_node_that_is_not_done_has_a_way_out),
		cmocka_unit_test(each_open_delegation_has_a_way_out),
		cmocka_unit_test(who_waits_is_let_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
