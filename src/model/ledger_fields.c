#include "model/ledger_fields.h"

#include "base/bounds.h"
#include "model/id.h"

/* Most are good: one look at each byte. */
static bool
is_lower_id(struct str id)
{
	bool joint = true;

	for (size_t i = 0; i < id.len; i++) {
		char c = id.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
			joint = false;
		else if (!joint && (c == '-' || c == '_' || c == '.'))
			joint = true;
		else
			return false;
	}
	return !joint && id.len <= BOUND_ID_BYTES &&
		(id.ptr[id.len - 1] != 'k' || !str_ends(id, STR(".lock")));
}

const char *
ledger_id_fault(struct str id)
{
	if (is_lower_id(id))
		return NULL;
	for (size_t i = 0; i < id.len; i++) {
		if (id.ptr[i] >= 'A' && id.ptr[i] <= 'Z')
			return "is not in lower case";
	}
	return id_is_valid(id) ? NULL
			       : "is no id: letters and digits, joined by one "
				 "'.', '_' or '-', not ending in '.lock'";
}

#define WORD(name, word) word,
static const char *const kind_words[] = { LEDGER_KIND_MAP(WORD) NULL };
static const char *const role_words[] = { LEDGER_ROLE_MAP(WORD) NULL };
static const char *const approval_words[] = { LEDGER_APPROVAL_MAP(WORD) NULL };
static const char *const status_words[] = { NODE_STATUS_MAP(WORD) NULL };
static const char *const run_words[] = { RUN_STATUS_MAP(WORD) NULL };
static const char *const access_words[] = {
	[ACCESS_READ_ONLY] = "read-only",
	[ACCESS_WORKSPACE_WRITE] = "workspace-write",
	[ACCESS_EXTERNAL_WRITE] = "external-write",
	[ACCESS_DESTRUCTIVE] = "destructive",
	NULL,
};

static const struct field history_item = {
	.type = FIELD_ENUM,
	.words = status_words,
};

static const struct field depends_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE,
	.min = 1,
	.max = BOUND_ID_BYTES,
	.check = ledger_id_fault,
	.pattern = ID_PATTERN_OF("[a-z0-9]"),
};

static const struct field evidence_item = {
	.about = "A reference (file:, commit:, check:, sha256:, url:) or a "
		 "sentence.",
	.type = FIELD_TEXT,
	.flags = FIELD_LINE | FIELD_FILLED,
	.min = 1,
	.max = BOUND_LEDGER_REF_BYTES,
};

static const struct field node_rows[] = {
	[LEDGER_FIELD_ID] = { FIELD_NAME("id"),
		.about = "Unique in the run; lower case.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE, .min = 1,
		.max = BOUND_ID_BYTES, .check = ledger_id_fault,
		.pattern = ID_PATTERN_OF("[a-z0-9]"),
		FIELD_AT(struct ledger_node_doc, id) },
	[LEDGER_FIELD_TITLE] = { FIELD_NAME("title"),
		.about = "Shown, never parsed.", .type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED |
			FIELD_POINTS,
		.min = 1, .max = BOUND_TITLE_BYTES,
		FIELD_AT(struct ledger_node_doc, title) },
	[LEDGER_FIELD_KIND] = { FIELD_NAME("kind"),
		.about = "What sort of work it is.", .type = FIELD_ENUM,
		.flags = FIELD_REQUIRED, .words = kind_words,
		FIELD_AT(struct ledger_node_doc, kind) },
	[LEDGER_FIELD_ROLE] = { FIELD_NAME("role"), .about = "Who does it.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = role_words, FIELD_AT(struct ledger_node_doc, role) },
	[LEDGER_FIELD_ACCESS] = { FIELD_NAME("access"),
		.about = "external-write and destructive want an approval.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = access_words,
		FIELD_AT(struct ledger_node_doc, access) },
	[LEDGER_FIELD_STATUS] = { FIELD_NAME("status"),
		.about = "The last of its history.", .type = FIELD_ENUM,
		.flags = FIELD_REQUIRED, .words = status_words,
		FIELD_AT(struct ledger_node_doc, status) },
	[LEDGER_FIELD_HISTORY] = { FIELD_NAME("status_history"),
		.about = "Begins with PENDING, ends with the status.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &history_item, .min = 1, .max = BOUND_LEDGER_HISTORY,
		FIELD_ITEMS(struct ledger_node_doc, status_history) },
	[LEDGER_FIELD_DEPENDS] = { FIELD_NAME("depends_on"),
		.about = "Ids of nodes that must be PASSED or SKIPPED first.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &depends_item, .max = BOUND_DEPENDS,
		FIELD_ITEMS(struct ledger_node_doc, depends_on) },
	[LEDGER_FIELD_EXPECTED_OUTPUT] = { FIELD_NAME("expected_output"),
		.about = "The artifact, decision or evidence that is expected.",
		.type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES,
		FIELD_AT(struct ledger_node_doc, expected_output) },
	[LEDGER_FIELD_EVIDENCE_REQUIRED] = { FIELD_NAME("evidence_required"),
		.about = "Whether PASSED wants evidence.", .type = FIELD_BOOL,
		.flags = FIELD_REQUIRED,
		FIELD_AT(struct ledger_node_doc, evidence_required) },
	[LEDGER_FIELD_EVIDENCE] = { FIELD_NAME("evidence"),
		.about = "What shows it.", .type = FIELD_LIST,
		.flags = FIELD_REQUIRED, .item = &evidence_item,
		.max = BOUND_LEDGER_EVIDENCE,
		FIELD_ITEMS(struct ledger_node_doc, evidence) },
	[LEDGER_FIELD_ATTEMPT] = { FIELD_NAME("attempt"),
		.about = "The number of RUNNING entries in the history.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 0,
		.max = BOUND_LEDGER_HISTORY,
		FIELD_AT(struct ledger_node_doc, attempt) },
	[LEDGER_FIELD_MAX_ATTEMPTS] = { FIELD_NAME("max_attempts"),
		.about = "The bound on attempt.", .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 1, .max = BOUND_LEDGER_ATTEMPTS,
		FIELD_AT(struct ledger_node_doc, max_attempts) },
	[LEDGER_FIELD_APPROVAL] = { FIELD_NAME("approval"),
		.about =
			"Whether a human's decision is wanted, and what it is.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = approval_words,
		FIELD_AT(struct ledger_node_doc, approval) },
};

_Static_assert(sizeof(node_rows) / sizeof(node_rows[0]) == LEDGER_FIELD_COUNT,
	"a row for each field of a node");

static const struct field_table node_table = {
	.title = "Node",
	FIELD_ROWS(node_rows),
	.size = sizeof(struct ledger_node_doc),
};

static const struct field node_item = {
	.type = FIELD_OBJECT,
	.table = &node_table,
};

static const struct field rows[] = {
	{ FIELD_NAME("schema_version"), .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = LEDGER_SCHEMA_VERSION,
		.max = LEDGER_SCHEMA_VERSION,
		FIELD_AT(struct ledger_doc, schema_version) },
	{ FIELD_NAME("run_id"), .about = "The name of the run.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_ID_BYTES, .check = id_fault,
		.pattern = ID_PATTERN, FIELD_AT(struct ledger_doc, run_id) },
	{ FIELD_NAME("task"), .about = "What the run is for.",
		.type = FIELD_TEXT,
		.flags = FIELD_REQUIRED | FIELD_LINE | FIELD_FILLED, .min = 1,
		.max = BOUND_TEXT_BYTES, FIELD_AT(struct ledger_doc, task) },
	{ FIELD_NAME("status"),
		.about = "All but PLANNING and RUNNING have to be earned.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED, .words = run_words,
		FIELD_AT(struct ledger_doc, status) },
	{ FIELD_NAME("nodes"), .about = "In any order.", .type = FIELD_LIST,
		.flags = FIELD_REQUIRED, .item = &node_item,
		.max = BOUND_LEDGER_NODES,
		FIELD_ITEMS(struct ledger_doc, nodes) },
};

const struct field *const ledger_nodes_field =
	&rows[sizeof(rows) / sizeof(rows[0]) - 1];

bool
ledger_field_find(struct str name, enum ledger_field *ret_field)
{
	const struct field *f = fields_find(&node_table, name);

	if (f == NULL)
		return false;
	*ret_field = (enum ledger_field)(f - node_rows);
	return true;
}

const struct field_table ledger_table = {
	.title = "Ledger checkpoint",
	.about = "The state of one long task as a graph. `pawl ledger check` "
		 "judges what no schema can say, too.",
	.id = "ledger.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct ledger_doc),
};

void
ledger_schema(struct buf *out)
{
	fields_schema_text(&ledger_table, out);
}
