/*
 * scan: the walk over a journal's lines that readers and writers share.
 *
 * Only journal.c and repair.c include this.  It reads the file in large steps
 * into one buffer, verifies each line's chain, reads it in place and calls the
 * caller; it moves j->at and keeps j->no_lf.
 */
#ifndef PAWL_STORE_SCAN_H
#define PAWL_STORE_SCAN_H

#include "store/journal.h"

struct scan_how {
	uint64_t size; /* of the file, bytes */
	/*
	 * Nobody appends now, so the end can be judged; else everything but a
	 * whole line ends the walk with JOURNAL_IN_FLIGHT.
	 */
	bool judge;
	journal_fn *fn; /* may be NULL */
	void *arg;
};

/* Walk from j->at over the open file. */
PAWL_MUST_CHECK enum pawl_rc scan_run(struct journal *j,
	const struct scan_how *how, struct journal_tail *ret_tail,
	struct pawl_err *err);

#endif
