#include "cli/out.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

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

/*
 * Bytes at `s` that make one character which could steer a terminal or mislead
 * its reader: C0, DEL, C1 (as UTF-8), and the bidirectional controls.
 */
static size_t
steering(struct str s, unsigned *ret_point)
{
	const unsigned char *p = (const unsigned char *)s.ptr;

	if (p[0] < 0x20 || p[0] == 0x7f) {
		*ret_point = p[0];
		return 1;
	}
	if (s.len >= 2 && p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) {
		*ret_point = p[1];
		return 2;
	}
	if (s.len >= 3 && p[0] == 0xe2 &&
		((p[1] == 0x80 && p[2] >= 0xa8 && p[2] <= 0xae) ||
			(p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9))) {
		*ret_point = 0x2000u + ((p[1] & 0x3fu) << 6) + (p[2] & 0x3fu);
		return 3;
	}
	return 0;
}

static void
neutral(struct buf *b, struct str s, bool keep_lf)
{
	size_t from = 0, at = 0;
	unsigned point = 0;

	while (at < s.len) {
		size_t n = steering(str_part(s, at, s.len - at), &point);

		if (n == 0 || (keep_lf && point == '\n')) {
			at++;
			continue;
		}
		buf_add(b, str_part(s, from, at - from));
		buf_addf(b, "\\u%04x", point);
		at += n;
		from = at;
	}
	buf_add(b, str_part(s, from, at - from));
}

void
out_neutral(struct buf *b, struct str s)
{
	neutral(b, s, true);
}

void
out_data(struct out *o, struct str s)
{
	neutral(&o->text, s, false);
}

void
out_style(struct out *o, enum out_style style)
{
	if (o->colour)
		out_marks_push(&o->marks,
			(struct out_mark){ .at = o->text.len, .style = style });
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
		if (errno != EINTR)
			return pawl_fail_sys(
				err, ERR_OUTPUT, "could not write the answer");
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
		VEC_EACH (mark, &o->marks) {
			out_neutral(&b, str_part(text, at, mark->at - at));
			buf_add(&b, str_from(sequences[mark->style]));
			at = mark->at;
		}
		out_neutral(&b, str_part(text, at, text.len - at));
		rc = write_all(fd, buf_str(&b), err);
		buf_release(&b);
	}
	buf_clear(&o->text);
	o->marks.count = 0;
	return rc;
}
