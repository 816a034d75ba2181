/*
 * json_reader: what the two halves of the JSON reader share; for nobody else.
 *
 * Every step takes the place in the bytes where it starts and returns the place
 * behind what it has read, or NULL once an error is set.
 */
#ifndef PAWL_TEXT_JSON_READER_H
#define PAWL_TEXT_JSON_READER_H

#include <endian.h>
#include <string.h>

#include "base/bounds.h"
#include "text/json.h"

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

/*
 * The first byte that is not plain: a quote, a backslash, below U+0020 or not
 * ASCII.  Eight at a time: a byte that is zero after the xor, or less than 32,
 * borrows from its top bit; false hits only stand above a true one.
 */
static inline char *
json_skip_plain(char *p, const char *end)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t tops = 0x8080808080808080u;

	while (end - p >= 8) {
		uint64_t w, quote, slash, hit;

		memcpy(&w, p, sizeof(w));
		w = le64toh(w);
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		hit = (((quote - ones) & ~quote) | ((slash - ones) & ~slash) |
			      ((w - ones * ' ') & ~w) | w) &
			tops;
		if (hit != 0)
			return p + __builtin_ctzll(hit) / 8;
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && *p >= ' ')
		p++;
	return p;
}

#endif
