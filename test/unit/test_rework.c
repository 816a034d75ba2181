/*
 * Findings, rejections, decisions: which is refused in which state, with which
 * code, and what those that are taken make of the node (design 3.5, 3.7).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "model/approver.h"
#include "model/rework.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "B", .paths = "lib" },
};

enum { STEPS_MAX = 48 };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word;       /* NULL: the usual one */
	const char *hypothesis; /* NULL: the usual one */
	const char *findings;   /* "f1 f2": the rejection is an audit's */
};

#define DO(subject, type, word)                       \
	{                                             \
		(subject), (type), (word), NULL, NULL \
	}
#define REPORT(a)                                                          \
	DO(a, EV_ATTEMPT_RESERVED, NULL), DO(a, EV_ATTEMPT_STARTED, NULL), \
		DO(a, EV_ATTEMPT_REPORTED, NULL)
#define CHECKED(a, verdict)                       \
	REPORT(a), DO(a, EV_CHECK_STARTED, NULL), \
		DO(a, EV_CHECK_RECORDED, verdict)
#define FIND(a, class) DO(a, EV_FINDING_RECORDED, class)
#define AUDIT(a, hypothesis, findings)                                   \
	{                                                                \
		(a), EV_ATTEMPT_REJECTED, NULL, (hypothesis), (findings) \
	}
#define REPAIR(a, hypothesis) AUDIT(a, hypothesis, NULL)
#define DECIDE(node, action) DO(node, EV_DECISION_RECORDED, action)
#define AMEND(node) DO(node, EV_CONTRACT_AMENDED, NULL)
#define PASS(a) DO(a, EV_INTEGRATED, NULL), DO(a, EV_NODE_GRADED, "pass")
#define FAIL(a) DO(a, EV_NODE_GRADED, "fail")
#define ALL_PASSED \
	CHECKED("A@1", "pass"), PASS("A@1"), CHECKED("B@1", "pass"), PASS("B@1")

/* Two attempts, both with a failed check; the second is alive. */
#define TWICE                                              \
	CHECKED("A@1", "fail"), REPAIR("A@1", "the lock"), \
		CHECKED("A@2", "fail")
/* The second one's check passed, and a finding stands against it. */
#define DISPUTED                                           \
	CHECKED("A@1", "fail"), REPAIR("A@1", "the lock"), \
		CHECKED("A@2", "pass"), FIND("A@2", NULL)

static struct command
command_of(struct run_fixture *f, const struct step *s)
{
	struct command cmd =
		fixture_command_word(f, s->type, s->subject, s->word);
	struct str rest;

	if (s->hypothesis != NULL)
		cmd.event.hypothesis = str_from(s->hypothesis);
	if (s->findings == NULL)
		return cmd;
	EVENT_SET(&cmd.event, F_REASON, reason, REJECTED_BY_AUDIT);
	cmd.event.findings.items = arena_array(&f->mem, 4, struct str);
	event_mark(&cmd.event, F_FINDINGS);
	rest = str_from(s->findings);
	while (rest.len > 0)
		cmd.event.findings.items[cmd.event.findings.count++] =
			str_cut(&rest, ' ');
	return cmd;
}

typedef void twist_fn(struct event *e);

#define TWIST(name, change)               \
	static void name(struct event *e) \
	{                                 \
		change;                   \
	}

TWIST(plain, (void)e)
static struct str theirs[] = { { "theirs", 6 } };
TWIST(unproven, EVENT_SET(e, F_PATHS, paths, ((struct strs){ theirs, 1 })))
TWIST(unproven_silently, unproven(e); e->reason = STR(" \t"))
TWIST(no_file, e->file = STR(" \t"))
TWIST(no_acceptance, e->acceptance = STR(""))
TWIST(no_reproduction, e->reproduction = STR("\n"))
TWIST(no_repair, e->smallest_repair = STR(""))
TWIST(no_gap, e->check_gap = STR(""))
TWIST(no_summary, e->summary = STR(" "))
TWIST(bad_finding_id, e->finding = STR("a/b"))
TWIST(first_finding, e->finding = STR("f1"))
TWIST(no_note, e->reason = STR(" "))
TWIST(first_decision, e->decision = STR("d1"))
TWIST(bad_decision_id, e->decision = STR(""))
TWIST(names_findings, e->findings.items = &e->reason; e->findings.count = 1)
TWIST(second_revision, e->revision = 2)
TWIST(first_revision, e->revision = 1)
TWIST(bad_path, e->paths.items[0] = STR("../x"))
TWIST(odd_path, e->paths.items[0] = STR("./x"))
TWIST(bad_check, EVENT_SET(e, F_CHECK, check, STR("make | tee log")))
TWIST(by_check, e->reason = REJECTED_BY_CHECK)

struct row {
	const char *what;
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code;     /* PAWL_CODE_COUNT: it is decided */
	enum node_status status; /* of A, afterwards; only then */
};

#define YES PAWL_CODE_COUNT

static const struct row table[] = {
	/* findings */
	{ "a finding of what reported", { REPORT("A@1") }, FIND("A@1", NULL),
		plain, YES, NODE_RUNNING },
	{ "of what was checked", { CHECKED("A@1", "pass") },
		FIND("A@1", "security_or_integrity"), plain, YES,
		NODE_RUNNING },
	{ "of what passed", { CHECKED("A@1", "pass"), PASS("A@1") },
		FIND("A@1", "reproducible_regression"), plain, YES,
		NODE_PASSED },
	{ "of what only started",
		{ DO("A@1", EV_ATTEMPT_RESERVED, NULL),
			DO("A@1", EV_ATTEMPT_STARTED, NULL) },
		FIND("A@1", NULL), plain, ERR_ATTEMPT_STATE, 0 },
	{ "of what was rejected",
		{ CHECKED("A@1", "fail"), REPAIR("A@1", NULL) },
		FIND("A@1", "advisory"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "of no attempt", { REPORT("A@1") }, FIND("A@2", NULL), plain,
		ERR_ATTEMPT_NOT_FOUND, 0 },
	{ "of an unknown class", { REPORT("A@1") }, FIND("A@1", "severe"),
		plain, ERR_INVALID_FINDING, 0 },
	{ "without a summary", { REPORT("A@1") }, FIND("A@1", "advisory"),
		no_summary, ERR_INVALID_FINDING, 0 },
	{ "that blocks and names no file", { REPORT("A@1") }, FIND("A@1", NULL),
		no_file, ERR_INVALID_FINDING, 0 },
	{ "or no acceptance", { REPORT("A@1") }, FIND("A@1", NULL),
		no_acceptance, ERR_INVALID_FINDING, 0 },
	{ "or no reproduction", { REPORT("A@1") }, FIND("A@1", NULL),
		no_reproduction, ERR_INVALID_FINDING, 0 },
	{ "or no repair", { REPORT("A@1") }, FIND("A@1", NULL), no_repair,
		ERR_INVALID_FINDING, 0 },
	{ "or not why the check misses it", { REPORT("A@1") },
		FIND("A@1", NULL), no_gap, ERR_INVALID_FINDING, 0 },
	{ "hardening needs none of it", { REPORT("A@1") },
		FIND("A@1", "hardening"), no_file, YES, NODE_RUNNING },
	{ "an id with a slash", { REPORT("A@1") }, FIND("A@1", NULL),
		bad_finding_id, ERR_INVALID_ID, 0 },
	{ "an id that is taken", { REPORT("A@1"), FIND("A@1", NULL) },
		FIND("A@1", NULL), first_finding, ERR_ID_TAKEN, 0 },
	/* grades: blocking refuses, the others are free */
	{ "a pass over a blocking finding",
		{ CHECKED("A@1", "pass"), DO("A@1", EV_INTEGRATED, NULL),
			FIND("A@1", NULL) },
		DO("A@1", EV_NODE_GRADED, "pass"), plain, ERR_FINDING_OPEN, 0 },
	{ "work that a finding blocks isn't integrated",
		{ CHECKED("A@1", "pass"), FIND("A@1", NULL) },
		DO("A@1", EV_INTEGRATED, NULL), plain, ERR_FINDING_OPEN, 0 },
	{ "a pass over hardening",
		{ CHECKED("A@1", "pass"), FIND("A@1", "hardening"),
			DO("A@1", EV_INTEGRATED, NULL) },
		DO("A@1", EV_NODE_GRADED, "pass"), plain, YES, NODE_PASSED },
	{ "a pass over advice",
		{ CHECKED("A@1", "pass"), FIND("A@1", "advisory"),
			DO("A@1", EV_INTEGRATED, NULL) },
		DO("A@1", EV_NODE_GRADED, "pass"), plain, YES, NODE_PASSED },
	/* the outcome */
	{ "outcome pass over a finding of what had passed",
		{ CHECKED("A@1", "pass"), PASS("A@1"), CHECKED("B@1", "pass"),
			PASS("B@1"), FIND("A@1", NULL) },
		DO("", EV_RUN_CLOSED, "pass"), plain, ERR_FINDING_OPEN, 0 },
	{ "outcome pass over hardening",
		{ CHECKED("A@1", "pass"), FIND("A@1", "hardening"), PASS("A@1"),
			CHECKED("B@1", "pass"), PASS("B@1") },
		DO("", EV_RUN_CLOSED, "pass"), plain, ERR_FINDINGS_CARRIED, 0 },
	{ "outcome partial over hardening",
		{ CHECKED("A@1", "pass"), FIND("A@1", "hardening"), PASS("A@1"),
			CHECKED("B@1", "pass"), PASS("B@1") },
		DO("", EV_RUN_CLOSED, "partial"), plain, YES, NODE_PASSED },
	/* paths that no task answers for */
	{ "outcome pass over changes of others", { ALL_PASSED },
		DO("", EV_RUN_CLOSED, "pass"), unproven,
		ERR_CHANGED_PATH_UNPROVEN, 0 },
	{ "outcome partial over changes of others", { ALL_PASSED },
		DO("", EV_RUN_CLOSED, "partial"), unproven, YES, NODE_PASSED },
	{ "outcome partial over changes of others without a word",
		{ ALL_PASSED }, DO("", EV_RUN_CLOSED, "partial"),
		unproven_silently, ERR_REASON_NEEDED, 0 },
	{ "outcome failed of what has passed, with changes of others",
		{ ALL_PASSED }, DO("", EV_RUN_CLOSED, "failed"), unproven,
		ERR_OUTCOME_UNEARNED, 0 },
	{ "outcome partial of what has passed", { ALL_PASSED },
		DO("", EV_RUN_CLOSED, "partial"), plain, ERR_OUTCOME_UNEARNED,
		0 },
	{ "outcome blocked of what hasn't, with changes of others",
		{ CHECKED("A@1", "pass"), PASS("A@1") },
		DO("", EV_RUN_CLOSED, "blocked"), unproven, YES, NODE_PASSED },
	{ "outcome pass over advice",
		{ CHECKED("A@1", "pass"), FIND("A@1", "advisory"), PASS("A@1"),
			CHECKED("B@1", "pass"), PASS("B@1") },
		DO("", EV_RUN_CLOSED, "pass"), plain, YES, NODE_PASSED },
	/* repair */
	{ "a repair after a failed check", { CHECKED("A@1", "fail") },
		REPAIR("A@1", "the lock"), plain, YES, NODE_READY },
	{ "for its check, which failed", { CHECKED("A@1", "fail") },
		REPAIR("A@1", "the lock"), by_check, YES, NODE_READY },
	{ "for its check, which passed", { CHECKED("A@1", "pass") },
		REPAIR("A@1", "the lock"), by_check, ERR_ATTEMPT_STATE, 0 },
	{ "for its check, which never ran", { REPORT("A@1") },
		REPAIR("A@1", "the lock"), by_check, ERR_ATTEMPT_STATE, 0 },
	{ "a second one", { TWICE }, REPAIR("A@2", "the clock"), plain,
		ERR_REPAIR_CAP_REACHED, 0 },
	{ "of what was rejected",
		{ CHECKED("A@1", "fail"), REPAIR("A@1", "the lock") },
		REPAIR("A@1", "the clock"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "that names findings", { CHECKED("A@1", "fail") },
		REPAIR("A@1", "the lock"), names_findings, ERR_INVALID_ARGUMENT,
		0 },
	{ "with a process that isn't settled",
		{ CHECKED("A@1", "fail"),
			DO("A@1", EV_CLEANUP_REGISTERED, NULL) },
		REPAIR("A@1", "the lock"), plain, ERR_ATTEMPT_STATE, 0 },
	/* audit */
	{ "an audit by a blocking finding",
		{ CHECKED("A@1", "pass"), FIND("A@1", NULL) },
		AUDIT("A@1", "the lock", "f1"), plain, YES, NODE_READY },
	{ "by none", { CHECKED("A@1", "pass"), FIND("A@1", NULL) },
		AUDIT("A@1", "the lock", ""), plain, ERR_INVALID_ARGUMENT, 0 },
	{ "by one that isn't registered",
		{ CHECKED("A@1", "pass"), FIND("A@1", NULL) },
		AUDIT("A@1", "the lock", "f1 f2"), plain, ERR_FINDING_NOT_FOUND,
		0 },
	{ "by hardening", { CHECKED("A@1", "pass"), FIND("A@1", "hardening") },
		AUDIT("A@1", "the lock", "f1"), plain, ERR_FINDING_NOT_BLOCKING,
		0 },
	{ "by another attempt's",
		{ CHECKED("A@1", "pass"), CHECKED("B@1", "pass"),
			FIND("B@1", NULL) },
		AUDIT("A@1", "the lock", "f1"), plain, ERR_INVALID_ARGUMENT,
		0 },
	{ "of a check that failed",
		{ CHECKED("A@1", "fail"), FIND("A@1", NULL) },
		AUDIT("A@1", "the lock", "f1"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "of what is integrated",
		{ CHECKED("A@1", "pass"), DO("A@1", EV_INTEGRATED, NULL),
			FIND("A@1", NULL) },
		AUDIT("A@1", "the lock", "f1"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "a passed check is rejected by an audit alone",
		{ CHECKED("A@1", "pass"), FIND("A@1", NULL) },
		REPAIR("A@1", "the lock"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "while a check runs",
		{ CHECKED("A@1", "fail"), DO("A@1", EV_CHECK_STARTED, NULL) },
		REPAIR("A@1", "the lock"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "a session that is over keeps no repair back",
		{ REPORT("A@1"), DO("A@1", EV_CLEANUP_REGISTERED, "session"),
			DO("A@1", EV_CLEANUP_SETTLED, "done"),
			DO("A@1", EV_CLEANUP_REGISTERED, "worktree"),
			DO("A@1", EV_CHECK_STARTED, NULL),
			DO("A@1", EV_CHECK_RECORDED, "fail") },
		REPAIR("A@1", "the lock"), plain, YES, NODE_READY },
	{ "a session that isn't does",
		{ REPORT("A@1"), DO("A@1", EV_CLEANUP_REGISTERED, "session"),
			DO("A@1", EV_CHECK_STARTED, NULL),
			DO("A@1", EV_CHECK_RECORDED, "fail") },
		REPAIR("A@1", "the lock"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "of the last attempt: the node fails", { DISPUTED },
		AUDIT("A@2", "the clock", "f1"), plain, YES, NODE_FAILED },
	{ "of the last attempt for what was tried", { DISPUTED },
		AUDIT("A@2", "the lock", "f1"), plain, YES, NODE_FAILED },
	/* decisions */
	{ "a decision with an attempt left", { CHECKED("A@1", "fail") },
		DECIDE("A", "amend_paths"), plain, ERR_ALLOWANCE_LEFT, 0 },
	{ "before any attempt", { { 0 } }, DECIDE("A", "regroup"), plain,
		ERR_ALLOWANCE_LEFT, 0 },
	{ "while the last one works",
		{ CHECKED("A@1", "fail"), REPAIR("A@1", "the lock"),
			DO("A@2", EV_ATTEMPT_RESERVED, NULL),
			DO("A@2", EV_ATTEMPT_STARTED, NULL) },
		DECIDE("A", "regroup"), plain, ERR_ALLOWANCE_LEFT, 0 },
	{ "amend_paths of a node that failed", { TWICE, FAIL("A@2") },
		DECIDE("A", "amend_paths"), plain, YES, NODE_READY },
	{ "amend_acceptance", { TWICE, FAIL("A@2") },
		DECIDE("A", "amend_acceptance"), plain, YES, NODE_READY },
	{ "regroup", { TWICE, FAIL("A@2") }, DECIDE("A", "regroup"), plain, YES,
		NODE_READY },
	{ "regroup before it failed", { TWICE }, DECIDE("A", "regroup"), plain,
		YES, NODE_RUNNING },
	{ "and then the repair", { TWICE, DECIDE("A", "regroup") },
		REPAIR("A@2", "the clock"), plain, YES, NODE_READY },
	{ "but not for what was tried", { TWICE, DECIDE("A", "regroup") },
		REPAIR("A@2", "\tthe\n lock "), plain, ERR_HYPOTHESIS_KNOWN,
		0 },
	{ "regroup with nothing against the attempt",
		{ CHECKED("A@1", "fail"), REPAIR("A@1", "the lock"),
			CHECKED("A@2", "pass") },
		DECIDE("A", "regroup"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "a second one for a fourth attempt",
		{ TWICE, FAIL("A@2"), DECIDE("A", "regroup"),
			CHECKED("A@3", "fail"), FAIL("A@3") },
		DECIDE("A", "regroup"), plain, ERR_REPAIR_CAP_REACHED, 0 },
	{ "the third attempt is the last one",
		{ TWICE, FAIL("A@2"), DECIDE("A", "regroup"),
			CHECKED("A@3", "fail") },
		REPAIR("A@3", "a typo"), plain, ERR_REPAIR_CAP_REACHED, 0 },
	{ "the check stands", { DISPUTED }, DECIDE("A", "accept_check"), plain,
		YES, NODE_RUNNING },
	{ "then it passes",
		{ DISPUTED, DECIDE("A", "accept_check"),
			DO("A@2", EV_INTEGRATED, NULL) },
		DO("A@2", EV_NODE_GRADED, "pass"), plain, YES, NODE_PASSED },
	{ "then no audit rejects it", { DISPUTED, DECIDE("A", "accept_check") },
		AUDIT("A@2", "the clock", "f1"), plain,
		ERR_FINDING_NOT_BLOCKING, 0 },
	{ "nothing stands against the check",
		{ CHECKED("A@1", "fail"), REPAIR("A@1", "the lock"),
			CHECKED("A@2", "pass") },
		DECIDE("A", "accept_check"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "no check that passed", { TWICE }, DECIDE("A", "accept_check"), plain,
		ERR_ATTEMPT_STATE, 0 },
	{ "accept_check of a node that failed", { TWICE, FAIL("A@2") },
		DECIDE("A", "accept_check"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "blocked for a prerequisite", { TWICE }, DECIDE("A", "block"), plain,
		YES, NODE_BLOCKED },
	{ "not of a node that failed", { TWICE, FAIL("A@2") },
		DECIDE("A", "block"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "no such action", { TWICE }, DECIDE("A", "retry"), plain,
		ERR_INVALID_ARGUMENT, 0 },
	{ "no note", { TWICE }, DECIDE("A", "regroup"), no_note,
		ERR_INVALID_ARGUMENT, 0 },
	{ "no id", { TWICE }, DECIDE("A", "regroup"), bad_decision_id,
		ERR_INVALID_ID, 0 },
	/* amendments (C013) */
	{ "a contract is amended", { { 0 } }, AMEND("A"), plain, YES,
		NODE_READY },
	{ "not while an attempt lives",
		{ DO("A@1", EV_ATTEMPT_RESERVED, NULL) }, AMEND("A"), plain,
		ERR_ATTEMPT_STATE, 0 },
	{ "nor of what reported", { REPORT("A@1") }, AMEND("A"), plain,
		ERR_ATTEMPT_STATE, 0 },
	{ "nor of what passed", { CHECKED("A@1", "pass"), PASS("A@1") },
		AMEND("A"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "nor of what failed, before the decision", { TWICE, FAIL("A@2") },
		AMEND("A"), plain, ERR_ATTEMPT_STATE, 0 },
	{ "but after it", { TWICE, FAIL("A@2"), DECIDE("A", "amend_paths") },
		AMEND("A"), plain, YES, NODE_READY },
	{ "without a reason", { { 0 } }, AMEND("A"), no_note, ERR_REASON_NEEDED,
		0 },
	{ "of another revision", { AMEND("A") }, AMEND("A"), second_revision,
		ERR_STALE_REVISION, 0 },
	{ "with a path that leaves the repository", { { 0 } }, AMEND("A"),
		bad_path, ERR_INVALID_PATH, 0 },
	{ "with a path that isn't normal", { { 0 } }, AMEND("A"), odd_path,
		ERR_INVALID_PATH, 0 },
	{ "with a check that needs a shell", { { 0 } }, AMEND("A"), bad_check,
		ERR_INVALID_CHECK, 0 },
	{ "a reservation names the revision", { AMEND("A") },
		DO("A@1", EV_ATTEMPT_RESERVED, NULL), first_revision,
		ERR_STALE_REVISION, 0 },
	{ "the new one", { AMEND("A") }, DO("A@1", EV_ATTEMPT_RESERVED, NULL),
		plain, YES, NODE_READY },
	{ "an id that is taken", { TWICE, DECIDE("A", "regroup") },
		DECIDE("A", "block"), first_decision, ERR_ID_TAKEN, 0 },
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

		fixture_init_of(&f, rows, 2);
		for (size_t k = 0; row->steps[k].subject != NULL; k++) {
			cmd = command_of(&f, &row->steps[k]);
			fixture_do(&f, &cmd);
		}
		cmd = command_of(&f, &row->last);
		row->twist(&cmd.event);
		fixture_projection(&f.s, &before);
		if (fixture_try(&f, &cmd) != PAWL_OK)
			code = f.err.code;
		fixture_projection(&f.s, &after);
		if (f.broken != NULL)
			fail_msg("%s: %s: %s", row->what, f.broken, f.err.msg);
		if (code != row->code)
			fail_msg("%s: code %d, not %d: %s", row->what, code,
				row->code, f.err.msg);
		if (code == YES && f.s.nodes[0].status != row->status)
			fail_msg("%s: the node is %.*s", row->what,
				STR_ARG(node_status_word(f.s.nodes[0].status)));
		if (code != YES && !str_eq(buf_str(&before), buf_str(&after)))
			fail_msg("%s: refused, and changed", row->what);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* What decide() never let through is no journal that any version wrote. */
static void
what_cannot_be_folded_is_corrupt(void **state)
{
	static const struct {
		struct step steps[STEPS_MAX];
		struct step last;
		twist_fn *twist;
	} forced[] = {
		{ { CHECKED("A@1", "fail"), REPAIR("A@1", "x") },
			FIND("A@1", NULL), plain },
		{ { REPORT("A@1") }, FIND("A@1", "severe"), plain },
		{ { REPORT("A@1"), FIND("A@1", NULL) }, FIND("A@1", NULL),
			first_finding },
		{ { CHECKED("A@1", "pass"), FIND("A@1", NULL) },
			AUDIT("A@1", "x", ""), plain },
		{ { CHECKED("A@1", "pass"), FIND("A@1", "advisory") },
			AUDIT("A@1", "x", "f1"), plain },
		{ { CHECKED("A@1", "pass"), FIND("A@1", NULL) },
			DO("A@1", EV_NODE_GRADED, "pass"), plain },
		{ { TWICE }, REPAIR("A@2", "x"), plain },
		{ { CHECKED("A@1", "fail") }, DECIDE("A", "regroup"), plain },
		{ { TWICE }, DECIDE("A", "retry"), plain },
		{ { TWICE }, DECIDE("A", "accept_check"), plain },
		{ { TWICE, FAIL("A@2") }, DECIDE("A", "block"), plain },
		{ { TWICE, DECIDE("A", "regroup") }, DECIDE("A", "block"),
			first_decision },
		{ { TWICE, FAIL("A@2"), DECIDE("A", "regroup"),
			  CHECKED("A@3", "fail"), FAIL("A@3") },
			DECIDE("A", "regroup"), plain },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(forced) / sizeof(forced[0]); i++) {
		struct run_fixture f;
		struct command cmd;

		fixture_init(&f, rows, 2,
			&(struct run_options){ .placement = "in_place" });
		for (size_t k = 0; forced[i].steps[k].subject != NULL; k++) {
			cmd = command_of(&f, &forced[i].steps[k]);
			fixture_do(&f, &cmd);
		}
		cmd = command_of(&f, &forced[i].last);
		forced[i].twist(&cmd.event);
		f.err = (struct pawl_err){ 0 };
		f.line.seq++;
		if (apply(&f.s, &f.line, &cmd.event, &f.err) != PAWL_ECORRUPT ||
			f.err.code != ERR_CORRUPT)
			fail_msg("row %zu was folded: %s", i, f.err.msg);
		fixture_release(&f);
	}
}

static void
play(struct run_fixture *f, const struct step *steps)
{
	for (; steps->subject != NULL; steps++) {
		struct command cmd = command_of(f, steps);

		fixture_do(f, &cmd);
	}
}

/* Each decision serves one attempt, and the record says which. */
static void
a_decision_is_used_by_the_attempt_that_it_granted(void **state)
{
	static const struct step steps[] = { TWICE, FAIL("A@2"),
		DECIDE("A", "amend_paths"), { 0 } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	play(&f, steps);
	assert_int_equal(f.s.decisions.count, 1);
	assert_int_equal(f.s.decisions.items[0].attempt_1, 0);
	fixture_step(&f, EV_ATTEMPT_RESERVED, "B@1");
	assert_int_equal(f.s.decisions.items[0].attempt_1, 0);
	fixture_step(&f, EV_ATTEMPT_RESERVED, "A@3");
	assert_int_equal(
		f.s.decisions.items[0].attempt_1, f.s.nodes[0].attempt_1);
	assert_int_equal(state_allowance(&f.s, 0), BOUND_ATTEMPTS + 1);
	assert_int_equal(f.s.nodes[0].rejects, 2);
	fixture_release(&f);
}

/* What was found in work that is given up stands in nobody's way. */
static void
a_finding_ends_with_the_work_that_it_is_of(void **state)
{
	static const struct step steps[] = { CHECKED("A@1", "pass"),
		FIND("A@1", NULL), FIND("A@1", "hardening"),
		AUDIT("A@1", "the lock", "f1"), { 0 } };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, 2);
	play(&f, steps);
	assert_int_equal(f.s.findings_blocking, 0);
	assert_int_equal(f.s.findings_carried, 1);
	assert_false(is_finding_open(&f.s, &f.s.findings.items[0]));
	fixture_pass(&f, "A");
	fixture_pass(&f, "B");
	assert_int_equal(state_run_status(&f.s), RUN_BLOCKED);
	fixture_release(&f);
}

static void
hypotheses_are_compared_without_their_white_space(void **state)
{
	static const struct {
		const char *text;
		const char *canonical;
		bool known;
	} words[] = {
		{ "the lock", "the lock", true },
		{ " the\t\n  lock\r", "the lock", true },
		{ "the lock is held", "the lock is held", false },
		{ "the loc", "the loc", false },
		{ "thelock", "thelock", false },
		{ "the lock .", "the lock .", false },
		{ "The lock", "The lock", false },
		{ "", "", false },
	};
	static const struct step steps[] = { CHECKED("A@1", "fail"),
		REPAIR("A@1", "the  lock"), { 0 } };
	struct run_fixture f;
	uint32_t at;

	(void)state;
	fixture_init_of(&f, rows, 2);
	play(&f, steps);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct str text = str_from(words[i].text);
		struct str canonical = hypothesis_canonical(text, &f.mem);

		assert_true(str_eq(canonical, str_from(words[i].canonical)));
		assert_int_equal(state_find_hypothesis(&f.s, 0, text, &at),
			words[i].known);
		assert_false(state_find_hypothesis(&f.s, 1, text, &at));
	}
	fixture_release(&f);
}

static void
a_run_has_a_bound_of_findings(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_REPORTED);
	for (int i = 0; i < BOUND_FINDINGS; i++)
		fixture_step_word(&f, EV_FINDING_RECORDED, "A@1", "advisory");
	cmd = fixture_command_word(&f, EV_FINDING_RECORDED, "A@1", "advisory");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_release(&f);
}

/* C013: a grant of the old revision doesn't cover the new one. */
static void
an_approval_is_of_one_revision(void **state)
{
	struct plan_row row = { .id = "G", .more = "Approval: required" };
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, &row, 1);
	cmd = fixture_command(&f, EV_GATE_DECIDED, "G");
	fixture_step(&f, EV_CONTRACT_AMENDED, "G");
	assert_int_equal(f.s.gates.items[0].status, GATE_STALE);
	assert_int_equal(f.s.gates.count, 2);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ECONFLICT);
	assert_int_equal(f.err.code, ERR_APPROVAL_STALE);
	fixture_step(&f, EV_GATE_DECIDED, "G");
	assert_int_equal(f.s.nodes[0].status, NODE_READY);
	fixture_step(&f, EV_CONTRACT_AMENDED, "G");
	assert_int_equal(f.s.nodes[0].status, NODE_NEEDS_APPROVAL);
	assert_false(is_approved(&f.s, 0));
	assert_int_equal(f.s.gates_open, 1);
	assert_false(str_eq(f.s.gates.items[1].contract_sha256,
		f.s.gates.items[2].contract_sha256));
	fixture_release(&f);
}

/* C099: nobody grants what they coordinate, made in a coordinator's name or
 * worked on, unless the list names them; why they may is told. */
static void
nobody_approves_their_own_gate(void **state)
{
	static const struct {
		const char *more;
		const char *by;
		const char *policy; /* NULL: they may not */
		enum pawl_code code;
	} gates[] = {
		{ "Approval: required", "local:ada", "other", YES },
		{ "Approval: required", "local:eve", "solo", YES },
		{ "Approval: required", "local:c1", NULL, ERR_SELF_APPROVAL },
		{ "Approval: required", "c1", NULL, ERR_SELF_APPROVAL },
		{ "Approval: required", "local:c0", NULL, ERR_SELF_APPROVAL },
		{ "Approval: required", "local:w1", NULL, ERR_SELF_APPROVAL },
		{ "Approval: required", "local:w2", "other", YES },
		{ "Approval: required", "local:", "other", YES },
		{ "Approval: required [ada, c1]", "local:c1", "named", YES },
		{ "Approval: required [ada, c1]", "local:ada", "named", YES },
		{ "Approval: required [ada, w1]", "local:w1", "named", YES },
		{ "Approval: required [ada, c1]", "local:eve", NULL,
			ERR_NOT_APPROVER },
		{ "Approval: required [ada]", "local:c1", NULL,
			ERR_NOT_APPROVER },
		{ "Approval: required [ada]", "local:ad", NULL,
			ERR_NOT_APPROVER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(gates) / sizeof(gates[0]); i++) {
		struct plan_row row = { .id = "G", .more = gates[i].more };
		enum pawl_code code = YES;
		struct run_fixture f;
		struct command cmd;

		fixture_init_of(&f, &row, 1);
		coordinators_push(
			&f.s.coordinators, (struct coordinator){ STR("c0") });
		coordinators_push(
			&f.s.coordinators, (struct coordinator){ STR("c1") });
		f.s.run.author = STR("local:eve");
		attempts_push(&f.s.attempts,
			(struct attempt){ .node = 0, .worker = STR("w1") });
		cmd = fixture_command(&f, EV_GATE_DECIDED, "G");
		cmd.event.by = str_from(gates[i].by);
		if (fixture_try(&f, &cmd) != PAWL_OK)
			code = f.err.code;
		if (code != gates[i].code)
			fail_msg("%s by %s: %d, %s", gates[i].more, gates[i].by,
				code, f.err.msg);
		if (gates[i].policy != NULL)
			assert_true(
				str_eq(approver_policy(&f.s, 0, cmd.event.by),
					str_from(gates[i].policy)));
		fixture_release(&f);
	}
}

/* A human's own plan is theirs to approve; an agent's, made in its name, isn't
 * the agent's; of older runs nobody knows. */
static void
who_made_the_plan_in_a_name_approves_nothing(void **state)
{
	static const struct {
		const char *author;
		const char *by;
		const char *policy;
	} runs[] = {
		{ "coordinator:c0", "local:c0", NULL },
		{ "coordinator:c0", "local:ada", "other" },
		{ "coordinator:c0", "local:c", "other" },
		{ "local:ada", "local:ada", "solo" },
		{ "local:ada", "local:eve", "other" },
		{ "", "local:ada", "solo" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct plan_row row = { .id = "G",
			.more = "Approval: required" };
		struct str by = str_from(runs[i].by);
		struct run_fixture f;
		struct pawl_err err;

		fixture_init_of(&f, &row, 1);
		f.s.run.author = str_from(runs[i].author);
		if (approver_may(&f.s, 0, by, &err) != PAWL_OK) {
			assert_int_equal(err.code, ERR_SELF_APPROVAL);
			assert_null(runs[i].policy);
		} else {
			assert_non_null(runs[i].policy);
			assert_true(str_eq(approver_policy(&f.s, 0, by),
				str_from(runs[i].policy)));
		}
		fixture_release(&f);
	}
}

/* An amended check counts in all that the plan's would have. */
static void
an_amended_check_is_the_check(void **state)
{
	static const struct plan_row odd[] = {
		{ .id = "R", .paths = "r", .more = "Red: true" },
		{ .id = "S",
			.paths = "s",
			.check = "missing validation evidence" },
		{ .id = "T", .paths = "t" },
	};
	struct command cmd;
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, odd, 3);
	cmd = fixture_command(&f, EV_CONTRACT_AMENDED, "S");
	EVENT_SET(&cmd.event, F_CHECK, check, STR("test -e s"));
	fixture_do(&f, &cmd);
	fixture_pass(&f, "S");
	cmd = fixture_command(&f, EV_CONTRACT_AMENDED, "T");
	EVENT_SET(&cmd.event, F_CHECK, check, PLAN_SENTINEL);
	fixture_do(&f, &cmd);
	fixture_until(&f, "T", ATTEMPT_REPORTED);
	cmd = fixture_command(&f, EV_CHECK_STARTED, "T@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_CHECK_MISSING);
	/* What was seen to fail on the base was another check. */
	fixture_until(&f, "R", ATTEMPT_REPORTED);
	fixture_step_word(&f, EV_CHECK_STARTED, "R@1", "red");
	fixture_step_word(&f, EV_CHECK_RECORDED, "R@1", "fail");
	fixture_step(&f, EV_ATTEMPT_ABANDONED, "R@1");
	fixture_step(&f, EV_WORKSPACE_RECONCILED, "R@1");
	assert_false(is_red_wanted(&f.s, fixture_node(&f, "R")));
	cmd = fixture_command(&f, EV_CONTRACT_AMENDED, "R");
	EVENT_SET(&cmd.event, F_CHECK, check, STR("test -e r"));
	fixture_do(&f, &cmd);
	assert_true(is_red_wanted(&f.s, fixture_node(&f, "R")));
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_answered_as_it_says),
		cmocka_unit_test(what_cannot_be_folded_is_corrupt),
		cmocka_unit_test(
			a_decision_is_used_by_the_attempt_that_it_granted),
		cmocka_unit_test(a_finding_ends_with_the_work_that_it_is_of),
		cmocka_unit_test(
			hypotheses_are_compared_without_their_white_space),
		cmocka_unit_test(a_run_has_a_bound_of_findings),
		cmocka_unit_test(an_approval_is_of_one_revision),
		cmocka_unit_test(nobody_approves_their_own_gate),
		cmocka_unit_test(who_made_the_plan_in_a_name_approves_nothing),
		cmocka_unit_test(an_amended_check_is_the_check),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
