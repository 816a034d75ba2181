/*
 * takeover: the next generation begins, whoever coordinated before.
 *
 * Allowed when the old owner is proven dead (os/owner.h) or nobody coordinates.
 * A living one, and one of which nothing can be told (another machine, a name
 * without a process), is taken over only by force, with a reason that is kept.
 *
 * The fence is the generation: an old coordinator that still runs is refused
 * with its next act, and its workers are the new one's.  Force kills a process
 * in two cases (engine/keeper.h): when it keeps the run's lock for longer than
 * any commit takes, and when it is stopped and keeps the turn of the verbs or
 * the flight of an attempt.
 *
 * Who coordinates already, by name and token, takes nothing over: it is told so
 * (`again`), and by force the same keepers are killed.
 */
#ifndef PAWL_ENGINE_TAKEOVER_H
#define PAWL_ENGINE_TAKEOVER_H

#include "engine/coordinator.h"
#include "engine/keeper.h"

struct takeover {
	struct candidate who;
	struct str reason; /* empty: the old owner is gone */
	bool force;
	struct strs argv;     /* replaces the run's worker, when it has words */
	uint64_t slots;       /* likewise, when not 0 */
	struct strs capacity; /* likewise, when it has words */
};

struct taken {
	struct keepers killed; /* also after a failure */
	bool again;            /* the key had done it before, or it is so */
};

/*
 * Begin the next generation; run->gen and run->actor are the new one's.  A name
 * takes over what was read as a whole and is sound (engine/audit.h).
 *
 * Errors: ERR_RUN_HELD with who holds it; ERR_BUSY while the lock is held;
 * ERR_REASON_NEEDED; ERR_INVALID_ID; those of audit_must_be_sound, token_save,
 * driver_select, act_find.
 */
PAWL_MUST_CHECK enum pawl_rc takeover_run(struct run *r,
	const struct takeover *t, struct taken *ret_taken,
	struct pawl_err *err);

/* Would it be taken over?  Writes nothing, takes no lock and kills nobody. */
PAWL_MUST_CHECK enum pawl_rc takeover_rehearse(struct run *r,
	const struct takeover *t, bool *ret_again, struct pawl_err *err);

#endif
