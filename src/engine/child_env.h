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

#include <stddef.h>

#include "base/arena.h"

/* Beginnings of variables; one that ends in `=` is a whole name. */
struct env_prefixes {
	const char *const *items;
	size_t count;
};

/* Ours without these; else as child_env(). */
const char **child_env_without(const struct env_prefixes *out,
	struct arena *mem, size_t more, size_t *ret_count);

/*
 * NULL-terminated, in `mem`, with room for `more` variables behind the
 * `*ret_count` that are there.
 */
const char **child_env(struct arena *mem, size_t more, size_t *ret_count);

/* The same for the check `name`, whole. */
const char *const *child_env_check(struct arena *mem, const char *name);

#endif
