/* UTF-8: RFC 3629's table 3-7 borders, cutting, and text for a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "text/utf8.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* The definition of RFC 3629, the other way round: by encoding. */
static void
every_code_point_is_encoded_and_decoded(void **state)
{
	(void)state;
	for (uint32_t code = 0; code <= 0x10ffff; code++) {
		char bytes[4];
		uint32_t back = 0;
		size_t len;

		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		len = utf8_encode(code, bytes);
		assert_int_equal(
			utf8_next((struct str){ bytes, len }, &back), len);
		assert_int_equal(back, code);
		/* Cut short it is none. */
		assert_int_equal(
			utf8_next((struct str){ bytes, len - 1 }, &back), 0);
	}
}

static void
every_other_pair_of_bytes_is_refused(void **state)
{
	uint32_t code;
	size_t good = 0;

	(void)state;
	for (unsigned a = 0x80; a < 0x100; a++) {
		for (unsigned b = 0; b < 0x100; b++) {
			char bytes[2] = { (char)a, (char)b };

			good += utf8_next((struct str){ bytes, 2 }, &code) == 2;
		}
	}
	assert_int_equal(good, 0x800 - 0x80); /* U+0080 to U+07FF */
}

static void
bad_forms_are_refused(void **state)
{
	static const struct {
		struct str bytes;
		size_t valid;
	} rows[] = {
		{ { "", 0 }, 0 },
		{ { "plain ascii over eight", 22 }, 22 },
		{ { "\x80", 1 }, 0 },
		{ { "ab\xc0\xaf", 4 }, 2 },           /* overlong */
		{ { "\xc1\xbf", 2 }, 0 },             /* overlong */
		{ { "\xe0\x9f\xbf", 3 }, 0 },         /* overlong */
		{ { "\xe0\xa0\x80", 3 }, 3 },         /* U+0800 */
		{ { "\xed\x9f\xbf", 3 }, 3 },         /* U+D7FF */
		{ { "\xed\xa0\x80", 3 }, 0 },         /* U+D800 */
		{ { "\xed\xbf\xbf", 3 }, 0 },         /* U+DFFF */
		{ { "\xee\x80\x80", 3 }, 3 },         /* U+E000 */
		{ { "\xf0\x8f\xbf\xbf", 4 }, 0 },     /* overlong */
		{ { "\xf0\x90\x80\x80", 4 }, 4 },     /* U+10000 */
		{ { "\xf4\x8f\xbf\xbf", 4 }, 4 },     /* U+10FFFF */
		{ { "\xf4\x90\x80\x80", 4 }, 0 },     /* over it */
		{ { "\xf5\x80\x80\x80", 4 }, 0 },     /* over it */
		{ { "\xf8\x88\x80\x80\x80", 5 }, 0 }, /* five bytes */
		{ { "\xff", 1 }, 0 },
		{ { "12345678\xc3\xa4xx\xc3", 13 }, 12 }, /* cut short */
		{ { "12345678\xe2\x82", 10 }, 8 },
		{ { "12345678\xf0\x9f\x98", 11 }, 8 },
		{ { "1234567\xff"
		    "9abcdefgh",
			  17 },
			7 },
		{ { "\xe2\x82\xac\xe2\x28\xa1", 6 }, 3 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(utf8_valid(rows[i].bytes), rows[i].valid);
}

/* C023: cutting an emoji in the middle. */
static void
a_cut_never_splits_a_code_point(void **state)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80z";
	static const size_t ends[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11,
		11 };

	(void)state;
	for (size_t max = 0; max < COUNT(ends); max++) {
		struct str cut = utf8_cut(str_from(text), max);

		assert_int_equal(cut.len, ends[max]);
		assert_int_equal(utf8_valid(cut), cut.len);
	}
}

/* Whatever the bytes are, at most three are lost. */
static void
a_cut_of_binary_stays_near_the_limit(void **state)
{
	static const char tails[] = "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80";

	(void)state;
	for (size_t max = 0; max <= 10; max++) {
		struct str cut = utf8_cut(str_from(tails), max);

		assert_true(cut.len <= max);
		assert_true(cut.len + 3 >= max);
	}
	assert_int_equal(utf8_cut((struct str){ NULL, 0 }, 5).len, 0);
}

static void
shown_text_cannot_steer_a_terminal(void **state)
{
	static const struct {
		struct str in;
		const char *line, *lines;
	} rows[] = {
		{ { "", 0 }, "", "" },
		{ { "a\tb\nc", 5 }, "a\\x09b\\x0ac", "a\tb\nc" },
		{ { "\x1b[31mred\x1b[0m", 12 }, "\\x1b[31mred\\x1b[0m",
			"\\x1b[31mred\\x1b[0m" },
		{ { "a\rb\x7f\0", 5 }, "a\\x0db\\x7f\\x00",
			"a\\x0db\\x7f\\x00" },
		/* U+009B is a one-character CSI */
		{ { "\xc2\x9b"
		    "2J",
			  4 },
			"\\x9b2J", "\\x9b2J" },
		{ { "\xe2\x80\xae"
		    "txt.exe",
			  10 },
			"\\u202etxt.exe", "\\u202etxt.exe" },
		{ { "\xe2\x81\xa6x\xe2\x81\xa9", 7 }, "\\u2066x\\u2069",
			"\\u2066x\\u2069" },
		{ { "\xe2\x80\x8b\xef\xbb\xbf", 6 }, "\\u200b\\ufeff",
			"\\u200b\\ufeff" },
		{ { "\xe2\x80\xa8", 3 }, "\\u2028", "\\u2028" },
		{ { "\xf3\xa0\x80\xa0", 4 }, "\\ue0020", "\\ue0020" },
		{ { "\xff\xc3", 2 }, "\\xff\\xc3", "\\xff\\xc3" },
		{ { "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", 11 },
			"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80",
			"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80" },
		{ { "\xc2\xa0\xd7\x90", 4 }, "\xc2\xa0\xd7\x90",
			"\xc2\xa0\xd7\x90" }, /* nbsp, alef */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };

		utf8_show(&out, rows[i].in, UTF8_LINE);
		buf_addc(&out, '.');
		out.data[out.len - 1] = '\0';
		assert_string_equal(out.data, rows[i].line);
		buf_clear(&out);
		utf8_show(&out, rows[i].in, UTF8_LINES);
		buf_addc(&out, '.');
		out.data[out.len - 1] = '\0';
		assert_string_equal(out.data, rows[i].lines);
		buf_release(&out);
	}
}

static void
runs_with_breaks_become_one_blank(void **state)
{
	static const struct {
		const char *in, *out;
		bool folded;
	} rows[] = {
		{ "", "", false },
		{ "a", "a", false },
		{ " a  b ", " a  b ", false },
		{ "a\nb", "a b", true },
		{ "a \r\n\t b", "a b", true },
		{ "a  b\n  c", "a  b c", true },
		{ "\n", " ", true },
		{ "a\x7f", "a ", true },
		{ "a\x1f\x20\x7f!~", "a !~", true },
		{ "\xc2\x85x\xc2\xa0y", " x\xc2\xa0y", true },
		{ "a\xe2\x80\xa8\xe2\x80\xa9z", "a z", true },
		{ "\xc3\xa9\xff\xf0\x9f\x9a\x80", "\xc3\xa9 \xf0\x9f\x9a\x80",
			true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf out = { 0 };

		assert_int_equal(
			utf8_fold(&out, str_from(rows[i].in)), rows[i].folded);
		assert_true(str_eq(buf_str(&out), str_from(rows[i].out)));
		buf_release(&out);
	}
}

/* Every code point is either shown as it is, or as plain ASCII. */
static void
no_control_character_is_shown(void **state)
{
	(void)state;
	for (uint32_t code = 0; code <= 0xffff; code++) {
		struct buf out = { 0 };
		char bytes[4];
		size_t len;

		if (code >= 0xd800 && code <= 0xdfff)
			continue;
		len = utf8_encode(code, bytes);
		utf8_show(&out, (struct str){ bytes, len }, UTF8_LINE);
		if (code < 0x20 || (code >= 0x7f && code < 0xa0))
			assert_int_equal(out.data[0], '\\');
		for (size_t i = 0; i < out.len; i++)
			assert_true((unsigned char)out.data[i] >= 0x20);
		buf_release(&out);
	}
}

static void
columns_are_those_of_a_terminal(void **state)
{
	static const struct {
		const char *text;
		size_t columns;
	} rows[] = {
		{ "", 0 }, { "abc", 3 }, { "\xc3\xbc", 1 },
		{ "u\xcc\x88", 1 },    /* a combining diaeresis */
		{ "\xe1\x84\x80", 2 }, /* U+1100, the first wide one */
		{ "\xe2\xba\x7f", 3 }, /* no UTF-8: a column a byte */
		{ "\xe8\xa8\xad\xe8\xa8\x88", 4 }, { "\xea\xb0\x80x", 3 },
		{ "\xef\xbd\xa1", 1 },     /* U+FF61, halfwidth */
		{ "\xf0\x9f\x9a\x80", 2 }, /* U+1F680 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(
			utf8_columns(str_from(rows[i].text)), rows[i].columns);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_code_point_is_encoded_and_decoded),
		cmocka_unit_test(every_other_pair_of_bytes_is_refused),
		cmocka_unit_test(bad_forms_are_refused),
		cmocka_unit_test(a_cut_never_splits_a_code_point),
		cmocka_unit_test(a_cut_of_binary_stays_near_the_limit),
		cmocka_unit_test(shown_text_cannot_steer_a_terminal),
		cmocka_unit_test(no_control_character_is_shown),
		cmocka_unit_test(runs_with_breaks_become_one_blank),
		cmocka_unit_test(columns_are_those_of_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
