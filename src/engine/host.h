/*
 * host: attempts that pawl doesn't run; whoever coordinates hands them on.
 *
 * Driver `host`: a reservation is started by making what a worker needs (its
 * workspace, its capsule, its outbox) and recording `attempt_started` with no
 * process.  The coordinator gives capsule, outbox and environment to a worker
 * of its own.  The report comes through the outbox; nothing but that, its
 * deadline, or a decision ends the attempt: there is no monitor that could be
 * gone, so it is never lost.
 *
 * Its deadline counts boot time from `start` in `attempt_started` (clock ticks,
 * as of a process).  After another boot it counts from that boot's begin: late
 * rather than early.
 */
#ifndef PAWL_ENGINE_HOST_H
#define PAWL_ENGINE_HOST_H

#include "engine/drivers.h"

/* What is handed on; strings live as long as the pilot's turn. */
struct handout {
	struct str attempt, node;
	const char *workspace;
	const char *capsule;
	const char *outbox;
	uint64_t deadline_ms; /* 0: it has none of its own */
};

void handout_of(struct pilot *p, uint32_t attempt, struct handout *ret_handout);

/* The five variables of a worker's environment, `NAME` and value. */
enum { HANDOUT_VARS = 5 };
struct handout_var {
	const char *name;
	struct str value;
};
void handout_env(const struct run *r, const struct handout *h,
	struct handout_var ret_vars[HANDOUT_VARS]);

/*
 * Its `advance`: take in what lies in the outbox, end the attempt at its
 * deadline; else watch it, unless the pilot is to stop.  Errors: those of
 * worker_collect.
 */
extern const struct driver driver_host;

/* Who is recorded where no process of ours is: this machine, and now. */
struct owner host_nobody(const struct pilot *p);

/*
 * Boot time at which the deadline of such an attempt passes; while it waits for
 * a human that moves along, and is never reached.
 */
uint64_t host_ends_at_ms(struct pilot *p, uint32_t attempt);

/* Would its `advance` only wait? */
bool host_waits(struct pilot *p, uint32_t attempt);

#endif
