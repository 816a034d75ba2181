/*
 * event: what a run's journal says, one fact each.
 *
 * An event is a flat struct: every field that any kind carries, once.  Which
 * kind carries which stands in one table (event.c), and reader, writer, the
 * table in docs/journal-format.md and the tests come from it.  On disk:
 *
 *	{"type":"attempt_started","node":"API-01","attempt":"API-01@2","data":{…}}
 *
 * `node` and `attempt` stand outside `data`, which holds the kind's fields in
 * the table's order.  Unknown fields in `data` are passed over (a newer pawl
 * wrote them); an unknown type stops the fold with ERR_NEWER_FORMAT.
 */
#ifndef PAWL_MODEL_EVENT_H
#define PAWL_MODEL_EVENT_H

#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "text/json.h"

/* clang-format off */
#define EVENT_TYPE_MAP(X) \
	X(EV_RUN_STARTED, "run_started") \
	X(EV_COORDINATOR_TAKEN_OVER, "coordinator_taken_over") \
	X(EV_COORDINATOR_CLAIMED, "coordinator_claimed") \
	X(EV_COORDINATOR_TRANSFERRED, "coordinator_transferred") \
	X(EV_COORDINATOR_RESUMED, "coordinator_resumed") \
	X(EV_DRIVER_SELECTION_RESERVED, "driver_selection_reserved") \
	X(EV_DRIVER_SELECTED, "driver_selected") \
	X(EV_DECISION_AMENDED, "decision_amended") \
	X(EV_ATTEMPT_RESERVED, "attempt_reserved") \
	X(EV_ATTEMPT_STARTED, "attempt_started") \
	X(EV_ATTEMPT_START_FAILED, "attempt_start_failed") \
	X(EV_ATTEMPT_REPORTED, "attempt_reported") \
	X(EV_ATTEMPT_INTERRUPTED, "attempt_interrupted") \
	X(EV_ATTEMPT_LOST, "attempt_lost") \
	X(EV_ATTEMPT_ABANDONED, "attempt_abandoned") \
	X(EV_RESULT_QUARANTINED, "result_quarantined") \
	X(EV_RESULT_KEPT, "result_kept") \
	X(EV_ATTEMPT_REJECTED, "attempt_rejected") \
	X(EV_WORKSPACE_RECONCILED, "workspace_reconciled") \
	X(EV_CHECK_STARTED, "check_started") \
	X(EV_CHECK_RECORDED, "check_recorded") \
	X(EV_INTEGRATED, "integrated") \
	X(EV_INTEGRATION_FAILED, "integration_failed") \
	X(EV_NODE_GRADED, "node_graded") \
	X(EV_NODE_BLOCKED, "node_blocked") \
	X(EV_NODE_UNBLOCKED, "node_unblocked") \
	X(EV_GATE_OPENED, "gate_opened") \
	X(EV_GATE_DECIDED, "gate_decided") \
	X(EV_QUESTION_OPENED, "question_opened") \
	X(EV_QUESTION_ANSWERED, "question_answered") \
	X(EV_DELEGATION_REQUESTED, "delegation_requested") \
	X(EV_DELEGATION_APPROVED, "delegation_approved") \
	X(EV_DELEGATION_REJECTED, "delegation_rejected") \
	X(EV_DELEGATION_STARTED, "delegation_started") \
	X(EV_DELEGATION_REPORTED, "delegation_reported") \
	X(EV_DELEGATION_RELEASED, "delegation_released") \
	X(EV_CLEANUP_REGISTERED, "cleanup_registered") \
	X(EV_CLEANUP_SETTLED, "cleanup_settled") \
	X(EV_SCOPE_AMENDED, "scope_amended") \
	X(EV_SCOPE_VIOLATED, "scope_violated") \
	X(EV_JOURNAL_REPAIRED, "journal_repaired") \
	X(EV_FINDING_RECORDED, "finding_recorded") \
	X(EV_DECISION_RECORDED, "decision_recorded") \
	X(EV_CONTRACT_AMENDED, "contract_amended") \
	X(EV_RUN_CLOSED, "run_closed") \
	X(EV_NODE_IMPORTED, "node_imported") \
	X(EV_LEDGER_STARTED, "ledger_started") \
	X(EV_NODE_ADDED, "node_added") \
	X(EV_NODE_MOVED, "node_moved") \
	X(EV_EVIDENCE_ADDED, "evidence_added") \
	X(EV_APPROVAL_DECIDED, "approval_decided") \
	X(EV_DEPENDENCY_ADDED, "dependency_added")

/*
 * Fields of `data`: constant, name on disk, type, member of struct event; those
 * that are true or false beside each other.
 */
#define EVENT_FIELD_MAP(X) \
	X(F_RUN, "run", STR, run) \
	X(F_KIND, "kind", STR, kind) \
	X(F_LIST, "list", STR, list) \
	X(F_LIST_SHA256, "list_sha256", STR, list_sha256) \
	X(F_LIST_BYTES, "list_bytes", INT, list_bytes) \
	X(F_DECISION_SHA256, "decision_sha256", STR, decision_sha256) \
	X(F_MODE, "mode", STR, mode) \
	X(F_EXECUTION, "execution", STR, execution) \
	X(F_BUDGET, "budget", LIST, budget) \
	X(F_RETAINED, "retained", LIST, retained) \
	X(F_INTEGRATOR, "integrator", STR, integrator) \
	X(F_CLEANUP_PLAN, "cleanup_plan", STR, cleanup_plan) \
	X(F_REPO, "repo", STR, repo) \
	X(F_BASE, "base", STR, base) \
	X(F_BRANCH, "branch", STR, branch) \
	X(F_PLACEMENT, "placement", STR, placement) \
	X(F_SLOTS, "slots", INT, slots) \
	X(F_CAPACITY, "capacity", LIST, capacity) \
	X(F_PROFILE, "profile", STR, profile) \
	X(F_ARGV, "argv", LIST, argv) \
	X(F_SECRETS, "secrets", LIST, secrets) \
	X(F_DIRTY, "dirty", LIST, dirty) \
	X(F_ALLOW_DIRTY, "allow_dirty", BOOL, allow_dirty) \
	X(F_STRICT, "strict", BOOL, strict) \
	X(F_SANDBOX, "sandbox", STR, sandbox) \
	X(F_LACKS, "lacks", LIST, lacks) \
	X(F_WIDENED, "widened", LIST, widened) \
	X(F_READS, "reads", LIST, reads) \
	X(F_WRITES, "writes", LIST, writes) \
	X(F_CHECK_NET, "check_net", BOOL, check_net) \
	X(F_AGENTS_SHA256, "agents_sha256", STR, agents_sha256) \
	X(F_EVIDENCE_REQUIRED, "evidence_required", BOOL, evidence_required) \
	X(F_FORCED, "forced", BOOL, forced) \
	X(F_SYNTHESIZED, "synthesized", BOOL, synthesized) \
	X(F_TIMEOUT, "timeout", BOOL, timeout) \
	X(F_FRESH, "fresh", BOOL, fresh) \
	X(F_RED, "red", BOOL, red) \
	X(F_FILESYSTEM, "filesystem", STR, filesystem) \
	X(F_DEVICE, "device", INT, device) \
	X(F_VERSION, "version", STR, version) \
	X(F_BINARY, "binary", STR, binary) \
	X(F_MACHINE, "machine", STR, machine) \
	X(F_BOOT, "boot", STR, boot) \
	X(F_PIDNS, "pidns", INT, pidns) \
	X(F_PID, "pid", INT, pid) \
	X(F_START, "start", INT, start) \
	X(F_REASON, "reason", STR, reason) \
	X(F_NAME, "name", STR, name) \
	X(F_TOKEN_SHA256, "token_sha256", STR, token_sha256) \
	X(F_SELECTION, "selection", STR, selection) \
	X(F_RECEIPT_SHA256, "receipt_sha256", STR, receipt_sha256) \
	X(F_DRIVER, "driver", STR, driver) \
	X(F_WORKER, "worker", STR, worker) \
	X(F_REFS, "refs", STR, refs) \
	X(F_DEGRADED, "degraded", LIST, degraded) \
	X(F_KEY, "key", STR, key) \
	X(F_REVISION, "revision", INT, revision) \
	X(F_CONTRACT_SHA256, "contract_sha256", STR, contract_sha256) \
	X(F_SCOPE_SHA256, "scope_sha256", STR, scope_sha256) \
	X(F_CAPSULE_SHA256, "capsule_sha256", STR, capsule_sha256) \
	X(F_WORKTREE, "worktree", STR, worktree) \
	X(F_DEADLINE_MS, "deadline_ms", INT, deadline_ms) \
	X(F_HYPOTHESIS, "hypothesis", STR, hypothesis) \
	X(F_CAUSE, "cause", STR, cause) \
	X(F_MESSAGE, "message", STR, message) \
	X(F_REPORT_SHA256, "report_sha256", STR, report_sha256) \
	X(F_SUMMARY, "summary", STR, summary) \
	X(F_TREE, "tree", STR, tree) \
	X(F_FILES, "files", LIST, files) \
	X(F_FILE_COUNT, "file_count", INT, file_count) \
	X(F_EXIT, "exit", INT, exit) \
	X(F_SIGNAL, "signal", INT, signal) \
	X(F_START_FAILED, "start_failed", STR, start_failed) \
	X(F_DURATION_MS, "duration_ms", INT, duration_ms) \
	X(F_HELD_MS, "held_ms", INT, held_ms) \
	X(F_SILENT, "silent", LIST, silent) \
	X(F_SESSION, "session", STR, session) \
	X(F_USAGE, "usage", LIST, usage) \
	X(F_STDOUT_BYTES, "stdout_bytes", INT, stdout_bytes) \
	X(F_STDOUT_SHA256, "stdout_sha256", STR, stdout_sha256) \
	X(F_STDERR_BYTES, "stderr_bytes", INT, stderr_bytes) \
	X(F_STDERR_SHA256, "stderr_sha256", STR, stderr_sha256) \
	X(F_SURVIVORS, "survivors", INT, survivors) \
	X(F_PATCH_SHA256, "patch_sha256", STR, patch_sha256) \
	X(F_RESTORED, "restored", INT, restored) \
	X(F_LEFT, "left", LIST, left) \
	X(F_CHECK, "check", STR, check) \
	X(F_VERDICT, "verdict", STR, verdict) \
	X(F_TAIL, "tail", STR, tail) \
	X(F_FLAGGED, "flagged", LIST, flagged) \
	X(F_COMMIT, "commit", STR, commit) \
	X(F_ONTO, "onto", STR, onto) \
	X(F_GRADE, "grade", STR, grade) \
	X(F_GATE, "gate", STR, gate) \
	X(F_DECISION, "decision", STR, decision) \
	X(F_BY, "by", STR, by) \
	X(F_ASSURANCE, "assurance", STR, assurance) \
	X(F_HEAD, "head", STR, head) \
	X(F_QUESTION, "question", STR, question) \
	X(F_PROMPT, "prompt", STR, prompt) \
	X(F_ASKED, "asked", STR, asked) \
	X(F_ASK, "ask", INT, ask) \
	X(F_ANSWER, "answer", STR, answer) \
	X(F_DELEGATION, "delegation", STR, delegation) \
	X(F_PURPOSE, "purpose", STR, purpose) \
	X(F_CONTEXT_REFS, "context_refs", LIST, context_refs) \
	X(F_CAPABILITIES, "capabilities", LIST, capabilities) \
	X(F_INTENT_SHA256, "intent_sha256", STR, intent_sha256) \
	X(F_EXPECTED_REVISION, "expected_revision", INT, expected_revision) \
	X(F_CLEANUP, "cleanup", STR, cleanup) \
	X(F_TARGET, "target", STR, target) \
	X(F_DEV, "dev", INT, dev) \
	X(F_INO, "ino", INT, ino) \
	X(F_STATUS, "status", STR, status) \
	X(F_PATHS, "paths", LIST, paths) \
	X(F_PATH_COUNT, "path_count", INT, path_count) \
	X(F_ARTIFACT, "artifact", STR, artifact) \
	X(F_BYTES, "bytes", INT, bytes) \
	X(F_OUTCOME, "outcome", STR, outcome) \
	X(F_FINDING, "finding", STR, finding) \
	X(F_FINDINGS, "findings", LIST, findings) \
	X(F_FINDING_SHA256, "finding_sha256", STR, finding_sha256) \
	X(F_CLASS, "class", STR, class) \
	X(F_ACCEPTANCE, "acceptance", STR, acceptance) \
	X(F_FILE, "file", STR, file) \
	X(F_REPRODUCTION, "reproduction", STR, reproduction) \
	X(F_SMALLEST_REPAIR, "smallest_repair", STR, smallest_repair) \
	X(F_CHECK_GAP, "check_gap", STR, check_gap) \
	X(F_ACTION, "action", STR, action) \
	X(F_POLICY, "policy", STR, policy) \
	X(F_TASK, "task", STR, task) \
	X(F_TITLE, "title", STR, title) \
	X(F_ROLE, "role", STR, role) \
	X(F_ACCESS, "access", STR, access) \
	X(F_EXPECTED_OUTPUT, "expected_output", STR, expected_output) \
	X(F_MAX_ATTEMPTS, "max_attempts", INT, max_attempts) \
	X(F_APPROVAL, "approval", STR, approval) \
	X(F_DEPENDS_ON, "depends_on", LIST, depends_on) \
	X(F_EVIDENCE, "evidence", LIST, evidence) \
	X(F_IMPORT, "import", STR, import)
/* clang-format on */

#define EVENT_TYPE_ENUM(name, word) name,
enum event_type { EVENT_TYPE_MAP(EVENT_TYPE_ENUM) EVENT_TYPE_COUNT };

/*
 * The kinds from EV_LEDGER_STARTED on are a ledger run's; the others are a task
 * run's, and `journal_repaired` and `run_closed` are of both.
 */
#define EVENT_TASK_TYPES EV_LEDGER_STARTED

#define EVENT_FIELD_ENUM(name, word, type, member) name,
enum event_field { EVENT_FIELD_MAP(EVENT_FIELD_ENUM) EVENT_FIELD_COUNT };

struct strs {
	struct str *items;
	uint32_t count;
};

bool strs_eq(const struct strs *a, const struct strs *b);

#define EVENT_MEMBER_STR struct str
#define EVENT_MEMBER_INT uint64_t
#define EVENT_MEMBER_BOOL bool
#define EVENT_MEMBER_LIST struct strs
#define EVENT_MEMBER(name, word, type, member) EVENT_MEMBER_##type member;

/* In the table's order, whatever that costs. */
/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct event {
	enum event_type type;
	struct str node;    /* id; empty when the kind names none */
	struct str attempt; /* `node@n`, likewise */
	uint64_t has[4];    /* bit a field: it is there */
	EVENT_FIELD_MAP(EVENT_MEMBER)
};

VEC_DEF(events, struct event);

/* Does it name an attempt that isn't there before it? */
static inline bool
is_event_attempt_new(enum event_type type)
{
	return type == EV_ATTEMPT_RESERVED || type == EV_NODE_IMPORTED;
}

/* May it name an attempt that isn't the last of its node? */
static inline bool
is_event_of_earlier(enum event_type type)
{
	return type == EV_CLEANUP_SETTLED || type == EV_WORKSPACE_RECONCILED ||
		type == EV_RESULT_KEPT || type == EV_DELEGATION_REPORTED ||
		type == EV_DELEGATION_RELEASED;
}

static inline bool
event_has(const struct event *e, enum event_field f)
{
	return (e->has[f / 64] >> (f % 64) & 1) != 0;
}

static inline void
event_mark(struct event *e, enum event_field f)
{
	e->has[f / 64] |= UINT64_C(1) << (f % 64);
}

/* Set a member and say that it is there: EVENT_SET(e, F_CAUSE, cause, text). */
#define EVENT_SET(e, field, member, value) \
	((e)->member = (value), event_mark((e), (field)))

/*
 * List one more of the paths that an event counts, as long as there is room: a
 * line is bounded, what a worker leaves isn't.
 */
void event_list_path(struct arena *mem, struct strs *list, struct str path);

/* Kinds whose line is the first of a generation. */
static inline bool
event_begins_generation(enum event_type type)
{
	return type == EV_RUN_STARTED || type == EV_COORDINATOR_TAKEN_OVER ||
		type == EV_COORDINATOR_TRANSFERRED;
}

/* The word on disk; "" for a number that is no type. */
struct str event_word(enum event_type type);

/*
 * Decode one event; strings are views into the JSON's bytes, lists lie in
 * `mem`. Errors: ERR_NEWER_FORMAT for an unknown type, ERR_CORRUPT for a shape
 * that no version wrote (missing field, other type, empty node).
 */
PAWL_MUST_CHECK enum pawl_rc event_read(const struct json *v, struct arena *mem,
	struct event *ret_event, struct pawl_err *err);

/* Append the event's JSON; asserts that each required field is there. */
void event_write(struct json_writer *w, const struct event *e);

/*
 * A whole number of 64 bits, such as an inode; the reader of JSON has those
 * over INT64_MAX as JSON_REAL.  False when `v` is none.
 */
bool event_number(const struct json *v, uint64_t *ret_n);

/* Print the table of kinds and fields as Markdown, for docs and its test. */
void event_table_write(struct buf *out);

#endif
