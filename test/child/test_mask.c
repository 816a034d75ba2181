#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "child/mask.h"

/* Feed `text` in pieces of `piece` bytes; the caller releases the result. */
static struct buf
feed(const struct mask *m, struct str text, size_t piece, uint64_t *ret_hits)
{
	struct mask_stream s = { 0 };
	struct buf out = { 0 };

	for (size_t at = 0; at < text.len; at += piece) {
		size_t len = text.len - at < piece ? text.len - at : piece;

		mask_feed(m, &s, str_part(text, at, len), false, &out);
	}
	mask_feed(m, &s, (struct str){ 0 }, true, &out);
	assert_int_equal(s.held.len, 0);
	*ret_hits = s.hits;
	mask_stream_release(&s);
	return out;
}

static const struct {
	const char *secrets[4];
	const char *text;
	const char *masked;
	uint64_t hits;
} rows[] = {
	{ { "abc" }, "", "", 0 },
	{ { "abc" }, "xabcx", "x***x", 1 },
	{ { "abc" }, "abc", "***", 1 },
	{ { "abc" }, "ab", "ab", 0 },
	{ { "abc" }, "aabababc", "aabab***", 1 },
	{ { "abc" }, "abcabc", "***", 1 },
	{ { "abc" }, "abc-abc", "***-***", 2 },
	{ { "aab" }, "aaab", "a***", 1 },
	{ { "a" }, "banana", "b***n***n***", 3 },
	/* The longer one counts, also when the shorter comes first. */
	{ { "key", "keychain" }, "keychain key keych", "*** *** ***ch", 3 },
	/* Overlapping ones are one. */
	{ { "abcd", "cdef" }, "xabcdefx", "x***x", 1 },
	{ { "abab" }, "ababab", "***", 1 },
	/* A longer one that may begin inside a shorter one. */
	{ { "abc", "bcdefgh" }, "abcdefgx", "***defgx", 1 },
	{ { "abc", "bcdefgh" }, "abcdefghx", "***x", 1 },
	/* A key of several lines, with other line ends. */
	{ { "BEGIN KEY\n12345678\nEND" }, "12345678\r\nEND", "***\r\nEND", 1 },
	{ { "BEGIN KEY\n12345678\nEND" }, "BEGIN KEY\n12345678\nEND", "***",
		1 },
	{ { "", "xyz" }, "no", "no", 0 },
	{ { "\xff\x80" }, "\xff\xff\x80", "\xff***", 1 },
};

static void
secrets_are_masked_in_pieces_of_every_size(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct mask m = { 0 };

		for (size_t k = 0; k < 4 && rows[i].secrets[k]; k++)
			assert_true(mask_add(&m, str_from(rows[i].secrets[k])));
		for (size_t piece = 1; piece < 24; piece++) {
			uint64_t hits = 0;
			struct buf out =
				feed(&m, str_from(rows[i].text), piece, &hits);

			assert_string_equal(
				out.data ? out.data : "", rows[i].masked);
			assert_int_equal(hits, rows[i].hits);
			buf_release(&out);
		}
		mask_release(&m);
	}
}

/* No more is held back than what may still become a secret. */
static void
what_is_decided_leaves_at_once(void **state)
{
	struct mask m = { 0 };
	struct mask_stream s = { 0 };
	struct buf out = { 0 };

	(void)state;
	assert_true(mask_add(&m, STR("secret")));
	mask_feed(&m, &s, STR("hello sec"), false, &out);
	assert_string_equal(out.data, "hello ");
	mask_feed(&m, &s, STR("ond"), false, &out);
	assert_string_equal(out.data, "hello second");
	buf_release(&out);
	mask_stream_release(&s);
	mask_release(&m);
}

/* A slow but obvious way to the same result, on random texts of few letters. */
static void
random_texts_agree_with_the_obvious_way(void **state)
{
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		char text[40], secret[2][6] = { "", "" }, plain[200] = "";
		bool covered[40] = { false };
		struct mask m = { 0 };
		struct buf out;
		uint64_t hits;
		size_t at = 0;

		for (size_t i = 0; i < sizeof(text) + 12; i++) {
			seed = seed * 6364136223846793005u +
				1442695040888963407u;
			if (i < sizeof(text)) {
				text[i] = (char)('a' + (seed >> 33) % 2);
			} else {
				secret[i % 2][(i - sizeof(text)) / 2] =
					(char)('a' + (seed >> 33) % 2);
			}
		}
		text[39] = '\0';
		secret[0][2 + round % 4] = '\0';
		secret[1][1 + round % 5] = '\0';
		for (size_t k = 0; k < 2; k++) {
			size_t len = strlen(secret[k]);

			assert_true(mask_add(&m, str_from(secret[k])));
			for (size_t i = 0; i + len <= 39; i++) {
				if (memcmp(text + i, secret[k], len) == 0)
					memset(covered + i, 1, len);
			}
		}
		for (size_t i = 0; i < 39; i++) {
			if (!covered[i]) {
				plain[at++] = text[i];
			} else if (i == 0 || !covered[i - 1]) {
				memcpy(plain + at, "***", 3);
				at += 3;
			}
		}
		plain[at] = '\0';
		out = feed(&m, str_from(text), 1 + (size_t)round % 7, &hits);
		assert_string_equal(out.data, plain);
		buf_release(&out);
		mask_release(&m);
	}
}

static void
limits_hold_below_at_and_above(void **state)
{
	struct mask m = { 0 };
	char *big = malloc(MASK_BYTES_MAX + 1);

	(void)state;
	assert_non_null(big);
	memset(big, 'x', MASK_BYTES_MAX + 1);
	assert_false(mask_add(&m, (struct str){ big, MASK_BYTES_MAX + 1 }));
	assert_true(mask_add(&m, (struct str){ big, MASK_BYTES_MAX - 1 }));
	assert_true(mask_add(&m, (struct str){ big, 1 }));
	assert_false(mask_add(&m, (struct str){ big, 1 }));
	mask_release(&m);
	for (int i = 0; i < MASK_SECRETS_MAX; i++)
		assert_true(mask_add(&m, STR("x")));
	assert_false(mask_add(&m, STR("x")));
	mask_release(&m);
	free(big);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(secrets_are_masked_in_pieces_of_every_size),
		cmocka_unit_test(what_is_decided_leaves_at_once),
		cmocka_unit_test(random_texts_agree_with_the_obvious_way),
		cmocka_unit_test(limits_hold_below_at_and_above),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
