/*
 * trial: a command on a commit, in a checkout that nobody keeps.
 *
 * The checkout is a repository of its own in a temporary folder, with the
 * commit as its HEAD; it borrows the objects of the repository that has the
 * commit.  So nothing of that repository changes, whatever the command does
 * with git or with files.  The folder is removed at the end, also when a signal
 * ends the trial.
 *
 *	$TMPDIR/pawl-base-XXXXXX/.marker	what proves that it is ours
 *	$TMPDIR/pawl-base-XXXXXX/tree/		where the command runs
 */
#ifndef PAWL_ENGINE_TRIAL_H
#define PAWL_ENGINE_TRIAL_H

#include "engine/repo.h"
#include "os/proc.h"

struct trial {
	const struct repo *repo;
	const char *commit; /* hexadecimal */
	const char *const *argv;
	uint64_t deadline_ms;
	struct arena *mem;
};

/*
 * Run it to its end.  INT, TERM and HUP end the command first: `*ret_signo` is
 * then the signal, else 0, also on failure.
 *
 * Errors: ERR_INTERRUPTED; ERR_UNSAFE_PATH when the temporary folder would lie
 * in the repository, or can't be removed as ours; ERR_GIT, ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc trial_run(const struct trial *t,
	struct proc_end *ret_end, int *ret_signo, struct pawl_err *err);

#endif
