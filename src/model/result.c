#include "model/result.h"

#include <inttypes.h>

#include "base/bounds.h"
#include "model/repo_path.h"
#include "model/scope.h"

static const char *
evidence_fault(struct str ref)
{
	struct str rest = ref;
	struct str kind = str_cut(&rest, ':');

	if (rest.ptr != NULL && str_eq(kind, STR("file")))
		return repo_path_fault(rest);
	if (rest.ptr == NULL || !str_eq(kind, STR("commit")))
		return "is neither 'file:PATH' nor 'commit:ID'";
	if (rest.len != 40 && rest.len != 64)
		return "is not a whole commit id of 40 or 64 digits";
	return is_lower_hex(rest)
		? NULL
		: "is not a commit id in lower-case hexadecimal";
}

static const char *const outcomes[] = {
	[RESULT_REPORTED] = "reported",
	NULL,
};

static const struct field file_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE,
	.min = 1,
	.max = BOUND_PATH_BYTES,
	.check = repo_path_fault,
	.pattern = "^" REPO_PATH_PATTERN "$",
};

static const struct field check_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_FILLED,
	.min = 1,
	.max = BOUND_CHECK_BYTES,
};

static const struct field evidence_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_LINE,
	.min = 1,
	.max = BOUND_PATH_BYTES,
	.check = evidence_fault,
	.pattern = "^(file:" REPO_PATH_PATTERN
		   "|commit:[0-9a-f]{40}([0-9a-f]{24})?)$",
};

static const struct field question_item = {
	.type = FIELD_TEXT,
	.flags = FIELD_FILLED,
	.min = 1,
	.max = BOUND_TEXT_BYTES,
};

static const struct field rows[] = {
	{ FIELD_NAME("task_id"), .about = "The task, as the capsule names it.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_ID_BYTES,
		FIELD_AT(struct result, task_id) },
	{ FIELD_NAME("attempt_id"),
		.about = "The attempt, as the capsule names it.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_ID_BYTES + 11, /* '@' and 32 bits */
		FIELD_AT(struct result, attempt_id) },
	{ FIELD_NAME("outcome"),
		.about =
			"A report is a claim; the verdict is not the worker's.",
		.type = FIELD_ENUM, .flags = FIELD_REQUIRED, .words = outcomes,
		FIELD_AT(struct result, outcome) },
	{ FIELD_NAME("summary"), .about = "What was done, in a few sentences.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_FILLED,
		.min = 1, .max = BOUND_TEXT_BYTES,
		FIELD_AT(struct result, summary) },
	{ FIELD_NAME("files_changed"),
		.about = "Paths below the repository, each once.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED | FIELD_UNIQUE,
		.item = &file_item, .max = BOUND_RESULT_FILES,
		FIELD_ITEMS(struct result, files_changed) },
	{ FIELD_NAME("checks_run"),
		.about = "Command lines; at least one when files changed.",
		.type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &check_item, .max = BOUND_RESULT_ITEMS,
		FIELD_ITEMS(struct result, checks_run) },
	{ FIELD_NAME("evidence_refs"),
		.about = "What shows it: a file of the repository or a commit.",
		.type = FIELD_LIST, .flags = FIELD_UNIQUE,
		.item = &evidence_item, .max = BOUND_RESULT_ITEMS,
		FIELD_ITEMS(struct result, evidence_refs) },
	{ FIELD_NAME("questions"), .about = "What a human has to decide.",
		.type = FIELD_LIST, .item = &question_item, .max = BOUND_ASKS,
		FIELD_ITEMS(struct result, questions) },
	{ FIELD_NAME("external_refs"),
		.about = "Names of things elsewhere, such as a ticket.",
		.type = FIELD_SCALARS, .max = BOUND_RESULT_EXTERNAL,
		FIELD_AT(struct result, external_refs) },
	{ .type = FIELD_SELF, FIELD_AT(struct result, self) },
};

static const struct field_table table = {
	.title = "Result of an attempt",
	.about = "What a worker writes to report.json in its outbox.",
	.id = "result.schema.json",
	.rules = "[{\"if\":{\"properties\":{\"files_changed\":"
		 "{\"minItems\":1}}},\"then\":{\"properties\":"
		 "{\"checks_run\":{\"minItems\":1}}}}]",
	FIELD_ROWS(rows),
	.size = sizeof(struct result),
};

/* The document must name the attempt that it was written for. */
static void
check_id(struct fields_doc *doc, const char *name, struct str found,
	struct str wanted, struct pawl_err *err)
{
	if (doc->errors > 0 || str_eq(found, wanted))
		return;
	fields_refuse(doc, FAULT_INVALID_VALUE,
		json_get(doc->root, str_from(name)),
		arena_format(doc->mem, "/%s", name),
		arena_format(doc->mem, "write '" STR_FMT "'", STR_ARG(wanted)),
		err, "'" STR_FMT "' is not '" STR_FMT "', which reports",
		STR_ARG(found), STR_ARG(wanted));
}

static void
check_checks(
	struct fields_doc *doc, const struct result *r, struct pawl_err *err)
{
	if (doc->errors > 0 || r->files_changed_count == 0 ||
		r->checks_run_count > 0)
		return;
	fields_refuse(doc, FAULT_OUT_OF_BOUNDS,
		json_get(doc->root, STR("checks_run")), STR("/checks_run"),
		STR("run the task's check and name it"), err,
		"%" PRIu32 " files changed and no check was run",
		r->files_changed_count);
}

enum pawl_rc
result_read(struct arena *mem, struct str bytes, struct result_of of,
	enum result_maker maker, struct result *ret_result,
	struct pawl_err *err)
{
	struct fields_doc doc = {
		.mem = mem,
		.code = ERR_INVALID_RESULT,
	};
	struct result r;
	enum pawl_rc rc;
	char *copy;

	if (maker == RESULT_BY_WORKER && bytes.len > BOUND_RESULT_BYTES) {
		return pawl_fail(err, ERR_LIMIT,
			"report of %zu bytes is over the limit of %d",
			bytes.len, BOUND_RESULT_BYTES);
	}
	copy = arena_strdup(mem, bytes);
	rc = json_read(mem, copy, bytes.len, JSON_STRICT, &doc.root, err);
	if (rc != PAWL_OK)
		return rc;
	doc.text = (struct str){ copy, bytes.len };
	rc = fields_read(&doc, &table, &r, err);
	if (rc != PAWL_OK)
		return rc;
	check_id(&doc, "task_id", r.task_id, of.task_id, err);
	check_id(&doc, "attempt_id", r.attempt_id, of.attempt_id, err);
	if (maker == RESULT_BY_WORKER)
		check_checks(&doc, &r, err);
	if (doc.errors > 0)
		return err->rc;
	*ret_result = r;
	return PAWL_OK;
}

static bool
is_within(struct strs scopes, struct str path)
{
	for (uint32_t i = 0; i < scopes.count; i++) {
		if (scope_contains(scopes.items[i], path))
			return true;
	}
	return false;
}

enum pawl_rc
result_within(const struct result *r, struct strs scopes, bool writes,
	struct arena *mem, struct pawl_err *err)
{
	for (uint32_t i = 0; i < r->files_changed_count; i++) {
		if (writes && is_within(scopes, r->files_changed[i]))
			continue;
		(void)pawl_fail(err, ERR_INVALID_RESULT,
			writes ? "/files_changed/%" PRIu32 ": '" STR_FMT
				 "' lies outside of what '" STR_FMT
				 "' may change"
			       : "/files_changed/%" PRIu32 ": '" STR_FMT
				 "' changed, and '" STR_FMT "' only reads",
			i, STR_ARG(r->files_changed[i]),
			STR_ARG(r->attempt_id));
		err->field = arena_format(mem, "/files_changed/%" PRIu32, i);
		return err->rc;
	}
	return PAWL_OK;
}

enum pawl_rc
result_write(const struct result *r, struct buf *out, struct pawl_err *err)
{
	struct json_writer w = { .out = out };

	if (r->files_changed_count > BOUND_RESULT_FILES) {
		return pawl_fail(err, ERR_LIMIT,
			"%" PRIu32 " changed files are over the limit of %d",
			r->files_changed_count, BOUND_RESULT_FILES);
	}
	fields_write(&table, r, &w);
	buf_addc(out, '\n');
	return PAWL_OK;
}

void
result_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
