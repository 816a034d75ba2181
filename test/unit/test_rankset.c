#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rand.h"
#include "model/rankset.h"

enum { SIZE_MAX_TRIED = 5000 };

/* The next member by looking at each number. */
static bool
next_slowly(const bool *in, uint32_t size, uint32_t from, uint32_t *ret_n)
{
	for (uint32_t n = from; n < size; n++) {
		if (in[n]) {
			*ret_n = n;
			return true;
		}
	}
	return false;
}

static void
assert_same(const struct rankset *r, const bool *in, uint32_t from)
{
	uint32_t a = 7, b = 7;
	bool found = next_slowly(in, r->size, from, &a);

	assert_int_equal(rankset_next(r, from, &b), found);
	assert_int_equal(a, b);
}

/* Sizes around the edges of words and of words of words. */
static void
it_knows_its_next_member_as_a_slow_set_does(void **state)
{
	static const uint32_t sizes[] = { 0, 1, 2, 63, 64, 65, 127, 128, 4095,
		4096, 4097, SIZE_MAX_TRIED };
	static bool in[SIZE_MAX_TRIED];
	struct rand rand = rand_seeded(3);

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint32_t size = sizes[i];
		struct rankset r;
		uint32_t members = 0;

		memset(in, 0, sizeof(in));
		rankset_init(&r, size);
		assert_same(&r, in, 0);
		for (int step = 0; size > 0 && step < 2000; step++) {
			uint32_t n = (uint32_t)(rand_u64(&rand) % size);
			bool add = rand_u64(&rand) % 3 == 0;

			members += add && !in[n];
			members -= !add && in[n];
			in[n] = add;
			if (add)
				rankset_add(&r, n);
			else
				rankset_remove(&r, n);
			assert_int_equal(r.count, members);
			assert_int_equal(rankset_has(&r, n), add);
			assert_same(&r, in, 0);
			assert_same(&r, in, n);
			assert_same(&r, in, n + 1);
			assert_same(&r, in,
				(uint32_t)(rand_u64(&rand) % (size + 70)));
		}
		rankset_release(&r);
	}
}

/* Over 64^3 numbers the highest level has more than one word. */
static void
a_million_numbers_with_one_member_each_end(void **state)
{
	static const uint32_t members[] = { 0, 63, 64, 4095, 4096, 262143,
		262144, 999999 };
	struct rankset r;
	uint32_t n;

	(void)state;
	rankset_init(&r, 1000000);
	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++) {
		assert_false(rankset_next(&r, 0, &n));
		rankset_add(&r, members[i]);
		rankset_add(&r, members[i]);
		assert_int_equal(r.count, 1);
		assert_true(rankset_next(&r, 0, &n));
		assert_int_equal(n, members[i]);
		assert_true(rankset_next(&r, members[i], &n));
		assert_false(rankset_next(&r, members[i] + 1, &n));
		rankset_remove(&r, members[i]);
		rankset_remove(&r, members[i]);
		assert_int_equal(r.count, 0);
	}
	assert_false(rankset_next(&r, UINT32_MAX, &n));
	assert_false(rankset_has(&r, 1000000));
	rankset_release(&r);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_knows_its_next_member_as_a_slow_set_does),
		cmocka_unit_test(a_million_numbers_with_one_member_each_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
