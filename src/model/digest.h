/*
 * digest: what a run has come to, task by task, and what to know of it.
 *
 * Made from the state alone, so it can be read of a closed run for ever: each
 * task's grade with the check that it rests on, attempts whose outcome nobody
 * knows, cleanups that are open or were kept, and degradations: what is less
 * than it looks, such as a check that the attempt itself could write.
 */
#ifndef PAWL_MODEL_DIGEST_H
#define PAWL_MODEL_DIGEST_H

#include "model/state.h"

/* What is less than it looks: code, and the word for people. */
/* clang-format off */
#define DEGRADATION_MAP(X) \
	X(DEGRADED_UNOBSERVED, "unobserved", "nothing shows whether it is done") \
	X(DEGRADED_UNKNOWN, "outcome_unknown", "nobody knows what it did") \
	X(DEGRADED_FLAGGED, "check_in_scope", "it could write what its check runs") \
	X(DEGRADED_CARRIED, "carry_forward", "it is carried forward, and the run can't pass") \
	X(DEGRADED_OVERRULED, "overruled", "a decision let the check stand against it") \
	X(DEGRADED_RETAINED, "retained", "it was kept, not removed") \
	X(DEGRADED_DIRTY, "dirty", "there was uncommitted work before the run") \
	X(DEGRADED_BUDGET, "budget", "the decision's budget isn't kept")
/* clang-format on */

#define DEGRADATION_ENUM(name, word, text) name,
enum degradation { DEGRADATION_MAP(DEGRADATION_ENUM) DEGRADATION_COUNT };

/*
 * {"run":{…},"tasks":[…],"omitted":N,"unknown":[…],"cleanups":{"pending":[…],
 * "retained":[…]},"gates":[…],"budget":[…],"degradations":[…]}, lists of at
 * most `max`.
 */
void digest_json(struct json_writer *w, const struct state *s, uint32_t max);

/* The same for people; what a name holds can't steer a terminal. */
void digest_text(struct buf *out, const struct state *s, uint32_t max);

#endif
