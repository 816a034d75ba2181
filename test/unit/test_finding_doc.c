/* What an audit found, as a document. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "golden.h"
#include "model/finding_doc.h"

#define WHOLE                                                                 \
	"{\"class\":\"acceptance_violation\",\"summary\":\"the empty list\"," \
	"\"acceptance\":\"all lists\",\"file\":\"src/[id].c\","               \
	"\"reproduction\":\"./list []\",\"smallest_repair\":\"from 0\","      \
	"\"check_gap\":\"no case is empty\"}"

static enum pawl_rc
read_text(struct arena *mem, const char *text, struct finding_doc *ret_doc,
	struct pawl_err *err)
{
	*err = (struct pawl_err){ 0 };
	return finding_doc_read(mem, str_from(text), ret_doc, err);
}

static void
a_finding_is_read_whole(void **state)
{
	struct arena mem = ARENA_INIT;
	struct finding_doc d;
	struct pawl_err err;
	struct event e = { .type = EV_FINDING_RECORDED };

	(void)state;
	assert_int_equal(read_text(&mem, WHOLE, &d, &err), PAWL_OK);
	assert_int_equal(d.class, FINDING_ACCEPTANCE);
	assert_true(str_eq(d.file, STR("src/[id].c")));
	finding_doc_set(&e, &d, &mem);
	assert_true(str_eq(e.class, STR("acceptance_violation")));
	assert_true(str_eq(e.check_gap, STR("no case is empty")));
	assert_int_equal(e.finding_sha256.len, 64);
	arena_reset(&mem);
}

/* The digest knows what is said, and not how it is written. */
static void
the_digest_is_of_the_content(void **state)
{
	static const struct {
		const char *text;
		bool same;
	} docs[] = {
		{ "{\"class\":\"advisory\",\"summary\":\"x\"}", true },
		{ " {\"summary\" : \"\\u0078\",\n\"class\":\"advisory\" }\n",
			true },
		{ "{\"class\":\"advisory\",\"summary\":\"y\"}", false },
		{ "{\"class\":\"hardening\",\"summary\":\"x\"}", false },
		{ "{\"class\":\"advisory\",\"summary\":\"x\",\"file\":\"a\"}",
			false },
	};
	struct arena mem = ARENA_INIT;
	struct str first = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct finding_doc d;
		struct pawl_err err;
		struct str sha256;

		assert_int_equal(
			read_text(&mem, docs[i].text, &d, &err), PAWL_OK);
		sha256 = finding_doc_sha256(&d, &mem);
		if (i == 0)
			first = sha256;
		assert_int_equal(str_eq(sha256, first), docs[i].same);
	}
	arena_reset(&mem);
}

static void
what_is_no_finding_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		enum pawl_code code;
		const char *field;
	} docs[] = {
		{ "", ERR_NOT_JSON, "" },
		{ "[]", ERR_INVALID_FINDING, "" },
		{ "{\"class\":\"advisory\"}", ERR_INVALID_FINDING, "" },
		{ "{\"class\":\"severe\",\"summary\":\"x\"}",
			ERR_INVALID_FINDING, "/class" },
		{ "{\"class\":\"advisory\",\"summary\":\" \"}",
			ERR_INVALID_FINDING, "/summary" },
		{ "{\"class\":\"advisory\",\"summary\":\"x\",\"why\":\"y\"}",
			ERR_INVALID_FINDING, "/why" },
		{ "{\"class\":\"advisory\",\"summary\":\"x\","
		  "\"file\":\"../x\"}",
			ERR_INVALID_FINDING, "/file" },
		{ "{\"class\":\"advisory\",\"summary\":\"x\","
		  "\"file\":\"/etc\"}",
			ERR_INVALID_FINDING, "/file" },
		{ "{\"class\":\"security_or_integrity\",\"summary\":\"x\"}",
			ERR_INVALID_FINDING, "" },
		{ "{\"class\":\"reproducible_regression\",\"summary\":\"x\","
		  "\"acceptance\":\"a\",\"file\":\"f\","
		  "\"reproduction\":\"r\",\"smallest_repair\":\"s\"}",
			ERR_INVALID_FINDING, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct finding_doc d;
		struct pawl_err err;

		if (read_text(&mem, docs[i].text, &d, &err) == PAWL_OK)
			fail_msg("taken: %s", docs[i].text);
		if (err.code != docs[i].code ||
			!str_eq(err.field, str_from(docs[i].field)))
			fail_msg("%s: %s at '%.*s'", docs[i].text, err.msg,
				STR_ARG(err.field));
		arena_reset(&mem);
	}
}

static void
the_length_is_bounded(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buf text = { 0 };
	struct finding_doc d;
	struct pawl_err err = { 0 };

	(void)state;
	buf_add(&text, STR("{\"class\":\"advisory\",\"summary\":\"x\"}"));
	while (text.len < BOUND_FINDING_BYTES)
		buf_addc(&text, ' ');
	assert_int_equal(
		finding_doc_read(&mem, buf_str(&text), &d, &err), PAWL_OK);
	buf_addc(&text, ' ');
	assert_int_equal(
		finding_doc_read(&mem, buf_str(&text), &d, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	buf_release(&text);
	arena_reset(&mem);
}

static void
the_published_schema_is_the_tables(void **state)
{
	struct buf out = { 0 };

	(void)state;
	finding_doc_schema(&out);
	golden_check("schemas/finding.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_finding_is_read_whole),
		cmocka_unit_test(the_digest_is_of_the_content),
		cmocka_unit_test(what_is_no_finding_is_refused_with_its_place),
		cmocka_unit_test(the_length_is_bounded),
		cmocka_unit_test(the_published_schema_is_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
