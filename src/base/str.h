/*
 * str: a view of bytes that somebody else owns.
 *
 * Not NUL-terminated; `ptr` may be NULL when `len` is 0.  Two views are equal
 * when their bytes are.  Printed with STR_FMT and STR_ARG, never with %s alone.
 */
#ifndef PAWL_BASE_STR_H
#define PAWL_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
	const char *ptr;
	size_t len; /* bytes */
};

/* Only takes literals. */
#define STR(lit) ((struct str){ "" lit, sizeof(lit) - 1 })

#define STR_FMT "%.*s"
#define STR_ARG(s) \
	(int)((s).len > 4096 ? 4096 : (s).len), (s).ptr ? (s).ptr : ""

struct str str_from(const char *text); /* NULL gives the empty view */
static inline bool
str_eq(struct str a, struct str b)
{
	return a.len == b.len &&
		(a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);

/* Order as bytes, as memcmp; a prefix comes first. */
int str_cmp(struct str a, struct str b);

/* The part from `at` (at most s.len) of at most `len` bytes. */
struct str str_part(struct str s, size_t at, size_t len);

/*
 * Cut off and return what stands before the first `sep` in `*rest`; `*rest`
 * becomes what stands after it.  Without a `sep`, all of it; `*rest` is then
 * the empty view with a NULL `ptr`, which is how a loop sees the end.
 */
struct str str_cut(struct str *rest, char sep);

/* Offset of the first `c`, or s.len. */
size_t str_find(struct str s, char c);

/* Only digits and a to f; so is the empty one. */
bool is_lower_hex(struct str s);

/* Without ASCII spaces, tabs, CR and LF at both ends. */
struct str str_trim(struct str s);

/* Levenshtein distance, for "did you mean"; texts over 64 bytes count as 64. */
unsigned str_distance(struct str a, struct str b);

/* 64-bit hash of the bytes (FNV-1a, mixed); the same on every machine. */
uint64_t str_hash(struct str s);

#endif
