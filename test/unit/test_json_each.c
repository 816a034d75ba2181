#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "base/buf.h"
#include "text/json.h"

/* What was handed out, written again, and a text of the first element. */
struct taken {
	struct buf out;
	struct str kept;
	uint32_t count;
	uint32_t stop_at; /* fails there; UINT32_MAX: nowhere */
};

static enum pawl_rc
take(void *arg, const struct json *v, uint32_t index, struct pawl_err *err)
{
	struct taken *t = arg;
	struct json_writer w = { .out = &t->out };

	assert_int_equal(index, t->count++);
	if (index == t->stop_at)
		return pawl_fail(err, ERR_LIMIT, "enough");
	json_put(&w, v);
	buf_addc(&t->out, ';');
	if (index == 0)
		t->kept = json_str(v);
	return PAWL_OK;
}

static const struct {
	const char *text;
	const char *elements; /* each with a semicolon */
	const char *left;     /* the document without them */
} rows[] = {
	{ "{\"n\":[]}", "", "{\"n\":[]}" },
	{ "{\"n\":[1]}", "1;", "{\"n\":[]}" },
	{ "{\"a\":[7],\"n\":[1,\"x\",{\"n\":[2]},[[]]] ,\"b\":{}}",
		"1;\"x\";{\"n\":[2]};[[]];", "{\"a\":[7],\"n\":[],\"b\":{}}" },
	{ "{\"n\":{\"n\":[1]}}", "", "{\"n\":{\"n\":[1]}}" },
	{ "[{\"n\":[1]}]", "", "[{\"n\":[1]}]" },
	{ "{\"n\":1}", "", "{\"n\":1}" },
	{ "{\"n\":0,\"n\":[1],\"n\":[2]}", "1;",
		"{\"n\":0,\"n\":[],\"n\":[2]}" },
	{ "{\"\\u006e\":[{\"a\":1,\"a\":2}, null]}", "{\"a\":1,\"a\":2};null;",
		"{\"n\":[]}" },
	{ "7", "", "7" },
};

static void
the_list_is_handed_out_and_left_empty(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct taken t = { .stop_at = UINT32_MAX };
		const struct json_each each = { STR("n"), take, &t };
		struct arena mem = ARENA_INIT;
		struct pawl_err err = { 0 };
		struct buf left = { 0 };
		struct json_writer w = { .out = &left };
		const struct json *root = NULL;

		assert_int_equal(
			json_read_each(&mem, str_from(rows[i].text),
				JSON_KEEP_DUPLICATES, &each, &root, &err),
			PAWL_OK);
		json_put(&w, root);
		assert_string_equal(
			t.out.data ? t.out.data : "", rows[i].elements);
		assert_string_equal(left.data, rows[i].left);
		buf_release(&left);
		buf_release(&t.out);
		arena_reset(&mem);
	}
}

static void
the_texts_of_an_element_stay(void **unused)
{
	struct taken t = { .stop_at = UINT32_MAX };
	const struct json_each each = { STR("n"), take, &t };
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *root = NULL;

	(void)unused;
	assert_int_equal(json_read_each(&mem,
				 STR("{\"n\":[\"a\\tb\\u00e4\",\"c\\n\",[1]]}"),
				 JSON_STRICT, &each, &root, &err),
		PAWL_OK);
	assert_true(str_eq(t.kept, STR("a\tb\xc3\xa4")));
	buf_release(&t.out);
	arena_reset(&mem);
}

static void
a_failure_of_the_taker_ends_the_reading(void **unused)
{
	struct taken t = { .stop_at = 1 };
	const struct json_each each = { STR("n"), take, &t };
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *root = NULL;

	(void)unused;
	assert_int_equal(json_read_each(&mem, STR("{\"n\":[1,2,3]} x"),
				 JSON_STRICT, &each, &root, &err),
		PAWL_ENO);
	assert_string_equal(err.msg, "enough");
	assert_int_equal(t.count, 2);
	assert_null(root);
	buf_release(&t.out);
	arena_reset(&mem);
}

/* The memory is that of the largest element, not of all. */
static void
a_long_list_needs_no_long_tape(void **unused)
{
	struct taken t = { .stop_at = UINT32_MAX };
	const struct json_each each = { STR("n"), take, &t };
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *root = NULL;
	struct buf text = { 0 };

	(void)unused;
	buf_add(&text, STR("{\"n\":[0"));
	for (int i = 0; i < 100000; i++)
		buf_add(&text, STR(",[1,2,3]"));
	buf_add(&text, STR("]}"));
	assert_int_equal(json_read_each(&mem, buf_str(&text), JSON_STRICT,
				 &each, &root, &err),
		PAWL_OK);
	assert_int_equal(t.count, 100001);
	assert_true(mem.bytes < 8192);
	buf_release(&text);
	buf_release(&t.out);
	arena_reset(&mem);
}

static void
a_part_is_read_again_where_it_stands(void **unused)
{
	struct str text = STR("{\"a\": [\"x\\n\", 2],\"b\":3} ");
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *v = NULL;

	(void)unused;
	assert_int_equal(
		json_read_again(&mem, text, 6, JSON_STRICT, &v, &err), PAWL_OK);
	assert_int_equal(v->kind, JSON_ARRAY);
	assert_int_equal(v->at, 6);
	assert_int_equal(v->span, 3);
	assert_true(str_eq(json_str(v + 1), STR("x\n")));
	assert_int_equal(v[2].at, 14);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_list_is_handed_out_and_left_empty),
		cmocka_unit_test(the_texts_of_an_element_stay),
		cmocka_unit_test(a_failure_of_the_taker_ends_the_reading),
		cmocka_unit_test(a_long_list_needs_no_long_tape),
		cmocka_unit_test(a_part_is_read_again_where_it_stands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
