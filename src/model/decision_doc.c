#include "model/decision_doc.h"

#include "base/bounds.h"
#include "model/id.h"

static const char *
id_fault(struct str s)
{
	return id_is_valid(s) ? NULL : "is not an id";
}

static const char *
digest_fault(struct str s)
{
	if (s.len != 64)
		return "is not a SHA-256 of 64 digits";
	for (size_t i = 0; i < s.len; i++) {
		if (!((s.ptr[i] >= '0' && s.ptr[i] <= '9') ||
			    (s.ptr[i] >= 'a' && s.ptr[i] <= 'f')))
			return "is not in lower-case hexadecimal";
	}
	return NULL;
}

#define ID_PATTERN \
	"^(?!.*[.][lL][oO][cC][kK]$)[A-Za-z0-9]+([._-][A-Za-z0-9]+)*$"

static const char *const modes[] = { [DECISION_GRAPH] = "graph",
	[DECISION_LIGHT_SPEC] = "light_spec",
	[DECISION_VERIFIED_SINGLE] = "verified_single",
	[DECISION_DIRECT] = "direct",
	NULL };
static const char *const provenances[] = { [PROVENANCE_MEASURED] = "measured",
	[PROVENANCE_REPORTED] = "reported",
	NULL };
static const char *const executions[] = { [EXECUTION_SINGLE_WRITER] =
						  "single_writer",
	[EXECUTION_PARALLEL] = "parallel",
	NULL };
static const char *const oracles[] = { [ORACLE_DECLARED] = "declared",
	[ORACLE_STRONG] = "strong",
	[ORACLE_WEAK] = "weak",
	[ORACLE_ABSENT] = "absent",
	NULL };
static const char *const classes[] = {
	[BUDGET_HARD] = "hard", [BUDGET_ADVISORY] = "advisory", NULL
};

static const struct field line_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE | FIELD_FILLED,
	.min = 1,
	.max = BOUND_PATH_BYTES,
};

static const struct field observation_rows[] = {
	{ FIELD_NAME("name"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1,
		.max = BOUND_ID_BYTES,
		FIELD_AT(struct decision_observation, name) },
	{ FIELD_NAME("value"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 0,
		.max = BOUND_PATH_BYTES,
		FIELD_AT(struct decision_observation, value) },
	{ FIELD_NAME("provenance"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = provenances,
		FIELD_AT(struct decision_observation, provenance) },
};

static const struct field question_rows[] = {
	{ FIELD_NAME("question"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, question) },
	{ FIELD_NAME("affects"), .about = "The part of the decision.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, affects) },
	{ FIELD_NAME("answer"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, answer) },
	{ FIELD_NAME("provenance"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = provenances,
		FIELD_AT(struct decision_question, provenance) },
};

static const struct field selected_rows[] = {
	{ FIELD_NAME("command"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_selected, command) },
	{ FIELD_NAME("oracle"),
		.about = "How far the check shows that the request is met.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED, .words = oracles,
		FIELD_AT(struct decision_selected, oracle) },
};

static const struct field packet_rows[] = {
	{ FIELD_NAME("id"), .about = "A task of the list.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED, .min = 1, .max = BOUND_ID_BYTES,
		.check = id_fault, .pattern = ID_PATTERN,
		FIELD_AT(struct decision_packet, id) },
	{ FIELD_NAME("paths"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE, .item = &line_item,
		.min = 1, .max = BOUND_SCOPES,
		FIELD_ITEMS(struct decision_packet, paths) },
	{ FIELD_NAME("check"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_packet, check) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_packet, self) },
};

static const struct field budget_rows[] = {
	{ FIELD_NAME("resource"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1,
		.max = BOUND_ID_BYTES,
		FIELD_AT(struct decision_budget, resource) },
	{ FIELD_NAME("value"), .type = FIELD_INT, .flags = FIELD_REQUIRED,
		.min = 0, .max = INT64_MAX,
		FIELD_AT(struct decision_budget, value) },
	{ FIELD_NAME("unit"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1,
		.max = BOUND_ID_BYTES, FIELD_AT(struct decision_budget, unit) },
	{ FIELD_NAME("class"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = classes, FIELD_AT(struct decision_budget, hardness) },
};

static const struct field permission_rows[] = {
	{ FIELD_NAME("granted"), .type = FIELD_BOOL, .flags = FIELD_REQUIRED,
		FIELD_AT(struct decision_permission, granted) },
	{ FIELD_NAME("by"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES,
		FIELD_AT(struct decision_permission, by) },
	{ FIELD_NAME("provenance"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = provenances,
		FIELD_AT(struct decision_permission, provenance) },
};

static const struct field amendment_rows[] = {
	{ FIELD_NAME("revision"), .about = "The one it made; from 2 on.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 2,
		.max = BOUND_AMENDMENTS + 1,
		FIELD_AT(struct decision_amendment, revision) },
	{ FIELD_NAME("changed_evidence"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_amendment, changed_evidence) },
	{ FIELD_NAME("replacement_check"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_amendment, replacement_check) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_amendment, self) },
};

/* NOLINTBEGIN(bugprone-macro-parentheses): names cannot be in brackets */
#define INNER(word, what, rows, type)                                        \
	static const struct field_table word##_table = {                     \
		.title = what, FIELD_ROWS(rows), .size = sizeof(struct type) \
	}
#define ITEM(word)                                                      \
	static const struct field word##_item = { .type = FIELD_OBJECT, \
		.table = &word##_table }
/* NOLINTEND(bugprone-macro-parentheses) */

INNER(observation, "Observation", observation_rows, decision_observation);
INNER(question, "Question", question_rows, decision_question);
INNER(selected, "Selected check", selected_rows, decision_selected);
INNER(packet, "Packet", packet_rows, decision_packet);
INNER(budget, "Budget", budget_rows, decision_budget);
INNER(permission, "Permission", permission_rows, decision_permission);
INNER(amendment, "Amendment", amendment_rows, decision_amendment);
ITEM(observation);
ITEM(question);
ITEM(packet);
ITEM(budget);
ITEM(amendment);

static const struct field rows[] = {
	{ FIELD_NAME("schema_version"), .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 1, .max = 1,
		FIELD_AT(struct decision_doc, schema_version) },
	{ FIELD_NAME("id"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct decision_doc, id) },
	{ FIELD_NAME("request_digest"),
		.about = "SHA-256 of the request, such as the list's bytes.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED, .min = 1,
		.max = 64, .check = digest_fault, .pattern = "^[0-9a-f]{64}$",
		FIELD_AT(struct decision_doc, request_digest) },
	{ FIELD_NAME("scope"), .about = "Paths that the work may concern.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &line_item, .min = 1, .max = BOUND_SCOPES,
		FIELD_ITEMS(struct decision_doc, scope) },
	{ FIELD_NAME("observations"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED, .item = &observation_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, observations) },
	{ FIELD_NAME("assumptions"), .type = FIELD_LIST, .item = &line_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, assumptions) },
	{ FIELD_NAME("questions"), .about = "Material ones, with answers.",
		.type = FIELD_LIST, .item = &question_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, questions) },
	{ FIELD_NAME("mode"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = modes, FIELD_AT(struct decision_doc, mode) },
	{ FIELD_NAME("initial_mode"), .type = FIELD_ENUM,
		.flags = FIELD_REQUIRED, .words = modes,
		FIELD_AT(struct decision_doc, initial_mode) },
	{ FIELD_NAME("revision"), .about = "1 and one more an amendment.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 1,
		.max = BOUND_AMENDMENTS + 1,
		FIELD_AT(struct decision_doc, revision) },
	{ FIELD_NAME("execution"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = executions, FIELD_AT(struct decision_doc, execution) },
	{ FIELD_NAME("selected_check"), .type = FIELD_OBJECT,
		.flags = FIELD_REQUIRED, .table = &selected_table,
		FIELD_AT(struct decision_doc, selected_check) },
	{ FIELD_NAME("packets"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &packet_item, .min = 1, .max = BOUND_TASKS,
		FIELD_ITEMS(struct decision_doc, packets) },
	{ FIELD_NAME("integrator"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES,
		FIELD_AT(struct decision_doc, integrator) },
	{ FIELD_NAME("budget"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &budget_item, .min = 1, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, budget) },
	{ FIELD_NAME("stop_conditions"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE, .item = &line_item,
		.min = 1, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, stop_conditions) },
	{ FIELD_NAME("triggers"), .about = "What calls for an amendment.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE, .item = &line_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, triggers) },
	{ FIELD_NAME("cleanup_plan"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_doc, cleanup_plan) },
	{ FIELD_NAME("permission"), .type = FIELD_OBJECT,
		.flags = FIELD_REQUIRED, .table = &permission_table,
		FIELD_AT(struct decision_doc, permission) },
	{ FIELD_NAME("amendments"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &amendment_item, .max = BOUND_AMENDMENTS,
		FIELD_ITEMS(struct decision_doc, amendments) },
};

const struct field_table decision_table = {
	.title = "Process decision",
	.about = "Which mode of work was chosen, and on what grounds.",
	.id = "process-decision.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct decision_doc),
};
