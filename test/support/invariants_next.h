/*
 * invariants_next: what `next` names is accepted, as the run stands.
 *
 * The command that is printed is read back, and the event that its verb
 * proposes is decided about.  What the verb itself settles before (pawl's own
 * cleanups, a check that runs) is no refusal.
 */
#ifndef PAWL_TEST_INVARIANTS_NEXT_H
#define PAWL_TEST_INVARIANTS_NEXT_H

#include "run_fixture.h"

/* NULL, or the command that is refused and why, in f->mem. */
const char *invariants_next(struct run_fixture *f);

#endif
