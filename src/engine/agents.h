/*
 * agents: the programs of agents as the workers of a run.
 *
 * Profiles (model/agent_profile.h) are files: the shipped ones lie below
 * share/pawl/agents of the same prefix, or beside the program in a build tree.
 * A run freezes those that it uses in plan/agents.json; their digest stands in
 * its first line, and what lies beside pawl later changes nothing about it.
 *
 * Each agent of a run has a private state, `agents/NAME` in the run's folder,
 * in place of the folders that it has in the user's home: what a worker plants
 * there ends with the run, and so does the copy of what logs it in.
 */
#ifndef PAWL_ENGINE_AGENTS_H
#define PAWL_ENGINE_AGENTS_H

#include "engine/pilot.h"
#include "model/agent_output.h"

#define AGENTS_FILE "agents.json"

/*
 * The profile that `word` means: the name of a shipped one, or the path of a
 * file when it has a '/'.
 *
 * Errors: ERR_AGENT_NOT_FOUND, those of agent_profile_read() and fs_read.
 */
PAWL_MUST_CHECK enum pawl_rc agents_find(const struct fs *fs, struct str word,
	struct arena *mem, struct agent_profile *ret_profile,
	struct pawl_err *err);

/* Names of the shipped ones, sorted, in `mem`.  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc agents_shipped(const struct fs *fs,
	struct arena *mem, struct strs *ret_names, struct pawl_err *err);

/* The first of its programs on PATH; false when there is none. */
bool agents_program(
	const struct agent_profile *profile, char ret_path[PATH_MAX]);

/* Is there a variable or a file that may log it in? */
bool agents_may_log_in(const struct agent_profile *profile);

/*
 * Its command, with `args` in the place of {args}.  Errors: ERR_AGENT_NOT_FOUND
 * when its program can't be found.
 */
PAWL_MUST_CHECK enum pawl_rc agents_command(const struct agent_profile *profile,
	struct strs args, struct arena *mem, struct strs *ret_argv,
	struct pawl_err *err);

/* Of a run that froze some: read them.  Errors: ERR_DIGEST_MISMATCH, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc agents_load(struct pilot *p, struct pawl_err *err);

/* Whose program works on an attempt; NULL: no agent's. */
const struct agent_profile *agents_of(struct pilot *p, uint32_t attempt);

/* Whose it will be for a node: that of its Agent, else NULL: the run's. */
const struct agent_profile *agents_named(struct pilot *p, uint32_t node);

/* Its private state; absolute. */
const char *agents_state(struct pilot *p, const struct agent_profile *profile);

/* Make the private state, and what logs it in; anew when a link is in the way.
 * Errors: ERR_IO, ERR_UNSAFE_PATH for what isn't ours. */
PAWL_MUST_CHECK enum pawl_rc agents_prepare(struct pilot *p,
	const struct agent_profile *profile, struct pawl_err *err);

/* The run is over: none of its agents' private states is left. */
void agents_clean(const struct run *run);

/* Variables that a profile may add. */
size_t agents_env_max(const struct agent_profile *profile);

/* Take out of `env` what it isn't to have, and add what it is. */
void agents_env(struct pilot *p, const struct agent_profile *profile,
	const char *temp, const char **env, size_t *count);

/* The words of an attempt's command for one that is confined, or isn't. */
const char *const *agents_words(struct pilot *p, uint32_t attempt,
	const struct agent_profile *profile, const struct strs *command,
	bool confined);

/* What its program said at its end, of which `x` is the rest. */
void agents_ended(struct pilot *p, uint32_t attempt,
	const struct agent_profile *profile, struct exit_facts *x,
	struct agent_outcome *ret_outcome);

#endif
