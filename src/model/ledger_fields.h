/*
 * ledger_fields: the field tables of a ledger's checkpoint.
 *
 * They decode it (model/ledger_read.h), and print schemas/ledger.schema.json.
 * The two structs are what a document says, word by word; struct ledger is what
 * it means.
 */
#ifndef PAWL_MODEL_LEDGER_FIELDS_H
#define PAWL_MODEL_LEDGER_FIELDS_H

#include "base/buf.h"
#include "model/ledger.h"
#include "text/fields.h"

struct ledger_node_doc {
	struct str id, title, expected_output;
	uint32_t kind, role, access, status, approval; /* indices of words */
	const uint32_t *status_history;
	const struct str *depends_on, *evidence;
	uint32_t status_history_count, depends_on_count, evidence_count;
	int64_t attempt, max_attempts;
	bool evidence_required;
};

struct ledger_doc {
	int64_t schema_version;
	struct str run_id, task;
	uint32_t status;
	const struct ledger_node_doc *nodes;
	uint32_t nodes_count;
};

extern const struct field_table ledger_table;
extern const struct field *const ledger_nodes_field;

/* A field of a node by its name. */
bool ledger_field_find(struct str name, enum ledger_field *ret_field);

/* What is wrong with a node's id, in words that follow it; or NULL. */
const char *ledger_id_fault(struct str id);

/* schemas/ledger.schema.json */
void ledger_schema(struct buf *out);

#endif
