#include "model/finding_doc.h"

#include "base/bounds.h"
#include "base/sha256.h"
#include "model/repo_path.h"
#include "text/fields.h"

/* NOLINTNEXTLINE(bugprone-macro-parentheses): an initialiser */
#define WORD_ITEM(name, word, blocks) [name] = word,
static const char *const classes[] = { FINDING_CLASS_MAP(WORD_ITEM) NULL };

#define TEXT_ROW(word, member, about_text, max_bytes)                        \
	{                                                                    \
		FIELD_NAME(word), .about = (about_text), .type = FIELD_TEXT, \
				  .flags = FIELD_FILLED, .min = 1,           \
				  .max = (max_bytes),                        \
				  FIELD_AT(struct finding_doc, member)       \
	}

static const struct field rows[] = {
	{ FIELD_NAME("class"),
		.about = "The first three block; hardening is carried to the"
			 " end of the run; advisory is free.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED, .words = classes,
		FIELD_AT(struct finding_doc, class) },
	{ FIELD_NAME("summary"), .about = "What is wrong, in a sentence.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct finding_doc, summary) },
	TEXT_ROW("acceptance", acceptance,
		"The part of the task's acceptance that it violates.",
		BOUND_TEXT_BYTES),
	{ FIELD_NAME("file"), .about = "A path below the repository.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1,
		.max = BOUND_PATH_BYTES, .check = repo_path_fault,
		.pattern = "^" REPO_PATH_PATTERN "$",
		FIELD_AT(struct finding_doc, file) },
	TEXT_ROW("reproduction", reproduction, "How anybody sees it.",
		BOUND_TEXT_BYTES),
	TEXT_ROW("smallest_repair", smallest_repair,
		"The smallest change that repairs it.", BOUND_TEXT_BYTES),
	TEXT_ROW("check_gap", check_gap, "Why the task's check misses it.",
		BOUND_TEXT_BYTES),
};

static const struct field_table table = {
	.title = "Finding of an audit",
	.about = "What stands against an attempt's work.",
	.id = "finding.schema.json",
	.rules = "[{\"if\":{\"properties\":{\"class\":{\"enum\":"
		 "[\"acceptance_violation\",\"reproducible_regression\","
		 "\"security_or_integrity\"]}}},\"then\":{\"required\":"
		 "[\"acceptance\",\"file\",\"reproduction\","
		 "\"smallest_repair\",\"check_gap\"]}}]",
	FIELD_ROWS(rows),
	.size = sizeof(struct finding_doc),
};

/* A class that blocks names it all. */
static void
check_whole(struct fields_doc *doc, const struct finding_doc *d,
	struct pawl_err *err)
{
	static const char *const needed[] = { "acceptance", "file",
		"reproduction", "smallest_repair", "check_gap" };

	if (doc->errors > 0 || !is_finding_blocking(d->class))
		return;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (json_get(doc->root, str_from(needed[i])) != NULL)
			continue;
		fields_refuse(doc, FAULT_MISSING_FIELD, NULL, STR(""),
			arena_format(doc->mem, "name its \"%s\"", needed[i]),
			err, "a finding of class '%s' needs '%s'",
			classes[d->class], needed[i]);
	}
}

enum pawl_rc
finding_doc_read(struct arena *mem, struct str bytes,
	struct finding_doc *ret_doc, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_FINDING };
	struct finding_doc d;
	enum pawl_rc rc;

	rc = fields_parse(&doc, "finding", bytes, BOUND_FINDING_BYTES, err);
	if (rc != PAWL_OK)
		return rc;
	rc = fields_read(&doc, &table, &d, err);
	if (rc != PAWL_OK)
		return rc;
	check_whole(&doc, &d, err);
	if (doc.errors > 0)
		return err->rc;
	*ret_doc = d;
	return PAWL_OK;
}

struct str
finding_doc_sha256(const struct finding_doc *d, struct arena *mem)
{
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };
	char hex[SHA256_HEX + 1];

	fields_write(&table, d, &w);
	sha256_hex(buf_str(&json), hex);
	buf_release(&json);
	return arena_copy(mem, str_from(hex));
}

void
finding_doc_set(struct event *e, const struct finding_doc *d, struct arena *mem)
{
	EVENT_SET(e, F_CLASS, class, finding_class_word(d->class));
	EVENT_SET(e, F_SUMMARY, summary, d->summary);
	if (d->acceptance.len > 0)
		EVENT_SET(e, F_ACCEPTANCE, acceptance, d->acceptance);
	if (d->file.len > 0)
		EVENT_SET(e, F_FILE, file, d->file);
	if (d->reproduction.len > 0)
		EVENT_SET(e, F_REPRODUCTION, reproduction, d->reproduction);
	if (d->smallest_repair.len > 0)
		EVENT_SET(e, F_SMALLEST_REPAIR, smallest_repair,
			d->smallest_repair);
	if (d->check_gap.len > 0)
		EVENT_SET(e, F_CHECK_GAP, check_gap, d->check_gap);
	EVENT_SET(e, F_FINDING_SHA256, finding_sha256,
		finding_doc_sha256(d, mem));
}

void
finding_doc_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
