/*
 * confined: how a run's workers and checks are kept to their contracts, as far
 * as the record says: for the human who is asked to trust their work.
 */
#ifndef PAWL_MODEL_CONFINED_H
#define PAWL_MODEL_CONFINED_H

#include "model/state.h"

/*
 * The level, and what some kernel of the run didn't enforce of it: `off`;
 * `best-effort`; `best-effort, not enforced: tcp, ioctl`.  In `mem`.
 */
struct str confined_words(const struct state *s, struct arena *mem);

/* The words of what wasn't enforced, each once; in `mem`. */
struct strs confined_lacks(const struct state *s, struct arena *mem);

/* Is there nothing that a human should be told? */
bool is_confined(const struct state *s);

/*
 * Of an attempt that ended badly, or of a check that failed: that it ran in a
 * sandbox, and what would have granted it more.  No guess about the cause.
 * Empty when there is nothing to say.
 */
struct str confined_hint(const struct state *s, uint32_t attempt);
struct str confined_check_hint(const struct state *s, uint32_t check);

#endif
