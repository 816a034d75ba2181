/*
 * deadline: how long a worker may still work.
 *
 * It counts boot time, so a suspend counts, too.  It stands still while it is
 * stopped, for any number of reasons at once: a person pressed Ctrl-Z, or the
 * worker waits for a human's answer.  A reason that is there already, or isn't
 * there any more, changes nothing, so whoever doesn't know says it again.
 */
#ifndef PAWL_CHILD_DEADLINE_H
#define PAWL_CHILD_DEADLINE_H

#include <stdbool.h>
#include <stdint.h>

enum deadline_stop {
	DEADLINE_PAUSED = 1 << 0, /* the worker is stopped itself */
	DEADLINE_HELD = 1 << 1,   /* a human is to answer; it goes on */
};

struct deadline {
	uint64_t at_ms;      /* boot time; while it runs */
	uint64_t stopped_ms; /* boot time since which it stands still */
	uint64_t held_since_ms, held_ms; /* boot time; of all ended holds */
	unsigned stops;                  /* enum deadline_stop */
};

void deadline_start(struct deadline *d, uint64_t now_ms, uint64_t limit_ms);

/* True when that changed whether it runs, or when it ends. */
bool deadline_stop(struct deadline *d, enum deadline_stop why, uint64_t now_ms);
bool deadline_go_on(
	struct deadline *d, enum deadline_stop why, uint64_t now_ms);

static inline bool
is_deadline_running(const struct deadline *d)
{
	return d->stops == 0;
}

/* For how long it was held until now. */
uint64_t deadline_held_ms(const struct deadline *d, uint64_t now_ms);

#endif
