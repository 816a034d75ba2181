/*
 * phrase: the parts that the sentences about a run are made of.
 *
 * What others wrote is neutralised and cut at 200 bytes, a commit at its first
 * twelve digits, a list at four names with the number of the rest.  A part with
 * nothing to say adds nothing, not even the words before it.
 */
#ifndef PAWL_MODEL_PHRASE_H
#define PAWL_MODEL_PHRASE_H

#include "base/buf.h"
#include "model/event.h"

void phrase_text(struct buf *b, struct str s);

/* `before` and the text; nothing when it is empty. */
void phrase_after(struct buf *b, const char *before, struct str s);
void phrase_commit(struct buf *b, const char *before, struct str commit);

/* ": a, b and 3 more"; `count` of them there were, the list may have fewer. */
void phrase_paths(struct buf *b, const struct strs *paths, uint64_t count);

/* "a, b and 3 more" behind `before`; nothing when there are none. */
void phrase_names(struct buf *b, const char *before, const struct strs *names);

/* Of `PATH OLD NEW` and `PATH same` only the path; it may hold blanks. */
void phrase_flagged(struct buf *b, const struct strs *flagged);

/* "1 file", "2 files". */
void phrase_count(struct buf *b, uint64_t n, const char *one, const char *many);

/* How a process ended, and after how long, as far as the event says. */
void phrase_ended(struct buf *b, const struct event *e);

#endif
