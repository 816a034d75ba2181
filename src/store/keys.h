/*
 * keys: the idempotency keys of a run's commits.
 *
 * A command that carries a key is done once: asked again with the same key and
 * the same request, its answer is rebuilt from the commit.  The last
 * BOUND_KEYS keys are known with their commit; of older ones a filter (16 KiB,
 * Bloom 1970) knows that they may have been there, and only then is the whole
 * journal read to be sure.  So a fresh key costs nothing, however long the
 * history is, and an expired one is never taken for fresh.
 *
 * Fed with every line that carries a key, in order; lies in the projection.
 */
#ifndef PAWL_STORE_KEYS_H
#define PAWL_STORE_KEYS_H

#include "store/journal.h"

enum {
	KEYS_OLD_BYTES = 16 << 10,
};

struct key {
	uint64_t seq;  /* of its commit */
	uint64_t hash; /* of the text */
	char request[LINE_REQUEST_HEX + 1];
	uint8_t len;
	char text[LINE_WORD_MAX];
};

struct keys {
	struct key *items; /* a ring once it is full */
	uint32_t count, cap;
	uint32_t next;    /* where the next goes when it is full */
	uint64_t dropped; /* how many were pushed out */
	uint8_t *old;     /* the filter; NULL while nothing was dropped */
};

/* What stands for a request in the journal: 16 hex of its bytes' SHA-256. */
void keys_request(struct str request, char ret_hex[LINE_REQUEST_HEX + 1]);

/* The commit `seq` was made under `key`; one that is there is renewed. */
void keys_add(struct keys *k, struct str key, struct str request, uint64_t seq);

/*
 * What to do with a command under `key`: `*ret_seq` is 0 for a new one, else
 * the commit that answers it.
 * Errors: ERR_KEY_CONFLICT: the key was used for another request;
 * ERR_KEY_EXPIRED: it was used too long ago; ERR_INVALID_ARGUMENT: it is no
 * word; those of journal_scan.
 */
PAWL_MUST_CHECK enum pawl_rc keys_find(const struct keys *k, struct journal *j,
	struct str key, struct str request, uint64_t *ret_seq,
	struct pawl_err *err);

/* As JSON, oldest first: {"dropped":N,"last":[[KEY,REQUEST,SEQ],…],"old":HEX}.
 */
void keys_write(const struct keys *k, struct json_writer *w);

/* Errors: ERR_CORRUPT for a shape that keys_write doesn't make. */
PAWL_MUST_CHECK enum pawl_rc keys_read(
	const struct json *v, struct keys *ret_keys, struct pawl_err *err);

void keys_release(struct keys *k);

#endif
