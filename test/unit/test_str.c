/*
 * Views of bytes, and the numbers that are read from them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/num.h"
#include "base/sha256.h"
#include "base/str.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct str none = { NULL, 0 };

static void
the_empty_view_is_safe_everywhere(void **state)
{
	struct str rest = none;

	(void)state;
	assert_true(str_eq(none, STR("")));
	assert_true(str_eq(str_from(NULL), str_from("")));
	assert_true(str_starts(none, none));
	assert_true(str_ends(none, none));
	assert_int_equal(str_cmp(none, STR("")), 0);
	assert_int_equal(str_part(none, 3, 5).len, 0);
	assert_int_equal(str_find(none, 'a'), 0);
	assert_int_equal(str_trim(none).len, 0);
	assert_int_equal(str_distance(none, none), 0);
	assert_int_equal(str_cut(&rest, ',').len, 0);
	assert_null(rest.ptr);
}

static void
beginnings_and_ends(void **state)
{
	static const struct {
		struct str s, part;
		bool starts, ends;
	} rows[] = {
		{ { "abc", 3 }, { "a", 1 }, true, false },
		{ { "abc", 3 }, { "c", 1 }, false, true },
		{ { "abc", 3 }, { "abc", 3 }, true, true },
		{ { "abc", 3 }, { "abcd", 4 }, false, false },
		{ { "abc", 3 }, { "xabc", 4 }, false, false },
		{ { "aba", 3 }, { "a", 1 }, true, true },
		{ { "abc", 3 }, { "", 0 }, true, true },
		{ { "", 0 }, { "a", 1 }, false, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(
			str_starts(rows[i].s, rows[i].part), rows[i].starts);
		assert_int_equal(
			str_ends(rows[i].s, rows[i].part), rows[i].ends);
	}
}

static void
order_is_by_bytes_and_a_prefix_comes_first(void **state)
{
	static const struct str sorted[] = { { "", 0 }, { "\0", 1 }, { "A", 1 },
		{ "a", 1 }, { "a\0", 2 }, { "ab", 2 }, { "b", 1 },
		{ "\x80", 1 }, { "\xff", 1 } };

	(void)state;
	for (size_t i = 0; i < COUNT(sorted); i++) {
		for (size_t j = 0; j < COUNT(sorted); j++) {
			int c = str_cmp(sorted[i], sorted[j]);

			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
			assert_int_equal(str_eq(sorted[i], sorted[j]), i == j);
		}
	}
}

static void
a_part_stays_within(void **state)
{
	struct str s = STR("hello");

	(void)state;
	for (size_t at = 0; at < 8; at++) {
		for (size_t len = 0; len < 8; len++) {
			struct str part = str_part(s, at, len);
			size_t room = at < 5 ? 5 - at : 0;

			assert_int_equal(part.len, len < room ? len : room);
			assert_true(part.ptr >= s.ptr &&
				part.ptr + part.len <= s.ptr + 5);
		}
	}
	assert_int_equal(str_part(s, 2, SIZE_MAX).len, 3);
	assert_int_equal(str_part(s, SIZE_MAX, SIZE_MAX).len, 0);
}

/* "a,,b," has four fields, and the end is told from an empty last one. */
static void
cutting_gives_every_field_once(void **state)
{
	static const char *const wanted[] = { "a", "", "b", "" };
	struct str rest = STR("a,,b,");
	size_t n = 0;

	(void)state;
	while (rest.ptr != NULL) {
		struct str field = str_cut(&rest, ',');

		assert_true(n < COUNT(wanted));
		assert_true(str_eq(field, str_from(wanted[n])));
		n++;
	}
	assert_int_equal(n, 4);
}

static void
trimming_leaves_what_is_inside(void **state)
{
	static const char *const rows[][2] = { { " a ", "a" }, { "\t\r\n", "" },
		{ "a b", "a b" }, { "\n a\tb \r", "a\tb" }, { "\fa", "\fa" },
		{ "", "" } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(str_eq(
			str_trim(str_from(rows[i][0])), str_from(rows[i][1])));
	}
}

static void
distance_is_levenshteins(void **state)
{
	static const struct {
		const char *a, *b;
		unsigned d;
	} rows[] = { { "", "", 0 }, { "", "abc", 3 },
		{ "kitten", "sitting", 3 }, { "status", "sttaus", 2 },
		{ "plan", "plan", 0 }, { "run", "ran", 1 }, { "abc", "", 3 } };
	char long_a[200], long_b[200];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct str a = str_from(rows[i].a), b = str_from(rows[i].b);

		assert_int_equal(str_distance(a, b), rows[i].d);
		assert_int_equal(str_distance(b, a), rows[i].d);
	}
	memset(long_a, 'a', sizeof(long_a));
	memset(long_b, 'b', sizeof(long_b));
	for (size_t len = 63; len <= 65; len++) {
		assert_int_equal(str_distance((struct str){ long_a, len },
					 (struct str){ long_b, len }),
			len < 64 ? len : 64);
	}
	assert_int_equal(str_distance((struct str){ long_a, 200 },
				 (struct str){ long_b, 200 }),
		64);
}

static void
numbers_are_digits_within_their_range(void **state)
{
	static const struct {
		const char *text;
		uint64_t min, max, n;
		bool good;
	} rows[] = {
		{ "0", 0, 10, 0, true },
		{ "10", 0, 10, 10, true },
		{ "11", 0, 10, 0, false },
		{ "3", 3, 10, 3, true },
		{ "2", 3, 10, 0, false },
		{ "007", 0, 10, 7, true },
		{ "18446744073709551615", 0, UINT64_MAX, UINT64_MAX, true },
		{ "18446744073709551616", 0, UINT64_MAX, 0, false },
		{ "99999999999999999999999", 0, UINT64_MAX, 0, false },
		{ "", 0, 10, 0, false },
		{ " 1", 0, 10, 0, false },
		{ "1 ", 0, 10, 0, false },
		{ "+1", 0, 10, 0, false },
		{ "-1", 0, 10, 0, false },
		{ "0x1", 0, 10, 0, false },
		{ "1.0", 0, 10, 0, false },
		{ "1e1", 0, 10, 0, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pawl_err err = { 0 };
		uint64_t n = 4711;
		enum pawl_rc rc = num_u64(str_from(rows[i].text), rows[i].min,
			rows[i].max, &n, &err);

		assert_int_equal(rc == PAWL_OK, rows[i].good);
		assert_true(n == (rows[i].good ? rows[i].n : 4711));
		if (!rows[i].good)
			assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
	}
}

static void
digits_are_all_of_a_text_and_fit(void **state)
{
	static const struct {
		const char *text;
		uint64_t n;
		bool good;
	} rows[] = {
		{ "0", 0, true },
		{ "007", 7, true },
		{ "18446744073709551615", UINT64_MAX, true },
		{ "18446744073709551616", 0, false },
		{ "", 0, false },
		{ "1 ", 0, false },
		{ "-1", 0, false },
		{ "c1", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t n = 4711;

		assert_int_equal(
			num_digits(str_from(rows[i].text), &n), rows[i].good);
		assert_true(n == (rows[i].good ? rows[i].n : 4711));
	}
}

static void
durations_have_a_unit_and_a_limit(void **state)
{
	static const struct {
		const char *text;
		uint64_t ms; /* 0 is refused */
	} rows[] = {
		{ "1ms", 1 }, { "90s", 90000 }, { "15m", 900000 },
		{ "1h", 3600000 }, { "59m", 3540000 }, { "60m", 3600000 },
		{ "61m", 0 }, { "3600s", 3600000 }, { "3601s", 0 },
		{ "3600000ms", 3600000 }, { "3600001ms", 0 }, { "0s", 0 },
		{ "s", 0 }, { "", 0 }, { "5", 0 }, { "5d", 0 }, { "-5s", 0 },
		{ "5 s", 0 }, { "1h30m", 0 }, { "18446744073709551615h", 0 },
		{ "5124095576030432h", 0 }, /* times 3600000 wraps around */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct pawl_err err = { 0 };
		uint64_t ms = 4711;
		enum pawl_rc rc = num_duration_ms(
			str_from(rows[i].text), 3600000, &ms, &err);

		assert_int_equal(rc == PAWL_OK, rows[i].ms != 0);
		assert_true(ms == (rows[i].ms != 0 ? rows[i].ms : 4711));
	}
}

static void
a_digest_is_64_digits_in_lower_case(void **state)
{
	static const struct {
		const char *text;
		bool hex;
	} rows[] = {
		{ "", true },
		{ "09af", true },
		{ "/", false },
		{ ":", false },
		{ "`", false },
		{ "g", false },
		{ "aA", false },
	};
	char digits[66];

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(
			is_lower_hex(str_from(rows[i].text)), rows[i].hex);
	memset(digits, 'a', sizeof(digits));
	assert_null(sha256_fault((struct str){ digits, 64 }));
	assert_non_null(sha256_fault((struct str){ digits, 63 }));
	assert_non_null(sha256_fault((struct str){ digits, 65 }));
	digits[63] = 'F';
	assert_non_null(sha256_fault((struct str){ digits, 64 }));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_empty_view_is_safe_everywhere),
		cmocka_unit_test(beginnings_and_ends),
		cmocka_unit_test(order_is_by_bytes_and_a_prefix_comes_first),
		cmocka_unit_test(a_part_stays_within),
		cmocka_unit_test(cutting_gives_every_field_once),
		cmocka_unit_test(trimming_leaves_what_is_inside),
		cmocka_unit_test(distance_is_levenshteins),
		cmocka_unit_test(numbers_are_digits_within_their_range),
		cmocka_unit_test(digits_are_all_of_a_text_and_fit),
		cmocka_unit_test(durations_have_a_unit_and_a_limit),
		cmocka_unit_test(a_digest_is_64_digits_in_lower_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
