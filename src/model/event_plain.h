/*
 * event_plain: events decoded from bytes that stand as the writer puts them.
 *
 * Nearly every line of a journal was written by event_write(): its fields are
 * known, stand in the table's order, and need no escapes.  Such events are
 * decoded in one walk, each step a comparison with what has to come next, and
 * no tape is made.  Whatever differs, good or bad, is refused as a whole and is
 * the JSON reader's: it alone knows of spaces, escapes, unknown fields and of
 * what is wrong with a line.  So this takes a part of what json_read() and
 * event_read() take, and gives the same.
 */
#ifndef PAWL_MODEL_EVENT_PLAIN_H
#define PAWL_MODEL_EVENT_PLAIN_H

#include "model/event.h"

/* The events of one line; their room is used again for the next one. */
struct plain_events {
	struct event *items;
	uint32_t count;
	uint32_t cap; /* events that are ready to be filled */
};

/*
 * Decode the array of events that is `bytes`, brackets and all; strings are
 * views into it, lists lie in `mem`.  False when it isn't plain, or empty:
 * `events` is then empty, and nothing is said of the bytes.
 */
bool plain_events_read(
	struct plain_events *events, struct str bytes, struct arena *mem);

void plain_events_release(struct plain_events *events);

#endif
