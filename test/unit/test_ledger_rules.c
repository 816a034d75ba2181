/*
 * Each rule of a checkpoint by a document that keeps it and one that breaks
 * nothing else; each pair of statuses as a step.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "ledger_doc.h"

#define WALK "[\"PENDING\",\"READY\",\"RUNNING\",\"PASSED\"]"
#define PASSED                                                   \
	.status = "\"PASSED\"", .history = WALK, .attempt = "1", \
	.evidence = "[\"check:x\"]"
#define READY .status = "\"READY\"", .history = "[\"PENDING\",\"READY\"]"
#define RUNNING                  \
	.status = "\"RUNNING\"", \
	.history = "[\"PENDING\",\"READY\",\"RUNNING\"]", .attempt = "1"
#define FAILED                                                       \
	.status = "\"FAILED\"",                                      \
	.history = "[\"PENDING\",\"READY\",\"RUNNING\",\"FAILED\"]", \
	.attempt = "1", .max = "1"
#define BLOCKED .status = "\"BLOCKED\"", .history = "[\"PENDING\",\"BLOCKED\"]"
#define WAITS                                          \
	.status = "\"NEEDS_APPROVAL\"",                \
	.history = "[\"PENDING\",\"NEEDS_APPROVAL\"]", \
	.approval = "\"required\""
#define SKIPPED .status = "\"SKIPPED\"", .history = "[\"PENDING\",\"SKIPPED\"]"

struct pair {
	enum ledger_rule rule;
	struct doc good, bad;
	const char *pointer; /* of the finding in `bad` */
};

static const struct pair pairs[] = {
	/* Shape. */
	{ LEDGER_UNKNOWN_FIELD, { .node = { { .id = "a" } } },
		{ .node = { { .id = "a", .more = ",\"titles\":1" } } },
		"/nodes/0/titles" },
	{ LEDGER_UNKNOWN_FIELD, { .node = { { .id = "a" } } },
		{ .more = ",\"note\":{\"a\":[1,{}]}",
			.node = { { .id = "a" } } },
		"/note" },
	{ LEDGER_MISSING_FIELD, { .nodes = "[]" }, { .nodes = "[{}]" },
		"/nodes/0" },
	{ LEDGER_DUPLICATE_FIELD, { .node = { { .id = "a" } } },
		{ .node = { { .id = "a", .more = ",\"kind\":\"scope\"" } } },
		"/nodes/0/kind" },
	{ LEDGER_DUPLICATE_FIELD, { .node = { { .id = "a" } } },
		{ .more = ",\"nodes\":[]", .node = { { .id = "a" } } },
		"/nodes" },
	{ LEDGER_WRONG_TYPE, { .node = { { .id = "a", .max = "3" } } },
		{ .node = { { .id = "a", .max = "3.0" } } },
		"/nodes/0/max_attempts" },
	{ LEDGER_WRONG_TYPE, { .node = { { .id = "a", .attempt = "0" } } },
		{ .node = { { .id = "a", .attempt = "\"0\"" } } },
		"/nodes/0/attempt" },
	{ LEDGER_WRONG_TYPE, { .nodes = "[]" }, { .nodes = "[[]]" },
		"/nodes/0" },
	{ LEDGER_WRONG_TYPE, { .nodes = "[]" }, { .nodes = "{}" }, "/nodes" },
	{ LEDGER_WRONG_TYPE, { .node = { { .id = "a", .depends = "[]" } } },
		{ .node = { { .id = "a", .depends = "[1]" } } },
		"/nodes/0/depends_on/0" },
	{ LEDGER_OUT_OF_BOUNDS, { .version = "1", .node = { { .id = "a" } } },
		{ .version = "2", .node = { { .id = "a" } } },
		"/schema_version" },
	{ LEDGER_OUT_OF_BOUNDS, { .node = { { .id = "a", .max = "1" } } },
		{ .node = { { .id = "a", .max = "0" } } },
		"/nodes/0/max_attempts" },
	{ LEDGER_OUT_OF_BOUNDS, { .node = { { .id = "a" } } },
		{ .node = { { .id = "a", .history = "[]" } } },
		"/nodes/0/status_history" },
	{ LEDGER_INVALID_VALUE, { .node = { { .id = "a-1.b_c" } } },
		{ .node = { { .id = "a--1" } } }, "/nodes/0/id" },
	{ LEDGER_INVALID_VALUE, { .node = { { .id = "a" } } },
		{ .node = { { .id = "A" } } }, "/nodes/0/id" },
	{ LEDGER_INVALID_VALUE, { .node = { { .id = "a.lockb" } } },
		{ .node = { { .id = "a.lock" } } }, "/nodes/0/id" },
	{ LEDGER_INVALID_VALUE,
		{ .run_id = "\"R-1\"", .node = { { .id = "a" } } },
		{ .run_id = "\"-1\"", .node = { { .id = "a" } } }, "/run_id" },
	{ LEDGER_INVALID_VALUE,
		{ .node = { { .id = "a", .title = "\" x \"" } } },
		{ .node = { { .id = "a", .title = "\" \"" } } },
		"/nodes/0/title" },
	{ LEDGER_INVALID_VALUE,
		{ .node = { { .id = "a", .title = "\"\\u00e4\"" } } },
		{ .node = { { .id = "a", .title = "\"a\\tb\"" } } },
		"/nodes/0/title" },
	{ LEDGER_INVALID_VALUE,
		{ .task = "\"a\\u0080b \"", .node = { { .id = "a" } } },
		{ .task = "\"a\\u0000b\"", .node = { { .id = "a" } } },
		"/task" },
	{ LEDGER_INVALID_VALUE,
		{ .node = { { .id = "a", .output = "\"a\\u0020b\"" } } },
		{ .node = { { .id = "a", .output = "\"a\\u001fb\"" } } },
		"/nodes/0/expected_output" },
	{ LEDGER_INVALID_VALUE,
		{ .node = { { .id = "a", .evidence = "[\"x\",\"~\"]" } } },
		{ .node = { { .id = "a",
			  .evidence = "[\"x\",\"\\u007f\"]" } } },
		"/nodes/0/evidence/1" },
	{ LEDGER_INVALID_VALUE,
		{ .node = { { .id = "a", .kind = "\"repair\"" } } },
		{ .node = { { .id = "a", .kind = "\"repairs\"" } } },
		"/nodes/0/kind" },
	{ LEDGER_INVALID_VALUE, { .node = { { .id = "a", PASSED } } },
		{ .node = { { .id = "b" },
			  { .id = "a",
				  .status = "\"PASSED\"",
				  .history = WALK,
				  .attempt = "1",
				  .evidence = "[\"x\",\" \"]" } } },
		"/nodes/1/evidence/1" },
	{ LEDGER_DUPLICATE_VALUE,
		{ .node = { { .id = "a" },
			  { .id = "b", .depends = "[\"a\"]" } } },
		{ .node = { { .id = "a" },
			  { .id = "b", .depends = "[\"a\",\"a\"]" } } },
		"/nodes/1/depends_on/1" },
	/* Ids and the graph. */
	{ LEDGER_DUPLICATE_ID, { .node = { { .id = "a" }, { .id = "b" } } },
		{ .node = { { .id = "a" }, { .id = "a" } } }, "/nodes/1/id" },
	{ LEDGER_UNKNOWN_DEPENDENCY,
		{ .node = { { .id = "b", .depends = "[\"a\"]" },
			  { .id = "a" } } },
		{ .node = { { .id = "b", .depends = "[\"a\",\"c\"]" },
			  { .id = "a" } } },
		"/nodes/0/depends_on/1" },
	{ LEDGER_CYCLE, { .node = { { .id = "a" } } },
		{ .node = { { .id = "a", .depends = "[\"a\"]" } } },
		"/nodes/0/depends_on/0" },
	{ LEDGER_CYCLE,
		{ .node = { { .id = "a", .depends = "[\"b\"]" },
			  { .id = "b", .depends = "[\"c\"]" },
			  { .id = "c" } } },
		{ .node = { { .id = "a", .depends = "[\"c\"]" },
			  { .id = "b", .depends = "[\"a\"]" },
			  { .id = "c", .depends = "[\"b\"]" } } },
		"/nodes/0/depends_on/0" },
	/* Histories. */
	{ LEDGER_HISTORY_START, { .node = { { .id = "a", READY } } },
		{ .node = { { .id = "a",
			  .status = "\"READY\"",
			  .history = "[\"READY\"]" } } },
		"/nodes/0/status_history/0" },
	{ LEDGER_HISTORY_END, { .node = { { .id = "a", READY } } },
		{ .node = { { .id = "a",
			  .history = "[\"PENDING\",\"READY\"]" } } },
		"/nodes/0/status_history/1" },
	{ LEDGER_ATTEMPT_COUNT, { .node = { { .id = "a", RUNNING } } },
		{ .node = { { .id = "a",
			  .status = "\"RUNNING\"",
			  .history = "[\"PENDING\",\"READY\",\"RUNNING\"]",
			  .attempt = "2" } } },
		"/nodes/0/attempt" },
	{ LEDGER_ATTEMPT_LIMIT, { .node = { { .id = "a", RUNNING } } },
		{ .node = { { .id = "a",
			  .status = "\"RUNNING\"",
			  .history = "[\"PENDING\",\"READY\",\"RUNNING\","
				     "\"READY\",\"RUNNING\"]",
			  .attempt = "2",
			  .max = "1" } } },
		"/nodes/0/attempt" },
	/* Gates. */
	{ LEDGER_EVIDENCE_MISSING,
		{ .node = { { .id = "b" },
			  { .id = "a",
				  .status = "\"PASSED\"",
				  .history = WALK,
				  .attempt = "1",
				  .required = "false" } } },
		{ .node = { { .id = "b" },
			  { .id = "a",
				  .status = "\"PASSED\"",
				  .history = WALK,
				  .attempt = "1" } } },
		"/nodes/1/evidence" },
	{ LEDGER_DEPENDENCY_OPEN,
		{ .node = { { .id = "a", PASSED }, { .id = "c", SKIPPED },
			  { .id = "b", READY, .depends = "[\"c\",\"a\"]" } } },
		{ .node = { { .id = "a", FAILED }, { .id = "c", SKIPPED },
			  { .id = "b", READY, .depends = "[\"c\",\"a\"]" } } },
		"/nodes/2/depends_on/1" },
	{ LEDGER_DEPENDENCY_OPEN,
		{ .node = { { .id = "a" },
			  { .id = "b", .depends = "[\"a\"]" } } },
		{ .node = { { .id = "a" },
			  { .id = "b", RUNNING, .depends = "[\"a\"]" } } },
		"/nodes/1/depends_on/0" },
	{ LEDGER_DEPENDENCY_OPEN,
		{ .node = { { .id = "c" }, { .id = "a", PASSED },
			  { .id = "b", PASSED, .depends = "[\"a\"]" } } },
		{ .node = { { .id = "c" }, { .id = "a", RUNNING },
			  { .id = "b", PASSED, .depends = "[\"a\"]" } } },
		"/nodes/2/depends_on/0" },
	{ LEDGER_APPROVAL_OPEN,
		{ .node = { { .id = "a", READY, .approval = "\"granted\"" } } },
		{ .node = { { .id = "a",
			  READY,
			  .approval = "\"required\"" } } },
		"/nodes/0/approval" },
	{ LEDGER_APPROVAL_OPEN,
		{ .node = { { .id = "a",
			  RUNNING,
			  .access = "\"destructive\"",
			  .approval = "\"granted\"" } } },
		{ .node = { { .id = "a",
			  RUNNING,
			  .access = "\"destructive\"" } } },
		"/nodes/0/approval" },
	{ LEDGER_APPROVAL_OPEN,
		{ .node = { { .id = "b" },
			  { .id = "a",
				  PASSED,
				  .access = "\"external-write\"",
				  .approval = "\"granted\"" } } },
		{ .node = { { .id = "b" },
			  { .id = "a",
				  PASSED,
				  .access = "\"external-write\"",
				  .approval = "\"denied\"" } } },
		"/nodes/1/approval" },
	{ LEDGER_APPROVAL_WORD,
		{ .node = { { .id = "b" }, { .id = "a", WAITS } } },
		{ .node = { { .id = "b" },
			  { .id = "a",
				  .status = "\"NEEDS_APPROVAL\"",
				  .history = "[\"PENDING\","
					     "\"NEEDS_APPROVAL\"]" } } },
		"/nodes/1/approval" },
	/* The run. */
	{ LEDGER_RUN_MOVES,
		{ .status = "\"COMPLETE\"",
			.node = { { .id = "a", PASSED },
				{ .id = "b", SKIPPED } } },
		{ .status = "\"COMPLETE\"",
			.node = { { .id = "a", PASSED },
				{ .id = "b", READY } } },
		"/status" },
	{ LEDGER_RUN_MOVES,
		{ .status = "\"BLOCKED\"",
			.node = { { .id = "a", BLOCKED },
				{ .id = "b", .depends = "[\"a\"]" } } },
		{ .status = "\"BLOCKED\"",
			.node = { { .id = "a", BLOCKED }, { .id = "b" } } },
		"/status" },
	{ LEDGER_RUN_MOVES,
		{ .status = "\"FAILED\"",
			.node = { { .id = "a", FAILED },
				{ .id = "b", BLOCKED } } },
		{ .status = "\"FAILED\"",
			.node = { { .id = "a", FAILED },
				{ .id = "b", RUNNING } } },
		"/status" },
	{ LEDGER_RUN_UNEARNED,
		{ .status = "\"NEEDS_APPROVAL\"",
			.node = { { .id = "a", WAITS },
				{ .id = "b", FAILED } } },
		{ .status = "\"FAILED\"",
			.node = { { .id = "a", WAITS },
				{ .id = "b", FAILED } } },
		"/status" },
	{ LEDGER_RUN_UNEARNED, { .status = "\"PLANNING\"", .nodes = "[]" },
		{ .status = "\"COMPLETE\"", .nodes = "[]" }, "/status" },
	{ LEDGER_RUN_UNEARNED,
		{ .status = "\"COMPLETE\"",
			.node = { { .id = "a", PASSED },
				{ .id = "b", SKIPPED } } },
		{ .status = "\"COMPLETE\"",
			.node = { { .id = "b", SKIPPED } } },
		"/status" },
	{ LEDGER_RUN_UNEARNED,
		{ .status = "\"NEEDS_APPROVAL\"",
			.node = { { .id = "a", WAITS } } },
		{ .status = "\"BLOCKED\"", .node = { { .id = "a", WAITS } } },
		"/status" },
	/* Notes. */
	{ LEDGER_UNKNOWN_STEP, { .node = { { .id = "a", RUNNING } } },
		{ .node = { { .id = "a",
			  .status = "\"RUNNING\"",
			  .history = "[\"PENDING\",\"RUNNING\"]",
			  .attempt = "1" } } },
		"/nodes/0/status_history/1" },
	{ LEDGER_RUN_UNCLAIMED,
		{ .status = "\"COMPLETE\"", .node = { { .id = "a", PASSED } } },
		{ .node = { { .id = "a", PASSED } } }, "/status" },
	{ LEDGER_RUN_UNCLAIMED,
		{ .status = "\"PLANNING\"",
			.node = { { .id = "a", BLOCKED } } },
		{ .node = { { .id = "a", BLOCKED } } }, "/status" },
	{ LEDGER_RUN_ORDER,
		{ .status = "\"NEEDS_APPROVAL\"",
			.node = { { .id = "a", WAITS },
				{ .id = "b", BLOCKED } } },
		{ .status = "\"BLOCKED\"",
			.node = { { .id = "a", WAITS },
				{ .id = "b", BLOCKED } } },
		"/status" },
};

static void
show_findings(const struct doc_read *r)
{
	for (uint32_t i = 0; i < r->f.count; i++) {
		const struct ledger_finding *x = &r->f.items[i];

		print_message("# %s at " STR_FMT ": " STR_FMT "\n",
			ledger_rule_info(x->rule)->word, STR_ARG(x->pointer),
			STR_ARG(x->message));
	}
	print_message("# " STR_FMT "\n", STR_ARG(buf_str(&r->text)));
}

/* How often a document breaks a rule that isn't `but`; and that one. */
static uint32_t
count_rule(const struct doc_read *r, enum ledger_rule rule)
{
	uint32_t n = 0;

	assert_int_equal(r->rc, PAWL_OK);
	for (uint32_t i = 0; i < r->f.count; i++)
		n += r->f.items[i].rule == rule;
	return n;
}

/* Where a rule that misses fields is tested, they are many. */
static uint32_t
wanted(enum ledger_rule rule)
{
	return rule == LEDGER_MISSING_FIELD ? 14 : 1;
}

static void
each_rule_has_a_document_that_keeps_and_one_that_breaks_it(void **unused)
{
	bool seen[LEDGER_RULE_COUNT] = { false };

	(void)unused;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		const struct pair *p = &pairs[i];
		struct doc_read good, bad;
		const struct ledger_finding *x;

		doc_read(&good, &p->good, false);
		if (good.rc != PAWL_OK || good.f.violations > 0 ||
			count_rule(&good, p->rule) > 0) {
			show_findings(&good);
			fail_msg("pair %zu, %s: the good one is refused", i,
				ledger_rule_info(p->rule)->word);
		}
		doc_release(&good);
		doc_read(&bad, &p->bad, false);
		if (count_rule(&bad, p->rule) != wanted(p->rule) ||
			bad.f.violations + bad.f.notes != wanted(p->rule)) {
			show_findings(&bad);
			fail_msg("pair %zu, %s: other findings", i,
				ledger_rule_info(p->rule)->word);
		}
		x = &bad.f.items[0];
		assert_true(str_eq(x->pointer, str_from(p->pointer)));
		assert_int_equal(x->note,
			ledger_rule_info(p->rule)->class != LEDGER_VIOLATION);
		assert_true(x->message.len > 0);
		assert_true(x->line == 1 && x->column == x->at + 1);
		doc_release(&bad);
		seen[p->rule] = true;
	}
	for (int rule = 0; rule < LEDGER_RULE_COUNT; rule++) {
		if (!seen[rule])
			fail_msg("no pair for %s",
				ledger_rule_info((enum ledger_rule)rule)->word);
	}
}

/* Design 3.3, row by row. */
static const char *const steps[][2] = {
	{ "PENDING", "READY" },
	{ "PENDING", "NEEDS_APPROVAL" },
	{ "PENDING", "SKIPPED" },
	{ "READY", "SKIPPED" },
	{ "PENDING", "BLOCKED" },
	{ "READY", "BLOCKED" },
	{ "RUNNING", "BLOCKED" },
	{ "NEEDS_APPROVAL", "PENDING" },
	{ "NEEDS_APPROVAL", "BLOCKED" },
	{ "READY", "RUNNING" },
	{ "RUNNING", "PASSED" },
	{ "RUNNING", "FAILED" },
	{ "RUNNING", "READY" },
	{ "RUNNING", "NEEDS_APPROVAL" },
	{ "BLOCKED", "PENDING" },
	{ "BLOCKED", "SKIPPED" },
	{ "NEEDS_APPROVAL", "SKIPPED" },
	{ "FAILED", "READY" },
};

static bool
is_row(const char *from, const char *to)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (strcmp(steps[i][0], from) == 0 &&
			strcmp(steps[i][1], to) == 0)
			return true;
	}
	return false;
}

/* A history that begins with the step, in words of a known way there. */
static void
judge_step(const char *from, const char *to, bool strict)
{
	char status[40], history[200], attempt[12];
	unsigned running = 0;
	struct doc d = { .status = "\"PLANNING\"",
		.node = { { .id = "a",
			.status = status,
			.history = history,
			.attempt = attempt,
			.evidence = "[\"x\"]",
			.approval = strcmp(to, "NEEDS_APPROVAL") == 0
				? "\"required\""
				: "\"granted\"" } } };
	struct doc_read r;
	uint32_t n, others;

	if (strcmp(from, "RUNNING") == 0)
		running++;
	if (strcmp(to, "RUNNING") == 0)
		running++;
	(void)snprintf(status, sizeof(status), "\"%s\"", to);
	(void)snprintf(history, sizeof(history), "[\"%s\",\"%s\"]", from, to);
	(void)snprintf(attempt, sizeof(attempt), "%u", running);
	doc_read(&r, &d, strict);
	n = count_rule(&r, LEDGER_UNKNOWN_STEP);
	others = count_rule(&r, LEDGER_HISTORY_START);
	if (n != !is_row(from, to) ||
		r.f.violations != others + (strict ? n : 0) ||
		r.f.notes != (strict ? 0 : n)) {
		show_findings(&r);
		fail_msg("%s to %s is judged wrongly", from, to);
	}
	doc_release(&r);
}

static void
every_pair_of_statuses_is_a_step_or_a_note(void **unused)
{
	(void)unused;
	for (int from = 0; from < NODE_STATUS_COUNT; from++) {
		for (int to = 0; to < NODE_STATUS_COUNT; to++) {
			const char *a =
				node_status_word((enum node_status)from).ptr;
			const char *b =
				node_status_word((enum node_status)to).ptr;

			judge_step(a, b, false);
			judge_step(a, b, true);
			assert_int_equal(is_ledger_step((enum node_status)from,
						 (enum node_status)to),
				is_row(a, b));
		}
	}
}

/* C077: refused with the whole path, however long. */
static void
a_cycle_is_printed_whole(void **unused)
{
	struct doc_read r = { .rc = PAWL_OK };
	struct buf whole = { 0 };
	enum { LONG = 3000 };

	(void)unused;
	buf_add(&r.text,
		STR("{\"schema_version\":1,\"run_id\":\"r\",\"task\":"
		    "\"t\",\"status\":\"RUNNING\",\"nodes\":["));
	buf_add(&whole, STR("depends on itself: "));
	for (int i = 0; i < LONG; i++) {
		char id[20], depends[30];
		struct node_doc n = { .id = id, .depends = depends };

		(void)snprintf(id, sizeof(id), "n%d", i);
		(void)snprintf(
			depends, sizeof(depends), "[\"n%d\"]", (i + 1) % LONG);
		if (i > 0)
			buf_addc(&r.text, ',');
		doc_node(&n, &r.text);
		buf_addf(&whole, "%s -> ", id);
	}
	buf_add(&r.text, STR("]}"));
	buf_add(&whole, STR("n0"));
	doc_read_text(&r, false);
	assert_int_equal(count_rule(&r, LEDGER_CYCLE), 1);
	assert_int_equal(r.f.count, 1);
	assert_true(str_eq(r.f.items[0].message, buf_str(&whole)));
	assert_true(str_eq(r.f.items[0].node, STR("n0")));
	doc_release(&r);
	buf_release(&whole);
}

static void
a_ledger_that_was_not_read_is_judged_without_places(void **unused)
{
	static const struct doc bad = { .status = "\"COMPLETE\"",
		.node = { { .id = "a", RUNNING },
			{ .id = "b", .depends = "[\"b\"]" } } };
	struct ledger_findings f;
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct doc_read r;

	(void)unused;
	doc_read(&r, &bad, false);
	ledger_findings_init(&f, STR(""), false);
	ledger_judge(&r.l, &f);
	assert_int_equal(f.count, r.f.count);
	assert_int_equal(f.violations, 2);
	for (uint32_t i = 0; i < f.count; i++) {
		assert_int_equal(f.items[i].line, 0);
		assert_int_equal(f.items[i].column, 0);
	}
	assert_int_equal(ledger_findings_fail(&f, &mem, "", &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_LEDGER);
	assert_string_equal(
		err.msg, "b: depends on itself: b -> b (and 1 more)");
	assert_true(str_eq(err.field, STR("/nodes/1/depends_on/0")));
	assert_int_equal(
		ledger_findings_fail(&r.f, &mem, "x.json", &err), PAWL_ENO);
	assert_string_equal(err.msg,
		"x.json:1:61: the run is COMPLETE while 'a' can move (and 1 "
		"more)");
	ledger_findings_release(&f);
	doc_release(&r);
	arena_reset(&mem);
}

/* All at once, in the order of the document. */
static void
findings_stand_in_the_order_of_the_document(void **unused)
{
	static const struct doc bad = { .status = "\"DONE\"",
		.node = { { .id = "a",
				  .status = "\"RUNNING\"",
				  .history = "[\"READY\",\"RUNNING\"]",
				  .depends = "[\"c\",\"x\"]" },
			{ .id = "b",
				.kind = "\"scop\"",
				.depends = "[\"b\"]",
				.max = "1.5" },
			{ .id = "c", .title = "\"\"", .more = ",\"x\":1" } } };
	static const enum ledger_rule rules[] = { LEDGER_INVALID_VALUE,
		LEDGER_HISTORY_START, LEDGER_DEPENDENCY_OPEN,
		LEDGER_UNKNOWN_DEPENDENCY, LEDGER_ATTEMPT_COUNT,
		LEDGER_INVALID_VALUE, LEDGER_CYCLE, LEDGER_WRONG_TYPE,
		LEDGER_OUT_OF_BOUNDS, LEDGER_UNKNOWN_FIELD };
	struct doc_read r;

	(void)unused;
	doc_read(&r, &bad, false);
	assert_int_equal(r.f.count, sizeof(rules) / sizeof(rules[0]));
	for (uint32_t i = 0; i < r.f.count; i++) {
		assert_int_equal(r.f.items[i].rule, rules[i]);
		assert_true(i == 0 || r.f.items[i].at >= r.f.items[i - 1].at);
	}
	assert_true(str_eq(r.f.items[5].hint, STR("did you mean 'scope'?")));
	doc_release(&r);
}

/* What is broken in a document, and the rules that are broken all the same. */
struct mix {
	struct doc d;
	uint32_t shape;            /* findings of shape and names */
	enum ledger_rule rules[4]; /* all the others; 0 ends them */
};

#define BAD_ATTEMPT .attempt = "\"0\""
#define LOST .status = "1", .history = "[\"PENDING\"]"

static const struct mix mixes[] = {
	/* Histories: each item speaks for itself. */
	{ { .node = { { .id = "a",
		    .status = "\"READY\"",
		    .history = "[\"READY\",\"x\",\"RUNNING\"]" } } },
		1,
		{ LEDGER_HISTORY_START, LEDGER_HISTORY_END,
			LEDGER_ATTEMPT_COUNT } },
	{ { .node = { { .id = "a",
		    .status = "\"READY\"",
		    .history = "[\"x\",\"READY\",1]" } } },
		2, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "1",
		    .history = "[\"READY\",\"PASSED\"]" } } },
		1, { LEDGER_HISTORY_START, LEDGER_UNKNOWN_STEP } },
	{ { .node = { { .id = "a",
		    READY,
		    .more = ",\"status\":\"FAILED\"" } } },
		1, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"SKIPPED\"",
		    .history =
			    "[\"PENDING\",\"SKIPPED\",\"x\",\"SKIPPED\"]" } } },
		1, { LEDGER_UNKNOWN_STEP } },
	{ { .node = { { .id = "a",
		    .status = "\"READY\"",
		    .history =
			    "[\"PENDING\",\"x\",\"PENDING\",\"READY\"]" } } },
		1, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"BLOCKED\"",
		    .history =
			    "[\"PENDING\",\"x\",\"FAILED\",\"BLOCKED\"]" } } },
		1,
		{ LEDGER_UNKNOWN_STEP, LEDGER_UNKNOWN_STEP,
			LEDGER_RUN_UNCLAIMED } },
	/* Attempts: a bad item may be RUNNING, once. */
	{ { .node = { { .id = "a",
		    .status = "\"RUNNING\"",
		    .history = "[\"PENDING\",\"x\",\"READY\",\"RUNNING\"]",
		    .attempt = "0" } } },
		1, { LEDGER_ATTEMPT_COUNT } },
	{ { .node = { { .id = "a",
		    .status = "\"RUNNING\"",
		    .history = "[\"PENDING\",\"x\",\"READY\",\"RUNNING\"]",
		    .attempt = "1" } } },
		1, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"RUNNING\"",
		    .history = "[\"PENDING\",\"x\",\"READY\",\"RUNNING\"]",
		    .attempt = "2" } } },
		1, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"RUNNING\"",
		    .history = "[\"PENDING\",\"x\",\"READY\",\"RUNNING\"]",
		    .attempt = "3",
		    .max = "3" } } },
		1, { LEDGER_ATTEMPT_COUNT } },
	{ { .node = { { .id = "a", .history = "1", .attempt = "3" } } }, 1,
		{ LEDGER_ATTEMPT_LIMIT } },
	{ { .node = { { .id = "a", .history = "1", .attempt = "2" } } }, 1,
		{ 0 } },
	{ { .node = { { .id = "a",
		    .history = "1",
		    .attempt = "1001",
		    .max = "null" } } },
		2, { LEDGER_ATTEMPT_LIMIT } },
	{ { .node = { { .id = "a",
		    .history = "1",
		    .attempt = "1000",
		    .max = "null" } } },
		2, { 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"RUNNING\"",
		    .history = "[\"PENDING\",\"READY\",\"RUNNING\",\"READY\","
			       "\"RUNNING\"]",
		    .max = "1",
		    BAD_ATTEMPT } } },
		1, { LEDGER_ATTEMPT_LIMIT } },
	/* Evidence: a blank one is none, of another nobody knows. */
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    .status = "\"PASSED\"",
			    .history = WALK,
			    .attempt = "1",
			    .evidence = "[\" \",\"\\t\",\"\"]" } } },
		3, { LEDGER_EVIDENCE_MISSING } },
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    .status = "\"PASSED\"",
			    .history = WALK,
			    .attempt = "1",
			    .evidence = "[\" \",1]" } } },
		2, { 0 } },
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    .status = "\"PASSED\"",
			    .history = WALK,
			    .attempt = "1",
			    .required = "1" } } },
		1, { 0 } },
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    .status = "\"PASSED\"",
			    .history = WALK,
			    BAD_ATTEMPT,
			    .title = "\"\"" } } },
		2, { LEDGER_EVIDENCE_MISSING } },
	/* Approvals. */
	{ { .node = { { .id = "a",
		    READY,
		    .access = "1",
		    .approval = "\"denied\"" } } },
		1, { LEDGER_APPROVAL_OPEN } },
	{ { .node = { { .id = "a", READY, .access = "1" } } }, 1, { 0 } },
	{ { .node = { { .id = "a",
		    READY,
		    .access = "\"destructive\"",
		    .approval = "1" } } },
		1, { 0 } },
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    WAITS,
			    .more = ",\"approval\":\"denied\"" } } },
		1, { 0 } },
	{ { .node = { { .id = "b" },
		    { .id = "a",
			    .status = "\"NEEDS_APPROVAL\"",
			    .history = "[\"PENDING\",\"NEEDS_APPROVAL\"]",
			    .access = "1",
			    BAD_ATTEMPT } } },
		2, { LEDGER_APPROVAL_WORD } },
	/* Dependencies: which node is meant, and its status. */
	{ { .node = { { .id = "a", BAD_ATTEMPT },
		    { .id = "b",
			    READY,
			    .depends = "[1,\"x\",\"a\"]",
			    .max = "0" } } },
		4, { LEDGER_DEPENDENCY_OPEN } },
	{ { .node = { { .id = "b", READY, .depends = "[\"x\"]" } } }, 1,
		{ 0 } },
	{ { .node = { { .id = "a", LOST },
		    { .id = "b", READY, .depends = "[\"a\"]" } } },
		1, { 0 } },
	{ { .node = { { .id = "a" }, { .id = "a", BLOCKED },
		    { .id = "b", READY, .depends = "[\"a\"]" } } },
		1, { 0 } },
	{ { .node = { { .id = "a" },
		    { .id = "b", LOST, .depends = "[\"a\"]" } } },
		1, { 0 } },
	/* Cycles: of nodes that are known, whatever else is broken in them. */
	{ { .node = { { .id = "a", .depends = "[\"b\",1]", BAD_ATTEMPT },
		    { .id = "b", LOST, .depends = "[\"a\"]" } } },
		3, { LEDGER_CYCLE } },
	{ { .node = { { .id = "a", .depends = "[\"a\",\"b\"]" },
		    { .id = "b", .depends = "[\"a\",\"b\"]" } } },
		0, { LEDGER_CYCLE, LEDGER_CYCLE, LEDGER_CYCLE } },
	{ { .node = { { .id = "a", .depends = "[\"b\"]" }, { .id = "a" },
		    { .id = "b", .depends = "[\"a\"]" } } },
		1, { 0 } },
	/* The run: something moves, whatever is broken beside it. */
	{ { .status = "\"COMPLETE\"",
		  .task = "\"\"",
		  .node = { { .id = "a", READY } } },
		1, { LEDGER_RUN_MOVES } },
	{ { .status = "\"COMPLETE\"",
		  .more = ",\"x\":1,\"x\":2",
		  .node = { { .id = "a", READY, .title = "\"\"" } } },
		3, { LEDGER_RUN_MOVES } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", READY, BAD_ATTEMPT },
			  { .id = "b", BLOCKED, .depends = "[\"x\"]" },
			  { .id = "b", BLOCKED } } },
		3, { LEDGER_RUN_MOVES } },
	{ { .status = "\"BLOCKED\"", .nodes = "[null]" }, 1, { 0 } },
	{ { .status = "\"DONE\"", .node = { { .id = "a", READY } } }, 1,
		{ 0 } },
	{ { .status = "\"BLOCKED\"",
		  .more = ",\"nodes\":[]",
		  .node = { { .id = "a", READY } } },
		1, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", BLOCKED },
			  { .id = "b", .depends = "[\"x\"]" } } },
		1, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", BLOCKED },
			  { .id = "b", .depends = "[\"x\",\"a\"]" } } },
		1, { 0 } },
	{ { .status = "\"FAILED\"",
		  .node = { { .id = "a", BLOCKED },
			  { .id = "b", .depends = "[\"x\",\"a\"]" } } },
		1, { LEDGER_RUN_UNEARNED } },
	/* What can't be earned is a claim too much, whatever is earned. */
	{ { .status = "\"COMPLETE\"",
		  .node = { { .id = "a", BLOCKED }, { .id = "b", LOST } } },
		1, { LEDGER_RUN_UNEARNED } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED },
			  { .id = "b", BLOCKED, .access = "1" } } },
		1, { LEDGER_RUN_UNEARNED } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a",
				    .status = "\"FAILED\"",
				    .history = "[\"PENDING\",\"READY\","
					       "\"RUNNING\",\"FAILED\"]",
				    .attempt = "1",
				    .max = "0" },
			  { .id = "b", BLOCKED } } },
		1, { 0 } },
	{ { .status = "\"COMPLETE\"",
		  .node = { { .id = "a",
			  .status = "\"PASSED\"",
			  .history = WALK,
			  .attempt = "1",
			  .evidence = "1" } } },
		1, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", WAITS, .role = "1" },
			  { .id = "b", BLOCKED } } },
		1, { LEDGER_RUN_ORDER } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", WAITS }, { .id = "b", LOST } } },
		1, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED }, { .id = "b", LOST } } },
		1, { LEDGER_RUN_UNEARNED } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED }, { .id = "b", LOST },
			  { .id = "c", LOST } } },
		2, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED }, { .id = "b", LOST },
			  { .id = "c",
				  .depends = "[\"b\"]",
				  .approval = "\"required\"" } } },
		1, { LEDGER_RUN_UNEARNED } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED }, { .id = "b", LOST },
			  { .id = "c",
				  .depends = "[\"x\"]",
				  .approval = "\"required\"" } } },
		2, { 0 } },
	{ { .status = "\"BLOCKED\"",
		  .node = { { .id = "a", FAILED }, { .id = "b", LOST },
			  { .id = "c", BLOCKED } } },
		1, { 0 } },
	/* A claim too few: when all that may be earned is final. */
	{ { .node = { { .id = "a", BLOCKED, .required = "1" } } }, 1,
		{ LEDGER_RUN_UNCLAIMED } },
	{ { .node = { { .id = "a",
			      .status = "\"FAILED\"",
			      .history = "[\"PENDING\",\"READY\",\"RUNNING\","
					 "\"FAILED\"]",
			      .attempt = "1",
			      .max = "0" },
		    { .id = "b", BLOCKED } } },
		1, { LEDGER_RUN_UNCLAIMED } },
	{ { .node = { { .id = "a", BLOCKED }, { .id = "b", LOST } } }, 1,
		{ 0 } },
	{ { .node = { { .id = "a",
		    .status = "\"FAILED\"",
		    .history = "[\"PENDING\",\"READY\",\"RUNNING\",\"FAILED\"]",
		    .attempt = "1",
		    .max = "0" } } },
		1, { 0 } },
};

static void
what_stays_wrong_however_a_fault_is_mended_is_told(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(mixes) / sizeof(mixes[0]); i++) {
		const struct mix *m = &mixes[i];
		uint32_t rules[LEDGER_RULE_COUNT] = { 0 };
		uint32_t shape = 0;
		struct doc_read r;

		doc_read(&r, &m->d, false);
		for (uint32_t k = 0; k < r.f.count; k++) {
			if (r.f.items[k].rule < LEDGER_CYCLE)
				shape++;
			else
				rules[r.f.items[k].rule]++;
		}
		for (size_t k = 0; k < 4 && m->rules[k] != 0; k++)
			rules[m->rules[k]]--;
		for (int rule = 0; rule < LEDGER_RULE_COUNT; rule++) {
			if (rules[rule] == 0 && shape == m->shape)
				continue;
			show_findings(&r);
			fail_msg("row %zu has other findings", i);
		}
		doc_release(&r);
	}
}

static void
a_field_that_is_unknown_and_twice_is_told_as_both(void **unused)
{
	static const struct doc bad = {
		.node = { { .id = "a", .more = ",\"x\":1,\"x\":1" } }
	};
	struct doc_read r;

	(void)unused;
	doc_read(&r, &bad, false);
	assert_int_equal(r.f.count, 2);
	assert_int_equal(r.f.items[0].rule, LEDGER_UNKNOWN_FIELD);
	assert_int_equal(r.f.items[1].rule, LEDGER_DUPLICATE_FIELD);
	doc_release(&r);
}

/* The second that has an id is told under it, too. */
static void
a_finding_names_its_node_and_its_place(void **unused)
{
	static const struct doc bad = { .status = "\"COMPLETE\"",
		.node = { { .id = "a" }, { .id = "a" },
			{ .id = "b", READY, .depends = "[\"x\",\"c\"]" },
			{ .id = "c", .max = "0" } } };
	static const struct {
		enum ledger_rule rule;
		const char *pointer, *node, *message;
	} rows[] = {
		{ LEDGER_RUN_MOVES, "/status", "",
			"the run is COMPLETE while 'a' can move" },
		{ LEDGER_DUPLICATE_ID, "/nodes/1/id", "a",
			"the id is that of /nodes/0, too" },
		{ LEDGER_UNKNOWN_DEPENDENCY, "/nodes/2/depends_on/0", "b",
			"depends on 'x', and no node has that id" },
		{ LEDGER_DEPENDENCY_OPEN, "/nodes/2/depends_on/1", "b",
			"is READY while 'c' is PENDING" },
		{ LEDGER_OUT_OF_BOUNDS, "/nodes/3/max_attempts", "c",
			"0 is not from 1 to 1000" },
	};
	struct doc_read r;

	(void)unused;
	doc_read(&r, &bad, false);
	assert_int_equal(r.f.count, sizeof(rows) / sizeof(rows[0]));
	for (uint32_t i = 0; i < r.f.count; i++) {
		const struct ledger_finding *x = &r.f.items[i];

		assert_int_equal(x->rule, rows[i].rule);
		assert_true(str_eq(x->pointer, str_from(rows[i].pointer)));
		assert_true(str_eq(x->node, str_from(rows[i].node)));
		assert_true(str_eq(x->message, str_from(rows[i].message)));
	}
	doc_release(&r);
}

/* Where several statuses may be earned, each is named, and none advised. */
static void
a_claim_is_told_what_may_be_earned(void **unused)
{
	static const struct {
		struct doc d;
		const char *message, *hint;
	} rows[] = {
		{ { .status = "\"COMPLETE\"",
			  .node = { { .id = "a", FAILED, .role = "1" } } },
			"the run is COMPLETE and has earned FAILED",
			"write \"FAILED\"" },
		{ { .status = "\"COMPLETE\"",
			  .node = { { .id = "a", FAILED },
				  { .id = "b", LOST } } },
			"the run is COMPLETE and has earned RUNNING or "
			"NEEDS_APPROVAL or FAILED",
			"" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doc_read r;

		doc_read(&r, &rows[i].d, false);
		assert_int_equal(r.f.count, 2);
		assert_true(str_eq(
			r.f.items[0].message, str_from(rows[i].message)));
		assert_true(str_eq(r.f.items[0].hint, str_from(rows[i].hint)));
		doc_release(&r);
	}
}

/* By their steps alone: from PASSED nothing leads on, however long it takes. */
static void
a_gap_in_a_history_is_crossed_where_steps_lead(void **unused)
{
	static const struct {
		enum node_status from, to;
		uint32_t unknown;
		bool is;
	} rows[] = {
		{ NODE_FAILED, NODE_READY, 0, true },
		{ NODE_FAILED, NODE_PASSED, 0, false },
		{ NODE_FAILED, NODE_PASSED, 1, false },
		{ NODE_FAILED, NODE_PASSED, 2, true },
		{ NODE_FAILED, NODE_PASSED, UINT32_MAX, true },
		{ NODE_READY, NODE_READY, 0, false },
		{ NODE_READY, NODE_READY, 1, true },
		{ NODE_PASSED, NODE_READY, UINT32_MAX, false },
		{ NODE_SKIPPED, NODE_SKIPPED, 9, false },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(is_ledger_way(rows[i].from, rows[i].to,
					 rows[i].unknown),
			rows[i].is);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			each_rule_has_a_document_that_keeps_and_one_that_breaks_it),
		cmocka_unit_test(every_pair_of_statuses_is_a_step_or_a_note),
		cmocka_unit_test(a_cycle_is_printed_whole),
		cmocka_unit_test(
			a_ledger_that_was_not_read_is_judged_without_places),
		cmocka_unit_test(findings_stand_in_the_order_of_the_document),
		cmocka_unit_test(
			what_stays_wrong_however_a_fault_is_mended_is_told),
		cmocka_unit_test(
			a_field_that_is_unknown_and_twice_is_told_as_both),
		cmocka_unit_test(a_finding_names_its_node_and_its_place),
		cmocka_unit_test(a_claim_is_told_what_may_be_earned),
		cmocka_unit_test(
			a_gap_in_a_history_is_crossed_where_steps_lead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
