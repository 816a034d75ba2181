#include "child/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum pawl_rc
stream_open(struct stream *s, int *ret_write, struct pawl_err *err)
{
	int ends[2];

	*s = (struct stream){ .fd = -1 };
	sha256_init(&s->sha);
	if (pipe2(ends, O_CLOEXEC) != 0)
		return pawl_fail_sys(err, ERR_IO, "could not make a pipe");
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
		die("could not set up a pipe");
	s->fd = ends[0];
	*ret_write = ends[1];
	return PAWL_OK;
}

static void
pass_on(struct stream *s, const struct mask *mask, struct log *log,
	struct str bytes, bool end)
{
	struct buf out = { 0 };

	mask_feed(mask, &s->mask, bytes, end, &out);
	s->bytes += out.len;
	sha256_add(&s->sha, buf_str(&out));
	log_add(log, buf_str(&out));
	buf_release(&out);
}

bool
stream_read(
	struct stream *s, const struct mask *mask, struct log *log, size_t max)
{
	char bytes[64 << 10];
	bool any = false;

	for (size_t got = 0; s->fd >= 0 && got < max;) {
		ssize_t n = read(s->fd, bytes, sizeof(bytes));

		if (n > 0) {
			pass_on(s, mask, log, (struct str){ bytes, (size_t)n },
				false);
			got += (size_t)n;
			any = true;
		} else if (n < 0 && errno == EAGAIN) {
			break;
		} else if (n == 0 || errno != EINTR) {
			(void)close(s->fd); /* only read from */
			s->fd = -1;
		}
	}
	return any;
}

void
stream_end(struct stream *s, const struct mask *mask, struct log *log,
	struct stream_total *ret_total)
{
	pass_on(s, mask, log, (struct str){ 0 }, true);
	s->masked = s->mask.hits;
	ret_total->bytes = s->bytes;
	sha256_end(&s->sha, ret_total->digest);
	mask_stream_release(&s->mask);
	if (s->fd >= 0)
		(void)close(s->fd);
	s->fd = -1;
}
