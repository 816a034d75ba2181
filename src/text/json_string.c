#include <inttypes.h>

#include "text/json_reader.h"
#include "text/utf8.h"

/* Four hexadecimal digits at `p`; -1 when they are not. */
static int32_t
read_hex4(const char *p, const char *end)
{
	int32_t code = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9') {
			code = code * 16 + (c - '0');
		} else if ((c | ' ') >= 'a' && (c | ' ') <= 'f') {
			code = code * 16 + ((c | ' ') - 'a' + 10);
		} else {
			return -1;
		}
	}
	return code;
}

/* `p` is at the backslash of \uXXXX. */
static char *
read_unicode(struct reader *r, char *p, char **to)
{
	int32_t code = read_hex4(p + 2, r->end);
	int32_t low;
	char *start = p;

	if (code < 0) {
		return json_fail_at(r, p, ERR_NOT_JSON,
			"\\u takes four hexadecimal digits");
	}
	p += 6;
	if (code >= 0xd800 && code <= 0xdfff) {
		low = -1;
		if (code <= 0xdbff && r->end - p >= 6 && p[0] == '\\' &&
			p[1] == 'u')
			low = read_hex4(p + 2, r->end);
		if (low < 0xdc00 || low > 0xdfff) {
			return json_fail_at(r, start, ERR_NOT_JSON,
				"\\u%04" PRIx32 " is half a surrogate pair",
				(uint32_t)code);
		}
		code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
		p += 6;
	}
	if (code == 0 && !(r->flags & JSON_KEEP_NUL)) {
		return json_fail_at(r, start, ERR_INVALID_DOCUMENT,
			"the character U+0000 is refused");
	}
	*to += utf8_encode((uint32_t)code, *to); /* never longer than \uXXXX */
	return p;
}

/* `p` is at the backslash. */
static char *
read_escape(struct reader *r, char *p, char **to)
{
	static const char map[128] = {
		['"'] = '"',
		['\\'] = '\\',
		['/'] = '/',
		['b'] = '\b',
		['f'] = '\f',
		['n'] = '\n',
		['r'] = '\r',
		['t'] = '\t',
	};
	unsigned char c;

	if (r->end - p < 2) {
		return json_fail_at(
			r, r->end, ERR_NOT_JSON, "the string is not closed");
	}
	c = (unsigned char)p[1];
	if (c == 'u')
		return read_unicode(r, p, to);
	if (c >= sizeof(map) || map[c] == '\0') {
		return json_fail_at(
			r, p, ERR_NOT_JSON, "unknown escape in a string");
	}
	*(*to)++ = map[c];
	return p + 2;
}

/*
 * A copy of the string's start with room for its rest, which gets shorter; `p`
 * is at its first backslash.  Returns the copy.
 */
static char *
copy_start(struct reader *r, const char *start, const char *p)
{
	const char *end = p;
	char *copy;

	while (end < r->end && *end != '"')
		end += *end == '\\' && r->end - end > 1 ? 2 : 1;
	copy = arena_bytes(r->mem, (size_t)(end - start));
	memcpy(copy, start, (size_t)(p - start));
	return copy;
}

char *
json_string_rest(
	struct reader *r, const char *start, char *p, struct str *ret_text)
{
	bool copies = (r->flags & JSON_PRISTINE) != 0;
	char *to = p;

	while (p < r->end) {
		unsigned char c = (unsigned char)*p;
		char *from = p;
		uint32_t code;

		if (c == '"') {
			*ret_text = (struct str){ start, (size_t)(to - start) };
			return p + 1;
		}
		if (c == '\\') {
			if (copies) {
				size_t len = (size_t)(p - start);

				start = copy_start(r, start, p);
				to = (char *)(uintptr_t)start + len;
				copies = false;
			}
			p = read_escape(r, p, &to);
			if (p == NULL)
				return NULL;
			continue;
		}
		if (c < ' ') {
			return json_fail_at(r, p, ERR_NOT_JSON,
				"control character 0x%02x in a string", c);
		}
		if (c < 0x80) {
			p += json_plain_len(p, r->end);
		} else {
			size_t len = utf8_next(
				(struct str){ p, (size_t)(r->end - p) }, &code);

			if (len == 0) {
				return json_fail_at(r, p, ERR_NOT_JSON,
					"byte 0x%02x is not UTF-8", c);
			}
			p += len;
		}
		if (to != from)
			memmove(to, from, (size_t)(p - from));
		to += p - from;
	}
	return json_fail_at(
		r, r->end, ERR_NOT_JSON, "the string is not closed");
}
