#include "base/bounds.h"
#include "base/sha256.h"
#include "model/learn_record.h"
#include "text/fields.h"

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an initialiser */
#define WORD2(name, word) [name] = word,
static const char *const status_words[] = { NODE_STATUS_MAP(WORD2) NULL };
static const char *const kind_words[] = { "report", "capsule", "import", NULL };
static const char *const proof_words[] = {
	[LEARN_UNAVAILABLE] = "unavailable", [LEARN_VERIFIED] = "verified", NULL
};

/* NOLINTBEGIN(bugprone-macro-parentheses): names cannot be in brackets */
#define NAME_ROW(word, record, member)                                  \
	{                                                               \
		FIELD_NAME(word), .type = FIELD_TEXT,                   \
				  .flags = FIELD_REQUIRED | FIELD_LINE, \
				  .min = 1, .max = BOUND_ID_BYTES + 11, \
				  FIELD_AT(struct record, member)       \
	}
#define TEXT_ROW(word, record, member)                            \
	{                                                         \
		FIELD_NAME(word), .type = FIELD_TEXT, .min = 1,   \
				  .max = LEARN_TEXT,              \
				  FIELD_AT(struct record, member) \
	}
#define DIGEST_ROW(word, record, member)                                       \
	{                                                                      \
		FIELD_NAME(word), .type = FIELD_TEXT, .flags = FIELD_REQUIRED, \
				  .min = 1, .max = 64, .check = sha256_fault,  \
				  .pattern = SHA256_PATTERN,                   \
				  FIELD_AT(struct record, member)              \
	}
#define COUNT_ROW(word, record, member)                                       \
	{                                                                     \
		FIELD_NAME(word), .type = FIELD_INT, .flags = FIELD_REQUIRED, \
				  .min = 0, .max = INT64_MAX,                 \
				  FIELD_AT(struct record, member)             \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct field evidence_rows[] = {
	{ FIELD_NAME("kind"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = kind_words, FIELD_AT(struct learn_evidence, kind) },
	NAME_ROW("attempt", learn_evidence, attempt),
	DIGEST_ROW("sha256", learn_evidence, sha256),
	{ FIELD_NAME("proof"), .about = "Whether the run holds these bytes.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = proof_words, FIELD_AT(struct learn_evidence, proof) },
};

static const struct field_table evidence_table = {
	.title = "Evidence",
	FIELD_ROWS(evidence_rows),
	.size = sizeof(struct learn_evidence),
};
static const struct field evidence_item = { .type = FIELD_OBJECT,
	.table = &evidence_table };
static const struct field hypothesis_item = {
	.type = FIELD_TEXT, .min = 1, .max = LEARN_TEXT
};
static const struct field status_item = { .type = FIELD_ENUM,
	.words = status_words };

static const struct field task_rows[] = {
	NAME_ROW("id", learn_task, id),
	TEXT_ROW("title", learn_task, title),
	DIGEST_ROW("check_sha256", learn_task, check_sha256),
	{ FIELD_NAME("status"), .type = FIELD_ENUM, .flags = FIELD_REQUIRED,
		.words = status_words, FIELD_AT(struct learn_task, status) },
	COUNT_ROW("attempts", learn_task, attempts),
	COUNT_ROW("rejects", learn_task, rejects),
	COUNT_ROW("checks", learn_task, checks),
	COUNT_ROW("check_ms", learn_task, check_ms),
	TEXT_ROW("check_ended", learn_task, check_ended),
	{ FIELD_NAME("hypotheses"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &hypothesis_item, .max = LEARN_LIST,
		FIELD_ITEMS(struct learn_task, hypotheses) },
	{ FIELD_NAME("lifecycle"), .about = "Its statuses, the first ones.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &status_item, .max = LEARN_LIFECYCLE,
		FIELD_ITEMS(struct learn_task, lifecycle) },
	COUNT_ROW("lifecycle_left_out", learn_task, lifecycle_left_out),
	{ FIELD_NAME("evidence"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &evidence_item, .max = LEARN_LIST,
		FIELD_ITEMS(struct learn_task, evidence) },
};

static const struct field_table task_table = {
	.title = "Task",
	FIELD_ROWS(task_rows),
	.size = sizeof(struct learn_task),
};
static const struct field task_item = { .type = FIELD_OBJECT,
	.table = &task_table };

static const struct field telemetry_rows[] = {
	COUNT_ROW("attempts", learn_telemetry, attempts),
	COUNT_ROW("rework", learn_telemetry, rework),
	COUNT_ROW(
		"ends_without_verdict", learn_telemetry, ends_without_verdict),
	COUNT_ROW("implementation_ms", learn_telemetry, implementation_ms),
	COUNT_ROW("waiting_ms", learn_telemetry, waiting_ms),
	COUNT_ROW("check_ms", learn_telemetry, check_ms),
	COUNT_ROW("audit_ms", learn_telemetry, audit_ms),
	COUNT_ROW("coordination_overhead", learn_telemetry,
		coordination_overhead),
	{ FIELD_NAME("provider_usage"),
		.about = "Only a receipt exposes it; else unavailable.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED, .min = 1,
		.max = LEARN_TEXT,
		FIELD_AT(struct learn_telemetry, provider_usage) },
	{ FIELD_NAME("provider_cache"), .about = "Likewise.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED, .min = 1,
		.max = LEARN_TEXT,
		FIELD_AT(struct learn_telemetry, provider_cache) },
};

static const struct field_table telemetry_table = {
	.title = "Telemetry",
	FIELD_ROWS(telemetry_rows),
	.size = sizeof(struct learn_telemetry),
};

static const struct field rows[] = {
	{ FIELD_NAME("schema_version"), .type = FIELD_INT,
		.flags = FIELD_REQUIRED, .min = 1, .max = 1,
		FIELD_AT(struct learn_record, schema_version) },
	{ FIELD_NAME("shadow_only"), .about = "Nothing acts on a record.",
		.type = FIELD_BOOL, .flags = FIELD_REQUIRED,
		FIELD_AT(struct learn_record, shadow_only) },
	NAME_ROW("run", learn_record, run),
	DIGEST_ROW("change", learn_record, change),
	TEXT_ROW("base", learn_record, base),
	NAME_ROW("outcome", learn_record, outcome),
	COUNT_ROW("seq", learn_record, seq),
	COUNT_ROW("generation", learn_record, generation),
	{ FIELD_NAME("telemetry"), .type = FIELD_OBJECT,
		.flags = FIELD_REQUIRED, .table = &telemetry_table,
		FIELD_AT(struct learn_record, telemetry) },
	{ FIELD_NAME("tasks"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &task_item, .max = LEARN_TASKS,
		FIELD_ITEMS(struct learn_record, tasks) },
	COUNT_ROW("tasks_left_out", learn_record, tasks_left_out),
};

static const struct field_table table = {
	.title = "Learning record",
	.about = "The bounded facts of one closed run. Shadow only.",
	.id = "learning-record.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct learn_record),
};

enum pawl_rc
learn_record_read(struct arena *mem, struct str bytes,
	struct learn_record *ret_record, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_DOCUMENT };
	struct learn_record r;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "record", bytes, LEARN_RECORD_BYTES, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fields_read(&doc, &table, &r, err);
	if (rc == PAWL_OK)
		*ret_record = r;
	return rc;
}

void
learn_record_write(const struct learn_record *r, struct buf *out)
{
	struct json_writer w = { .out = out };

	fields_write(&table, r, &w);
	buf_addc(out, '\n');
}

void
learn_record_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
