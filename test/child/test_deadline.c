/* How long a worker may still work, over a clock of plain numbers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "child/deadline.h"

enum { STOP_PAUSE, GO_PAUSE, STOP_HOLD, GO_HOLD };

struct step {
	int what;
	uint64_t at_ms;
	bool changes;
};

/* C046: the clock of a worker that waits for a human stands still. */
static void
it_stands_still_while_there_is_a_reason(void **state)
{
	static const struct {
		struct step steps[6];
		size_t count;
		bool runs;
		uint64_t at_ms, held_ms; /* at 9000 */
	} rows[] = {
		{ { { 0, 0, false } }, 0, true, 1100, 0 },
		/* held, and it goes on */
		{ { { STOP_HOLD, 200, true }, { GO_HOLD, 5200, true } }, 2,
			true, 6100, 5000 },
		/* twice in a row: the same as once */
		{ { { STOP_HOLD, 200, true }, { STOP_HOLD, 400, false },
			  { GO_HOLD, 700, true }, { GO_HOLD, 900, false } },
			4, true, 1600, 500 },
		/* going on without a stop */
		{ { { GO_HOLD, 200, false }, { GO_PAUSE, 300, false } }, 2,
			true, 1100, 0 },
		/* two reasons that overlap are counted once */
		{ { { STOP_HOLD, 200, true }, { STOP_PAUSE, 300, false },
			  { GO_HOLD, 600, false }, { GO_PAUSE, 1200, true } },
			4, true, 2100, 400 },
		/* one inside of the other */
		{ { { STOP_PAUSE, 200, true }, { STOP_HOLD, 300, false },
			  { GO_HOLD, 600, false }, { GO_PAUSE, 700, true } },
			4, true, 1600, 300 },
		/* two holds add up */
		{ { { STOP_HOLD, 200, true }, { GO_HOLD, 300, true },
			  { STOP_HOLD, 400, true }, { GO_HOLD, 600, true } },
			4, true, 1400, 300 },
		/* a hold that lasts counts until now */
		{ { { STOP_HOLD, 1000, true } }, 1, false, 1100, 8000 },
		/* a suspend is boot time, too: nothing has to notice it */
		{ { { STOP_PAUSE, 1000, true }, { GO_PAUSE, 8000, true } }, 2,
			true, 8100, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct deadline d;

		deadline_start(&d, 100, 1000);
		for (size_t k = 0; k < rows[i].count; k++) {
			const struct step *s = &rows[i].steps[k];
			enum deadline_stop why =
				s->what == STOP_PAUSE || s->what == GO_PAUSE
				? DEADLINE_PAUSED
				: DEADLINE_HELD;
			bool stop =
				s->what == STOP_PAUSE || s->what == STOP_HOLD;

			assert_int_equal(s->changes,
				stop ? deadline_stop(&d, why, s->at_ms)
				     : deadline_go_on(&d, why, s->at_ms));
		}
		assert_int_equal(is_deadline_running(&d), rows[i].runs);
		assert_int_equal(d.at_ms, rows[i].at_ms);
		assert_int_equal(deadline_held_ms(&d, 9000), rows[i].held_ms);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_stands_still_while_there_is_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
