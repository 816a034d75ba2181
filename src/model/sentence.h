/*
 * sentence: an event as people read it.
 *
 *	17  2026-11-30 11:24:23  coordinator:c1  API-01@2 started, process 4711
 *
 * One event, one line, made from the event alone, so that a line of the log can
 * be printed without the state.  Texts that others wrote are neutralised and
 * cut at 200 bytes; the JSON of the journal has all of them.
 */
#ifndef PAWL_MODEL_SENTENCE_H
#define PAWL_MODEL_SENTENCE_H

#include "model/apply.h"

/* The sentence alone: no full stop, no line end. */
void sentence_write(struct buf *out, const struct event *e);

/* The whole line, with its LF. */
void sentence_line(
	struct buf *out, const struct line_facts *line, const struct event *e);

#endif
