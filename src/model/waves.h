/*
 * waves: which tasks of a plan could run together, step by step.
 *
 * Each wave is the greedy maximal set, under the rules of scopes, of the tasks
 * whose dependencies all stand in earlier waves.  Order: priority (higher
 * first), longest path to an end (longer first), document order.  It is how a
 * run with enough slots goes when all tasks of a wave take the same time; the
 * same plan always gives the same waves.
 *
 * Tasks that clash are not tried again and again: one that is put off waits in
 * a group named after that scope of its own which clashed.  Of writers of one
 * scope at most one can be in a wave, so only the first of a group is tried;
 * readers of one scope are kept out all or none by it.
 */
#ifndef PAWL_MODEL_WAVES_H
#define PAWL_MODEL_WAVES_H

#include "base/vec.h"
#include "model/plan.h"

enum { WAVES_CLASHES_MAX = 100 };

/* A task that could have been in a wave but for another one that is. */
struct wave_clash {
	uint32_t wave;               /* from 0 */
	uint32_t node, scope;        /* put off, and by which scope */
	uint32_t other, other_scope; /* what it clashed with */
};

struct waves {
	uint32_t *nodes; /* all, by wave, then in order */
	uint32_t *at;    /* count + 1 offsets into `nodes` */
	uint32_t count;
	uint32_t widest;  /* nodes of the largest wave */
	uint32_t writers; /* the most writers in one wave */
	struct wave_clash *clashes;
	uint32_t clash_count;
	uint32_t clashes_dropped; /* beyond WAVES_CLASHES_MAX */
};

void waves_init(struct waves *w, const struct plan *p);
void waves_release(struct waves *w);

/*
 * Nodes in the order above into `ret_node_at`, which has room for all.  The
 * place of a node in it is its rank.
 */
void waves_rank(const struct plan *p, uint32_t *ret_node_at);

#endif
