/*
 * finding: what is wrong with a text, each at its place.
 *
 * A reader of a document collects findings instead of stopping at the first, up
 * to a bound; the rest are counted.  Lines and columns count from 1, columns in
 * characters; a line ends at LF, CR LF or a lone CR.
 */
#ifndef PAWL_MODEL_FINDING_H
#define PAWL_MODEL_FINDING_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

enum { FINDINGS_MAX = 100 };

struct finding {
	uint32_t line, column;
	enum pawl_code code;
	struct str message; /* one line, however long */
	struct str hint;    /* may be empty */
	size_t at;          /* byte offset */
};

struct findings {
	struct arena *mem; /* the caller's; texts and items are in it */
	struct str text;   /* what the places are in */
	struct finding *items;
	uint32_t count;
	uint32_t dropped; /* found beyond FINDINGS_MAX */
	/* Where the last place was counted; most come in order. */
	size_t seen_at, seen_start;
	uint32_t seen_line;
};

void findings_init(struct findings *f, struct arena *mem, struct str text);

/* Whether another one would still be kept. */
bool findings_has_room(const struct findings *f);

void findings_add(struct findings *f, size_t at, enum pawl_code code,
	struct str message, struct str hint);

/* Message, code and hint of a failure. */
void findings_take(struct findings *f, size_t at, const struct pawl_err *err);

/* In order of place; those of one place as they were found. */
void findings_sort(struct findings *f);

/* Fail with the first one, "PATH:LINE:COLUMN: message", without a path when it
 * is ""; there must be one. */
enum pawl_rc findings_fail(
	const struct findings *f, const char *path, struct pawl_err *err);

#endif
