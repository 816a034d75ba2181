#include "child/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/die.h"

void
log_init(struct log *log, const char *path)
{
	*log = (struct log){ .fd = -1, .path = path };
}

/* With the first byte: most checks print none. */
static void
open_once(struct log *log)
{
	struct stat st;

	if (log->fd >= 0 || log->sys != 0)
		return;
	/* Non-blocking, so that a FIFO in its place can't hold us up. */
	log->fd = open(log->path,
		O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK,
		0600);
	if (log->fd < 0) {
		log->sys = errno;
	} else if (fstat(log->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		(void)close(log->fd);
		log->fd = -1;
		log->sys = EINVAL;
	}
}

static void
write_at(struct log *log, struct str bytes, size_t at)
{
	while (bytes.len > 0 && log->fd >= 0) {
		ssize_t n = pwrite(log->fd, bytes.ptr, bytes.len, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (log->sys == 0)
				log->sys = n < 0 ? errno : EIO;
			return;
		}
		bytes = str_part(bytes, (size_t)n, bytes.len - (size_t)n);
		at += (size_t)n;
	}
}

size_t
log_tail(const struct log *log)
{
	uint64_t after = log->bytes - log->head;

	return after < LOG_TAIL ? (size_t)after : LOG_TAIL;
}

uint64_t
log_dropped(const struct log *log)
{
	return log->bytes - log->head - log_tail(log);
}

void
log_add(struct log *log, struct str bytes)
{
	struct str head = bytes;
	size_t at;

	if (bytes.len == 0)
		return;
	open_once(log);
	if (head.len > LOG_HEAD - log->head)
		head.len = LOG_HEAD - log->head;
	write_at(log, head, log->head);
	log->head += head.len;
	log->bytes += head.len;
	bytes = str_part(bytes, head.len, bytes.len - head.len);
	if (bytes.len > 0 && log->tail == NULL)
		log->tail = die_alloc(1, LOG_TAIL);
	if (bytes.len > LOG_TAIL) {
		log->bytes += bytes.len - LOG_TAIL;
		bytes = str_part(bytes, bytes.len - LOG_TAIL, LOG_TAIL);
	}
	at = (size_t)((log->bytes - log->head) % LOG_TAIL);
	for (size_t n; bytes.len > 0; at = 0) {
		n = bytes.len < LOG_TAIL - at ? bytes.len : LOG_TAIL - at;
		memcpy(log->tail + at, bytes.ptr, n);
		log->bytes += n;
		bytes = str_part(bytes, n, bytes.len - n);
	}
}

void
log_flush(struct log *log)
{
	size_t at = log->head, tail = log_tail(log), start;
	uint64_t dropped = log_dropped(log);
	char mark[LOG_MARK_MAX];

	if (log->bytes == log->head)
		return;
	if (dropped > 0) {
		int n = snprintf(mark, sizeof(mark),
			"\n*** pawl: %llu bytes are left out here ***\n",
			(unsigned long long)dropped);

		write_at(log, (struct str){ mark, (size_t)n }, at);
		at += (size_t)n;
	}
	start = (size_t)((log->bytes - log->head - tail) % LOG_TAIL);
	if (start + tail <= LOG_TAIL) {
		write_at(log, (struct str){ log->tail + start, tail }, at);
	} else {
		size_t first = LOG_TAIL - start;

		write_at(log, (struct str){ log->tail + start, first }, at);
		write_at(log, (struct str){ log->tail, tail - first },
			at + first);
	}
}

void
log_close(struct log *log)
{
	if (log->fd >= 0 && close(log->fd) != 0 && log->sys == 0)
		log->sys = errno;
	log->fd = -1;
	free(log->tail);
	log->tail = NULL;
}
