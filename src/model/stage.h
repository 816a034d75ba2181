/*
 * stage: what a live attempt is at.
 *
 * A word for programs (`starting`, `working`, `checking`, `judging`,
 * `integrating`, `cleaning_up`, `grading`), and the same as the rest of a
 * sentence that begins with the attempt.
 */
#ifndef PAWL_MODEL_STAGE_H
#define PAWL_MODEL_STAGE_H

#include "model/state.h"

/* Both are literals. */
struct str stage_of(
	const struct state *s, uint32_t attempt, struct str *ret_sentence);

#endif
