/*
 * decision_doc: the process decision as a document; its table of fields.
 *
 * What only one mode needs is optional here; model/decision_rules.c says of
 * which mode what is required, and how the parts must agree.
 */
#ifndef PAWL_MODEL_DECISION_DOC_H
#define PAWL_MODEL_DECISION_DOC_H

#include "model/budget.h"
#include "text/fields.h"

enum decision_mode {
	DECISION_GRAPH,
	DECISION_LIGHT_SPEC,
	DECISION_VERIFIED_SINGLE,
	DECISION_DIRECT,
};

enum decision_provenance { PROVENANCE_MEASURED, PROVENANCE_REPORTED };
enum decision_execution { EXECUTION_SINGLE_WRITER, EXECUTION_PARALLEL };

/* How far the selected check shows that the request is met. */
enum decision_oracle {
	ORACLE_DECLARED, /* the list says so; nobody judged it */
	ORACLE_STRONG,
	ORACLE_WEAK,
	ORACLE_ABSENT,
};

/* What an assumption rests on. */
enum decision_basis {
	BASIS_REQUEST,
	BASIS_REPOSITORY,
	BASIS_OWNER,
	BASIS_SAFE_DEFAULT,
};

/* The part of a decision that the answer to a question changes. */
enum decision_effect {
	EFFECT_BEHAVIOR,
	EFFECT_SCOPE,
	EFFECT_RISK,
	EFFECT_ACCEPTANCE,
	EFFECT_MODE,
};

/* Who answered a question. */
enum decision_source { SOURCE_OWNER, SOURCE_REPOSITORY, SOURCE_SAFE_DEFAULT };

struct decision_observation {
	struct str name;
	struct str value;
	enum decision_provenance provenance;
	const struct json *self;
};

struct decision_assumption {
	struct str statement;
	enum decision_basis basis;
	struct str evidence_ref; /* or empty */
};

struct decision_question {
	struct str id;
	struct str question;
	const enum decision_effect *affects;
	struct str answer;
	struct str safe_default; /* or empty */
	enum decision_source provenance;
	uint32_t affects_count;
	const struct json *self;
};

struct decision_selected {
	struct str command;
	enum decision_oracle oracle;
};

struct decision_packet {
	struct str id;
	const struct str *paths;
	uint32_t paths_count;
	struct str check;
	const struct json *self;
};

struct decision_budget {
	enum budget_resource resource;
	int64_t value;
	struct str unit;
	enum budget_class hardness;
	struct str rationale; /* or empty */
	const struct json *self;
};

struct decision_permission {
	bool granted;
	struct str by;
	enum decision_provenance provenance;
};

/* What is left to do once a run leaves mode `graph`. */
struct decision_reduction {
	struct str integrator;
	struct str reason;
	struct str cleanup_plan;
	const struct str *retained; /* ids of tasks that stay */
	uint32_t retained_count;
};

struct decision_amendment {
	int64_t revision;
	enum decision_mode from_mode, to_mode;
	const struct str *changed_evidence;
	struct str reason;
	struct str replacement_check;
	const struct decision_reduction *reduction; /* or NULL */
	uint32_t changed_evidence_count;
	const struct json *self;
};

struct decision_doc {
	int64_t schema_version;
	struct str id;
	struct str request_digest;
	enum decision_mode mode, initial_mode;
	int64_t revision;
	const struct decision_selected *selected_check;
	const struct decision_permission *permission;
	struct str integrator;
	struct str cleanup_plan;
	const struct decision_packet *packets;
	const struct str *scope;
	const struct decision_observation *observations;
	const struct decision_assumption *assumptions;
	const struct decision_question *questions;
	const struct decision_budget *budget;
	const struct str *stop_conditions;
	const struct str *triggers;
	const struct decision_amendment *amendments;
	enum decision_execution execution;
	uint32_t packets_count;
	uint32_t scope_count;
	uint32_t observations_count;
	uint32_t assumptions_count;
	uint32_t questions_count;
	uint32_t budget_count;
	uint32_t stop_conditions_count;
	uint32_t triggers_count;
	uint32_t amendments_count;
};

extern const struct field_table decision_table;

/* Rows that other documents have, too. */
extern const struct field decision_packet_item, decision_budget_item,
	decision_question_item, decision_assumption_item, decision_line_item;
extern const struct field_table decision_permission_table,
	decision_reduction_table, decision_selected_table;
extern const char *const decision_mode_words[]; /* ends with NULL */
extern const char *const decision_effect_words[];
extern const char *const decision_oracle_words[];

#endif
