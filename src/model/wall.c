#include "model/wall.h"

#define FORM "dddd-dd-ddTdd:dd:dd.ddddddZ"

static bool
has_form(struct str at)
{
	if (at.len != sizeof(FORM) - 1)
		return false;
	for (size_t i = 0; i < at.len; i++) {
		char c = at.ptr[i];

		if (FORM[i] == 'd' ? c < '0' || c > '9' : c != FORM[i])
			return false;
	}
	return true;
}

static uint64_t
part(struct str at, size_t from, size_t to)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		n = n * 10 + (uint64_t)(at.ptr[i] - '0');
	return n;
}

static bool
is_leap(uint64_t year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01; the date exists and isn't before that. */
static uint64_t
days_of(uint64_t year, uint64_t month, uint64_t day)
{
	static const uint16_t before[] = { 0, 31, 59, 90, 120, 151, 181, 212,
		243, 273, 304, 334 };
	uint64_t y = year - 1;
	uint64_t leaps = y / 4 - y / 100 + y / 400 -
		(1969 / 4 - 1969 / 100 + 1969 / 400);

	return (year - 1970) * 365 + leaps + before[month - 1] +
		(month > 2 && is_leap(year)) + day - 1;
}

bool
wall_ms(struct str at, uint64_t *ret_ms)
{
	static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31,
		30, 31 };
	uint64_t year, month, day, seconds;

	if (!has_form(at))
		return false;
	year = part(at, 0, 4);
	month = part(at, 5, 7);
	day = part(at, 8, 10);
	if (year < 1970 || month < 1 || month > 12 || day < 1 ||
		day > days[month - 1] + (uint64_t)(month == 2 && is_leap(year)))
		return false;
	if (part(at, 11, 13) > 23 || part(at, 14, 16) > 59 ||
		part(at, 17, 19) > 59)
		return false;
	seconds = days_of(year, month, day) * 86400 + part(at, 11, 13) * 3600 +
		part(at, 14, 16) * 60 + part(at, 17, 19);
	*ret_ms = seconds * 1000 + part(at, 20, 23);
	return true;
}

uint64_t
wall_between(struct str from, struct str to)
{
	uint64_t a, b;

	return wall_ms(from, &a) && wall_ms(to, &b) && b > a ? b - a : 0;
}
