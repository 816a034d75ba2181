/*
 * golden: files under test/golden, found through $PAWL_SOURCE.
 */
#ifndef PAWL_TEST_GOLDEN_H
#define PAWL_TEST_GOLDEN_H

#include "base/buf.h"

/* Append the whole file; ends the test program when it can't be read. */
void golden_read(const char *name, struct buf *out);

/*
 * Whether the file is these bytes.  With $UPDATE set to 1 it is rewritten, and
 * they are.
 */
bool golden_is(const char *name, struct str bytes);

#endif
