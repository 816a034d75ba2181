#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "golden.h"
#include "ledger_doc.h"
#include "model/ledger_fields.h"

/* The checkpoint of design 4.1: good, and one note. */
static const char example[] =
	"{\n"
	"  \"schema_version\": 1,\n"
	"  \"run_id\": \"graph-20260719-example\",\n"
	"  \"task\": \"Audit the project against its plan\",\n"
	"  \"status\": \"RUNNING\",\n"
	"  \"nodes\": [\n"
	"    { \"id\": \"scope\", \"title\": \"Resolve audit scope\",\n"
	"      \"kind\": \"scope\", \"role\": \"main\",\n"
	"      \"access\": \"read-only\", \"status\": \"PASSED\",\n"
	"      \"status_history\": [\"PENDING\", \"READY\", \"RUNNING\",\n"
	"        \"PASSED\"],\n"
	"      \"depends_on\": [], \"expected_output\": \"Bounded target\",\n"
	"      \"evidence_required\": true, \"evidence\": [\"The "
	"\\\"plan\\\"\"],\n"
	"      \"attempt\": 1, \"max_attempts\": 1,\n"
	"      \"approval\": \"not-required\" }\n"
	"  ]\n"
	"}\n";

static void
the_example_has_one_note(void **unused)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct ledger_findings f;
	struct ledger l;

	(void)unused;
	assert_int_equal(
		ledger_read(&mem, str_from(example), true, &l, &f, &err),
		PAWL_OK);
	assert_int_equal(f.violations, 0);
	assert_int_equal(f.notes, 1);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].rule, LEDGER_RUN_UNCLAIMED);
	assert_int_equal(f.items[0].line, 5);
	assert_int_equal(f.items[0].column, 13);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.nodes[0].history_count, 4);
	assert_true(str_eq(l.nodes[0].evidence[0], STR("The \"plan\"")));
	ledger_findings_release(&f);
	ledger_release(&l);
	arena_reset(&mem);
}

static void
the_published_schema_is_the_printed_one(void **unused)
{
	struct buf out = { 0 };

	(void)unused;
	ledger_schema(&out);
	golden_check("schemas/ledger.schema.json", buf_str(&out));
	buf_release(&out);
}

/* Of the rule; asserts that it was JSON. */
static uint32_t
count_rule(const struct doc_read *r, enum ledger_rule rule)
{
	uint32_t n = 0;

	assert_int_equal(r->rc, PAWL_OK);
	for (uint32_t i = 0; i < r->f.count; i++)
		n += r->f.items[i].rule == rule;
	return n;
}

/* `n` times `what`, in quotes or brackets, with commas between. */
static const char *
many(struct buf *b, const char *open, const char *what, const char *comma,
	size_t n, const char *close)
{
	buf_clear(b);
	buf_add(b, str_from(open));
	for (size_t i = 0; i < n; i++) {
		if (i > 0)
			buf_add(b, str_from(comma));
		buf_add(b, str_from(what));
	}
	buf_add(b, str_from(close));
	return b->data;
}

/* How often the document is over a bound. */
static uint32_t
bounds_broken(const struct doc *d)
{
	struct doc_read r;
	uint32_t n;

	doc_read(&r, d, false);
	n = count_rule(&r, LEDGER_OUT_OF_BOUNDS);
	doc_release(&r);
	return n;
}

/* One field whose length has a bound: good up to it, refused above. */
struct bound {
	const char *name;
	size_t max;
	const char *open, *what, *comma, *close;
	size_t member; /* of struct node_doc */
	const char *status;
};

#define MEMBER(name) offsetof(struct node_doc, name)

static const struct bound bounds[] = {
	{ "title", BOUND_TITLE_BYTES, "\"", "\xc3\xa4", "", "\"", MEMBER(title),
		NULL },
	{ "output", BOUND_TEXT_BYTES, "\"", "x", "", "\"", MEMBER(output),
		NULL },
	{ "evidence", BOUND_LEDGER_EVIDENCE, "[", "\"x\"", ",", "]",
		MEMBER(evidence), NULL },
	{ "reference", BOUND_LEDGER_REF_BYTES, "[\"", "x", "", "\"]",
		MEMBER(evidence), NULL },
	{ "id", BOUND_ID_BYTES, "", "x", "", "", MEMBER(id), NULL },
	{ "history", BOUND_LEDGER_HISTORY / 2, "[", "\"PENDING\",\"BLOCKED\"",
		",", "]", MEMBER(history), "\"BLOCKED\"" },
};

static void
each_length_is_taken_up_to_its_bound(void **unused)
{
	struct buf b = { 0 };

	(void)unused;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		const struct bound *x = &bounds[i];
		struct doc d = { .status = "\"PLANNING\"",
			.node = { { .id = "a", .status = x->status } } };

		for (size_t n = x->max - 1; n <= x->max + 1; n++) {
			const char *text = many(
				&b, x->open, x->what, x->comma, n, x->close);

			memcpy((char *)&d.node[0] + x->member, &text,
				sizeof(text));
			if (bounds_broken(&d) != (n > x->max))
				fail_msg("%s of %zu is judged wrongly", x->name,
					n);
		}
	}
	buf_release(&b);
}

static void
each_number_is_taken_within_its_bounds(void **unused)
{
	static const struct {
		struct doc d;
		uint32_t broken;
	} rows[] = {
		{ { .node = { { .id = "a", .max = "0" } } }, 1 },
		{ { .node = { { .id = "a", .max = "1" } } }, 0 },
		{ { .node = { { .id = "a", .max = "999" } } }, 0 },
		{ { .node = { { .id = "a", .max = "1000" } } }, 0 },
		{ { .node = { { .id = "a", .max = "1001" } } }, 1 },
		{ { .node = { { .id = "a", .attempt = "-1" } } }, 1 },
		{ { .node = { { .id = "a", .attempt = "4096" } } }, 0 },
		{ { .node = { { .id = "a", .attempt = "4097" } } }, 1 },
		{ { .version = "0", .nodes = "[]" }, 1 },
		{ { .version = "1", .nodes = "[]" }, 0 },
		{ { .version = "2", .nodes = "[]" }, 1 },
		{ { .version = "9223372036854775807", .nodes = "[]" }, 1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(bounds_broken(&rows[i].d), rows[i].broken);
}

static void
a_task_and_dependencies_are_taken_up_to_their_bounds(void **unused)
{
	struct buf b = { 0 };
	struct doc d = { .nodes = "[]" };

	(void)unused;
	for (size_t n = BOUND_TEXT_BYTES - 1; n <= BOUND_TEXT_BYTES + 1; n++) {
		d.task = many(&b, "\"", "x", "", n, "\"");
		assert_int_equal(bounds_broken(&d), n > BOUND_TEXT_BYTES);
	}
	/* They are unknown, and stand twice: the bound comes first. */
	for (size_t n = BOUND_DEPENDS - 1; n <= BOUND_DEPENDS + 1; n++) {
		struct doc many_depends = {
			.node = { { .id = "a",
				.depends =
					many(&b, "[", "\"b\"", ",", n, "]") } }
		};

		assert_int_equal(
			bounds_broken(&many_depends), n > BOUND_DEPENDS);
	}
	buf_release(&b);
}

/* Two texts of a million nodes and one more. */
static void
a_million_nodes_are_taken_and_one_more_is_not(void **unused)
{
	struct doc_read r = { .rc = PAWL_OK };
	size_t len;

	(void)unused;
	buf_add(&r.text,
		STR("{\"schema_version\":1,\"run_id\":\"r\",\"task\":"
		    "\"t\",\"status\":\"RUNNING\",\"nodes\":["));
	for (uint32_t i = 0; i < BOUND_LEDGER_NODES; i++) {
		if (i > 0)
			buf_addc(&r.text, ',');
		buf_add(&r.text, STR("{\"id\":\"n"));
		buf_addu(&r.text, i);
		buf_add(&r.text,
			STR("\",\"title\":\"t\",\"kind\":\"scope\",\"role\":"
			    "\"main\",\"access\":\"read-only\",\"status\":"
			    "\"PENDING\",\"status_history\":[\"PENDING\"],"
			    "\"depends_on\":[],\"expected_output\":\"o\","
			    "\"evidence_required\":true,\"evidence\":[],"
			    "\"attempt\":0,\"max_attempts\":1,\"approval\":"
			    "\"not-required\"}"));
	}
	len = r.text.len;
	buf_add(&r.text, STR("]}"));
	doc_read_text(&r, true);
	assert_int_equal(r.rc, PAWL_OK);
	assert_int_equal(r.l.count, BOUND_LEDGER_NODES);
	assert_int_equal(r.f.count, 0);
	ledger_findings_release(&r.f);
	ledger_release(&r.l);
	r.text.len = len;
	buf_add(&r.text, STR(",{}]}"));
	doc_read_text(&r, true);
	assert_int_equal(r.rc, PAWL_OK);
	assert_int_equal(r.l.count, BOUND_LEDGER_NODES);
	assert_int_equal(r.f.count, 1);
	assert_int_equal(r.f.items[0].rule, LEDGER_OUT_OF_BOUNDS);
	assert_true(str_eq(r.f.items[0].pointer, STR("/nodes")));
	assert_true(str_eq(r.f.items[0].message,
		STR("1000001 items are over the limit of 1000000")));
	doc_release(&r);
}

static void
findings_over_the_bound_are_counted(void **unused)
{
	struct buf b = { 0 };
	struct doc d = { .status = "\"RUNNING\"" };

	(void)unused;
	for (uint32_t n = BOUND_LEDGER_FINDINGS - 1;
		n <= BOUND_LEDGER_FINDINGS + 1; n++) {
		uint32_t over = n > BOUND_LEDGER_FINDINGS;
		struct doc_read r;

		d.nodes = many(&b, "[", "0", ",", n, "]");
		doc_read(&r, &d, false);
		assert_int_equal(r.f.violations, n);
		assert_int_equal(r.f.count, n - over);
		assert_int_equal(r.f.dropped, over);
		doc_release(&r);
	}
	buf_release(&b);
}

static void
a_text_over_the_bound_is_refused_unread(void **unused)
{
	size_t size = (size_t)BOUND_LEDGER_BYTES + 1;
	const char *zeros = mmap(NULL, size, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct ledger_findings f;
	struct ledger l;
	struct arena mem = ARENA_INIT;

	(void)unused;
	assert_true(zeros != MAP_FAILED);
	for (size_t len = size - 2; len <= size; len++) {
		struct pawl_err err = { 0 };

		assert_int_equal(ledger_read(&mem, (struct str){ zeros, len },
					 false, &l, &f, &err),
			PAWL_ENO);
		assert_int_equal(
			err.code, len < size ? ERR_NOT_JSON : ERR_LIMIT);
	}
	assert_int_equal(munmap((void *)(uintptr_t)zeros, size), 0);
	arena_reset(&mem);
}

/* C022, C113: each is refused by its real cause, at a place. */
static void
what_is_not_json_is_an_error_with_a_place(void **unused)
{
#define S(lit)                       \
	{                            \
		lit, sizeof(lit) - 1 \
	}
	static const struct {
		struct str text;
		const char *message; /* in it */
	} rows[] = {
		{ S(""), "line 1, column 1 (byte 0): expected a value" },
		{ S("{"), "line 1, column 2 (byte 1)" },
		{ S("{\"nodes\":[{}"), "byte 12" },
		{ S("{\"nodes\":[{}]}\0\0\0"),
			"column 15 (byte 14): expected "
			"the end, found byte 0x00" },
		{ S("\xef\xbb\xbf\xef\xbb\xbf{}"), "byte 3" },
		{ S("\xff\xfe{\0}\0"), "the text is UTF-16" },
		{ S("\xfe\xff\0{\0}"), "the text is UTF-16" },
		{ S("{\0}\0"), "the text is UTF-16" },
		{ S("{\"a\":\"\xe4\"}"), "byte 0xe4 is not UTF-8" },
		{ S("{\"a\":'b'}"), "expected a value" },
		{ S("{\"nodes\":[{}],}"), "expected a key" },
		{ S("{\"nodes\":[{},]}"), "expected a value" },
		{ S("{} {}"), "expected the end" },
		{ S("\n\n  {\"a\" 1}"), "line 3, column 8 (byte 9)" },
		{ S("{\"nodes\":[{\"a\":\n\"\\x\"}]}"), "line 2, column 2" },
	};
#undef S

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct doc_read r = { .rc = PAWL_OK };

		buf_add(&r.text, rows[i].text);
		doc_read_text(&r, false);
		assert_int_equal(r.rc, PAWL_ENO);
		assert_int_equal(r.err.code, ERR_NOT_JSON);
		assert_true(str_starts(r.err.detail, STR("{\"byte\":")));
		if (strstr(r.err.msg, rows[i].message) == NULL)
			fail_msg("row %zu: %s", i, r.err.msg);
		doc_release(&r);
	}
}

static void
nesting_is_taken_up_to_its_bound(void **unused)
{
	struct buf b = { 0 };
	struct doc d = { .more = NULL, .nodes = "[]" };

	(void)unused;
	/* The document is a level itself. */
	for (size_t n = BOUND_JSON_DEPTH - 2; n <= BOUND_JSON_DEPTH; n++) {
		struct doc_read r;

		buf_clear(&b);
		buf_add(&b, STR(",\"x\":"));
		for (size_t i = 0; i < n; i++)
			buf_addc(&b, '[');
		for (size_t i = 0; i < n; i++)
			buf_addc(&b, ']');
		d.more = b.data;
		doc_read(&r, &d, false);
		if (n < BOUND_JSON_DEPTH) {
			assert_int_equal(
				count_rule(&r, LEDGER_UNKNOWN_FIELD), 1);
		} else {
			assert_int_equal(r.err.code, ERR_LIMIT);
			assert_non_null(strstr(r.err.msg, "line 1, column"));
		}
		doc_release(&r);
	}
	d.more = NULL;
	d.nodes = many(&b, "", "[", "", 100000, "");
	{
		struct doc_read r;

		doc_read(&r, &d, false);
		assert_int_equal(r.err.code, ERR_LIMIT);
		doc_release(&r);
	}
	buf_release(&b);
}

/* C012: what was cut is never taken for less of the same. */
static void
a_document_cut_anywhere_is_not_json(void **unused)
{
	struct str whole = str_from(example);

	(void)unused;
	for (size_t len = 0; len <= whole.len; len++) {
		struct doc_read r = { .rc = PAWL_OK };

		buf_add(&r.text, str_part(whole, 0, len));
		doc_read_text(&r, false);
		if (len + 1 < whole.len) {
			assert_int_equal(r.rc, PAWL_ENO);
			assert_int_equal(r.err.code, ERR_NOT_JSON);
		} else {
			assert_int_equal(r.rc, PAWL_OK);
			assert_int_equal(r.f.violations, 0);
		}
		doc_release(&r);
	}
}

/* C113: line ends and a mark change nothing but the places. */
static void
line_ends_and_a_mark_are_taken(void **unused)
{
	struct doc_read r = { .rc = PAWL_OK };

	(void)unused;
	buf_add(&r.text, STR("\xef\xbb\xbf"));
	for (const char *c = example; *c != '\0'; c++) {
		if (*c == '\n')
			buf_addc(&r.text, '\r');
		buf_addc(&r.text, *c);
	}
	doc_read_text(&r, false);
	assert_int_equal(r.rc, PAWL_OK);
	assert_int_equal(r.f.violations, 0);
	assert_int_equal(r.f.items[0].line, 5);
	assert_int_equal(r.f.items[0].column, 13);
	doc_release(&r);
	r = (struct doc_read){ .rc = PAWL_OK };
	buf_add(&r.text, STR("\xef\xbb\xbf{}"));
	doc_read_text(&r, false);
	assert_int_equal(count_rule(&r, LEDGER_MISSING_FIELD), 5);
	assert_int_equal(r.f.items[0].line, 1);
	assert_int_equal(r.f.items[0].column, 1);
	doc_release(&r);
}

/* C088: the set of words is closed, and the refusal shows it. */
static void
words_of_others_are_refused_with_those_that_are_known(void **unused)
{
	static const char *const words[] = { "done", "completed", "closed",
		"kept", "verified", "passed", "Passed", "PASS", "", "PASSED " };

	(void)unused;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char status[40], history[60];
		struct doc d = { .node = { { .id = "a",
					 .status = status,
					 .history = history } } };
		struct doc_read r;

		(void)snprintf(status, sizeof(status), "\"%s\"", words[i]);
		(void)snprintf(history, sizeof(history), "[\"PENDING\"]");
		doc_read(&r, &d, false);
		assert_int_equal(r.f.count, 1);
		assert_int_equal(r.f.items[0].rule, LEDGER_INVALID_VALUE);
		assert_true(
			str_eq(r.f.items[0].pointer, STR("/nodes/0/status")));
		assert_true(str_ends(r.f.items[0].message,
			STR(" is none of PENDING, READY, RUNNING, PASSED, "
			    "FAILED, BLOCKED, NEEDS_APPROVAL, SKIPPED")));
		doc_release(&r);
	}
}

/* C115: no id that leads out of a folder, or is an option's name. */
static void
hostile_ids_are_refused(void **unused)
{
	static const char *const ids[] = { "../x", "..", ".", "a/b", "a\\\\b",
		"/etc/x", "", "a\\u0000", "a\\n", "-rf", "a b", "a..b", ".a",
		"a.", "a-", "con.lock", "\xc3\xa4", "A" };

	(void)unused;
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct doc d = { .node = { { .id = ids[i] } } };
		struct doc_read r;

		doc_read(&r, &d, false);
		if (r.rc != PAWL_OK || r.f.violations != 1 ||
			!str_eq(r.f.items[0].pointer, STR("/nodes/0/id")))
			fail_msg("id %zu is taken", i);
		doc_release(&r);
	}
}

/* C082: reading and writing are each other's reverse. */
static void
what_is_read_is_written_as_it_was(void **unused)
{
	static const struct doc docs[] = {
		{ .nodes = "[]" },
		{ .run_id = "\"R.2_x\"",
			.task = "\"a \\\"b\\\"\\\\\"",
			.node = { { .id = "b",
					  .depends = "[\"c\",\"a\"]",
					  .access = "\"destructive\"",
					  .evidence = "[\"x\",\"\\u00e4\"]",
					  .kind = "\"repair\"",
					  .role = "\"human\"",
					  .required = "false",
					  .max = "7" },
				{ .id = "a" },
				{ .id = "c", .title = "\"\xc3\xa4\"" } } },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct doc_read first, second = { .rc = PAWL_OK };
		struct json_writer w = { .out = &second.text };
		struct buf again = { 0 };
		struct json_writer w2 = { .out = &again };

		doc_read(&first, &docs[i], true);
		assert_int_equal(first.rc, PAWL_OK);
		assert_int_equal(first.f.violations, 0);
		ledger_write(&first.l, &w);
		doc_read_text(&second, true);
		assert_int_equal(second.rc, PAWL_OK);
		ledger_write(&second.l, &w2);
		assert_true(str_eq(buf_str(&second.text), buf_str(&again)));
		assert_int_equal(second.text.len, again.len);
		assert_true(
			i > 0 || str_eq(buf_str(&first.text), buf_str(&again)));
		buf_release(&again);
		doc_release(&first);
		doc_release(&second);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_has_one_note),
		cmocka_unit_test(the_published_schema_is_the_printed_one),
		cmocka_unit_test(each_length_is_taken_up_to_its_bound),
		cmocka_unit_test(each_number_is_taken_within_its_bounds),
		cmocka_unit_test(
			a_task_and_dependencies_are_taken_up_to_their_bounds),
		cmocka_unit_test(a_million_nodes_are_taken_and_one_more_is_not),
		cmocka_unit_test(findings_over_the_bound_are_counted),
		cmocka_unit_test(a_text_over_the_bound_is_refused_unread),
		cmocka_unit_test(what_is_not_json_is_an_error_with_a_place),
		cmocka_unit_test(nesting_is_taken_up_to_its_bound),
		cmocka_unit_test(a_document_cut_anywhere_is_not_json),
		cmocka_unit_test(line_ends_and_a_mark_are_taken),
		cmocka_unit_test(
			words_of_others_are_refused_with_those_that_are_known),
		cmocka_unit_test(hostile_ids_are_refused),
		cmocka_unit_test(what_is_read_is_written_as_it_was),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
