#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "invariants.h"
#include "model/explain.h"
#include "model/stage.h"
#include "run_fixture.h"

#define RUN "r-20261130-k3x7qa"

static const struct plan_row rows[] = {
	{ .id = "DOMAIN-01", .paths = "src" },
	{ .id = "API-01", .depends = "DOMAIN-01" },
	{ .id = "UI-01",
		.depends = "DOMAIN-01, API-01, DEPLOY",
		.more = "Approval: required" },
	{ .id = "DEPLOY", .more = "Approval: required" },
	{ .id = "LIB-01", .paths = "src/lib" },
};

static void
assert_explained(struct run_fixture *f, const char *node, const char *want)
{
	struct explanation ex;
	struct buf out = { 0 };

	explain_node(&f->s, fixture_node(f, node), 3, &f->mem, &ex);
	explain_text(&out, &f->s, &ex);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

static void
a_pending_node_names_what_it_waits_for(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_until(&f, "DOMAIN-01", ATTEMPT_STARTED);
	assert_explained(&f, "API-01",
		"API-01 isn't ready: DOMAIN-01 is RUNNING (attempt 1)\n"
		"  can be changed by its worker:  pawl watch " RUN "\n");
	assert_explained(&f, "UI-01",
		"UI-01 isn't ready: DOMAIN-01 is RUNNING (attempt 1), and 3 "
		"more\n"
		"- DOMAIN-01 is RUNNING (attempt 1)\n"
		"  can be changed by its worker:  pawl watch " RUN "\n"
		"- API-01 is PENDING\n"
		"  can be changed by what it waits for:  pawl explain API-01\n"
		"- DEPLOY is NEEDS_APPROVAL (gate DEPLOY!1)\n"
		"  can be changed by a human:  pawl approve " RUN "/DEPLOY!1\n"
		"- and 1 more\n");
	fixture_release(&f);
}

/* C098: separate reasons, who can unblock, the exact command. */
static void
each_kind_of_standstill_has_its_command(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	assert_explained(&f, "DEPLOY",
		"DEPLOY isn't ready: gate DEPLOY!1 waits for an approval\n"
		"  can be changed by a human:  pawl approve " RUN
		"/DEPLOY!1\n");
	fixture_step_word(&f, EV_GATE_DECIDED, "DEPLOY", "denied");
	assert_explained(&f, "DEPLOY",
		"DEPLOY isn't ready: it is BLOCKED (denied): because, and 1 "
		"more\n"
		"- it is BLOCKED (denied): because\n"
		"  can be changed by a human:  pawl unblock " RUN
		"/DEPLOY --reason …\n"
		"- it needs an approval, asked for once its dependencies are "
		"done\n"
		"  can be changed by a human:  pawl show DEPLOY\n");
	fixture_step_word(&f, EV_NODE_BLOCKED, "LIB-01", "environment");
	assert_explained(&f, "LIB-01",
		"LIB-01 isn't ready: it is BLOCKED (environment): so it was\n"
		"  can be changed by whoever keeps the machine:  pawl "
		"unblock " RUN "/LIB-01 --reason …\n");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 may start now\n"
		"  can be started by the coordinator:  pawl run " RUN "\n");
	fixture_release(&f);
}

/* C098: whatever a node stands still for has a word of its own, with who can
 * change it and what they type. */
static void
standstills_have_words_that_programs_tell_apart(void **state)
{
	static const struct {
		const char *reason, *who;
	} blocks[] = {
		{ "denied", "a human" },
		{ "environment", "whoever keeps the machine" },
		{ "workspace", "whoever owns the working tree" },
		{ "integration", "a human who merges the branch" },
		{ "the licence server", "whoever provides it" },
	};
	struct run_fixture f;
	struct explanation ex;

	(void)state;
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		fixture_init_of(&f, rows, 5);
		fixture_step_word(
			&f, EV_NODE_BLOCKED, "LIB-01", blocks[i].reason);
		explain_node(&f.s, fixture_node(&f, "LIB-01"), 3, &f.mem, &ex);
		assert_int_equal(ex.total, 1);
		assert_int_equal(ex.causes[0].code, CAUSE_BLOCKED);
		assert_true(str_eq(ex.causes[0].detail,
			i < 4 ? str_from(blocks[i].reason)
			      : STR("prerequisite")));
		assert_true(str_eq(ex.causes[0].who, str_from(blocks[i].who)));
		assert_true(str_eq(ex.causes[0].command,
			STR("pawl unblock " RUN "/LIB-01 --reason …")));
		fixture_release(&f);
	}
	fixture_init_of(&f, rows, 5);
	fixture_until(&f, "DOMAIN-01", ATTEMPT_STARTED);
	for (uint32_t i = 0; i < 5; i++) {
		static const enum cause_code codes[] = { CAUSE_RUNNING,
			CAUSE_DEPENDENCY, CAUSE_DEPENDENCY, CAUSE_APPROVAL,
			CAUSE_SCOPE };

		explain_node(&f.s, i, 9, &f.mem, &ex);
		assert_int_equal(ex.causes[0].code, codes[i]);
		for (uint32_t k = 0; k < ex.count; k++) {
			assert_true(ex.causes[k].who.len > 0);
			assert_true(
				str_starts(ex.causes[k].command, STR("pawl ")));
		}
	}
	fixture_release(&f);
}

static void
a_failed_node_says_how_its_check_ended(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_until(&f, "DOMAIN-01", ATTEMPT_REPORTED);
	fixture_step(&f, EV_CHECK_STARTED, "DOMAIN-01@1");
	cmd = fixture_command_word(
		&f, EV_CHECK_RECORDED, "DOMAIN-01@1", "fail");
	EVENT_SET(&cmd.event, F_EXIT, exit, 1);
	EVENT_SET(&cmd.event, F_TAIL, tail, STR("2 of 7 \033[31mfailed"));
	fixture_do(&f, &cmd);
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 has failed its check\n"
		"  can be changed by the coordinator:  pawl watch " RUN "\n");
	fixture_step_word(&f, EV_NODE_GRADED, "DOMAIN-01@1", "fail");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 FAILED (rejected): exit 1: 2 "
		"of 7 \\x1b[31mfailed\n"
		"  can be changed by whoever owns the list:  pawl run "
		"tasks.md\n");
	assert_explained(&f, "API-01",
		"API-01 isn't ready: DOMAIN-01 is FAILED (attempt 1)\n"
		"  can be changed by whoever owns the list:  pawl run "
		"tasks.md\n");
	/* Who coordinates by hand may decide about it, once. */
	f.s.coordinator_name = STR("lead");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 FAILED (rejected): exit 1: 2 "
		"of 7 \\x1b[31mfailed\n"
		"  can be changed by the coordinator:  pawl task decide " RUN
		"/DOMAIN-01 --action ACTION --note TEXT --as lead\n");
	f.s.nodes[fixture_node(&f, "DOMAIN-01")].grants = 1;
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 FAILED (rejected): exit 1: 2 "
		"of 7 \\x1b[31mfailed\n"
		"  can be changed by whoever owns the list:  pawl run "
		"tasks.md\n");
	fixture_release(&f);
}

/* Nothing goes on by itself that could be watched. */
static void
a_named_coordinator_is_told_its_verb(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_step(&f, EV_COORDINATOR_TRANSFERRED, "");
	fixture_step(&f, EV_COORDINATOR_CLAIMED, "");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 may start now\n"
		"  can be started by the coordinator:  pawl task dispatch " RUN
		"/DOMAIN-01 --as c1\n");
	fixture_until(&f, "DOMAIN-01", ATTEMPT_RESERVED);
	assert_explained(&f, "API-01",
		"API-01 isn't ready: DOMAIN-01 is READY (attempt 1)\n"
		"  can be changed by the coordinator:  pawl task recover "
		"attempt " RUN "/DOMAIN-01@1 --as c1\n");
	fixture_step(&f, EV_ATTEMPT_STARTED, "DOMAIN-01@1");
	assert_explained(&f, "API-01",
		"API-01 isn't ready: DOMAIN-01 is RUNNING (attempt 1)\n"
		"  can be changed by its worker:  pawl task sync " RUN
		" --wait 180 --as c1\n");
	fixture_step(&f, EV_ATTEMPT_REPORTED, "DOMAIN-01@1");
	fixture_step(&f, EV_CHECK_STARTED, "DOMAIN-01@1");
	fixture_step_word(&f, EV_CHECK_RECORDED, "DOMAIN-01@1", "fail");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 has failed its check\n"
		"  can be changed by the coordinator:  pawl task repair " RUN
		"/DOMAIN-01 --hypothesis TEXT --as c1\n");
	fixture_release(&f);
}

static void
a_held_node_names_holder_and_scope(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_until(&f, "DOMAIN-01", ATTEMPT_RESERVED);
	assert_explained(&f, "LIB-01",
		"LIB-01 is READY but can't start yet: scope 'src/lib' overlaps"
		" what attempt DOMAIN-01@1 holds\n"
		"  can be changed by the coordinator:  pawl watch " RUN "\n");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 is about to start\n"
		"  can be changed by the coordinator:  pawl watch " RUN "\n");
	fixture_step(&f, EV_ATTEMPT_STARTED, "DOMAIN-01@1");
	fixture_step(&f, EV_ATTEMPT_LOST, "DOMAIN-01@1");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 is READY but can't start yet: attempt 1 may have "
		"left changes that must be put back first\n"
		"  can be changed by the coordinator:  pawl run " RUN "\n");
	fixture_release(&f);
}

struct stage {
	enum attempt_status until;
	enum event_type then; /* EVENT_TYPE_COUNT: nothing */
	const char *word, *sentence;
};

static void
a_live_attempt_says_what_it_is_at(void **state)
{
	static const struct stage stages[] = {
		{ ATTEMPT_RESERVED, EVENT_TYPE_COUNT, "starting",
			"is about to start" },
		{ ATTEMPT_STARTED, EVENT_TYPE_COUNT, "working", "is at work" },
		{ ATTEMPT_REPORTED, EVENT_TYPE_COUNT, "checking",
			"has reported and is checked next" },
		{ ATTEMPT_REPORTED, EV_CHECK_STARTED, "checking",
			"is being checked" },
		{ ATTEMPT_CHECKED, EVENT_TYPE_COUNT, "integrating",
			"has passed its check and is integrated next" },
		{ ATTEMPT_CHECKED, EV_CHECK_STARTED, "checking",
			"is being checked" },
		{ ATTEMPT_INTEGRATED, EV_CLEANUP_REGISTERED, "cleaning_up",
			"is being cleaned up" },
		{ ATTEMPT_INTEGRATED, EVENT_TYPE_COUNT, "grading",
			"has passed its check and is graded next" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		struct run_fixture f;
		struct str sentence;

		fixture_init_of(&f, rows, 5);
		fixture_until(&f, "DOMAIN-01", stages[i].until);
		if (stages[i].then != EVENT_TYPE_COUNT)
			fixture_step(&f, stages[i].then, "DOMAIN-01@1");
		assert_true(str_eq(stage_of(&f.s, 0, &sentence),
			str_from(stages[i].word)));
		assert_true(str_eq(sentence, str_from(stages[i].sentence)));
		fixture_release(&f);
	}
}

static void
what_is_done_has_no_cause(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_pass(&f, "DOMAIN-01");
	assert_explained(&f, "DOMAIN-01", "DOMAIN-01 is done: PASSED\n");
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	assert_explained(&f, "DOMAIN-01", "DOMAIN-01 is done: PASSED\n");
	assert_explained(&f, "API-01",
		"API-01 isn't done: the run is closed with outcome 'partial'\n"
		"  can be changed by whoever owns the list:  pawl run "
		"tasks.md\n");
	fixture_release(&f);
}

static void
an_unobserved_node_is_neither_done_nor_running(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_until(&f, "DOMAIN-01", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_NODE_GRADED, "DOMAIN-01@1", "unobserved");
	assert_explained(&f, "DOMAIN-01",
		"DOMAIN-01 isn't done: attempt 1 was graded unobserved: "
		"because\n"
		"  can be changed by whoever owns the list:  pawl run "
		"tasks.md\n");
	fixture_release(&f);
}

/* A list whose name the shell would take apart is quoted. */
static void
commands_can_be_pasted(void **state)
{
	struct run_fixture f;
	struct command cmd;
	struct explanation ex;

	(void)state;
	fixture_init_planned(&f, rows, 5);
	explain_node(&f.s, 0, 1, &f.mem, &ex);
	assert_int_equal(ex.causes[0].code, CAUSE_NOT_STARTED);
	cmd = fixture_command(&f, EV_RUN_STARTED, "");
	cmd.event.list = STR("it's $mine.md");
	fixture_do(&f, &cmd);
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	explain_node(&f.s, 0, 1, &f.mem, &ex);
	assert_true(str_eq(
		ex.causes[0].command, STR("pawl run 'it'\\''s $mine.md'")));
	fixture_release(&f);
}

static void
the_json_has_each_member_of_a_cause(void **state)
{
	struct run_fixture f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct explanation ex;

	(void)state;
	fixture_init_of(&f, rows, 5);
	explain_node(&f.s, fixture_node(&f, "API-01"), 9, &f.mem, &ex);
	explain_json(&w, &f.s, &ex);
	assert_string_equal(out.data,
		"{\"run\":\"" RUN "\",\"node\":\"API-01\",\"status\":"
		"\"PENDING\",\"done\":false,\"may_start\":false,\"verdict\":"
		"\"API-01 isn't ready\",\"cause_count\":1,\"causes\":[{"
		"\"code\":\"dependency\",\"subject\":\"DOMAIN-01\",\"detail\":"
		"\"READY\",\"sentence\":\"DOMAIN-01 is READY\",\"who\":"
		"\"the coordinator\",\"command\":\"pawl run " RUN "\"}]}");
	buf_release(&out);
	fixture_release(&f);
}

/* C079 on a state of each kind; random ones are in test_invariants. */
static void
causes_once_removed_make_the_node_ready(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 5);
	fixture_step_word(&f, EV_GATE_DECIDED, "DEPLOY", "denied");
	fixture_step_word(&f, EV_NODE_BLOCKED, "API-01", "x");
	fixture_until(&f, "DOMAIN-01", ATTEMPT_CHECKED);
	for (uint32_t i = 0; i < 5; i++) {
		const char *broken = invariants_causes(&f.s, i, &f.mem);

		if (broken != NULL)
			fail_msg("node %u: %s", i, broken);
	}
	fixture_release(&f);
}

/* C084: no walk, no recursion: the end of a long chain costs nothing more. */
static void
a_long_chain_is_explained_by_its_last_link(void **state)
{
	enum { LINKS = 20000 };
	struct plan_row *chain = calloc(LINKS, sizeof(*chain));
	char(*ids)[16] = calloc(LINKS, sizeof(*ids));
	struct explanation ex;
	struct run_fixture f;

	(void)state;
	assert_non_null(chain);
	assert_non_null(ids);
	for (uint32_t i = 0; i < LINKS; i++) {
		(void)snprintf(ids[i], sizeof(ids[i]), "N-%u", i);
		chain[i].id = ids[i];
		chain[i].depends = i > 0 ? ids[i - 1] : NULL;
	}
	fixture_init_of(&f, chain, LINKS);
	explain_node(&f.s, LINKS - 1, 5, &f.mem, &ex);
	assert_int_equal(ex.total, 1);
	assert_true(str_eq(ex.causes[0].sentence, STR("N-19998 is PENDING")));
	fixture_release(&f);
	free(chain);
	free(ids);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_pending_node_names_what_it_waits_for),
		cmocka_unit_test(each_kind_of_standstill_has_its_command),
		cmocka_unit_test(
			standstills_have_words_that_programs_tell_apart),
		cmocka_unit_test(a_failed_node_says_how_its_check_ended),
		cmocka_unit_test(a_named_coordinator_is_told_its_verb),
		cmocka_unit_test(a_held_node_names_holder_and_scope),
		cmocka_unit_test(a_live_attempt_says_what_it_is_at),
		cmocka_unit_test(what_is_done_has_no_cause),
		cmocka_unit_test(
			an_unobserved_node_is_neither_done_nor_running),
		cmocka_unit_test(commands_can_be_pasted),
		cmocka_unit_test(the_json_has_each_member_of_a_cause),
		cmocka_unit_test(causes_once_removed_make_the_node_ready),
		cmocka_unit_test(a_long_chain_is_explained_by_its_last_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
