#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/dweller.h"

static char proc[64];

static void
process(int pid, const char *cwd)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%d", proc, pid);
	assert_int_equal(mkdir(path, 0700), 0);
	(void)snprintf(path, sizeof(path), "%s/%d/cwd", proc, pid);
	if (cwd != NULL)
		assert_int_equal(symlink(cwd, path), 0);
}

static int
setup(void **state)
{
	(void)state;
	(void)snprintf(proc, sizeof(proc), "/tmp/pawl-dweller-XXXXXX");
	assert_non_null(mkdtemp(proc));
	return 0;
}

static int
teardown(void **state)
{
	char line[128];

	(void)state;
	(void)snprintf(line, sizeof(line), "rm -rf '%s'", proc);
	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	return system(line);
}

static void
who_is_in_the_folder_or_below_is_found(void **state)
{
	(void)state;
	process(9, "/w/t");
	assert_int_equal(dweller_find(proc, "/w/t"), 9);
	assert_int_equal(dweller_find(proc, "/w"), 9);
	process(12, "/w/t/a b");
	assert_int_equal(dweller_find(proc, "/w/t"), 9);
	assert_int_equal(dweller_find(proc, "/w/t/a b"), 12);
	process(3, "/w/t/deep/er");
	assert_int_equal(dweller_find(proc, "/w/t"), 3);
}

static void
who_is_elsewhere_or_has_no_folder_is_not(void **state)
{
	(void)state;
	process(3, "/w/tt");
	process(4, "/w");
	process(5, "/w/t (deleted)"); /* it has none any more */
	process(6, NULL);
	process(7, "/");
	assert_int_equal(dweller_find(proc, "/w/t"), 0);
	assert_int_equal(dweller_find("/nowhere", "/w/t"), 0);
}

static void
the_kernel_says_so(void **state)
{
	(void)state;
	assert_int_equal(dweller_find("/proc", proc), 0);
	assert_int_equal(chdir(proc), 0);
	assert_int_equal(dweller_find("/proc", proc), getpid());
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(dweller_find("/proc", proc), 0);
}

int
main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(who_is_in_the_folder_or_below_is_found),
		TEST(who_is_elsewhere_or_has_no_folder_is_not),
		TEST(the_kernel_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
