/*
 * Delegations: who may ask, that what is granted only narrows, which step
 * follows which, what an open one keeps from happening, and that what is
 * refused changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "golden.h"
#include "model/delegation_doc.h"
#include "model/detail.h"
#include "model/explain.h"
#include "model/next.h"
#include "model/progress.h"
#include "model/ready.h"
#include "model/view.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A",
		.paths = "src, tool",
		.more = "Needs: [network, git]\n  Context: docs/a.md, docs/b" },
	{ .id = "B", .paths = "src/x" },
	{ .id = "C", .paths = "lib", .more = "Context: [docs/c.md, notes]" },
	{ .id = "R", .paths = "docs", .mode = "read" },
};

enum { STEPS_MAX = 14, ROWS = sizeof(rows) / sizeof(rows[0]) };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* NULL: the usual one */
};

/* clang-format off */
#define RESERVE(a) { a, EV_ATTEMPT_RESERVED, NULL }
#define START(a) RESERVE(a), { a, EV_ATTEMPT_STARTED, NULL }
#define REPORT(a) START(a), { a, EV_ATTEMPT_REPORTED, NULL }
#define CHECK(a) { a, EV_CHECK_STARTED, NULL }, \
	{ a, EV_CHECK_RECORDED, "pass" }
#define INTEGRATE(a) CHECK(a), { a, EV_INTEGRATED, NULL }
#define LOST(a) { a, EV_ATTEMPT_LOST, NULL }, \
	{ a, EV_WORKSPACE_RECONCILED, NULL }
#define CLEANUP(a) { a, EV_CLEANUP_REGISTERED, NULL }
#define SESSION(a) { a, EV_CLEANUP_REGISTERED, "session" }
#define OWN(a) { a, EV_CLEANUP_REGISTERED, "own" }
#define SETTLE(a, word) { a, EV_CLEANUP_SETTLED, word }
#define ASKED(a) { a, EV_DELEGATION_REQUESTED, NULL }
#define APPROVED(a) { a, EV_DELEGATION_APPROVED, NULL }
#define REJECTED(a) { a, EV_DELEGATION_REJECTED, NULL }
#define BEGUN(a) { a, EV_DELEGATION_STARTED, NULL }
#define TOLD(a) { a, EV_DELEGATION_REPORTED, NULL }
#define RELEASED(a) { a, EV_DELEGATION_RELEASED, NULL }
#define TO_ASKED START("A@1"), ASKED("A@1")
#define TO_APPROVED TO_ASKED, APPROVED("A@1")
#define TO_BEGUN TO_APPROVED, BEGUN("A@1")
#define TO_TOLD TO_BEGUN, TOLD("A@1")
#define NOTHING { { 0 } }
/* clang-format on */

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                 \
	static void name(struct command *c) \
	{                                   \
		change;                     \
	}

static struct strs
one(const char *text)
{
	static struct str item;

	item = str_from(text);
	return (struct strs){ &item, 1 };
}

static struct strs
many(uint32_t count)
{
	static struct str items[BOUND_DELEGATION_ITEMS + 1];

	for (uint32_t i = 0; i < count; i++)
		items[i] = STR("src/a");
	return (struct strs){ items, count };
}

TWIST(plain, (void)c)
TWIST(old, c->gen--)
TWIST(by_human, c->actor = ACTOR_HUMAN)
TWIST(no_purpose, c->event.purpose = STR(" \n"))
TWIST(no_path, c->event.paths.count = 0)
TWIST(items_at, c->event.paths = many(BOUND_DELEGATION_ITEMS))
TWIST(items_over, c->event.paths = many(BOUND_DELEGATION_ITEMS + 1))
TWIST(refs_over,
	EVENT_SET(&c->event, F_CONTEXT_REFS, context_refs,
		many(BOUND_DELEGATION_ITEMS + 1)))
TWIST(next_id, c->event.delegation = STR("g2"))
TWIST(padded, c->event.delegation = STR("g01"))
TWIST(zero, c->event.delegation = STR("g0"))
TWIST(child, c->event.attempt = STR("g1"))
TWIST(expects_now,
	EVENT_SET(&c->event, F_EXPECTED_REVISION, expected_revision, 3))
TWIST(expects_old,
	EVENT_SET(&c->event, F_EXPECTED_REVISION, expected_revision, 2))
TWIST(expects_later,
	EVENT_SET(&c->event, F_EXPECTED_REVISION, expected_revision, 4))
TWIST(message_1, EVENT_SET(&c->event, F_ASK, ask, 1))
TWIST(message_last, EVENT_SET(&c->event, F_ASK, ask, BOUND_ASKS))
TWIST(message_over, EVENT_SET(&c->event, F_ASK, ask, BOUND_ASKS + 1))
TWIST(message_none, EVENT_SET(&c->event, F_ASK, ask, 0))
TWIST(narrower, c->event.paths = one("src/deep/er"))
TWIST(beside, c->event.paths = one("tool"))
TWIST(own_path, c->event.paths = one("other/file.c"))
TWIST(wider, c->event.paths = one("."))
TWIST(elsewhere, c->event.paths = one("lib"))
TWIST(look_alike, c->event.paths = one("srcx"))
TWIST(revision_2, c->event.revision = 2)
TWIST(context_a,
	EVENT_SET(&c->event, F_CONTEXT_REFS, context_refs, one("docs/a.md")))
TWIST(context_b,
	EVENT_SET(&c->event, F_CONTEXT_REFS, context_refs, one("docs/b")))
TWIST(context_own,
	EVENT_SET(&c->event, F_CONTEXT_REFS, context_refs, one("tool/x.md")))
TWIST(context_z,
	EVENT_SET(&c->event, F_CONTEXT_REFS, context_refs, one("docs/z.md")))
TWIST(needs_git, EVENT_SET(&c->event, F_CAPABILITIES, capabilities, one("git")))
TWIST(needs_root,
	EVENT_SET(&c->event, F_CAPABILITIES, capabilities, one("root")))
TWIST(no_reason, c->event.reason = STR(" "))
TWIST(by_c1, EVENT_SET(&c->event, F_CLEANUP, cleanup, STR("c1")))
TWIST(by_c2, EVENT_SET(&c->event, F_CLEANUP, cleanup, STR("c2")))
TWIST(verified, c->event.status = DELEGATION_VERIFIED)
TWIST(verified_c1, c->event.status = DELEGATION_VERIFIED; by_c1(c))
TWIST(verified_c1_mute, verified_c1(c); no_reason(c))
TWIST(done_c1, c->event.status = DELEGATION_DONE; by_c1(c))
TWIST(retained_c1, c->event.status = DELEGATION_RETAINED; by_c1(c))
TWIST(retained, c->event.status = DELEGATION_RETAINED)
TWIST(unstarted, c->event.status = DELEGATION_UNSTARTED)
TWIST(gone, c->event.status = STR("gone"))
TWIST(changed_in, c->event.files = one("src/a.c"))
TWIST(changed_out, c->event.files = one("tool/a.c"))
TWIST(changed_at, c->event.files = many(BOUND_DELEGATION_ITEMS))
TWIST(changed_over, c->event.files = many(BOUND_DELEGATION_ITEMS + 1))
TWIST(changed_docs, c->event.files = one("docs/a.md"))

struct row { /* NOLINT(clang-analyzer-optin.performance.Padding) */
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code; /* of the refusal */
};

#define YES PAWL_CODE_COUNT

static const struct row table[] = {
	/* who asks, when */
	{ { RESERVE("A@1") }, ASKED("A@1"), plain, ERR_ATTEMPT_STATE },
	{ { START("A@1") }, ASKED("A@1"), plain, YES },
	{ { REPORT("A@1") }, ASKED("A@1"), plain, YES },
	{ { REPORT("A@1"), CHECK("A@1") }, ASKED("A@1"), plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1"), LOST("A@1") }, ASKED("A@1"), plain,
		ERR_ATTEMPT_STATE },
	{ NOTHING, ASKED("A@1"), plain, ERR_ATTEMPT_NOT_FOUND },
	{ { START("A@1") }, ASKED("A@1"), old, ERR_STALE_COORDINATOR },
	{ { START("A@1") }, ASKED("A@1"), by_human, ERR_NOT_PERMITTED },
	/* one level: a child is no attempt */
	{ { TO_BEGUN }, ASKED("A@1"), child, ERR_ATTEMPT_NOT_FOUND },
	/* what is asked */
	{ { START("A@1") }, ASKED("A@1"), no_purpose, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASKED("A@1"), no_path, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASKED("A@1"), items_at, YES },
	{ { START("A@1") }, ASKED("A@1"), items_over, ERR_LIMIT },
	{ { START("A@1") }, ASKED("A@1"), refs_over, ERR_LIMIT },
	{ { START("A@1") }, ASKED("A@1"), next_id, ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, ASKED("A@1"), padded, ERR_INVALID_ARGUMENT },
	{ { TO_ASKED }, ASKED("A@1"), plain, YES },
	/* made at a line that is the last one still */
	{ { START("A@1") }, ASKED("A@1"), expects_now, YES },
	{ { START("A@1") }, ASKED("A@1"), expects_old, ERR_STALE_SEQ },
	{ { START("A@1") }, ASKED("A@1"), expects_later, ERR_STALE_SEQ },
	/* each message once, whether it was a question or this */
	{ { START("A@1") }, ASKED("A@1"), message_last, YES },
	{ { START("A@1") }, ASKED("A@1"), message_over, ERR_LIMIT },
	{ { START("A@1") }, ASKED("A@1"), message_none, ERR_LIMIT },
	{ { START("A@1"), { "A", EV_QUESTION_OPENED, NULL } }, ASKED("A@1"),
		message_1, ERR_ID_TAKEN },
	/* an approval narrows */
	{ { TO_ASKED }, APPROVED("A@1"), plain, YES },
	{ { TO_ASKED }, APPROVED("A@1"), narrower, YES },
	{ { TO_ASKED }, APPROVED("A@1"), beside, ERR_DELEGATION_WIDENS },
	{ { TO_ASKED }, APPROVED("A@1"), wider, ERR_DELEGATION_WIDENS },
	{ { TO_ASKED }, APPROVED("A@1"), look_alike, ERR_DELEGATION_WIDENS },
	{ { TO_ASKED }, APPROVED("A@1"), no_path, ERR_INVALID_ARGUMENT },
	/* asked for more than the parent has: only what it has is granted */
	{ { TO_ASKED }, APPROVED("A@1"), revision_2, ERR_STALE_REVISION },
	/* context: of the parent's, and asked for */
	{ { TO_ASKED }, APPROVED("A@1"), context_a, ERR_DELEGATION_WIDENS },
	/* capabilities likewise */
	{ { TO_ASKED }, APPROVED("A@1"), needs_git, ERR_DELEGATION_WIDENS },
	/* which step follows which */
	{ { START("A@1") }, APPROVED("A@1"), plain, ERR_DELEGATION_NOT_FOUND },
	{ { TO_ASKED }, APPROVED("A@1"), next_id, ERR_DELEGATION_NOT_FOUND },
	{ { TO_ASKED }, APPROVED("A@1"), zero, ERR_DELEGATION_NOT_FOUND },
	{ { TO_ASKED }, APPROVED("A@1"), padded, ERR_DELEGATION_NOT_FOUND },
	{ { TO_ASKED, START("C@1") }, APPROVED("C@1"), plain,
		ERR_DELEGATION_NOT_FOUND },
	{ { TO_APPROVED }, APPROVED("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_ASKED }, APPROVED("A@1"), old, ERR_STALE_COORDINATOR },
	{ { TO_ASKED, { "A@1", EV_ATTEMPT_REPORTED, NULL }, CHECK("A@1") },
		APPROVED("A@1"), plain, ERR_ATTEMPT_STATE },
	{ { TO_ASKED }, REJECTED("A@1"), plain, YES },
	{ { TO_ASKED }, REJECTED("A@1"), no_reason, ERR_INVALID_ARGUMENT },
	{ { TO_APPROVED }, REJECTED("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_ASKED }, BEGUN("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_APPROVED }, BEGUN("A@1"), plain, YES },
	{ { TO_APPROVED }, BEGUN("A@1"), old, ERR_STALE_COORDINATOR },
	{ { TO_APPROVED, { "A@1", EV_ATTEMPT_REPORTED, NULL }, CHECK("A@1") },
		BEGUN("A@1"), plain, ERR_ATTEMPT_STATE },
	{ { TO_BEGUN }, BEGUN("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_APPROVED }, BEGUN("A@1"), by_c1, ERR_CLEANUP_NOT_FOUND },
	{ { TO_APPROVED, CLEANUP("A@1") }, BEGUN("A@1"), by_c1, YES },
	{ { TO_APPROVED, OWN("A@1") }, BEGUN("A@1"), by_c1,
		ERR_INVALID_ARGUMENT },
	{ { TO_APPROVED, CLEANUP("A@1"), SETTLE("A@1", "verified") },
		BEGUN("A@1"), by_c1, ERR_CLEANUP_SETTLED },
	{ { TO_APPROVED, START("C@1"), CLEANUP("C@1") }, BEGUN("A@1"), by_c1,
		ERR_CLEANUP_NOT_FOUND },
	/* its report */
	{ { TO_APPROVED }, TOLD("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_BEGUN }, TOLD("A@1"), changed_in, YES },
	{ { TO_BEGUN }, TOLD("A@1"), changed_out, ERR_DELEGATION_WIDENS },
	{ { TO_BEGUN }, TOLD("A@1"), changed_at, YES },
	{ { TO_BEGUN }, TOLD("A@1"), changed_over, ERR_LIMIT },
	{ { TO_TOLD }, TOLD("A@1"), plain, ERR_DELEGATION_STATE },
	{ { START("R@1"), ASKED("R@1"), APPROVED("R@1"), BEGUN("R@1") },
		TOLD("R@1"), changed_docs, ERR_DELEGATION_WIDENS },
	{ { START("R@1"), ASKED("R@1"), APPROVED("R@1"), BEGUN("R@1") },
		TOLD("R@1"), plain, YES },
	/* its release: what is gone is shown, what isn't is said why */
	{ { TO_ASKED }, RELEASED("A@1"), plain, ERR_DELEGATION_STATE },
	{ { TO_APPROVED }, RELEASED("A@1"), unstarted, YES },
	{ { TO_APPROVED }, RELEASED("A@1"), retained, ERR_DELEGATION_STATE },
	{ { TO_BEGUN }, RELEASED("A@1"), unstarted, ERR_DELEGATION_STATE },
	{ { TO_BEGUN }, RELEASED("A@1"), retained, YES },
	{ { TO_BEGUN }, RELEASED("A@1"), no_reason, ERR_REASON_NEEDED },
	{ { TO_TOLD }, RELEASED("A@1"), retained, YES },
	{ { TO_TOLD }, RELEASED("A@1"), no_reason, ERR_REASON_NEEDED },
	{ { TO_TOLD }, RELEASED("A@1"), gone, ERR_INVALID_ARGUMENT },
	{ { TO_TOLD }, RELEASED("A@1"), verified, ERR_CLEANUP_NOT_FOUND },
	{ { TO_TOLD, CLEANUP("A@1") }, RELEASED("A@1"), verified_c1,
		ERR_CLEANUP_PENDING },
	{ { TO_TOLD, CLEANUP("A@1"), SETTLE("A@1", "verified") },
		RELEASED("A@1"), verified_c1_mute, YES },
	{ { TO_BEGUN, CLEANUP("A@1"), SETTLE("A@1", "verified") },
		RELEASED("A@1"), verified_c1_mute, ERR_REASON_NEEDED },
	{ { TO_BEGUN, CLEANUP("A@1"), SETTLE("A@1", "verified") },
		RELEASED("A@1"), verified_c1, YES },
	{ { TO_TOLD, CLEANUP("A@1"), SETTLE("A@1", "retained") },
		RELEASED("A@1"), verified_c1, ERR_CLEANUP_UNPROVEN },
	{ { TO_TOLD, CLEANUP("A@1"), SETTLE("A@1", "retained") },
		RELEASED("A@1"), retained_c1, YES },
	{ { TO_TOLD, SESSION("A@1"), SETTLE("A@1", "done") }, RELEASED("A@1"),
		verified_c1, ERR_CLEANUP_UNPROVEN },
	{ { TO_TOLD, SESSION("A@1"), SETTLE("A@1", "done") }, RELEASED("A@1"),
		done_c1, YES },
	{ { TO_TOLD, OWN("A@1"), SETTLE("A@1", "verified") }, RELEASED("A@1"),
		verified_c1, ERR_INVALID_ARGUMENT },
	{ { TO_TOLD, RELEASED("A@1") }, RELEASED("A@1"), plain,
		ERR_DELEGATION_STATE },
	/* what an open one keeps from happening */
	{ { TO_ASKED, { "A@1", EV_ATTEMPT_REPORTED, NULL }, INTEGRATE("A@1") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_DELEGATION_OPEN },
	{ { TO_TOLD, { "A@1", EV_ATTEMPT_REPORTED, NULL }, INTEGRATE("A@1") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_DELEGATION_OPEN },
	{ { TO_ASKED, REJECTED("A@1"), { "A@1", EV_ATTEMPT_REPORTED, NULL },
		  INTEGRATE("A@1") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { TO_TOLD, RELEASED("A@1"), { "A@1", EV_ATTEMPT_REPORTED, NULL },
		  INTEGRATE("A@1") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { TO_BEGUN, LOST("A@1") }, { "", EV_RUN_CLOSED, "partial" }, plain,
		ERR_DELEGATION_OPEN },
	/* what outlives its attempt holds its paths, and only these */
	{ { TO_BEGUN, LOST("A@1") }, RESERVE("A@2"), plain,
		ERR_DELEGATION_OPEN },
	{ { TO_BEGUN, LOST("A@1") }, RESERVE("B@1"), plain,
		ERR_DELEGATION_OPEN },
	{ { TO_BEGUN, LOST("A@1") }, RESERVE("C@1"), plain, YES },
	{ { TO_TOLD, LOST("A@1") }, RESERVE("B@1"), plain,
		ERR_DELEGATION_OPEN },
	{ { TO_BEGUN, LOST("A@1"), TOLD("A@1") }, RESERVE("B@1"), plain,
		ERR_DELEGATION_OPEN },
	{ { TO_BEGUN, LOST("A@1"), RELEASED("A@1") }, RESERVE("A@2"), plain,
		YES },
	{ { TO_BEGUN, LOST("A@1"), RELEASED("A@1") }, RESERVE("B@1"), plain,
		YES },
	{ { TO_BEGUN, LOST("A@1"), RELEASED("A@1") },
		{ "", EV_RUN_CLOSED, "partial" }, plain, YES },
	/* what hadn't begun ends with its attempt */
	{ { TO_ASKED, LOST("A@1") }, RESERVE("A@2"), plain, YES },
	{ { TO_APPROVED, LOST("A@1") }, RESERVE("A@2"), plain, YES },
	{ { TO_APPROVED, LOST("A@1") }, BEGUN("A@1"), plain,
		ERR_DELEGATION_STATE },
	/* after another attempt of the node it is released all the same */
	{ { START("R@1"), ASKED("R@1"), APPROVED("R@1"), BEGUN("R@1"),
		  LOST("R@1"), RELEASED("R@1"), RESERVE("R@2") },
		RELEASED("R@1"), plain, ERR_DELEGATION_STATE },
	/* one that its start named is the one that releases it */
	{ { TO_TOLD, CLEANUP("A@1"), CLEANUP("A@1"),
		  SETTLE("A@1", "verified") },
		RELEASED("A@1"), by_c2, ERR_CLEANUP_PENDING },
};

/* After requests that ask for something of their own. */
static const struct {
	twist_fn *asking;
	struct row row;
} asked[] = {
	{ message_1, { { TO_ASKED }, ASKED("A@1"), message_1, ERR_ID_TAKEN } },
	{ wider,
		{ { TO_ASKED }, APPROVED("A@1"), plain,
			ERR_DELEGATION_WIDENS } },
	{ wider,
		{ { TO_ASKED }, APPROVED("A@1"), elsewhere,
			ERR_DELEGATION_WIDENS } },
	{ wider, { { TO_ASKED }, APPROVED("A@1"), beside, YES } },
	/* the attempt's own scope, when it has one */
	{ wider,
		{ { RESERVE("A@1"), { "A@1", EV_SCOPE_AMENDED, NULL },
			  { "A@1", EV_ATTEMPT_STARTED, NULL }, ASKED("A@1") },
			APPROVED("A@1"), own_path, YES } },
	{ wider,
		{ { RESERVE("A@1"), { "A@1", EV_SCOPE_AMENDED, NULL },
			  { "A@1", EV_ATTEMPT_STARTED, NULL }, ASKED("A@1") },
			APPROVED("A@1"), beside, ERR_DELEGATION_WIDENS } },
	{ context_a, { { TO_ASKED }, APPROVED("A@1"), context_a, YES } },
	{ context_b, { { TO_ASKED }, APPROVED("A@1"), context_b, YES } },
	{ context_own, { { TO_ASKED }, APPROVED("A@1"), context_own, YES } },
	{ context_z,
		{ { TO_ASKED }, APPROVED("A@1"), context_z,
			ERR_DELEGATION_WIDENS } },
	{ context_a,
		{ { START("C@1"), ASKED("C@1") }, APPROVED("C@1"), context_a,
			ERR_DELEGATION_WIDENS } },
	{ needs_git, { { TO_ASKED }, APPROVED("A@1"), needs_git, YES } },
	{ needs_root,
		{ { TO_ASKED }, APPROVED("A@1"), needs_root,
			ERR_DELEGATION_WIDENS } },
	{ needs_git,
		{ { START("C@1"), ASKED("C@1") }, APPROVED("C@1"), needs_git,
			ERR_DELEGATION_WIDENS } },
};

static void
step(struct run_fixture *f, const struct step *s, twist_fn *asking)
{
	struct command cmd =
		fixture_command_word(f, s->type, s->subject, s->word);

	if (s->type == EV_DELEGATION_REQUESTED)
		asking(&cmd);
	/* Somebody's, unless the row says that it is the attempt's own. */
	if (s->type == EV_CLEANUP_REGISTERED && s->word != NULL &&
		strcmp(s->word, "own") == 0)
		cmd.event.kind = STR("process");
	else if (s->type == EV_CLEANUP_REGISTERED)
		EVENT_SET(&cmd.event, F_BY, by, STR("coordinator:c1"));
	fixture_do(f, &cmd);
}

static void
row_check(const struct row *row, twist_fn *asking, size_t number)
{
	struct buf before = { 0 }, after = { 0 };
	struct run_fixture f;
	struct command cmd;
	enum pawl_rc rc;

	fixture_init_of(&f, rows, ROWS);
	for (size_t k = 0; row->steps[k].subject != NULL; k++)
		step(&f, &row->steps[k], asking);
	cmd = fixture_command_word(
		&f, row->last.type, row->last.subject, row->last.word);
	row->twist(&cmd);
	fixture_projection(&f.s, &before);
	rc = fixture_try(&f, &cmd);
	if ((row->code == YES) != (rc == PAWL_OK) ||
		(rc != PAWL_OK && f.err.code != row->code))
		fail_msg("row %zu: %s", number,
			rc == PAWL_OK ? "decided" : f.err.msg);
	if (rc != PAWL_OK) {
		fixture_projection(&f.s, &after);
		assert_true(str_eq(buf_str(&before), buf_str(&after)));
	} else if (f.broken != NULL) {
		fail_msg("row %zu: %s", number, f.broken);
	}
	buf_release(&before);
	buf_release(&after);
	fixture_release(&f);
}

static void
each_row_is_decided_as_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		row_check(&table[i], plain, i);
}

static void
what_is_granted_only_narrows_what_was_asked_for(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		row_check(&asked[i].row, asked[i].asking, i);
}

static void
begin(struct run_fixture *f, const struct step *steps, size_t count)
{
	fixture_init_of(f, rows, ROWS);
	for (size_t i = 0; i < count; i++)
		step(f, &steps[i], plain);
}

#define BEGIN(f, ...)                                          \
	begin((f), (const struct step[]){ __VA_ARGS__ },       \
		sizeof((const struct step[]){ __VA_ARGS__ }) / \
			sizeof(struct step))

static void
a_start_names_the_cleanup_that_releases(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	BEGIN(&f, TO_APPROVED, CLEANUP("A@1"), CLEANUP("A@1"));
	cmd = fixture_command(&f, EV_DELEGATION_STARTED, "A@1");
	by_c1(&cmd);
	fixture_do(&f, &cmd);
	fixture_step(&f, EV_DELEGATION_REQUESTED, "A@1");
	cmd = fixture_command(&f, EV_DELEGATION_APPROVED, "A@1");
	cmd.event.delegation = STR("g2");
	fixture_do(&f, &cmd);
	/* It is one delegation's alone. */
	cmd = fixture_command(&f, EV_DELEGATION_STARTED, "A@1");
	cmd.event.delegation = STR("g2");
	by_c1(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ECONFLICT);
	assert_int_equal(f.err.code, ERR_CLEANUP_TAKEN);
	/* No other one, and no word, releases what it was begun with. */
	fixture_step(&f, EV_DELEGATION_REPORTED, "A@1");
	cmd = fixture_command(&f, EV_DELEGATION_RELEASED, "A@1");
	retained(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENOENT);
	by_c2(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_INVALID_ARGUMENT);
	fixture_step_word(&f, EV_CLEANUP_SETTLED, "A@1", "verified");
	verified_c1(&cmd);
	fixture_do(&f, &cmd);
	assert_string_equal(
		delegation_status_word(f.s.delegations.items[0].status).ptr,
		"released");
	fixture_release(&f);
}

static void
an_attempt_has_so_many_open_ones(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	BEGIN(&f, START("A@1"), START("C@1"));
	for (int i = 0; i < BOUND_DELEGATIONS; i++)
		fixture_step(&f, EV_DELEGATION_REQUESTED, "A@1");
	cmd = fixture_command(&f, EV_DELEGATION_REQUESTED, "A@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	/* Those of another attempt don't count, nor do those that ended. */
	fixture_step(&f, EV_DELEGATION_REQUESTED, "C@1");
	fixture_step(&f, EV_DELEGATION_REJECTED, "A@1");
	fixture_step(&f, EV_DELEGATION_REQUESTED, "A@1");
	fixture_release(&f);
}

/* Each status of one whose parent lives, and of one whose parent ended. */
static void
the_end_of_the_parent_ends_what_had_not_begun(void **state)
{
	static const struct {
		enum event_type last;
		enum delegation_status after;
		uint32_t left;
	} ends[] = {
		{ EV_DELEGATION_REQUESTED, DELEGATION_REJECTED, 0 },
		{ EV_DELEGATION_APPROVED, DELEGATION_RELEASED, 0 },
		{ EV_DELEGATION_STARTED, DELEGATION_STARTED, 1 },
		{ EV_DELEGATION_REPORTED, DELEGATION_REPORTED, 1 },
	};
	static const enum event_type ways[] = { EV_DELEGATION_REQUESTED,
		EV_DELEGATION_APPROVED, EV_DELEGATION_STARTED,
		EV_DELEGATION_REPORTED };

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_fixture f;

		BEGIN(&f, START("A@1"));
		for (size_t k = 0; k <= i; k++)
			fixture_step(&f, ways[k], "A@1");
		fixture_step(&f, EV_ATTEMPT_ABANDONED, "A@1");
		assert_int_equal(
			f.s.delegations.items[0].status, ends[i].after);
		assert_int_equal(f.s.delegations_left, ends[i].left);
		assert_int_equal(f.s.delegations_open, ends[i].left);
		assert_int_equal(f.s.nodes[0].delegations, ends[i].left);
		assert_true((f.s.delegations.items[0].reason.len > 0) ==
			(ends[i].left == 0));
		fixture_release(&f);
	}
}

/* In place the whole tree is a writer's proof: who is left has it to himself.
 */
static void
in_place_nobody_works_beside_one_that_is_left(void **state)
{
	const struct run_options options = { .placement = "in_place" };
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init(&f, rows, ROWS, &options);
	fixture_step(&f, EV_ATTEMPT_RESERVED, "A@1");
	fixture_step(&f, EV_ATTEMPT_STARTED, "A@1");
	fixture_step(&f, EV_DELEGATION_REQUESTED, "A@1");
	fixture_step(&f, EV_DELEGATION_APPROVED, "A@1");
	fixture_step(&f, EV_DELEGATION_STARTED, "A@1");
	fixture_step(&f, EV_ATTEMPT_LOST, "A@1");
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "A@1");
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "C")).hold, HOLD_DELEGATION);
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	cmd = fixture_command(&f, EV_DELEGATION_RELEASED, "A@1");
	fixture_do(&f, &cmd);
	assert_int_equal(
		ready_hold(&f.s, fixture_node(&f, "C")).hold, HOLD_NONE);
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_release(&f);
}

/* While something else moves the run is RUNNING; then it waits, and says so. */
static void
a_run_waits_for_its_coordinator_when_all_else_is_held(void **state)
{
	struct arena mem = ARENA_INIT;
	struct run_fixture f;
	struct next next;

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	fixture_step(&f, EV_DELEGATION_REQUESTED, "A@1");
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_step(&f, EV_ATTEMPT_REPORTED, "A@1");
	assert_true(is_attempt_held(&f.s, &f.s.attempts.items[0]));
	assert_int_equal(state_run_status(&f.s), RUN_NEEDS_APPROVAL);
	next_find(&f.s, false, &mem, &next);
	assert_int_equal(next.kind, NEXT_DELEGATE);
	assert_true(str_eq(next.command,
		STR("pawl task delegate approve r-20261130-k3x7qa/g1"
		    " --as ID")));
	fixture_step(&f, EV_DELEGATION_REJECTED, "A@1");
	assert_false(is_attempt_held(&f.s, &f.s.attempts.items[0]));
	assert_int_equal(state_run_status(&f.s), RUN_RUNNING);
	fixture_release(&f);
	arena_reset(&mem);
}

static bool
has_text(const struct buf *b, const char *text)
{
	return strstr(b->data, text) != NULL;
}

/* explain, status, the summary and show name it, with the verb that is next. */
static void
an_open_one_is_shown_with_the_verb_that_is_next(void **state)
{
	static const struct {
		enum event_type type;
		const char *status, *verb;
	} steps[] = {
		{ EV_DELEGATION_REQUESTED, "requested", "approve" },
		{ EV_DELEGATION_APPROVED, "approved", "start" },
		{ EV_DELEGATION_STARTED, "started", "report" },
		{ EV_DELEGATION_REPORTED, "reported", "release" },
	};
	struct arena mem = ARENA_INIT;
	struct run_fixture f;

	(void)state;
	BEGIN(&f, START("A@1"));
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct buf status = { 0 }, show = { 0 }, sum = { 0 };
		struct json_writer w = { .out = &sum };
		struct detail d;
		struct explanation ex;
		const char *command = arena_format(&mem,
			"pawl task delegate %s r-20261130-k3x7qa/g1%s --as ID",
			steps[i].verb,
			steps[i].type == EV_DELEGATION_REPORTED
				? " --reason TEXT"
				: "")
					      .ptr;

		fixture_step(&f, steps[i].type, "A@1");
		explain_node(&f.s, 0, 8, &mem, &ex);
		assert_int_equal(ex.causes[0].code, CAUSE_DELEGATION);
		assert_true(str_eq(ex.causes[0].command, str_from(command)));
		view_status(&status, &f.s, true, 10, 200);
		assert_true(has_text(&status, command));
		assert_true(has_text(&status, ", 1 delegated"));
		assert_int_equal(
			detail_find(&f.s, STR("g1"), &d, &f.err), PAWL_OK);
		detail_text(&show, &f.s, &d);
		assert_true(has_text(&show, steps[i].status));
		assert_true(has_text(&show, command));
		progress_json(&w, &f.s);
		assert_true(has_text(&sum,
			"{\"kind\":\"delegation\","
			"\"subject\":\"g1\""));
		assert_true(is_anything_open(&f.s));
		buf_release(&status);
		buf_release(&show);
		buf_release(&sum);
	}
	fixture_release(&f);
	arena_reset(&mem);
}

static void
an_id_is_a_delegations_or_it_isnt(void **state)
{
	static const char *const good[] = { "g1", "g9", "g10", "g4294967295" };
	static const char *const bad[] = { "", "g", "g0", "g01", "G1", "g1@1",
		"g-1", "g1 ", "A@1", "q1", "gg1" };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		assert_true(is_delegation_id(str_from(good[i])));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(is_delegation_id(str_from(bad[i])));
}

/* An intent, and what is wrong with it: the pointer; NULL: nothing. */
static void
an_intent_is_closed_and_names_its_attempt(void **state)
{
	static const struct {
		const char *text, *pointer;
	} docs[] = {
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"]"
		  "}",
			NULL },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"],"
		  "\"role\":\"review\",\"context_refs\":[\"d\"],"
		  "\"capabilities\":[\"net\"],\"check\":\"make\","
		  "\"expected_revision\":3}",
			NULL },
		{ "{\"attempt_id\":\"A@2\",\"purpose\":\"p\",\"paths\":[\"a\"]"
		  "}",
			"/attempt_id" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\" "
		  "\",\"paths\":[\"a\"]}",
			"/purpose" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[]}",
			"/paths" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\","
		  "\"paths\":[\"../a\"]}",
			"/paths" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"],"
		  "\"role\":\"coordinator\"}",
			"/role" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"],"
		  "\"expected_revision\":0}",
			"/expected_revision" },
		{ "{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"],"
		  "\"grade\":\"pass\"}",
			"/grade" },
		{ "{\"attempt_id\":\"A@1\",\"paths\":[\"a\"]}", "" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct delegation_intent in;
		struct pawl_err err = { 0 };
		enum pawl_rc rc = delegation_intent_read(
			&mem, str_from(docs[i].text), STR("A@1"), &in, &err);

		assert_int_equal(rc == PAWL_OK, docs[i].pointer == NULL);
		if (rc != PAWL_OK)
			assert_true(
				str_eq(err.field, str_from(docs[i].pointer)));
	}
	arena_reset(&mem);
}

/* Order of members and spelling of paths don't make another intent. */
static void
the_same_intent_has_the_same_digest(void **state)
{
	static const char *const texts[] = {
		"{\"attempt_id\":\"A@1\",\"purpose\":\"p\",\"paths\":[\"a\"]}",
		(" {\"paths\":[\"./a\",\"a/b\"],\"purpose\":\"p\","
		 "\"attempt_id\":\"A@1\"}\n"),
		"{\"attempt_id\":\"A@1\",\"purpose\":\"q\",\"paths\":[\"a\"]}",
	};
	struct arena mem = ARENA_INIT;
	struct event e[3] = { { 0 } };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct delegation_intent in;
		struct pawl_err err = { 0 };

		assert_int_equal(
			delegation_intent_read(&mem, str_from(texts[i]),
				STR("A@1"), &in, &err),
			PAWL_OK);
		delegation_intent_set(&e[i], &in, &mem);
	}
	assert_true(str_eq(e[0].intent_sha256, e[1].intent_sha256));
	assert_false(str_eq(e[0].intent_sha256, e[2].intent_sha256));
	arena_reset(&mem);
}

/* It says what was granted, and nothing by which more could be had. */
static void
a_capsule_is_what_was_granted(void **state)
{
	const struct delegation_places at = { STR("/wt/A"), STR("/out/g1") };
	struct arena mem = ARENA_INIT;
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };
	struct run_fixture f;
	struct command cmd;

	(void)state;
	BEGIN(&f, TO_ASKED);
	cmd = fixture_command(&f, EV_DELEGATION_APPROVED, "A@1");
	narrower(&cmd);
	fixture_do(&f, &cmd);
	delegation_capsule_write(&w, &f.s, 0, &at, &mem);
	assert_true(has_text(&json, "\"attempt\":\"g1\",\"parent\":\"A@1\""));
	assert_true(has_text(&json, "\"paths\":[\"src/deep/er\"]"));
	assert_true(has_text(&json, "\"report\":\"/out/g1/report.json\""));
	assert_false(has_text(&json, "\"src\""));
	buf_release(&json);
	fixture_release(&f);
	arena_reset(&mem);
}

static void
the_schema_is_the_published_one(void **state)
{
	struct buf out = { 0 };

	(void)state;
	delegation_intent_schema(&out);
	golden_check("schemas/delegation-intent.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_decided_as_it_says),
		cmocka_unit_test(
			what_is_granted_only_narrows_what_was_asked_for),
		cmocka_unit_test(a_start_names_the_cleanup_that_releases),
		cmocka_unit_test(an_attempt_has_so_many_open_ones),
		cmocka_unit_test(the_end_of_the_parent_ends_what_had_not_begun),
		cmocka_unit_test(in_place_nobody_works_beside_one_that_is_left),
		cmocka_unit_test(
			a_run_waits_for_its_coordinator_when_all_else_is_held),
		cmocka_unit_test(
			an_open_one_is_shown_with_the_verb_that_is_next),
		cmocka_unit_test(an_id_is_a_delegations_or_it_isnt),
		cmocka_unit_test(an_intent_is_closed_and_names_its_attempt),
		cmocka_unit_test(the_same_intent_has_the_same_digest),
		cmocka_unit_test(a_capsule_is_what_was_granted),
		cmocka_unit_test(the_schema_is_the_published_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
