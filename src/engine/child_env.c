#include "engine/child_env.h"

#include <unistd.h>

#include "base/str.h"

enum { ENV_MAX = 4096 }; /* variables */

/*
 * What is about the repository, the command or the hook that pawl was called
 * from; what git itself doesn't hand on to another repository.  Settings by
 * GIT_CONFIG_COUNT are whoever's who runs pawl, for every git.
 */
static const char *const stripped[] = { "PAWL_", "GIT_DIR=", "GIT_WORK_TREE=",
	"GIT_IMPLICIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_INDEX_FILE=",
	"GIT_OBJECT_DIRECTORY=", "GIT_ALTERNATE_OBJECT_DIRECTORIES=",
	"GIT_QUARANTINE_PATH=", "GIT_NAMESPACE=", "GIT_PREFIX=",
	"GIT_INTERNAL_SUPER_PREFIX=", "GIT_CONFIG=", "GIT_CONFIG_PARAMETERS=",
	"GIT_GRAFT_FILE=", "GIT_SHALLOW_FILE=", "GIT_NO_REPLACE_OBJECTS=",
	"GIT_REPLACE_REF_BASE=" };

extern char **environ;

static bool
is_among(const struct env_prefixes *p, struct str variable)
{
	for (size_t i = 0; i < p->count; i++) {
		if (str_starts(variable, str_from(p->items[i])))
			return true;
	}
	return false;
}

const char **
child_env_without(const struct env_prefixes *out, struct arena *mem,
	size_t more, size_t *ret_count)
{
	const char **env;
	size_t count = 0, n = 0;

	while (n < ENV_MAX && environ[n] != NULL)
		n++;
	env = arena_array(mem, n + more + 1, const char *);
	for (size_t i = 0; i < n; i++) {
		if (!is_among(out, str_from(environ[i])))
			env[count++] = environ[i];
	}
	*ret_count = count;
	return env;
}

const char **
child_env(struct arena *mem, size_t more, size_t *ret_count)
{
	static const struct env_prefixes out = { stripped,
		sizeof(stripped) / sizeof(stripped[0]) };

	return child_env_without(&out, mem, more, ret_count);
}

const char *const *
child_env_check(struct arena *mem, const char *name)
{
	size_t count;
	const char **env = child_env(mem, 1, &count);

	env[count] = arena_format(mem, "PAWL_CHECK=%s", name).ptr;
	return env;
}
