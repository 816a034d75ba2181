/*
 * fingerprint: may anything below a folder have changed?
 *
 * A digest of the names, types, sizes, inodes and times of everything below it;
 * no file is read.  Two equal fingerprints that are both *settled* say that
 * nothing was written in between.  One is settled when no time in it is younger
 * than two ticks of the clock that file systems stamp with: a write in the same
 * tick as the last one seen leaves no trace in the times (the "racy" entries of
 * git's index, Documentation/technical/racy-git).  Times can't be set back by
 * ordinary means without that the change time moves.
 *
 * Not looked at: what a link points to, other mounts' contents beyond their
 * stat, and the one name at the top that is passed over.
 */
#ifndef PAWL_OS_FINGERPRINT_H
#define PAWL_OS_FINGERPRINT_H

#include <stdint.h>

#include "base/err.h"
#include "base/sha256.h"

enum { FINGERPRINT_ENTRIES_MAX = 1000000 };

struct fingerprint {
	uint8_t digest[SHA256_BYTES];
	uint64_t entries;
	bool settled;
};

/* Paths from the top, as strcmp orders them; none, when it is zero. */
struct fingerprint_paths {
	const char *const *items;
	size_t count;
};

/*
 * Take one of the folder `top`, without its entries `skip` (names, the last
 * one NULL), of what lies beside some paths: of those nothing counts, and of
 * the folders above them only what else is in them.
 * Errors: ERR_IO; ERR_LIMIT over FINGERPRINT_ENTRIES_MAX.
 */
PAWL_MUST_CHECK enum pawl_rc fingerprint_take(const char *top,
	const char *const *skip, const struct fingerprint_paths *paths,
	struct fingerprint *ret_print, struct pawl_err *err);

/* Equal, and both settled. */
bool fingerprint_same(const struct fingerprint *a, const struct fingerprint *b);

/* How long to wait until what is written now is settled, in ms. */
unsigned fingerprint_settle_ms(void);

#endif
