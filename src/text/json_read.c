#include "text/json.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/bounds.h"
#include "base/die.h"
#include "base/map.h"
#include "text/json_reader.h"
#include "text/utf8.h"

#define MARK "\xef\xbb\xbf" /* U+FEFF, the byte order mark */

enum {
	/* Members up to which keys are compared one by one. */
	FEW_MEMBERS = 16,
	/* On the first tape of a document whose list is handed out. */
	FEW_ENTRIES = 56,
};

static enum pawl_rc
fail_place(struct reader *r, enum pawl_code code, size_t byte, uint32_t line,
	uint32_t column, const char *why)
{
	(void)pawl_fail(r->err, code,
		"%s at line %" PRIu32 ", column %" PRIu32 " (byte %zu): %s",
		code == ERR_NOT_JSON ? "not JSON" : "JSON refused", line,
		column, byte, why);
	r->err->detail = arena_format(r->mem,
		"{\"byte\":%zu,\"line\":%" PRIu32 ",\"column\":%" PRIu32 "}",
		byte, line, column);
	return r->err->rc;
}

char *
json_fail_at(struct reader *r, const char *at, enum pawl_code code,
	const char *fmt, ...)
{
	char why[200];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	(void)fail_place(r, code, (size_t)(at - r->start), r->line,
		(uint32_t)(at - r->line_start) + 1, why);
	return NULL;
}

/* "expected X", with what stands there instead. */
static char *
fail_expected(struct reader *r, const char *at, const char *what)
{
	unsigned char c = at < r->end ? (unsigned char)*at : 0;

	if (at == r->end) {
		return json_fail_at(r, at, ERR_NOT_JSON,
			"expected %s, found the end", what);
	}
	if (c > ' ' && c < 0x7f) {
		return json_fail_at(r, at, ERR_NOT_JSON,
			"expected %s, found '%c'", what, c);
	}
	if (str_starts((struct str){ at, (size_t)(r->end - at) }, STR(MARK))) {
		bool first = memcmp(r->start, MARK, sizeof(MARK) - 1) != 0;

		return json_fail_at(r, at, ERR_NOT_JSON,
			"expected %s, found a %sbyte order mark (U+FEFF)", what,
			first ? "" : "second ");
	}
	return json_fail_at(
		r, at, ERR_NOT_JSON, "expected %s, found byte 0x%02x", what, c);
}

static inline char *
skip_space(struct reader *r, char *p)
{
	for (; p < r->end && (unsigned char)*p <= ' '; p++) {
		if (*p == '\n') {
			r->line++;
			r->line_start = p + 1;
		} else if (*p != ' ' && *p != '\t' && *p != '\r') {
			break;
		}
	}
	return p;
}

/* The tape, with room for one more entry, doubled when it is full. */
static void
grow(struct reader *r)
{
	size_t guess = r->each ? FEW_ENTRIES : (size_t)(r->end - r->start) / 16;
	size_t cap = r->cap ? (size_t)r->cap * 2 : guess + 8;

	if (cap > UINT32_MAX)
		cap = UINT32_MAX; /* a value is a byte at least: enough */
	r->tape = arena_extend(r->mem, r->tape, r->cap * sizeof(*r->tape),
		cap * sizeof(*r->tape));
	r->cap = (uint32_t)cap;
}

static inline struct json *
push(struct reader *r, enum json_kind kind, const char *at)
{
	struct json *v;

	if (r->count == r->cap)
		grow(r);
	v = &r->tape[r->count++];
	v->kind = (uint8_t)kind;
	v->duplicate = false;
	v->at = (uint32_t)(at - r->start);
	v->span = 1;
	v->count = 0;
	return v;
}

/* `p` is behind the opening quote; returns what is behind the closing one. */
static inline char *
read_string(struct reader *r, char *p, struct str *ret_text)
{
	char *start = p;

	p += json_plain_len(p, r->end);
	if (p == r->end || *p != '"')
		return json_string_rest(r, start, p, ret_text);
	*ret_text = (struct str){ start, (size_t)(p - start) };
	return p + 1;
}

static inline char *
skip_digits(char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

/* The fraction and the exponent; NULL when one of them has no digit. */
static char *
skip_real(struct reader *r, char *p)
{
	char *digits;

	if (p < r->end && *p == '.') {
		digits = ++p;
		p = skip_digits(p, r->end);
		if (p == digits) {
			return fail_expected(
				r, p, "a digit after the decimal point");
		}
	}
	if (p < r->end && (*p | ' ') == 'e') {
		p++;
		if (p < r->end && (*p == '+' || *p == '-'))
			p++;
		digits = p;
		p = skip_digits(p, r->end);
		if (p == digits)
			return fail_expected(r, p, "a digit of the exponent");
	}
	return p;
}

/* Whether the digits fit; `-0` does not: int64 cannot say it. */
static bool
fits_int64(const char *digits, const char *end, bool minus, int64_t *ret_n)
{
	uint64_t n = 0;

	if (end - digits > 19)
		return false;
	for (; digits < end; digits++)
		n = n * 10 + (uint64_t)(*digits - '0'); /* 19 digits fit */
	if (n > (uint64_t)INT64_MAX + minus || (minus && n == 0))
		return false;
	*ret_n = (int64_t)(minus ? 0 - n : n);
	return true;
}

static char *
read_number(struct reader *r, char *p)
{
	struct json *v = push(r, JSON_INT, p);
	bool minus = *p == '-';
	char *start = p;
	char *digits = p + minus;
	char *end = skip_digits(digits, r->end);

	if (end == digits)
		return fail_expected(r, end, "a digit");
	if (*digits == '0' && end - digits > 1) {
		return json_fail_at(
			r, start, ERR_NOT_JSON, "a number starts with 0");
	}
	if (end < r->end && (*end == '.' || (*end | ' ') == 'e')) {
		end = skip_real(r, end);
		if (end == NULL)
			return NULL;
	} else if (fits_int64(digits, end, minus, &v->n)) {
		return end;
	}
	v->kind = JSON_REAL;
	v->text = (struct str){ start, (size_t)(end - start) };
	return end;
}

static char *
read_word(struct reader *r, char *p)
{
	static const struct {
		struct str word;
		enum json_kind kind;
		int64_t n;
	} words[] = {
		{ { "true", 4 }, JSON_BOOL, 1 },
		{ { "false", 5 }, JSON_BOOL, 0 },
		{ { "null", 4 }, JSON_NULL, 0 },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t len = words[i].word.len;

		if ((size_t)(r->end - p) < len ||
			memcmp(p, words[i].word.ptr, len) != 0)
			continue;
		push(r, words[i].kind, p)->n = words[i].n;
		return p + len;
	}
	return fail_expected(r, p, "a value");
}

static struct str
tape_key(const void *tape, uint32_t index)
{
	return ((const struct json *)tape)[index].text;
}

/* The key stands in the object already; true when that may be. */
static bool
repeat_key(struct reader *r, struct json *key)
{
	struct json_lines lines = { 0 };
	struct str text = { r->start, (size_t)(r->end - r->start) };
	uint32_t line, column;
	char why[100];

	key->duplicate = true;
	if (r->flags & JSON_KEEP_DUPLICATES)
		return true;
	if (r->flags & JSON_PRISTINE) {
		json_place(text, key->at, &line, &column);
	} else {
		r->tape[0].span = r->count; /* the part that is there */
		json_lines_find(&lines, r->mem, r->tape, text);
		json_where(&lines, key->at, &line, &column);
	}
	(void)snprintf(why, sizeof(why), "duplicate key '" STR_FMT "'",
		STR_ARG(utf8_cut(key->text, 64)));
	(void)fail_place(r, ERR_INVALID_DOCUMENT, key->at, line, column, why);
	return false;
}

/* Whether the key may stand where it does, among few. */
static bool
check_key(struct reader *r, struct level *level, struct json *key)
{
	struct json *object = &r->tape[level->entry];
	struct json *old = object + 1;
	struct str text = key->text;
	uint64_t bit = 1;

	if (text.len > 0) {
		unsigned shape = (unsigned)text.len * 5 +
			(unsigned char)text.ptr[0] +
			(unsigned char)text.ptr[text.len - 1] * 3;

		bit = UINT64_C(1) << shape % 64;
	}
	if (!(level->seen & bit)) {
		level->seen |= bit;
		return true;
	}
	for (uint32_t i = 1; i < object->count; i++) {
		if (str_eq(old->text, text))
			return repeat_key(r, key);
		old += 1 + old[1].span;
	}
	return true;
}

/* The same for an object of many members, once it is whole. */
static bool
check_keys(struct reader *r, uint32_t object)
{
	struct map keys = { 0 };
	uint32_t at = object + 1;
	uint32_t old;
	bool good = true;

	map_reserve(&keys, r->tape[object].count);
	for (uint32_t i = 0; good && i < r->tape[object].count; i++) {
		if (!map_add(&keys, tape_key, r->tape, r->tape[at].text, at,
			    &old))
			good = repeat_key(r, &r->tape[at]);
		at += 1 + r->tape[at + 1].span;
	}
	map_release(&keys);
	return good;
}

/* A key and its colon; `p` is where the key is to start. */
static char *
read_key(struct reader *r, char *p)
{
	struct level *level = &r->levels[r->depth - 1];
	struct json *key;

	if (p == r->end || *p != '"')
		return fail_expected(r, p, "a key");
	key = push(r, JSON_STRING, p);
	p = read_string(r, p + 1, &key->text);
	if (p == NULL)
		return NULL;
	if (++r->tape[level->entry].count <= FEW_MEMBERS &&
		!check_key(r, level, key))
		return NULL;
	if (p < r->end && *p != ':')
		p = skip_space(r, p);
	if (p == r->end || *p != ':')
		return fail_expected(r, p, "':'");
	return p + 1;
}

/* A list in the outermost value starts: is it the one to hand out? */
static void
begin_list(struct reader *r)
{
	if (r->list == 0 && r->tape[0].kind == JSON_OBJECT &&
		str_eq(r->tape[r->count - 1].text, r->each->key))
		r->list = r->count;
}

/* The element of the list that was read, if it has one. */
static bool
hand_out(struct reader *r)
{
	uint32_t first = r->list + 1;

	if (r->count == first)
		return true;
	r->count = first;
	return r->each->fn(r->each->arg, &r->tape[first], r->handed++,
		       r->err) == PAWL_OK;
}

/* `p` is at the bracket. */
static char *
open_level(struct reader *r, char *p)
{
	enum json_kind kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;

	if (r->depth == BOUND_JSON_DEPTH) {
		return json_fail_at(r, p, ERR_LIMIT,
			"nested deeper than the limit of %d levels",
			BOUND_JSON_DEPTH);
	}
	if (r->each != NULL && r->depth == 1 && kind == JSON_ARRAY)
		begin_list(r);
	r->levels[r->depth++] = (struct level){ .entry = r->count };
	push(r, kind, p)->text = (struct str){ NULL, 0 };
	return p + 1;
}

static bool
close_level(struct reader *r)
{
	uint32_t entry = r->levels[--r->depth].entry;
	struct json *v = &r->tape[entry];

	v->span = r->count - entry;
	if (r->list == entry && entry > 0)
		v->count = 0;
	return v->kind != JSON_OBJECT || v->count <= FEW_MEMBERS ||
		check_keys(r, entry);
}

/*
 * After a value: close what ends here.  Returns where the next value starts,
 * behind its comma and key, or the end of the document at depth 0.
 */
static char *
read_next(struct reader *r, char *p)
{
	while (r->depth > 0) {
		uint32_t entry = r->levels[r->depth - 1].entry;
		struct json *v = &r->tape[entry];
		char bracket = v->kind == JSON_OBJECT ? '}' : ']';

		if (entry == r->list && entry > 0 && !hand_out(r))
			return NULL;
		if (p < r->end && *p != ',')
			p = skip_space(r, p);
		if (p < r->end && *p == ',') {
			p++;
			if (v->kind == JSON_OBJECT)
				return read_key(r, skip_space(r, p));
			v->count++;
			return p;
		}
		if (p == r->end || *p != bracket) {
			return fail_expected(r, p,
				v->kind == JSON_OBJECT ? "',' or '}'"
						       : "',' or ']'");
		}
		if (!close_level(r))
			return NULL;
		p++;
	}
	return p;
}

/* One value, or the start of a container, and what is between it and the next:
 * returns where that starts, or the end of the document at depth 0. */
static char *
read_value(struct reader *r, char *p)
{
	struct json *v;

	p = skip_space(r, p);
	if (p == r->end)
		return fail_expected(r, p, "a value");
	switch (*p) {
	case '"':
		v = push(r, JSON_STRING, p);
		p = read_string(r, p + 1, &v->text);
		break;
	case '[':
		p = open_level(r, p);
		p = p ? skip_space(r, p) : NULL;
		if (p == NULL || (p < r->end && *p == ']'))
			break;
		r->tape[r->count - 1].count = 1;
		return p;
	case '{':
		p = open_level(r, p);
		p = p ? skip_space(r, p) : NULL;
		if (p == NULL || (p < r->end && *p == '}'))
			break;
		return read_key(r, p);
	default:
		p = *p == '-' || (*p >= '0' && *p <= '9') ? read_number(r, p)
							  : read_word(r, p);
	}
	return p == NULL ? NULL : read_next(r, p);
}

/* Pass over one byte order mark; name the encodings that are not ours. */
static char *
read_mark(struct reader *r)
{
	static const struct {
		struct str mark;
		const char *name;
	} marks[] = {
		{ { "\xff\xfe\0\0", 4 }, "UTF-32" },
		{ { "\0\0\xfe\xff", 4 }, "UTF-32" },
		{ { "\xff\xfe", 2 }, "UTF-16" },
		{ { "\xfe\xff", 2 }, "UTF-16" },
		/* No mark; a JSON text starts with a byte of ASCII. */
		{ { "\0\0\0", 3 }, "UTF-32" },
		{ { "\0", 1 }, "UTF-16" },
	};
	struct str text = { r->start, (size_t)(r->end - r->start) };
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (name == NULL && str_starts(text, marks[i].mark))
			name = marks[i].name;
	}
	if (name == NULL && text.len > 1 && text.ptr[1] == '\0') {
		name = str_starts(str_part(text, 1, 3), STR("\0\0\0"))
			? "UTF-32"
			: "UTF-16";
	}
	if (name != NULL) {
		return json_fail_at(r, r->start, ERR_NOT_JSON,
			"the text is %s; UTF-8 is needed", name);
	}
	if (str_starts(text, STR(MARK)))
		r->line_start += sizeof(MARK) - 1;
	return r->line_start;
}

/* One value and all that is in it; returns what is behind it. */
static char *
read_whole(struct reader *r, char *p)
{
	p = read_value(r, p);
	while (p != NULL && r->depth > 0)
		p = read_value(r, p);
	return p;
}

static enum pawl_rc
read_document(struct reader *r, const struct json **ret_json)
{
	size_t len = (size_t)(r->end - r->start);
	char *p;

	if (len > UINT32_MAX) {
		return pawl_fail(r->err, ERR_LIMIT,
			"JSON of %zu bytes is over the limit of %" PRIu32, len,
			UINT32_MAX);
	}
	p = read_mark(r);
	if (p != NULL)
		p = read_whole(r, p);
	if (p == NULL)
		return r->err->rc;
	p = skip_space(r, p);
	if (p < r->end) {
		(void)fail_expected(r, p, "the end");
		return r->err->rc;
	}
	*ret_json = r->tape;
	return PAWL_OK;
}

enum pawl_rc
/* NOLINTNEXTLINE(readability-non-const-parameter): changed by the reader */
json_read(struct arena *mem, char *bytes, size_t len, enum json_flags flags,
	const struct json **ret_json, struct pawl_err *err)
{
	struct reader r = {
		.mem = mem,
		.start = bytes,
		.end = bytes + len,
		.line_start = bytes,
		.line = 1,
		.flags = flags,
		.err = err,
	};

	return read_document(&r, ret_json);
}

/* A reader that changes nothing in the text. */
static struct reader
pristine(struct arena *mem, struct str text, enum json_flags flags,
	struct pawl_err *err)
{
	char *bytes = (char *)(uintptr_t)(text.ptr ? text.ptr : "");

	return (struct reader){
		.mem = mem,
		.start = bytes,
		.end = bytes + text.len,
		.line_start = bytes,
		.line = 1,
		.flags = flags | JSON_PRISTINE,
		.err = err,
	};
}

enum pawl_rc
json_read_each(struct arena *mem, struct str text, enum json_flags flags,
	const struct json_each *each, const struct json **ret_json,
	struct pawl_err *err)
{
	struct reader r = pristine(mem, text, flags, err);

	r.each = each;
	return read_document(&r, ret_json);
}

enum pawl_rc
json_read_again(struct arena *mem, struct str text, uint32_t at,
	enum json_flags flags, const struct json **ret_json,
	struct pawl_err *err)
{
	struct reader r = pristine(mem, text, flags, err);

	assert(at < text.len);
	/* Room for a few values, not for as many as the whole text may have. */
	r.cap = FEW_ENTRIES;
	r.tape = arena_array(mem, r.cap, struct json);
	if (read_whole(&r, r.start + at) == NULL)
		return err->rc;
	*ret_json = r.tape;
	return PAWL_OK;
}
