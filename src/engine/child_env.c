#include "engine/child_env.h"

#include <string.h>
#include <unistd.h>

#include "base/str.h"

/* Beginnings of variables; one that ends in `=` is a whole name. */
struct env_prefixes {
	const char *const *items;
	size_t count;
};

enum { ENV_MAX = 4096 }; /* variables */

/*
 * What is about the repository, the command or the hook that pawl was called
 * from; what git itself doesn't hand on to another repository.  Settings by
 * GIT_CONFIG_COUNT are whoever's who runs pawl, for every git.  Likewise what
 * is about the session of an agent that called pawl: a worker has its own.
 */
static const char *const stripped[] = { "PAWL_",
	"GIT_DIR=", "GIT_WORK_TREE=", "GIT_IMPLICIT_WORK_TREE=",
	"GIT_COMMON_DIR=", "GIT_INDEX_FILE=", "GIT_OBJECT_DIRECTORY=",
	"GIT_ALTERNATE_OBJECT_DIRECTORIES=", "GIT_QUARANTINE_PATH=",
	"GIT_NAMESPACE=", "GIT_PREFIX=", "GIT_INTERNAL_SUPER_PREFIX=",
	"GIT_CONFIG=", "GIT_CONFIG_PARAMETERS=", "GIT_GRAFT_FILE=",
	"GIT_SHALLOW_FILE=", "GIT_NO_REPLACE_OBJECTS=", "GIT_REPLACE_REF_BASE=",
	"AI_AGENT=", "CLAUDECODE=", "CLAUDE_CODE_ENTRYPOINT=",
	"CLAUDE_CODE_SESSION_ID=", "CLAUDE_CODE_SSE_PORT=", "CLAUDE_EFFORT=",
	"CLAUDE_PID=", "CLAUDE_PROJECT_DIR=", "CODEX_CI=", "CODEX_SANDBOX",
	"CODEX_SESSION_ID=", "CODEX_THREAD_ID=", "CURSOR_AGENT=",
	"CURSOR_TRACE_ID=", "GEMINI_CLI=", "GEMINI_CLI_IDE",
	"GEMINI_CWD=", "GEMINI_PROJECT_DIR=", "GEMINI_SESSION_ID=", "OPENCODE=",
	"OPENCODE_PID=" };

/* What leads to an agent, a bus or a server of the user's session. */
static const char *const session[] = { "SSH_AUTH_SOCK=", "SSH_AGENT_PID=",
	"GPG_AGENT_INFO=", "DBUS_", "TMUX", "STY=", "DOCKER_",
	"XAUTHORITY=", "WAYLAND_" };

static const struct env_prefixes session_out = { session,
	sizeof(session) / sizeof(session[0]) };

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

/* Ours without these and those. */
static const char **
without(const struct env_prefixes *these, const struct env_prefixes *those,
	struct arena *mem, size_t more, size_t *ret_count)
{
	const char **env;
	size_t count = 0, n = 0;

	while (n < ENV_MAX && environ[n] != NULL)
		n++;
	env = arena_array(mem, n + more + 1, const char *);
	for (size_t i = 0; i < n; i++) {
		struct str variable = str_from(environ[i]);

		if (!is_among(these, variable) && !is_among(those, variable))
			env[count++] = environ[i];
	}
	*ret_count = count;
	return env;
}

const char *const *
child_env_command(struct arena *mem)
{
	static const struct env_prefixes none = { .count = 0 };
	size_t count;

	return without(&session_out, &none, mem, 0, &count);
}

const char **
child_env(struct arena *mem, bool confined, size_t more, size_t *ret_count)
{
	static const struct env_prefixes out = { stripped,
		sizeof(stripped) / sizeof(stripped[0]) };
	static const struct env_prefixes none = { .count = 0 };

	return without(
		&out, confined ? &session_out : &none, mem, more, ret_count);
}

void
child_env_temp(
	const char **env, size_t *count, const char *temp, struct arena *mem)
{
	static const char *const names[] = { "TMPDIR", "TMP", "TEMP" };

	for (size_t i = 0; temp != NULL && i < CHILD_ENV_TEMP; i++) {
		for (size_t k = 0; k < *count; k++) {
			size_t len = strlen(names[i]);

			if (strncmp(env[k], names[i], len) == 0 &&
				env[k][len] == '=')
				env[k--] = env[--*count];
		}
		env[(*count)++] =
			arena_format(mem, "%s=%s", names[i], temp).ptr;
	}
	env[*count] = NULL;
}

const char *const *
child_env_check(
	struct arena *mem, const char *name, bool confined, const char *temp)
{
	size_t count;
	const char **env = child_env(mem, confined, 1 + CHILD_ENV_TEMP, &count);

	env[count++] = arena_format(mem, "PAWL_CHECK=%s", name).ptr;
	child_env_temp(env, &count, temp, mem);
	return env;
}
