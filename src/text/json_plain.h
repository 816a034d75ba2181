/*
 * json_plain: JSON as the writer puts it, passed over without a reader.
 *
 * For who knows what has to come next (the reader of strings, the decoder of
 * plain events): each step looks whether it is that.
 */
#ifndef PAWL_TEXT_JSON_PLAIN_H
#define PAWL_TEXT_JSON_PLAIN_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/*
 * Bytes before the first that is not plain: a quote, a backslash, below U+0020
 * or not ASCII.  Eight at a time: a byte that is zero after the xor, or less
 * than 32, borrows from its top bit; false hits only stand above a true one.
 */
static inline size_t
json_plain_len(const char *start, const char *end)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t tops = 0x8080808080808080u;
	const char *p = start;

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
			return (size_t)(p - start) +
				(unsigned)__builtin_ctzll(hit) / 8;
		p += 8;
	}
	while (p < end && *p != '"' && *p != '\\' && (signed char)*p >= ' ')
		p++;
	return (size_t)(p - start);
}

#endif
