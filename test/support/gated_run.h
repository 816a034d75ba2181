/*
 * gated_run: a started run whose nodes all wait for an approval, for tests of
 * what people may append, on any file system.
 *
 *	gated_run_init(&g, &fs_real, dir, 320);
 *	gated_run_act(&g, GATED_APPROVE, 7, &err);   as `pawl approve N-7` does
 *
 * Each act opens the run anew, as a process of its own would.
 */
#ifndef PAWL_TEST_GATED_RUN_H
#define PAWL_TEST_GATED_RUN_H

#include "engine/human.h"
#include "model/id.h"

enum gated_verb {
	GATED_APPROVE,
	GATED_DENY,
	GATED_UNBLOCK,
	GATED_TAKE_OVER, /* of the run, as `pawl run` does */
	GATED_VERBS,
};

extern const char *const gated_words[GATED_VERBS];

struct gated_run {
	struct place place;
	struct clock clock;
	char id[ID_RUN_BYTES + 1];
};

/*
 * Make the state in the folder `dir`, and the run in it.  What fails before the
 * run is there is returned, and `g` then only knows the place.
 */
PAWL_MUST_CHECK enum pawl_rc gated_run_init(struct gated_run *g,
	const struct fs *fs, int dir, uint32_t nodes, struct pawl_err *err);

/* Open it; the caller closes it. */
PAWL_MUST_CHECK enum pawl_rc gated_run_open(
	const struct gated_run *g, struct run *ret_run, struct pawl_err *err);

/* Open, do it about node number `node`, close. */
PAWL_MUST_CHECK enum pawl_rc gated_run_act(const struct gated_run *g,
	enum gated_verb verb, uint32_t node, struct pawl_err *err);

/* How many events of this type the journal has. */
uint64_t gated_run_count(const struct gated_run *g, enum event_type type);

#endif
