/*
 * line: the lines of a Markdown task list, and what each one is.
 *
 * A line ends at LF, CR LF or a lone CR; a byte order mark at the start of the
 * text belongs to no line.  Indentation is counted in columns, with a tab stop
 * every four, as CommonMark has it (section 2.2).
 */
#ifndef PAWL_MODEL_LINE_H
#define PAWL_MODEL_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct line {
	struct str text; /* without indentation and blanks at the end */
	size_t at;       /* offset of its first byte */
	size_t text_at;  /* offset of `text` */
	size_t next_at;  /* offset of the next line, or the text's length */
	uint32_t indent; /* columns */
	uint32_t number; /* from 1 */
};

/* The walk over a text; zeroed but for `text`, and `lone_cr` as found. */
struct lines {
	struct str text;
	bool lone_cr; /* some lines end in a CR alone */
	size_t at;
	uint32_t number;
};

struct lines lines_of(struct str text, bool lone_cr);

/* The next line; false at the end. */
bool lines_next(struct lines *l, struct line *ret_line);

/* A box with what follows it; `ret_title` may be empty. */
struct box {
	struct str id;    /* the first word; may be empty */
	struct str title; /* the rest */
	bool checked;
};

bool line_is_box(const struct line *l, struct box *ret_box);

/* Nearly a box: a bullet with brackets that hold no single space or x. */
bool line_is_box_slip(const struct line *l);

bool line_is_heading(const struct line *l);

/* The fence of a code block: its character and length. */
struct fence {
	char sign;
	size_t len; /* 0: outside of code */
};

bool line_opens_fence(const struct line *l, struct fence *ret_fence);
bool line_closes_fence(const struct line *l, struct fence fence);

/* A line `Name: value`, with an optional `- ` before the name. */
struct field_line {
	struct str name;
	struct str value; /* may be empty */
	size_t name_at, value_at;
};

bool line_is_field(const struct line *l, struct field_line *ret_field);

#endif
