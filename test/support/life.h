/*
 * life: a whole run, one commit a step, on any file system.
 *
 * Each step is what one process does: it opens the run, acts through the same
 * functions as the verb that it stands for, and closes the run.  Step n makes
 * line n + 1 of the journal, so a run tells by its length which step is next,
 * and a step that may or may not have happened is simply looked up.  No child
 * is started and no repository is needed: the tasks read.
 */
#ifndef PAWL_TEST_LIFE_H
#define PAWL_TEST_LIFE_H

#include "engine/audit.h"
#include "engine/run.h"

struct life {
	const struct fs *fs;
	struct clock clock;
	struct rand rand;
	struct place place;
	bool big;       /* so much in a line that a projection is written */
	bool again;     /* what the last human's step said of its key */
	uint64_t acked; /* commits that were acknowledged */
	struct str id;  /* of the run; empty until it is found */
	struct arena mem;
	struct pawl_err err;
};

/* So many steps from nothing to a closed run. */
size_t life_steps(void);
const char *life_step_word(size_t step);

void life_init(struct life *l, const struct fs *fs, bool big);
void life_release(struct life *l);

/* Take the step; `acked` counts it once it said "ok". */
enum pawl_rc life_step(struct life *l, size_t step);

/* Of a big life: does the step write so much that a projection is due? */
bool life_step_is_big(size_t step);

/* Does the step carry an idempotency key? */
bool life_step_has_key(size_t step);

/*
 * Look at what is on the disk, as the next process does: find the run by its
 * list, open it.  `*ret_lines` is 0 when no run was started.
 */
enum pawl_rc life_look(struct life *l, uint64_t *ret_lines);

/* Audit the run; NULL, or what a run may not be. */
const char *life_audit(struct life *l, bool repair, bool whole);

#endif
