/*
 * input_required: a decision that is a question to a human (design 3.7), and
 * acts that a human denies: what is refused, and where the node goes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "B", .paths = "lib" },
};

enum { STEPS_MAX = 32 };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* NULL: the usual one */
};

#define REPORT(a)                                                              \
	{ (a), EV_ATTEMPT_RESERVED, NULL }, { (a), EV_ATTEMPT_STARTED, NULL }, \
	{                                                                      \
		(a), EV_ATTEMPT_REPORTED, NULL                                 \
	}
#define CHECKED(a, verdict)                         \
	REPORT(a), { (a), EV_CHECK_STARTED, NULL }, \
	{                                           \
		(a), EV_CHECK_RECORDED, verdict     \
	}
#define TWICE                                                         \
	CHECKED("A@1", "fail"), { "A@1", EV_ATTEMPT_REJECTED, NULL }, \
		CHECKED("A@2", "fail")
#define FAILED                                \
	TWICE,                                \
	{                                     \
		"A@2", EV_NODE_GRADED, "fail" \
	}
/* Who asks, and what: "act" and "question" are the coordinator's. */
#define ASK(what)                             \
	{                                     \
		"A", EV_QUESTION_OPENED, what \
	}
#define INPUT                                               \
	{                                                   \
		"A", EV_DECISION_RECORDED, "input_required" \
	}
#define ANSWER                                  \
	{                                       \
		"A", EV_QUESTION_ANSWERED, NULL \
	}
#define DENY                                        \
	{                                           \
		"A", EV_QUESTION_ANSWERED, "denied" \
	}

static struct command
command_of(struct run_fixture *f, const struct step *s)
{
	bool asks = s->type == EV_QUESTION_OPENED;
	struct command cmd = fixture_command_word(
		f, s->type, s->subject, asks ? NULL : s->word);
	struct event *e = &cmd.event;

	if (s->type == EV_QUESTION_ANSWERED)
		cmd.actor = ACTOR_HUMAN;
	if (!asks)
		return cmd;
	if (!str_eq(str_from(s->word), STR("question")))
		EVENT_SET(e, F_KIND, kind, STR("act"));
	if (!str_eq(str_from(s->word), STR("worker"))) {
		e->has[F_ASKED / 64] &= ~(UINT64_C(1) << (F_ASKED % 64));
		e->has[F_ASK / 64] &= ~(UINT64_C(1) << (F_ASK % 64));
	}
	return cmd;
}

static void
fixture_at(struct run_fixture *f, const struct step *steps)
{
	fixture_init_of(f, rows, 2);
	for (size_t i = 0; i < STEPS_MAX && steps[i].subject != NULL; i++) {
		struct command cmd = command_of(f, &steps[i]);

		fixture_do(f, &cmd);
	}
}

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                   \
	static void name(struct command *cmd) \
	{                                     \
		change;                       \
	}

TWIST(plain, (void)cmd)
TWIST(by_coordinator, cmd->actor = ACTOR_COORDINATOR)
TWIST(by_human, cmd->actor = ACTOR_HUMAN)
TWIST(maybe, cmd->event.decision = STR("maybe"))
TWIST(first_question, EVENT_SET(&cmd->event, F_QUESTION, question, STR("q1")))
TWIST(no_question, EVENT_SET(&cmd->event, F_QUESTION, question, STR("q9")))

#define YES PAWL_CODE_COUNT

static const struct row {
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code;     /* YES: it is decided */
	enum node_status status; /* of A, afterwards; only then */
} table[] = {
	/* asked: the attempt ends, what failed stays so */
	{ { TWICE, ASK("act") }, INPUT, plain, YES, NODE_NEEDS_APPROVAL },
	{ { FAILED, ASK("act") }, INPUT, plain, YES, NODE_FAILED },
	/* answered: one attempt more */
	{ { TWICE, ASK("act"), INPUT }, ANSWER, plain, YES, NODE_READY },
	{ { FAILED, ASK("act"), INPUT }, ANSWER, plain, YES, NODE_READY },
	{ { TWICE, ASK("act"), INPUT }, ANSWER, by_coordinator,
		ERR_NOT_PERMITTED, 0 },
	{ { FAILED, ASK("act"), INPUT }, { "A@3", EV_ATTEMPT_RESERVED, NULL },
		plain, ERR_TASK_NOT_READY, 0 },
	/* denied: it is not to be */
	{ { TWICE, ASK("act"), INPUT }, DENY, plain, YES, NODE_BLOCKED },
	{ { FAILED, ASK("act"), INPUT }, DENY, plain, YES, NODE_FAILED },
	{ { FAILED, ASK("act"), INPUT, DENY },
		{ "A", EV_DECISION_RECORDED, "amend_paths" }, plain, YES,
		NODE_READY },
	{ { TWICE, ASK("act"), INPUT, DENY }, { "A", EV_NODE_UNBLOCKED, NULL },
		plain, YES, NODE_READY },
	/* once, and not before the allowance is used */
	{ { FAILED, ASK("act"), INPUT }, INPUT, first_question,
		ERR_QUESTION_NOT_FOUND, 0 },
	{ { FAILED, ASK("act"), INPUT, ANSWER }, INPUT, first_question,
		ERR_ALLOWANCE_LEFT, 0 },
	{ { CHECKED("A@1", "fail"), ASK("act") }, INPUT, plain,
		ERR_ALLOWANCE_LEFT, 0 },
	/* again, once what was granted has failed as well */
	{ { FAILED, ASK("act"), INPUT, ANSWER, CHECKED("A@3", "fail"),
		  ASK("act") },
		INPUT, plain, YES, NODE_NEEDS_APPROVAL },
	{ { FAILED, ASK("act"), INPUT, ANSWER, CHECKED("A@3", "fail"),
		  { "A@3", EV_NODE_GRADED, "fail" }, ASK("act"), INPUT },
		ANSWER, plain, YES, NODE_READY },
	/* only a question that a human answers, of the coordinator's own */
	{ { FAILED }, INPUT, no_question, ERR_QUESTION_NOT_FOUND, 0 },
	{ { FAILED, ASK("question") }, INPUT, first_question,
		ERR_QUESTION_NOT_FOUND, 0 },
	{ { TWICE, ASK("worker") }, INPUT, first_question,
		ERR_QUESTION_NOT_FOUND, 0 },
	{ { FAILED, ASK("act"), ANSWER }, INPUT, first_question,
		ERR_QUESTION_NOT_FOUND, 0 },
	{ { FAILED, ASK("act") }, INPUT, by_human, ERR_NOT_PERMITTED, 0 },
	/* not under a check, nor after the integration */
	{ { CHECKED("A@1", "fail"), { "A@1", EV_ATTEMPT_REJECTED, NULL },
		  REPORT("A@2"), { "A@2", EV_CHECK_STARTED, NULL },
		  ASK("act") },
		INPUT, plain, ERR_ATTEMPT_STATE, 0 },
	{ { CHECKED("A@1", "fail"), { "A@1", EV_ATTEMPT_REJECTED, NULL },
		  CHECKED("A@2", "pass"), { "A@2", EV_INTEGRATED, NULL },
		  ASK("act") },
		INPUT, plain, ERR_ATTEMPT_STATE, 0 },
	/* an act of a worker that is denied: its node goes on */
	{ { REPORT("A@1"), ASK("worker") }, DENY, plain, YES, NODE_RUNNING },
	{ { { "A@1", EV_ATTEMPT_RESERVED, NULL },
		  { "A@1", EV_ATTEMPT_STARTED, NULL }, ASK("worker"),
		  { "A@1", EV_ATTEMPT_INTERRUPTED, "input_required" } },
		DENY, plain, YES, NODE_READY },
	{ { REPORT("A@1"), ASK("worker") }, DENY, by_coordinator,
		ERR_NOT_PERMITTED, 0 },
	{ { REPORT("A@1"), ASK("worker") }, DENY, maybe, ERR_INVALID_ARGUMENT,
		0 },
	{ { REPORT("A@1"), ASK("question") }, DENY, plain, ERR_INVALID_ARGUMENT,
		0 },
	{ { REPORT("A@1"), ASK("worker"), DENY }, ANSWER, plain,
		ERR_QUESTION_ANSWERED, 0 },
	{ { REPORT("A@1"), ASK("worker"), ANSWER }, DENY, plain,
		ERR_QUESTION_ANSWERED, 0 },
};

static void
each_row_is_answered_as_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *row = &table[i];
		struct buf before = { 0 }, after = { 0 };
		enum pawl_code code = YES;
		struct run_fixture f;
		struct command cmd;

		fixture_at(&f, row->steps);
		cmd = command_of(&f, &row->last);
		row->twist(&cmd);
		fixture_projection(&f.s, &before);
		if (fixture_try(&f, &cmd) != PAWL_OK)
			code = f.err.code;
		fixture_projection(&f.s, &after);
		if (code != row->code || f.broken != NULL ||
			str_eq(buf_str(&before), buf_str(&after)) !=
				(code != YES))
			fail_msg("row %zu: code %d, %s", i, code, f.err.msg);
		if (code == YES && f.s.nodes[0].status != row->status)
			fail_msg("row %zu: A is %s", i,
				node_status_word(f.s.nodes[0].status).ptr);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* C101: the answer is the grant of one attempt, whichever way it was asked. */
static void
a_decision_that_was_answered_serves_one_attempt(void **state)
{
	static const struct step ways[][STEPS_MAX] = {
		{ TWICE, ASK("act"), INPUT, ANSWER },
		{ FAILED, ASK("act"), INPUT, ANSWER },
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct run_fixture f;
		struct command cmd;

		fixture_at(&f, ways[i]);
		assert_int_equal(f.s.decisions.items[0].attempt_1, 0);
		if (f.s.attempts.items[1].unreconciled)
			fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@2");
		fixture_step(&f, EV_ATTEMPT_RESERVED, "A@3");
		assert_int_equal(f.s.decisions.items[0].attempt_1, 3);
		fixture_step(&f, EV_ATTEMPT_STARTED, "A@3");
		fixture_step(&f, EV_ATTEMPT_REPORTED, "A@3");
		fixture_step(&f, EV_CHECK_STARTED, "A@3");
		fixture_step_word(&f, EV_CHECK_RECORDED, "A@3", "fail");
		cmd = fixture_command(&f, EV_ATTEMPT_REJECTED, "A@3");
		cmd.event.hypothesis = STR("another one");
		assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
		assert_int_equal(f.err.code, ERR_REPAIR_CAP_REACHED);
		fixture_release(&f);
	}
}

/* A run in which nothing else moves waits for a human, not for ever. */
static void
a_failed_node_that_is_asked_about_waits_for_a_human(void **state)
{
	static const struct step steps[] = { FAILED, ASK("act"), INPUT, { 0 } };
	struct run_fixture f;

	(void)state;
	fixture_at(&f, steps);
	fixture_pass(&f, "B");
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_answered_as_it_says),
		cmocka_unit_test(
			a_decision_that_was_answered_serves_one_attempt),
		cmocka_unit_test(
			a_failed_node_that_is_asked_about_waits_for_a_human),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
