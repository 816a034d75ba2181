/*
 * scratch: a temporary folder of ours, outside of everything else.
 *
 * It is made below TMPDIR, or /tmp, with a marker that proves it ours, and
 * taken down with all that lies in it by os/rmtree.h.
 */
#ifndef PAWL_ENGINE_SCRATCH_H
#define PAWL_ENGINE_SCRATCH_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"

/* Once it is there; its texts are in the arena that it was made with. */
struct scratch {
	const char *parent, *name; /* NULL: not made */
	const char *dir;           /* absolute */
	uint64_t dev, inode;
};

/*
 * `word` stands in its name; it is not made below `outside`, unless that is
 * NULL.  Errors: ERR_UNSAFE_PATH, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc scratch_make(struct scratch *ret_scratch,
	const char *word, const char *outside, struct arena *mem,
	struct pawl_err *err);

/* `guards` as of rmtree_spec.  Nothing for one that wasn't made. */
PAWL_MUST_CHECK enum pawl_rc scratch_drop(const struct scratch *s,
	const char *const *guards, struct pawl_err *err);

#endif
