/* The JSON reader: what it takes, what it refuses and what it says then. */
#include "json_doc.h"

#include <stdio.h>

#include "base/bounds.h"

static void
assert_reads(struct str text, const char *wanted)
{
	struct doc d = doc_read(text, JSON_STRICT);

	if (d.json == NULL)
		fail_msg("'%.*s': %s", (int)text.len, text.ptr, d.err.msg);
	assert_string_equal(d.written.data, wanted);
	doc_release(&d);
}

static void
assert_refuses(struct str text, enum pawl_code code, const char *message)
{
	struct doc d = doc_read(text, JSON_STRICT);

	if (d.json != NULL)
		fail_msg("'%.*s' was read", (int)text.len, text.ptr);
	assert_string_equal(d.err.msg, message);
	assert_int_equal(d.err.code, code);
	doc_release(&d);
}

static void
good_documents_are_read(void **state)
{
	static const char *const rows[][2] = {
		{ "null", "null" },
		{ " true ", "true" },
		{ "\t\r\n false\n", "false" },
		{ "[]", "[]" },
		{ "[ ]", "[]" },
		{ "{ }", "{}" },
		{ "[1,2,[3,[]],{}]", "[1,2,[3,[]],{}]" },
		{ " { \"a\" : [ 1 , 2 ] , \"b\" : { \"c\" : null } } ",
			"{\"a\":[1,2],\"b\":{\"c\":null}}" },
		{ "{\"\":\"\"}", "{\"\":\"\"}" },
		{ "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
			"\"\\\"\\\\/\\b\\f\\n\\r\\t\"" },
		{ "\"\\u0041\\u00e4\\u20AC\\uD83D\\ude00\"",
			"\"A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"" },
		{ "\"\\uFFFF\\u001f\\u007f\"", "\"\xef\xbf\xbf\\u001f\x7f\"" },
		{ "\"\xc3\xa4\\n\xf0\x9f\x98\x80z\"",
			"\"\xc3\xa4\\n\xf0\x9f\x98\x80z\"" },
		{ "{\"key that is long\\n\":\"value that is long\\n\"}",
			"{\"key that is long\\n\":\"value that is long\\n\"}" },
		{ "\xef\xbb\xbf[1]", "[1]" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_reads(str_from(rows[i][0]), rows[i][1]);
}

static void
numbers_keep_their_value(void **state)
{
	static const struct {
		const char *text;
		enum json_kind kind;
		int64_t n;
	} rows[] = {
		{ "0", JSON_INT, 0 },
		{ "-1", JSON_INT, -1 },
		{ "1234567890123456789", JSON_INT, 1234567890123456789 },
		{ "9223372036854775806", JSON_INT, INT64_MAX - 1 },
		{ "9223372036854775807", JSON_INT, INT64_MAX },
		{ "9223372036854775808", JSON_REAL, 0 },
		{ "-9223372036854775807", JSON_INT, INT64_MIN + 1 },
		{ "-9223372036854775808", JSON_INT, INT64_MIN },
		{ "-9223372036854775809", JSON_REAL, 0 },
		{ "9999999999999999999", JSON_REAL, 0 },
		{ "10000000000000000000", JSON_REAL, 0 },
		{ "18446744073709551616", JSON_REAL, 0 }, /* 2^64 */
		{ "18446744073709551617", JSON_REAL, 0 },
		{ "-0", JSON_REAL, 0 },
		{ "-0.0", JSON_REAL, 0 },
		{ "1.0", JSON_REAL, 0 },
		{ "1e0", JSON_REAL, 0 },
		{ "1E+2", JSON_REAL, 0 },
		{ "0e-1", JSON_REAL, 0 },
		{ "123.456e789", JSON_REAL, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct doc d = doc_read(str_from(rows[i].text), JSON_STRICT);

		assert_non_null(d.json);
		assert_int_equal(d.json->kind, rows[i].kind);
		if (rows[i].kind == JSON_INT)
			assert_true(d.json->n == rows[i].n);
		assert_true(json_int(d.json) == rows[i].n);
		assert_string_equal(d.written.data, rows[i].text);
		doc_release(&d);
	}
}

static const struct {
	struct str text;
	const char *message;
} refusals[] = {
	{ { "", 0 },
		"1, column 1 (byte 0): expected a value, found the "
		"end" },
	{ { " \n", 2 },
		"2, column 1 (byte 2): expected a value, found the "
		"end" },
	{ { "[1\n,\n{\"a\":1}\n  \"x\"]", 19 },
		"4, column 3 (byte 15): expected ',' or ']', found "
		"'\"'" },
	{ { "{\"a\":1]", 7 },
		"1, column 7 (byte 6): expected ',' or '}', found "
		"']'" },
	{ { "{\"a\" 1}", 7 }, "1, column 6 (byte 5): expected ':', found '1'" },
	{ { "{a:1}", 5 }, "1, column 2 (byte 1): expected a key, found 'a'" },
	{ { "{\"a\":1,}", 8 },
		"1, column 8 (byte 7): expected a key, found '}'" },
	{ { "{\"a\":1,,", 8 },
		"1, column 8 (byte 7): expected a key, found ','" },
	{ { "{\"a\":}", 6 },
		"1, column 6 (byte 5): expected a value, found '}'" },
	{ { "{\"a\"", 4 },
		"1, column 5 (byte 4): expected ':', found the end" },
	{ { "{", 1 }, "1, column 2 (byte 1): expected a key, found the end" },
	{ { "[", 1 },
		"1, column 2 (byte 1): expected a value, found the "
		"end" },
	{ { "[1,]", 4 }, "1, column 4 (byte 3): expected a value, found ']'" },
	{ { "[,1]", 4 }, "1, column 2 (byte 1): expected a value, found ','" },
	{ { "]", 1 }, "1, column 1 (byte 0): expected a value, found ']'" },
	{ { "1 2", 3 }, "1, column 3 (byte 2): expected the end, found '2'" },
	{ { "{}\n}", 4 }, "2, column 1 (byte 3): expected the end, found '}'" },
	{ { "nul", 3 }, "1, column 1 (byte 0): expected a value, found 'n'" },
	{ { "True", 4 }, "1, column 1 (byte 0): expected a value, found 'T'" },
	{ { "nullx", 5 }, "1, column 5 (byte 4): expected the end, found 'x'" },
	{ { "[\f1]", 4 },
		"1, column 2 (byte 1): expected a value, found byte "
		"0x0c" },
	{ { "\xc2\xa0"
	    "1",
		  3 },
		"1, column 1 (byte 0): expected a value, found byte "
		"0xc2" },
	{ { "-", 1 },
		"1, column 2 (byte 1): expected a digit, found the "
		"end" },
	{ { "+1", 2 }, "1, column 1 (byte 0): expected a value, found '+'" },
	{ { ".5", 2 }, "1, column 1 (byte 0): expected a value, found '.'" },
	{ { "01", 2 }, "1, column 1 (byte 0): a number starts with 0" },
	{ { "-01", 3 }, "1, column 1 (byte 0): a number starts with 0" },
	{ { "00.5", 4 }, "1, column 1 (byte 0): a number starts with 0" },
	{ { "1.", 2 },
		"1, column 3 (byte 2): expected a digit after the "
		"decimal point, found the end" },
	{ { "1.e1", 4 },
		"1, column 3 (byte 2): expected a digit after the "
		"decimal point, found 'e'" },
	{ { "1e", 2 },
		"1, column 3 (byte 2): expected a digit of the "
		"exponent, found the end" },
	{ { "1e+]", 4 },
		"1, column 4 (byte 3): expected a digit of the "
		"exponent, found ']'" },
	{ { "0x1", 3 }, "1, column 2 (byte 1): expected the end, found 'x'" },
	{ { "'a'", 3 }, "1, column 1 (byte 0): expected a value, found '''" },
	{ { "\"abc", 4 }, "1, column 5 (byte 4): the string is not closed" },
	{ { "\"abc\\", 5 }, "1, column 6 (byte 5): the string is not closed" },
	{ { "\"a\nb\"", 5 },
		"1, column 3 (byte 2): control character 0x0a in a "
		"string" },
	{ { "\"a\0b\"", 5 },
		"1, column 3 (byte 2): control character 0x00 in a "
		"string" },
	{ { "\"\\x41\"", 6 },
		"1, column 2 (byte 1): unknown escape in a string" },
	{ { "\"\\U0041\"", 8 },
		"1, column 2 (byte 1): unknown escape in a string" },
	{ { "\"\\\xc3\xa4\"", 5 },
		"1, column 2 (byte 1): unknown escape in a string" },
	{ { "\"\\u004\"", 7 },
		"1, column 2 (byte 1): \\u takes four hexadecimal "
		"digits" },
	{ { "\"\\u00g0\"", 8 },
		"1, column 2 (byte 1): \\u takes four hexadecimal "
		"digits" },
	{ { "\"\\u004", 6 },
		"1, column 2 (byte 1): \\u takes four hexadecimal "
		"digits" },
	{ { "[\n1]\0", 5 },
		"2, column 3 (byte 4): expected the end, found byte "
		"0x00" },
};

/* C022: one line that names the byte. */
static void
a_refusal_says_where_and_what(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(refusals); i++) {
		char message[200];

		(void)snprintf(message, sizeof(message), "not JSON at line %s",
			refusals[i].message);
		assert_refuses(refusals[i].text, ERR_NOT_JSON, message);
	}
}

/* C023: half of a pair never gets in. */
static void
lone_surrogates_are_refused(void **state)
{
	static const char *const rows[] = { "\\ud83d", "\\ud83dx", "\\ude00",
		"\\ud83d\\n", "\\ud83d\\ud83d", "\\ud83d\\u0041", "\\ud83d\\u",
		"\\ud83d\\ude0", "\\udc00\\ud800", "\\ud83d\\",
		"\\uDBFF\\uDBFF" };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char text[40];
		struct doc d;

		(void)snprintf(text, sizeof(text), "[\"%s\"]", rows[i]);
		d = doc_read(str_from(text), JSON_STRICT);
		assert_null(d.json);
		assert_int_equal(d.err.code, ERR_NOT_JSON);
		assert_non_null(strstr(d.err.msg, "is half a surrogate pair"));
		assert_non_null(strstr(d.err.msg, "(byte 2)"));
		doc_release(&d);
	}
}

/* C024 */
static void
bytes_that_are_not_utf8_are_refused(void **state)
{
	static const struct {
		struct str bytes;
		const char *byte;
	} rows[] = {
		{ { "\xff", 1 }, "0xff" },
		{ { "\xc0\xaf", 2 }, "0xc0" },
		{ { "\xe0\x80\xaf", 3 }, "0xe0" },
		{ { "\xed\xa0\xbd", 3 }, "0xed" },
		{ { "\xf4\x90\x80\x80", 4 }, "0xf4" },
		{ { "\xe2\x82", 2 }, "0xe2" },
		{ { "\xc3", 1 }, "0xc3" },
		{ { "\x80", 1 }, "0x80" },
		{ { "caf\xe9", 4 }, "0xe9" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf text = { 0 };
		struct doc d;

		buf_add(&text, STR("[\"\xc3\xa4\\n"));
		buf_add(&text, rows[i].bytes);
		for (int closed = 0; closed < 2; closed++) {
			d = doc_read(buf_str(&text), JSON_STRICT);
			assert_null(d.json);
			assert_int_equal(d.err.code, ERR_NOT_JSON);
			assert_non_null(strstr(d.err.msg, rows[i].byte));
			assert_non_null(strstr(d.err.msg, "is not UTF-8"));
			doc_release(&d);
			buf_add(&text, STR("\"]"));
		}
		buf_release(&text);
	}
}

/* C113 */
static void
other_encodings_are_refused_by_name(void **state)
{
	static const struct {
		struct str text;
		const char *name;
	} rows[] = {
		{ { "\xff\xfe[\0]\0", 6 }, "UTF-16" },
		{ { "\xfe\xff\0[\0]", 6 }, "UTF-16" },
		{ { "[\0]\0", 4 }, "UTF-16" },
		{ { "\0[\0]", 4 }, "UTF-16" },
		{ { "\xff\xfe\0\0[\0\0\0]\0\0\0", 12 }, "UTF-32" },
		{ { "\0\0\xfe\xff\0\0\0[\0\0\0]", 12 }, "UTF-32" },
		{ { "[\0\0\0]\0\0\0", 8 }, "UTF-32" },
		{ { "\0\0\0[\0\0\0]", 8 }, "UTF-32" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char message[100];

		(void)snprintf(message, sizeof(message),
			"not JSON at line 1, column 1 (byte 0): the text is "
			"%s; UTF-8 is needed",
			rows[i].name);
		assert_refuses(rows[i].text, ERR_NOT_JSON, message);
	}
	/* One mark is passed over, in front only, and counts in bytes. */
	assert_refuses(STR("\xef\xbb\xbf\xef\xbb\xbf{}"), ERR_NOT_JSON,
		"not JSON at line 1, column 1 (byte 3): expected a value, "
		"found a second byte order mark (U+FEFF)");
	assert_refuses(STR("\xef\xbb\xbf{]"), ERR_NOT_JSON,
		"not JSON at line 1, column 2 (byte 4): expected a key, "
		"found ']'");
	assert_refuses(STR("{}\xef\xbb\xbf"), ERR_NOT_JSON,
		"not JSON at line 1, column 3 (byte 2): expected the end, "
		"found a byte order mark (U+FEFF)");
	assert_refuses(STR("\xef\xbb"), ERR_NOT_JSON,
		"not JSON at line 1, column 1 (byte 0): expected a value, "
		"found byte 0xef");
}

static void
nul_is_refused_unless_asked_for(void **state)
{
	struct doc d;

	(void)state;
	assert_refuses(STR("{\"a\":\"\\u0000\"}"), ERR_INVALID_DOCUMENT,
		"JSON refused at line 1, column 7 (byte 6): the character "
		"U+0000 is refused");
	d = doc_read(STR("{\"a\":\"x\\u0000y\"}"), JSON_KEEP_NUL);
	assert_non_null(d.json);
	assert_int_equal(json_str(json_get(d.json, STR("a"))).len, 3);
	assert_string_equal(d.written.data, "{\"a\":\"x\\u0000y\"}");
	doc_release(&d);
}

/* BOUND_JSON_DEPTH, below, at, above. */
static void
depth_is_bounded(void **state)
{
	(void)state;
	for (int depth = BOUND_JSON_DEPTH - 1; depth <= BOUND_JSON_DEPTH + 1;
		depth++) {
		struct buf text = { 0 };
		struct doc d;

		for (int i = 0; i < depth; i++)
			buf_add(&text, i % 2 ? STR("{\"a\":") : STR("["));
		buf_add(&text, STR("1"));
		for (int i = depth; i > 0; i--)
			buf_addc(&text, i % 2 ? ']' : '}');
		d = doc_read(buf_str(&text), JSON_STRICT);
		if (depth <= BOUND_JSON_DEPTH) {
			assert_non_null(d.json);
			assert_string_equal(d.written.data, text.data);
		} else {
			assert_null(d.json);
			assert_int_equal(d.err.code, ERR_LIMIT);
			assert_non_null(strstr(d.err.msg,
				"deeper than the limit of 32 levels"));
		}
		doc_release(&d);
		buf_release(&text);
	}
}

/* Offsets are 32 bits; the length is judged before a byte is read. */
static void
four_gigabytes_are_too_long(void **state)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	const struct json *json = NULL;
	char byte = '1';

	(void)state;
	assert_int_equal(json_read(&mem, &byte, (size_t)UINT32_MAX + 1,
				 JSON_STRICT, &json, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_null(json);
	arena_reset(&mem);
}

static void
a_hundred_thousand_open_brackets_are_refused(void **state)
{
	struct buf text = { 0 };
	struct doc d;

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_add(&text, STR("[{\"\":"));
	d = doc_read(buf_str(&text), JSON_STRICT);
	assert_null(d.json);
	assert_int_equal(d.err.code, ERR_LIMIT);
	doc_release(&d);
	buf_release(&text);
}

/* An object of `count` members; member `twice` has the key of member 0. */
static void
put_members(struct buf *text, uint32_t count, uint32_t twice)
{
	buf_addc(text, '{');
	for (uint32_t i = 0; i < count; i++) {
		buf_addf(text, "%s\"key-%u\":[%u]", i ? ",\n" : "",
			i == twice ? 0 : i, i);
	}
	buf_addc(text, '}');
}

/* Few members are compared one by one, many by a hash. */
static void
duplicate_keys_are_found_at_every_size(void **state)
{
	static const uint32_t counts[] = { 2, 3, 15, 16, 17, 18, 100, 5000 };

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		uint32_t count = counts[i];
		uint32_t step = count < 100 ? 1 : count / 7;

		for (uint32_t twice = 1; twice < count; twice += step) {
			struct buf text = { 0 };
			struct doc d;
			char place[60];

			put_members(&text, count, twice);
			d = doc_read(buf_str(&text), JSON_STRICT);
			assert_null(d.json);
			assert_int_equal(d.err.code, ERR_INVALID_DOCUMENT);
			(void)snprintf(place, sizeof(place),
				"at line %u, column 1 (byte ", twice + 1);
			assert_non_null(strstr(d.err.msg, place));
			assert_non_null(
				strstr(d.err.msg, "duplicate key 'key-0'"));
			doc_release(&d);

			d = doc_read(buf_str(&text), JSON_KEEP_DUPLICATES);
			assert_non_null(d.json);
			assert_int_equal(d.json->count, count);
			for (uint32_t k = 0; k < count; k++) {
				assert_int_equal(d.json[1 + 3 * k].duplicate,
					k == twice);
			}
			doc_release(&d);
			buf_release(&text);
		}
	}
}

static void
keys_are_compared_after_their_escapes(void **state)
{
	(void)state;
	assert_refuses(STR("{\"a\\n\":1,\n\"b\":2,\n\"\\u0061\\u000a\":3}"),
		ERR_INVALID_DOCUMENT,
		"JSON refused at line 3, column 1 (byte 17): duplicate key "
		"'a?'");
	assert_refuses(STR("[{\"\":1,\"\":2}]"), ERR_INVALID_DOCUMENT,
		"JSON refused at line 1, column 8 (byte 7): duplicate key ''");
	assert_reads(STR("{\"a\":{\"a\":{\"a\":1}},\"A\":1}"),
		"{\"a\":{\"a\":{\"a\":1}},\"A\":1}");
}

static void
a_hundred_thousand_members_are_read(void **state)
{
	struct buf text = { 0 };
	struct doc d;

	(void)state;
	put_members(&text, 100000, UINT32_MAX);
	d = doc_read(buf_str(&text), JSON_STRICT);
	assert_non_null(d.json);
	assert_int_equal(d.json->count, 100000);
	assert_int_equal(
		json_int(json_get(d.json, STR("key-99999")) + 1), 99999);
	doc_release(&d);
	buf_release(&text);
}

/* Strings are scanned eight bytes at a time: every length, every place. */
static void
special_bytes_are_seen_at_every_offset(void **state)
{
	static const struct {
		const char *in, *out; /* NULL: refused */
	} rows[] = {
		{ "\\n", "\\n" },
		{ "\\\"", "\\\"" },
		{ "\xc3\xa4", "\xc3\xa4" },
		{ "\\u0041", "A" },
		{ "!", "!" }, /* next to the quote */
		{ "[", "[" }, /* next to the backslash */
		{ " ", " " }, /* next to the control characters */
		{ "\x1f", NULL },
		{ "\x01", NULL },
		{ "\x80", NULL },
		{ "\n", NULL },
	};

	(void)state;
	for (size_t len = 0; len < 20; len++) {
		for (size_t at = 0; at <= len; at++) {
			size_t row = (len * 7 + at) % COUNT(rows);
			struct buf text = { 0 }, wanted = { 0 };
			struct doc d;

			buf_addf(&text, "\"%.*s%s%.*s\"", (int)at,
				"abcdefghijklmnopqrst", rows[row].in,
				(int)(len - at), "ABCDEFGHIJKLMNOPQRST");
			d = doc_read(buf_str(&text), JSON_STRICT);
			if (rows[row].out == NULL) {
				assert_null(d.json);
			} else {
				assert_non_null(d.json);
				buf_addf(&wanted, "\"%.*s%s%.*s\"", (int)at,
					"abcdefghijklmnopqrst", rows[row].out,
					(int)(len - at),
					"ABCDEFGHIJKLMNOPQRST");
				assert_string_equal(
					d.written.data, wanted.data);
			}
			doc_release(&d);
			buf_release(&text);
			buf_release(&wanted);
		}
	}
}

/* C017, C022 */
static void
every_cut_of_a_document_is_refused(void **state)
{
	(void)state;
	for (size_t len = 0; len < sizeof(sample) - 1; len++) {
		struct doc d =
			doc_read((struct str){ sample, len }, JSON_STRICT);

		assert_null(d.json);
		assert_int_equal(d.err.code, ERR_NOT_JSON);
		doc_release(&d);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_documents_are_read),
		cmocka_unit_test(numbers_keep_their_value),
		cmocka_unit_test(a_refusal_says_where_and_what),
		cmocka_unit_test(lone_surrogates_are_refused),
		cmocka_unit_test(bytes_that_are_not_utf8_are_refused),
		cmocka_unit_test(other_encodings_are_refused_by_name),
		cmocka_unit_test(nul_is_refused_unless_asked_for),
		cmocka_unit_test(depth_is_bounded),
		cmocka_unit_test(four_gigabytes_are_too_long),
		cmocka_unit_test(a_hundred_thousand_open_brackets_are_refused),
		cmocka_unit_test(duplicate_keys_are_found_at_every_size),
		cmocka_unit_test(keys_are_compared_after_their_escapes),
		cmocka_unit_test(a_hundred_thousand_members_are_read),
		cmocka_unit_test(special_bytes_are_seen_at_every_offset),
		cmocka_unit_test(every_cut_of_a_document_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
