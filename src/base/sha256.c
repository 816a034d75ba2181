#include "base/sha256.h"

#include <string.h>

#include "base/sha256_blocks.h"

/*
 * Which implementation this processor has.  A file-scope variable although the
 * house has none: it caches a fact that can't change while the process lives.
 */
static sha256_blocks_fn *blocks;

void
sha256_init(struct sha256 *s)
{
	if (blocks == NULL) {
		sha256_blocks_fn *native = sha256_blocks_native();

		blocks = native != NULL ? native : sha256_blocks_scalar;
	}
	/* FIPS 180-4, 5.3.3; `block` needs no zeroes. */
	s->h[0] = 0x6a09e667;
	s->h[1] = 0xbb67ae85;
	s->h[2] = 0x3c6ef372;
	s->h[3] = 0xa54ff53a;
	s->h[4] = 0x510e527f;
	s->h[5] = 0x9b05688c;
	s->h[6] = 0x1f83d9ab;
	s->h[7] = 0x5be0cd19;
	s->bytes = 0;
}

void
sha256_add(struct sha256 *s, struct str bytes)
{
	const uint8_t *p = (const uint8_t *)bytes.ptr;
	size_t len = bytes.len;
	size_t held = s->bytes % 64;

	if (len == 0)
		return;
	s->bytes += len;
	if (held > 0) {
		size_t part = len < 64 - held ? len : 64 - held;

		memcpy(s->block + held, p, part);
		p += part;
		len -= part;
		if (held + part < 64)
			return;
		blocks(s->h, s->block, 1);
	}
	if (len >= 64)
		blocks(s->h, p, len / 64);
	memcpy(s->block, p + len / 64 * 64, len % 64);
}

void
sha256_end(struct sha256 *s, uint8_t ret_digest[SHA256_BYTES])
{
	size_t held = s->bytes % 64;
	uint64_t bits = s->bytes * 8;

	s->block[held++] = 0x80;
	if (held > 56) {
		memset(s->block + held, 0, 64 - held);
		blocks(s->h, s->block, 1);
		held = 0;
	}
	memset(s->block + held, 0, 56 - held);
	for (int i = 0; i < 8; i++)
		s->block[56 + i] = (uint8_t)(bits >> (56 - 8 * i));
	blocks(s->h, s->block, 1);
	for (int i = 0; i < SHA256_BYTES; i++)
		ret_digest[i] = (uint8_t)(s->h[i / 4] >> (24 - 8 * (i % 4)));
}

void
sha256_hex_of(const uint8_t digest[SHA256_BYTES], char ret_hex[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < SHA256_BYTES; i++) {
		ret_hex[2 * i] = digits[digest[i] >> 4];
		ret_hex[2 * i + 1] = digits[digest[i] & 15];
	}
	ret_hex[SHA256_HEX] = '\0';
}

void
sha256_hex(struct str bytes, char ret_hex[SHA256_HEX + 1])
{
	uint8_t digest[SHA256_BYTES];
	struct sha256 s;

	sha256_init(&s);
	sha256_add(&s, bytes);
	sha256_end(&s, digest);
	sha256_hex_of(digest, ret_hex);
}

const char *
sha256_fault(struct str hex)
{
	if (hex.len != SHA256_HEX)
		return "is not a SHA-256 of 64 digits";
	return is_lower_hex(hex) ? NULL : "is not in lower-case hexadecimal";
}

/* RFC 2104, section 2. */
void
hmac_sha256(struct str key, struct str bytes, uint8_t ret_mac[SHA256_BYTES])
{
	uint8_t inner[64] = { 0 }, outer[64];
	struct sha256 s;

	if (key.len > sizeof(inner)) {
		sha256_init(&s);
		sha256_add(&s, key);
		sha256_end(&s, inner);
	} else if (key.len > 0) {
		memcpy(inner, key.ptr, key.len);
	}
	for (size_t i = 0; i < sizeof(inner); i++) {
		outer[i] = inner[i] ^ 0x5c;
		inner[i] ^= 0x36;
	}
	sha256_init(&s);
	sha256_add(&s, (struct str){ (const char *)inner, sizeof(inner) });
	sha256_add(&s, bytes);
	sha256_end(&s, ret_mac);
	sha256_init(&s);
	sha256_add(&s, (struct str){ (const char *)outer, sizeof(outer) });
	sha256_add(&s, (struct str){ (const char *)ret_mac, SHA256_BYTES });
	sha256_end(&s, ret_mac);
}
