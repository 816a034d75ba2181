#include "os/clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/die.h"
#include "base/num.h"

#define US_PER_S UINT64_C(1000000)
#define S_PER_DAY UINT64_C(86400)

static struct timespec
ask(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0 || ts.tv_sec < 0)
		die("could not read clock %d", (int)id);
	return ts;
}

static uint64_t
kernel_wall(const struct clock *c)
{
	struct timespec ts = ask(CLOCK_REALTIME);
	uint64_t us =
		(uint64_t)ts.tv_sec * US_PER_S + (uint64_t)ts.tv_nsec / 1000;

	(void)c;
	return us < CLOCK_WALL_US_MAX ? us : CLOCK_WALL_US_MAX;
}

static uint64_t
kernel_boot(const struct clock *c)
{
	struct timespec ts = ask(CLOCK_BOOTTIME);

	(void)c;
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static uint64_t
fixed_wall(const struct clock *c)
{
	return c->wall_us;
}

static uint64_t
fixed_boot(const struct clock *c)
{
	return c->boot_ms;
}

#ifdef PAWL_TEST_HOOKS
/* A hook that is set but can't be read ends the test that set it. */
static bool
hook(const char *name, uint64_t max, uint64_t *ret_n)
{
	struct pawl_err err = { 0 };
	const char *text = getenv(name);

	if (text == NULL || text[0] == '\0')
		return false;
	if (num_u64(str_from(text), 0, max, ret_n, &err) != PAWL_OK)
		die("%s: %s", name, err.msg);
	return true;
}
#endif

struct clock
clock_real(void)
{
	struct clock c = { .wall = kernel_wall, .boot = kernel_boot };

#ifdef PAWL_TEST_HOOKS
	uint64_t ms;

	if (hook("PAWL_NOW", CLOCK_WALL_US_MAX / 1000, &ms)) {
		c.wall = fixed_wall;
		c.wall_us = ms * 1000;
	}
#endif
	return c;
}

struct clock
clock_fixed(uint64_t wall_us, uint64_t boot_ms)
{
	assert(wall_us <= CLOCK_WALL_US_MAX);
	return (struct clock){ .wall = fixed_wall,
		.boot = fixed_boot,
		.wall_us = wall_us,
		.boot_ms = boot_ms };
}

static uint64_t
kernel_rand(struct rand *r)
{
	uint64_t n;
	ssize_t got;

	(void)r;
	do {
		got = getrandom(&n, sizeof(n), 0);
	} while (got < 0 && errno == EINTR);
	if (got != (ssize_t)sizeof(n))
		die("the kernel gave no random bytes");
	return n;
}

struct rand
clock_rand(void)
{
#ifdef PAWL_TEST_HOOKS
	uint64_t seed;

	if (hook("PAWL_SEED", UINT64_MAX, &seed))
		return rand_seeded(seed);
#endif
	return (struct rand){ .next = kernel_rand };
}

static bool
is_leap(unsigned year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static unsigned
month_days(unsigned year, unsigned month)
{
	static const unsigned char days[] = { 31, 28, 31, 30, 31, 30, 31, 31,
		30, 31, 30, 31 };

	return days[month - 1] + (month == 2 && is_leap(year) ? 1u : 0u);
}

/* Days from 1970-01-01 to the first of January of `year`, 1970 or later. */
static uint64_t
year_start(unsigned year)
{
	unsigned before = year - 1;
	unsigned leaps = before / 4 - before / 100 + before / 400 - 477;

	return (uint64_t)(year - 1970) * 365 + leaps;
}

void
clock_format(uint64_t wall_us, char ret_text[CLOCK_TEXT_BYTES + 1])
{
	uint64_t seconds = wall_us / US_PER_S;
	uint64_t day = seconds / S_PER_DAY;
	unsigned second = (unsigned)(seconds % S_PER_DAY);
	unsigned year = 1970 + (unsigned)(day / 366); /* never too late */
	unsigned month = 1;
	char text[64];

	assert(wall_us <= CLOCK_WALL_US_MAX);
	while (year_start(year + 1) <= day)
		year++;
	day -= year_start(year);
	while (day >= month_days(year, month))
		day -= month_days(year, month++);
	(void)snprintf(text, sizeof(text),
		"%04u-%02u-%02uT%02u:%02u:%02u.%06uZ", year, month,
		(unsigned)day + 1, second / 3600, second / 60 % 60, second % 60,
		(unsigned)(wall_us % US_PER_S));
	memcpy(ret_text, text, CLOCK_TEXT_BYTES + 1);
}

/* The number of `len` digits at `at`; false when one isn't a digit. */
static bool
digits(struct str text, size_t at, size_t len, unsigned *ret_n)
{
	unsigned n = 0;

	for (size_t i = at; i < at + len; i++) {
		if (text.ptr[i] < '0' || text.ptr[i] > '9')
			return false;
		n = n * 10 + (unsigned)(text.ptr[i] - '0');
	}
	*ret_n = n;
	return true;
}

/* From `.` to before `Z`: microseconds of zero to six decimals. */
static bool
fraction(struct str text, unsigned *ret_us)
{
	unsigned us = 0;
	size_t len = text.len;

	if (len == 0) {
		*ret_us = 0;
		return true;
	}
	if (text.ptr[0] != '.' || len < 2 || len > 7 ||
		!digits(text, 1, len - 1, &us))
		return false;
	for (size_t i = len - 1; i < 6; i++)
		us *= 10;
	*ret_us = us;
	return true;
}

static bool
parse(struct str text, uint64_t *ret_wall_us)
{
	static const char form[] = "dddd-dd-ddTdd:dd:dd";
	unsigned year, month, day, hour, minute, second, us, of_day;
	uint64_t days;

	if (text.len < sizeof(form) || text.len > CLOCK_TEXT_BYTES ||
		text.ptr[text.len - 1] != 'Z')
		return false;
	for (size_t i = 0; i < sizeof(form) - 1; i++) {
		if (form[i] != 'd' && text.ptr[i] != form[i])
			return false;
	}
	if (!digits(text, 0, 4, &year) || !digits(text, 5, 2, &month) ||
		!digits(text, 8, 2, &day) || !digits(text, 11, 2, &hour) ||
		!digits(text, 14, 2, &minute) ||
		!digits(text, 17, 2, &second) ||
		!fraction(str_part(text, 19, text.len - 20), &us))
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 ||
		day > month_days(year, month) || hour > 23 || minute > 59 ||
		second > 59)
		return false;
	days = year_start(year) + day - 1;
	for (unsigned m = 1; m < month; m++)
		days += month_days(year, m);
	of_day = hour * 3600 + minute * 60 + second;
	*ret_wall_us = (days * S_PER_DAY + of_day) * US_PER_S + us;
	return true;
}

enum pawl_rc
clock_parse(struct str text, uint64_t *ret_wall_us, struct pawl_err *err)
{
	if (parse(text, ret_wall_us))
		return PAWL_OK;
	return pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'" STR_FMT "' is no time such as 2026-11-30T11:24:23.123456Z",
		STR_ARG(text));
}
