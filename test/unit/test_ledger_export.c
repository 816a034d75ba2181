/* A task run as a ledger: design 3.2 to 3.4.  C082. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "invariants_ledger.h"
#include "model/ledger_export.h"
#include "run_fixture.h"

/* A node a line: id, kind, access, status, initials of its history, attempts,
 * approval, dependencies, evidence. */
static void
show(const struct ledger *l, struct buf *out)
{
	buf_addf(out, "%s\n", run_status_word(l->status).ptr);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];

		buf_addf(out, STR_FMT " %s %s ", STR_ARG(n->id),
			ledger_kind_word(n->kind).ptr,
			plan_access_word(n->access));
		for (uint32_t k = 0; k < n->history_count; k++)
			buf_addf(out, "%s%s", k > 0 ? ">" : "",
				node_status_word(n->history[k]).ptr);
		assert_int_equal(n->history[n->history_count - 1], n->status);
		buf_addf(out, " %u/%u %s", n->attempt, n->max_attempts,
			ledger_approval_word(n->approval).ptr);
		for (uint32_t k = 0; k < n->depends_count; k++)
			buf_addf(out, " <" STR_FMT,
				STR_ARG(l->nodes[n->depends[k]].id));
		for (uint32_t k = 0; k < n->evidence_count; k++)
			buf_addf(out, " " STR_FMT, STR_ARG(n->evidence[k]));
		buf_addc(out, '\n');
	}
}

static void
assert_export(const struct state *s, bool repairs, const char *want)
{
	struct buf out = { 0 };
	struct ledger l;

	ledger_init(&l);
	ledger_export(s, repairs, &l);
	show(&l, &out);
	assert_string_equal(out.data, want);
	buf_release(&out);
	ledger_release(&l);
	assert_ptr_equal(invariants_ledger(s), NULL);
}

/* The node is in the middle of its life; each line shows one more step. */
static void
a_node_has_its_history_and_what_the_last_attempt_shows(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "API-01" },
		{ .id = "Docs", .depends = "API-01", .mode = "read" },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	assert_export(&f.s, false,
		"RUNNING\n"
		"api-01 execute workspace-write PENDING>READY 0/2 "
		"not-required\n"
		"docs explore read-only PENDING 0/2 not-required <api-01\n");
	fixture_until(&f, "API-01", ATTEMPT_RESERVED);
	assert_export(&f.s, false,
		"RUNNING\n"
		"api-01 execute workspace-write PENDING>READY 0/2 "
		"not-required\n"
		"docs explore read-only PENDING 0/2 not-required <api-01\n");
	fixture_step(&f, EV_ATTEMPT_STARTED, "API-01@1");
	fixture_step(&f, EV_ATTEMPT_INTERRUPTED, "API-01@1");
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "API-01@1");
	fixture_pass(&f, "API-01");
	fixture_until(&f, "Docs", ATTEMPT_CHECKED);
	assert_export(&f.s, false,
		"RUNNING\n"
		"api-01 execute workspace-write PENDING>READY>RUNNING>READY>"
		"RUNNING>PASSED 2/2 not-required check:API-01@2#1 "
		"commit:c0ffeec0ffeec0ffee\n"
		"docs explore read-only PENDING>READY>RUNNING 1/2 "
		"not-required <api-01 check:Docs@1#1\n");
	fixture_release(&f);
}

/* Ends that say nothing about the task don't use up what it has. */
static void
max_attempts_is_what_the_run_grants(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 1);
	for (int i = 0; i < 2; i++) {
		fixture_until(&f, "A", ATTEMPT_STARTED);
		fixture_step(&f, EV_ATTEMPT_LOST, i == 0 ? "A@1" : "A@2");
		fixture_step(
			&f, EV_WORKSPACE_RECONCILED, i == 0 ? "A@1" : "A@2");
	}
	assert_export(&f.s, false,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>READY>"
		"RUNNING>READY 2/3 not-required\n");
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_ATTEMPT_LOST, "A@3");
	assert_export(&f.s, false,
		"FAILED\n"
		"a execute workspace-write PENDING>READY>RUNNING>READY>"
		"RUNNING>READY>RUNNING>FAILED 3/3 not-required\n");
	fixture_release(&f);
}

static void
a_repair_is_an_attempt_or_a_node(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" },
		{ .id = "B", .depends = "A" }, { .id = "A-repair" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 3);
	fixture_pass(&f, "A-repair");
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	fixture_step(&f, EV_ATTEMPT_REJECTED, "A@1");
	fixture_until(&f, "A", ATTEMPT_STARTED);
	assert_export(&f.s, false,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>READY>"
		"RUNNING 2/2 not-required\n"
		"b execute workspace-write PENDING 0/2 not-required <a\n"
		"a-repair execute workspace-write PENDING>READY>RUNNING>"
		"PASSED 1/2 not-required check:A-repair@1#1 "
		"commit:c0ffeec0ffeec0ffee\n");
	assert_export(&f.s, true,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>FAILED 1/2 "
		"not-required\n"
		"b execute workspace-write PENDING 0/2 not-required <a\n"
		"a-repair execute workspace-write PENDING>READY>RUNNING>"
		"PASSED 1/2 not-required check:A-repair@1#1 "
		"commit:c0ffeec0ffeec0ffee\n"
		"a-repair-2 repair workspace-write PENDING>READY>RUNNING 1/2 "
		"not-required\n");
	fixture_step(&f, EV_ATTEMPT_INTERRUPTED, "A@2");
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@2");
	fixture_pass(&f, "A");
	assert_export(&f.s, true,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>FAILED>READY>"
		"RUNNING>PASSED 2/2 not-required <a-repair-2 check:A@3#1 "
		"commit:c0ffeec0ffeec0ffee\n"
		"b execute workspace-write PENDING>READY 0/2 not-required "
		"<a\n"
		"a-repair execute workspace-write PENDING>READY>RUNNING>"
		"PASSED 1/2 not-required check:A-repair@1#1 "
		"commit:c0ffeec0ffeec0ffee\n"
		"a-repair-2 repair workspace-write PENDING>READY>RUNNING>"
		"READY>RUNNING>PASSED 2/2 not-required check:A@3#1 "
		"commit:c0ffeec0ffeec0ffee\n");
	fixture_release(&f);
}

static void
a_repair_that_fails_leaves_its_node_failed(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	fixture_step(&f, EV_ATTEMPT_REJECTED, "A@1");
	assert_export(&f.s, true,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>FAILED 1/2 "
		"not-required\n"
		"a-repair repair workspace-write PENDING>READY 0/2 "
		"not-required\n");
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_CHECK_STARTED, "A@2", NULL);
	fixture_step_word(&f, EV_CHECK_RECORDED, "A@2", "fail");
	fixture_step_word(&f, EV_NODE_GRADED, "A@2", "fail");
	assert_export(&f.s, false,
		"FAILED\n"
		"a execute workspace-write PENDING>READY>RUNNING>READY>"
		"RUNNING>FAILED 2/2 not-required\n");
	assert_export(&f.s, true,
		"FAILED\n"
		"a execute workspace-write PENDING>READY>RUNNING>FAILED 1/2 "
		"not-required\n"
		"a-repair repair workspace-write PENDING>READY>RUNNING>FAILED "
		"1/1 not-required\n");
	fixture_release(&f);
}

static void
an_approval_is_what_its_last_gate_says(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "Wait", .more = "Approval: required" },
		{ .id = "No", .more = "Access: destructive" },
		{ .id = "Yes", .more = "Approval: required" },
		{ .id = "Later",
			.depends = "Yes",
			.more = "Access: external-write" },
	};
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 4);
	fixture_step_word(&f, EV_GATE_DECIDED, "No", "denied");
	fixture_step_word(&f, EV_GATE_DECIDED, "Yes", "granted");
	assert_export(&f.s, false,
		"RUNNING\n"
		"wait execute workspace-write PENDING>NEEDS_APPROVAL 0/2 "
		"required\n"
		"no execute destructive PENDING>NEEDS_APPROVAL>BLOCKED 0/2 "
		"denied\n"
		"yes execute workspace-write PENDING>NEEDS_APPROVAL>PENDING>"
		"READY 0/2 granted\n"
		"later execute external-write PENDING 0/2 required <yes\n");
	fixture_release(&f);
}

/* READY nodes move a ledger, whoever closed the run that they are of. */
static void
a_final_status_is_claimed_only_where_it_is_earned(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" }, { .id = "B" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_pass(&f, "A");
	fixture_step_word(&f, EV_RUN_CLOSED, "", "partial");
	assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
	assert_export(&f.s, false,
		"RUNNING\n"
		"a execute workspace-write PENDING>READY>RUNNING>PASSED 1/2 "
		"not-required check:A@1#1 commit:c0ffeec0ffeec0ffee\n"
		"b execute workspace-write PENDING>READY 0/2 not-required\n");
	fixture_release(&f);
}

static void
stop_and_go(struct run_fixture *f, uint32_t times)
{
	for (uint32_t i = 0; i < times; i++) {
		struct buf id = { 0 };

		fixture_until(f, "A", ATTEMPT_STARTED);
		buf_addf(&id, "A@%u", state_last_attempt(&f->s, 0)->number);
		fixture_step_word(f, EV_ATTEMPT_INTERRUPTED, id.data,
			"coordinator_stopped");
		fixture_step(f, EV_WORKSPACE_RECONCILED, id.data);
		buf_release(&id);
	}
}

/* A coordinator that is stopped again and again counts against no bound. */
static void
of_a_long_history_the_end_is_told(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;
	struct ledger l;

	(void)state;
	fixture_init_of(&f, rows, 1);
	stop_and_go(&f, BOUND_LEDGER_ATTEMPTS - 1);
	for (uint32_t n = BOUND_LEDGER_ATTEMPTS - 1; n < 1002; n++) {
		uint32_t told = n < BOUND_LEDGER_ATTEMPTS
			? n
			: BOUND_LEDGER_ATTEMPTS - 1;

		assert_int_equal(f.s.nodes[0].runs, n);
		ledger_init(&l);
		ledger_export(&f.s, false, &l);
		assert_int_equal(l.nodes[0].attempt, told);
		assert_int_equal(l.nodes[0].max_attempts, told + 1);
		assert_int_equal(l.nodes[0].history_count, 2 + 2 * told);
		ledger_release(&l);
		assert_ptr_equal(invariants_ledger(&f.s), NULL);
		stop_and_go(&f, 1);
	}
	fixture_release(&f);
}

/* Blocked and unblocked, without an attempt: PENDING is where it begins. */
static void
of_a_long_history_without_starts_too(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" },
		{ .id = "B", .depends = "A" } };
	struct run_fixture f;
	struct ledger l;

	(void)state;
	fixture_init_of(&f, rows, 2);
	for (uint32_t n = 1; n < 2 + BOUND_LEDGER_HISTORY / 2; n++) {
		fixture_step(&f, EV_NODE_BLOCKED, "B");
		fixture_step(&f, EV_NODE_UNBLOCKED, "B");
		if (n < BOUND_LEDGER_HISTORY / 2 - 2)
			continue;
		ledger_init(&l);
		ledger_export(&f.s, false, &l);
		assert_true(
			l.nodes[1].history_count >= BOUND_LEDGER_HISTORY - 4);
		ledger_release(&l);
		assert_ptr_equal(invariants_ledger(&f.s), NULL);
	}
	fixture_release(&f);
}

static void
of_much_evidence_the_last_is_shown(void **state)
{
	static const struct plan_row rows[] = { { .id = "A" } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_CHECKED);
	for (uint32_t n = 1; n <= BOUND_LEDGER_EVIDENCE + 1; n++) {
		uint32_t shown =
			n < BOUND_LEDGER_EVIDENCE ? n : BOUND_LEDGER_EVIDENCE;
		struct buf last = { 0 };
		struct ledger l;

		ledger_init(&l);
		ledger_export(&f.s, false, &l);
		buf_addf(&last, "check:A@1#%u", n);
		assert_int_equal(l.nodes[0].evidence_count, shown);
		assert_true(
			str_eq(l.nodes[0].evidence[shown - 1], buf_str(&last)));
		buf_release(&last);
		ledger_release(&l);
		fixture_step(&f, EV_CHECK_STARTED, "A@1");
		fixture_step(&f, EV_CHECK_RECORDED, "A@1");
	}
	fixture_release(&f);
}

/* C115: what a task's text may hold and a ledger's may not. */
static void
texts_are_lines(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "A", .title = "Do\tit\xc2\x85now \xc3\xa9" },
		{ .id = "B", .title = "\xe2\x80\xa8" },
		{ .id = "C", .title = "One. \t \xc2\x85\tTwo  and" },
	};
	struct run_fixture f;
	struct ledger l;

	(void)state;
	fixture_init_of(&f, rows, 3);
	ledger_init(&l);
	ledger_export(&f.s, false, &l);
	assert_true(str_eq(l.nodes[0].title, STR("Do it now \xc3\xa9")));
	assert_true(str_eq(l.nodes[1].title, STR("b")));
	assert_true(str_eq(l.nodes[2].title, STR("One. Two  and")));
	assert_true(str_eq(l.run_id, STR("r-20261130-k3x7qa")));
	assert_true(str_eq(l.task, STR("Task list tasks.md")));
	ledger_release(&l);
	fixture_release(&f);
}

static void
a_repair_of_a_long_id_has_room(void **state)
{
	char id[BOUND_ID_BYTES + 1];
	struct plan_row row = { .id = id, .paths = "src" };
	struct run_fixture f;
	struct ledger l;

	(void)state;
	memset(id, 'A', sizeof(id) - 1);
	id[sizeof(id) - 1] = '\0';
	id[BOUND_ID_BYTES - 8] = '.';
	fixture_init_of(&f, &row, 1);
	fixture_until(&f, id, ATTEMPT_REPORTED);
	fixture_step(
		&f, EV_ATTEMPT_REJECTED, state_attempt_id(&f.s, 0, &f.mem).ptr);
	ledger_init(&l);
	ledger_export(&f.s, true, &l);
	assert_int_equal(l.count, 2);
	assert_true(str_ends(l.nodes[1].id, STR("a-repair")));
	assert_int_equal(l.nodes[1].id.len, BOUND_ID_BYTES - 1);
	assert_true(str_starts(l.nodes[1].title, STR("Repair AAAA")));
	ledger_release(&l);
	assert_ptr_equal(invariants_ledger(&f.s), NULL);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_node_has_its_history_and_what_the_last_attempt_shows),
		cmocka_unit_test(max_attempts_is_what_the_run_grants),
		cmocka_unit_test(a_repair_is_an_attempt_or_a_node),
		cmocka_unit_test(a_repair_that_fails_leaves_its_node_failed),
		cmocka_unit_test(an_approval_is_what_its_last_gate_says),
		cmocka_unit_test(
			a_final_status_is_claimed_only_where_it_is_earned),
		cmocka_unit_test(of_a_long_history_the_end_is_told),
		cmocka_unit_test(of_a_long_history_without_starts_too),
		cmocka_unit_test(of_much_evidence_the_last_is_shown),
		cmocka_unit_test(texts_are_lines),
		cmocka_unit_test(a_repair_of_a_long_id_has_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
