/*
 * life: when a worker last gave a sign of life, of each kind.
 *
 * Output is seen when it comes.  The heartbeat is the modification time of the
 * outbox folder, and CPU the clock ticks of the whole tree: neither announces
 * itself, so both are looked at now and then.  Silence is only ever reported;
 * it ends nobody.
 */
#ifndef PAWL_CHILD_LIFE_H
#define PAWL_CHILD_LIFE_H

#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct life {
	uint64_t output_ms;    /* boot time of the last byte */
	uint64_t heartbeat_ms; /* boot time at which a new mtime was seen */
	uint64_t cpu_ms;       /* boot time at which new ticks were seen */
	struct timespec mtime;
	uint64_t ticks;
};

void life_start(struct life *life, int outbox, uint64_t now_ms);
void life_sample(struct life *life, int outbox, uint64_t now_ms);

/* How often to look within a deadline: a twentieth, 100 ms to 10 s. */
uint64_t life_interval_ms(uint64_t deadline_ms);

#endif
