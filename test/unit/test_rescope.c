/*
 * The scope of one attempt, amended between its reservation and its start
 * (design 3.8): what is refused, with which code, and how far it reaches.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/contract.h"
#include "model/ready.h"
#include "model/state_json.h"
#include "paths_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src/a" },
	{ .id = "B", .paths = "src/b" },
	{ .id = "R", .paths = "docs", .mode = "read" },
	{ .id = "Q", .paths = "docs/q", .mode = "read" },
	{ .id = "G", .paths = "lib", .more = "Approval: required" },
};

enum { STEPS_MAX = 24 };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word;  /* NULL: the usual one */
	const char *paths; /* of a scope_amended */
};

#define DO(subject, type, word)                 \
	{                                       \
		(subject), (type), (word), NULL \
	}
#define RESERVE(a) DO(a, EV_ATTEMPT_RESERVED, NULL)
#define START(a) RESERVE(a), DO(a, EV_ATTEMPT_STARTED, NULL)
#define CHECKED(a, verdict)                                                \
	DO(a, EV_ATTEMPT_STARTED, NULL), DO(a, EV_ATTEMPT_REPORTED, NULL), \
		DO(a, EV_CHECK_STARTED, NULL),                             \
		DO(a, EV_CHECK_RECORDED, verdict)
#define RESCOPE(a, paths)                          \
	{                                          \
		(a), EV_SCOPE_AMENDED, NULL, paths \
	}
#define GRANT(node) DO(node, EV_GATE_DECIDED, "granted")

static struct command
command_of(struct run_fixture *f, const struct step *s)
{
	struct command cmd =
		fixture_command_word(f, s->type, s->subject, s->word);

	if (s->type == EV_ATTEMPT_REJECTED && s->word != NULL)
		EVENT_SET(&cmd.event, F_FRESH, fresh, true);
	if (s->paths != NULL)
		paths_fixture(f, &cmd.event, s->paths);
	return cmd;
}

static void
fixture_at(struct run_fixture *f, const struct step *steps)
{
	fixture_init_of(f, rows, sizeof(rows) / sizeof(rows[0]));
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
TWIST(no_reason, cmd->event.reason = STR(" "))
TWIST(no_paths, cmd->event.paths.count = 0)
TWIST(odd_path, cmd->event.paths.items[0] = STR("./src/a"))
TWIST(outside, cmd->event.paths.items[0] = STR("../a"))
TWIST(other_digest, cmd->event.scope_sha256 = STR("0"))
TWIST(by_human, cmd->actor = ACTOR_HUMAN)
TWIST(stale, cmd->gen--)

#define YES PAWL_CODE_COUNT

static const struct row {
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code;
} table[] = {
	/* wider, narrower, elsewhere */
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/a src/c"), plain, YES },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/a/x.c"), plain, YES },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "."), plain, YES },
	{ { RESERVE("A@1"), RESCOPE("A@1", "src/c") }, RESCOPE("A@1", "src/d"),
		plain, YES },
	/* frozen with its start, and with its end */
	{ { START("A@1") }, RESCOPE("A@1", "src/c"), plain, ERR_SCOPE_FROZEN },
	{ { RESERVE("A@1"), DO("A@1", EV_ATTEMPT_START_FAILED, NULL) },
		RESCOPE("A@1", "src/c"), plain, ERR_SCOPE_FROZEN },
	{ { { 0 } }, RESCOPE("A@1", "src/c"), plain, ERR_ATTEMPT_NOT_FOUND },
	{ { RESERVE("A@1"), DO("A@1", EV_ATTEMPT_START_FAILED, NULL),
		  RESERVE("A@2") },
		RESCOPE("A@1", "src/c"), plain, ERR_ATTEMPT_STATE },
	/* over what another attempt works on, or is reserved for */
	{ { RESERVE("A@1"), RESERVE("B@1") }, RESCOPE("A@1", "src/a src/b/x"),
		plain, ERR_SCOPE_OVERLAP },
	{ { RESERVE("A@1"), START("B@1") }, RESCOPE("A@1", "src"), plain,
		ERR_SCOPE_OVERLAP },
	{ { RESERVE("A@1"), RESERVE("B@1"), RESCOPE("B@1", "src/c") },
		RESCOPE("A@1", "src/c/d"), plain, ERR_SCOPE_OVERLAP },
	{ { RESERVE("A@1"), RESERVE("B@1"), RESCOPE("B@1", "src/c") },
		RESCOPE("A@1", "src/b"), plain, YES },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/b"), plain, YES },
	/* over what a delegation of an ended attempt may still touch */
	{ { START("B@1"), DO("B@1", EV_DELEGATION_REQUESTED, NULL),
		  DO("B@1", EV_DELEGATION_APPROVED, NULL),
		  DO("B@1", EV_DELEGATION_STARTED, NULL),
		  DO("B@1", EV_ATTEMPT_INTERRUPTED, NULL), RESERVE("A@1") },
		RESCOPE("A@1", "src/b"), plain, ERR_DELEGATION_OPEN },
	/* readers beside readers only */
	{ { RESERVE("A@1"), RESERVE("R@1") }, RESCOPE("A@1", "docs/r"), plain,
		ERR_SCOPE_OVERLAP },
	{ { RESERVE("A@1"), RESERVE("R@1") }, RESCOPE("R@1", "src"), plain,
		ERR_SCOPE_OVERLAP },
	{ { RESERVE("Q@1"), RESERVE("R@1") }, RESCOPE("R@1", "docs/q"), plain,
		YES },
	/* never past what was approved */
	{ { GRANT("G"), RESERVE("G@1") }, RESCOPE("G@1", "lib/x"), plain, YES },
	{ { GRANT("G"), RESERVE("G@1") }, RESCOPE("G@1", "lib/x src/c"), plain,
		ERR_APPROVAL_STALE },
	{ { GRANT("G"), RESERVE("G@1"), RESCOPE("G@1", "lib/x") },
		RESCOPE("G@1", "lib"), plain, YES },
	/* by whom, and how it is said */
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), by_human,
		ERR_NOT_PERMITTED },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), stale,
		ERR_STALE_COORDINATOR },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), no_reason,
		ERR_REASON_NEEDED },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), no_paths,
		ERR_INVALID_PATH },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), odd_path,
		ERR_INVALID_PATH },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), outside,
		ERR_INVALID_PATH },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c src/c/d"), plain,
		ERR_INVALID_PATH },
	{ { RESERVE("A@1") }, RESCOPE("A@1", "src/c"), other_digest,
		ERR_INVALID_ARGUMENT },
};

static void
a_scope_is_amended_before_the_start_alone(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct buf before = { 0 }, after = { 0 };
		enum pawl_code code = YES;
		struct run_fixture f;
		struct command cmd;

		fixture_at(&f, table[i].steps);
		cmd = command_of(&f, &table[i].last);
		table[i].twist(&cmd);
		fixture_projection(&f.s, &before);
		if (fixture_try(&f, &cmd) != PAWL_OK)
			code = f.err.code;
		fixture_projection(&f.s, &after);
		if (code != table[i].code || f.broken != NULL ||
			str_eq(buf_str(&before), buf_str(&after)) !=
				(code != YES))
			fail_msg("row %zu: code %d, %s", i, code, f.err.msg);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* As the paths that hold of A, and for its attempt `number`. */
static void
assert_scope(struct run_fixture *f, uint32_t number, const char *node,
	const char *attempt, size_t row)
{
	struct contract_view views[2] = { contract_of(&f->s, 0) };
	const char *wants[] = { node, attempt };
	uint32_t at;

	assert_true(state_find_attempt(
		&f->s, arena_format(&f->mem, "A@%u", number), &at));
	views[1] = contract_of_attempt(&f->s, at);
	for (size_t i = 0; i < 2; i++) {
		if (contract_scopes(&views[i]) != 1 ||
			!str_eq(contract_scope(&views[i], 0),
				str_from(wants[i])))
			fail_msg("row %zu: %.*s, not %s", row,
				STR_ARG(contract_scope(&views[i], 0)),
				wants[i]);
	}
}

#define MINE RESERVE("A@1"), RESCOPE("A@1", "src/c")

/* It is the attempt's, and reaches as far as its work does. */
static const struct reach {
	struct step steps[STEPS_MAX];
	uint32_t number;
	const char *node, *attempt;
} reaches[] = {
	{ { MINE }, 1, "src/c", "src/c" },
	{ { MINE, DO("A@1", EV_ATTEMPT_STARTED, NULL) }, 1, "src/c", "src/c" },
	/* given up: the next one begins with the contract */
	{ { MINE, DO("A@1", EV_ATTEMPT_START_FAILED, NULL) }, 1, "src/a",
		"src/c" },
	{ { MINE, DO("A@1", EV_ATTEMPT_ABANDONED, NULL) }, 1, "src/a",
		"src/c" },
	{ { MINE, DO("A@1", EV_ATTEMPT_STARTED, NULL),
		  DO("A@1", EV_ATTEMPT_LOST, NULL) },
		1, "src/a", "src/c" },
	{ { MINE, DO("A@1", EV_ATTEMPT_STARTED, NULL),
		  DO("A@1", EV_ATTEMPT_LOST, NULL),
		  DO("A@1", EV_WORKSPACE_RECONCILED, NULL), RESERVE("A@2") },
		2, "src/a", "src/a" },
	/* a repair goes on with the work, a fresh one doesn't */
	{ { MINE, CHECKED("A@1", "fail"), DO("A@1", EV_ATTEMPT_REJECTED, NULL),
		  RESERVE("A@2") },
		2, "src/c", "src/c" },
	{ { MINE, CHECKED("A@1", "fail"), DO("A@1", EV_ATTEMPT_REJECTED, NULL),
		  RESERVE("A@2"), RESCOPE("A@2", "src/d"),
		  DO("A@2", EV_ATTEMPT_START_FAILED, NULL), RESERVE("A@3") },
		3, "src/c", "src/c" },
	{ { MINE, CHECKED("A@1", "fail"),
		  DO("A@1", EV_ATTEMPT_REJECTED, "fresh"), RESERVE("A@2") },
		2, "src/a", "src/a" },
	{ { MINE, CHECKED("A@1", "fail"), DO("A@1", EV_NODE_GRADED, "fail") },
		1, "src/a", "src/c" },
	/* a later revision of the contract is what holds */
	{ { MINE, CHECKED("A@1", "fail"), DO("A@1", EV_ATTEMPT_REJECTED, NULL),
		  DO("A", EV_CONTRACT_AMENDED, NULL), RESERVE("A@2") },
		2, "other/file.c", "other/file.c" },
	/* what passed answers for its own paths */
	{ { MINE, CHECKED("A@1", "pass"), DO("A@1", EV_INTEGRATED, NULL),
		  DO("A@1", EV_NODE_GRADED, "pass") },
		1, "src/c", "src/c" },
};

static void
the_scope_of_an_attempt_reaches_as_far_as_its_work(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(reaches) / sizeof(reaches[0]); i++) {
		const struct reach *r = &reaches[i];
		struct run_fixture f;

		fixture_at(&f, r->steps);
		assert_scope(&f, r->number, r->node, r->attempt, i);
		fixture_release(&f);
	}
}

/* Others may start beside what is held now, and not beside what was. */
static void
the_active_scopes_are_those_of_the_amendment(void **state)
{
	static const struct step steps[] = { MINE, { 0 } };
	struct hold_answer h;
	struct run_fixture f;
	uint32_t holder;

	(void)state;
	fixture_at(&f, steps);
	assert_false(
		scope_trie_conflict(&f.s.active, STR("src/a"), true, &holder));
	assert_true(scope_trie_conflict(
		&f.s.active, STR("src/c/x"), true, &holder));
	assert_int_equal(holder, 0);
	fixture_step(&f, EV_ATTEMPT_START_FAILED, "A@1");
	assert_false(scope_trie_conflict(
		&f.s.active, STR("src/c/x"), true, &holder));
	h = ready_hold(&f.s, 0);
	assert_int_equal(h.hold, HOLD_NONE);
	fixture_release(&f);
}

/* The capsule that was reserved is no longer the one that is written. */
static void
the_capsule_goes_with_the_scope(void **state)
{
	static const struct step steps[] = { MINE, { 0 } };
	struct run_fixture f;

	(void)state;
	fixture_at(&f, steps);
	assert_true(str_eq(
		f.s.attempts.items[0].capsule_sha256, STR("capsule of src/c")));
	fixture_release(&f);
}

/* `.` became `/`, which is no path. */
static void
the_whole_repository_is_written_as_a_dot(void **state)
{
	struct str given[] = { STR("./"), STR("src/") };
	struct arena mem = ARENA_INIT;
	struct strs paths;
	struct pawl_err err;

	(void)state;
	assert_int_equal(
		contract_paths((struct strs){ given, 1 }, &mem, &paths, &err),
		PAWL_OK);
	assert_int_equal(paths.count, 1);
	assert_true(str_eq(paths.items[0], STR(".")));
	assert_int_equal(contract_paths((struct strs){ given + 1, 1 }, &mem,
				 &paths, &err),
		PAWL_OK);
	assert_true(str_eq(paths.items[0], STR("src/")));
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_scope_is_amended_before_the_start_alone),
		cmocka_unit_test(
			the_scope_of_an_attempt_reaches_as_far_as_its_work),
		cmocka_unit_test(the_active_scopes_are_those_of_the_amendment),
		cmocka_unit_test(the_capsule_goes_with_the_scope),
		cmocka_unit_test(the_whole_repository_is_written_as_a_dot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
