#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/hardlink.h"

static void
the_names_below_a_folder_are_counted(void **state)
{
	static const struct {
		const char *make;
		uint64_t names, found;
	} rows[] = {
		{ "true", 1, 1 },
		{ "ln t/f t/g", 2, 2 },
		{ "mkdir -p t/a/b t/c; ln t/f t/a/b/f; ln t/f t/c/f", 3, 3 },
		{ "ln t/f out", 2, 1 },
		{ "ln t/f out; ln t/f t/g; mkdir t/.h; ln t/f t/.h/.f", 4, 3 },
		/* another file, and a link to the folder outside of it */
		{ "echo x >t/other; ln t/other t/third", 1, 1 },
		{ "mkdir o; ln t/f o/f; ln -s ../o t/o", 2, 1 },
		{ "ln -s f t/s", 1, 1 },
	};
	char top[] = "/tmp/pawl-hardlink-XXXXXX", line[256], path[64];

	(void)state;
	assert_non_null(mkdtemp(top));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct hardlink link = { 0 };
		struct stat st;

		(void)snprintf(line, sizeof(line),
			"cd '%s' && rm -rf t o out && mkdir t && : >t/f && %s",
			top, rows[i].make);
		/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
		assert_int_equal(system(line), 0);
		(void)snprintf(path, sizeof(path), "%s/t/f", top);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_nlink, rows[i].names);
		link.dev = st.st_dev;
		link.inode = st.st_ino;
		(void)snprintf(path, sizeof(path), "%s/t", top);
		hardlink_count(path, &link, 1);
		assert_int_equal(link.found, rows[i].found);
		hardlink_count("/nowhere", &link, 1);
		assert_int_equal(link.found, rows[i].found);
	}
	(void)snprintf(line, sizeof(line), "rm -rf '%s'", top);
	/* NOLINTNEXTLINE(cert-env33-c): the test's own text */
	assert_int_equal(system(line), 0);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_names_below_a_folder_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
