#include "base/bounds.h"
#include "model/agent_view.h"
#include "text/fields.h"

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an initialiser */
#define WORD2(name, word) [name] = word,
static const char *const node_words[] = { NODE_STATUS_MAP(WORD2) NULL };
static const char *const run_words[] = { RUN_STATUS_MAP(WORD2) NULL };
static const char *const state_words[] = { PROGRESS_STATE_MAP(WORD2) NULL };
static const char *const kind_words[] = { [AGENT_VIEW_SNAPSHOT] = "snapshot",
	[AGENT_VIEW_DELTA] = "delta",
	[AGENT_VIEW_RESET] = "reset",
	NULL };
static const char *const reason_words[] = { [AGENT_VIEW_NO_REASON] = "none",
	[AGENT_VIEW_REQUESTED] = "requested",
	[AGENT_VIEW_CURSOR_AHEAD] = "cursor_ahead",
	[AGENT_VIEW_CURSOR_EXPIRED] = "cursor_expired",
	[AGENT_VIEW_TOO_MANY] = "too_many_changes",
	NULL };
static const char *const access_words[] = { [ACCESS_READ_ONLY] = "read-only",
	[ACCESS_WORKSPACE_WRITE] = "workspace-write",
	[ACCESS_EXTERNAL_WRITE] = "external-write",
	[ACCESS_DESTRUCTIVE] = "destructive",
	NULL };
static const char *const edge_words[] = { "depends_on", NULL };

static const char *
protocol_fault(struct str s)
{
	return str_eq(s, STR(AGENT_VIEW_PROTOCOL))
		? NULL
		: "is not '" AGENT_VIEW_PROTOCOL "'";
}

enum { ID_MAX = BOUND_ID_BYTES + 11 }; /* a sign and 32 bits */

#define ID_ROW(word, record, member, needs)                                \
	{                                                                  \
		FIELD_NAME(word), .type = FIELD_TEXT,                      \
				  .flags = FIELD_LINE | (needs), .min = 1, \
				  .max = ID_MAX,                           \
				  FIELD_AT(struct record, member)          \
	}
#define COUNT_ROW(word, record, member)                                       \
	{                                                                     \
		FIELD_NAME(word), .type = FIELD_INT, .flags = FIELD_REQUIRED, \
				  .min = 0, .max = INT64_MAX,                 \
				  FIELD_AT(struct record, member)             \
	}

static const struct field node_rows[] = {
	ID_ROW("id", agent_view_node, id, FIELD_REQUIRED),
	{ FIELD_NAME("title"), .about = "Shown, never parsed; cut when long.",
		.type = FIELD_TEXT, .min = 1, .max = AGENT_VIEW_TEXT,
		FIELD_AT(struct agent_view_node, title) },
	{ FIELD_NAME("status"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = node_words, FIELD_AT(struct agent_view_node, status) },
	{ FIELD_NAME("access"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = access_words,
		FIELD_AT(struct agent_view_node, access) },
	ID_ROW("attempt", agent_view_node, attempt, 0),
	{ FIELD_NAME("stage"), .about = "What its live attempt is at.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = 64,
		FIELD_AT(struct agent_view_node, stage) },
	ID_ROW("gate", agent_view_node, gate, 0),
	{ FIELD_NAME("block"), .about = "Why it is BLOCKED.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = 64,
		FIELD_AT(struct agent_view_node, block) },
	COUNT_ROW("changed", agent_view_node, changed),
};

static const struct field edge_rows[] = {
	{ FIELD_NAME("type"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = edge_words, FIELD_AT(struct agent_view_edge, type) },
	ID_ROW("source", agent_view_edge, source, FIELD_REQUIRED),
	ID_ROW("target", agent_view_edge, target, FIELD_REQUIRED),
};

static const struct field progress_rows[] = {
	{ FIELD_NAME("state"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = state_words,
		FIELD_AT(struct agent_view_progress, state) },
	{ FIELD_NAME("percent"), .about = "100 only when it is complete.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 0,
		.max = 100, FIELD_AT(struct agent_view_progress, percent) },
	COUNT_ROW("total", agent_view_progress, total),
	COUNT_ROW("passed", agent_view_progress, passed),
	COUNT_ROW("running", agent_view_progress, running),
	COUNT_ROW("input_required", agent_view_progress, input_required),
	COUNT_ROW("blocked", agent_view_progress, blocked),
	COUNT_ROW("pending", agent_view_progress, pending),
	COUNT_ROW("failed", agent_view_progress, failed),
};

static const struct field_table node_table = {
	.title = "Node",
	FIELD_ROWS(node_rows),
	.size = sizeof(struct agent_view_node),
};
static const struct field node_item = { .type = FIELD_OBJECT,
	.table = &node_table };

static const struct field_table edge_table = {
	.title = "Edge",
	.about = "The source waits for the target.",
	FIELD_ROWS(edge_rows),
	.size = sizeof(struct agent_view_edge),
};
static const struct field edge_item = { .type = FIELD_OBJECT,
	.table = &edge_table };

static const struct field_table progress_table = {
	.title = "Progress",
	FIELD_ROWS(progress_rows),
	.size = sizeof(struct agent_view_progress),
};

static const struct field rows[] = {
	{ FIELD_NAME("protocol"), .type = FIELD_TEXT, .flags = FIELD_REQUIRED,
		.min = 1, .max = 64, .check = protocol_fault,
		.pattern = "^" AGENT_VIEW_PROTOCOL "$",
		FIELD_AT(struct agent_view, protocol) },
	{ FIELD_NAME("kind"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = kind_words, FIELD_AT(struct agent_view, kind) },
	{ FIELD_NAME("reason"), .about = "Of a reset: why it is no delta.",
		.type = FIELD_ENUM, .words = reason_words,
		.preset = AGENT_VIEW_NO_REASON,
		FIELD_AT(struct agent_view, reason) },
	ID_ROW("run", agent_view, run, FIELD_REQUIRED),
	{ FIELD_NAME("status"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = run_words, FIELD_AT(struct agent_view, status) },
	{ FIELD_NAME("outcome"), .about = "Once the run is closed.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = 64,
		FIELD_AT(struct agent_view, outcome) },
	{ FIELD_NAME("from"), .about = "The cursor that a delta is after.",
		.type = FIELD_INT, .min = 0, .max = INT64_MAX, .preset = -1,
		FIELD_AT(struct agent_view, from) },
	COUNT_ROW("cursor", agent_view, cursor),
	COUNT_ROW("revision", agent_view, revision),
	COUNT_ROW("generation", agent_view, generation),
	{ FIELD_NAME("progress"), .type = FIELD_OBJECT, .flags = FIELD_REQUIRED,
		.table = &progress_table,
		FIELD_AT(struct agent_view, progress) },
	{ FIELD_NAME("nodes"), .about = "Of a delta: those that changed.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED, .item = &node_item,
		.max = AGENT_VIEW_NODES,
		FIELD_ITEMS(struct agent_view, nodes) },
	{ FIELD_NAME("edges"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &edge_item, .max = AGENT_VIEW_EDGES,
		FIELD_ITEMS(struct agent_view, edges) },
	COUNT_ROW("nodes_left_out", agent_view, nodes_left_out),
	COUNT_ROW("edges_left_out", agent_view, edges_left_out),
};

static const struct field_table table = {
	.title = "AgentGraphView",
	.about = "The graph of a run, bounded, as another program shows it.",
	.id = "agent-graph-view.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct agent_view),
};

struct str
agent_view_reason_word(enum agent_view_reason reason)
{
	return str_from(reason_words[reason]);
}

void
agent_view_json(struct json_writer *w, const struct agent_view *view)
{
	fields_write(&table, view, w);
}

void
agent_view_nodes_json(struct json_writer *w, const struct agent_view *view)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < view->nodes_count; i++)
		fields_write(&node_table, &view->nodes[i], w);
	json_close(w, ']');
}

enum pawl_rc
agent_view_read(struct arena *mem, struct str bytes,
	struct agent_view *ret_view, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	struct agent_view view;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "view", bytes, BOUND_LIST_BYTES, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &table, &view, err);
	if (rc == PAWL_OK)
		*ret_view = view;
	return rc;
}

void
agent_view_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
