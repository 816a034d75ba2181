/*
 * decision_doc: the process decision as a document; its table of fields.
 */
#ifndef PAWL_MODEL_DECISION_DOC_H
#define PAWL_MODEL_DECISION_DOC_H

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

enum decision_class { BUDGET_HARD, BUDGET_ADVISORY };

struct decision_observation {
	struct str name;
	struct str value;
	enum decision_provenance provenance;
};

struct decision_question {
	struct str question;
	struct str affects; /* the part of the decision */
	struct str answer;
	enum decision_provenance provenance;
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
	struct str resource;
	int64_t value;
	struct str unit;
	enum decision_class hardness;
};

struct decision_permission {
	bool granted;
	struct str by;
	enum decision_provenance provenance;
};

struct decision_amendment {
	int64_t revision;
	struct str changed_evidence;
	struct str replacement_check;
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
	const struct str *assumptions;
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

#endif
