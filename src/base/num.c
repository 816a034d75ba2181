#include "base/num.h"

#include <inttypes.h>

bool
num_digits(struct str s, uint64_t *ret_n)
{
	uint64_t n = 0;

	if (s.len == 0)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] < '0' || s.ptr[i] > '9')
			return false;
		if (__builtin_mul_overflow(n, 10u, &n) ||
			__builtin_add_overflow(
				n, (uint64_t)(s.ptr[i] - '0'), &n))
			return false;
	}
	*ret_n = n;
	return true;
}

enum pawl_rc
num_u64(struct str s, uint64_t min, uint64_t max, uint64_t *ret_n,
	struct pawl_err *err)
{
	uint64_t n;

	if (!num_digits(s, &n) || n < min || n > max) {
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'" STR_FMT "' is not a number from %" PRIu64
			" to %" PRIu64,
			STR_ARG(s), min, max);
	}
	*ret_n = n;
	return PAWL_OK;
}

enum pawl_rc
num_duration_ms(
	struct str s, uint64_t max_ms, uint64_t *ret_ms, struct pawl_err *err)
{
	static const struct {
		struct str word;
		uint64_t ms;
	} units[] = {
		{ { "ms", 2 }, 1 },
		{ { "s", 1 }, 1000 },
		{ { "m", 1 }, 60000 },
		{ { "h", 1 }, 3600000 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		uint64_t n;

		if (!str_ends(s, units[i].word) ||
			!num_digits(
				str_part(s, 0, s.len - units[i].word.len), &n))
			continue;
		if (n == 0 || n > max_ms / units[i].ms)
			break;
		*ret_ms = n * units[i].ms;
		return PAWL_OK;
	}
	return pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'" STR_FMT
		"' is not a duration such as 90s, 15m or 3h, at most %" PRIu64
		" ms",
		STR_ARG(s), max_ms);
}
