/*
 * sha256: FIPS 180-4 SHA-256 and RFC 2104 HMAC over it.
 *
 * Uses the processor's SHA instructions where they are (decided once, at the
 * first use), a portable implementation elsewhere; both give the same bytes.
 */
#ifndef PAWL_BASE_SHA256_H
#define PAWL_BASE_SHA256_H

#include <stdint.h>

#include "base/str.h"

enum {
	SHA256_BYTES = 32,
	SHA256_HEX = 64,
};

struct sha256 {
	uint32_t h[8];
	uint64_t bytes;    /* taken so far */
	uint8_t block[64]; /* the part of a block that is not full */
};

void sha256_init(struct sha256 *s);
void sha256_add(struct sha256 *s, struct str bytes);
void sha256_end(struct sha256 *s, uint8_t ret_digest[SHA256_BYTES]);

/* All at once; 64 lower-case digits and a NUL. */
void sha256_hex(struct str bytes, char ret_hex[SHA256_HEX + 1]);

/* 64 lower-case digits and a NUL of a finished digest. */
void sha256_hex_of(
	const uint8_t digest[SHA256_BYTES], char ret_hex[SHA256_HEX + 1]);

/* What is wrong with a digest as text, in words that follow it; NULL when
 * nothing is.  The pattern is the same for a JSON Schema. */
const char *sha256_fault(struct str hex);
#define SHA256_PATTERN "^[0-9a-f]{64}$"

void hmac_sha256(
	struct str key, struct str bytes, uint8_t ret_mac[SHA256_BYTES]);

#endif
