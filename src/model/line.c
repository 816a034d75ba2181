#include "model/line.h"

#include <string.h>

enum { TAB = 4 };

struct lines
lines_of(struct str text, bool lone_cr)
{
	struct lines l = { .text = text, .lone_cr = lone_cr };

	if (str_starts(text, STR("\xef\xbb\xbf")))
		l.at = 3;
	return l;
}

/* Offset of the character that ends the first line, or rest.len. */
static size_t
line_end(struct str rest, bool lone_cr)
{
	size_t end = 0;

	if (!lone_cr)
		return str_find(rest, '\n');
	while (end < rest.len && rest.ptr[end] != '\n' && rest.ptr[end] != '\r')
		end++;
	return end;
}

bool
lines_next(struct lines *l, struct line *ret_line)
{
	struct str rest = str_part(l->text, l->at, l->text.len);
	size_t end = line_end(rest, l->lone_cr);
	size_t next = end < rest.len ? end + 1 : end;
	size_t skip = 0;
	uint32_t indent = 0;

	if (rest.len == 0)
		return false;
	if (next < rest.len && rest.ptr[end] == '\r' && rest.ptr[next] == '\n')
		next++;
	for (; skip < end; skip++) {
		if (rest.ptr[skip] == '\t')
			indent = indent / TAB * TAB + TAB;
		else if (rest.ptr[skip] == ' ')
			indent++;
		else
			break;
	}
	while (end > skip &&
		(rest.ptr[end - 1] == ' ' || rest.ptr[end - 1] == '\t' ||
			rest.ptr[end - 1] == '\r'))
		end--;
	*ret_line = (struct line){
		.text = { rest.ptr + skip, end - skip },
		.at = l->at,
		.text_at = l->at + skip,
		.next_at = l->at + next,
		.indent = indent,
		.number = ++l->number,
	};
	l->at += next;
	return true;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Offset behind the blanks from `at` on. */
static size_t
past_blanks(struct str s, size_t at)
{
	while (at < s.len && is_blank(s.ptr[at]))
		at++;
	return at;
}

/* Offset behind a bullet and its blanks; 0 when there is no bullet. */
static size_t
past_bullet(struct str s)
{
	size_t at;

	if (s.len < 2 ||
		(s.ptr[0] != '-' && s.ptr[0] != '*' && s.ptr[0] != '+'))
		return 0;
	at = past_blanks(s, 1);
	return at == 1 ? 0 : at;
}

bool
line_is_box(const struct line *l, struct box *ret_box)
{
	struct str s = l->text;
	size_t at = past_bullet(s);
	size_t end;

	if (at == 0 || s.len < at + 3 || s.ptr[at] != '[' ||
		s.ptr[at + 2] != ']' ||
		(s.len > at + 3 && !is_blank(s.ptr[at + 3])))
		return false;
	if (s.ptr[at + 1] != ' ' && s.ptr[at + 1] != 'x' &&
		s.ptr[at + 1] != 'X')
		return false;
	ret_box->checked = s.ptr[at + 1] != ' ';
	at = past_blanks(s, at + 3);
	end = at;
	while (end < s.len && !is_blank(s.ptr[end]))
		end++;
	ret_box->id = str_part(s, at, end - at);
	ret_box->title = str_part(s, past_blanks(s, end), s.len);
	return true;
}

bool
line_is_box_slip(const struct line *l)
{
	struct str s = l->text;
	size_t at = 0;
	size_t end;

	if (s.len == 0 ||
		(s.ptr[0] != '-' && s.ptr[0] != '*' && s.ptr[0] != '+'))
		return false;
	at = past_blanks(s, 1);
	if (at == s.len || s.ptr[at] != '[')
		return false;
	for (end = at + 1; end < s.len && s.ptr[end] != ']'; end++) {
		if (strchr(" \txX-~", s.ptr[end]) == NULL)
			return false;
	}
	/* `- [x](link)` and `- [x][reference]` are links. */
	return end < s.len && end - at <= 4 &&
		(end + 1 == s.len ||
			(s.ptr[end + 1] != '(' && s.ptr[end + 1] != '[' &&
				s.ptr[end + 1] != ':'));
}

bool
line_is_heading(const struct line *l)
{
	size_t n = 0;

	while (n < l->text.len && l->text.ptr[n] == '#')
		n++;
	return l->indent < TAB && n >= 1 && n <= 6 &&
		(n == l->text.len || is_blank(l->text.ptr[n]));
}

bool
line_opens_fence(const struct line *l, struct fence *ret_fence)
{
	struct str s = l->text;
	size_t n = 0;

	if (s.len < 3 || (s.ptr[0] != '`' && s.ptr[0] != '~'))
		return false;
	while (n < s.len && s.ptr[n] == s.ptr[0])
		n++;
	/* CommonMark 4.5: else it is inline code. */
	if (n < 3 ||
		(s.ptr[0] == '`' &&
			str_find(str_part(s, n, s.len), '`') < s.len - n))
		return false;
	*ret_fence = (struct fence){ s.ptr[0], n };
	return true;
}

bool
line_closes_fence(const struct line *l, struct fence fence)
{
	struct str s = l->text;

	if (s.len < fence.len)
		return false;
	for (size_t i = 0; i < s.len; i++) {
		if (s.ptr[i] != fence.sign)
			return false;
	}
	return true;
}

bool
line_is_field(const struct line *l, struct field_line *ret_field)
{
	struct str s = l->text;
	size_t at = s.len > 0 && s.ptr[0] == '-' ? past_bullet(s) : 0;
	size_t end = at;
	size_t value;

	while (end < s.len &&
		(((s.ptr[end] | 0x20) >= 'a' && (s.ptr[end] | 0x20) <= 'z') ||
			((s.ptr[end] == '-' || s.ptr[end] == '_') && end > at)))
		end++;
	if (end == at || end == s.len || s.ptr[end] != ':')
		return false;
	value = past_blanks(s, end + 1);
	*ret_field = (struct field_line){
		.name = str_part(s, at, end - at),
		.value = str_part(s, value, s.len),
		.name_at = l->text_at + at,
		.value_at = l->text_at + value,
	};
	return true;
}
