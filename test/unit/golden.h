/*
 * golden: what a program writes, compared with a file of the source tree.
 *
 * The tree is $PAWL_SOURCE, or the folder where the test runs.  With UPDATE=1
 * the file is written instead, for a change that somebody wants.
 */
#ifndef PAWL_TEST_GOLDEN_H
#define PAWL_TEST_GOLDEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"

static inline void
golden_path(char *to, size_t size, const char *name)
{
	const char *source = getenv("PAWL_SOURCE");

	(void)snprintf(to, size, "%s/%s", source ? source : ".", name);
}

/* The whole of a file; what it adds to `out` may be nothing. */
static inline void
golden_read(const char *path, struct buf *out)
{
	FILE *f = fopen(path, "rb");
	size_t len;

	if (f == NULL)
		fail_msg("cannot open %s", path);
	do {
		len = fread(buf_reserve(out, 4096), 1, 4096, f);
		out->len += len;
	} while (len > 0);
	assert_int_equal(fclose(f), 0);
}

static inline void
golden_check(const char *name, struct str text)
{
	const char *update = getenv("UPDATE");
	struct buf golden = { 0 };
	char path[4096];
	size_t at = 0;

	golden_path(path, sizeof(path), name);
	if (update != NULL && update[0] == '1') {
		FILE *f = fopen(path, "wb");

		assert_non_null(f);
		assert_int_equal(fwrite(text.ptr, 1, text.len, f), text.len);
		assert_int_equal(fclose(f), 0);
		return;
	}
	golden_read(path, &golden);
	while (at < golden.len && at < text.len &&
		golden.data[at] == text.ptr[at])
		at++;
	if (golden.len != text.len || at < text.len) {
		fail_msg("%s differs at byte %zu: '%.*s' instead of '%.*s'",
			name, at,
			(int)(text.len - at < 60 ? text.len - at : 60),
			text.ptr + at,
			(int)(golden.len - at < 60 ? golden.len - at : 60),
			golden.data + at);
	}
	buf_release(&golden);
}

#endif
