#include "engine/child_env.h"

#include <unistd.h>

#include "base/str.h"

enum { ENV_MAX = 4096 }; /* variables */

extern char **environ;

const char **
child_env(struct arena *mem, size_t more, size_t *ret_count)
{
	const char **env;
	size_t count = 0, n = 0;

	while (n < ENV_MAX && environ[n] != NULL)
		n++;
	env = arena_array(mem, n + more + 1, const char *);
	for (size_t i = 0; i < n; i++) {
		struct str v = str_from(environ[i]);

		if (!str_starts(v, STR("GIT_DIR=")) &&
			!str_starts(v, STR("GIT_WORK_TREE=")) &&
			!str_starts(v, STR("GIT_INDEX_FILE=")) &&
			!str_starts(v, STR("PAWL_")))
			env[count++] = environ[i];
	}
	*ret_count = count;
	return env;
}

const char *const *
child_env_check(struct arena *mem, const char *name)
{
	size_t count;
	const char **env = child_env(mem, 1, &count);

	env[count] = arena_format(mem, "PAWL_CHECK=%s", name).ptr;
	return env;
}
