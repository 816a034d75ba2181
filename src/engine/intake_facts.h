/*
 * intake_facts: what an intake measures about the repository.
 *
 * Bounded, and read only: tracked files, uncommitted paths, what the last
 * commits changed, whether the check's program is there; and with `probe` what
 * the check does on the base commit, in a checkout of its own (engine/trial.h).
 * What can't be measured (no repository, no commit, more
 * output than a bound allows) is said to be unknown, and is no failure.
 */
#ifndef PAWL_ENGINE_INTAKE_FACTS_H
#define PAWL_ENGINE_INTAKE_FACTS_H

#include "engine/repo.h"
#include "model/intake.h"

enum {
	INTAKE_COMMITS_MAX = 500,
	INTAKE_LOG_BYTES = 16 << 20,   /* of names that commits changed */
	INTAKE_FILES_BYTES = 32 << 20, /* of names of tracked files */
};

struct intake_measure {
	const struct repo *repo; /* NULL outside a repository */
	const char *here;        /* where the check runs; absolute */
	char *const *check;      /* its words, NULL-terminated */
	const struct intake_signals *signals;
	struct arena *mem;
	bool probe;
	int *stop_signal; /* the one that ended the probe, or 0 */
};

/* Errors: ERR_GIT, ERR_GIT_BUSY, ERR_IO, ERR_SPAWN; those of trial_run. */
PAWL_MUST_CHECK enum pawl_rc intake_facts_measure(
	const struct intake_measure *m, struct intake_facts *ret_facts,
	struct pawl_err *err);

#endif
