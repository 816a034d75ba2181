#include "text/utf8.h"

#include <string.h>

#include "base/die.h"

/* A byte that continues a code point. */
static bool
is_tail(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/* RFC 3629, section 4: the second byte's range depends on the first. */
size_t
utf8_next(struct str s, uint32_t *ret_code)
{
	const unsigned char *p = (const unsigned char *)s.ptr;
	unsigned char low = 0x80, high = 0xbf;
	size_t len;
	uint32_t code;

	if (s.len == 0)
		return 0;
	if (p[0] < 0x80) {
		*ret_code = p[0];
		return 1;
	}
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	if (p[0] == 0xe0) {
		low = 0xa0; /* overlong */
	} else if (p[0] == 0xed) {
		high = 0x9f; /* surrogates */
	} else if (p[0] == 0xf0) {
		low = 0x90; /* overlong */
	} else if (p[0] == 0xf4) {
		high = 0x8f; /* over U+10FFFF */
	}
	if (s.len < len || p[1] < low || p[1] > high)
		return 0;
	code = (uint32_t)(p[0] & (0x7f >> len)) << 6 | (p[1] & 0x3f);
	for (size_t i = 2; i < len; i++) {
		if (!is_tail(p[i]))
			return 0;
		code = code << 6 | (p[i] & 0x3f);
	}
	*ret_code = code;
	return len;
}

size_t
utf8_valid(struct str s)
{
	size_t at = 0;

	while (at < s.len) {
		uint64_t word;
		uint32_t code;
		size_t len;

		if (s.len - at >= sizeof(word)) {
			memcpy(&word, s.ptr + at, sizeof(word));
			if ((word & 0x8080808080808080u) == 0) {
				at += sizeof(word);
				continue;
			}
		}
		len = utf8_next(str_part(s, at, 4), &code);
		if (len == 0)
			return at;
		at += len;
	}
	return at;
}

size_t
utf8_encode(uint32_t code, char ret_bytes[4])
{
	static const unsigned char lead[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
	size_t len;

	assert(code <= 0x10ffff);
	assert(code < 0xd800 || code > 0xdfff);
	if (code < 0x80) {
		ret_bytes[0] = (char)code;
		return 1;
	}
	len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
	for (size_t i = len - 1; i > 0; i--) {
		ret_bytes[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	ret_bytes[0] = (char)(lead[len] | code);
	return len;
}

struct str
utf8_cut(struct str s, size_t max)
{
	size_t at = max;

	if (s.len <= max)
		return s;
	/* Not further back than a code point is long: the bytes may be any. */
	while (at > 0 && max - at < 3 && is_tail((unsigned char)s.ptr[at]))
		at--;
	return str_part(s, 0, is_tail((unsigned char)s.ptr[at]) ? max : at);
}

struct range {
	uint32_t first, last;
};

/* In one of the ranges, which are sorted? */
static bool
is_within(uint32_t code, const struct range *ranges, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (code <= ranges[i].last)
			return code >= ranges[i].first;
	}
	return false;
}

size_t
utf8_columns(struct str s)
{
	static const struct range wide[] = {
		{ 0x1100, 0x115f },   /* Hangul initials */
		{ 0x2e80, 0x303e },   /* radicals, CJK punctuation */
		{ 0x3041, 0xa4cf },   /* kana to Yi */
		{ 0xa960, 0xa97f },   /* more Hangul initials */
		{ 0xac00, 0xd7a3 },   /* Hangul syllables */
		{ 0xf900, 0xfaff },   /* compatibility ideographs */
		{ 0xfe30, 0xfe6f },   /* vertical and small forms */
		{ 0xff00, 0xff60 },   /* fullwidth forms */
		{ 0xffe0, 0xffe6 },   /* fullwidth signs */
		{ 0x1f300, 0x1f64f }, /* pictographs */
		{ 0x1f680, 0x1f6ff }, /* transport */
		{ 0x1f900, 0x1f9ff }, /* more pictographs */
		{ 0x20000, 0x3fffd }, /* rare ideographs */
	};
	static const struct range marks[] = {
		{ 0x0300, 0x036f },
		{ 0x1ab0, 0x1aff },
		{ 0x1dc0, 0x1dff },
		{ 0x20d0, 0x20ff },
		{ 0xfe00, 0xfe0f },
		{ 0xfe20, 0xfe2f },
	};
	size_t columns = 0;

	while (s.len > 0) {
		uint32_t code = 0;
		size_t len = utf8_next(s, &code);

		columns++;
		if (code >= marks[0].first) {
			columns += is_within(
				code, wide, sizeof(wide) / sizeof(wide[0]));
			columns -= is_within(
				code, marks, sizeof(marks) / sizeof(marks[0]));
		}
		s = str_part(s, len > 0 ? len : 1, s.len);
	}
	return columns;
}

bool
utf8_is_unsafe(uint32_t code)
{
	static const struct range ranges[] = {
		{ 0x0000, 0x001f },   /* C0 */
		{ 0x007f, 0x009f },   /* DEL, C1 */
		{ 0x00ad, 0x00ad },   /* soft hyphen */
		{ 0x061c, 0x061c },   /* Arabic letter mark */
		{ 0x180e, 0x180e },   /* Mongolian vowel separator */
		{ 0x200b, 0x200f },   /* zero widths, direction marks */
		{ 0x2028, 0x202e },   /* separators, embeddings, overrides */
		{ 0x2060, 0x206f },   /* invisible operators, isolates */
		{ 0xfeff, 0xfeff },   /* byte order mark */
		{ 0xfff9, 0xfffb },   /* interlinear annotations */
		{ 0xe0000, 0xe007f }, /* tags */
	};

	return is_within(code, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

/* Bytes of what stands at the head of `s`, which isn't empty. */
static size_t
head_bytes(struct str s, bool *ret_breaks)
{
	uint32_t code = 0;
	size_t n = utf8_next(s, &code);

	*ret_breaks = n == 0 || code < ' ' || (code >= 0x7f && code < 0xa0) ||
		code == 0x2028 || code == 0x2029;
	return n > 0 ? n : 1;
}

bool
utf8_fold(struct buf *out, struct str s)
{
	bool folded = false;

	while (s.len > 0) {
		size_t at = 0; /* the end of a run of blanks and breaks */
		bool any = false, breaks;

		while (at < s.len) {
			size_t n = head_bytes(str_part(s, at, s.len), &breaks);

			if (!breaks && s.ptr[at] != ' ')
				break;
			any = any || breaks;
			at += n;
		}
		if (any)
			buf_addc(out, ' ');
		else
			buf_add(out, str_part(s, 0, at));
		folded = folded || any;
		s = str_part(s, at, s.len);
		if (s.len > 0) {
			at = head_bytes(s, &breaks);
			buf_add(out, str_part(s, 0, at));
			s = str_part(s, at, s.len);
		}
	}
	return folded;
}

void
utf8_show(struct buf *out, struct str s, enum utf8_show how)
{
	while (s.len > 0) {
		uint32_t code = 0;
		size_t len = utf8_next(s, &code);

		if (len == 0) {
			buf_addf(out, "\\x%02x", (unsigned char)s.ptr[0]);
			len = 1;
		} else if (how == UTF8_LINES &&
			(code == '\n' || code == '\t')) {
			buf_addc(out, (char)code);
		} else if (!utf8_is_unsafe(code)) {
			buf_add(out, str_part(s, 0, len));
		} else {
			buf_addf(out, code < 0x100 ? "\\x%02x" : "\\u%04x",
				(unsigned)code);
		}
		s = str_part(s, len, s.len);
	}
}
