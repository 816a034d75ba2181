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
		cmocka_unit_test(a_format_has_no_limit_of_its_own),
		cmocka_unit_test(a_size_that_wraps_ends_the_process_with_70),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
