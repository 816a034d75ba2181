/*
 * Bytes that are built: always ended by NUL, never over `max`, and one flag
 * that says so; growing arrays beside them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/vec.h"

VEC_DEF(numbers, uint64_t);

static void
a_zeroed_one_is_empty_and_ready(void **state)
{
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(buf_str(&b).len, 0);
	assert_true(buf_ok(&b));
	buf_clear(&b);
	buf_release(&b);
	buf_add(&b, (struct str){ NULL, 0 });
	assert_string_equal(b.data, "");
	buf_release(&b);
}

static void
every_length_is_ended_by_nul(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (size_t n = 1; n < 3000; n++) {
		buf_addc(&b, (char)('a' + n % 26));
		assert_int_equal(b.len, n);
		assert_int_equal(strlen(b.data), n);
		assert_true(b.cap > n);
	}
	buf_release(&b);
}

/* Below, at and above the bound, by each way to add. */
static void
nothing_goes_over_max(void **state)
{
	(void)state;
	for (size_t len = 0; len <= 6; len++) {
		struct buf add = { .max = 5 }, chars = { .max = 5 },
			   format = { .max = 5 };
		size_t kept = len < 5 ? len : 5;

		buf_add(&add, (struct str){ "abcdef", len });
		for (size_t i = 0; i < len; i++)
			buf_addc(&chars, "abcdef"[i]);
		buf_addf(&format, "%.*s", (int)len, "abcdef");
		assert_int_equal(add.len, kept);
		assert_int_equal(chars.len, kept);
		assert_int_equal(format.len, kept);
		assert_int_equal(buf_ok(&add), len <= 5);
		assert_int_equal(buf_ok(&chars), len <= 5);
		assert_int_equal(buf_ok(&format), len <= 5);
		assert_memory_equal(buf_str(&add).ptr, "abcdef", kept);
		buf_release(&add);
		buf_release(&chars);
		buf_release(&format);
	}
}

static void
clear_forgets_the_overflow_and_keeps_max(void **state)
{
	struct buf b = { .max = 2 };

	(void)state;
	buf_add(&b, STR("abc"));
	assert_false(buf_ok(&b));
	buf_clear(&b);
	assert_true(buf_ok(&b));
	assert_string_equal(b.data, "");
	assert_int_equal(b.max, 2);
	buf_release(&b);
}

static void
numbers_and_hex_are_written(void **state)
{
	static const struct {
		unsigned long long n;
		const char *text;
	} rows[] = { { 0, "0" }, { 9, "9" }, { 10, "10" },
		{ 18446744073709551615u, "18446744073709551615" } };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		buf_clear(&b);
		buf_addu(&b, rows[i].n);
		assert_string_equal(b.data, rows[i].text);
	}
	buf_clear(&b);
	buf_addhex(&b, "\x00\x7f\x80\xff", 4);
	assert_string_equal(b.data, "007f80ff");
	buf_release(&b);
}

static void
a_format_may_be_longer_than_the_small_room(void **state)
{
	struct buf b = { 0 };

	(void)state;
	for (int width = 510; width < 515; width++) {
		buf_clear(&b);
		buf_addf(&b, "%*d", width, 7);
		assert_int_equal(b.len, width);
		assert_int_equal(b.data[width - 1], '7');
	}
	buf_release(&b);
}

static void
reserved_room_is_the_callers(void **state)
{
	struct buf b = { 0 };
	char *room;

	(void)state;
	buf_add(&b, STR("ab"));
	room = buf_reserve(&b, 1000);
	memset(room, 'x', 1000);
	b.len += 1000;
	b.data[b.len] = '\0';
	assert_int_equal(strlen(b.data), 1002);
	buf_release(&b);
}

static void
a_vec_keeps_what_is_pushed(void **state)
{
	struct numbers v = { 0 };
	uint64_t *p, sum = 0;

	(void)state;
	VEC_EACH (p, &v)
		sum++;
	assert_int_equal(sum, 0);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(*numbers_push(&v, i), i);
	VEC_EACH (p, &v)
		sum += *p;
	assert_int_equal(sum, 499500);
	numbers_release(&v);
	assert_int_equal(v.count, 0);
	numbers_release(&v);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_zeroed_one_is_empty_and_ready),
		cmocka_unit_test(every_length_is_ended_by_nul),
		cmocka_unit_test(nothing_goes_over_max),
		cmocka_unit_test(clear_forgets_the_overflow_and_keeps_max),
		cmocka_unit_test(numbers_and_hex_are_written),
		cmocka_unit_test(a_format_may_be_longer_than_the_small_room),
		cmocka_unit_test(reserved_room_is_the_callers),
		cmocka_unit_test(a_vec_keeps_what_is_pushed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
