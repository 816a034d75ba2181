/*
 * json_reader: what the two halves of the JSON reader share; for nobody else.
 *
 * Every step takes the place in the bytes where it starts and returns the place
 * behind what it has read, or NULL once an error is set.
 */
#ifndef PAWL_TEXT_JSON_READER_H
#define PAWL_TEXT_JSON_READER_H

#include "base/bounds.h"
#include "text/json.h"
#include "text/json_plain.h"

/* A container that is open. */
struct level {
	uint32_t entry; /* on the tape */
	uint64_t seen;  /* a bit for each key's shape: most keys are new */
};

struct reader {
	struct arena *mem;
	char *start, *end;
	char *line_start; /* counted in white space: LF stands nowhere else */
	uint32_t line;
	enum json_flags flags;
	struct json *tape;
	uint32_t count, cap;
	uint32_t depth;
	const struct json_each *each; /* or NULL */
	uint32_t list;   /* the entry of the list that is handed out, or 0 */
	uint32_t handed; /* elements of it, so far */
	struct level levels[BOUND_JSON_DEPTH];
	struct pawl_err *err;
};

/* Sets the error; returns NULL. */
char *json_fail_at(struct reader *r, const char *at, enum pawl_code code,
	const char *fmt, ...) PAWL_PRINTF(4, 5) PAWL_COLD;

/*
 * The rest, from `p` on, of a string that starts at `start` and has more than
 * plain characters.
 */
char *json_string_rest(
	struct reader *r, const char *start, char *p, struct str *ret_text);

#endif
