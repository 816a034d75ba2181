#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/arena.h"
#include "base/rand.h"
#include "model/scope.h"
#include "model/scope_trie.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum {
	MANY = 100000,
	HELD_MAX = 40,
};

/* C069, C072 */
static void
writers_clash_and_readers_do_not(void **state)
{
	static const struct {
		const char *held, *asked;
		bool clash;
	} cases[] = {
		{ "src/foo", "src/foobar", false },
		{ "src/foo", "src/foo/bar", true },
		{ "src/foo/bar", "src/foo", true },
		{ "src", "src", true },
		{ "", "a/b", true },
		{ "a/b", "", true },
		{ "", "", true },
		{ "a", "b", false },
		{ "a/b/c", "a/b/d", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		for (unsigned kinds = 0; kinds < 4; kinds++) {
			struct scope_trie t = { 0 };
			uint32_t holder = 99;
			bool want = cases[i].clash && kinds != 0;

			scope_trie_add(
				&t, str_from(cases[i].held), kinds & 1, 7);
			assert_int_equal(scope_trie_conflict(&t,
						 str_from(cases[i].asked),
						 kinds >> 1, &holder),
				want);
			assert_int_equal(holder, want ? 7 : 99);
			scope_trie_remove(
				&t, str_from(cases[i].held), kinds & 1, 7);
			assert_false(scope_trie_conflict(
				&t, str_from(cases[i].asked), true, &holder));
			scope_trie_release(&t);
		}
	}
}

static void
the_holder_nearest_to_the_root_is_named(void **state)
{
	struct scope_trie t;
	uint32_t holder;

	(void)state;
	scope_trie_init(&t);
	scope_trie_add(&t, STR("a/b/c"), true, 3);
	scope_trie_add(&t, STR("a"), true, 1);
	scope_trie_add(&t, STR("a/b"), false, 2);
	assert_true(scope_trie_conflict(&t, STR("a/b/c/d"), true, &holder));
	assert_int_equal(holder, 1);
	scope_trie_remove(&t, STR("a"), true, 1);
	assert_true(scope_trie_conflict(&t, STR("a/b/c/d"), true, &holder));
	assert_int_equal(holder, 2);
	assert_true(scope_trie_conflict(&t, STR("a/b/c/d"), false, &holder));
	assert_int_equal(holder, 3);
	scope_trie_release(&t);
}

/* Two of the same: each is taken back by itself. */
static void
holds_are_counted(void **state)
{
	struct scope_trie t = { 0 };
	uint32_t holder;

	(void)state;
	scope_trie_add(&t, STR("a/b"), true, 5);
	scope_trie_add(&t, STR("a/b"), true, 5);
	scope_trie_remove(&t, STR("a/b"), true, 5);
	assert_true(scope_trie_conflict(&t, STR("a"), false, &holder));
	assert_int_equal(holder, 5);
	scope_trie_remove(&t, STR("a/b"), true, 5);
	assert_false(scope_trie_conflict(&t, STR("a"), true, &holder));
	scope_trie_release(&t);
}

struct held {
	struct str scope;
	bool writer;
	uint32_t holder;
};

/* Whether `asked` clashes with `h`, by the definition. */
static bool
clashes(const struct held *h, struct str asked, bool writer)
{
	return (h->writer || writer) && scope_overlaps(h->scope, asked);
}

/* Random adds, removes and questions against a plain list. */
static void
it_agrees_with_a_plain_list(void **state)
{
	static const char *const paths[] = { "", "a", "b", "a/a", "a/b",
		"a/a/a", "a/a/b", "b/a", "ab", "a/ab", "b/a/a/a/a" };
	struct rand r = rand_seeded(20261130);
	struct scope_trie t = { 0 };
	struct held held[HELD_MAX];
	uint32_t count = 0;

	(void)state;
	for (uint32_t step = 0; step < 60000; step++) {
		uint64_t x = rand_u64(&r);
		struct held h = { str_from(paths[x % COUNT(paths)]),
			(x >> 8) & 1, (uint32_t)(x >> 16) % 5 };
		uint32_t holder = UINT32_MAX;
		bool want = false, named = false, got;

		if ((x >> 32) % 2 && count < HELD_MAX) {
			scope_trie_add(&t, h.scope, h.writer, h.holder);
			held[count++] = h;
		} else if (count > 0) {
			uint32_t k = (uint32_t)(x >> 40) % count;

			scope_trie_remove(&t, held[k].scope, held[k].writer,
				held[k].holder);
			held[k] = held[--count];
		}
		h.scope = str_from(paths[(x >> 48) % COUNT(paths)]);
		got = scope_trie_conflict(&t, h.scope, h.writer, &holder);
		for (uint32_t i = 0; i < count; i++) {
			if (!clashes(&held[i], h.scope, h.writer))
				continue;
			want = true;
			named = named || held[i].holder == holder;
		}
		assert_int_equal(got, want);
		assert_int_equal(named, want);
	}
	scope_trie_release(&t);
}

/* 100,000 writers, each below one of few folders, all taken back. */
static void
many_writers_are_held_and_given_back(void **state)
{
	struct arena mem = ARENA_INIT;
	struct scope_trie t = { 0 };
	struct str *scopes = arena_array(&mem, MANY, struct str);
	uint32_t holder;
	uint32_t nodes;

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		scopes[i] =
			arena_format(&mem, "pkg/%u/src/file%u.c", i % 300, i);
		assert_false(scope_trie_conflict(&t, scopes[i], true, &holder));
		scope_trie_add(&t, scopes[i], true, i);
	}
	for (uint32_t i = 0; i < MANY; i++) {
		assert_true(scope_trie_conflict(&t, scopes[i], true, &holder));
		assert_int_equal(holder, i);
	}
	assert_true(scope_trie_conflict(&t, STR("pkg"), false, &holder));
	assert_false(
		scope_trie_conflict(&t, STR("pkg/1/src/x"), true, &holder));
	nodes = t.node_count;
	for (uint32_t i = 0; i < MANY; i++)
		scope_trie_remove(&t, scopes[i], true, i);
	assert_false(scope_trie_conflict(&t, STR(""), true, &holder));
	assert_int_equal(t.by_name.used, 0);
	assert_int_equal(t.by_holder.used, 0);
	/* What was given back is used again. */
	for (uint32_t i = 0; i < MANY; i++)
		scope_trie_add(&t, scopes[i], false, i);
	assert_int_equal(t.node_count, nodes);
	scope_trie_release(&t);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writers_clash_and_readers_do_not),
		cmocka_unit_test(the_holder_nearest_to_the_root_is_named),
		cmocka_unit_test(holds_are_counted),
		cmocka_unit_test(it_agrees_with_a_plain_list),
		cmocka_unit_test(many_writers_are_held_and_given_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
