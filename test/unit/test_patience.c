/* How long an attempt has waited for humans, by what the journal says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/patience.h"

#define AT(seconds) STR("2026-11-30T11:24:" seconds ".000000Z")

struct row {
	const char *shows;
	struct ask asks[4];
	size_t count;
	uint64_t waited_ms; /* of attempt 0 */
};

/* C046 */
static void
what_was_waited_for_a_human_is_counted_once(void **state)
{
	const struct row rows[] = {
		{ "nothing asked", { { 0 } }, 0, 0 },
		{ "one answer",
			{ { .attempt_1 = 1,
				.status = ASK_ANSWERED,
				.opened = AT("10"),
				.at = AT("14") } },
			1, 4000 },
		{ "a denial is an answer",
			{ { .attempt_1 = 1,
				.status = ASK_DENIED,
				.opened = AT("10"),
				.at = AT("14") } },
			1, 4000 },
		{ "an open one isn't over",
			{ { .attempt_1 = 1,
				.status = ASK_OPEN,
				.opened = AT("10") } },
			1, 0 },
		{ "another attempt's",
			{ { .attempt_1 = 2,
				.status = ASK_ANSWERED,
				.opened = AT("10"),
				.at = AT("14") } },
			1, 0 },
		{ "two that overlap",
			{ { .attempt_1 = 1,
				  .status = ASK_ANSWERED,
				  .opened = AT("10"),
				  .at = AT("14") },
				{ .attempt_1 = 1,
					.status = ASK_ANSWERED,
					.opened = AT("12"),
					.at = AT("17") } },
			2, 7000 },
		{ "one inside of another",
			{ { .attempt_1 = 1,
				  .status = ASK_ANSWERED,
				  .opened = AT("10"),
				  .at = AT("19") },
				{ .attempt_1 = 1,
					.status = ASK_ANSWERED,
					.opened = AT("12"),
					.at = AT("14") } },
			2, 9000 },
		{ "a clock that was set back gives nothing",
			{ { .attempt_1 = 1,
				.status = ASK_ANSWERED,
				.opened = AT("14"),
				.at = AT("10") } },
			1, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct state s = { 0 };

		for (size_t k = 0; k < rows[i].count; k++)
			asks_push(&s.asks, rows[i].asks[k]);
		if (patience_waited_ms(&s, 0) != rows[i].waited_ms)
			fail_msg("%s: %llu ms", rows[i].shows,
				(unsigned long long)patience_waited_ms(&s, 0));
		asks_release(&s.asks);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_waited_for_a_human_is_counted_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
