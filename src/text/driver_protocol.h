/*
 * driver_protocol: words and limits of docs/driver-protocol.md, which both
 * sides have from here: driver/serve.h answers, engine/driver_client.h asks.
 */
#ifndef PAWL_TEXT_DRIVER_PROTOCOL_H
#define PAWL_TEXT_DRIVER_PROTOCOL_H

enum {
	DRIVER_PROTOCOL = 1,
	SERVE_LINE_BYTES = 1 << 20, /* a request, and an answer */
	SERVE_REFS_MAX = 32,
	SERVE_REFS_BYTES = 8 << 10, /* of all of them, as JSON */
	SERVE_CURSOR_BYTES = 256,
	SERVE_WAIT_MS_MAX = 60000,
	SERVE_RESULT_BYTES = 256 << 10,
};

/* What can be asked: word, and the time that it may take in ms. */
/* clang-format off */
#define DRIVER_OP_MAP(X) \
	X(DRIVER_DESCRIBE, describe, 10000) \
	X(DRIVER_SELECT, select, 30000) \
	X(DRIVER_START, start, 120000) \
	X(DRIVER_OPEN, open, 120000) \
	X(DRIVER_POLL, poll, 30000) \
	X(DRIVER_SEND, send, 30000) \
	X(DRIVER_RELEASE, release, 60000) \
	X(DRIVER_RECONCILE, reconcile, 60000) \
	X(DRIVER_SURFACE, surface, 30000) \
	X(DRIVER_PRESENT, present, 30000)

/* The errors of an answer. */
#define SERVE_CODE_MAP(X) \
	X(SERVE_UNSUPPORTED, "unsupported") \
	X(SERVE_UNAVAILABLE, "unavailable") \
	X(SERVE_UNKNOWN, "unknown") \
	X(SERVE_CONFLICT, "conflict") \
	X(SERVE_REFUSED, "refused") \
	X(SERVE_CONTEXT_MISMATCH, "context_mismatch") \
	X(SERVE_NOT_FOUND, "not_found") \
	X(SERVE_INVALID, "invalid")
/* clang-format on */

#define DRIVER_OP_ENUM(name, word, limit) name,
enum driver_op { DRIVER_OP_MAP(DRIVER_OP_ENUM) DRIVER_OP_COUNT };

#define SERVE_CODE_ENUM(name, word) name,
enum serve_code { SERVE_CODE_MAP(SERVE_CODE_ENUM) SERVE_CODE_COUNT };

#endif
