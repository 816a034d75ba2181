/*
 * Property: a number that is taken lies in its range, and its digits without
 * leading zeros are the ones that were given; a duration is within its limit.
 */
#include <inttypes.h>
#include <string.h>

#include "fuzz.h"

#include "base/num.h"

#define RANGE_MS_MAX UINT64_C(4000000000)

static struct str
without_zeros(struct str s)
{
	size_t at = 0;

	while (at + 1 < s.len && s.ptr[at] == '0')
		at++;
	return str_part(s, at, s.len);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pawl_err err = { 0 };
	struct str s = fuzz_str(data, size);
	char digits[32];
	uint64_t n = 0;

	if (num_u64(s, 7, UINT64_MAX, &n, &err) == PAWL_OK) {
		FUZZ_CHECK(n >= 7);
		(void)snprintf(digits, sizeof(digits), "%" PRIu64, n);
		FUZZ_CHECK(str_eq(str_from(digits), without_zeros(s)));
	} else {
		FUZZ_CHECK(err.code == ERR_INVALID_ARGUMENT);
		FUZZ_CHECK(err.msg[0] != '\0');
		FUZZ_CHECK(memchr(err.msg, '\0', sizeof(err.msg)) != NULL);
	}
	if (num_duration_ms(s, RANGE_MS_MAX, &n, &err) == PAWL_OK)
		FUZZ_CHECK(n > 0 && n <= RANGE_MS_MAX);
	return 0;
}
