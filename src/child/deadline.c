#include "child/deadline.h"

void
deadline_start(struct deadline *d, uint64_t now_ms, uint64_t limit_ms)
{
	*d = (struct deadline){ .at_ms = now_ms + limit_ms };
}

bool
deadline_stop(struct deadline *d, enum deadline_stop why, uint64_t now_ms)
{
	bool ran = d->stops == 0;

	if ((d->stops & why) != 0)
		return false;
	d->stops |= why;
	if (why == DEADLINE_HELD)
		d->held_since_ms = now_ms;
	if (ran)
		d->stopped_ms = now_ms;
	return ran;
}

bool
deadline_go_on(struct deadline *d, enum deadline_stop why, uint64_t now_ms)
{
	if ((d->stops & why) == 0)
		return false;
	if (why == DEADLINE_HELD)
		d->held_ms += now_ms - d->held_since_ms;
	d->stops &= ~(unsigned)why;
	if (d->stops != 0)
		return false;
	d->at_ms += now_ms - d->stopped_ms;
	return true;
}

uint64_t
deadline_held_ms(const struct deadline *d, uint64_t now_ms)
{
	return d->held_ms +
		((d->stops & DEADLINE_HELD) != 0 ? now_ms - d->held_since_ms
						 : 0);
}
