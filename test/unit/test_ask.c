/*
 * Questions: who may ask and answer what, when; what waits for an answer and
 * what goes on with it; and that what is refused changes nothing (C093, C094).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "golden.h"
#include "model/ask_doc.h"
#include "model/capsule.h"
#include "model/ready.h"
#include "model/view.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "B", .depends = "A", .paths = "b" },
	{ .id = "G", .paths = "g", .more = "Approval: required" },
	{ .id = "R", .paths = "docs", .mode = "read" },
};

enum { STEPS_MAX = 12, ROWS = sizeof(rows) / sizeof(rows[0]) };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* NULL: the usual one */
};

/* clang-format off */
#define RESERVE(a) { a, EV_ATTEMPT_RESERVED, NULL }
#define START(a) RESERVE(a), { a, EV_ATTEMPT_STARTED, NULL }
#define REPORT(a) START(a), { a, EV_ATTEMPT_REPORTED, NULL }
#define CHECKED(a) REPORT(a), { a, EV_CHECK_STARTED, NULL }, \
	{ a, EV_CHECK_RECORDED, "pass" }
#define INTEGRATED(a) CHECKED(a), { a, EV_INTEGRATED, NULL }
#define ASK(n) { n, EV_QUESTION_OPENED, NULL }
#define ANSWER(n) { n, EV_QUESTION_ANSWERED, NULL }
#define WAITS(a) { a, EV_ATTEMPT_INTERRUPTED, "input_required" }
#define PUT_BACK(a) { a, EV_WORKSPACE_RECONCILED, NULL }
#define NOTHING { { 0 } }
/* clang-format on */

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                 \
	static void name(struct command *c) \
	{                                   \
		change;                     \
	}

TWIST(plain, (void)c)
TWIST(stale, c->gen--)
TWIST(by_human, c->actor = ACTOR_HUMAN)
TWIST(by_coordinator, c->actor = ACTOR_COORDINATOR)
TWIST(old_coordinator, c->actor = ACTOR_COORDINATOR; c->gen--)
TWIST(empty_text, c->event.prompt = c->event.answer = STR(" \n\t"))
TWIST(other_kind, c->event.kind = STR("wish"))
TWIST(other_question, c->event.question = STR("q7"))
TWIST(zero_question, c->event.question = STR("q0"))
TWIST(padded_question, c->event.question = STR("q01"))
TWIST(first_question, c->event.question = STR("q1"))
TWIST(no_attempt, EVENT_SET(&c->event, F_ASKED, asked, STR("A@9")))
TWIST(attempt_of_a, EVENT_SET(&c->event, F_ASKED, asked, STR("A@1")))
TWIST(message_1, EVENT_SET(&c->event, F_ASK, ask, 1))
TWIST(message_too_far, EVENT_SET(&c->event, F_ASK, ask, BOUND_ASKS + 1))
TWIST(last_message, EVENT_SET(&c->event, F_ASK, ask, BOUND_ASKS))
TWIST(an_act, c->event.kind = STR("act"))

struct row {
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code; /* PAWL_CODE_COUNT: it is decided */
};

#define YES PAWL_CODE_COUNT

static const struct row table[] = {
	/* asking: the worker of an attempt that lives, or the coordinator */
	{ { START("A@1") }, ASK("A"), plain, YES },
	{ { REPORT("A@1") }, ASK("A"), plain, YES },
	{ { START("A@1") }, ASK("A"), stale, ERR_STALE_COORDINATOR },
	{ { START("A@1") }, ASK("A"), by_human, ERR_NOT_PERMITTED },
	{ { START("A@1") }, ASK("A"), empty_text, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASK("A"), other_kind, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASK("A"), an_act, YES },
	{ { START("A@1") }, ASK("A"), other_question, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASK("A"), padded_question, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASK("A"), no_attempt, ERR_ATTEMPT_NOT_FOUND },
	{ { START("A@1"), START("R@1") }, ASK("R"), attempt_of_a,
		ERR_INVALID_ARGUMENT },
	{ { RESERVE("A@1") }, ASK("A"), attempt_of_a, ERR_ATTEMPT_STATE },
	{ { START("A@1"), { "A@1", EV_ATTEMPT_LOST, NULL } }, ASK("A"),
		attempt_of_a, ERR_ATTEMPT_STATE },
	{ { START("A@1"), ASK("A") }, ASK("A"), plain, YES },
	{ { START("A@1"), ASK("A") }, ASK("A"), message_1, ERR_ID_TAKEN },
	{ { START("A@1") }, ASK("A"), last_message, YES },
	{ { START("A@1") }, ASK("A"), message_too_far, ERR_LIMIT },
	{ NOTHING, ASK("A"), plain, YES },
	{ NOTHING, ASK("B"), plain, YES },
	{ { INTEGRATED("A@1"), { "A@1", EV_NODE_GRADED, "pass" } }, ASK("A"),
		plain, ERR_ATTEMPT_STATE },
	{ { { "G", EV_GATE_DECIDED, "granted" },
		  { "", EV_RUN_CLOSED, "partial" } },
		ASK("A"), plain, ERR_RUN_CLOSED },
	/* C094: unknown, answered, stale */
	{ NOTHING, ANSWER("A"), first_question, ERR_QUESTION_NOT_FOUND },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), other_question,
		ERR_QUESTION_NOT_FOUND },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), zero_question,
		ERR_QUESTION_NOT_FOUND },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), padded_question,
		ERR_QUESTION_NOT_FOUND },
	{ { START("A@1"), ASK("A") }, ANSWER("R"), first_question,
		ERR_QUESTION_NOT_FOUND },
	{ { START("A@1"), ASK("A"), ANSWER("A") }, ANSWER("A"), first_question,
		ERR_QUESTION_ANSWERED },
	{ { START("A@1"), ASK("A"), { "A@1", EV_ATTEMPT_LOST, NULL } },
		ANSWER("A"), first_question, ERR_QUESTION_STALE },
	{ { START("A@1"), ASK("A"), { "A@1", EV_ATTEMPT_INTERRUPTED, "x" } },
		ANSWER("A"), first_question, ERR_QUESTION_STALE },
	/* who answers */
	{ { START("A@1"), ASK("A") }, ANSWER("A"), plain, YES },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), by_coordinator, YES },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), old_coordinator,
		ERR_STALE_COORDINATOR },
	{ { START("A@1"), ASK("A") }, ANSWER("A"), empty_text,
		ERR_INVALID_ARGUMENT },
	{ { START("A@1"), { "A", EV_QUESTION_OPENED, "act" } }, ANSWER("A"),
		by_coordinator, ERR_NOT_PERMITTED },
	{ { START("A@1"), { "A", EV_QUESTION_OPENED, "act" } }, ANSWER("A"),
		plain, YES },
	/* C093: an end that waits for an answer needs a question */
	{ { START("A@1") }, WAITS("A@1"), plain, ERR_ATTEMPT_STATE },
	{ { START("A@1"), ASK("A") }, WAITS("A@1"), plain, YES },
	{ { START("A@1"), ASK("A"), ANSWER("A") }, WAITS("A@1"), plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1"), ASK("A") },
		{ "A@1", EV_ATTEMPT_LOST, "input_required" }, plain,
		ERR_ATTEMPT_STATE },
	/* what an open question keeps from happening */
	{ { INTEGRATED("A@1"), ASK("A") }, { "A@1", EV_NODE_GRADED, "pass" },
		plain, ERR_QUESTION_OPEN },
	{ { INTEGRATED("A@1"), ASK("A"), ANSWER("A") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { REPORT("A@1"), ASK("A"), { "A@1", EV_CHECK_STARTED, NULL },
		  { "A@1", EV_CHECK_RECORDED, "fail" } },
		{ "A@1", EV_NODE_GRADED, "fail" }, plain, YES },
	{ { ASK("A") }, RESERVE("A@1"), plain, ERR_QUESTION_OPEN },
	{ { ASK("A"), ANSWER("A") }, RESERVE("A@1"), plain, YES },
	{ { ASK("A") }, RESERVE("R@1"), plain, YES },
	{ { START("A@1"), ASK("A"), WAITS("A@1"), PUT_BACK("A@1") },
		RESERVE("A@2"), plain, ERR_QUESTION_OPEN },
	{ { START("A@1"), ASK("A"), WAITS("A@1"), PUT_BACK("A@1"),
		  ANSWER("A") },
		RESERVE("A@2"), plain, YES },
	{ { START("A@1"), ASK("A"), ASK("A"), WAITS("A@1"), PUT_BACK("A@1"),
		  ANSWER("A") },
		RESERVE("A@2"), plain, ERR_QUESTION_OPEN },
};

static void
step(struct run_fixture *f, const struct step *s)
{
	struct command cmd =
		fixture_command_word(f, s->type, s->subject, s->word);

	if (s->type == EV_QUESTION_OPENED && s->word != NULL)
		cmd.event.kind = str_from(s->word);
	fixture_do(f, &cmd);
}

static void
each_row_is_decided_as_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *row = &table[i];
		struct buf before = { 0 }, after = { 0 };
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		fixture_init_of(&f, rows, ROWS);
		for (size_t k = 0; row->steps[k].subject != NULL; k++)
			step(&f, &row->steps[k]);
		cmd = fixture_command_word(
			&f, row->last.type, row->last.subject, row->last.word);
		row->twist(&cmd);
		fixture_projection(&f.s, &before);
		rc = fixture_try(&f, &cmd);
		if ((row->code == YES) != (rc == PAWL_OK) ||
			(rc != PAWL_OK && f.err.code != row->code))
			fail_msg("row %zu: %s", i,
				rc == PAWL_OK ? "decided" : f.err.msg);
		if (rc != PAWL_OK) {
			fixture_projection(&f.s, &after);
			assert_true(str_eq(buf_str(&before), buf_str(&after)));
		} else if (f.broken != NULL) {
			fail_msg("row %zu: %s", i, f.broken);
		}
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

static void
status_is(
	const struct run_fixture *f, const char *node, enum node_status status)
{
	assert_int_equal(f->s.nodes[fixture_node(f, node)].status, status);
}

/* C093: three workers that ask and end; then it passes as a first attempt. */
static void
ends_that_wait_cost_nothing_of_the_allowance(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, ROWS);
	for (unsigned i = 1; i <= BOUND_ENDS_WITHOUT_VERDICT + 1u; i++) {
		const char *attempt =
			arena_strdup(&f.mem, arena_format(&f.mem, "A@%u", i));

		fixture_step(&f, EV_ATTEMPT_RESERVED, attempt);
		fixture_step(&f, EV_ATTEMPT_STARTED, attempt);
		fixture_step(&f, EV_QUESTION_OPENED, "A");
		fixture_step_word(
			&f, EV_ATTEMPT_INTERRUPTED, attempt, "input_required");
		status_is(&f, "A", NODE_NEEDS_APPROVAL);
		fixture_step(&f, EV_WORKSPACE_RECONCILED, attempt);
		assert_int_equal(f.s.live_attempts, 0);
		fixture_step(&f, EV_QUESTION_ANSWERED, "A");
		status_is(&f, "A", NODE_READY);
	}
	assert_int_equal(f.s.breaker.count, 0);
	assert_int_equal(f.s.nodes[fixture_node(&f, "A")].rejects, 0);
	fixture_pass(&f, "A");
	status_is(&f, "A", NODE_PASSED);
	status_is(&f, "B", NODE_READY);
	fixture_release(&f);
}

static void
a_granted_node_needs_no_second_grant_after_the_answer(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, ROWS);
	fixture_step(&f, EV_GATE_DECIDED, "G");
	fixture_step(&f, EV_ATTEMPT_RESERVED, "G@1");
	fixture_step(&f, EV_ATTEMPT_STARTED, "G@1");
	fixture_step(&f, EV_QUESTION_OPENED, "G");
	fixture_step_word(&f, EV_ATTEMPT_INTERRUPTED, "G@1", "input_required");
	status_is(&f, "G", NODE_NEEDS_APPROVAL);
	assert_true(is_node_asking(&f.s, fixture_node(&f, "G")));
	assert_int_equal(f.s.gates_open, 0);
	fixture_step(&f, EV_QUESTION_ANSWERED, "G");
	status_is(&f, "G", NODE_READY);
	assert_int_equal(f.s.gates_open, 0);
	fixture_release(&f);
}

/* A run in which only answers can move anything says so. */
static void
a_run_waits_for_a_human_when_all_that_moves_is_held(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	/* A check that runs is judged in any case. */
	fixture_step(&f, EV_CHECK_STARTED, "A@1");
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_step_word(&f, EV_CHECK_RECORDED, "A@1", "pass");
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_release(&f);
}

/* At work its worker moves, whatever it has asked; READY it is held. */
static void
a_worker_that_asks_goes_on_and_a_node_that_is_asked_about_waits(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "A")).hold, HOLD_QUESTION);
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_release(&f);
}

static bool
says(const struct buf *out, const char *words)
{
	return strstr(out->data, words) != NULL;
}

/* What status, next, explain and the board show, with what to type. */
static void
a_question_is_shown_with_the_command_that_answers(void **state)
{
	struct arena mem = ARENA_INIT;
	struct run_fixture f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct explanation ex;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	fixture_step_word(&f, EV_ATTEMPT_INTERRUPTED, "A@1", "input_required");
	view_status(&out, &f.s, false, 10, UINT32_MAX);
	assert_true(says(&out, "1 waits for you"));
	assert_true(says(&out,
		"waits for you: A, question q1 waits for an answer: May I?  "
		"(pawl answer r-20261130-k3x7qa/q1 TEXT)\n"));
	assert_true(says(&out, "next: answer r-20261130-k3x7qa/q1"));
	buf_clear(&out);
	view_board(&out, &f.s, false, 200, 20);
	assert_true(says(&out, "q1 TEXT)"));
	buf_clear(&out);
	explain_node(&f.s, fixture_node(&f, "A"), 4, &mem, &ex);
	explain_text(&out, &f.s, &ex);
	assert_true(says(&out,
		"A isn't ready: question q1 waits for an answer: May I?\n"));
	buf_clear(&out);
	explain_node(&f.s, fixture_node(&f, "B"), 4, &mem, &ex);
	explain_text(&out, &f.s, &ex);
	assert_true(says(
		&out, "B isn't ready: A is NEEDS_APPROVAL (question q1)\n"));
	assert_true(says(&out, "pawl answer r-20261130-k3x7qa/q1 TEXT"));
	buf_clear(&out);
	view_status_json(&w, &f.s, false, 10);
	assert_true(says(
		&out, "\"questions\":[{\"type\":\"question\",\"id\":\"q1"));
	buf_release(&out);
	arena_reset(&mem);
	fixture_release(&f);
}

/* The next worker is told; the same bytes before and after it is reserved. */
static void
the_next_capsule_holds_the_answer(void **state)
{
	struct capsule_facts facts = { .number = 1,
		.base = STR("ba5e"),
		.workspace = STR("/w"),
		.outbox = STR("/o"),
		.deadline_ms = 1 };
	struct arena mem = ARENA_INIT;
	struct run_fixture f;
	struct buf first = { 0 }, second = { 0 }, prompt = { 0 };
	struct json_writer w = { .out = &first }, w2 = { .out = &second };

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	facts.seq_reserved = f.s.attempts.items[0].seq_reserved;
	capsule_write(&w, &f.s, &facts, &mem);
	assert_false(says(&first, "answers")); /* its own come another way */
	buf_clear(&first);
	w = (struct json_writer){ .out = &first };
	fixture_step_word(&f, EV_ATTEMPT_INTERRUPTED, "A@1", "exit 1");
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
	facts.number = 2;
	facts.seq_reserved = 0;
	capsule_write(&w, &f.s, &facts, &mem);
	assert_true(says(&first,
		"\"answers\":[{\"kind\":\"question\","
		"\"prompt\":\"May I?\",\"answer\":\"yes\","
		"\"by\":\"alice\"}]"));
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_QUESTION_OPENED, "A");
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	facts.seq_reserved = f.s.attempts.items[1].seq_reserved;
	capsule_write(&w2, &f.s, &facts, &mem);
	assert_true(str_eq(buf_str(&first), buf_str(&second)));
	capsule_prompt(&prompt, &f.s, &facts, &mem);
	assert_true(says(&prompt, "\nMay I?\nAnswer: yes\n"));
	buf_release(&first);
	buf_release(&second);
	buf_release(&prompt);
	arena_reset(&mem);
	fixture_release(&f);
}

static void
a_message_is_read_as_it_was_written(void **state)
{
	static const struct {
		const char *bytes;
		enum pawl_code code; /* PAWL_CODE_COUNT: read */
	} messages[] = {
		{ "{\"attempt_id\":\"A@1\",\"kind\":\"act\",\"text\":\"x\"}",
			PAWL_CODE_COUNT },
		{ "{\"attempt_id\":\"A@1\",\"text\":\"x\"}", PAWL_CODE_COUNT },
		{ "{\"attempt_id\":\"A@2\",\"text\":\"x\"}",
			ERR_INVALID_DOCUMENT },
		{ "{\"attempt_id\":\"A@1\",\"text\":\" \"}",
			ERR_INVALID_DOCUMENT },
		{ "{\"attempt_id\":\"A@1\",\"kind\":\"wish\",\"text\":\"x\"}",
			ERR_INVALID_DOCUMENT },
		{ "{\"attempt_id\":\"A@1\",\"text\":\"x\",\"to\":1}",
			ERR_INVALID_DOCUMENT },
		{ "{\"text\":\"x\"}", ERR_INVALID_DOCUMENT },
		{ "[]", ERR_INVALID_DOCUMENT },
		{ "{", ERR_NOT_JSON },
	};
	struct arena mem = ARENA_INIT;
	struct ask_doc doc = { STR("A@1"), ASK_ACT,
		STR("May I \"x\"?\nOr y?") };
	struct ask_doc read;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_int_equal(ask_doc_write(&doc, &out, &err), PAWL_OK);
	assert_int_equal(
		ask_doc_read(&mem, buf_str(&out), STR("A@1"), &read, &err),
		PAWL_OK);
	assert_int_equal(read.kind, ASK_ACT);
	assert_true(str_eq(read.text, doc.text));
	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		enum pawl_rc rc = ask_doc_read(&mem,
			str_from(messages[i].bytes), STR("A@1"), &read, &err);

		if (messages[i].code == PAWL_CODE_COUNT)
			assert_int_equal(rc, PAWL_OK);
		else if (rc == PAWL_OK || err.code != messages[i].code)
			fail_msg("message %zu: %s", i, err.msg);
	}
	buf_release(&out);
	arena_reset(&mem);
}

static void
a_text_at_its_bound_is_asked_and_one_above_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	char *text = arena_bytes(&mem, BOUND_TEXT_BYTES + 1);
	struct ask_doc doc = { .attempt_id = STR("A@1") };
	struct pawl_err err = { 0 };
	struct run_fixture f;
	struct command cmd;
	struct buf out = { 0 };

	(void)state;
	memset(text, 'x', BOUND_TEXT_BYTES + 1);
	fixture_init_of(&f, rows, 2);
	for (size_t len = BOUND_TEXT_BYTES - 1; len <= BOUND_TEXT_BYTES + 1;
		len++) {
		bool good = len <= BOUND_TEXT_BYTES;

		doc.text = (struct str){ text, len };
		assert_int_equal(
			ask_doc_write(&doc, &out, &err) == PAWL_OK, good);
		cmd = fixture_command(&f, EV_QUESTION_OPENED, "A");
		cmd.event.prompt = doc.text;
		assert_int_equal(fixture_try(&f, &cmd) == PAWL_OK, good);
		if (!good)
			assert_int_equal(f.err.code, ERR_LIMIT);
		cmd = fixture_command(&f, EV_QUESTION_ANSWERED, "A");
		cmd.event.answer = doc.text;
		assert_int_equal(fixture_try(&f, &cmd) == PAWL_OK, good);
	}
	buf_release(&out);
	fixture_release(&f);
	arena_reset(&mem);
}

/* Below, at and over: a fold would have ended the run as corrupt. */
static void
open_questions_of_a_node_have_a_limit(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, rows, 2);
	for (int i = 0; i < UINT8_MAX; i++)
		fixture_step(&f, EV_QUESTION_OPENED, "A");
	cmd = fixture_command(&f, EV_QUESTION_OPENED, "A");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_step(&f, EV_QUESTION_ANSWERED, "A");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_OK);
	fixture_release(&f);
}

static void
the_schema_is_the_published_one(void **state)
{
	struct buf out = { 0 };

	(void)state;
	ask_doc_schema(&out);
	golden_check("schemas/question.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_decided_as_it_says),
		cmocka_unit_test(ends_that_wait_cost_nothing_of_the_allowance),
		cmocka_unit_test(
			a_granted_node_needs_no_second_grant_after_the_answer),
		cmocka_unit_test(
			a_run_waits_for_a_human_when_all_that_moves_is_held),
		cmocka_unit_test(
			a_worker_that_asks_goes_on_and_a_node_that_is_asked_about_waits),
		cmocka_unit_test(
			a_question_is_shown_with_the_command_that_answers),
		cmocka_unit_test(the_next_capsule_holds_the_answer),
		cmocka_unit_test(a_message_is_read_as_it_was_written),
		cmocka_unit_test(
			a_text_at_its_bound_is_asked_and_one_above_refused),
		cmocka_unit_test(open_questions_of_a_node_have_a_limit),
		cmocka_unit_test(the_schema_is_the_published_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
