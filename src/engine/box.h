/*
 * box: the work behind a ticked box, checked and taken over as a task's.
 *
 * A ticked box in the list is metadata: somebody says that the work is there.
 * It counts once pawl has run the task's check where the work is, in the place,
 * and the check passed; then evidence (an artifact), check and grade are one
 * event.  Nothing is recorded of a check that didn't pass.
 *
 * Of a run that works in worktrees the place must hold what the run's branch
 * holds, since that is what its other tasks begin with.
 */
#ifndef PAWL_ENGINE_BOX_H
#define PAWL_ENGINE_BOX_H

#include "engine/plumb.h"

struct box {
	uint32_t node;
	struct str import; /* the caller's id of this import */
	struct str note;   /* or empty */
};

/*
 * Import it.  A retry with the same id verifies the evidence that it left, and
 * runs nothing.
 *
 * Errors: those of decide() for `node_imported`; ERR_INVALID_ID;
 * ERR_IMPORT_CONFLICT: the id is another task's, or the task was imported under
 * another; ERR_CHECK_FAILED with the check's end; ERR_CHECK_VOID: the place
 * changed meanwhile; ERR_CHECK_STALE: the place isn't what the run's branch is;
 * ERR_DIGEST_MISMATCH, ERR_FILE_NOT_FOUND: the evidence is gone.
 */
PAWL_MUST_CHECK enum pawl_rc box_import(struct pilot *p, const struct box *box,
	bool *ret_again, struct pawl_err *err);

#endif
