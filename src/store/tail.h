/*
 * tail: what is cut off the end of a journal.
 *
 * Only journal.c includes this; its other half, journal_repair, is in
 * journal.h.  The bytes are archived by digest, synced, before they are cut.
 */
#ifndef PAWL_STORE_TAIL_H
#define PAWL_STORE_TAIL_H

#include "store/journal.h"

#define JOURNAL_EVENTS "events.jsonl"
#define JOURNAL_LOCK "lock"
#define JOURNAL_POISON "poison"

/* Put the torn bytes into the run's artifacts, then cut the file and sync it.
 */
PAWL_MUST_CHECK enum pawl_rc tail_cut(const struct journal *j,
	const struct journal_tail *tail, struct journal_repaired *ret_repaired,
	struct pawl_err *err);

#endif
