/*
 * decision_finding: what is wrong with a process decision, each at its place.
 *
 * Every rule is a row of one table: its word, which is API, its class and a
 * sentence that says what must be so.  A *violation* makes a decision unfit, a
 * *drift* says that it and the task list are no longer of one mind, and a
 * *note* is only told.
 *
 * A place is a JSON Pointer with line and column, both from 1, the column in
 * bytes.  At most DECISION_FINDINGS_MAX are kept, the rest are counted.
 */
#ifndef PAWL_MODEL_DECISION_FINDING_H
#define PAWL_MODEL_DECISION_FINDING_H

#include "base/arena.h"
#include "base/err.h"
#include "text/json.h"

enum { DECISION_FINDINGS_MAX = 1000 };

enum decision_rule_class { DECISION_VIOLATION, DECISION_DRIFT, DECISION_NOTE };

/* The first seven are those of enum field_fault (text/fields.h). */
/* clang-format off */
#define DECISION_RULE_MAP(X) \
	X(DECISION_UNKNOWN_FIELD, "unknown_field", DECISION_VIOLATION, "no other field than those of the schema") \
	X(DECISION_MISSING_FIELD, "missing_field", DECISION_VIOLATION, "every required field stands; mode graph wants packets, integrator, budget, cleanup_plan and permission") \
	X(DECISION_DUPLICATE_FIELD, "duplicate_field", DECISION_VIOLATION, "no field stands twice in an object") \
	X(DECISION_WRONG_TYPE, "wrong_type", DECISION_VIOLATION, "each value has its field's type") \
	X(DECISION_OUT_OF_BOUNDS, "out_of_bounds", DECISION_VIOLATION, "numbers, texts and lists keep their limits") \
	X(DECISION_INVALID_VALUE, "invalid_value", DECISION_VIOLATION, "ids keep their grammar, words are known, texts are not blank") \
	X(DECISION_DUPLICATE_VALUE, "duplicate_value", DECISION_VIOLATION, "no id, name, path or limit stands twice") \
	X(DECISION_MODE, "mode_not_graph", DECISION_VIOLATION, "only a decision of mode graph goes with a task list") \
	X(DECISION_PERMISSION, "permission_missing", DECISION_VIOLATION, "a decision of mode graph has permission granted") \
	X(DECISION_GAP, "amendments_gap", DECISION_VIOLATION, "amendments make revisions 2, 3 and so on, without a gap") \
	X(DECISION_REVISION, "revision_mismatch", DECISION_VIOLATION, "the revision is one more than there are amendments") \
	X(DECISION_CHAIN, "mode_chain", DECISION_VIOLATION, "modes lead from initial_mode over each amendment to mode") \
	X(DECISION_REPLACED, "check_not_replaced", DECISION_VIOLATION, "the selected check is the last amendment's replacement") \
	X(DECISION_PROVENANCE, "safe_default_provenance", DECISION_VIOLATION, "an answer of provenance safe_default is the question's safe default") \
	X(DECISION_SIGNAL, "signal_value", DECISION_VIOLATION, "an observation named like a signal has one of its values; provider, model, worker count and canvas are no signals") \
	X(DECISION_UNIT, "budget_unit", DECISION_VIOLATION, "a limit's unit is one of its resource") \
	X(DECISION_NOT_DIRECT, "check_not_direct", DECISION_VIOLATION, "a check is one command that needs no shell") \
	X(DECISION_PATH, "invalid_path", DECISION_VIOLATION, "paths are relative to the repository and leave it nowhere") \
	X(DECISION_EXECUTION, "execution_mismatch", DECISION_VIOLATION, "execution is parallel only when two packets that write could run side by side") \
	X(DECISION_PACKET_UNKNOWN, "packet_unknown", DECISION_DRIFT, "each packet is a task of the list") \
	X(DECISION_PACKET_PATHS, "packet_paths", DECISION_DRIFT, "a packet's paths are those of its task") \
	X(DECISION_PACKET_CHECK, "packet_check", DECISION_DRIFT, "a packet's check is that of its task") \
	X(DECISION_RETAINED, "retained_unknown", DECISION_DRIFT, "each task that a reduction retains is one of the list") \
	X(DECISION_OVERLAP, "packets_overlap", DECISION_NOTE, "packets whose paths overlap don't run side by side") \
	X(DECISION_UNPACKED, "task_without_packet", DECISION_NOTE, "every task of the list has a packet")
/* clang-format on */

#define DECISION_RULE_ENUM(name, word, class, sentence) name,
enum decision_rule {
	DECISION_RULE_MAP(DECISION_RULE_ENUM) DECISION_RULE_COUNT
};

struct decision_rule_info {
	const char *word; /* stable */
	enum decision_rule_class class;
	const char *sentence; /* what must be so */
};

const struct decision_rule_info *decision_rule_info(enum decision_rule rule);

struct decision_finding {
	enum decision_rule rule;
	struct str pointer; /* RFC 6901; "" is the document */
	uint32_t line, column;
	struct str message; /* one line */
	struct str hint;    /* may be empty */
};

/* Items and texts lie in the arena that it was made with. */
struct decision_findings {
	struct arena *mem;
	struct decision_finding *items;
	uint32_t count;
	uint32_t violations, drifts, notes; /* all that were found */
	uint32_t dropped;                   /* of them, those not kept */
	bool read; /* the fields kept their table, so all was judged */
};

/* Room for one more of the rule, or NULL: then it was counted. */
struct decision_finding *decision_findings_add(
	struct decision_findings *f, enum decision_rule rule);

/*
 * Fail with the first that is no note, "PATH:LINE:COLUMN: message (and N
 * more)", without a path when it is ""; there must be one.
 * Errors: ERR_INVALID_DECISION, or ERR_DECISION_DRIFT when all are drifts; with
 * the hint, and the pointer in err->field.
 */
enum pawl_rc decision_findings_fail(const struct decision_findings *f,
	const char *path, struct pawl_err *err);

/* "violations" and "notes", two members of an object that is open. */
void decision_findings_json(
	const struct decision_findings *f, struct json_writer *w);

#endif
