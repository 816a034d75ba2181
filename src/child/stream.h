/*
 * stream: one output pipe of the worker: read, mask, count, digest.
 */
#ifndef PAWL_CHILD_STREAM_H
#define PAWL_CHILD_STREAM_H

#include "base/sha256.h"
#include "child/exitfile.h"
#include "child/log.h"
#include "child/mask.h"

struct stream {
	int fd; /* read end, non-blocking; -1 when it ended */
	struct mask_stream mask;
	struct sha256 sha;
	uint64_t bytes;  /* after masking */
	uint64_t masked; /* secrets replaced; known at the end */
};

/* `*ret_write` is the worker's end.  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc stream_open(
	struct stream *s, int *ret_write, struct pawl_err *err);

/*
 * Read what is there, at most about `max` bytes, into the log.  True when there
 * was something; at the end of the stream `fd` is closed.
 */
bool stream_read(
	struct stream *s, const struct mask *mask, struct log *log, size_t max);

/* No more will come: decide what was held back, and finish the digest.  The
 * counts stay readable. */
void stream_end(struct stream *s, const struct mask *mask, struct log *log,
	struct stream_total *ret_total);

#endif
