/*
 * agent_profile: how the program of an agent is run as a worker.
 *
 * A profile is data (schemas/agent-profile.schema.json; examples are the files
 * in agents/): what the program is called, its arguments, where its prompt
 *goes, which variables move its own folders, what it needs to log in, and in
 *which format it says how it ended (model/agent_output.h).  A run freezes the
 * profiles that it uses as one document, a list in a fixed order.
 *
 * In `argv`, these stand for something when they are a whole argument:
 *
 *	{args}		what was typed behind `--`
 *	{sandbox}	`confined` when pawl's sandbox holds its paths, else
 *			`unconfined`
 *	{prompt_file}, {capsule}, {workspace}, {session}
 *			of the attempt; a session is a UUID that the run and the
 *			attempt give
 *
 * In the values of `set`, `{temp}` and `{state}` stand for the attempt's
 * temporary folder and for the run's private state of this agent.
 */
#ifndef PAWL_MODEL_AGENT_PROFILE_H
#define PAWL_MODEL_AGENT_PROFILE_H

#include "base/buf.h"
#include "text/fields.h"

enum {
	AGENT_PROFILE_BYTES = 64 << 10, /* of one */
	AGENT_PROFILES_MAX = 16,        /* of a run */
	AGENT_NAME_BYTES = 32,
};

enum agent_prompt { AGENT_PROMPT_STDIN, AGENT_PROMPT_FILE };
enum agent_report { AGENT_REPORT_SYNTHESIZED, AGENT_REPORT_REQUIRED };

/* Whose words its output is in. */
enum agent_format {
	AGENT_FORMAT_NONE, /* nobody's: its exit status is all */
	AGENT_FORMAT_CLAUDE,
	AGENT_FORMAT_CODEX,
	AGENT_FORMAT_CURSOR,
	AGENT_FORMAT_GEMINI,
	AGENT_FORMAT_OPENCODE,
};

/* A file with which it is logged in, copied into the private state. */
struct agent_file {
	struct str from;     /* below the user's home */
	struct str variable; /* when set, names the folder that has `below` */
	struct str below;
	struct str to; /* below the private state */
};

struct agent_profile {
	int64_t v;
	struct str name;
	const struct str *programs; /* the first that is on PATH */
	const struct str *version;  /* arguments that make it say its version */
	const struct str *argv;     /* without the program */
	const struct str *confined, *unconfined;
	const struct json *state; /* variable: folder in the private state */
	const struct json *set;   /* variable: value */
	const struct str *unset;  /* variables; `X*` is all that begin so */
	const struct str *login;  /* variables, any of which logs it in */
	const struct agent_file *files;
	uint32_t programs_count, version_count, argv_count, confined_count,
		unconfined_count, unset_count, login_count, files_count;
	enum agent_prompt prompt;
	enum agent_report report;
	enum agent_format output;
};

/* The profiles of a run, in its order. */
struct agent_profiles {
	const struct agent_profile *items;
	uint32_t count;
};

/*
 * Read one; texts are in `mem`.  `name` is the document's in messages.
 *
 * Errors: ERR_INVALID_PROFILE with the place; ERR_LIMIT, ERR_NOT_JSON.
 */
PAWL_MUST_CHECK enum pawl_rc agent_profile_read(struct arena *mem,
	const char *name, struct str bytes, struct agent_profile *ret_profile,
	struct pawl_err *err);

/* What a run freezes, and reads back.  Errors: as above. */
void agent_profiles_write(
	const struct agent_profiles *profiles, struct json_writer *w);
PAWL_MUST_CHECK enum pawl_rc agent_profiles_read(struct arena *mem,
	struct str bytes, struct agent_profiles *ret_profiles,
	struct pawl_err *err);

/* NULL when there is none of this name. */
const struct agent_profile *agent_profile_find(
	const struct agent_profiles *profiles, struct str name);

/* May a profile be called so?  [a-z][a-z0-9-]*, and no word of pawl's own. */
bool is_agent_name(struct str name);

/* The JSON Schema of one, with its last LF. */
void agent_profile_schema(struct buf *out);

#endif
