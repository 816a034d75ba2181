/*
 * settings: what a repository's configuration makes git run, or not see.
 *
 * Most of what a configuration can name is switched off for every git of ours
 * (git.h).  What is left is part of what the content of a file means: clean and
 * smudge filters, merge drivers, how ends of lines, modes, links and names
 * count.  A user has them for a reason, and a worker that reaches the
 * repository's folder could plant one: a program that would run outside of its
 * sandbox, by our next look at its work.
 *
 * So those that the repository itself sets are kept when a run begins, before
 * anybody works, and they must be the same before each
 * later look: same names, same values, includes followed, and the same
 * info/attributes.  Any other setting may change at any time.
 *
 * The file (in the run's folder): the digest of the files that were read, then
 * the settings as `git config -z` lists them.  As long as the files are the
 * same git isn't asked; one that includes others is asked about each time.
 *
 * What a user's own or the machine's configuration says isn't looked at.
 */
#ifndef PAWL_ENGINE_SETTINGS_H
#define PAWL_ENGINE_SETTINGS_H

#include "engine/repo.h"

#define SETTINGS_FILE "git-settings"

enum {
	SETTINGS_FILE_MAX = 1 << 20, /* bytes of one file of the repository's */
	SETTINGS_LIST_MAX = 4 << 20, /* bytes of all settings */
};

/*
 * Are the settings of `repo` those in `file` (absolute)?  When it isn't there,
 * they are kept in it.
 *
 * Errors: ERR_SETTINGS_CHANGED, with the name of one that differs; ERR_LIMIT;
 * ERR_GIT; ERR_IO.  Cost: no process while no file has changed.
 */
PAWL_MUST_CHECK enum pawl_rc settings_hold(
	const struct repo *repo, const char *file, struct pawl_err *err);

#endif
