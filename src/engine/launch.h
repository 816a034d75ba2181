/*
 * launch: how a run comes to be.
 *
 * Creating a run freezes its list and the decision derived from it, measures
 * the repository, and appends `run_started` with this process as the
 * coordinator of generation 1.  A vacant run (`pawl task start`) has no
 * coordinator yet: its capsule is written first, and whoever claims it by the
 * capsule coordinates generation 1.  Later ones take over (engine/takeover.h).
 */
#ifndef PAWL_ENGINE_LAUNCH_H
#define PAWL_ENGINE_LAUNCH_H

#include "base/rand.h"
#include "engine/cage.h"
#include "engine/repo.h"
#include "engine/run.h"
#include "model/agent_profile.h"

struct launch {
	const struct place *place;
	const struct repo *repo; /* NULL outside a repository */
	struct rand *rand;
	struct arena *mem;
	const char *list_path; /* as given, for messages and the record */
	struct str list;       /* its bytes */
	struct strs argv;      /* of the worker */
	struct str agent;      /* whose command that is; empty: nobody's */
	struct agent_profiles agents; /* that were named; tasks may name more */
	struct strs secrets;   /* variables whose values logs must not show */
	struct str permission; /* whose act it is, such as `local:ada` */
	struct str author;     /* likewise, or `coordinator:c1` */
	struct str driver;     /* of a vacant run: word, or `auto` */
	const char *decision_path; /* as given; NULL: it is derived */
	struct str decision;       /* its bytes */
	bool vacant;               /* it waits for a claim */
	bool drives;               /* each task needs a worker of ours */
	struct str key;            /* idempotency key, or empty */
	uint64_t slots;            /* workers at once */
	struct strs capacity;      /* CLASS=N, of what tasks need */
	struct cage_wish cages;    /* of workers and checks */
	bool allow_dirty;
	bool strict;
};

/*
 * Make a run and open it as its coordinator; `*ret_run` is closed by the
 * caller.
 *
 * Errors: those of tasks_parse, prefixed with the list's path;
 * ERR_UNSUPPORTED_FIELD for a field that this version can't honour;
 * ERR_NEEDS_REPOSITORY; ERR_DIRTY_SCOPE with the paths; those of decision_check
 * and rundir_create; ERR_STOP_CONDITION when the decision itself says that
 * nothing is to begin.
 */
PAWL_MUST_CHECK enum pawl_rc launch_create(
	const struct launch *l, struct run *ret_run, struct pawl_err *err);

/*
 * The run that was made under the launch's key, closed or not; empty when there
 * is none, or no key.  What a key stands for is all that freezes a run.
 *
 * Errors: ERR_KEY_CONFLICT when the run was made of something else.
 */
PAWL_MUST_CHECK enum pawl_rc launch_again(
	const struct launch *l, struct str *ret_id, struct pawl_err *err);

/* Would it be made, and with how many tasks?  Writes nothing; errors: those of
 * launch_create up to the first effect. */
PAWL_MUST_CHECK enum pawl_rc launch_rehearse(
	const struct launch *l, uint32_t *ret_tasks, struct pawl_err *err);

/* The only active run that froze exactly this list; empty when none. */
PAWL_MUST_CHECK enum pawl_rc launch_find(const struct place *place,
	struct str list, struct arena *mem, struct str *ret_id,
	struct pawl_err *err);

/*
 * Is `decision` the one that the run froze?  Errors: ERR_DECISION_STALE.
 */
PAWL_MUST_CHECK enum pawl_rc launch_same_decision(
	const struct run *r, struct str decision, struct pawl_err *err);

/* Is the run's coordinator known to be alive? */
bool launch_is_driven(const struct run *r);

#endif
