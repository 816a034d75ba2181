/*
 * err: how things fail.
 *
 * A function that can fail returns `enum pawl_rc` and takes a `struct pawl_err
 * *` last.  The class is the exit status of the command line; the code is the
 * row of the one table below, and is API: programs branch on its word, never on
 * the message.  Low code sets an error once (pawl_fail, pawl_fail_sys), middle
 * code may add context (pawl_wrap), the edge prints it.
 *
 * Messages: one line, lower case, no full stop, names in single quotes, the
 * value that was wrong and the limit that it broke.
 */
#ifndef PAWL_BASE_ERR_H
#define PAWL_BASE_ERR_H

#include <stdbool.h>

#include "base/attr.h"
#include "base/str.h"

/* Classes; the numbers are exit statuses. */
enum pawl_rc {
	PAWL_OK = 0,
	PAWL_ENO = 1, /* the answer is no, or the input is invalid */
	PAWL_EUSAGE = 2,
	PAWL_ENOENT = 3,
	PAWL_ECONFLICT = 4, /* stale or conflicting; nothing was changed */
	PAWL_EHUMAN = 5,    /* waits for a human */
	PAWL_EBUSY = 6,     /* may be retried */
	PAWL_EIO = 7,       /* a mutation's outcome is unknown */
	PAWL_ECORRUPT = 8,
	PAWL_EPERM = 9,
	PAWL_EINTERNAL = 70,
};

/*
 * One row a refusal: constant, word, class, may be retried, hint.  The hint is
 * the next command to type, or the empty string.  Printed by `pawl help
 * errors`.
 */
/* clang-format off */
#define PAWL_CODE_MAP(X) \
	X(ERR_INTERNAL, "internal", PAWL_EINTERNAL, false, "") \
	X(ERR_USAGE, "usage", PAWL_EUSAGE, false, "pawl help") \
	X(ERR_UNKNOWN_COMMAND, "unknown_command", PAWL_EUSAGE, false, "pawl help") \
	X(ERR_UNKNOWN_OPTION, "unknown_option", PAWL_EUSAGE, false, "pawl help") \
	X(ERR_LIMIT, "limit", PAWL_ENO, false, "") \
	X(ERR_INVALID_ARGUMENT, "invalid_argument", PAWL_ENO, false, "") \
	X(ERR_INVALID_ID, "invalid_id", PAWL_ENO, false, "") \
	X(ERR_INVALID_PATH, "invalid_path", PAWL_ENO, false, "") \
	X(ERR_INVALID_TASKS, "invalid_tasks", PAWL_ENO, false, "pawl plan LIST") \
	X(ERR_UNSUPPORTED_FIELD, "unsupported_field", PAWL_ENO, false, "leave it out; NEWS.md lists what is not there yet") \
	X(ERR_INVALID_CHECK, "invalid_check", PAWL_ENO, false, "put the command line into a script of the repository") \
	X(ERR_INVALID_RESULT, "invalid_result", PAWL_ENO, false, "pawl help task report") \
	X(ERR_NOT_JSON, "not_json", PAWL_ENO, false, "") \
	X(ERR_INVALID_DOCUMENT, "invalid_document", PAWL_ENO, false, "") \
	X(ERR_INVALID_DECISION, "invalid_decision", PAWL_ENO, false, "pawl plan LIST --decision") \
	X(ERR_INVALID_SIGNALS, "invalid_signals", PAWL_ENO, false, "pawl help intake") \
	X(ERR_STOP_CONDITION, "process_stop_condition", PAWL_ENO, false, "pawl decision amend FILE --amendment F") \
	X(ERR_BUDGET_EXHAUSTED, "budget_exhausted", PAWL_ENO, false, "pawl task amend-decision RUN --decision F --as ID") \
	X(ERR_INVALID_LEDGER, "invalid_ledger", PAWL_ENO, false, "pawl ledger check FILE") \
	X(ERR_CYCLE, "cycle", PAWL_ENO, false, "") \
	X(ERR_UNKNOWN_DEPENDENCY, "unknown_dependency", PAWL_ENO, false, "") \
	X(ERR_STEP_NOT_ALLOWED, "step_not_allowed", PAWL_ENO, false, "pawl ledger show") \
	X(ERR_ATTEMPTS_EXHAUSTED, "attempts_exhausted", PAWL_ENO, false, "pawl ledger repair NODE --title T") \
	X(ERR_REASON_NEEDED, "reason_needed", PAWL_ENO, false, "--reason TEXT") \
	X(ERR_EVIDENCE_NEEDED, "evidence_needed", PAWL_ENO, false, "pawl ledger set NODE PASSED --evidence REF") \
	X(ERR_EVIDENCE_MISSING, "evidence_missing", PAWL_ENO, false, "") \
	X(ERR_EVIDENCE_EMPTY, "evidence_empty", PAWL_ENO, false, "") \
	X(ERR_EVIDENCE_STALE, "evidence_stale", PAWL_ENO, false, "") \
	X(ERR_EVIDENCE_OUTSIDE, "evidence_outside", PAWL_ENO, false, "") \
	X(ERR_EVIDENCE_MISMATCH, "evidence_mismatch", PAWL_ENO, false, "") \
	X(ERR_EVIDENCE_UNPROVEN, "evidence_unproven", PAWL_ENO, false, "") \
	X(ERR_NOT_IGNORED, "not_ignored", PAWL_ENO, false, "keep the capsule, or pawl ledger new --run TASK") \
	X(ERR_TASK_NOT_READY, "task_not_ready", PAWL_ENO, false, "pawl explain NODE") \
	X(ERR_SCOPE_OVERLAP, "scope_overlap", PAWL_ENO, false, "") \
	X(ERR_DIRTY_SCOPE, "dirty_scope", PAWL_ENO, false, "git stash, or pawl run --allow-dirty") \
	X(ERR_NEEDS_REPOSITORY, "needs_repository", PAWL_ENO, false, "git init, or run inside a repository") \
	X(ERR_CHECK_FAILED, "check_failed", PAWL_ENO, false, "") \
	X(ERR_CHECK_MISSING, "missing_check", PAWL_ENO, false, "pawl task grade NODE unobserved --as ID") \
	X(ERR_CHECK_NEEDED, "check_needed", PAWL_ENO, false, "pawl task check NODE --as ID") \
	X(ERR_CHECK_VOID, "check_void", PAWL_ENO, true, "pawl task check NODE --as ID") \
	X(ERR_RED_NEEDED, "red_needed", PAWL_ENO, false, "") \
	X(ERR_NOT_TICKED, "not_ticked", PAWL_ENO, false, "") \
	X(ERR_OUTCOME_UNEARNED, "outcome_unearned", PAWL_ENO, false, "pawl status") \
	X(ERR_CHANGED_PATH_UNPROVEN, "changed_path_unproven", PAWL_ENO, false, "") \
	X(ERR_INTERRUPTED, "interrupted", PAWL_ENO, true, "") \
	X(ERR_LAND_BLOCKED, "land_blocked", PAWL_ECONFLICT, true, "") \
	X(ERR_INVALID_FINDING, "invalid_finding", PAWL_ENO, false, "") \
	X(ERR_FINDING_OPEN, "finding_open", PAWL_ENO, false, "pawl task audit-reject ATTEMPT --finding F --hypothesis T") \
	X(ERR_FINDINGS_CARRIED, "carry_forward_findings", PAWL_ENO, false, "pawl task complete RUN --outcome partial") \
	X(ERR_FINDING_NOT_BLOCKING, "finding_not_blocking", PAWL_ENO, false, "") \
	X(ERR_HYPOTHESIS_KNOWN, "hypothesis_known", PAWL_ENO, false, "") \
	X(ERR_REPAIR_CAP_REACHED, "repair_cap_reached", PAWL_ENO, false, "pawl task decide NODE --action A --note T") \
	X(ERR_ALLOWANCE_LEFT, "allowance_left", PAWL_ENO, false, "pawl task repair NODE --hypothesis T") \
	X(ERR_RUN_FAILED, "run_failed", PAWL_ENO, false, "pawl explain NODE") \
	X(ERR_RUN_CLOSED, "run_closed", PAWL_ENO, false, "") \
	X(ERR_RUN_OPEN, "run_open", PAWL_ENO, false, "") \
	X(ERR_RUN_KIND, "run_kind", PAWL_ENO, false, "") \
	X(ERR_NODE_NOT_FOUND, "node_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_RUN_NOT_FOUND, "run_not_found", PAWL_ENOENT, false, "pawl list") \
	X(ERR_GATE_NOT_FOUND, "gate_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_ATTEMPT_NOT_FOUND, "attempt_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_FINDING_NOT_FOUND, "finding_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_RECORD_NOT_FOUND, "record_not_found", PAWL_ENOENT, false, "pawl task learn snapshot RUN") \
	X(ERR_REQUEST_NOT_FOUND, "request_not_found", PAWL_ENOENT, false, "pawl task view requests") \
	X(ERR_FILE_NOT_FOUND, "file_not_found", PAWL_ENOENT, false, "") \
	X(ERR_AMBIGUOUS_ID, "ambiguous_id", PAWL_ECONFLICT, false, "") \
	X(ERR_AMBIGUOUS_RUN, "ambiguous_run", PAWL_ECONFLICT, false, "pawl list") \
	X(ERR_ID_TAKEN, "id_taken", PAWL_ECONFLICT, false, "") \
	X(ERR_STALE_COORDINATOR, "stale_coordinator", PAWL_ECONFLICT, false, "pawl status") \
	X(ERR_DECISION_STALE, "decision_stale", PAWL_ECONFLICT, false, "pawl task amend-decision RUN --decision F --as ID") \
	X(ERR_DECISION_DRIFT, "decision_drift", PAWL_ECONFLICT, false, "pawl decision check FILE LIST") \
	X(ERR_ALREADY_CLAIMED, "already_claimed", PAWL_ECONFLICT, false, "pawl task takeover RUN --as ID --force --reason TEXT") \
	X(ERR_OTHER_BINARY, "other_binary", PAWL_ECONFLICT, false, "pawl task resume RUN --as ID") \
	X(ERR_STALE_SEQ, "stale_seq", PAWL_ECONFLICT, true, "") \
	X(ERR_STALE_REVISION, "stale_revision", PAWL_ECONFLICT, false, "pawl show NODE") \
	X(ERR_ATTEMPT_STATE, "attempt_state", PAWL_ECONFLICT, false, "pawl status") \
	X(ERR_SCOPE_FROZEN, "scope_frozen", PAWL_ECONFLICT, false, "pawl task abandon ATTEMPT --reason TEXT") \
	X(ERR_CHECK_STALE, "check_stale", PAWL_ECONFLICT, false, "pawl task check NODE --rerun --as ID") \
	X(ERR_GRADE_CONFLICT, "grade_conflict", PAWL_ECONFLICT, false, "pawl task digest") \
	X(ERR_IMPORT_CONFLICT, "import_conflict", PAWL_ECONFLICT, false, "") \
	X(ERR_INTEGRATION_FAILED, "integration_failed", PAWL_ECONFLICT, false, "pawl explain NODE") \
	X(ERR_ATTEMPTS_RUNNING, "attempts_running", PAWL_ECONFLICT, true, "pawl status") \
	X(ERR_CLEANUP_PENDING, "cleanup_pending", PAWL_ECONFLICT, false, "pawl task digest") \
	X(ERR_REF_MOVED, "ref_moved", PAWL_ECONFLICT, false, "") \
	X(ERR_REF_IN_USE, "ref_in_use", PAWL_ECONFLICT, false, "git switch --detach") \
	X(ERR_CLEANUP_BLOCKED, "cleanup_blocked", PAWL_ECONFLICT, false, "pawl status") \
	X(ERR_APPROVAL_STALE, "approval_stale", PAWL_ECONFLICT, false, "pawl approve RUN/GATE") \
	X(ERR_GATE_DECIDED, "gate_decided", PAWL_ECONFLICT, false, "") \
	X(ERR_REQUEST_TAKEN, "request_taken", PAWL_ECONFLICT, false, "pawl task view requests") \
	X(ERR_KEY_CONFLICT, "key_conflict", PAWL_ECONFLICT, false, "") \
	X(ERR_QUESTION_NOT_FOUND, "question_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_QUESTION_ANSWERED, "question_answered", PAWL_ECONFLICT, false, "") \
	X(ERR_QUESTION_STALE, "question_stale", PAWL_ECONFLICT, false, "pawl status") \
	X(ERR_QUESTION_OPEN, "question_open", PAWL_EHUMAN, false, "pawl answer RUN/QUESTION TEXT") \
	X(ERR_CLEANUP_NOT_FOUND, "cleanup_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_CLEANUP_SETTLED, "cleanup_settled", PAWL_ECONFLICT, false, "") \
	X(ERR_CLEANUP_TAKEN, "cleanup_taken", PAWL_ECONFLICT, false, "pawl status") \
	X(ERR_CLEANUP_UNPROVEN, "cleanup_unproven", PAWL_ENO, true, "pawl task cleanup retain CLEANUP --reason TEXT") \
	X(ERR_DELEGATION_NOT_FOUND, "delegation_not_found", PAWL_ENOENT, false, "pawl status") \
	X(ERR_DELEGATION_STATE, "delegation_state", PAWL_ECONFLICT, false, "pawl show DELEGATION") \
	X(ERR_DELEGATION_OPEN, "delegation_open", PAWL_ECONFLICT, false, "pawl task delegate release DELEGATION --reason TEXT --as ID") \
	X(ERR_DELEGATION_WIDENS, "delegation_widens", PAWL_ENO, false, "pawl show DELEGATION") \
	X(ERR_INVALID_INTENT, "invalid_intent", PAWL_ENO, false, "") \
	X(ERR_INVALID_PROFILE, "invalid_profile", PAWL_ENO, false, "") \
	X(ERR_AGENT_NOT_FOUND, "agent_not_found", PAWL_ENOENT, false, "pawl doctor") \
	X(ERR_DELIVERY_CONFLICT, "delivery_conflict", PAWL_ECONFLICT, false, "") \
	X(ERR_NOT_MALFORMED, "not_malformed", PAWL_ECONFLICT, false, "pawl task sync") \
	X(ERR_RESULT_CLOSED, "result_closed", PAWL_ECONFLICT, false, "") \
	X(ERR_KEY_EXPIRED, "key_expired", PAWL_ECONFLICT, false, "") \
	X(ERR_APPROVAL_NEEDED, "approval_needed", PAWL_EHUMAN, false, "pawl approve RUN/GATE") \
	X(ERR_GATES_OPEN, "gates_open", PAWL_EHUMAN, false, "pawl approve RUN/GATE") \
	X(ERR_BUSY, "busy", PAWL_EBUSY, true, "") \
	X(ERR_RUN_HELD, "run_held", PAWL_EBUSY, true, "") \
	X(ERR_GIT_BUSY, "git_busy", PAWL_EBUSY, true, "") \
	X(ERR_IO, "io", PAWL_EIO, true, "") \
	X(ERR_OUTCOME_UNKNOWN, "outcome_unknown", PAWL_EIO, true, "ask again with the same --key") \
	X(ERR_POISONED, "poisoned", PAWL_EIO, false, "pawl verify --repair") \
	X(ERR_NO_LOCKS, "locks_unsupported", PAWL_EIO, false, "pawl --state DIR") \
	X(ERR_OUTPUT, "output", PAWL_EIO, true, "") \
	X(ERR_GIT, "git_failed", PAWL_EIO, true, "") \
	X(ERR_SPAWN, "spawn_failed", PAWL_EIO, true, "") \
	X(ERR_DRIFT, "drift", PAWL_ENO, false, "pawl verify --repair") \
	X(ERR_NOT_CONFIRMED, "not_confirmed", PAWL_EHUMAN, false, "") \
	X(ERR_CORRUPT, "corrupt", PAWL_ECORRUPT, false, "pawl verify") \
	X(ERR_NEWER_FORMAT, "newer_format", PAWL_ECORRUPT, false, "use the version of pawl that wrote it") \
	X(ERR_RESULT_SLOT, "result_slot_integrity", PAWL_ECORRUPT, false, "pawl verify") \
	X(ERR_DIGEST_MISMATCH, "digest_mismatch", PAWL_ECORRUPT, false, "pawl verify") \
	X(ERR_NOT_PERMITTED, "not_permitted", PAWL_EPERM, false, "") \
	X(ERR_FOREIGN_PATH, "foreign_path", PAWL_EPERM, false, "") \
	X(ERR_WRONG_TOKEN, "wrong_token", PAWL_EPERM, false, "pawl task takeover RUN --as ID --force --reason TEXT") \
	X(ERR_SELF_APPROVAL, "self_approval", PAWL_EPERM, false, "ask somebody else, or name who may: Approval: required [NAME]") \
	X(ERR_NOT_APPROVER, "not_an_approver", PAWL_EPERM, false, "ask one whom the list names") \
	X(ERR_UNSAFE_PATH, "unsafe_path", PAWL_EPERM, false, "") \
	X(ERR_WORKER_CONTEXT, "worker_context", PAWL_EPERM, false, "ask a human outside the worker") \
	X(ERR_SETTINGS_CHANGED, "settings_changed", PAWL_EPERM, false, "") \
	X(ERR_DRIVER_NOT_FOUND, "driver_not_found", PAWL_ENOENT, false, "pawl driver list") \
	X(ERR_DRIVER_UNSUPPORTED, "driver_unsupported", PAWL_ENO, false, "pawl driver test NAME") \
	X(ERR_DRIVER_UNAVAILABLE, "driver_unavailable", PAWL_EBUSY, true, "") \
	X(ERR_DRIVER_UNKNOWN, "driver_unknown", PAWL_EIO, true, "pawl driver test NAME") \
	X(ERR_DRIVER_CONFLICT, "driver_conflict", PAWL_ECONFLICT, false, "pawl driver test NAME") \
	X(ERR_DRIVER_REFUSED, "driver_refused", PAWL_ENO, false, "") \
	X(ERR_DRIVER_LOST, "driver_lost", PAWL_ENOENT, false, "pawl status") \
	X(ERR_CONTEXT_MISMATCH, "context_mismatch", PAWL_ENO, false, "pawl driver test NAME") \
	X(ERR_SANDBOX_UNAVAILABLE, "sandbox_unavailable", PAWL_EPERM, false, "--sandbox=best-effort goes without")
/* clang-format on */

#define PAWL_CODE_ENUM(name, word, rc, retry, hint) name,
enum pawl_code { PAWL_CODE_MAP(PAWL_CODE_ENUM) PAWL_CODE_COUNT };

struct pawl_code_info {
	const char *word; /* stable */
	enum pawl_rc rc;
	bool retryable;
	const char *hint; /* "" when there is none */
};

const struct pawl_code_info *pawl_code_info(enum pawl_code code);

struct pawl_err {
	enum pawl_rc rc;     /* class; PAWL_OK until the first failure */
	enum pawl_code code; /* row of the table; the class follows from it */
	int sys;             /* errno of the failing system call, or 0 */
	char msg[480];  /* one line, no final full stop; may be cut short */
	char hint[240]; /* instead of the row's hint; "" when not set */
	struct str
		field; /* which argument, key or JSON Pointer; may be empty */
	struct str detail; /* facts for programs: a JSON object, or empty */
};

/* All return the class, so that failing is one line.  `err` is never NULL. */
enum pawl_rc pawl_fail(struct pawl_err *err, enum pawl_code code,
	const char *fmt, ...) PAWL_PRINTF(3, 4) PAWL_COLD;

/* As pawl_fail with errno's text added; EAGAIN, ENOENT and EPERM keep `code`.
 */
enum pawl_rc pawl_fail_sys(struct pawl_err *err, enum pawl_code code,
	const char *fmt, ...) PAWL_PRINTF(3, 4) PAWL_COLD;

/* Put "text: " before the message of an error that is set already. */
enum pawl_rc pawl_wrap(struct pawl_err *err, const char *fmt, ...)
	PAWL_PRINTF(2, 3) PAWL_COLD;

/* Say what to type next; returns the class. */
enum pawl_rc pawl_hint(struct pawl_err *err, const char *fmt, ...)
	PAWL_PRINTF(2, 3) PAWL_COLD;

/*
 * A failure is never PAWL_OK.  Said where it is called, so that the compiler
 * and the analyzer don't follow the way on which a failure counts as success.
 */
static inline enum pawl_rc
pawl_not_ok(enum pawl_rc rc)
{
	if (rc == PAWL_OK)
		__builtin_unreachable();
	return rc;
}
#define pawl_fail(...) pawl_not_ok(pawl_fail(__VA_ARGS__))
#define pawl_fail_sys(...) pawl_not_ok(pawl_fail_sys(__VA_ARGS__))
#define pawl_wrap(...) pawl_not_ok(pawl_wrap(__VA_ARGS__))

/* The hint that is to be shown: its own, or the row's; "" when there is none.
 */
const char *pawl_err_hint(const struct pawl_err *err);

#endif
