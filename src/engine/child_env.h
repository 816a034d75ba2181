/*
 * child_env: the environment of what is run for a task.
 *
 * Ours, without what points git elsewhere and without what is a worker's: a
 * child works where it stands, and a check of pawl's isn't inside an attempt.
 * A check is told that it is one: what a worker may have written decides
 * nothing while pawl runs it.
 */
#ifndef PAWL_ENGINE_CHILD_ENV_H
#define PAWL_ENGINE_CHILD_ENV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/*
 * NULL-terminated, in `mem`, with room for `more` variables behind the
 * `*ret_count` that are there.  One that is confined gets nothing that leads to
 * an agent, a bus or a server of the user's session.
 */
const char **child_env(
	struct arena *mem, bool confined, size_t more, size_t *ret_count);

enum { CHILD_ENV_TEMP = 3 }; /* variables that name a temporary folder */

/* Name it, in place of ours; unless it is NULL.  `env` has room for them. */
void child_env_temp(
	const char **env, size_t *count, const char *temp, struct arena *mem);

/* The same for the check `name`, whole. */
const char *const *child_env_check(
	struct arena *mem, const char *name, bool confined, const char *temp);

/* For a command of the user's that is confined: all else is as we have it. */
const char *const *child_env_command(struct arena *mem);

#endif
