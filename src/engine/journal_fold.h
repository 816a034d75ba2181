/*
 * journal_fold: what runs of every kind do with their journal's lines.
 *
 * A run of tasks (run.h) and one of a ledger (ledger_run.h) fold other states.
 * What they share is how events get into a line and out of it, and what becomes
 * of a line that can't be folded.
 */
#ifndef PAWL_ENGINE_JOURNAL_FOLD_H
#define PAWL_ENGINE_JOURNAL_FOLD_H

#include "model/apply.h"
#include "store/journal.h"

struct journal_events {
	struct line_facts line;
	const struct event *items;
	uint32_t count;
};

/*
 * The events of a line, whichever way it was read; they and their strings live
 * as long as `mem` and what was scanned.
 *
 * Errors: those of event_read, of any of them.
 */
PAWL_MUST_CHECK enum pawl_rc journal_fold_events(const struct journal_line *jl,
	struct arena *mem, struct journal_events *ret_events,
	struct pawl_err *err);

/* The good part of the journal ends before this line; `why` says why. */
struct journal_tail journal_fold_unfit(
	const struct journal_line *line, const struct pawl_err *why);

/* Fail as a JOURNAL_CORRUPT tail says: ERR_CORRUPT or ERR_NEWER_FORMAT. */
enum pawl_rc journal_fold_fail(
	struct str run, const struct journal_tail *tail, struct pawl_err *err);

/*
 * Add an event to the draft of a line, a JSON array without its last bracket,
 * and give it as whoever reads the line will see it: written, and read back.
 * So what is folded now and what a replay folds are the same, also where a text
 * from outside wasn't UTF-8.  The event's strings lie in `mem`.
 *
 * Errors: those of event_read.
 */
PAWL_MUST_CHECK enum pawl_rc journal_fold_draft(struct buf *draft,
	const struct event *e, struct arena *mem, struct event *ret_event,
	struct pawl_err *err);

/* The event that tells a repair; its strings lie in `mem`. */
struct event journal_fold_repaired(
	const struct journal_repaired *repaired, struct arena *mem);

#endif
