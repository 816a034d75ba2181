/*
 * log: the first and the last bytes of output in one file of bounded size.
 *
 * The head is in the file as it comes.  What follows is kept in memory, the
 * newest bytes only, and log_flush() puts it behind the head; when bytes in
 * between were left out, a line says how many:
 *
 *	head (LOG_HEAD bytes)
 *	*** pawl: 123 bytes are left out here ***
 *	tail (LOG_TAIL bytes)
 *
 * The file never grows over LOG_FILE_MAX, and isn't there when nothing was
 * printed.  A log that can't be written is no reason to stop a worker: the
 * first errno is kept and told.
 */
#ifndef PAWL_CHILD_LOG_H
#define PAWL_CHILD_LOG_H

#include <stdint.h>

#include "base/bounds.h"
#include "base/err.h"

enum {
	LOG_HEAD = BOUND_OUTPUT_HEAD,
	LOG_TAIL = BOUND_OUTPUT_TAIL,
	LOG_MARK_MAX = 80,
	LOG_FILE_MAX = LOG_HEAD + LOG_TAIL + LOG_MARK_MAX,
};

struct log {
	const char *path;
	int fd;         /* -1 until the first byte */
	uint64_t bytes; /* all that were added */
	size_t head;    /* bytes in the head */
	int sys;        /* errno of the first failure, or 0 */
	char *tail; /* ring of LOG_TAIL bytes, from the first one that it holds
		       on; byte n after the head is at n % LOG_TAIL */
};

/*
 * `path` is made anew, mode 0600, with the first byte; a link in its place, and
 * what is no file, is a failure.
 */
void log_init(struct log *log, const char *path);
void log_add(struct log *log, struct str bytes);
void log_flush(struct log *log);
void log_close(struct log *log);

/* Bytes of the tail, and of what is neither in head nor tail. */
size_t log_tail(const struct log *log);
uint64_t log_dropped(const struct log *log);

#endif
