#include "model/decision_doc.h"

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/id.h"

const char *const decision_mode_words[] = { [DECISION_GRAPH] = "graph",
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
const char *const decision_oracle_words[] = { [ORACLE_DECLARED] = "declared",
	[ORACLE_STRONG] = "strong",
	[ORACLE_WEAK] = "weak",
	[ORACLE_ABSENT] = "absent",
	NULL };
static const char *const bases[] = { [BASIS_REQUEST] = "request",
	[BASIS_REPOSITORY] = "repository",
	[BASIS_OWNER] = "owner",
	[BASIS_SAFE_DEFAULT] = "safe_default",
	NULL };
const char *const decision_effect_words[] = { [EFFECT_BEHAVIOR] = "behavior",
	[EFFECT_SCOPE] = "scope",
	[EFFECT_RISK] = "risk",
	[EFFECT_ACCEPTANCE] = "acceptance",
	[EFFECT_MODE] = "mode",
	NULL };
static const char *const sources[] = { [SOURCE_OWNER] = "owner",
	[SOURCE_REPOSITORY] = "repository",
	[SOURCE_SAFE_DEFAULT] = "safe_default",
	NULL };

const struct field decision_line_item = {
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
	{ .type = FIELD_SELF, FIELD_AT(struct decision_observation, self) },
};

static const struct field assumption_rows[] = {
	{ FIELD_NAME("statement"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_assumption, statement) },
	{ FIELD_NAME("basis"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = bases, FIELD_AT(struct decision_assumption, basis) },
	{ FIELD_NAME("evidence_ref"), .type = FIELD_TEXT,
		.flags = FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_PATH_BYTES,
		FIELD_AT(struct decision_assumption, evidence_ref) },
};

static const struct field effect_item = {
	.type = FIELD_ENUM,
	.words = decision_effect_words,
};

static const struct field question_rows[] = {
	{ FIELD_NAME("id"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct decision_question, id) },
	{ FIELD_NAME("question"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, question) },
	{ FIELD_NAME("affects"),
		.about = "The parts of the decision that the answer changes.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &effect_item, .min = 1, .max = 5,
		FIELD_ITEMS(struct decision_question, affects) },
	{ FIELD_NAME("answer"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, answer) },
	{ FIELD_NAME("safe_default"),
		.about = "The answer that nobody is harmed by.",
		.type = FIELD_TEXT, .flags = FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_question, safe_default) },
	{ FIELD_NAME("provenance"), .about = "Who answered.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED, .words = sources,
		FIELD_AT(struct decision_question, provenance) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_question, self) },
};

static const struct field selected_rows[] = {
	{ FIELD_NAME("command"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_selected, command) },
	{ FIELD_NAME("oracle"),
		.about = "How far the check shows that the request is met.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = decision_oracle_words,
		FIELD_AT(struct decision_selected, oracle) },
};

static const struct field packet_rows[] = {
	{ FIELD_NAME("id"), .about = "A task of the list.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED, .min = 1, .max = BOUND_ID_BYTES,
		.check = id_fault, .pattern = ID_PATTERN,
		FIELD_AT(struct decision_packet, id) },
	{ FIELD_NAME("paths"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1, .max = BOUND_SCOPES,
		FIELD_ITEMS(struct decision_packet, paths) },
	{ FIELD_NAME("check"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_packet, check) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_packet, self) },
};

static const struct field budget_rows[] = {
	{ FIELD_NAME("resource"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = budget_resource_words,
		FIELD_AT(struct decision_budget, resource) },
	{ FIELD_NAME("value"), .type = FIELD_INT, .flags = FIELD_REQUIRED,
		.min = 0, .max = INT64_MAX,
		FIELD_AT(struct decision_budget, value) },
	{ FIELD_NAME("unit"),
		.about = "attempts; slots or workers; ms, seconds, minutes or"
			 " hours; else any word.",
		.type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_ID_BYTES, FIELD_AT(struct decision_budget, unit) },
	{ FIELD_NAME("class"),
		.about = "Past a hard limit nothing starts; an advisory one is"
			 " told.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = budget_class_words,
		FIELD_AT(struct decision_budget, hardness) },
	{ FIELD_NAME("rationale"), .type = FIELD_TEXT, .flags = FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_budget, rationale) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_budget, self) },
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

static const struct field retained_item = {
	.type = FIELD_TEXT,
	.min = 1,
	.max = BOUND_ID_BYTES,
	.check = id_fault,
	.pattern = ID_PATTERN,
};

static const struct field reduction_rows[] = {
	{ FIELD_NAME("integrator"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES,
		FIELD_AT(struct decision_reduction, integrator) },
	{ FIELD_NAME("reason"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_reduction, reason) },
	{ FIELD_NAME("cleanup_plan"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_reduction, cleanup_plan) },
	{ FIELD_NAME("retained"), .about = "The tasks that may still start.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &retained_item, .min = 1, .max = BOUND_RETAINED,
		FIELD_ITEMS(struct decision_reduction, retained) },
};

const struct field_table decision_reduction_table = {
	.title = "Reduction",
	FIELD_ROWS(reduction_rows),
	.size = sizeof(struct decision_reduction),
};

static const struct field amendment_rows[] = {
	{ FIELD_NAME("revision"), .about = "The one it made; from 2 on.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 2,
		.max = BOUND_AMENDMENTS + 1,
		FIELD_AT(struct decision_amendment, revision) },
	{ FIELD_NAME("from_mode"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = decision_mode_words,
		FIELD_AT(struct decision_amendment, from_mode) },
	{ FIELD_NAME("to_mode"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = decision_mode_words,
		FIELD_AT(struct decision_amendment, to_mode) },
	{ FIELD_NAME("changed_evidence"),
		.about = "What is known now and wasn't before.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_amendment, changed_evidence) },
	{ FIELD_NAME("reason"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_amendment, reason) },
	{ FIELD_NAME("replacement_check"), .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_FILLED, .min = 1,
		.max = BOUND_CHECK_BYTES,
		FIELD_AT(struct decision_amendment, replacement_check) },
	{ FIELD_NAME("reduction"),
		.about = "What stays of a run that leaves mode graph.",
		.type = FIELD_OBJECT, .table = &decision_reduction_table,
		FIELD_AT(struct decision_amendment, reduction) },
	{ .type = FIELD_SELF, FIELD_AT(struct decision_amendment, self) },
};

/* NOLINTBEGIN(bugprone-macro-parentheses): names cannot be in brackets */
#define INNER(word, what, rows, type)                                        \
	static const struct field_table word##_table = {                     \
		.title = what, FIELD_ROWS(rows), .size = sizeof(struct type) \
	}
#define ITEM(word)                                                          \
	const struct field decision_##word##_item = { .type = FIELD_OBJECT, \
		.table = &word##_table }
/* NOLINTEND(bugprone-macro-parentheses) */

INNER(observation, "Observation", observation_rows, decision_observation);
INNER(assumption, "Assumption", assumption_rows, decision_assumption);
INNER(question, "Question", question_rows, decision_question);
INNER(packet, "Packet", packet_rows, decision_packet);
INNER(budget, "Budget", budget_rows, decision_budget);
INNER(amendment, "Amendment", amendment_rows, decision_amendment);
ITEM(observation);
ITEM(assumption);
ITEM(question);
ITEM(packet);
ITEM(budget);
ITEM(amendment);

const struct field_table decision_selected_table = {
	.title = "Selected check",
	FIELD_ROWS(selected_rows),
	.size = sizeof(struct decision_selected),
};

const struct field_table decision_permission_table = {
	.title = "Permission",
	FIELD_ROWS(permission_rows),
	.size = sizeof(struct decision_permission),
};

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
		.max = 64, .check = sha256_fault, .pattern = SHA256_PATTERN,
		FIELD_AT(struct decision_doc, request_digest) },
	{ FIELD_NAME("scope"), .about = "Paths that the work may concern.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1, .max = BOUND_SCOPES,
		FIELD_ITEMS(struct decision_doc, scope) },
	{ FIELD_NAME("observations"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED, .item = &decision_observation_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, observations) },
	{ FIELD_NAME("assumptions"), .type = FIELD_LIST,
		.item = &decision_assumption_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, assumptions) },
	{ FIELD_NAME("questions"), .about = "Material ones, with answers.",
		.type = FIELD_LIST, .item = &decision_question_item,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, questions) },
	{ FIELD_NAME("mode"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = decision_mode_words,
		FIELD_AT(struct decision_doc, mode) },
	{ FIELD_NAME("initial_mode"), .type = FIELD_ENUM,
		.flags = FIELD_REQUIRED, .words = decision_mode_words,
		FIELD_AT(struct decision_doc, initial_mode) },
	{ FIELD_NAME("revision"), .about = "1 and one more an amendment.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 1,
		.max = BOUND_AMENDMENTS + 1,
		FIELD_AT(struct decision_doc, revision) },
	{ FIELD_NAME("execution"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = executions, FIELD_AT(struct decision_doc, execution) },
	{ FIELD_NAME("selected_check"), .type = FIELD_OBJECT,
		.flags = FIELD_REQUIRED, .table = &decision_selected_table,
		FIELD_AT(struct decision_doc, selected_check) },
	{ FIELD_NAME("packets"), .type = FIELD_LIST,
		.item = &decision_packet_item, .min = 1, .max = BOUND_TASKS,
		FIELD_ITEMS(struct decision_doc, packets) },
	{ FIELD_NAME("integrator"), .type = FIELD_TEXT,
		.flags = FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TITLE_BYTES,
		FIELD_AT(struct decision_doc, integrator) },
	{ FIELD_NAME("budget"), .type = FIELD_LIST,
		.item = &decision_budget_item, .min = 1,
		.max = BUDGET_LIMITS_MAX,
		FIELD_ITEMS(struct decision_doc, budget) },
	{ FIELD_NAME("stop_conditions"), .type = FIELD_LIST,
		.flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &decision_line_item, .min = 1,
		.max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, stop_conditions) },
	{ FIELD_NAME("triggers"), .about = "What calls for an amendment.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &decision_line_item, .max = BOUND_DECISION_ITEMS,
		FIELD_ITEMS(struct decision_doc, triggers) },
	{ FIELD_NAME("cleanup_plan"), .type = FIELD_TEXT, .flags = FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct decision_doc, cleanup_plan) },
	{ FIELD_NAME("permission"), .type = FIELD_OBJECT,
		.table = &decision_permission_table,
		FIELD_AT(struct decision_doc, permission) },
	{ FIELD_NAME("amendments"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &decision_amendment_item, .max = BOUND_AMENDMENTS,
		FIELD_ITEMS(struct decision_doc, amendments) },
};

const struct field_table decision_table = {
	.title = "Process decision",
	.about = "Which mode of work was chosen, and on what grounds.",
	.id = "process-decision.schema.json",
	.rules =
		"[{\"if\":{\"properties\":{\"mode\":{\"const\":\"graph\"}}},"
		"\"then\":{\"required\":[\"packets\",\"integrator\",\"budget\","
		"\"cleanup_plan\",\"permission\"]}}]",
	FIELD_ROWS(rows),
	.size = sizeof(struct decision_doc),
};
