/* Where a ledger run stands, as people and programs read it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/ledger_earned.h"
#include "model/ledger_view.h"

#define RUN "r-20261130-k3x7qa"

struct row {
	const char *id;
	enum node_status status;
	uint32_t attempt, max_attempts;
	int on; /* number of the node that it depends on, or -1 */
	enum ledger_approval approval;
};

struct fixture {
	struct ledger l;
	struct ledger_look look;
	struct arena mem;
	uint32_t depends[16];
};

static void
init(struct fixture *f, const struct row *rows, uint32_t count,
	const char *outcome)
{
	*f = (struct fixture){ 0 };
	ledger_init(&f->l);
	f->l.run_id = STR(RUN);
	f->l.task = STR("All of it");
	for (uint32_t i = 0; i < count; i++) {
		struct ledger_node *n;
		uint32_t node;

		assert_true(ledger_add(&f->l, str_from(rows[i].id), &node));
		n = &f->l.nodes[node];
		n->title = arena_format(&f->mem, "Do %s\x1b", rows[i].id);
		n->expected_output = STR("it");
		n->status = (uint8_t)rows[i].status;
		n->history = arena_array(&f->l.mem, 1, uint8_t);
		n->history[0] = n->status;
		n->history_count = 1;
		n->attempt = rows[i].attempt;
		n->max_attempts = rows[i].max_attempts;
		n->approval = (uint8_t)rows[i].approval;
		if (rows[i].on >= 0) {
			f->depends[i] = (uint32_t)rows[i].on;
			n->depends = &f->depends[i];
			n->depends_count = 1;
		}
	}
	f->l.status = (uint8_t)ledger_earned(&f->l);
	f->look = (struct ledger_look){ &f->l, str_from(outcome), 7 };
}

static void
release(struct fixture *f)
{
	ledger_release(&f->l);
	arena_reset(&f->mem);
}

static const struct row four[] = {
	{ "scope", NODE_PASSED, 1, 1, -1, LEDGER_NOT_REQUIRED },
	{ "build", NODE_RUNNING, 1, 2, 0, LEDGER_NOT_REQUIRED },
	{ "deploy", NODE_PENDING, 0, 1, 1, LEDGER_REQUIRED },
	{ "docs", NODE_READY, 0, 1, 0, LEDGER_NOT_REQUIRED },
};

static void
assert_text(struct buf *b, const char *want)
{
	assert_string_equal(b->len > 0 ? b->data : "", want);
	buf_release(b);
}

static void
status_has_counts_rows_and_what_comes_next(void **state)
{
	struct buf out = { 0 };
	struct fixture f;

	(void)state;
	init(&f, four, 4, "");
	ledger_view_status(&out, &f.look, 3);
	assert_text(&out,
		RUN "  RUNNING  1/4 passed, 1 running\n"
		    "STATUS          ID      ATTEMPT  TITLE\n"
		    "PASSED          scope   1/1      Do scope\\x1b\n"
		    "RUNNING         build   1/2      Do build\\x1b\n"
		    "PENDING         deploy  0/1      Do deploy\\x1b\n"
		    "and 1 more\n"
		    "next: finish " RUN "/build  (pawl ledger set " RUN
		    "/build PASSED --evidence REF)\n");
	release(&f);
}

static void
a_closed_run_needs_nothing(void **state)
{
	struct buf out = { 0 };
	struct explanation ex;
	struct fixture f;

	(void)state;
	init(&f, four, 4, "partial");
	ledger_view_status(&out, &f.look, 0);
	assert_text(&out,
		RUN "  RUNNING  1/4 passed, 1 running, closed as partial\n"
		    "STATUS          ID  ATTEMPT  TITLE\n"
		    "and 4 more\n"
		    "next: nothing, the run is closed\n");
	ledger_view_ready(&out, &f.look, 9);
	assert_text(&out, "nothing may start: the run is closed\n");
	ledger_explain(&f.look, 3, 4, &f.mem, &ex);
	assert_false(ex.may_start);
	assert_int_equal(ex.count, 1);
	assert_int_equal(ex.causes[0].code, CAUSE_RUN_CLOSED);
	release(&f);
}

static void
ready_lists_what_may_start(void **state)
{
	static const struct row rows[] = {
		{ "a", NODE_READY, 0, 1, -1, LEDGER_NOT_REQUIRED },
		{ "b", NODE_READY, 0, 1, -1, LEDGER_NOT_REQUIRED },
	};
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct fixture f;

	(void)state;
	init(&f, rows, 2, "");
	ledger_view_ready(&out, &f.look, 1);
	assert_text(
		&out, "2 may start now\n  a  Do a\\x1b\nand 1 more READY\n");
	ledger_view_ready_json(&w, &f.look);
	assert_text(&out, "{\"run\":\"" RUN "\",\"ready\":[\"a\",\"b\"]}");
	release(&f);
}

/* The first row that is there decides, whatever stands behind it. */
static void
next_is_what_brings_the_ledger_on(void **state)
{
	static const struct row rows[] = {
		{ "e", NODE_BLOCKED, 0, 1, -1, LEDGER_NOT_REQUIRED },
		{ "d", NODE_FAILED, 1, 1, -1, LEDGER_NOT_REQUIRED },
		{ "c", NODE_NEEDS_APPROVAL, 0, 1, -1, LEDGER_REQUIRED },
		{ "b", NODE_READY, 0, 1, -1, LEDGER_NOT_REQUIRED },
		{ "a", NODE_RUNNING, 1, 1, -1, LEDGER_NOT_REQUIRED },
	};
	static const struct {
		enum next_kind kind;
		const char *command;
	} want[] = {
		{ NEXT_ADD, "pawl ledger add " RUN "/ID --title TEXT" },
		{ NEXT_UNBLOCK,
			"pawl ledger set " RUN "/e PENDING --reason TEXT" },
		{ NEXT_REPAIR, "pawl ledger repair " RUN "/d --title TEXT" },
		{ NEXT_APPROVE, "pawl ledger approve " RUN "/c" },
		{ NEXT_START, "pawl ledger set " RUN "/b RUNNING" },
		{ NEXT_FINISH,
			"pawl ledger set " RUN "/a PASSED --evidence REF" },
	};

	(void)state;
	for (uint32_t count = 0; count <= 5; count++) {
		struct fixture f;
		struct next next;

		init(&f, rows, count, "");
		ledger_next(&f.look, &f.mem, &next);
		assert_int_equal(next.kind, want[count].kind);
		assert_string_equal(next.command.ptr, want[count].command);
		release(&f);
	}
}

static void
what_is_complete_is_closed_next(void **state)
{
	struct fixture f;
	struct next next;

	(void)state;
	init(&f, four, 1, "");
	assert_int_equal(f.l.status, RUN_COMPLETE);
	ledger_next(&f.look, &f.mem, &next);
	assert_int_equal(next.kind, NEXT_CLOSE);
	assert_string_equal(next.command.ptr, "pawl ledger complete " RUN);
	release(&f);
}

static void
each_status_is_explained(void **state)
{
	static const struct row rows[] = {
		{ "pass", NODE_PASSED, 1, 1, -1, LEDGER_NOT_REQUIRED },
		{ "skip", NODE_SKIPPED, 0, 1, -1, LEDGER_NOT_REQUIRED },
		{ "ready", NODE_READY, 0, 1, -1, LEDGER_NOT_REQUIRED },
		{ "run", NODE_RUNNING, 1, 2, -1, LEDGER_NOT_REQUIRED },
		{ "wait", NODE_PENDING, 0, 1, 3, LEDGER_REQUIRED },
		{ "ask", NODE_NEEDS_APPROVAL, 0, 1, -1, LEDGER_REQUIRED },
		{ "fail", NODE_FAILED, 2, 2, -1, LEDGER_NOT_REQUIRED },
		{ "block", NODE_BLOCKED, 0, 1, -1, LEDGER_NOT_REQUIRED },
	};
	static const char *const want[] = {
		"pass has PASSED\n",
		"skip is SKIPPED\n",
		"ready is READY and may start\n",
		"run isn't done: it is RUNNING, attempt 1 of 2\n"
		"  it is RUNNING, attempt 1 of 2; who works on it:  "
		"pawl ledger set " RUN "/run PASSED --evidence REF\n",
		"wait isn't ready: run is RUNNING, and 1 more\n"
		"  run is RUNNING; who works on it:  pawl explain " RUN "/run\n"
		"  it will need an approval; a human:  pawl ledger approve " RUN
		"/wait\n",
		"ask isn't ready: it is NEEDS_APPROVAL, attempt 0 of 1\n"
		"  it is NEEDS_APPROVAL, attempt 0 of 1; a human:  "
		"pawl ledger approve " RUN "/ask\n",
		"fail isn't ready: it is FAILED, attempt 2 of 2\n"
		"  it is FAILED, attempt 2 of 2; who works on it:  "
		"pawl ledger repair " RUN "/fail --title TEXT\n",
		"block isn't ready: it is BLOCKED, attempt 0 of 1\n"
		"  it is BLOCKED, attempt 0 of 1; whoever provides what it "
		"wants:  pawl ledger set " RUN "/block PENDING --reason TEXT\n",
	};
	struct fixture f;

	(void)state;
	init(&f, rows, 8, "");
	for (uint32_t i = 0; i < 8; i++) {
		struct explanation ex;
		struct buf out = { 0 };

		ledger_explain(&f.look, i, 4, &f.mem, &ex);
		assert_int_equal(ex.done, i < 2);
		assert_int_equal(ex.may_start, i == 2);
		ledger_explain_text(&out, &ex);
		assert_text(&out, want[i]);
	}
	release(&f);
}

static void
of_many_causes_some_are_told(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct explanation ex;
	struct fixture f;

	(void)state;
	init(&f, four, 4, "");
	ledger_explain(&f.look, 2, 1, &f.mem, &ex);
	assert_int_equal(ex.count, 1);
	assert_int_equal(ex.total, 2);
	ledger_explain_json(&w, &f.look, &ex);
	assert_text(&out,
		"{\"run\":\"" RUN "\",\"node\":\"deploy\","
		"\"status\":\"PENDING\",\"done\":false,\"may_start\":false,"
		"\"verdict\":\"deploy isn't ready\",\"cause_count\":2,"
		"\"causes\":[{\"code\":\"dependency\",\"subject\":\"build\","
		"\"detail\":\"RUNNING\",\"sentence\":\"build is RUNNING\","
		"\"who\":\"who works on it\",\"command\":\"pawl explain " RUN
		"/build\"}]}");
	release(&f);
}

static void
status_as_json_has_the_checkpoints_nodes(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct fixture f;

	(void)state;
	init(&f, NULL, 0, "");
	ledger_view_status_json(&w, &f.look);
	assert_text(&out,
		"{\"run\":{\"id\":\"" RUN "\",\"kind\":\"ledger\","
		"\"status\":\"PLANNING\",\"closed\":false,\"outcome\":\"\","
		"\"task\":\"All of it\",\"seq\":7},\"progress\":{\"total\":0,"
		"\"passed\":0,\"skipped\":0,\"running\":0,\"ready\":0,"
		"\"pending\":0,\"failed\":0,\"blocked\":0,"
		"\"needs_approval\":0},\"nodes\":[],\"next\":{\"do\":\"add\","
		"\"subject\":\"" RUN "\",\"why\":\"nothing in it can move\","
		"\"command\":\"pawl ledger add " RUN "/ID --title TEXT\"}}");
	release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(status_has_counts_rows_and_what_comes_next),
		cmocka_unit_test(a_closed_run_needs_nothing),
		cmocka_unit_test(ready_lists_what_may_start),
		cmocka_unit_test(next_is_what_brings_the_ledger_on),
		cmocka_unit_test(what_is_complete_is_closed_next),
		cmocka_unit_test(each_status_is_explained),
		cmocka_unit_test(of_many_causes_some_are_told),
		cmocka_unit_test(status_as_json_has_the_checkpoints_nodes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
