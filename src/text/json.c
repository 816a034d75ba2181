#include "text/json.h"

/* U+FEFF, the byte order mark. */
#define MARK "\xef\xbb\xbf"

const struct json *
json_get(const struct json *v, struct str key)
{
	const struct json *at;

	if (v == NULL || v->kind != JSON_OBJECT)
		return NULL;
	at = v + 1;
	for (uint32_t i = 0; i < v->count; i++) {
		if (str_eq(at->text, key))
			return at + 1;
		at += 1 + at[1].span;
	}
	return NULL;
}

struct str
json_str(const struct json *v)
{
	return v != NULL && v->kind == JSON_STRING ? v->text
						   : (struct str){ NULL, 0 };
}

int64_t
json_int(const struct json *v)
{
	return v != NULL && v->kind == JSON_INT ? v->n : 0;
}

bool
json_bool(const struct json *v)
{
	return v != NULL && v->kind == JSON_BOOL && v->n != 0;
}

/* Bytes of a mark in front: the first line starts behind it. */
static uint32_t
mark_len(struct str text)
{
	return str_starts(text, STR(MARK)) ? sizeof(MARK) - 1 : 0;
}

void
json_place(struct str text, size_t at, uint32_t *ret_line, uint32_t *ret_column)
{
	struct str rest = str_part(text, mark_len(text), text.len);
	uint32_t line = 1;
	size_t start = at < mark_len(text) ? 0 : mark_len(text);

	for (;;) {
		size_t next = start + str_find(rest, '\n') + 1;

		if (next > at || next > text.len)
			break;
		line++;
		start = next;
		rest = str_part(text, start, text.len);
	}
	*ret_line = line;
	*ret_column = (uint32_t)(at - start) + 1;
}

static uint32_t
count_lf(struct str s)
{
	uint32_t n = 0;

	for (size_t at = str_find(s, '\n'); at < s.len; n++)
		at += 1 + str_find(str_part(s, at + 1, s.len), '\n');
	return n;
}

/* The starts of the lines that begin in the text from `at` up to `end`. */
static uint32_t
add_starts(struct str text, uint32_t at, uint32_t end, uint32_t *to)
{
	uint32_t n = 0;

	while (at < end) {
		struct str part = str_part(text, at, end - at);
		size_t lf = str_find(part, '\n');

		if (lf == part.len)
			break;
		at += (uint32_t)lf + 1;
		to[n++] = at;
	}
	return n;
}

void
json_lines_find(struct json_lines *lines, struct arena *mem,
	const struct json *root, struct str text)
{
	uint32_t *starts =
		arena_array(mem, (size_t)count_lf(text) + 1, uint32_t);
	uint32_t at = mark_len(text);
	uint32_t n = 0;

	starts[n++] = at;
	for (uint32_t i = 0; i < root->span; i++) {
		n += add_starts(text, at, root[i].at, starts + n);
		at = root[i].at;
		/* An LF in a string was an escape. */
		if (root[i].kind == JSON_STRING)
			at += 1 + (uint32_t)root[i].text.len;
	}
	n += add_starts(text, at, (uint32_t)text.len, starts + n);
	*lines = (struct json_lines){ starts, n };
}

void
json_where(const struct json_lines *lines, uint32_t at, uint32_t *ret_line,
	uint32_t *ret_column)
{
	uint32_t low = 0, high = lines->count;

	/* The last line that starts at or before `at`. */
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (lines->starts[middle] <= at) {
			low = middle;
		} else {
			high = middle;
		}
	}
	*ret_line = low + 1;
	*ret_column = at - lines->starts[low] + 1;
}
