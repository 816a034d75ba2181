/*
 * out: text for a terminal or a pipe, and the one place that prints.
 *
 * Text is collected and written at once.  Colours are kept beside the text, not
 * in it: whatever the text holds, only out_style() can colour, and on a
 * terminal every control character but LF is shown as an escape (`\x1b`).  A
 * name or title from a file goes in by out_data(), which keeps it on one line
 * as well.
 */
#ifndef PAWL_CLI_OUT_H
#define PAWL_CLI_OUT_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

enum out_style {
	OUT_PLAIN,
	OUT_BOLD,
	OUT_DIM,
	OUT_GOOD,
	OUT_BAD,
	OUT_WAIT,
	OUT_STYLE_COUNT,
};

struct out_mark {
	size_t at; /* offset in the text */
	enum out_style style;
};

VEC_DEF(out_marks, struct out_mark);

struct out {
	struct buf text;
	struct out_marks marks;
	bool terminal; /* neutralise what could steer it */
	bool json;     /* the text is JSON: neutralise it as JSON */
	bool colour;
	bool anew; /* the next write replaces what stands on the terminal */
};

/* For a descriptor: looks whether it is a terminal, and at `no_color`. */
void out_init(struct out *o, int fd, const char *no_color, const char *term);
void out_release(struct out *o);

/* The terminal's size now; of a usual one when it doesn't tell. */
void out_size(int fd, uint32_t *ret_columns, uint32_t *ret_rows);

/* Of the terminal that it goes to; UINT32_MAX when it goes to none. */
uint32_t out_columns(const struct out *o);

void out_text(struct out *o, const char *text); /* ours: may hold LF */
void out_f(struct out *o, const char *fmt, ...) PAWL_PRINTF(2, 3);
void out_data(struct out *o, struct str s); /* theirs: kept on one line */

/* From here on; OUT_PLAIN ends it. */
void out_style(struct out *o, enum out_style style);

/* Write all of it and become empty.  Errors: ERR_OUTPUT (sys tells why). */
PAWL_MUST_CHECK enum pawl_rc out_write(
	struct out *o, int fd, struct pawl_err *err);

#endif
