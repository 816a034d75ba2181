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

/* Move over the bytes up to `at`, counting line ends. */
static void
pass(struct json_cursor *c, struct str text, uint32_t at)
{
	while (c->at < at) {
		struct str part = str_part(text, c->at, at - c->at);
		size_t lf = str_find(part, '\n');

		if (lf == part.len)
			break;
		c->line++;
		c->at += (uint32_t)lf + 1;
		c->line_at = c->at;
	}
	if (c->at < at)
		c->at = at;
}

void
json_where(struct json_cursor *cursor, struct str text, uint32_t at,
	uint32_t *ret_line, uint32_t *ret_column)
{
	const struct json *root = cursor->root;

	if (cursor->line == 0 || at < cursor->at) {
		uint32_t first =
			str_starts(text, STR(MARK)) ? sizeof(MARK) - 1 : 0;

		*cursor = (struct json_cursor){
			.root = root, .line = 1, .at = first, .line_at = first
		};
	}
	while (cursor->entry < root->span && root[cursor->entry].at < at) {
		const struct json *v = &root[cursor->entry++];

		pass(cursor, text, v->at);
		/* An LF in here was an escape. */
		if (v->kind == JSON_STRING)
			cursor->at = v->at + 1 + (uint32_t)v->text.len;
	}
	pass(cursor, text, at);
	*ret_line = cursor->line;
	*ret_column = at - cursor->line_at + 1;
}

void
json_place(struct str text, size_t at, uint32_t *ret_line, uint32_t *ret_column)
{
	struct json_cursor c = { .line = 1 };

	if (str_starts(text, STR(MARK)) && at >= sizeof(MARK) - 1)
		c.at = c.line_at = sizeof(MARK) - 1;
	pass(&c, text, (uint32_t)at);
	*ret_line = c.line;
	*ret_column = (uint32_t)at - c.line_at + 1;
}
