/*
 * ready: what may start now, in which order, and why the rest may not.
 *
 * The one function behind `ready`, `next`, `explain`, dispatch and the
 * autopilot: they can't disagree.  Order: priority (higher first), longest path
 * to an end (longer first), document order.
 */
#ifndef PAWL_MODEL_READY_H
#define PAWL_MODEL_READY_H

#include "model/state.h"

enum hold {
	HOLD_NONE, /* it may start */
	HOLD_RUN_CLOSED,
	HOLD_STATUS,       /* the node isn't READY; `other` is not set */
	HOLD_LIVE,         /* an attempt of it is alive: `other` */
	HOLD_QUESTION,     /* question `other` of it is open */
	HOLD_DELEGATION,   /* delegation `other` outlived its attempt */
	HOLD_CLEANUP,      /* cleanup `other` of it was registered, is open */
	HOLD_UNRECONCILED, /* attempt `other` may have left changes behind */
	HOLD_SCOPE,        /* attempt `other` holds an overlapping scope */
	HOLD_IN_PLACE,     /* a writer in place is alone: attempt `other` */
	HOLD_SURPLUS,      /* a reduction left the node out */
	HOLD_BUDGET,       /* hard limit `other` lets nothing start */
	HOLD_WRITER,       /* one writer at a time: attempt `other` */
	HOLD_BREAKER,      /* ends with one cause; a probe is on its way */
	HOLD_CAPACITY,     /* nothing is left of need `other` of the node */
	HOLD_SLOTS,        /* no free slot */
	HOLD_WAVE, /* ready_list: node `other` goes first and excludes it */
};

struct hold_answer {
	enum hold hold;
	uint32_t other;   /* index of an attempt, question, delegation,
			   * cleanup or need; HOLD_WAVE: node */
	uint32_t scope_1; /* 1 + the node's scope that overlaps; 0 is none */
	uint32_t node;    /* whose scope or need that is */
};

/* May an attempt of `node` be reserved now? */
struct hold_answer ready_hold(const struct state *s, uint32_t node);

/* The first node in order that may start now; false when there is none. */
bool ready_first(const struct state *s, uint32_t *ret_node);

struct ready_entry {
	uint32_t node;
	struct hold_answer answer;
};

/*
 * Every READY node that has no attempt alive, in order, with whether it is of
 * the wave (HOLD_NONE) or why it isn't; slots aside.  At most `max`; in `mem`.
 */
const struct ready_entry *ready_list(const struct state *s, uint32_t max,
	struct arena *mem, uint32_t *ret_count);

/*
 * The wave: the greedy maximal set, in order, of the nodes that may start
 * together now, slots aside.  At most `max` numbers; in `mem`.
 */
const uint32_t *ready_wave(const struct state *s, uint32_t max,
	struct arena *mem, uint32_t *ret_count);

#endif
