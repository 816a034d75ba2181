/*
 * sha256_blocks: the compression function of SHA-256, once portable and once
 * with the processor's SHA instructions.
 *
 * Only sha256.c and its test include this.  Both take `count` whole blocks of
 * 64 bytes and fold them into the eight words of `h`.
 *
 * Source: FIPS 180-4, sections 4.1.2, 4.2.2 and 6.2.2.
 */
#ifndef PAWL_BASE_SHA256_BLOCKS_H
#define PAWL_BASE_SHA256_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

typedef void sha256_blocks_fn(uint32_t h[8], const uint8_t *p, size_t count);

/* First 32 bits of the fractional parts of the cube roots of the primes to 311.
 */
extern const uint32_t sha256_k[64];

void sha256_blocks_scalar(uint32_t h[8], const uint8_t *p, size_t count);

/* The one with SHA instructions, or NULL where this processor has none. */
sha256_blocks_fn *sha256_blocks_native(void);

#endif
