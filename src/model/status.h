/*
 * status: what a thing of a run can be, and the word for it.
 *
 * Each set of words is closed and stands here once: the journal, the projection
 * of a run, the JSON of the commands and the texts for people all use these
 * words.  The order of a set is part of the projection's format: new ones come
 * last.  A word that comes from outside is read with the function `_from` of
 * its set.
 */
#ifndef PAWL_MODEL_STATUS_H
#define PAWL_MODEL_STATUS_H

#include <stdbool.h>

#include "base/err.h"

/* clang-format off */
#define NODE_STATUS_MAP(X) \
	X(NODE_PENDING, "PENDING") \
	X(NODE_READY, "READY") \
	X(NODE_RUNNING, "RUNNING") \
	X(NODE_PASSED, "PASSED") \
	X(NODE_FAILED, "FAILED") \
	X(NODE_BLOCKED, "BLOCKED") \
	X(NODE_NEEDS_APPROVAL, "NEEDS_APPROVAL") \
	X(NODE_SKIPPED, "SKIPPED")

#define RUN_STATUS_MAP(X) \
	X(RUN_PLANNING, "PLANNING") \
	X(RUN_RUNNING, "RUNNING") \
	X(RUN_COMPLETE, "COMPLETE") \
	X(RUN_NEEDS_APPROVAL, "NEEDS_APPROVAL") \
	X(RUN_FAILED, "FAILED") \
	X(RUN_BLOCKED, "BLOCKED")

/* The states of design 3.5; those from ATTEMPT_SETTLED on are ends. */
#define ATTEMPT_STATUS_MAP(X) \
	X(ATTEMPT_RESERVED, "reserved") \
	X(ATTEMPT_STARTED, "started") \
	X(ATTEMPT_REPORTED, "reported") \
	X(ATTEMPT_CHECKED, "checked") \
	X(ATTEMPT_INTEGRATED, "integrated") \
	X(ATTEMPT_SETTLED, "settled") \
	X(ATTEMPT_REJECTED, "rejected") \
	X(ATTEMPT_START_FAILED, "start_failed") \
	X(ATTEMPT_INTERRUPTED, "interrupted") \
	X(ATTEMPT_LOST, "lost") \
	X(ATTEMPT_INTEGRATION_FAILED, "integration_failed") \
	X(ATTEMPT_ABANDONED, "abandoned") \
	X(ATTEMPT_QUARANTINED, "quarantined") \
	X(ATTEMPT_WORKSPACE_LOST, "workspace_lost")

/* Why a node is BLOCKED: word, and who can unblock it. */
#define BLOCK_REASON_MAP(X) \
	X(BLOCK_NONE, "none", "") \
	X(BLOCK_DENIED, "denied", "a human") \
	X(BLOCK_ENVIRONMENT, "environment", "whoever keeps the machine") \
	X(BLOCK_WORKSPACE, "workspace", "whoever owns the working tree") \
	X(BLOCK_INTEGRATION, "integration", "a human who merges the branch") \
	X(BLOCK_PREREQUISITE, "prerequisite", "whoever provides it") \
	X(BLOCK_REDUCED, "reduced", "whoever amends the decision")

/*
 * Why the work of an attempt condemns it: word, and what is said of a path.
 * An event without a word means the first.
 */
#define BREACH_MAP(X) \
	X(BREACH_OUTSIDE, "outside", "lies outside") \
	X(BREACH_REPOSITORY, "repository", "is a repository of its own") \
	X(BREACH_IGNORED, "ignored", "was reported, but git ignores it") \
	X(BREACH_LINKED, "linked", "is a hard link to a file elsewhere")

/* What an audit found (design 3.7): word, and does it block a pass? */
#define FINDING_CLASS_MAP(X) \
	X(FINDING_ACCEPTANCE, "acceptance_violation", true) \
	X(FINDING_REGRESSION, "reproducible_regression", true) \
	X(FINDING_INTEGRITY, "security_or_integrity", true) \
	X(FINDING_HARDENING, "hardening", false) \
	X(FINDING_ADVISORY, "advisory", false)

/*
 * What is decided once the allowance of a node is used: word, and does it grant
 * one more attempt by itself?
 */
#define REWORK_ACTION_MAP(X) \
	X(REWORK_ACCEPT_CHECK, "accept_check", false) \
	X(REWORK_AMEND_ACCEPTANCE, "amend_acceptance", true) \
	X(REWORK_AMEND_PATHS, "amend_paths", true) \
	X(REWORK_REGROUP, "regroup", true) \
	X(REWORK_INPUT_REQUIRED, "input_required", false) \
	X(REWORK_BLOCK, "block", false)
/* clang-format on */

#define STATE_ENUM2(name, word) name,
#define STATE_ENUM3(name, word, who) name,
enum node_status { NODE_STATUS_MAP(STATE_ENUM2) NODE_STATUS_COUNT };
enum run_status { RUN_STATUS_MAP(STATE_ENUM2) RUN_STATUS_COUNT };
enum attempt_status { ATTEMPT_STATUS_MAP(STATE_ENUM2) ATTEMPT_STATUS_COUNT };
enum block_reason { BLOCK_REASON_MAP(STATE_ENUM3) BLOCK_REASON_COUNT };
enum breach { BREACH_MAP(STATE_ENUM3) BREACH_COUNT };
enum finding_class { FINDING_CLASS_MAP(STATE_ENUM3) FINDING_CLASS_COUNT };
enum rework_action { REWORK_ACTION_MAP(STATE_ENUM3) REWORK_ACTION_COUNT };

enum verdict { VERDICT_NONE, VERDICT_PASS, VERDICT_FAIL, VERDICT_VOID };
enum grade {
	GRADE_NONE,
	GRADE_PASS,
	GRADE_FAIL,
	GRADE_UNOBSERVED,
	GRADE_BLOCKED
};
enum gate_status {
	GATE_OPEN,
	GATE_GRANTED,
	GATE_DENIED,
	GATE_STALE, /* its contract was amended */
};
enum placement { PLACEMENT_IN_PLACE, PLACEMENT_WORKTREE };

/*
 * Of a thing that must not outlive its attempt unnoticed.  `verified` is pawl's
 * own proof; `done` somebody's word, for kinds that pawl can't prove; a
 * `retained` one stays on purpose, with a reason.  These three are ends.
 */
enum cleanup_status {
	CLEANUP_PENDING,
	CLEANUP_VERIFIED,
	CLEANUP_FAILED, /* looked for, and still there */
	CLEANUP_RETAINED,
	CLEANUP_DONE,
	CLEANUP_UNVERIFIABLE, /* looked for, and it can't be told */
};

/*
 * Of a question.  An act is one that wants a human's authority: the coordinator
 * can't grant it.  It becomes stale when its attempt ends before the answer.
 */
enum ask_status { ASK_OPEN, ASK_ANSWERED, ASK_STALE, ASK_DENIED };
enum ask_kind { ASK_QUESTION, ASK_ACT };

/* What can be registered: word, and whether pawl itself proves it gone. */
/* clang-format off */
#define CLEANUP_KIND_MAP(X) \
	X(CLEANUP_PROCESS, "process", true) \
	X(CLEANUP_PTY, "pty", false) \
	X(CLEANUP_TERMINAL, "terminal", false) \
	X(CLEANUP_WORKTREE, "worktree", true) \
	X(CLEANUP_TEMP_PATH, "temp_path", true) \
	X(CLEANUP_SESSION, "session", false) \
	X(CLEANUP_BROWSER_SURFACE, "browser_surface", false) \
	X(CLEANUP_PROVIDER_DISPATCH, "provider_dispatch", false)
/* clang-format on */
enum cleanup_kind { CLEANUP_KIND_MAP(STATE_ENUM3) CLEANUP_KIND_COUNT };

/* The words, as the journal has them; NONE has an empty one. */
struct str node_status_word(enum node_status s);
struct str run_status_word(enum run_status s);
struct str attempt_status_word(enum attempt_status s);
struct str block_reason_word(enum block_reason r);
const char *block_reason_who(enum block_reason r);
struct str breach_word(enum breach b);
const char *breach_phrase(enum breach b);
struct str grade_word(enum grade g);
struct str verdict_word(enum verdict v);
struct str placement_word(enum placement p);
struct str cleanup_status_word(enum cleanup_status s);
struct str gate_status_word(enum gate_status s);
struct str ask_status_word(enum ask_status status);
struct str ask_kind_word(enum ask_kind kind);

/* The reason with this word; BLOCK_PREREQUISITE for all others. */
enum block_reason block_reason_from(struct str word);

/* The breach with this word, or with none; false when there is no such. */
bool breach_from(struct str word, enum breach *ret_breach);

/* The grade with this word; false when there is none. */
bool grade_from(struct str word, enum grade *ret_grade);

/*
 * The same; what is none is refused with the list of those that are.
 * Errors: ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc grade_read(
	struct str word, enum grade *ret_grade, struct pawl_err *err);

/* Is it how a run can be closed?  Errors: ERR_INVALID_ARGUMENT. */
PAWL_MUST_CHECK enum pawl_rc outcome_check(
	struct str word, struct pawl_err *err);

/* The kind of this word; false when there is none. */
bool cleanup_kind_from(struct str word, enum cleanup_kind *ret_kind);
/* The same, or the list of kinds.  Errors: ERR_INVALID_ARGUMENT. */
PAWL_MUST_CHECK enum pawl_rc cleanup_kind_read(
	struct str word, enum cleanup_kind *ret_kind, struct pawl_err *err);
/* Can pawl itself prove that one of this kind is gone? */
bool is_cleanup_provable(enum cleanup_kind kind);

#endif
