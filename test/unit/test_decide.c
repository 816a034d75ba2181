/*
 * Which command is refused in which state, with which code; and that what is
 * refused changes nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/decide.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "B", .paths = "src/b" },
	{ .id = "C", .depends = "A", .paths = "c" },
	{ .id = "G", .paths = "g", .more = "Approval: required" },
	{ .id = "R", .paths = "docs", .mode = "read" },
	{ .id = "S", .paths = "s", .check = "missing validation evidence" },
	{ .id = "D", .paths = "d", .more = "Red: true" },
	{ .id = "T", .paths = "t", .ticked = true },
	{ .id = "U", .depends = "T", .paths = "u" },
};

enum { STEPS_MAX = 20 };

struct step {
	const char *subject; /* NULL: no step */
	enum event_type type;
	const char *word; /* NULL: the usual one */
};

#define RESERVE(a)                           \
	{                                    \
		a, EV_ATTEMPT_RESERVED, NULL \
	}
#define START(a)                            \
	RESERVE(a),                         \
	{                                   \
		a, EV_ATTEMPT_STARTED, NULL \
	}
#define REPORT(a)                            \
	START(a),                            \
	{                                    \
		a, EV_ATTEMPT_REPORTED, NULL \
	}
#define CHECK(a, verdict)                     \
	{ a, EV_CHECK_STARTED, NULL },        \
	{                                     \
		a, EV_CHECK_RECORDED, verdict \
	}
#define RED(a, verdict)                       \
	{ a, EV_CHECK_STARTED, "red" },       \
	{                                     \
		a, EV_CHECK_RECORDED, verdict \
	}
#define CHECKED(a) REPORT(a), CHECK(a, "pass")
#define PASS(a)                                 \
	CHECKED(a), { a, EV_INTEGRATED, NULL }, \
	{                                       \
		a, EV_NODE_GRADED, "pass"       \
	}
#define LOST(a)                              \
	START(a),                            \
	{                                    \
		a, EV_ATTEMPT_LOST, "exit 9" \
	}
#define DENY                                   \
	{                                      \
		"G", EV_GATE_DECIDED, "denied" \
	}
#define CLOSE                                \
	DENY,                                \
	{                                    \
		"", EV_RUN_CLOSED, "partial" \
	}
#define CLEANUP(a)                             \
	{                                      \
		a, EV_CLEANUP_REGISTERED, NULL \
	}

typedef void twist_fn(struct command *cmd);

#define TWIST(name, change)                 \
	static void name(struct command *c) \
	{                                   \
		change;                     \
	}

TWIST(plain, (void)c)
TWIST(stale, c->gen--)
TWIST(from_the_future, c->gen++)
TWIST(by_human, c->actor = ACTOR_HUMAN)
TWIST(by_coordinator, c->actor = ACTOR_COORDINATOR)
TWIST(owner_alive, c->owner_dead = false)
TWIST(no_reason, c->event.reason = STR(" \t"))
TWIST(no_import, c->event.import = STR(" "))
TWIST(no_key, c->event.key = STR(" "))
TWIST(key_of_a, c->event.key = STR("k-A@1"))
TWIST(no_hypothesis, c->event.hypothesis = STR("\n"))
TWIST(other_contract, c->event.contract_sha256 = STR("0"))
TWIST(other_scope, c->event.scope_sha256 = STR("0"))
TWIST(other_gate, c->event.gate = STR("G!2"))
TWIST(other_node, c->event.node = STR("R"))
TWIST(no_node, c->event.node = STR("Z"))
TWIST(other_check, c->event.check = STR("A@1#3"))
TWIST(other_cleanup, c->event.cleanup = STR("c9"))
TWIST(first_cleanup, c->event.cleanup = STR("c1"))
TWIST(retained_silently, c->event.status = STR("retained");
	c->event.reason = STR(""))
TWIST(in_place, c->event.placement = STR("in_place"))
TWIST(handed_on, c->event.driver = STR("host"))

struct row {
	struct step steps[STEPS_MAX];
	struct step last;
	twist_fn *twist;
	enum pawl_code code; /* PAWL_CODE_COUNT: it is decided */
};

#define YES PAWL_CODE_COUNT
#define NOTHING           \
	{                 \
		{         \
			0 \
		}         \
	}

static const struct row table[] = {
	/* authority (design 3.10) */
	{ NOTHING, RESERVE("A@1"), plain, YES },
	{ NOTHING, RESERVE("A@1"), stale, ERR_STALE_COORDINATOR },
	{ NOTHING, RESERVE("A@1"), from_the_future, ERR_STALE_COORDINATOR },
	{ NOTHING, RESERVE("A@1"), by_human, ERR_NOT_PERMITTED },
	{ NOTHING, { "G", EV_GATE_DECIDED, NULL }, by_coordinator,
		ERR_NOT_PERMITTED },
	{ NOTHING, { "G", EV_GATE_DECIDED, NULL }, stale, YES },
	{ { { "A", EV_NODE_BLOCKED, "x" } }, { "A", EV_NODE_UNBLOCKED, NULL },
		by_coordinator, ERR_NOT_PERMITTED },
	{ NOTHING, { "", EV_JOURNAL_REPAIRED, NULL }, plain, YES },
	{ NOTHING, { "", EV_JOURNAL_REPAIRED, NULL }, by_human, YES },
	{ NOTHING, { "", EV_JOURNAL_REPAIRED, NULL }, stale,
		ERR_STALE_COORDINATOR },
	/* the run */
	{ NOTHING, { "", EV_RUN_STARTED, NULL }, plain, ERR_ID_TAKEN },
	{ NOTHING, { "", EV_RUN_STARTED, NULL }, by_human, ERR_NOT_PERMITTED },
	{ NOTHING, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, plain, YES },
	{ NOTHING, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, owner_alive,
		ERR_RUN_HELD },
	{ NOTHING, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, stale,
		ERR_STALE_COORDINATOR },
	{ NOTHING, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, from_the_future,
		ERR_STALE_COORDINATOR },
	{ NOTHING, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, by_human,
		ERR_NOT_PERMITTED },
	/* C095: not over a gate that somebody waits for */
	{ NOTHING, { "", EV_RUN_CLOSED, "pass" }, plain, ERR_GATES_OPEN },
	{ NOTHING, { "", EV_RUN_CLOSED, "partial" }, plain, YES },
	{ { DENY }, { "", EV_RUN_CLOSED, "pass" }, plain,
		ERR_OUTCOME_UNEARNED },
	{ { DENY }, { "", EV_RUN_CLOSED, "partial" }, plain, YES },
	{ { DENY }, { "", EV_RUN_CLOSED, "blocked" }, plain, YES },
	{ { DENY }, { "", EV_RUN_CLOSED, "failed" }, plain, YES },
	{ { DENY }, { "", EV_RUN_CLOSED, "great" }, plain,
		ERR_INVALID_ARGUMENT },
	{ { DENY }, { "", EV_RUN_CLOSED, "" }, plain, ERR_INVALID_ARGUMENT },
	{ { DENY, RESERVE("A@1") }, { "", EV_RUN_CLOSED, "failed" }, plain,
		ERR_ATTEMPTS_RUNNING },
	{ { DENY, RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_ATTEMPT_START_FAILED, NULL } },
		{ "", EV_RUN_CLOSED, "failed" }, plain, ERR_CLEANUP_PENDING },
	{ { DENY, RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_ATTEMPT_START_FAILED, NULL },
		  { "A@1", EV_CLEANUP_SETTLED, "retained" } },
		{ "", EV_RUN_CLOSED, "failed" }, plain, YES },
	/* C041: an outcome that nobody knows is put in order first */
	{ { DENY, LOST("A@1") }, { "", EV_RUN_CLOSED, "failed" }, plain,
		ERR_CLEANUP_PENDING },
	{ { DENY, LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL } },
		{ "", EV_RUN_CLOSED, "failed" }, plain, YES },
	{ { DENY, LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL } },
		RESERVE("C@1"), plain, ERR_TASK_NOT_READY },
	{ { CLOSE }, RESERVE("A@1"), plain, ERR_RUN_CLOSED },
	{ { CLOSE }, { "G", EV_GATE_DECIDED, NULL }, plain, ERR_RUN_CLOSED },
	{ { CLOSE }, { "", EV_RUN_CLOSED, "partial" }, plain, ERR_RUN_CLOSED },
	{ { CLOSE }, { "", EV_COORDINATOR_TAKEN_OVER, NULL }, plain, YES },
	/* reservations */
	{ NOTHING, RESERVE("A@1"), no_node, ERR_NODE_NOT_FOUND },
	{ NOTHING, RESERVE("A@1"), other_node, ERR_INVALID_ARGUMENT },
	{ NOTHING, RESERVE("A@2"), plain, ERR_INVALID_ARGUMENT },
	{ NOTHING, RESERVE("A@0"), plain, ERR_INVALID_ARGUMENT },
	{ NOTHING, RESERVE("A@01"), plain, ERR_INVALID_ARGUMENT },
	{ NOTHING, { "A@1", EV_ATTEMPT_RESERVED, "./its-own" }, plain, YES },
	{ NOTHING, RESERVE("A@1"), handed_on, YES },
	{ NOTHING, { "A@1", EV_ATTEMPT_RESERVED, "./its-own" }, handed_on,
		ERR_INVALID_ARGUMENT },
	{ NOTHING, RESERVE("C@1"), plain, ERR_TASK_NOT_READY },
	{ NOTHING, RESERVE("G@1"), plain, ERR_APPROVAL_NEEDED },
	{ { { "G", EV_GATE_DECIDED, "granted" } }, RESERVE("G@1"), plain, YES },
	{ { { "G", EV_GATE_DECIDED, "denied" } }, RESERVE("G@1"), plain,
		ERR_TASK_NOT_READY },
	{ { RESERVE("A@1") }, RESERVE("A@2"), plain, ERR_TASK_NOT_READY },
	/* C071: by whichever way an attempt begins: the next one, a repair, one
	 * more after an end without a verdict */
	{ { RESERVE("A@1") }, RESERVE("B@1"), plain, ERR_SCOPE_OVERLAP },
	{ { RESERVE("B@1") }, RESERVE("A@1"), plain, ERR_SCOPE_OVERLAP },
	{ { REPORT("A@1"), CHECK("A@1", "fail"),
		  { "A@1", EV_ATTEMPT_REJECTED, NULL }, RESERVE("B@1") },
		RESERVE("A@2"), plain, ERR_SCOPE_OVERLAP },
	{ { RESERVE("A@1"), { "A@1", EV_ATTEMPT_START_FAILED, NULL },
		  RESERVE("B@1") },
		RESERVE("A@2"), plain, ERR_SCOPE_OVERLAP },
	{ { PASS("A@1") }, RESERVE("B@1"), plain, YES },
	{ { PASS("A@1") }, RESERVE("A@2"), plain, ERR_TASK_NOT_READY },
	{ { RESERVE("A@1") }, RESERVE("R@1"), plain, YES },
	{ { RESERVE("A@1"), RESERVE("R@1") }, RESERVE("S@1"), plain, ERR_BUSY },
	{ { LOST("A@1") }, RESERVE("A@2"), plain, ERR_TASK_NOT_READY },
	{ { LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL } },
		RESERVE("A@2"), plain, YES },
	/* attempts */
	{ NOTHING, { "A@1", EV_ATTEMPT_STARTED, NULL }, plain,
		ERR_ATTEMPT_NOT_FOUND },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_STARTED, NULL }, plain, YES },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_STARTED, NULL }, other_node,
		ERR_INVALID_ARGUMENT },
	{ { RESERVE("A@1") }, { "A@01", EV_ATTEMPT_STARTED, NULL }, plain,
		ERR_ATTEMPT_NOT_FOUND },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_STARTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_START_FAILED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_REPORTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_REPORTED, NULL }, plain, YES },
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_LOST, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1") }, { "A@1", EV_ATTEMPT_LOST, NULL }, plain, YES },
	{ { PASS("A@1") }, { "A@1", EV_ATTEMPT_INTERRUPTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	/* giving up: only what owns nothing more, with a reason */
	{ { RESERVE("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		YES },
	{ { RESERVE("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_CLEANUP_BLOCKED },
	{ { RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_CLEANUP_SETTLED, "failed" } },
		{ "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_CLEANUP_BLOCKED },
	{ { RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_CLEANUP_SETTLED, "verified" } },
		{ "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain, YES },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain, YES },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, no_reason,
		ERR_INVALID_ARGUMENT },
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, stale,
		ERR_STALE_COORDINATOR },
	{ { CHECKED("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		YES },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL } },
		{ "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { LOST("A@1") }, { "A@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { RESERVE("A@1"), { "A@1", EV_ATTEMPT_ABANDONED, NULL } },
		RESERVE("A@2"), plain, YES },
	{ { START("A@1"), { "A@1", EV_ATTEMPT_ABANDONED, NULL } },
		RESERVE("A@2"), plain, ERR_TASK_NOT_READY },
	{ { START("A@1"), { "A@1", EV_ATTEMPT_ABANDONED, NULL },
		  { "A@1", EV_WORKSPACE_RECONCILED, NULL } },
		RESERVE("A@2"), plain, YES },
	/* a slot that was closed for what is no result */
	{ { START("A@1") }, { "A@1", EV_RESULT_QUARANTINED, NULL }, plain,
		YES },
	{ { START("A@1"), { "A@1", EV_RESULT_QUARANTINED, NULL },
		  START("T@1") },
		{ "T@1", EV_RESULT_QUARANTINED, NULL }, key_of_a,
		ERR_KEY_CONFLICT },
	{ { START("A@1") }, { "A@1", EV_RESULT_QUARANTINED, NULL }, no_key,
		ERR_INVALID_ARGUMENT },
	{ { REPORT("A@1") }, { "A@1", EV_RESULT_QUARANTINED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1"), { "A@1", EV_RESULT_QUARANTINED, NULL } },
		{ "A@1", EV_ATTEMPT_REPORTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	/* C033, C047: a result that comes late is kept, once */
	{ { LOST("A@1") }, { "A@1", EV_RESULT_KEPT, NULL }, plain, YES },
	{ { PASS("A@1") }, { "A@1", EV_RESULT_KEPT, NULL }, plain, YES },
	{ { START("A@1") }, { "A@1", EV_RESULT_KEPT, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { LOST("A@1"), { "A@1", EV_RESULT_KEPT, NULL } },
		{ "A@1", EV_RESULT_KEPT, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL },
		  PASS("A@2") },
		{ "A@1", EV_RESULT_KEPT, NULL }, plain, YES },
	/* C036: attempt 1 speaks after attempt 2 began, or passed */
	{ { LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL },
		  START("A@2") },
		{ "A@1", EV_ATTEMPT_REPORTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { LOST("A@1"), { "A@1", EV_WORKSPACE_RECONCILED, NULL },
		  PASS("A@2") },
		{ "A@1", EV_ATTEMPT_LOST, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { LOST("A@1") }, { "A@1", EV_WORKSPACE_RECONCILED, NULL }, plain,
		YES },
	{ { START("A@1") }, { "A@1", EV_WORKSPACE_RECONCILED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1") }, { "A@1", EV_SCOPE_VIOLATED, NULL }, plain, YES },
	{ { REPORT("A@1") }, { "A@1", EV_SCOPE_VIOLATED, "repository" }, plain,
		YES },
	{ { REPORT("A@1") }, { "A@1", EV_SCOPE_VIOLATED, "ignored" }, plain,
		YES },
	{ { REPORT("A@1") }, { "A@1", EV_SCOPE_VIOLATED, "ugly" }, plain,
		ERR_INVALID_ARGUMENT },
	{ { LOST("A@1") }, { "A@1", EV_SCOPE_VIOLATED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { RESERVE("A@1") }, { "A@1", EV_SCOPE_VIOLATED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	/* what is on the run's branch is graded, not forgotten */
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL } },
		{ "A@1", EV_ATTEMPT_LOST, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL } },
		{ "A@1", EV_ATTEMPT_INTERRUPTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	/* nothing is given up under a check, wherever that runs */
	{ { REPORT("D@1"), { "D@1", EV_CHECK_STARTED, "red" } },
		{ "D@1", EV_ATTEMPT_ABANDONED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_INTEGRATION_FAILED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1"), { "A@1", EV_SCOPE_VIOLATED, NULL } },
		{ "A@1", EV_INTEGRATED, NULL }, plain, ERR_ATTEMPT_STATE },
	/* checks: single flight, bound to the attempt (design 3.6) */
	{ { REPORT("D@1"), RED("D@1", "pass"),
		  { "D@1", EV_ATTEMPT_ABANDONED, NULL },
		  { "D@1", EV_WORKSPACE_RECONCILED, NULL }, REPORT("D@2") },
		{ "D@2", EV_CHECK_STARTED, NULL }, plain, ERR_RED_NEEDED },
	{ { START("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, plain, YES },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, other_check,
		ERR_INVALID_ARGUMENT },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_STARTED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_RECORDED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_RECORDED, "skipped" }, plain,
		ERR_INVALID_ARGUMENT },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_CHECK_RECORDED, "pass" }, other_check,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1") }, { "A@1", EV_CHECK_RECORDED, "pass" }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1") }, { "A@1", EV_CHECK_STARTED, NULL }, plain, YES },
	/* what left its scope can't be checked, nor graded pass */
	{ { REPORT("A@1"), { "A@1", EV_SCOPE_VIOLATED, NULL } },
		{ "A@1", EV_CHECK_STARTED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL },
		  { "A@1", EV_SCOPE_VIOLATED, NULL } },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_ATTEMPT_STATE },
	/* rejection: one repair, with a hypothesis */
	{ { START("A@1") }, { "A@1", EV_ATTEMPT_REJECTED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_ATTEMPT_REJECTED, NULL }, plain, YES },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_ATTEMPT_REJECTED, NULL }, no_hypothesis,
		ERR_INVALID_ARGUMENT },
	{ { REPORT("A@1"), { "A@1", EV_ATTEMPT_REJECTED, NULL },
		  REPORT("A@2") },
		{ "A@2", EV_ATTEMPT_REJECTED, NULL }, plain,
		ERR_REPAIR_CAP_REACHED },
	/* integration and grades: nothing but a passing check gives a pass */
	{ { REPORT("A@1") }, { "A@1", EV_INTEGRATED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1") }, { "A@1", EV_INTEGRATED, NULL }, plain, YES },
	{ { CHECKED("A@1") }, { "A@1", EV_INTEGRATION_FAILED, NULL }, plain,
		YES },
	{ { START("A@1") }, { "A@1", EV_INTEGRATION_FAILED, NULL }, plain,
		ERR_ATTEMPT_STATE },
	{ { START("A@1") }, { "A@1", EV_NODE_GRADED, "pass" }, plain,
		ERR_ATTEMPT_STATE },
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "pass" }, plain,
		ERR_CHECK_FAILED },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_CHECK_FAILED },
	/* C096: a void, missing or unrecorded check is no pass */
	{ { REPORT("A@1"), CHECK("A@1", "void") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_CHECK_FAILED },
	{ { CHECKED("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_CHECK_NEEDED },
	{ { CHECKED("A@1") }, { "A@1", EV_NODE_GRADED, "pass" }, plain,
		ERR_ATTEMPT_STATE },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL } },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL }, CLEANUP("A@1") },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_CLEANUP_PENDING },
	{ { REPORT("A@1"), CHECK("A@1", "fail"), CLEANUP("A@1") },
		{ "A@1", EV_NODE_GRADED, "fail" }, plain, ERR_CLEANUP_PENDING },
	{ { REPORT("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_NODE_GRADED, "blocked" }, plain,
		ERR_CLEANUP_PENDING },
	{ { REPORT("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_NODE_GRADED, "unobserved" }, plain,
		ERR_CLEANUP_PENDING },
	{ { CHECKED("A@1"), { "A@1", EV_INTEGRATED, NULL }, CLEANUP("A@1"),
		  { "A@1", EV_CLEANUP_SETTLED, "retained" } },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { CHECKED("R@1") }, { "R@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { REPORT("S@1") }, { "S@1", EV_CHECK_STARTED, NULL }, plain,
		ERR_CHECK_MISSING },
	{ { REPORT("S@1") }, { "S@1", EV_NODE_GRADED, "pass" }, plain,
		ERR_CHECK_MISSING },
	{ { REPORT("S@1") }, { "S@1", EV_NODE_GRADED, "unobserved" }, plain,
		YES },
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "ok" }, plain,
		ERR_INVALID_ARGUMENT },
	/* a failure is a check's, or is in the report */
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "fail" }, plain,
		ERR_CHECK_NEEDED },
	{ { CHECKED("A@1") }, { "A@1", EV_NODE_GRADED, "fail" }, plain,
		ERR_CHECK_NEEDED },
	{ { REPORT("A@1"), CHECK("A@1", "void") },
		{ "A@1", EV_NODE_GRADED, "fail" }, plain, ERR_CHECK_NEEDED },
	{ { REPORT("A@1"), CHECK("A@1", "fail") },
		{ "A@1", EV_NODE_GRADED, "fail" }, plain, YES },
	{ { REPORT("A@1"), { "A@1", EV_SCOPE_VIOLATED, NULL } },
		{ "A@1", EV_NODE_GRADED, "fail" }, plain, YES },
	{ { REPORT("A@1"), { "A@1", EV_CHECK_STARTED, NULL } },
		{ "A@1", EV_NODE_GRADED, "blocked" }, plain, ERR_CHECK_NEEDED },
	/* a block names what is missing */
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "blocked" }, plain, YES },
	{ { REPORT("A@1") }, { "A@1", EV_NODE_GRADED, "blocked" }, no_reason,
		ERR_REASON_NEEDED },
	/* one grade an attempt */
	{ { PASS("A@1") }, { "A@1", EV_NODE_GRADED, "fail" }, plain,
		ERR_GRADE_CONFLICT },
	{ { REPORT("A@1"), CHECK("A@1", "fail"),
		  { "A@1", EV_NODE_GRADED, "fail" } },
		{ "A@1", EV_NODE_GRADED, "blocked" }, plain,
		ERR_GRADE_CONFLICT },
	{ { REPORT("A@1"), { "A@1", EV_NODE_GRADED, "unobserved" } },
		{ "A@1", EV_NODE_GRADED, "pass" }, plain, ERR_GRADE_CONFLICT },
	{ { REPORT("A@1"), { "A@1", EV_NODE_GRADED, "blocked" },
		  { "A", EV_NODE_UNBLOCKED, NULL }, CHECKED("A@2"),
		  { "A@2", EV_INTEGRATED, NULL } },
		{ "A@2", EV_NODE_GRADED, "pass" }, plain, YES },
	/* a check that must fail on the base first */
	{ { REPORT("D@1") }, { "D@1", EV_CHECK_STARTED, NULL }, plain,
		ERR_RED_NEEDED },
	{ { REPORT("D@1") }, { "D@1", EV_CHECK_STARTED, "red" }, plain, YES },
	{ { REPORT("A@1") }, { "A@1", EV_CHECK_STARTED, "red" }, plain,
		ERR_RED_NEEDED },
	{ { REPORT("D@1"), RED("D@1", "void") },
		{ "D@1", EV_CHECK_STARTED, NULL }, plain, ERR_RED_NEEDED },
	{ { REPORT("D@1"), RED("D@1", "void") },
		{ "D@1", EV_CHECK_STARTED, "red" }, plain, YES },
	{ { REPORT("D@1"), RED("D@1", "fail") },
		{ "D@1", EV_CHECK_STARTED, "red" }, plain, ERR_RED_NEEDED },
	{ { REPORT("D@1"), RED("D@1", "fail"), CHECK("D@1", "pass"),
		  { "D@1", EV_INTEGRATED, NULL } },
		{ "D@1", EV_NODE_GRADED, "pass" }, plain, YES },
	{ { REPORT("D@1"), RED("D@1", "fail") },
		{ "D@1", EV_NODE_GRADED, "fail" }, plain, ERR_CHECK_NEEDED },
	{ { REPORT("D@1"), RED("D@1", "pass") },
		{ "D@1", EV_CHECK_STARTED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { REPORT("D@1"), RED("D@1", "pass") },
		{ "D@1", EV_NODE_GRADED, "pass" }, plain, ERR_RED_NEEDED },
	{ { REPORT("D@1"), RED("D@1", "pass") },
		{ "D@1", EV_NODE_GRADED, "blocked" }, plain, YES },
	{ { REPORT("D@1"), RED("D@1", "pass"),
		  { "D@1", EV_NODE_GRADED, "blocked" },
		  { "D", EV_NODE_UNBLOCKED, NULL }, REPORT("D@2") },
		{ "D@2", EV_CHECK_STARTED, "red" }, plain, YES },
	/* imports: a ticked box, nothing alive, dependencies passed */
	{ NOTHING, { "T@1", EV_NODE_IMPORTED, NULL }, plain, YES },
	{ NOTHING, { "T@1", EV_NODE_IMPORTED, NULL }, stale,
		ERR_STALE_COORDINATOR },
	{ NOTHING, { "T@2", EV_NODE_IMPORTED, NULL }, plain,
		ERR_INVALID_ARGUMENT },
	{ NOTHING, { "T@1", EV_NODE_IMPORTED, NULL }, no_import,
		ERR_INVALID_ARGUMENT },
	{ NOTHING, { "A@1", EV_NODE_IMPORTED, NULL }, plain, ERR_NOT_TICKED },
	{ { RESERVE("T@1") }, { "T@2", EV_NODE_IMPORTED, NULL }, plain,
		ERR_TASK_NOT_READY },
	{ { RESERVE("A@1"), RESERVE("R@1") }, { "T@1", EV_NODE_IMPORTED, NULL },
		plain, YES },
	{ { { "T@1", EV_NODE_IMPORTED, NULL } },
		{ "T@2", EV_NODE_IMPORTED, NULL }, plain, ERR_TASK_NOT_READY },
	/* C041: an outcome that nobody knows, settled by evidence */
	{ { LOST("T@1"), { "T@1", EV_WORKSPACE_RECONCILED, NULL } },
		{ "T@2", EV_NODE_IMPORTED, NULL }, plain, YES },
	{ { LOST("T@1") }, { "T@2", EV_NODE_IMPORTED, NULL }, plain,
		ERR_TASK_NOT_READY },
	{ { LOST("T@1"), { "T@1", EV_WORKSPACE_RECONCILED, NULL } },
		RESERVE("U@1"), plain, ERR_TASK_NOT_READY },
	{ { LOST("T@1"), { "T@1", EV_WORKSPACE_RECONCILED, NULL },
		  { "T@2", EV_NODE_IMPORTED, NULL } },
		RESERVE("U@1"), plain, YES },
	/* blocks */
	{ NOTHING, { "A", EV_NODE_BLOCKED, "environment" }, plain, YES },
	{ { START("A@1") }, { "A", EV_NODE_BLOCKED, "environment" }, plain,
		ERR_ATTEMPT_STATE },
	{ NOTHING, { "G", EV_NODE_BLOCKED, "environment" }, plain,
		ERR_ATTEMPT_STATE },
	{ { PASS("A@1") }, { "A", EV_NODE_BLOCKED, "environment" }, plain,
		ERR_ATTEMPT_STATE },
	{ NOTHING, { "A", EV_NODE_UNBLOCKED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ { { "A", EV_NODE_BLOCKED, "x" } }, { "A", EV_NODE_UNBLOCKED, NULL },
		plain, YES },
	{ { { "A", EV_NODE_BLOCKED, "x" } }, { "A", EV_NODE_UNBLOCKED, NULL },
		no_reason, ERR_INVALID_ARGUMENT },
	/* gates (C094) */
	{ NOTHING, { "G", EV_GATE_OPENED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ NOTHING, { "A", EV_GATE_OPENED, NULL }, plain, ERR_ATTEMPT_STATE },
	{ NOTHING, { "G", EV_GATE_DECIDED, "granted" }, plain, YES },
	{ NOTHING, { "G", EV_GATE_DECIDED, "denied" }, plain, YES },
	{ NOTHING, { "G", EV_GATE_DECIDED, "yes" }, plain,
		ERR_INVALID_ARGUMENT },
	{ NOTHING, { "G", EV_GATE_DECIDED, "granted" }, other_gate,
		ERR_GATE_NOT_FOUND },
	{ NOTHING, { "G", EV_GATE_DECIDED, "granted" }, other_node,
		ERR_GATE_NOT_FOUND },
	{ NOTHING, { "A", EV_GATE_DECIDED, "granted" }, plain,
		ERR_GATE_NOT_FOUND },
	{ { { "G", EV_GATE_DECIDED, "granted" } },
		{ "G", EV_GATE_DECIDED, "granted" }, plain, ERR_GATE_DECIDED },
	{ { { "G", EV_GATE_DECIDED, "denied" } },
		{ "G", EV_GATE_DECIDED, "granted" }, plain, ERR_GATE_DECIDED },
	{ NOTHING, { "G", EV_GATE_DECIDED, "granted" }, other_contract,
		ERR_APPROVAL_STALE },
	{ NOTHING, { "G", EV_GATE_DECIDED, "granted" }, other_scope,
		ERR_APPROVAL_STALE },
	/* cleanups */
	{ { RESERVE("A@1") }, CLEANUP("A@1"), plain, YES },
	{ { RESERVE("A@1") }, CLEANUP("A@1"), other_cleanup,
		ERR_INVALID_ARGUMENT },
	{ { RESERVE("A@1"), CLEANUP("A@1") }, CLEANUP("A@1"), first_cleanup,
		ERR_INVALID_ARGUMENT },
	{ { LOST("A@1") }, CLEANUP("A@1"), plain, ERR_ATTEMPT_STATE },
	{ { RESERVE("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_CLEANUP_SETTLED, "verified" }, plain, YES },
	{ { RESERVE("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_CLEANUP_SETTLED, "failed" }, plain, YES },
	{ { RESERVE("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_CLEANUP_SETTLED, NULL }, retained_silently,
		ERR_INVALID_ARGUMENT },
	{ { RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_CLEANUP_SETTLED, "failed" } },
		{ "A@1", EV_CLEANUP_SETTLED, "verified" }, plain, YES },
	{ { RESERVE("A@1"), CLEANUP("A@1"),
		  { "A@1", EV_CLEANUP_SETTLED, "retained" } },
		{ "A@1", EV_CLEANUP_SETTLED, "verified" }, first_cleanup,
		ERR_CLEANUP_SETTLED },
	{ { RESERVE("A@1"), CLEANUP("A@1") },
		{ "A@1", EV_CLEANUP_SETTLED, "verified" }, other_cleanup,
		ERR_CLEANUP_NOT_FOUND },
	{ { RESERVE("A@1"), CLEANUP("A@1"), RESERVE("R@1") },
		{ "R@1", EV_CLEANUP_SETTLED, "verified" }, first_cleanup,
		ERR_INVALID_ARGUMENT },
};

static void
fixture_at(struct run_fixture *f, const struct step *steps)
{
	const struct run_options options = { .slots = 2 };

	fixture_init(f, rows, sizeof(rows) / sizeof(rows[0]), &options);
	for (size_t i = 0; i < STEPS_MAX && steps[i].subject != NULL; i++) {
		struct command cmd = fixture_command_word(
			f, steps[i].type, steps[i].subject, steps[i].word);

		fixture_do(f, &cmd);
	}
}

static void
each_command_is_decided_as_the_table_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *row = &table[i];
		struct buf before = { 0 }, after = { 0 };
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		fixture_at(&f, row->steps);
		cmd = fixture_command_word(
			&f, row->last.type, row->last.subject, row->last.word);
		row->twist(&cmd);
		fixture_projection(&f.s, &before);
		rc = fixture_try(&f, &cmd);
		if (f.broken != NULL)
			fail_msg("row %zu: %s: %s", i, f.broken, f.err.msg);
		if (row->code == YES && rc != PAWL_OK)
			fail_msg("row %zu: %s", i, f.err.msg);
		if (row->code != YES &&
			(rc == PAWL_OK || f.err.code != row->code))
			fail_msg("row %zu: %s (%s)", i, f.err.msg,
				pawl_code_info(f.err.code)->word);
		fixture_projection(&f.s, &after);
		assert_int_equal(str_eq(buf_str(&before), buf_str(&after)),
			rc != PAWL_OK);
		assert_true(
			rc == PAWL_OK || rc == pawl_code_info(row->code)->rc);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

static void
nothing_is_decided_before_the_start(void **state)
{
	(void)state;
	for (size_t t = EV_RUN_STARTED; t < EVENT_TYPE_COUNT; t++) {
		struct pawl_err err = { 0 };
		struct command cmd = { 0 };
		struct run_fixture f;
		enum pawl_rc rc;

		cmd.event.type = (enum event_type)t;
		fixture_init_planned(&f, rows, 2);
		rc = decide(&f.s, &cmd, &err);
		assert_int_equal(
			rc, t == EV_RUN_STARTED ? PAWL_OK : PAWL_ENOENT);
		assert_true(rc == PAWL_OK || err.code == ERR_RUN_NOT_FOUND);
		fixture_release(&f);
	}
}

static void
a_task_run_has_no_events_of_a_ledger(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_at(&f, (const struct step[STEPS_MAX]){ { 0 } });
	for (size_t t = EVENT_TASK_TYPES; t < EVENT_TYPE_COUNT; t++) {
		struct command cmd = { .gen = 1 };
		struct pawl_err err = { 0 };

		cmd.event.type = (enum event_type)t;
		assert_int_equal(decide(&f.s, &cmd, &err), PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
		assert_non_null(strstr(err.msg, "is a ledger run's"));
	}
	fixture_release(&f);
}

/* A refusal says what explain says: one decision function (C034). */
static void
a_reservation_is_refused_in_the_words_of_explain(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_at(&f, (const struct step[STEPS_MAX]){ START("A@1") });
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "C@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_string_equal(
		f.err.msg, "C isn't ready: A is RUNNING (attempt 1)");
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "B@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_string_equal(f.err.msg,
		"B is READY but can't start yet: scope 'src/b' overlaps what "
		"attempt A@1 holds");
	fixture_release(&f);
}

/* In a run whose writers have worktrees, two were taken into one place. */
static void
a_writer_is_alone_in_place_whoever_asks(void **state)
{
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_at(&f, (const struct step[STEPS_MAX]){ { 0 } });
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "A@1");
	in_place(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_OK);
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "R@1");
	in_place(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "S@1");
	in_place(&cmd);
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "S@1");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_OK);
	fixture_release(&f);
}

/* C097: one commit carries what made the gate due, and the gate. */
static void
gates_open_in_document_order_with_what_made_them_due(void **state)
{
	static const struct plan_row gated[] = {
		{ .id = "Z", .depends = "K", .more = "Approval: required" },
		{ .id = "K" },
		{ .id = "A", .depends = "K", .more = "Access: destructive" },
		{ .id = "B", .depends = "K", .more = "Access: external-write" },
		{ .id = "C", .depends = "A", .more = "Approval: required" },
	};
	static const char *const gates[] = { "Z!1", "A!1", "B!1" };
	static const char *const reasons[] = { "approval", "access", "access" };
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, gated, 5);
	assert_int_equal(f.s.gates.count, 0);
	fixture_pass(&f, "K");
	assert_int_equal(f.s.gates.count, 3);
	for (size_t i = 0; i < 3; i++) {
		const struct folded *e =
			&f.journal.items[f.journal.count - 3 + i];

		assert_int_equal(e->event.type, EV_GATE_OPENED);
		assert_true(str_eq(e->event.gate, str_from(gates[i])));
		assert_true(str_eq(e->event.reason, str_from(reasons[i])));
		assert_int_equal(e->line.seq,
			f.journal.items[f.journal.count - 4].line.seq);
		assert_int_equal(e->event.contract_sha256.len, 64);
	}
	fixture_release(&f);
}

/* A gate that was due when its node was blocked in the same commit. */
static void
a_node_blocked_in_the_commit_that_made_its_gate_due_opens_none(void **state)
{
	static const struct plan_row gated[] = {
		{ .id = "K" },
		{ .id = "Z", .depends = "K", .more = "Approval: required" },
	};
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, gated, 2);
	fixture_until(&f, "K", ATTEMPT_INTEGRATED);
	cmd = fixture_command(&f, EV_NODE_GRADED, "K@1");
	assert_int_equal(fixture_propose(&f, &cmd), PAWL_OK);
	cmd = fixture_command(&f, EV_NODE_BLOCKED, "Z");
	assert_int_equal(fixture_propose(&f, &cmd), PAWL_OK);
	fixture_commit(&f);
	assert_null(f.broken);
	assert_int_equal(f.s.gates.count, 0);
	fixture_step(&f, EV_NODE_UNBLOCKED, "Z");
	assert_int_equal(f.s.gates.count, 1);
	fixture_release(&f);
}

static void
a_run_does_not_close_over_a_gate_that_is_due(void **state)
{
	static const struct plan_row gated[] = {
		{ .id = "Z", .more = "Approval: required" },
	};
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, gated, 1);
	fixture_step_word(&f, EV_GATE_DECIDED, "Z", "denied");
	cmd = fixture_command(&f, EV_NODE_UNBLOCKED, "Z");
	assert_int_equal(fixture_propose(&f, &cmd), PAWL_OK);
	cmd = fixture_command_word(&f, EV_RUN_CLOSED, "", "failed");
	assert_int_equal(fixture_propose(&f, &cmd), PAWL_EHUMAN);
	fixture_commit(&f);
	assert_null(f.broken);
	assert_int_equal(f.s.gates_open, 1);
	fixture_release(&f);
}

/* At the limit of gates the node stays BLOCKED, and the journal folds. */
static void
gates_of_a_node_have_a_limit(void **state)
{
	static const struct plan_row gated[] = {
		{ .id = "Z", .more = "Approval: required" },
	};
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, gated, 1);
	for (int i = 1; i < UINT8_MAX; i++) {
		fixture_step_word(&f, EV_GATE_DECIDED, "Z", "denied");
		fixture_step(&f, EV_NODE_UNBLOCKED, "Z");
	}
	fixture_step_word(&f, EV_GATE_DECIDED, "Z", "denied");
	cmd = fixture_command(&f, EV_NODE_UNBLOCKED, "Z");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_release(&f);
}

/* Below, at and over: a fold would have ended the run as corrupt. */
static void
attempts_and_cleanups_of_a_node_have_limits(void **state)
{
	static const struct plan_row one[] = { { .id = "Z" } };
	struct run_fixture f;
	struct command cmd;

	(void)state;
	fixture_init_of(&f, one, 1);
	f.s.nodes[0].attempts = UINT16_MAX - 1;
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "Z@65535");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_OK);
	for (int i = 0; i < UINT8_MAX; i++)
		fixture_step(&f, EV_CLEANUP_REGISTERED, "Z@65535");
	cmd = fixture_command(&f, EV_CLEANUP_REGISTERED, "Z@65535");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_step(&f, EV_ATTEMPT_START_FAILED, "Z@65535");
	cmd = fixture_command(&f, EV_ATTEMPT_RESERVED, "Z@65536");
	assert_int_equal(fixture_try(&f, &cmd), PAWL_ENO);
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_command_is_decided_as_the_table_says),
		cmocka_unit_test(nothing_is_decided_before_the_start),
		cmocka_unit_test(a_task_run_has_no_events_of_a_ledger),
		cmocka_unit_test(
			a_reservation_is_refused_in_the_words_of_explain),
		cmocka_unit_test(a_writer_is_alone_in_place_whoever_asks),
		cmocka_unit_test(
			gates_open_in_document_order_with_what_made_them_due),
		cmocka_unit_test(
			a_node_blocked_in_the_commit_that_made_its_gate_due_opens_none),
		cmocka_unit_test(a_run_does_not_close_over_a_gate_that_is_due),
		cmocka_unit_test(gates_of_a_node_have_a_limit),
		cmocka_unit_test(attempts_and_cleanups_of_a_node_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
