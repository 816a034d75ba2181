#include "model/agent_profile.h"

#include "base/bounds.h"
#include "model/capability.h"

static const char *const prompts[] = {
	[AGENT_PROMPT_STDIN] = "stdin",
	[AGENT_PROMPT_FILE] = "file",
	NULL,
};
static const char *const reports[] = {
	[AGENT_REPORT_SYNTHESIZED] = "synthesized",
	[AGENT_REPORT_REQUIRED] = "required",
	NULL,
};
static const char *const formats[] = {
	[AGENT_FORMAT_NONE] = "none",
	[AGENT_FORMAT_CLAUDE] = "claude",
	[AGENT_FORMAT_CODEX] = "codex",
	[AGENT_FORMAT_CURSOR] = "cursor",
	[AGENT_FORMAT_GEMINI] = "gemini",
	[AGENT_FORMAT_OPENCODE] = "opencode",
	NULL,
};

static bool
is_name_byte(char c, bool first)
{
	return (c >= 'a' && c <= 'z') ||
		(!first && ((c >= '0' && c <= '9') || c == '-'));
}

bool
is_agent_name(struct str name)
{
	enum builtin driver;

	if (name.len == 0 || name.len > AGENT_NAME_BYTES ||
		str_eq(name, STR("command")) || builtin_from(name, &driver))
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (!is_name_byte(name.ptr[i], i == 0))
			return false;
	}
	return true;
}

static const char *
name_check(struct str s)
{
	return is_agent_name(s) ? NULL : "is no name of an agent";
}

static const char *
program_check(struct str s)
{
	return str_find(s, '/') < s.len ? "is no name of a program" : NULL;
}

/* Of a private folder: nothing that leads out of it. */
static const char *
below_check(struct str s)
{
	struct str rest = s;

	if (s.len > 0 && s.ptr[0] == '/')
		return "is absolute";
	while (rest.len > 0) {
		if (str_eq(str_cut(&rest, '/'), STR("..")))
			return "leads out of its folder";
	}
	return NULL;
}

static bool
is_variable_byte(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
		(c >= '0' && c <= '9') || c == '_';
}

static const char *
variable_check(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		if (!is_variable_byte(s.ptr[i]))
			return "is no name of a variable";
	}
	return NULL;
}

static const char *
variables_check(struct str s)
{
	if (s.len > 1 && s.ptr[s.len - 1] == '*')
		s.len--;
	return variable_check(s);
}

#define ITEM(id, most, fn)                                   \
	static const struct field id = { .type = FIELD_TEXT, \
		.flags = FIELD_LINE,                         \
		.min = 1,                                    \
		.max = (most),                               \
		.check = (fn) }

ITEM(argument, BOUND_PATH_BYTES, NULL);
ITEM(program, 255, program_check);
ITEM(variable, 255, variable_check);
ITEM(variables, 255, variables_check);

static const struct field file_rows[] = {
	{ FIELD_NAME("from"), .about = "A file below the user's home.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_PATH_BYTES, .check = below_check,
		FIELD_AT(struct agent_file, from) },
	{ FIELD_NAME("variable"),
		.about = "When it is set, the file is below the folder that it"
			 " names, instead.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1, .max = 255,
		.check = variable_check,
		FIELD_AT(struct agent_file, variable) },
	{ FIELD_NAME("below"), .about = "The file's path there.",
		.type = FIELD_TEXT, .flags = FIELD_LINE, .min = 1,
		.max = BOUND_PATH_BYTES, .check = below_check,
		FIELD_AT(struct agent_file, below) },
	{ FIELD_NAME("to"), .about = "Its path in the private state.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = BOUND_PATH_BYTES, .check = below_check,
		FIELD_AT(struct agent_file, to) },
};

static const struct field_table file_table = { FIELD_ROWS(file_rows),
	.size = sizeof(struct agent_file) };

static const struct field file_item = { .type = FIELD_OBJECT,
	.table = &file_table };

#define LIST(key, most, of, say)                                             \
	FIELD_NAME(#key), .about = (say), .type = FIELD_LIST, .item = &(of), \
			  .max = (most),                                     \
			  FIELD_ITEMS(struct agent_profile, key)

static const struct field rows[] = {
	{ FIELD_NAME("v"), .about = "Version of this format.",
		.type = FIELD_INT, .flags = FIELD_REQUIRED, .min = 1, .max = 1,
		FIELD_AT(struct agent_profile, v) },
	{ FIELD_NAME("name"), .about = "What --agent and a task's Agent say.",
		.type = FIELD_TEXT, .flags = FIELD_REQUIRED | FIELD_LINE,
		.min = 1, .max = AGENT_NAME_BYTES, .check = name_check,
		.pattern = "^[a-z][a-z0-9-]*$",
		FIELD_AT(struct agent_profile, name) },
	{ LIST(programs, 8, program, "The first of them on PATH is run."),
		.flags = FIELD_REQUIRED, .min = 1 },
	{ LIST(version, 8, argument,
		"Arguments with which it says its version.") },
	{ LIST(argv, 64, argument,
		  "Its arguments; some words stand for"
		  " something when they are a whole argument: {args} {sandbox}"
		  " {prompt_file} {capsule} {workspace} {session}."),
		.flags = FIELD_REQUIRED },
	{ LIST(confined, 64, argument,
		"In place of {sandbox}, when pawl's sandbox is on.") },
	{ LIST(unconfined, 64, argument,
		"In place of {sandbox}, when it isn't.") },
	{ FIELD_NAME("prompt"), .about = "Where it reads the task.",
		.type = FIELD_ENUM, .words = prompts,
		.preset = AGENT_PROMPT_STDIN,
		FIELD_AT(struct agent_profile, prompt) },
	{ FIELD_NAME("report"),
		.about = "Must it hand in a result, or does pawl make one?",
		.type = FIELD_ENUM, .words = reports,
		.preset = AGENT_REPORT_SYNTHESIZED,
		FIELD_AT(struct agent_profile, report) },
	{ FIELD_NAME("output"),
		.about = "The format in which it says how it ended.",
		.type = FIELD_ENUM, .words = formats,
		.preset = AGENT_FORMAT_NONE,
		FIELD_AT(struct agent_profile, output) },
	{ FIELD_NAME("state"),
		.about = "Variables that move its own folders, each with a"
			 " path in the run's private state.",
		.type = FIELD_SCALARS, .max = 16,
		FIELD_AT(struct agent_profile, state) },
	{ FIELD_NAME("set"), .about = "Variables that it gets.",
		.type = FIELD_SCALARS, .max = 64,
		FIELD_AT(struct agent_profile, set) },
	{ LIST(unset, 64, variables,
		"Variables that it doesn't get; X* is all that begin so.") },
	{ LIST(login, 32, variable, "Variables that log it in, any of them.") },
	{ LIST(files, 8, file_item, "Files that log it in, each copied.") },
};

static const struct field_table table = {
	.title = "Profile of an agent",
	.about = "How the program of an agent is run as a worker.",
	.id = "agent-profile.schema.json",
	FIELD_ROWS(rows),
	.size = sizeof(struct agent_profile),
};

static const struct field profile_item = { .type = FIELD_OBJECT,
	.table = &table };

static const struct field frozen_rows[] = {
	{ FIELD_NAME("agents"), .type = FIELD_LIST, .flags = FIELD_REQUIRED,
		.item = &profile_item, .min = 1, .max = AGENT_PROFILES_MAX,
		FIELD_AT(struct agent_profiles, items),
		.count_offset = offsetof(struct agent_profiles, count) },
};

static const struct field_table frozen = { FIELD_ROWS(frozen_rows),
	.size = sizeof(struct agent_profiles) };

enum { FROZEN_BYTES = AGENT_PROFILES_MAX * AGENT_PROFILE_BYTES };

/* All values of an object are texts without a control character. */
static enum pawl_rc
check_texts(struct fields_doc *doc, const struct json *object, const char *name,
	bool paths, struct pawl_err *err)
{
	const struct json *key = object == NULL ? NULL : json_first(object);

	for (uint32_t i = 0; key != NULL && i < object->count; i++) {
		const struct json *value = key + 1;
		const char *bad = variable_check(key->text);

		if (bad == NULL && value->kind != JSON_STRING)
			bad = "has a value that is no text";
		if (bad == NULL && paths)
			bad = below_check(value->text);
		if (bad != NULL) {
			fields_refuse(doc, FAULT_INVALID_VALUE, value,
				arena_format(doc->mem, "/%s/" STR_FMT, name,
					STR_ARG(key->text)),
				STR(""), err, "'" STR_FMT "' %s",
				STR_ARG(key->text), bad);
			return err->rc;
		}
		key = value + value->span;
	}
	return PAWL_OK;
}

enum pawl_rc
agent_profile_read(struct arena *mem, const char *name, struct str bytes,
	struct agent_profile *ret_profile, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_PROFILE };
	struct agent_profile profile;
	enum pawl_rc rc;

	rc = fields_parse(&doc, name, bytes, AGENT_PROFILE_BYTES, err);
	if (rc == PAWL_OK)
		rc = fields_read(&doc, &table, &profile, err);
	if (rc == PAWL_OK)
		rc = check_texts(&doc, profile.state, "state", true, err);
	if (rc == PAWL_OK)
		rc = check_texts(&doc, profile.set, "set", false, err);
	if (rc == PAWL_OK)
		*ret_profile = profile;
	return rc;
}

void
agent_profiles_write(
	const struct agent_profiles *profiles, struct json_writer *w)
{
	fields_write(&frozen, profiles, w);
}

enum pawl_rc
agent_profiles_read(struct arena *mem, struct str bytes,
	struct agent_profiles *ret_profiles, struct pawl_err *err)
{
	struct fields_doc doc = { .mem = mem, .code = ERR_INVALID_PROFILE };
	enum pawl_rc rc;

	rc = fields_parse(&doc, "agents.json", bytes, FROZEN_BYTES, err);
	return rc == PAWL_OK ? fields_read(&doc, &frozen, ret_profiles, err)
			     : rc;
}

const struct agent_profile *
agent_profile_find(const struct agent_profiles *profiles, struct str name)
{
	for (uint32_t i = 0; i < profiles->count; i++) {
		if (str_eq(profiles->items[i].name, name))
			return &profiles->items[i];
	}
	return NULL;
}

void
agent_profile_schema(struct buf *out)
{
	fields_schema_text(&table, out);
}
