#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/die.h"
#include "base/rand.h"
#include "base/sha256.h"
#include "base/sha256_blocks.h"

/* FIPS 180-4 examples (csrc.nist.gov, "SHA256.pdf") and the empty text. */
static void
nist_vectors(void **state)
{
	static const struct {
		const char *text;
		const char *hex;
	} rows[] = {
		{ "",
			"e3b0c44298fc1c149afbf4c8996fb924"
			"27ae41e4649b934ca495991b7852b855" },
		{ "abc",
			"ba7816bf8f01cfea414140de5dae2223"
			"b00361a396177a9cb410ff61f20015ad" },
		{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
			"248d6a61d20638b8e5c026930c3e6039"
			"a33ce45964ff2167f6ecedd419db06c1" },
		{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
		  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
			"cf5b16a778af8380036ce59e7b049237"
			"0b249b11e8f07a51afac45037afee9d1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char hex[SHA256_HEX + 1];

		sha256_hex(str_from(rows[i].text), hex);
		assert_string_equal(hex, rows[i].hex);
	}
}

static void
a_million_letters_in_uneven_parts(void **state)
{
	char part[997];
	uint8_t digest[SHA256_BYTES];
	char hex[SHA256_HEX + 1];
	struct sha256 s;
	size_t left = 1000000;

	(void)state;
	memset(part, 'a', sizeof(part));
	sha256_init(&s);
	for (size_t n = 1; left > 0; n = n % sizeof(part) + 1) {
		size_t len = n < left ? n : left;

		sha256_add(&s, (struct str){ part, len });
		left -= len;
	}
	sha256_end(&s, digest);
	sha256_hex_of(digest, hex);
	assert_string_equal(hex,
		"cdc76e5c9914fb9281a1c7e284d73e67"
		"f1809a48a497200e046d39ccc7112cd0");
}

static struct str
repeat(char *to, int c, size_t len)
{
	memset(to, c, len);
	return (struct str){ to, len };
}

/* RFC 4231, section 4: test cases 1 to 4, 6 and 7 (5 tests truncation). */
static void
hmac_vectors_of_rfc_4231(void **state)
{
	char k1[20], k3[20], d3[50], k4[25], d4[50], k6[131];
	const struct {
		struct str key, data;
		const char *hex;
	} rows[] = {
		{ repeat(k1, 0x0b, 20), STR("Hi There"),
			"b0344c61d8db38535ca8afceaf0bf12b"
			"881dc200c9833da726e9376c2e32cff7" },
		{ STR("Jefe"), STR("what do ya want for nothing?"),
			"5bdcc146bf60754e6a042426089575c7"
			"5a003f089d2739839dec58b964ec3843" },
		{ repeat(k3, 0xaa, 20), repeat(d3, 0xdd, 50),
			"773ea91e36800e46854db8ebd09181a7"
			"2959098b3ef8c122d9635514ced565fe" },
		{ { k4, sizeof(k4) }, repeat(d4, 0xcd, 50),
			"82558a389a443c0ea4cc819899f2083a"
			"85f0faa3e578f8077a2e3ff46729665b" },
		{ repeat(k6, 0xaa, 131),
			STR("Test Using Larger Than Block-Size Key - "
			    "Hash Key First"),
			"60e431591ee0b67f0d8a26aacbf5b77f"
			"8e0bc6213728c5140546040f0ee37f54" },
		{ { k6, sizeof(k6) },
			STR("This is a test using a larger than block-size "
			    "key and a larger than block-size data. The key "
			    "needs to be hashed before being used by the "
			    "HMAC algorithm."),
			"9b09ffa71b942fcb27635fbcd5b0e944"
			"bfdc63644f0713938a7f51535c3a35e2" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(k4); i++)
		k4[i] = (char)(i + 1);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint8_t mac[SHA256_BYTES];
		char hex[SHA256_HEX + 1];

		hmac_sha256(rows[i].key, rows[i].data, mac);
		sha256_hex_of(mac, hex);
		assert_string_equal(hex, rows[i].hex);
	}
}

static void
both_implementations_agree_on_random_blocks(void **state)
{
	sha256_blocks_fn *native = sha256_blocks_native();
	struct rand r = rand_seeded(1);

	(void)state;
	if (native == NULL)
		skip();
	for (int round = 0; round < 300; round++) {
		size_t count = rand_u64(&r) % 40;
		uint8_t *p = die_alloc(count * 64 + 1, 1);
		uint32_t a[8], b[8];

		for (size_t i = 0; i < count * 64; i++)
			p[i] = (uint8_t)rand_u64(&r);
		for (int i = 0; i < 8; i++)
			a[i] = b[i] = (uint32_t)rand_u64(&r);
		sha256_blocks_scalar(a, p, count);
		native(b, p, count);
		assert_memory_equal(a, b, sizeof(a));
		free(p);
	}
}

/* Every length about two block ends, cut once at every place. */
static void
cuts_of_a_text_do_not_change_its_digest(void **state)
{
	char text[150];

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (char)(i * 7);
	for (size_t len = 0; len <= sizeof(text); len++) {
		struct str whole = { text, len };
		char want[SHA256_HEX + 1], got[SHA256_HEX + 1];

		sha256_hex(whole, want);
		for (size_t cut = 0; cut <= len; cut++) {
			uint8_t digest[SHA256_BYTES];
			struct sha256 s;

			sha256_init(&s);
			sha256_add(&s, str_part(whole, 0, cut));
			sha256_add(&s, str_part(whole, cut, len));
			sha256_end(&s, digest);
			sha256_hex_of(digest, got);
			assert_string_equal(got, want);
		}
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nist_vectors),
		cmocka_unit_test(a_million_letters_in_uneven_parts),
		cmocka_unit_test(hmac_vectors_of_rfc_4231),
		cmocka_unit_test(both_implementations_agree_on_random_blocks),
		cmocka_unit_test(cuts_of_a_text_do_not_change_its_digest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
