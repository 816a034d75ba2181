/*
 * line: the codec of one journal line.
 *
 * On disk, without spaces and in this order, an LF after it
 * (docs/journal-format.md):
 *
 *	{"v":1,"seq":17,"at":"2026-11-30T11:24:23.123456Z","gen":2,
 *	 "actor":"coordinator:c1","key":"k1","request":"<16 hex>",
 *	 "events":[{…},…],"mac":"<64 hex>","chain":"<64 hex>"}
 *
 * `key` and `request` stand both or not at all; `mac` is optional; members that
 * this version doesn't know may stand between `events` and `mac`.
 *
 *	chain = SHA-256(previous chain as 64 hex || all bytes before `,"chain"`)
 *	mac = HMAC-SHA256(the run's key, all bytes before `,"mac"`)
 *
 * The previous chain of the first line is 64 zeros.  The frame is strict: a
 * line that reads well is written again, byte for byte, from what was read.
 */
#ifndef PAWL_STORE_LINE_H
#define PAWL_STORE_LINE_H

#include "base/sha256.h"
#include "model/event_plain.h"
#include "text/json.h"

enum {
	LINE_VERSION = 1,
	LINE_AT_BYTES = 27,
	LINE_REQUEST_HEX = 16,
	LINE_WORD_MAX = 128,   /* bytes of an actor, of a key */
	LINE_CHAIN_BYTES = 76, /* `,"chain":"<64 hex>"}`, which ends a line */
	LINE_MAC_BYTES = 73,   /* `,"mac":"<64 hex>"` */
};

struct line {
	uint64_t seq;       /* counts lines, from 1 */
	uint64_t gen;       /* the coordinator's generation; never falls */
	struct str at;      /* RFC 3339, UTC, microseconds; for people */
	struct str actor;   /* who, one word */
	struct str key;     /* of the command, one word; or empty */
	struct str request; /* 16 hex of the command's digest, with `key` */
	struct str mac;     /* 64 hex, or empty */
	const struct json *events; /* an array, not empty */
	const struct json
		*body; /* the object of `events` and unknown members */
	/* Instead of these two, when line_read_plain() read it. */
	const struct plain_events *plain;
};

/* Printable ASCII without space, `"` and `\`; 1 to LINE_WORD_MAX bytes. */
bool line_is_word(struct str s);

/*
 * Append the line with its chain, without LF, to `out`.
 *
 * `line` gives seq, gen, at, actor, key and request; `events` is the array as
 * JSON without spaces (unknown members may follow it, as they were read).  With
 * a `mac_key` a mac is added.  `chain` is the previous chain and becomes this
 * line's; both stay as they are on failure, apart from bytes in `out`.
 * Errors: ERR_INVALID_ARGUMENT for a key or an actor that is no word, and for
 * a time of another shape; ERR_LIMIT for more than BOUND_LINE_BYTES with the
 * LF.
 */
PAWL_MUST_CHECK enum pawl_rc line_write(struct buf *out,
	const struct line *line, struct str events, struct str mac_key,
	char chain[SHA256_HEX + 1], struct pawl_err *err);

/*
 * Does `bytes` (without LF) end in a chain that links it to `chain`?  If so,
 * `chain` becomes this line's.
 */
bool line_verify(struct str bytes, char chain[SHA256_HEX + 1]);

/* Is the mac that a verified line carries the one of `mac_key`?  Before
 * line_read, which changes the bytes. */
bool line_has_mac_of(struct str bytes, struct str mac_key);

/*
 * Read a verified line in place: the strings are views into `bytes`, which is
 * changed; the tape lies in `mem`.
 * Errors: ERR_NEWER_FORMAT for another version; ERR_CORRUPT with byte and
 * reason for everything else.
 */
PAWL_MUST_CHECK enum pawl_rc line_read(struct arena *mem, char *bytes,
	size_t len, struct line *ret_line, struct pawl_err *err);

/*
 * Read a verified line whose events are plain (model/event_plain.h) and which
 * has no members that this version doesn't know: faster, and nothing is
 * changed.  False for all others, good or bad: line_read() tells.
 */
bool line_read_plain(struct arena *mem, struct str bytes,
	struct plain_events *events, struct line *ret_line);

#endif
