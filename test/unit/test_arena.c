/*
 * Arenas: alignment, zeroes, block edges, and that a reset gives all back (the
 * leak check of the sanitizer build looks at the rest).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/die.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const size_t sizes[] = { 0, 1, 15, 16, 17, 1007, 1008, 1023, 1024, 1025,
	4079, 4080, 4095, 4096, 4097, 8192, (1 << 20) - 1, 1 << 20,
	(1 << 20) + 1 };

static bool
is_zeroed(const unsigned char *p, size_t size)
{
	for (size_t i = 0; i < size; i++) {
		if (p[i] != 0)
			return false;
	}
	return true;
}

static void
each_size_is_aligned_zeroed_and_its_own(void **state)
{
	struct arena a = ARENA_INIT;
	unsigned char *got[COUNT(sizes)];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (size_t i = 0; i < COUNT(sizes); i++) {
			got[i] = arena_alloc(&a, 1, sizes[i]);
			assert_non_null(got[i]);
			assert_int_equal((uintptr_t)got[i] % 16, 0);
			assert_true(is_zeroed(got[i], sizes[i]));
			memset(got[i], (int)i + 1, sizes[i]);
		}
		for (size_t i = 0; i < COUNT(sizes); i++) {
			for (size_t at = 0; at < sizes[i]; at++)
				assert_int_equal(got[i][at], i + 1);
		}
	}
	arena_reset(&a);
}

static void
bytes_are_counted_until_the_reset(void **state)
{
	struct arena a = { 0 };

	(void)state;
	(void)arena_alloc(&a, 3, 5);
	(void)arena_bytes(&a, 7);
	assert_int_equal(a.bytes, 22);
	arena_reset(&a);
	assert_int_equal(a.bytes, 0);
	assert_null(a.newest);
	arena_reset(&a); /* an empty one, too */
}

static void
text_is_copied_with_its_end(void **state)
{
	struct arena a = ARENA_INIT;
	char from[] = "one\0two";
	struct str copy = arena_copy(&a, (struct str){ from, 7 });
	char *none = arena_strdup(&a, (struct str){ NULL, 0 });

	(void)state;
	from[0] = 'X';
	assert_int_equal(copy.len, 7);
	assert_memory_equal(copy.ptr, "one\0two", 8);
	assert_string_equal(none, "");
	arena_reset(&a);
}

/* From nothing through many sizes; with and without something behind it. */
static void
what_is_extended_keeps_its_bytes(void **state)
{
	(void)state;
	for (int crowded = 0; crowded < 2; crowded++) {
		struct arena a = ARENA_INIT;
		unsigned char *p = NULL;
		size_t old = 0;

		for (size_t i = 0; i < COUNT(sizes); i++) {
			if (crowded && i % 3 == 1)
				(void)arena_bytes(&a, 5);
			p = arena_extend(&a, p, old, sizes[i]);
			assert_int_equal((uintptr_t)p % 16, 0);
			for (size_t at = 0; at < old; at++)
				assert_int_equal(p[at], (unsigned char)at);
			for (size_t at = old; at < sizes[i]; at++)
				p[at] = (unsigned char)at;
			old = sizes[i];
		}
		arena_reset(&a);
	}
}

/* Counted once, however often it grows; a copy would count again. */
static void
the_last_one_is_extended_where_it_is(void **state)
{
	struct arena a = ARENA_INIT;
	char *p = arena_extend(&a, NULL, 0, 100);

	(void)state;
	assert_ptr_equal(arena_extend(&a, p, 100, 300), p);
	assert_int_equal(a.bytes, 300);
	p = arena_extend(&a, p, 300, 3 << 20);
	assert_int_equal(a.bytes, 3 << 20);
	(void)arena_bytes(&a, 1);
	(void)arena_extend(&a, p, 3 << 20, 4 << 20);
	assert_int_equal(a.bytes, (3 << 20) + 1 + (4 << 20));
	arena_reset(&a);
}

static void
a_format_has_no_limit_of_its_own(void **state)
{
	struct arena a = ARENA_INIT;
	struct str s = arena_format(&a, "%s-%05d", "x", 42);
	struct str wide = arena_format(&a, "%*d", 70000, 1);

	(void)state;
	assert_string_equal(s.ptr, "x-00042");
	assert_int_equal(s.len, 7);
	assert_int_equal(wide.len, 70000);
	assert_int_equal(strlen(wide.ptr), 70000);
	arena_reset(&a);
}

/* What the process ends with when it asks for count * size bytes. */
static int
status_of(bool in_arena, size_t count, size_t size)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		struct arena a = ARENA_INIT;

		(void)close(STDERR_FILENO);
		(void)(in_arena ? arena_alloc(&a, count, size)
				: die_alloc(count, size));
		_exit(0);
	}
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
a_size_that_wraps_ends_the_process_with_70(void **state)
{
	(void)state;
	for (int in_arena = 0; in_arena < 2; in_arena++) {
		assert_int_equal(status_of(in_arena, SIZE_MAX, 2), 70);
		assert_int_equal(status_of(in_arena, SIZE_MAX / 2, 3), 70);
		assert_int_equal(status_of(in_arena, 2, 2), 0);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_size_is_aligned_zeroed_and_its_own),
		cmocka_unit_test(bytes_are_counted_until_the_reset),
		cmocka_unit_test(text_is_copied_with_its_end),
		cmocka_unit_test(what_is_extended_keeps_its_bytes),
		cmocka_unit_test(the_last_one_is_extended_where_it_is),
		cmocka_unit_test(a_format_has_no_limit_of_its_own),
		cmocka_unit_test(a_size_that_wraps_ends_the_process_with_70),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
