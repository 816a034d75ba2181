/*
 * surfaces: everything that people and programs are shown of a state, and
 * whether it all says the same.
 */
#ifndef PAWL_TEST_SURFACES_H
#define PAWL_TEST_SURFACES_H

#include "model/state.h"

/* Make each answer there is, as text and as JSON; that is bounded, and JSON is
 * one strict document each time.  NULL, or what was wrong. */
const char *surfaces_read(const struct state *s, struct arena *mem);

/* Compare the rows of status and ready as text, the same as JSON, explain and
 * next with what the model decides.  NULL, or what differs. */
const char *surfaces_differ(const struct state *s, struct arena *mem);

#endif
