/* The report of a worker: what is taken, refused, written and published. */
#include "golden.h"
#include "json_doc.h"

#include <stdio.h>

#include "base/bounds.h"
#include "model/result.h"

static const struct result_of attempt = { { "API-01", 6 }, { "API-01@2", 8 } };

#define HEAD                                                   \
	"{\"task_id\":\"API-01\",\"attempt_id\":\"API-01@2\"," \
	"\"outcome\":\"reported\","
#define COMMIT "0123456789abcdef0123456789abcdef01234567"

static enum pawl_rc
read_text(struct arena *mem, const char *text, enum result_maker maker,
	struct result *r, struct pawl_err *err)
{
	return result_read(mem, str_from(text), attempt, maker, r, err);
}

static const char whole[] = HEAD
	"\"summary\":\"Did it.\",\"files_changed\":[\"src/a.c\",\"..b/.c\"],"
	"\"checks_run\":[\"make test\"],"
	"\"evidence_refs\":[\"file:docs/a.md\",\"commit:" COMMIT "\","
	"\"commit:" COMMIT "0123456789abcdef01234567\"],"
	"\"questions\":[\"Why?\"],"
	"\"external_refs\":{\"ticket\":17,\"open\":true,\"none\":null}}\n";

static void
a_report_is_read_and_written_again(void **state)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };
	struct result r;

	(void)state;
	assert_int_equal(
		read_text(&mem, whole, RESULT_BY_WORKER, &r, &err), PAWL_OK);
	assert_true(str_eq(r.task_id, STR("API-01")));
	assert_true(str_eq(r.attempt_id, STR("API-01@2")));
	assert_int_equal(r.outcome, RESULT_REPORTED);
	assert_true(str_eq(r.summary, STR("Did it.")));
	assert_int_equal(r.files_changed_count, 2);
	assert_true(str_eq(r.files_changed[1], STR("..b/.c")));
	assert_int_equal(r.checks_run_count, 1);
	assert_int_equal(r.evidence_refs_count, 3);
	assert_int_equal(r.questions_count, 1);
	assert_int_equal(r.external_refs->count, 3);
	assert_int_equal(result_write(&r, &out, &err), PAWL_OK);
	assert_string_equal(out.data, whole);
	buf_release(&out);
	arena_reset(&mem);
}

/* C113: the bytes of the report stay as they are, for its digest. */
static void
line_ends_and_a_mark_change_nothing(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf" HEAD "\r\n\t\"summary\":\"a\\r\\nb\",\r\n"
		"\"files_changed\":[],\"checks_run\":[ ]\r\n"
		"}\r\n";
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	char copy[sizeof(text)];
	struct result r;

	(void)state;
	memcpy(copy, text, sizeof(text));
	assert_int_equal(
		read_text(&mem, copy, RESULT_BY_WORKER, &r, &err), PAWL_OK);
	assert_memory_equal(copy, text, sizeof(text));
	assert_true(str_eq(r.summary, STR("a\r\nb")));
	arena_reset(&mem);
}

static const struct {
	const char *text;
	enum pawl_code code;
	const char *message;
} wrong_reports[] = {
	{ "", ERR_NOT_JSON, "not JSON at line 1, column 1 (byte 0)" },
	{ "{\"task_id\":\"A\xff\"}", ERR_NOT_JSON, "is not UTF-8" },
	{ "{\"task_id\":\"A\",\"task_id\":\"A\"}", ERR_INVALID_DOCUMENT,
		"duplicate key 'task_id'" },
	{ "[]", ERR_INVALID_RESULT, "expected an object" },
	{ "{\"summary\":\"x\"}", ERR_INVALID_RESULT,
		"missing field 'task_id'" },
	{ HEAD "\"files_changed\":[],\"checks_run\":[]}", ERR_INVALID_RESULT,
		"missing field 'summary'" },
	{ HEAD "\"summary\":\"x\",\"checks_run\":[]}", ERR_INVALID_RESULT,
		"missing field 'files_changed'" },
	{ HEAD "\"summary\":\"x\",\"files_changed\":[]}", ERR_INVALID_RESULT,
		"missing field 'checks_run'" },
	{ HEAD "\"summary\":\"x\",\n\"synthesized\":true}", ERR_INVALID_RESULT,
		"/synthesized (line 2, column 1): unknown field "
		"'synthesized'" },
	{ HEAD "\"summary\":\" \"}", ERR_INVALID_RESULT, "the text is blank" },
	{ "{\"outcome\":\"passed\"}", ERR_INVALID_RESULT,
		"/outcome (line 1, column 12): 'passed' is none of "
		"reported" },
	{ HEAD "\"files_changed\":[\"/etc/x\"]}", ERR_INVALID_RESULT,
		"'/etc/x' is not relative to the repository" },
	{ HEAD "\"files_changed\":[\"a/../b\"]}", ERR_INVALID_RESULT,
		"'a/../b' has a '.' or '..' segment" },
	{ HEAD "\"files_changed\":[\".\"]}", ERR_INVALID_RESULT,
		"'.' has a '.' or '..' segment" },
	{ HEAD "\"files_changed\":[\"a//b\"]}", ERR_INVALID_RESULT,
		"'a//b' has an empty path segment" },
	{ HEAD "\"files_changed\":[\"a/\"]}", ERR_INVALID_RESULT,
		"'a/' has an empty path segment" },
	{ HEAD "\"files_changed\":[\"a\\nb\"]}", ERR_INVALID_RESULT,
		"control character 0x0a" },
	{ HEAD "\"files_changed\":[\"a\",\"a\"]}", ERR_INVALID_RESULT,
		"/files_changed/1 (line 1, column 87): 'a' stands "
		"twice" },
	{ HEAD "\"evidence_refs\":[\"url:x\"]}", ERR_INVALID_RESULT,
		"'url:x' is neither 'file:PATH' nor 'commit:ID'" },
	{ HEAD "\"evidence_refs\":[\"file\"]}", ERR_INVALID_RESULT,
		"'file' is neither" },
	{ HEAD "\"evidence_refs\":[\"file:\"]}", ERR_INVALID_RESULT,
		"'file:' is no path" },
	{ HEAD "\"evidence_refs\":[\"file:/x\"]}", ERR_INVALID_RESULT,
		"is not relative" },
	{ HEAD "\"evidence_refs\":[\"commit:\"]}", ERR_INVALID_RESULT,
		"is not a whole commit id" },
	{ HEAD "\"evidence_refs\":[\"commit:" COMMIT "0\"]}",
		ERR_INVALID_RESULT, "is not a whole commit id" },
	{ HEAD "\"evidence_refs\":[\"commit:"
	       "0123456789ABCDEF0123456789abcdef01234567\"]}",
		ERR_INVALID_RESULT,
		"is not a commit id in lower-case hexadecimal" },
	{ HEAD "\"external_refs\":{\"a\":{}}}", ERR_INVALID_RESULT,
		"/external_refs/a" },
	{ "{\"task_id\":\"API-02\",\"attempt_id\":\"API-01@2\","
	  "\"outcome\":\"reported\",\"summary\":\"x\","
	  "\"files_changed\":[],\"checks_run\":[]}",
		ERR_INVALID_RESULT,
		"/task_id (line 1, column 12): 'API-02' is not "
		"'API-01', which reports" },
	{ "{\"task_id\":\"API-01\",\"attempt_id\":\"API-01@1\","
	  "\"outcome\":\"reported\",\"summary\":\"x\","
	  "\"files_changed\":[],\"checks_run\":[]}",
		ERR_INVALID_RESULT,
		"/attempt_id (line 1, column 34): 'API-01@1' is not "
		"'API-01@2', which reports" },
	{ HEAD "\"summary\":\"x\",\"files_changed\":[\"a\"],"
	       "\"checks_run\":[]}",
		ERR_INVALID_RESULT,
		"/checks_run (line 1, column 115): 1 files changed "
		"and no check was run" },
};

static void
a_wrong_report_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong_reports); i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		struct result r = { .questions_count = 77 };

		assert_int_not_equal(read_text(&mem, wrong_reports[i].text,
					     RESULT_BY_WORKER, &r, &err),
			PAWL_OK);
		if (err.code != wrong_reports[i].code ||
			strstr(err.msg, wrong_reports[i].message) == NULL)
			fail_msg("%s: %s", wrong_reports[i].text, err.msg);
		assert_int_equal(r.questions_count, 77);
		arena_reset(&mem);
	}
}

/* BOUND_RESULT_BYTES, for a worker's; what pawl makes itself may be longer. */
static void
the_length_of_a_workers_report_is_bounded(void **state)
{
	(void)state;
	for (int over = -1; over <= 1; over++) {
		size_t length = BOUND_RESULT_BYTES + (size_t)over;
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		struct buf text = { 0 };
		struct result r;
		enum pawl_rc rc;

		buf_add(&text,
			STR(HEAD "\"summary\":\"x\",\"files_changed\":[],"
				 "\"checks_run\":[]}"));
		while (text.len < length)
			buf_addc(&text, '\n');
		rc = result_read(&mem, buf_str(&text), attempt,
			RESULT_BY_WORKER, &r, &err);
		assert_int_equal(rc, over > 0 ? PAWL_ENO : PAWL_OK);
		if (over > 0) {
			assert_int_equal(err.code, ERR_LIMIT);
			assert_string_equal(err.msg,
				"report of 262145 bytes is over the limit of "
				"262144");
		}
		rc = result_read(&mem, buf_str(&text), attempt,
			RESULT_SYNTHESIZED, &r, &err);
		assert_int_equal(rc, PAWL_OK);
		buf_release(&text);
		arena_reset(&mem);
	}
}

/* One of the lists, or external_refs, with `count` of them. */
static void
put_many(struct buf *text, const char *field, const char *item, uint32_t count)
{
	bool map = strcmp(field, "external_refs") == 0;

	buf_addf(text, HEAD "\"summary\":\"x\",");
	if (strcmp(field, "checks_run") != 0)
		buf_add(text, STR("\"checks_run\":[\"true\"],"));
	if (strcmp(field, "files_changed") != 0)
		buf_add(text, STR("\"files_changed\":[],"));
	buf_addf(text, "\"%s\":%c", field, map ? '{' : '[');
	for (uint32_t i = 0; i < count; i++) {
		buf_addf(text, map ? "%s\"%s%u\":1" : "%s\"%s%u\"",
			i ? "," : "", item, i);
	}
	buf_add(text, map ? STR("}}") : STR("]}"));
}

/* BOUND_RESULT_ITEMS, _EXTERNAL, _FILES, and BOUND_ASKS */
static void
lists_are_bounded(void **state)
{
	static const struct {
		const char *field, *item;
		uint32_t max;
	} rows[] = {
		{ "checks_run", "make ", BOUND_RESULT_ITEMS },
		{ "evidence_refs", "file:a", BOUND_RESULT_ITEMS },
		{ "questions", "Why ", BOUND_ASKS },
		{ "external_refs", "a", BOUND_RESULT_EXTERNAL },
		{ "files_changed", "f", BOUND_RESULT_FILES },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		for (uint32_t over = 0; over < 3; over++) {
			struct arena mem = ARENA_INIT;
			struct pawl_err err = { 0 };
			struct buf text = { 0 };
			struct result r;
			enum pawl_rc rc;

			put_many(&text, rows[i].field, rows[i].item,
				rows[i].max - 1 + over);
			rc = read_text(
				&mem, text.data, RESULT_SYNTHESIZED, &r, &err);
			if (over < 2 && rc != PAWL_OK)
				fail_msg("%s: %s", rows[i].field, err.msg);
			if (over == 2) {
				assert_int_equal(rc, PAWL_ENO);
				assert_non_null(strstr(
					err.msg, "are over the limit of"));
			}
			buf_release(&text);
			arena_reset(&mem);
		}
	}
}

static void
a_synthesized_report_needs_no_check(void **state)
{
	static const struct str files[] = { { "a \xc3\xa4.c", 6 },
		{ "b\".c", 4 } };
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };
	struct result made = {
		.task_id = attempt.task_id,
		.attempt_id = attempt.attempt_id,
		.summary = STR("Changed 2 files."),
		.files_changed = files,
		.files_changed_count = 2,
	};
	struct result r;

	(void)state;
	assert_int_equal(result_write(&made, &out, &err), PAWL_OK);
	assert_string_equal(out.data,
		HEAD "\"summary\":\"Changed 2 files.\","
		     "\"files_changed\":[\"a \xc3\xa4.c\",\"b\\\".c\"],"
		     "\"checks_run\":[]}\n");
	assert_int_equal(
		read_text(&mem, out.data, RESULT_SYNTHESIZED, &r, &err),
		PAWL_OK);
	assert_int_equal(read_text(&mem, out.data, RESULT_BY_WORKER, &r, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_RESULT);
	made.files_changed_count = BOUND_RESULT_FILES + 1;
	assert_int_equal(result_write(&made, &out, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	buf_release(&out);
	arena_reset(&mem);
}

static void
a_report_names_only_what_its_attempt_may_change(void **state)
{
	static struct str scopes[] = { { "src", 3 }, { "a.txt", 5 } };
	static const struct {
		const char *file; /* NULL: none */
		uint32_t scopes;
		bool writes;
		bool within;
	} rows[] = {
		{ NULL, 2, true, true },
		{ NULL, 2, false, true },
		{ "src/b.c", 2, true, true },
		{ "src", 2, true, true },
		{ "a.txt", 2, true, true },
		{ "src/b.c", 2, false, false },
		{ "srcs/b.c", 2, true, false },
		{ "a.txt", 1, true, false },
		{ "b/src/b.c", 2, true, false },
		{ "src/b.c", 0, true, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		struct str files[] = { STR("src/first.c"),
			str_from(rows[i].file) };
		struct result r = { .attempt_id = STR("A-1@1"),
			.files_changed = files + 1,
			.files_changed_count = rows[i].file != NULL };
		enum pawl_rc rc = result_within(&r,
			(struct strs){ scopes, rows[i].scopes }, rows[i].writes,
			&mem, &err);

		if ((rc == PAWL_OK) != rows[i].within)
			fail_msg("%s: %d %s", rows[i].file, rc, err.msg);
		if (rc != PAWL_OK) {
			assert_int_equal(err.code, ERR_INVALID_RESULT);
			assert_true(str_eq(err.field, STR("/files_changed/0")));
		}
		/* The place is that of the first. */
		r.files_changed = files;
		r.files_changed_count = 2;
		if (rc != PAWL_OK && rows[i].writes && rows[i].scopes > 0) {
			rc = result_within(&r, (struct strs){ scopes, 1 }, true,
				&mem, &err);
			assert_int_equal(rc, PAWL_ENO);
			assert_true(str_eq(err.field, STR("/files_changed/1")));
		}
		arena_reset(&mem);
	}
}

static void
the_published_schema_is_the_tables(void **state)
{
	struct buf out = { 0 };

	(void)state;
	result_schema(&out);
	golden_check("schemas/result.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_report_is_read_and_written_again),
		cmocka_unit_test(line_ends_and_a_mark_change_nothing),
		cmocka_unit_test(a_wrong_report_is_refused_with_its_place),
		cmocka_unit_test(the_length_of_a_workers_report_is_bounded),
		cmocka_unit_test(lists_are_bounded),
		cmocka_unit_test(a_synthesized_report_needs_no_check),
		cmocka_unit_test(
			a_report_names_only_what_its_attempt_may_change),
		cmocka_unit_test(the_published_schema_is_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
