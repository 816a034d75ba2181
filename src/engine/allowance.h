/*
 * allowance: does a run's budget let anything start at this moment?
 *
 * Time goes on without any line, so what its decision says of wall time is
 * asked of the clock.
 */
#ifndef PAWL_ENGINE_ALLOWANCE_H
#define PAWL_ENGINE_ALLOWANCE_H

#include "engine/run.h"

/* A hard limit that nothing may start past; the sentence is in `mem`. */
bool allowance_is_used(
	const struct run *r, struct arena *mem, struct str *ret_sentence);

/* The same as a yes or no. */
bool allowance_holds(const struct run *r);

/* ready_first() within the budget; false when nothing may start. */
bool allowance_first(const struct run *r, uint32_t *ret_node);

#endif
