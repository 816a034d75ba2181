/*
 * mask: replace secrets in a stream by `***`, wherever reads cut it.
 *
 * Bytes are held back while they may be the beginning of a secret, at most as
 * many as the longest one has.  Secrets that overlap are masked as one.  Each
 * longer line of a secret of several lines is a secret, too, since tools print
 * keys with line ends of their own.
 */
#ifndef PAWL_CHILD_MASK_H
#define PAWL_CHILD_MASK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

enum {
	MASK_SECRETS_MAX = 1024,
	MASK_BYTES_MAX = 256 << 10, /* of all secrets together */
	MASK_LINE_BYTES = 8,        /* a line shorter than this says nothing */
};

VEC_DEF(mask_secrets, struct str);

struct mask {
	struct mask_secrets secrets; /* views of the caller's */
	bool starts[256];            /* first bytes of secrets */
	size_t bytes;
};

/* One stream's place; zeroed at the start. */
struct mask_stream {
	struct buf held; /* not decided yet */
	size_t covered;  /* bytes of `held` that belong to a secret */
	bool inside;     /* the last byte that left was a secret's */
	uint64_t hits;   /* runs that were replaced */
};

/* Empty is no secret.  False when the limits don't allow it. */
bool mask_add(struct mask *m, struct str secret);
void mask_release(struct mask *m);

/* Append to `out` what of the stream is decided; at its `end`, all of it. */
void mask_feed(const struct mask *m, struct mask_stream *s, struct str bytes,
	bool end, struct buf *out);
void mask_stream_release(struct mask_stream *s);

#endif
