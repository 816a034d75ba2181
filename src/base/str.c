#include "base/str.h"

#include <string.h>

struct str
str_from(const char *text)
{
	return (struct str){ text, text ? strlen(text) : 0 };
}

bool
str_starts(struct str s, struct str prefix)
{
	return s.len >= prefix.len &&
		str_eq(str_part(s, 0, prefix.len), prefix);
}

bool
str_ends(struct str s, struct str suffix)
{
	return s.len >= suffix.len &&
		str_eq(str_part(s, s.len - suffix.len, suffix.len), suffix);
}

int
str_cmp(struct str a, struct str b)
{
	size_t n = a.len < b.len ? a.len : b.len;
	int c = n ? memcmp(a.ptr, b.ptr, n) : 0;

	if (c != 0)
		return c;
	return (a.len > b.len) - (a.len < b.len);
}

struct str
str_part(struct str s, size_t at, size_t len)
{
	if (at >= s.len)
		return (struct str){ s.ptr ? s.ptr + s.len : NULL, 0 };
	if (len > s.len - at)
		len = s.len - at;
	return (struct str){ s.ptr + at, len };
}

struct str
str_cut(struct str *rest, char sep)
{
	size_t at = str_find(*rest, sep);
	struct str head = str_part(*rest, 0, at);

	if (at == rest->len) {
		*rest = (struct str){ NULL, 0 };
	} else {
		*rest = (struct str){ rest->ptr + at + 1, rest->len - at - 1 };
	}
	return head;
}

size_t
str_find(struct str s, char c)
{
	const char *p = s.len ? memchr(s.ptr, c, s.len) : NULL;

	return p ? (size_t)(p - s.ptr) : s.len;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool
is_lower_hex(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
			return false;
	}
	return true;
}

struct str
str_trim(struct str s)
{
	while (s.len > 0 && is_blank(s.ptr[0])) {
		s.ptr++;
		s.len--;
	}
	while (s.len > 0 && is_blank(s.ptr[s.len - 1]))
		s.len--;
	return s;
}

unsigned
str_distance(struct str a, struct str b)
{
	unsigned row[65];
	size_t n = b.len < 64 ? b.len : 64;

	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 1; i <= a.len && i <= 64; i++) {
		unsigned diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= n; j++) {
			unsigned best =
				diagonal + (a.ptr[i - 1] != b.ptr[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[n];
}

uint64_t
str_hash(struct str s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t i = 0; i < s.len; i++)
		h = (h ^ (unsigned char)s.ptr[i]) * 0x100000001b3u;
	h ^= h >> 32;
	h *= 0xd6e8feb86659fd93u;
	return h ^ (h >> 32);
}
