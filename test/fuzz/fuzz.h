/*
 * fuzz: what every harness in this folder is made of.
 *
 * A harness is fuzz_NAME.c with LLVMFuzzerTestOneInput, a line in meson.build,
 * at least one input in corpus/NAME/ and, where it helps, a NAME.dict.  It
 * states a property of the code, with FUZZ_CHECK: that nothing crashes is the
 * least of them.  The same file is built twice: with replay_main.c for the
 * normal test run, and with libFuzzer's main under -Dfuzz=true
 * (tools/fuzz.sh).
 */
#ifndef PAWL_TEST_FUZZ_H
#define PAWL_TEST_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

/* Always returns 0, as libFuzzer wants it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline struct str
fuzz_str(const uint8_t *data, size_t size)
{
	return (struct str){ (const char *)data, size };
}

/* End the process, which is how a fuzzer reports, unless `x` holds. */
#define FUZZ_CHECK(x)                                                  \
	do {                                                           \
		if (!(x)) {                                            \
			(void)fprintf(stderr, "%s:%d: %s is not so\n", \
				__FILE__, __LINE__, #x);               \
			abort();                                       \
		}                                                      \
	} while (0)

#endif
