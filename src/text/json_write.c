#include "text/json.h"

#include <string.h>

#include "base/die.h"
#include "text/utf8.h"

/* The line of a value or a bracket that is for people. */
static void
new_line(struct json_writer *w)
{
	if (!w->pretty)
		return;
	buf_addc(w->out, '\n');
	for (uint32_t i = 0; i < w->depth; i++)
		buf_add(w->out, STR("  "));
}

/* What stands before a value: its comma, unless the key has brought it. */
static void
before_value(struct json_writer *w)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	if (w->object & bit) {
		assert(w->keyed);
		w->keyed = false;
		return;
	}
	assert(!w->keyed);
	if (w->comma & bit) {
		assert(w->depth > 0);
		buf_addc(w->out, ',');
	}
	w->comma |= bit;
	if (w->depth > 0)
		new_line(w);
}

void
json_open(struct json_writer *w, char bracket)
{
	uint64_t bit;

	assert(bracket == '{' || bracket == '[');
	assert(w->depth < JSON_WRITER_DEPTH);
	before_value(w);
	buf_addc(w->out, bracket);
	bit = UINT64_C(1) << ++w->depth;
	w->comma &= ~bit;
	w->object = bracket == '{' ? w->object | bit : w->object & ~bit;
}

void
json_close(struct json_writer *w, char bracket)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	assert(w->depth > 0);
	assert(!w->keyed);
	assert(bracket == (w->object & bit ? '}' : ']'));
	w->depth--;
	if (w->comma & bit)
		new_line(w);
	buf_addc(w->out, bracket);
}

/* The first byte from `at` that is not written as it is, or that is not ASCII.
 * Eight at a time, as in json_read.c. */
static size_t
plain_end(struct str s, size_t at)
{
	const uint64_t ones = 0x0101010101010101u;
	const uint64_t tops = 0x8080808080808080u;

	while (s.len - at >= 8) {
		uint64_t w, quote, slash;

		memcpy(&w, s.ptr + at, sizeof(w));
		quote = w ^ ones * '"';
		slash = w ^ ones * '\\';
		if (((((quote - ones) & ~quote) | ((slash - ones) & ~slash) |
			     ((w - ones * ' ') & ~w) | w) &
			    tops) != 0)
			break;
		at += 8;
	}
	while (at < s.len && s.ptr[at] != '"' && s.ptr[at] != '\\' &&
		s.ptr[at] >= ' ')
		at++;
	return at;
}

/* One that JSON cannot hold as it is: a quote, a backslash, U+0000 to U+001F.
 */
static void
add_escaped(struct buf *out, unsigned char c)
{
	static const char map[' '] = {
		['\b'] = 'b',
		['\f'] = 'f',
		['\n'] = 'n',
		['\r'] = 'r',
		['\t'] = 't',
	};

	buf_addc(out, '\\');
	if (c >= ' ') {
		buf_addc(out, (char)c);
	} else if (map[c] != '\0') {
		buf_addc(out, map[c]);
	} else {
		buf_add(out, STR("u00"));
		buf_addhex(out, &c, 1);
	}
}

static void
add_string(struct buf *out, struct str s)
{
	size_t at = 0;

	buf_addc(out, '"');
	while (at < s.len) {
		size_t end = plain_end(s, at);
		uint32_t code;

		/* Code points beyond ASCII are plain, too. */
		while (end < s.len && (unsigned char)s.ptr[end] >= 0x80) {
			size_t len = utf8_next(str_part(s, end, 4), &code);

			if (len == 0)
				break;
			end = plain_end(s, end + len);
		}
		buf_add(out, str_part(s, at, end - at));
		at = end;
		if (at == s.len)
			break;
		if ((unsigned char)s.ptr[at] >= 0x80) {
			buf_add(out, STR("\xef\xbf\xbd"));
		} else {
			add_escaped(out, (unsigned char)s.ptr[at]);
		}
		at++;
	}
	buf_addc(out, '"');
}

void
json_key(struct json_writer *w, struct str key)
{
	uint64_t bit = UINT64_C(1) << w->depth;

	assert(w->object & bit);
	assert(!w->keyed);
	if (w->comma & bit)
		buf_addc(w->out, ',');
	w->comma |= bit;
	new_line(w);
	add_string(w->out, key);
	buf_addc(w->out, ':');
	if (w->pretty)
		buf_addc(w->out, ' ');
	w->keyed = true;
}

void
json_put_str(struct json_writer *w, struct str s)
{
	before_value(w);
	add_string(w->out, s);
}

void
json_put_u64(struct json_writer *w, uint64_t n)
{
	before_value(w);
	buf_addu(w->out, n);
}

void
json_put_i64(struct json_writer *w, int64_t n)
{
	before_value(w);
	if (n < 0)
		buf_addc(w->out, '-');
	buf_addu(w->out, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void
json_put_bool(struct json_writer *w, bool b)
{
	before_value(w);
	buf_add(w->out, b ? STR("true") : STR("false"));
}

void
json_put_null(struct json_writer *w)
{
	before_value(w);
	buf_add(w->out, STR("null"));
}

void
json_put_raw(struct json_writer *w, struct str json)
{
	assert(json.len > 0);
	before_value(w);
	buf_add(w->out, json);
}

static void
put_scalar(struct json_writer *w, const struct json *v)
{
	switch ((enum json_kind)v->kind) {
	case JSON_NULL:
		json_put_null(w);
		break;
	case JSON_BOOL:
		json_put_bool(w, v->n != 0);
		break;
	case JSON_INT:
		json_put_i64(w, v->n);
		break;
	case JSON_REAL:
		json_put_raw(w, v->text);
		break;
	case JSON_STRING:
		json_put_str(w, v->text);
		break;
	case JSON_ARRAY:
	case JSON_OBJECT:
		assert(false);
	}
}

void
json_put(struct json_writer *w, const struct json *v)
{
	const struct json *ends[JSON_WRITER_DEPTH]; /* of what is open */
	const struct json *last = v + v->span;
	uint32_t depth = 0;

	for (; v < last; v++) {
		bool object = w->depth > 0 && depth > 0 &&
			(w->object & UINT64_C(1) << w->depth) != 0;

		if (object && !w->keyed) {
			json_key(w, v->text);
			continue;
		}
		if (v->kind != JSON_ARRAY && v->kind != JSON_OBJECT) {
			put_scalar(w, v);
		} else {
			json_open(w, v->kind == JSON_OBJECT ? '{' : '[');
			ends[depth++] = v + v->span;
		}
		while (depth > 0 && v + 1 == ends[depth - 1]) {
			json_close(w,
				w->object & UINT64_C(1) << w->depth ? '}'
								    : ']');
			depth--;
		}
	}
	assert(depth == 0);
}

void
json_pair_str(struct json_writer *w, struct str key, struct str s)
{
	json_key(w, key);
	json_put_str(w, s);
}

void
json_pair_str_or_null(struct json_writer *w, struct str key, struct str s)
{
	json_key(w, key);
	if (s.len > 0)
		json_put_str(w, s);
	else
		json_put_null(w);
}

void
json_pair_u64(struct json_writer *w, struct str key, uint64_t n)
{
	json_key(w, key);
	json_put_u64(w, n);
}

void
json_pair_bool(struct json_writer *w, struct str key, bool b)
{
	json_key(w, key);
	json_put_bool(w, b);
}
