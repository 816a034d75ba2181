#include "cli/out.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/die.h"
#include "text/utf8.h"

static const char *const sequences[] = {
	[OUT_PLAIN] = "\033[0m",
	[OUT_BOLD] = "\033[1m",
	[OUT_DIM] = "\033[2m",
	[OUT_GOOD] = "\033[32m",
	[OUT_BAD] = "\033[31m",
	[OUT_WAIT] = "\033[33m",
};
static_assert(sizeof(sequences) / sizeof(sequences[0]) == OUT_STYLE_COUNT,
	"a style is missing");

void
out_init(struct out *o, int fd, const char *no_color, const char *term)
{
	*o = (struct out){ 0 };
	o->terminal = isatty(fd) == 1;
	/* https://no-color.org: set, and not empty, whatever its value */
	o->colour = o->terminal && (no_color == NULL || *no_color == '\0') &&
		term != NULL && strcmp(term, "dumb") != 0;
}

void
out_release(struct out *o)
{
	buf_release(&o->text);
	out_marks_release(&o->marks);
	*o = (struct out){ 0 };
}

void
out_size(int fd, uint32_t *ret_columns, uint32_t *ret_rows)
{
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ||
		size.ws_row == 0)
		size = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	*ret_columns = size.ws_col;
	*ret_rows = size.ws_row;
}

uint32_t
out_columns(const struct out *o)
{
	uint32_t columns, rows;

	if (!o->terminal)
		return UINT32_MAX;
	out_size(STDOUT_FILENO, &columns, &rows);
	return columns;
}

void
out_text(struct out *o, const char *text)
{
	buf_add(&o->text, str_from(text));
}

void
out_f(struct out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_addv(&o->text, fmt, ap);
	va_end(ap);
}

void
out_data(struct out *o, struct str s)
{
	utf8_show(&o->text, s, UTF8_LINE);
}

/*
 * JSON for a terminal: what utf8_show() would not let through becomes an
 * escape of JSON's own, so that the document stays one.
 */
static void
add_json(struct buf *b, struct str s)
{
	struct buf shown = { 0 };
	uint32_t code;

	while (s.len > 0) {
		size_t n = utf8_next(s, &code);

		if (n == 0) {
			n = 1;
			code = 0xfffd;
		}
		buf_clear(&shown);
		utf8_show(&shown, str_part(s, 0, n), UTF8_LINES);
		if (str_eq(buf_str(&shown), str_part(s, 0, n))) {
			buf_add(b, buf_str(&shown));
		} else if (code < 0x10000) {
			buf_addf(b, "\\u%04x", code);
		} else {
			buf_addf(b, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10),
				0xdc00 + (code & 0x3ff));
		}
		s = str_part(s, n, s.len);
	}
	buf_release(&shown);
}

void
out_style(struct out *o, enum out_style style)
{
	if (o->colour) {
		out_marks_push(&o->marks,
			(struct out_mark){ .at = o->text.len, .style = style });
	}
}

static enum pawl_rc
write_all(int fd, struct str s, struct pawl_err *err)
{
	while (s.len > 0) {
		ssize_t n = write(fd, s.ptr, s.len);

		if (n >= 0) {
			s = str_part(s, (size_t)n, s.len - (size_t)n);
			continue;
		}
		if (errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			(void)poll(&p, 1, -1); /* the next write tells */
			continue;
		}
		if (errno != EINTR) {
			return pawl_fail_sys(
				err, ERR_OUTPUT, "could not write the answer");
		}
	}
	return PAWL_OK;
}

enum pawl_rc
out_write(struct out *o, int fd, struct pawl_err *err)
{
	struct str text = buf_str(&o->text);
	struct buf b = { 0 };
	const struct out_mark *mark;
	size_t at = 0;
	enum pawl_rc rc;

	if (!o->terminal) {
		rc = write_all(fd, text, err);
	} else {
		/* Home, and clear below: one write, so a board doesn't blink.
		 */
		if (o->anew)
			buf_add(&b, STR("\033[H\033[J"));
		VEC_EACH (mark, &o->marks) {
			utf8_show(&b, str_part(text, at, mark->at - at),
				UTF8_LINES);
			buf_add(&b, str_from(sequences[mark->style]));
			at = mark->at;
		}
		if (o->json) {
			add_json(&b, text);
		} else {
			utf8_show(&b, str_part(text, at, text.len), UTF8_LINES);
		}
		rc = write_all(fd, buf_str(&b), err);
		buf_release(&b);
	}
	buf_clear(&o->text);
	o->marks.count = 0;
	o->anew = false;
	return rc;
}
