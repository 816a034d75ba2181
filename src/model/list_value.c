#include "model/list_value.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void
skip_blanks(struct list_value *l)
{
	while (l->at < l->text.len && is_blank(l->text.ptr[l->at]))
		l->at++;
}

static char
peek(const struct list_value *l)
{
	if (l->at == l->text.len)
		return '\0';
	return l->text.ptr[l->at];
}

static enum list_step
bad(struct list_value *l, const char *why)
{
	l->why = why;
	return LIST_BAD;
}

static enum list_step
end(struct list_value *l)
{
	l->at++;
	skip_blanks(l);
	if (l->at < l->text.len)
		return bad(l, "text after the ']' of a list");
	return LIST_END;
}

static enum list_step
item(struct list_value *l, struct str *ret_item)
{
	char quote = peek(l);
	size_t start = l->at;

	if (quote == '"' || quote == '\'') {
		size_t len;

		start++;
		len = str_find(str_part(l->text, start, l->text.len), quote);
		if (start + len == l->text.len)
			return bad(l, "a quote that is not closed");
		*ret_item = str_part(l->text, start, len);
		l->at = start + len + 1;
		skip_blanks(l);
		if (l->at < l->text.len && peek(l) != ',' && peek(l) != ']')
			return bad(l,
				"text after a quoted item; ',' or ']' "
				"is wanted");
	} else {
		while (l->at < l->text.len && peek(l) != ',' && peek(l) != ']')
			l->at++;
		*ret_item = str_trim(str_part(l->text, start, l->at - start));
	}
	if (ret_item->len == 0) {
		l->at = start;
		return bad(l, "an empty item");
	}
	return LIST_ITEM;
}

enum list_step
list_next(struct list_value *l, struct str *ret_item)
{
	bool first = l->at == 0;

	skip_blanks(l);
	if (first) {
		if (peek(l) != '[')
			return bad(l, "no list; '[' is wanted");
		l->at++;
		skip_blanks(l);
		if (peek(l) == ']')
			return end(l);
	} else if (peek(l) == ']') {
		return end(l);
	} else if (peek(l) == ',') {
		l->at++;
		skip_blanks(l);
	}
	if (l->at == l->text.len)
		return bad(l, "a list that is not closed by ']'");
	return item(l, ret_item);
}
