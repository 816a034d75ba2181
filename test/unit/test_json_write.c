/* What is done with a document that was read, and writing one. */
#include "json_doc.h"

#include "text/utf8.h"

static void
places_are_those_of_the_document_as_it_was(void **state)
{
	static const char text[] =
		"\xef\xbb\xbf{\"a\\n\\n\":\"x\\ny\\n\\n\",\r\n"
		"  \"b\": [1,\n\n 22]}\n";
	struct doc d = doc_read(str_from(text), JSON_STRICT);
	struct json_lines lines = { 0 };
	uint32_t line, column;

	(void)state;
	assert_non_null(d.json);
	json_lines_find(&lines, &d.mem, d.json, (struct str){ d.bytes, d.len });
	assert_int_equal(lines.count, 5);
	for (uint32_t i = d.json->span; i-- > 0;) {
		uint32_t line2, column2;

		json_place(str_from(text), d.json[i].at, &line, &column);
		json_where(&lines, d.json[i].at, &line2, &column2);
		assert_int_equal(line, line2);
		assert_int_equal(column, column2);
	}
	json_where(&lines, d.json[6].at, &line, &column);
	assert_int_equal(line, 4);
	assert_int_equal(column, 2);
	json_where(&lines, d.json[3].at, &line, &column);
	assert_int_equal(line, 2);
	assert_int_equal(column, 3);
	json_where(&lines, d.json[0].at, &line, &column);
	assert_int_equal(line, 1);
	assert_int_equal(column, 1);
	doc_release(&d);
}

static void
a_place_is_counted_from_one(void **state)
{
	static const struct {
		struct str text;
		size_t at;
		uint32_t line, column;
	} rows[] = {
		{ { "", 0 }, 0, 1, 1 },
		{ { "ab", 2 }, 0, 1, 1 },
		{ { "ab", 2 }, 2, 1, 3 },
		{ { "\n", 1 }, 0, 1, 1 },
		{ { "\n", 1 }, 1, 2, 1 },
		{ { "a\n\nb", 4 }, 1, 1, 2 },
		{ { "a\n\nb", 4 }, 2, 2, 1 },
		{ { "a\n\nb", 4 }, 3, 3, 1 },
		{ { "a\nb", 3 }, 99, 2, 98 },
		{ { "\xef\xbb\xbf{}", 5 }, 4, 1, 2 },
		{ { "\xef\xbb\xbf\n{}", 6 }, 4, 2, 1 },
		{ { "\xef\xbb\xbf{}", 5 }, 1, 1, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint32_t line = 0, column = 0;

		json_place(rows[i].text, rows[i].at, &line, &column);
		assert_int_equal(line, rows[i].line);
		assert_int_equal(column, rows[i].column);
	}
}

static void
an_error_has_its_place_for_programs(void **state)
{
	struct doc d = doc_read(STR("[1,\n 2 3]"), JSON_STRICT);

	(void)state;
	assert_true(str_eq(
		d.err.detail, STR("{\"byte\":7,\"line\":2,\"column\":4}")));
	doc_release(&d);
}

static void
members_are_found(void **state)
{
	struct doc d = doc_read(
		STR("{\"a\":{\"b\":[1,2]},\"b\":\"text\",\"c\":true,\"d\":7}"),
		JSON_STRICT);
	const struct json *a = json_get(d.json, STR("a"));

	(void)state;
	assert_non_null(a);
	assert_ptr_equal(json_first(d.json) + 1, a);
	assert_int_equal(json_get(a, STR("b"))->count, 2);
	assert_true(str_eq(json_str(json_get(d.json, STR("b"))), STR("text")));
	assert_true(json_bool(json_get(d.json, STR("c"))));
	assert_true(json_int(json_get(d.json, STR("d"))) == 7);
	assert_null(json_get(d.json, STR("e")));
	assert_null(json_get(NULL, STR("a")));
	assert_null(json_get(json_get(d.json, STR("b")), STR("a")));
	assert_int_equal(json_str(NULL).len, 0);
	assert_int_equal(json_str(a).len, 0);
	assert_false(json_bool(NULL));
	assert_false(json_bool(json_get(d.json, STR("d"))));
	assert_true(json_int(NULL) == 0);
	assert_true(json_int(json_get(d.json, STR("c"))) == 0);
	doc_release(&d);
}

static void
the_writer_escapes_what_it_must(void **state)
{
	static const struct {
		struct str in;
		const char *out;
	} rows[] = {
		{ { "", 0 }, "\"\"" },
		{ { NULL, 0 }, "\"\"" },
		{ { "plain text of some length", 25 },
			"\"plain text of some length\"" },
		{ { "\0\x01\b\t\n\x0b\f\r\x1f", 9 },
			"\"\\u0000\\u0001\\b\\t\\n\\u000b\\f\\r\\u001f\"" },
		{ { "a\"b\\c/d\x7f", 8 }, "\"a\\\"b\\\\c/d\x7f\"" },
		{ { "\xc3\xa4\xe2\x80\xa8\xf0\x9f\x98\x80", 9 },
			"\"\xc3\xa4\xe2\x80\xa8\xf0\x9f\x98\x80\"" },
		{ { "\xff", 1 }, "\"\xef\xbf\xbd\"" },
		{ { "abcdefgh\xc3", 9 }, "\"abcdefgh\xef\xbf\xbd\"" },
		{ { "\xe2\x82"
		    "abc\xed\xa0\x80",
			  8 },
			"\"\xef\xbf\xbd\xef\xbf\xbd"
			"abc"
			"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" },
		{ { "1234567\n12345678\"", 17 }, "\"1234567\\n12345678\\\"\"" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };

		json_put_str(&w, rows[i].in);
		assert_string_equal(out.data, rows[i].out);
		buf_release(&out);
	}
}

/* What is still a document is the same one after writing and reading. */
static void
every_changed_byte_is_refused_or_read(void **state)
{
	char text[sizeof(sample)];
	unsigned good = 0;

	(void)state;
	for (size_t at = 0; at < sizeof(sample) - 1; at++) {
		for (unsigned byte = 0; byte < 256; byte++) {
			struct doc d, again;

			memcpy(text, sample, sizeof(text));
			text[at] = (char)byte;
			d = doc_read((struct str){ text, sizeof(text) - 1 },
				JSON_STRICT);
			if (d.json != NULL) {
				good++;
				again = doc_read(
					buf_str(&d.written), JSON_STRICT);
				assert_non_null(again.json);
				assert_string_equal(
					again.written.data, d.written.data);
				assert_int_equal(
					again.json->span, d.json->span);
				doc_release(&again);
			}
			doc_release(&d);
		}
	}
	assert_true(good > sizeof(sample));
}

/* Any bytes are written as a string that is read again. */
static void
written_strings_are_read_again(void **state)
{
	(void)state;
	for (unsigned a = 0; a < 256; a++) {
		for (unsigned b = 0; b < 256; b += 3) {
			char in[12] = "12345678901";
			struct buf out = { 0 };
			struct json_writer w = { .out = &out };
			struct doc d;

			in[a % 11] = (char)b;
			in[b % 11] = (char)a;
			json_put_str(&w, (struct str){ in, 11 });
			d = doc_read(buf_str(&out), JSON_KEEP_NUL);
			assert_non_null(d.json);
			if (utf8_valid((struct str){ in, 11 }) == 11) {
				assert_true(str_eq(
					d.json->text, (struct str){ in, 11 }));
			}
			assert_string_equal(d.written.data, out.data);
			doc_release(&d);
			buf_release(&out);
		}
	}
}

static void
put_sample(struct json_writer *w)
{
	json_open(w, '{');
	json_pair_str(w, STR("a"), STR("x"));
	json_pair_u64(w, STR("b"), UINT64_MAX);
	json_pair_bool(w, STR("c"), true);
	json_key(w, STR("d"));
	json_open(w, '[');
	json_put_i64(w, INT64_MIN);
	json_put_null(w);
	json_put_raw(w, STR("1.50"));
	json_open(w, '{');
	json_close(w, '}');
	json_open(w, '[');
	json_close(w, ']');
	json_put_bool(w, false);
	json_close(w, ']');
	json_key(w, STR("e"));
	json_open(w, '{');
	json_close(w, '}');
	json_pair_str_or_null(w, STR("f"), STR("y"));
	json_pair_str_or_null(w, STR("g"), STR(""));
	json_close(w, '}');
}

static void
commas_are_the_writers(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	(void)state;
	put_sample(&w);
	assert_string_equal(out.data,
		"{\"a\":\"x\",\"b\":18446744073709551615,\"c\":true,\"d\":["
		"-9223372036854775808,null,1.50,{},[],false],\"e\":{}"
		",\"f\":\"y\",\"g\":null}");
	assert_int_equal(w.depth, 0);
	buf_release(&out);
}

static void
pretty_documents_have_lines(void **state)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out, .pretty = true };

	(void)state;
	put_sample(&w);
	assert_string_equal(out.data,
		"{\n  \"a\": \"x\",\n  \"b\": 18446744073709551615,\n"
		"  \"c\": true,\n  \"d\": [\n    -9223372036854775808,\n"
		"    null,\n    1.50,\n    {},\n    [],\n    false\n  ],\n"
		"  \"e\": {},\n  \"f\": \"y\",\n  \"g\": null\n}");
	buf_release(&out);
}

static void
a_value_is_written_inside_another(void **state)
{
	struct doc d = doc_read(str_from(sample), JSON_STRICT);
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	const struct json *event = json_get(d.json, STR("events")) + 1;

	(void)state;
	json_open(&w, '{');
	json_key(&w, STR("data"));
	json_put(&w, json_get(event, STR("data")));
	json_key(&w, STR("again"));
	json_open(&w, '[');
	json_put(&w, json_get(json_get(event, STR("data")), STR("x")));
	json_put(&w, json_get(event, STR("type")));
	json_close(&w, ']');
	json_close(&w, '}');
	assert_string_equal(out.data,
		"{\"data\":{\"n\":-12,\"r\":1.5e3,"
		"\"t\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\\n\","
		"\"x\":[null,true,false]},"
		"\"again\":[[null,true,false],\"started\"]}");
	buf_release(&out);
	doc_release(&d);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_are_those_of_the_document_as_it_was),
		cmocka_unit_test(a_place_is_counted_from_one),
		cmocka_unit_test(an_error_has_its_place_for_programs),
		cmocka_unit_test(members_are_found),
		cmocka_unit_test(the_writer_escapes_what_it_must),
		cmocka_unit_test(every_changed_byte_is_refused_or_read),
		cmocka_unit_test(written_strings_are_read_again),
		cmocka_unit_test(commas_are_the_writers),
		cmocka_unit_test(pretty_documents_have_lines),
		cmocka_unit_test(a_value_is_written_inside_another),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
