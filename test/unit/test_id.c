#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bounds.h"
#include "model/id.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* C115 */
static void
ids_follow_the_grammar(void **state)
{
	static const struct {
		struct str id;
		bool valid;
	} cases[] = {
		{ { "A", 1 }, true },
		{ { "1.1", 3 }, true },
		{ { "API-01", 6 }, true },
		{ { "a_b.c-d", 7 }, true },
		{ { "CON", 3 }, true },
		{ { "x.locks", 7 }, true },
		{ { "lock", 4 }, true },
		{ { "a-lock", 6 }, true },
		{ { "", 0 }, false },
		{ { ".", 1 }, false },
		{ { "..", 2 }, false },
		{ { "../x", 4 }, false },
		{ { "a/b", 3 }, false },
		{ { "a\\b", 3 }, false },
		{ { "/etc/x", 6 }, false },
		{ { "-rf", 3 }, false },
		{ { "a-", 2 }, false },
		{ { "a--b", 4 }, false },
		{ { "a.-b", 4 }, false },
		{ { "_a", 2 }, false },
		{ { "a\0b", 3 }, false },
		{ { "a\nb", 3 }, false },
		{ { "a b", 3 }, false },
		{ { "a@1", 3 }, false },
		{ { "a!1", 3 }, false },
		{ { "a~1", 3 }, false },
		{ { "\xc3\xa9", 2 }, false },
		{ { "a.lock", 6 }, false },
		{ { "A.LOCK", 6 }, false },
		{ { "a.LOCK", 6 }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct pawl_err err = { 0 };

		if (id_is_valid(cases[i].id) != cases[i].valid)
			fail_msg("'" STR_FMT "'", STR_ARG(cases[i].id));
		assert_int_equal(id_check(cases[i].id, &err),
			cases[i].valid ? PAWL_OK : PAWL_ENO);
		if (!cases[i].valid) {
			assert_int_equal(err.code, ERR_INVALID_ID);
			assert_true(err.hint[0] != '\0');
		}
	}
}

static void
an_id_has_at_most_128_bytes(void **state)
{
	char text[10000];
	struct pawl_err err = { 0 };

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_true(id_is_valid((struct str){ text, BOUND_ID_BYTES - 1 }));
	assert_true(id_is_valid((struct str){ text, BOUND_ID_BYTES }));
	assert_false(id_is_valid((struct str){ text, BOUND_ID_BYTES + 1 }));
	assert_int_equal(
		id_check((struct str){ text, sizeof(text) }, &err), PAWL_ENO);
	assert_non_null(strstr(err.msg, "128"));
}

static void
case_is_folded_for_comparing(void **state)
{
	(void)state;
	assert_true(id_equal_fold(STR("Api-01"), STR("aPI-01")));
	assert_false(id_equal_fold(STR("api-01"), STR("api-02")));
	assert_false(id_equal_fold(STR("api"), STR("api-02")));
	/* '@' and '`' differ by the bit that tells letters' cases apart. */
	assert_false(id_equal_fold(STR("@"), STR("`")));
	assert_int_equal(
		id_hash_fold(STR("Api-01")), id_hash_fold(STR("aPI-01")));
	assert_int_not_equal(
		id_hash_fold(STR("api-01")), id_hash_fold(STR("api-02")));
}

static void
derived_names_go_both_ways(void **state)
{
	static const enum id_sign signs[] = { ID_ATTEMPT, ID_VISIT, ID_GATE };
	static const uint32_t numbers[] = { 1, 9, 10, UINT32_MAX };

	(void)state;
	for (size_t i = 0; i < COUNT(signs); i++) {
		for (size_t k = 0; k < COUNT(numbers); k++) {
			struct buf b = { 0 };
			struct pawl_err err = { 0 };
			struct str node;
			uint32_t n;

			id_ref_format(&b, STR("API-01"), signs[i], numbers[k]);
			assert_int_equal(id_ref_parse(buf_str(&b), signs[i],
						 &node, &n, &err),
				PAWL_OK);
			assert_true(str_eq(node, STR("API-01")));
			assert_int_equal(n, numbers[k]);
			buf_release(&b);
		}
	}
}

static void
derived_names_have_one_spelling(void **state)
{
	static const char *const bad[] = { "", "@", "A", "A@", "@1", "A@0",
		"A@01", "A@+1", "A@-1", "A@1 ", "A@4294967296", "A@1@1", "A!1",
		"A~1", "A b@1", "a.lock@1" };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct pawl_err err = { 0 };
		struct str node = STR("untouched");
		uint32_t n = 77;

		if (id_ref_parse(str_from(bad[i]), ID_ATTEMPT, &node, &n,
			    &err) != PAWL_ENO)
			fail_msg("'%s'", bad[i]);
		assert_int_equal(err.code, ERR_INVALID_ID);
		assert_true(str_eq(node, STR("untouched")));
		assert_int_equal(n, 77);
	}
}

static void
run_ids_name_the_day(void **state)
{
	static const struct {
		uint64_t now_s;
		const char *day;
	} cases[] = {
		{ 0, "r-19700101-" },
		{ 86399, "r-19700101-" },
		{ 86400, "r-19700102-" },
		{ 951782400, "r-20000229-" },
		{ 951868800, "r-20000301-" },
		{ 1709164800, "r-20240229-" },
		{ 1795996800, "r-20261130-" },
		{ 4107542400, "r-21000301-" },
		{ 253402300799, "r-99991231-" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct rand r = rand_seeded(i);
		char id[ID_RUN_BYTES + 1];

		id_run_new(cases[i].now_s, &r, id);
		assert_int_equal(strlen(id), ID_RUN_BYTES);
		assert_memory_equal(id, cases[i].day, 11);
		assert_true(id_is_valid(str_from(id)));
		for (const char *p = id + 11; *p != '\0'; p++)
			assert_non_null(
				strchr("abcdefghijklmnopqrstuvwxyz234567", *p));
	}
}

/* C086, C087: the same seed gives the same id, others differ. */
static void
run_ids_carry_randomness(void **state)
{
	struct rand a = rand_seeded(1), b = rand_seeded(1);
	char first[ID_RUN_BYTES + 1], second[ID_RUN_BYTES + 1];

	(void)state;
	id_run_new(1, &a, first);
	id_run_new(1, &b, second);
	assert_string_equal(first, second);
	id_run_new(1, &b, second);
	assert_string_not_equal(first, second);
}

static int
number_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/*
 * C086: of a million ids of one day as few are alike as of a million draws from
 * 2^30: about 466, and never three times as many.  (They are drawn again.)
 */
static void
a_million_run_ids_are_spread_evenly(void **state)
{
	enum { IDS = 1000000, ALIKE_MAX = 1400 };
	static const char alphabet[] = "abcdefghijklmnopqrstuvwxyz234567";
	uint32_t *drawn = calloc(IDS, sizeof(*drawn));
	struct rand r = rand_seeded(86);
	uint32_t alike = 0;

	(void)state;
	assert_non_null(drawn);
	for (uint32_t i = 0; i < IDS; i++) {
		char id[ID_RUN_BYTES + 1];

		id_run_new(1764460800, &r, id);
		for (const char *p = id + 11; *p != '\0'; p++)
			drawn[i] = drawn[i] * 32 +
				(uint32_t)(strchr(alphabet, *p) - alphabet);
	}
	qsort(drawn, IDS, sizeof(*drawn), number_order);
	for (uint32_t i = 1; i < IDS; i++)
		alike += drawn[i] == drawn[i - 1];
	assert_in_range(alike, 1, ALIKE_MAX);
	free(drawn);
}

static void
a_prefix_ends_at_a_segment_border(void **state)
{
	(void)state;
	assert_true(id_has_prefix(STR("API-01"), STR("API-01")));
	assert_true(id_has_prefix(STR("API-01"), STR("API")));
	assert_true(id_has_prefix(STR("r-20261130-k3x7qa"), STR("r-20261130")));
	assert_true(id_has_prefix(STR("1.1"), STR("1")));
	assert_false(id_has_prefix(STR("API-01"), STR("AP")));
	assert_false(id_has_prefix(STR("API-01"), STR("API-")));
	assert_false(id_has_prefix(STR("API-01"), STR("")));
	assert_false(id_has_prefix(STR("API"), STR("API-01")));
	assert_false(id_has_prefix(STR("API-01"), STR("api")));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_follow_the_grammar),
		cmocka_unit_test(an_id_has_at_most_128_bytes),
		cmocka_unit_test(case_is_folded_for_comparing),
		cmocka_unit_test(derived_names_go_both_ways),
		cmocka_unit_test(derived_names_have_one_spelling),
		cmocka_unit_test(run_ids_name_the_day),
		cmocka_unit_test(run_ids_carry_randomness),
		cmocka_unit_test(a_million_run_ids_are_spread_evenly),
		cmocka_unit_test(a_prefix_ends_at_a_segment_border),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
