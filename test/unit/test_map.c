/*
 * Names to numbers: against a plain search, with names that share their hash's
 * low bits, over every growth; and seeded randomness, whose bytes are fixed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/rand.h"

enum { NAMES = 5000 };

static struct str
name_at(const void *table, uint32_t index)
{
	const struct str *names = table;

	return names[index];
}

static void
an_empty_map_has_nothing(void **state)
{
	struct map m = { 0 };
	struct str none[1] = { { NULL, 0 } };
	uint32_t at = 77;

	(void)state;
	assert_false(map_get(&m, name_at, none, STR("a"), &at));
	assert_int_equal(at, 77);
	map_release(&m);
	map_reserve(&m, 0);
	assert_false(map_get(&m, name_at, none, STR(""), &at));
	map_release(&m);
}

static void
each_name_is_found_and_only_the_first_is_added(void **state)
{
	struct arena mem = ARENA_INIT;
	struct str *names = arena_array(&mem, NAMES, struct str);
	struct map m = { 0 };
	uint32_t at;

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++) {
		names[i] = arena_format(&mem, "n%u", i);
		assert_false(map_get(&m, name_at, names, names[i], &at));
		assert_true(map_add(&m, name_at, names, names[i], i, &at));
		assert_int_equal(at, i);
		at = NAMES;
		assert_false(map_add(&m, name_at, names, names[i], i, &at));
		assert_int_equal(at, i);
		assert_int_equal(m.count, i + 1);
	}
	for (uint32_t i = 0; i < NAMES; i++) {
		assert_true(map_get(&m, name_at, names, names[i], &at));
		assert_int_equal(at, i);
	}
	assert_false(map_get(&m, name_at, names, STR("n5000"), &at));
	assert_false(map_get(&m, name_at, names, STR(""), &at));
	map_release(&m);
	arena_reset(&mem);
}

/* A full table would search for ever: there is always an empty slot. */
static void
reserved_room_moves_no_more_and_is_never_full(void **state)
{
	static const uint32_t counts[] = { 1, 11, 12, 13, 47, 48, 49, NAMES };
	struct arena mem = ARENA_INIT;
	struct str *names = arena_array(&mem, NAMES, struct str);

	(void)state;
	for (uint32_t i = 0; i < NAMES; i++)
		names[i] = arena_format(&mem, "x%u", i * 7919);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct map m = { 0 };
		const struct map_slot *slots;
		uint32_t at;

		map_reserve(&m, counts[c]);
		slots = m.slots;
		for (uint32_t i = 0; i < counts[c]; i++)
			(void)map_add(&m, name_at, names, names[i], i, &at);
		assert_ptr_equal(m.slots, slots);
		assert_true(m.count < m.cap);
		assert_false(map_get(&m, name_at, names, STR("absent"), &at));
		map_release(&m);
	}
	arena_reset(&mem);
}

/* Source: splitmix64's published outputs for the seed 1234567. */
static void
a_seed_gives_the_same_bits_everywhere(void **state)
{
	struct rand r = rand_seeded(1234567);

	(void)state;
	assert_true(rand_u64(&r) == UINT64_C(6457827717110365317));
	assert_true(rand_u64(&r) == UINT64_C(3203168211198807973));
	assert_true(rand_u64(&r) == UINT64_C(9817491932198370423));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_map_has_nothing),
		cmocka_unit_test(
			each_name_is_found_and_only_the_first_is_added),
		cmocka_unit_test(reserved_room_moves_no_more_and_is_never_full),
		cmocka_unit_test(a_seed_gives_the_same_bits_everywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
