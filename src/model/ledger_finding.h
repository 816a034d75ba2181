/*
 * ledger_finding: what is wrong with a ledger, each at its place.
 *
 * Every rule of a checkpoint is a row of one table: its word, which is API, its
 * class and a sentence that says what must be so.  A *violation* makes a ledger
 * unfit for use, a *note* doesn't; a *step* is a note that --strict makes a
 * violation.  All are collected; at most BOUND_LEDGER_FINDINGS of violations
 * and of notes are kept with their texts, the rest are counted.
 *
 * A place is a JSON Pointer, and a byte of the text with its line and column
 * (both from 1, the column in bytes, as for what is not JSON).  A ledger that
 * was not read from a text has no such places: line and column are 0.
 */
#ifndef PAWL_MODEL_LEDGER_FINDING_H
#define PAWL_MODEL_LEDGER_FINDING_H

#include "base/arena.h"
#include "base/err.h"
#include "text/json.h"

enum ledger_class { LEDGER_VIOLATION, LEDGER_NOTE, LEDGER_STEP };

/* The first seven are those of enum field_fault (text/fields.h). */
/* clang-format off */
#define LEDGER_RULE_MAP(X) \
	X(LEDGER_UNKNOWN_FIELD, "unknown_field", LEDGER_VIOLATION, "no other field than those of the schema") \
	X(LEDGER_MISSING_FIELD, "missing_field", LEDGER_VIOLATION, "every field stands") \
	X(LEDGER_DUPLICATE_FIELD, "duplicate_field", LEDGER_VIOLATION, "no field stands twice in an object") \
	X(LEDGER_WRONG_TYPE, "wrong_type", LEDGER_VIOLATION, "each value has its field's type; counts are digits only, without 1.0 and 1e0") \
	X(LEDGER_OUT_OF_BOUNDS, "out_of_bounds", LEDGER_VIOLATION, "numbers, texts and lists keep their limits") \
	X(LEDGER_INVALID_VALUE, "invalid_value", LEDGER_VIOLATION, "ids keep their grammar, words are known, texts are not blank and have no control characters") \
	X(LEDGER_DUPLICATE_VALUE, "duplicate_value", LEDGER_VIOLATION, "no dependency stands twice in a node") \
	X(LEDGER_DUPLICATE_ID, "duplicate_id", LEDGER_VIOLATION, "each id is that of one node") \
	X(LEDGER_UNKNOWN_DEPENDENCY, "unknown_dependency", LEDGER_VIOLATION, "a dependency is the id of a node") \
	X(LEDGER_CYCLE, "dependency_cycle", LEDGER_VIOLATION, "no node depends on itself, directly or through others") \
	X(LEDGER_HISTORY_START, "history_start", LEDGER_VIOLATION, "a history begins with PENDING") \
	X(LEDGER_HISTORY_END, "history_end", LEDGER_VIOLATION, "a history ends with the node's status") \
	X(LEDGER_ATTEMPT_COUNT, "attempt_count", LEDGER_VIOLATION, "attempt is the number of RUNNING entries in the history") \
	X(LEDGER_ATTEMPT_LIMIT, "attempt_limit", LEDGER_VIOLATION, "there are no more attempts than max_attempts") \
	X(LEDGER_EVIDENCE_MISSING, "evidence_missing", LEDGER_VIOLATION, "a PASSED node that requires evidence has some") \
	X(LEDGER_DEPENDENCY_OPEN, "dependency_open", LEDGER_VIOLATION, "all that a READY, RUNNING or PASSED node depends on is PASSED or SKIPPED") \
	X(LEDGER_APPROVAL_OPEN, "approval_open", LEDGER_VIOLATION, "a READY, RUNNING or PASSED node that wants an approval has it granted") \
	X(LEDGER_APPROVAL_WORD, "approval_word", LEDGER_VIOLATION, "the approval of a NEEDS_APPROVAL node is required") \
	X(LEDGER_RUN_MOVES, "run_moves", LEDGER_VIOLATION, "a final run status is claimed only when no node can move") \
	X(LEDGER_RUN_UNEARNED, "run_unearned", LEDGER_VIOLATION, "a final run status is the one that is earned") \
	X(LEDGER_UNKNOWN_STEP, "unknown_step", LEDGER_STEP, "each step of a history is one of the table of statuses") \
	X(LEDGER_RUN_UNCLAIMED, "run_unclaimed", LEDGER_NOTE, "a final run status that is earned is claimed") \
	X(LEDGER_RUN_ORDER, "run_order", LEDGER_NOTE, "a run in which one node is BLOCKED and another waits for approval is NEEDS_APPROVAL")
/* clang-format on */

#define LEDGER_RULE_ENUM(name, word, class, sentence) name,
enum ledger_rule { LEDGER_RULE_MAP(LEDGER_RULE_ENUM) LEDGER_RULE_COUNT };

struct ledger_rule_info {
	const char *word; /* stable */
	enum ledger_class class;
	const char *sentence; /* what must be so */
};

const struct ledger_rule_info *ledger_rule_info(enum ledger_rule rule);

struct ledger_finding {
	enum ledger_rule rule;
	bool note;          /* else a violation */
	struct str pointer; /* RFC 6901; "" is the document */
	uint32_t line, column;
	uint32_t at;        /* byte of the text */
	uint32_t order;     /* in which it was found */
	struct str node;    /* id; empty when it is about none */
	struct str message; /* one line, however long */
	struct str hint;    /* may be empty */
};

/* Not to be copied. */
struct ledger_findings {
	struct ledger_finding *items;
	uint32_t count, cap;
	uint32_t violations, notes; /* all that were found */
	uint32_t dropped;           /* of them, those beyond the bound */
	struct str text;            /* what was read, or empty */
	bool strict;
	struct arena mem; /* the findings' texts */
};

void ledger_findings_init(
	struct ledger_findings *f, struct str text, bool strict);
void ledger_findings_release(struct ledger_findings *f);

/* Whether one more of the rule would be kept; if not, it is counted. */
bool ledger_findings_want(struct ledger_findings *f, enum ledger_rule rule);

/* A new one, that is wanted; its texts are the caller's to fill. */
struct ledger_finding *ledger_findings_add(
	struct ledger_findings *f, enum ledger_rule rule, uint32_t at);

/* In order of place, with line and column; those of one place as found. */
void ledger_findings_sort(struct ledger_findings *f);

/*
 * Fail with the first violation, "PATH:LINE:COLUMN: NODE: message (and N
 * more)", without a path when it is ""; there must be one.
 * Errors: ERR_INVALID_LEDGER, with its hint, the pointer (in `mem`) in
 * err->field.
 */
enum pawl_rc ledger_findings_fail(const struct ledger_findings *f,
	struct arena *mem, const char *path, struct pawl_err *err);

/* "violations" and "notes", two members of an object that is open. */
void ledger_findings_json(
	const struct ledger_findings *f, struct json_writer *w);

#endif
