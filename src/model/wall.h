/*
 * wall: the time of a line as a number, for differences that people read.
 *
 * Lines carry wall time as text, which the journal's order doesn't rest on: a
 * clock may have stepped back between two of them.  A difference is therefore
 * never negative, and of all that is decided only a budget's wall time rests on
 * one: on the sum from line to line, which a step back makes no smaller.
 */
#ifndef PAWL_MODEL_WALL_H
#define PAWL_MODEL_WALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/*
 * Milliseconds since the epoch of `2026-11-30T11:24:23.123456Z`, the one form
 * that lines have; false for every other text.
 */
bool wall_ms(struct str at, uint64_t *ret_ms);

/* From one such text to another; 0 when either is none, or time fell. */
uint64_t wall_between(struct str from, struct str to);

#endif
