/*
 * clock: what time it is and where real randomness comes from, as parameters.
 *
 * Two times, never mixed.  *Wall* time is microseconds since the epoch, UTC; it
 * may jump and is for people.  *Boot* time is milliseconds since the machine
 * started, suspend included (CLOCK_BOOTTIME); it never steps back and is what
 * every time-out counts.
 *
 * clock_real() asks the kernel; clock_fixed() stands still until the test moves
 * it.  In a build with -Dtest_hooks=true clock_real() takes its wall time from
 * PAWL_NOW (milliseconds since the epoch) and clock_rand() its seed from
 * PAWL_SEED; other builds don't look at them.
 *
 * Text of a wall time is RFC 3339 in UTC with six decimals:
 * 2026-11-30T11:24:23.123456Z, always 27 bytes, so that it sorts as text.
 */
#ifndef PAWL_OS_CLOCK_H
#define PAWL_OS_CLOCK_H

#include <stdint.h>

#include "base/err.h"
#include "base/rand.h"

enum { CLOCK_TEXT_BYTES = 27 };

/* 9999-12-31T23:59:59.999999Z */
#define CLOCK_WALL_US_MAX UINT64_C(253402300799999999)

struct clock {
	uint64_t (*wall)(const struct clock *c);
	uint64_t (*boot)(const struct clock *c);
	uint64_t wall_us; /* of a clock that stands still */
	uint64_t boot_ms; /* of a clock that stands still */
};

struct clock clock_real(void);
struct clock clock_fixed(uint64_t wall_us, uint64_t boot_ms);

/* The kernel's entropy; a build with test hooks honours PAWL_SEED. */
struct rand clock_rand(void);

static inline uint64_t
clock_wall_us(const struct clock *c)
{
	return c->wall(c);
}

static inline uint64_t
clock_boot_ms(const struct clock *c)
{
	return c->boot(c);
}

/* The text of a wall time of at most CLOCK_WALL_US_MAX, and a NUL. */
void clock_format(uint64_t wall_us, char ret_text[CLOCK_TEXT_BYTES + 1]);

/*
 * The wall time that `text` names: exactly the form that clock_format() writes,
 * with zero to six decimals.  Errors: ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc clock_parse(
	struct str text, uint64_t *ret_wall_us, struct pawl_err *err);

#endif
