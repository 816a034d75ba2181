#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <time.h>

#include "os/clock.h"

static const struct {
	uint64_t us;
	const char *text;
} times[] = {
	{ 0, "1970-01-01T00:00:00.000000Z" },
	{ 1, "1970-01-01T00:00:00.000001Z" },
	{ UINT64_C(86399999999), "1970-01-01T23:59:59.999999Z" },
	{ UINT64_C(86400000000), "1970-01-02T00:00:00.000000Z" },
	{ UINT64_C(951782400000000), "2000-02-29T00:00:00.000000Z" },
	{ UINT64_C(951868800000000), "2000-03-01T00:00:00.000000Z" },
	{ UINT64_C(1709251199000000), "2024-02-29T23:59:59.000000Z" },
	{ UINT64_C(1700000000000000), "2023-11-14T22:13:20.000000Z" },
	{ UINT64_C(1735689599999999), "2024-12-31T23:59:59.999999Z" },
	{ UINT64_C(4107542400000000), "2100-03-01T00:00:00.000000Z" },
	{ CLOCK_WALL_US_MAX, "9999-12-31T23:59:59.999999Z" },
};

static void
times_are_written_and_read_back(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		char text[CLOCK_TEXT_BYTES + 1];
		struct pawl_err err = { 0 };
		uint64_t us = 0;

		clock_format(times[i].us, text);
		assert_string_equal(text, times[i].text);
		assert_int_equal(
			clock_parse(str_from(text), &us, &err), PAWL_OK);
		assert_int_equal(us, times[i].us);
	}
}

/* The library's calendar is the witness: a day of each month to 2400. */
static void
the_calendar_agrees_with_libc(void **state)
{
	(void)state;
	for (int64_t s = 0; s < INT64_C(13569465600); s += 86400 * 29 + 12345) {
		char ours[CLOCK_TEXT_BYTES + 1], theirs[32];
		time_t t = (time_t)s;
		struct tm tm;

		clock_format((uint64_t)s * 1000000, ours);
		assert_non_null(gmtime_r(&t, &tm));
		assert_true(strftime(theirs, sizeof(theirs),
				    "%Y-%m-%dT%H:%M:%S.000000Z", &tm) > 0);
		assert_string_equal(ours, theirs);
	}
}

static void
decimals_may_be_fewer(void **state)
{
	static const struct {
		const char *text;
		uint64_t us;
	} rows[] = {
		{ "1970-01-01T00:00:01Z", 1000000 },
		{ "1970-01-01T00:00:01.5Z", 1500000 },
		{ "1970-01-01T00:00:01.001Z", 1001000 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pawl_err err = { 0 };
		uint64_t us = 0;

		assert_int_equal(clock_parse(str_from(rows[i].text), &us, &err),
			PAWL_OK);
		assert_int_equal(us, rows[i].us);
	}
}

static void
what_is_no_time_is_refused(void **state)
{
	static const char *const rows[] = {
		"",
		"Z",
		"2026-11-30T11:24:23",
		"2026-11-30 11:24:23Z",
		"2026-11-30T11:24:23+00:00",
		"2026-11-30T11:24:23.Z",
		"2026-11-30T11:24:23.1234567Z",
		"2026-11-30T11:24:23.12x456Z",
		"2026-13-01T00:00:00Z",
		"2026-00-01T00:00:00Z",
		"2026-02-29T00:00:00Z",
		"2100-02-29T00:00:00Z",
		"2026-04-31T00:00:00Z",
		"2026-04-00T00:00:00Z",
		"2026-11-30T24:00:00Z",
		"2026-11-30T11:60:00Z",
		"2026-11-30T11:00:60Z",
		"1969-12-31T23:59:59Z",
		"+026-11-30T11:24:23Z",
		"2026-11-30T11:24:23,5Z",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct pawl_err err = { 0 };
		uint64_t us = 42;

		assert_int_equal(
			clock_parse(str_from(rows[i]), &us, &err), PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_ARGUMENT);
		assert_int_equal(us, 42);
	}
}

static void
the_kernels_clocks_run(void **state)
{
	struct clock c = clock_real();
	uint64_t wall = clock_wall_us(&c), boot = clock_boot_ms(&c);
	struct timespec nap = { .tv_nsec = 5000000 };

	(void)state;
	assert_true(wall > UINT64_C(1600000000000000));
	assert_int_equal(nanosleep(&nap, NULL), 0);
	assert_true(clock_wall_us(&c) != wall);
	assert_in_range(clock_boot_ms(&c), boot + 4, boot + 5000);
}

/* C109: what stands still in a test can be set back, and says so. */
static void
a_fixed_clock_moves_only_by_hand(void **state)
{
	struct clock c = clock_fixed(7, 8);

	(void)state;
	assert_int_equal(clock_wall_us(&c), 7);
	assert_int_equal(clock_boot_ms(&c), 8);
	c.wall_us = 3;
	c.boot_ms = 9;
	assert_int_equal(clock_wall_us(&c), 3);
	assert_int_equal(clock_boot_ms(&c), 9);
}

/* What is compiled decides: a product build doesn't look at the hooks. */
static void
hooks_work_only_in_a_build_for_tests(void **state)
{
	struct rand seeded = rand_seeded(1);
	uint64_t expected = rand_u64(&seeded);
	struct clock c;
	struct rand r;

	(void)state;
	assert_int_equal(setenv("PAWL_NOW", "1700000000123", 1), 0);
	assert_int_equal(setenv("PAWL_SEED", "1", 1), 0);
	c = clock_real();
	r = clock_rand();
#ifdef PAWL_TEST_HOOKS
	assert_int_equal(clock_wall_us(&c), UINT64_C(1700000000123000));
	assert_int_equal(rand_u64(&r), expected);
#else
	assert_int_not_equal(clock_wall_us(&c), UINT64_C(1700000000123000));
	assert_int_not_equal(rand_u64(&r), expected);
#endif
	assert_int_equal(unsetenv("PAWL_NOW"), 0);
	assert_int_equal(unsetenv("PAWL_SEED"), 0);
}

static void
real_randomness_does_not_repeat(void **state)
{
	struct rand r = clock_rand();
	uint64_t first = rand_u64(&r);

	(void)state;
	assert_int_not_equal(rand_u64(&r), first);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_written_and_read_back),
		cmocka_unit_test(the_calendar_agrees_with_libc),
		cmocka_unit_test(decimals_may_be_fewer),
		cmocka_unit_test(what_is_no_time_is_refused),
		cmocka_unit_test(the_kernels_clocks_run),
		cmocka_unit_test(a_fixed_clock_moves_only_by_hand),
		cmocka_unit_test(hooks_work_only_in_a_build_for_tests),
		cmocka_unit_test(real_randomness_does_not_repeat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
