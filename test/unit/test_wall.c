#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/wall.h"

static void
a_line_s_time_is_milliseconds_since_the_epoch(void **state)
{
	static const struct {
		const char *at;
		uint64_t ms;
	} rows[] = {
		{ "1970-01-01T00:00:00.000000Z", 0 },
		{ "1970-01-01T00:00:00.000999Z", 0 },
		{ "1970-01-01T00:00:00.001000Z", 1 },
		{ "1970-12-31T23:59:59.999999Z", UINT64_C(31535999999) },
		{ "2000-02-29T00:00:00.000000Z", UINT64_C(951782400000) },
		{ "2000-03-01T00:00:00.000000Z", UINT64_C(951868800000) },
		{ "2023-11-14T22:13:20.000000Z", UINT64_C(1700000000000) },
		{ "2026-11-30T11:24:23.123456Z", UINT64_C(1796037863123) },
		{ "9999-12-31T23:59:59.999999Z", UINT64_C(253402300799999) },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ms = 7;

		assert_true(wall_ms(str_from(rows[i].at), &ms));
		assert_int_equal(ms, rows[i].ms);
	}
}

static void
other_texts_are_no_time(void **state)
{
	static const char *const rows[] = { "", "2026-11-30",
		"2026-11-30T11:24:23Z", "2026-11-30T11:24:23.12345Z",
		"2026-11-30T11:24:23.1234567Z", "2026-11-30 11:24:23.123456Z",
		"2026-11-30T11:24:23.123456+", "2026-13-30T11:24:23.123456Z",
		"2026-00-30T11:24:23.123456Z", "2026-11-31T11:24:23.123456Z",
		"2026-11-00T11:24:23.123456Z", "2026-02-29T11:24:23.123456Z",
		"2100-02-29T11:24:23.123456Z", "2026-11-30T24:24:23.123456Z",
		"2026-11-30T11:60:23.123456Z", "2026-11-30T11:24:60.123456Z",
		"1969-12-31T23:59:59.999999Z", "2026-11-3aT11:24:23.123456Z" };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint64_t ms = 7;

		assert_false(wall_ms(str_from(rows[i]), &ms));
		assert_int_equal(ms, 7);
	}
}

static void
a_difference_is_never_negative(void **state)
{
	struct str early = STR("2026-11-30T11:24:23.123456Z");
	struct str late = STR("2026-11-30T11:24:24.000000Z");

	(void)state;
	assert_int_equal(wall_between(early, late), 877);
	assert_int_equal(wall_between(late, early), 0);
	assert_int_equal(wall_between(early, early), 0);
	assert_int_equal(wall_between(STR(""), late), 0);
	assert_int_equal(wall_between(early, STR("later")), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_s_time_is_milliseconds_since_the_epoch),
		cmocka_unit_test(other_texts_are_no_time),
		cmocka_unit_test(a_difference_is_never_negative),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
