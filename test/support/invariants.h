/*
 * invariants: what must be true of a state after any commit (design 3.11), said
 * a second time and without the model's own tables.
 *
 * Each function returns NULL, or what is wrong, in a few words.
 */
#ifndef PAWL_TEST_INVARIANTS_H
#define PAWL_TEST_INVARIANTS_H

#include "model/state.h"

/* Design 3.3, a row for `from`; as it is written there. */
bool is_step(enum node_status from, enum node_status to);

/* 3, 4, 5, 8 and that every node's status goes with its dependencies. */
const char *invariants_broken(const struct state *s, struct arena *mem);

/* 9: ready, dispatch and explain agree. */
const char *invariants_ready(const struct state *s, struct arena *mem);

/* The causes of a node that isn't ready, once removed, make it so; not while
 * one is left.  Works on copies made through the projection. */
const char *invariants_causes(
	const struct state *s, uint32_t node, struct arena *mem);

/* The same in all that is kept, and in all that is derived from it. */
const char *invariants_differ(const struct state *a, const struct state *b);

/* 7: what had ended in `before` (a copy) is the same in `now`. */
const char *invariants_terminal(
	const struct state *before, const struct state *now);

/* A copy through the projection; false when it is refused. */
bool state_copy(const struct state *s, struct arena *mem, struct state *ret);

#endif
