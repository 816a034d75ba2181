#include "engine/agents.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "engine/room.h"
#include "engine/worker.h"
#include "os/program.h"

enum {
	FILE_BYTES_MAX = 1 << 20, /* of one that logs in */
	FROZEN_BYTES_MAX = AGENT_PROFILES_MAX * AGENT_PROFILE_BYTES,
	LOG_BYTES_MAX = 1 << 20,
};

#define SUFFIX ".json"

static enum pawl_rc
profile_read(const struct fs *fs, int dir, const char *path, struct arena *mem,
	struct agent_profile *ret_profile, struct pawl_err *err)
{
	struct buf bytes = { 0 };
	enum pawl_rc rc = fs_read_document(
		fs, dir, path, AGENT_PROFILE_BYTES, &bytes, err);

	if (rc == PAWL_OK)
		rc = agent_profile_read(
			mem, path, buf_str(&bytes), ret_profile, err);
	buf_release(&bytes);
	return rc;
}

static enum pawl_rc
shipped_open(const struct fs *fs, int *ret_dir, struct pawl_err *err)
{
	char path[PATH_MAX];
	enum pawl_rc rc = program_data("agents", path, err);

	return rc == PAWL_OK ? fs_open_dir(fs, AT_FDCWD, path, ret_dir, err)
			     : rc;
}

enum pawl_rc
agents_shipped(const struct fs *fs, struct arena *mem, struct strs *ret_names,
	struct pawl_err *err)
{
	struct strs names = { arena_array(mem, AGENT_PROFILES_MAX, struct str),
		0 };
	struct buf all = { 0 };
	struct str rest;
	int dir = -1;
	enum pawl_rc rc = shipped_open(fs, &dir, err);

	if (rc == PAWL_OK)
		rc = fs_list(fs, dir, &all, err);
	fs_close(fs, &dir);
	rest = buf_str(&all);
	while (rc == PAWL_OK && rest.len > 0 &&
		names.count < AGENT_PROFILES_MAX) {
		struct str name = str_cut(&rest, '\0');

		if (!str_ends(name, STR(SUFFIX)))
			continue;
		name.len -= sizeof(SUFFIX) - 1;
		if (is_agent_name(name))
			names.items[names.count++] = arena_copy(mem, name);
	}
	buf_release(&all);
	if (rc == PAWL_OK)
		*ret_names = names;
	return rc;
}

enum pawl_rc
agents_find(const struct fs *fs, struct str word, struct arena *mem,
	struct agent_profile *ret_profile, struct pawl_err *err)
{
	const char *path = arena_strdup(mem, word);
	int dir = -1;
	enum pawl_rc rc;

	if (str_find(word, '/') < word.len)
		return profile_read(fs, AT_FDCWD, path, mem, ret_profile, err);
	if (!is_agent_name(word)) {
		return pawl_fail(err, ERR_AGENT_NOT_FOUND,
			"'" STR_FMT "' is no name of an agent", STR_ARG(word));
	}
	rc = shipped_open(fs, &dir, err);
	if (rc == PAWL_OK)
		rc = profile_read(fs, dir,
			arena_format(mem, STR_FMT SUFFIX, STR_ARG(word)).ptr,
			mem, ret_profile, err);
	fs_close(fs, &dir);
	if (rc == PAWL_ENOENT)
		return pawl_fail(err, ERR_AGENT_NOT_FOUND,
			"there is no profile of an agent '" STR_FMT "'",
			STR_ARG(word));
	return rc;
}

bool
agents_program(const struct agent_profile *profile, char ret_path[PATH_MAX])
{
	for (uint32_t i = 0; i < profile->programs_count; i++) {
		char name[256];
		struct str program = profile->programs[i];

		memcpy(name, program.ptr, program.len); /* 255 bytes at most */
		name[program.len] = '\0';
		if (program_on_path(name, ret_path))
			return true;
	}
	return false;
}

static const char *
variable_of(struct str name, struct arena *mem)
{
	const char *value = getenv(arena_strdup(mem, name));

	return value != NULL && *value != '\0' ? value : NULL;
}

/* Where the file lies that logs it in, for this user. */
static const char *
file_from(const struct agent_file *file, struct arena *mem)
{
	const char *folder = NULL, *home = getenv("HOME");

	if (file->variable.len > 0 && file->below.len > 0)
		folder = variable_of(file->variable, mem);
	if (folder != NULL)
		return arena_format(
			mem, "%s/" STR_FMT, folder, STR_ARG(file->below))
			.ptr;
	return arena_format(mem, "%s/" STR_FMT, home != NULL ? home : "",
		STR_ARG(file->from))
		.ptr;
}

bool
agents_may_log_in(const struct agent_profile *profile)
{
	struct arena mem = ARENA_INIT;
	bool may = profile->login_count == 0 && profile->files_count == 0;

	for (uint32_t i = 0; !may && i < profile->login_count; i++)
		may = variable_of(profile->login[i], &mem) != NULL;
	for (uint32_t i = 0; !may && i < profile->files_count; i++)
		may = access(file_from(&profile->files[i], &mem), R_OK) == 0;
	arena_reset(&mem);
	return may;
}

enum pawl_rc
agents_command(const struct agent_profile *profile, struct strs args,
	struct arena *mem, struct strs *ret_argv, struct pawl_err *err)
{
	struct strs argv = { arena_array(mem,
				     1u + profile->argv_count + args.count,
				     struct str),
		0 };
	char path[PATH_MAX];

	if (!agents_program(profile, path)) {
		return pawl_fail(err, ERR_AGENT_NOT_FOUND,
			"agent '" STR_FMT "' can't start: no program '" STR_FMT
			"' is on PATH",
			STR_ARG(profile->name), STR_ARG(profile->programs[0]));
	}
	argv.items[argv.count++] = arena_copy(mem, str_from(path));
	for (uint32_t i = 0; i < profile->argv_count; i++) {
		if (!str_eq(profile->argv[i], STR("{args}"))) {
			argv.items[argv.count++] = profile->argv[i];
			continue;
		}
		for (uint32_t k = 0; k < args.count; k++)
			argv.items[argv.count++] = args.items[k];
		args.count = 0; /* in one place */
	}
	*ret_argv = argv;
	return PAWL_OK;
}

enum pawl_rc
agents_load(struct pilot *p, struct pawl_err *err)
{
	const struct run_facts *facts = &p->run->state.run;
	const struct fs *fs = p->run->place->fs;
	struct buf bytes = { 0 };
	char hex[SHA256_HEX + 1];
	int dir = -1;
	enum pawl_rc rc;

	if (facts->agents_sha256.len == 0)
		return PAWL_OK;
	rc = fs_open_dir(fs, p->run->dir, "plan", &dir, err);
	if (rc == PAWL_OK)
		rc = fs_read(
			fs, dir, AGENTS_FILE, FROZEN_BYTES_MAX, &bytes, err);
	fs_close(fs, &dir);
	if (rc == PAWL_OK) {
		sha256_hex(buf_str(&bytes), hex);
		if (!str_eq(str_from(hex), facts->agents_sha256)) {
			rc = pawl_fail(err, ERR_DIGEST_MISMATCH,
				"plan/" AGENTS_FILE " of run '" STR_FMT
				"' isn't what it started with",
				STR_ARG(p->run->id));
		}
	}
	if (rc == PAWL_OK)
		rc = agent_profiles_read(
			&p->keep, buf_str(&bytes), &p->agents, err);
	buf_release(&bytes);
	return rc;
}

const struct agent_profile *
agents_of(struct pilot *p, uint32_t attempt)
{
	struct str name = state_agent(&p->run->state, attempt);

	return name.len > 0 ? agent_profile_find(&p->agents, name) : NULL;
}

const struct agent_profile *
agents_named(struct pilot *p, uint32_t node)
{
	struct str name = plan_agent(&p->run->plan, node);

	return name.len > 0 ? agent_profile_find(&p->agents, name) : NULL;
}

const char *
agents_state(struct pilot *p, const struct agent_profile *profile)
{
	return pilot_path(
		p, "agents/" STR_FMT "/state", STR_ARG(profile->name));
}

/* Folder `path` below an open one, each part made unless it is there; no part
 * may be a link.  The caller closes it. */
static enum pawl_rc
open_below(const struct fs *fs, int from, struct str path, struct arena *mem,
	int *ret_dir, struct pawl_err *err)
{
	enum pawl_rc rc = fs_open_dir(fs, from, ".", ret_dir, err);

	while (rc == PAWL_OK && path.len > 0) {
		const char *part = arena_strdup(mem, str_cut(&path, '/'));
		int next = -1;

		if (*part == '\0')
			continue;
		rc = fs_make_view_dir(fs, *ret_dir, part, err);
		if (rc == PAWL_OK)
			rc = fs_open_dir(fs, *ret_dir, part, &next, err);
		fs_close(fs, ret_dir);
		*ret_dir = next;
	}
	return rc;
}

/* What isn't there is nothing: another way may log it in. */
static enum pawl_rc
file_copy(struct pilot *p, int state, const struct agent_file *file,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	struct str folder = file->to;
	struct buf bytes = { 0 };
	const char *name;
	int dir = -1;
	enum pawl_rc rc;

	while (folder.len > 0 && folder.ptr[folder.len - 1] != '/')
		folder.len--;
	name = arena_strdup(
		&p->mem, str_part(file->to, folder.len, file->to.len));
	rc = open_below(fs, state, folder, &p->mem, &dir, err);
	if (rc == PAWL_OK && fs_is_absent(fs, dir, name)) {
		rc = fs_read_document(fs, AT_FDCWD, file_from(file, &p->mem),
			FILE_BYTES_MAX, &bytes, err);
		if (rc == PAWL_OK)
			rc = fs_create(fs, dir, name, buf_str(&bytes), err);
		else if (rc == PAWL_ENOENT)
			rc = PAWL_OK;
	}
	fs_close(fs, &dir);
	buf_release(&bytes);
	return rc;
}

/* The key of the member after `*at`, and its text; false after the last. */
static bool
member(const struct json *object, uint32_t *at, const struct json **key,
	struct str *ret_name, struct str *ret_value)
{
	if (object == NULL || *at >= object->count)
		return false;
	*key = *at == 0 ? json_first(object) : *key + 1 + (*key + 1)->span;
	*ret_name = (*key)->text;
	*ret_value = json_str(*key + 1);
	(*at)++;
	return true;
}

static enum pawl_rc
prepare(struct pilot *p, const struct agent_profile *profile,
	struct pawl_err *err)
{
	const struct fs *fs = p->run->place->fs;
	const struct json *key = NULL;
	struct str name, below;
	const char *room;
	uint32_t at = 0;
	int state = -1;
	enum pawl_rc rc;

	rc = fs_make_view_dir(fs, p->run->dir, "agents", err);
	if (rc == PAWL_OK)
		rc = room_keep(pilot_path(p, "agents"),
			arena_strdup(&p->mem, profile->name), &p->mem, &room,
			err);
	if (rc == PAWL_OK) {
		rc = open_below(fs, p->run->dir,
			arena_format(&p->mem, "agents/" STR_FMT "/state",
				STR_ARG(profile->name)),
			&p->mem, &state, err);
	}
	while (rc == PAWL_OK &&
		member(profile->state, &at, &key, &name, &below)) {
		int dir = -1;

		rc = open_below(fs, state, below, &p->mem, &dir, err);
		fs_close(fs, &dir);
	}
	for (uint32_t i = 0; rc == PAWL_OK && i < profile->files_count; i++)
		rc = file_copy(p, state, &profile->files[i], err);
	fs_close(fs, &state);
	return rc;
}

enum pawl_rc
agents_prepare(struct pilot *p, const struct agent_profile *profile,
	struct pawl_err *err)
{
	const char *name = arena_strdup(&p->mem, profile->name);
	enum pawl_rc rc = prepare(p, profile, err);

	/* A worker has put a link there: then all that it kept goes. */
	if (rc != PAWL_OK && err->code == ERR_UNSAFE_PATH)
		rc = room_drop(pilot_path(p, "agents"), name, err);
	else
		return rc;
	return rc == PAWL_OK ? prepare(p, profile, err) : rc;
}

void
agents_clean(const struct run *run)
{
	struct arena mem = ARENA_INIT;

	if (run->state.run.agents_sha256.len > 0) {
		room_drop_all(run->place->fs,
			arena_format(&mem, "%s/runs/" STR_FMT "/agents",
				run->place->state_path, STR_ARG(run->id))
				.ptr);
	}
	arena_reset(&mem);
}

static uint32_t
members(const struct json *object)
{
	return object == NULL ? 0 : object->count;
}

size_t
agents_env_max(const struct agent_profile *profile)
{
	return members(profile->state) + members(profile->set);
}

static bool
is_variable(const char *variable, struct str name)
{
	bool rest = str_ends(name, STR("*"));

	if (rest)
		name.len--;
	return strncmp(variable, name.ptr, name.len) == 0 &&
		(rest || variable[name.len] == '=');
}

static void
env_drop(const char **env, size_t *count, struct str name)
{
	for (size_t i = 0; i < *count; i++) {
		if (is_variable(env[i], name))
			env[i--] = env[--*count];
	}
}

static void
env_set(struct pilot *p, const char **env, size_t *count, struct str name,
	struct str value)
{
	env_drop(env, count, name);
	env[(*count)++] = arena_format(
		&p->mem, STR_FMT "=" STR_FMT, STR_ARG(name), STR_ARG(value))
				  .ptr;
}

void
agents_env(struct pilot *p, const struct agent_profile *profile,
	const char *temp, const char **env, size_t *count)
{
	struct str state = str_from(agents_state(p, profile));
	const struct json *key = NULL;
	struct str name, value;
	uint32_t at = 0;

	for (uint32_t i = 0; i < profile->unset_count; i++)
		env_drop(env, count, profile->unset[i]);
	while (member(profile->state, &at, &key, &name, &value)) {
		env_set(p, env, count, name,
			value.len == 0
				? state
				: arena_format(&p->mem, STR_FMT "/" STR_FMT,
					  STR_ARG(state), STR_ARG(value)));
	}
	at = 0;
	while (member(profile->set, &at, &key, &name, &value)) {
		if (str_eq(value, STR("{state}")))
			env_set(p, env, count, name, state);
		else if (!str_eq(value, STR("{temp}")))
			env_set(p, env, count, name, value);
		else if (temp != NULL)
			env_set(p, env, count, name, str_from(temp));
	}
}

/*
 * RFC 9562, version 8: ours to fill, with what names the attempt, so that asked
 * again it is the same.
 */
static struct str
session_of(struct pilot *p, struct str attempt)
{
	char hex[SHA256_HEX + 1];

	sha256_hex(arena_format(&p->mem, STR_FMT "/" STR_FMT,
			   STR_ARG(p->run->id), STR_ARG(attempt)),
		hex);
	return arena_format(&p->mem, "%.8s-%.4s-8%.3s-8%.3s-%.12s", hex,
		hex + 8, hex + 12, hex + 15, hex + 18);
}

static struct str
word_of(struct pilot *p, uint32_t attempt, struct str word)
{
	struct str id = pilot_attempt_id(p, attempt);

	if (str_eq(word, STR("{prompt_file}")))
		return str_from(
			pilot_path(p, "capsules/" STR_FMT ".md", STR_ARG(id)));
	if (str_eq(word, STR("{capsule}")))
		return str_from(pilot_path(
			p, "capsules/" STR_FMT ".json", STR_ARG(id)));
	if (str_eq(word, STR("{workspace}")))
		return str_from(worker_workspace(p, pilot_attempt(p, attempt)));
	if (str_eq(word, STR("{session}")))
		return session_of(p, id);
	return word;
}

const char *const *
agents_words(struct pilot *p, uint32_t attempt,
	const struct agent_profile *profile, const struct strs *command,
	bool confined)
{
	const struct str *more =
		confined ? profile->confined : profile->unconfined;
	uint32_t more_count =
		confined ? profile->confined_count : profile->unconfined_count;
	const char **argv = arena_array(
		&p->mem, command->count + (size_t)more_count + 1, const char *);
	size_t count = 0;

	for (uint32_t i = 0; i < command->count; i++) {
		struct str word = command->items[i];

		if (!str_eq(word, STR("{sandbox}"))) {
			argv[count++] = arena_strdup(
				&p->mem, word_of(p, attempt, word));
			continue;
		}
		for (uint32_t k = 0; k < more_count; k++)
			argv[count++] = arena_strdup(&p->mem, more[k]);
		more_count = 0; /* in one place */
	}
	argv[count] = NULL;
	return argv;
}

void
agents_ended(struct pilot *p, uint32_t attempt,
	const struct agent_profile *profile, struct exit_facts *x,
	struct agent_outcome *ret_outcome)
{
	const struct fs *fs = p->run->place->fs;
	struct agent_outcome out;
	struct pawl_err ignored;
	struct buf log = { 0 };
	int dir = -1;

	/* Without its log nothing is said, and that is no end. */
	if (fs_open_dir(fs, p->run->dir, "logs", &dir, &ignored) == PAWL_OK &&
		fs_read(fs, dir,
			arena_strdup(&p->mem, pilot_attempt_id(p, attempt)),
			LOG_BYTES_MAX, &log, &ignored) != PAWL_OK)
		buf_clear(&log);
	fs_close(fs, &dir);
	agent_output_read(profile->output, buf_str(&log),
		x->kind == EXIT_CODE ? x->code : UINT64_MAX, &p->mem, &out);
	buf_release(&log);
	x->session = out.session;
	x->usage = out.usage;
	if (out.logged_out && x->kind == EXIT_CODE) {
		x->kind = EXIT_START_FAILED;
		x->message = arena_format(&p->mem,
			STR_FMT " isn't logged in%s" STR_FMT,
			STR_ARG(profile->name), out.message.len > 0 ? ": " : "",
			STR_ARG(out.message));
	}
	*ret_outcome = out;
}
