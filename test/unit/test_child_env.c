/*
 * What a worker or a check has of the environment that pawl was called in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/child_env.h"

static const char *
value_in(const char *const *env, const char *name)
{
	size_t len = strlen(name);

	for (; *env != NULL; env++) {
		if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
			return *env + len + 1;
	}
	return NULL;
}

/* `git rev-parse --local-env-vars`, what a hook has besides, and an agent. */
static void
a_childs_git_works_where_the_child_stands(void **state)
{
	static const char *const gone[] = { "GIT_ALTERNATE_OBJECT_DIRECTORIES",
		"GIT_COMMON_DIR", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS",
		"GIT_DIR", "GIT_GRAFT_FILE", "GIT_IMPLICIT_WORK_TREE",
		"GIT_INDEX_FILE", "GIT_INTERNAL_SUPER_PREFIX", "GIT_NAMESPACE",
		"GIT_NO_REPLACE_OBJECTS", "GIT_OBJECT_DIRECTORY", "GIT_PREFIX",
		"GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE",
		"GIT_SHALLOW_FILE", "GIT_WORK_TREE", "PAWL_AS", "PAWL_ATTEMPT",
		"PAWL_STATE", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID",
		"CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID",
		"GEMINI_CLI", "OPENCODE", "CURSOR_AGENT" };
	static const char *const kept[] = { "GIT_AUTHOR_NAME",
		"GIT_CONFIG_COUNT", "GIT_CONFIG_GLOBAL", "GIT_DIRECTION",
		"GIT_SSH_COMMAND", "PAWLS", "CODEX_HOME", "CLAUDE_CONFIG_DIR",
		"CLAUDE_CODE_OAUTH_TOKEN" };
	struct arena mem = ARENA_INIT;
	const char *const *env;

	(void)state;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		assert_int_equal(setenv(gone[i], "v", 1), 0);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		assert_int_equal(setenv(kept[i], "v", 1), 0);
	env = child_env_check(&mem, "A@1.check-1", false, NULL);
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++) {
		if (value_in(env, gone[i]) != NULL)
			fail_msg("%s is handed on", gone[i]);
	}
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		if (value_in(env, kept[i]) == NULL)
			fail_msg("%s isn't handed on", kept[i]);
	}
	assert_string_equal(value_in(env, "PAWL_CHECK"), "A@1.check-1");
	arena_reset(&mem);
}

static void
who_is_confined_has_a_temporary_folder_and_no_session(void **state)
{
	static const char *const names[] = { "TMPDIR", "TMP", "TEMP" };
	struct arena mem = ARENA_INIT;
	const char *const *env;

	(void)state;
	assert_int_equal(setenv("SSH_AUTH_SOCK", "v", 1), 0);
	assert_int_equal(setenv("TMPDIR", "/tmp/ours", 1), 0);
	assert_int_equal(unsetenv("TMP"), 0);
	env = child_env_check(&mem, "A@1.check-1", true, "/own");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_string_equal(value_in(env, names[i]), "/own");
	assert_null(value_in(env, "SSH_AUTH_SOCK"));
	env = child_env_check(&mem, "A@1.check-1", false, NULL);
	assert_string_equal(value_in(env, "TMPDIR"), "/tmp/ours");
	assert_string_equal(value_in(env, "SSH_AUTH_SOCK"), "v");
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_childs_git_works_where_the_child_stands),
		cmocka_unit_test(
			who_is_confined_has_a_temporary_folder_and_no_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
