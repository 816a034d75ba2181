/*
 * made_run: a run on the disk with a history of a chosen length, for benches.
 *
 * Its events take the way of real ones: each is decided, folded and written as
 * the journal writes it, only without waiting for the disk.  Nodes are reads,
 * without dependencies unless asked; a passed one has 8 events in 5 lines.
 */
#ifndef PAWL_BENCH_MADE_RUN_H
#define PAWL_BENCH_MADE_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct made_run {
	uint32_t nodes;
	uint32_t passed;    /* nodes that an attempt has carried to PASSED */
	uint32_t takeovers; /* after that; history that leaves no state */
	bool linked;    /* each depends on three before it, where there are */
	uint32_t gated; /* nodes `G0`... that wait for an approval, more */
};

/* What came out of it. */
struct made_size {
	uint64_t events, lines;
	uint64_t bytes, list_bytes;
};

/* Below the state folder `state`; ends the program when that fails. */
struct made_size made_run(int state, const char *id, const struct made_run *m);

#endif
