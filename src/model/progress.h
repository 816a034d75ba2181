/*
 * progress: how far a run is, in one small answer, from its journal alone.
 *
 * Nothing but recorded facts counts: no terminal's title, no worker's claim, no
 * idleness.  The state is the first of enum progress_state that holds, so a run
 * is never shown better than it is: `complete` only when it was closed as pass
 * and nothing is open, and only then 100 per cent.  One closed as pass with
 * something open is `partial`, or worse.
 *
 * Everything is bounded (PROGRESS_NOW nodes, PROGRESS_LIST of all else), and
 * each list says how many there are.  Wall times are differences of lines'
 * times, so they are for people:
 *
 *	implementation  from start to report (or end), attempt by attempt, added
 *	waiting         the same, overlaps counted once: how long the
 *coordinator had a worker to wait for check           what the checks took, as
 *they were recorded audit           from a check that passed to the attempt's
 *end
 *
 * What is under way counts up to the time of the last line.  Tokens and money
 * are nowhere in a journal: they are "unavailable", never 0.
 */
#ifndef PAWL_MODEL_PROGRESS_H
#define PAWL_MODEL_PROGRESS_H

#include "model/view.h"

enum {
	PROGRESS_NOW = 3,  /* nodes at work, and nodes that come next */
	PROGRESS_LIST = 5, /* blockers, findings, cleanups of one status */
};

/* clang-format off */
#define PROGRESS_STATE_MAP(X) \
	X(PROGRESS_COMPLETE, "complete") \
	X(PROGRESS_FAILED, "failed") \
	X(PROGRESS_PARTIAL, "partial") \
	X(PROGRESS_OUTCOME_UNKNOWN, "outcome_unknown") \
	X(PROGRESS_BLOCKED, "blocked") \
	X(PROGRESS_INPUT_REQUIRED, "input_required") \
	X(PROGRESS_ACTIVE, "active")
/* clang-format on */

#define PROGRESS_ENUM(name, word) name,
enum progress_state { PROGRESS_STATE_MAP(PROGRESS_ENUM) PROGRESS_STATE_COUNT };

struct str progress_state_word(enum progress_state s);

struct progress_walls {
	uint64_t implementation_ms, waiting_ms, check_ms, audit_ms;
};

/* Is anything open that keeps a run from being complete? */
bool is_anything_open(const struct state *s);

enum progress_state progress_state(const struct state *s);

/* Of 100; at most 99 unless the state is PROGRESS_COMPLETE. */
uint32_t progress_percent(const struct state *s);

void progress_walls(const struct state *s, struct progress_walls *ret_walls);

/*
 * {"state","percent","counts":{…},"current":[…],"next":[…],"blockers":[…],
 * "findings":[…],"cleanups":{…},"durations":{…},"tokens":"unavailable",
 * "last_activity":{…}}; a list is {"items":[…],"count":N,"truncated":B}.
 */
void progress_json(struct json_writer *w, const struct state *s);

/* The same in a few lines for people. */
void progress_text(struct buf *out, const struct state *s);

#endif
