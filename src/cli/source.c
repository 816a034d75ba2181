#include "cli/source.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "engine/agents.h"
#include "engine/driver_client.h"
#include "model/capability.h"
#include "model/capacity.h"

enum pawl_rc
source_must_list(struct cmd_ctx *ctx, const char *path, struct str *ret_text,
	struct pawl_err *err)
{
	struct buf bytes = { 0 };
	enum pawl_rc rc = fs_read_document(
		ctx->fs, AT_FDCWD, path, BOUND_LIST_BYTES, &bytes, err);

	if (rc == PAWL_OK)
		*ret_text = bytes.len > 0
			? arena_copy(ctx->mem, buf_str(&bytes))
			: STR("");
	buf_release(&bytes);
	return rc;
}

enum pawl_rc
source_list(struct cmd_ctx *ctx, const char *path, bool *ret_found,
	struct str *ret_text, struct pawl_err *err)
{
	*ret_found = path != NULL && access(path, F_OK) == 0;
	*ret_text = STR("");
	return *ret_found ? source_must_list(ctx, path, ret_text, err)
			  : PAWL_OK;
}

static enum pawl_rc
decision_read(struct cmd_ctx *ctx, const char *path, bool must,
	struct source_decision *ret_decision, struct pawl_err *err)
{
	struct str bytes;
	bool found;
	enum pawl_rc rc = source_list(ctx, path, &found, &bytes, err);

	if (rc != PAWL_OK || (!found && !must))
		return rc;
	if (!found)
		return pawl_fail(
			err, ERR_FILE_NOT_FOUND, "no decision '%s'", path);
	if (bytes.len == 0)
		return pawl_fail(
			err, ERR_INVALID_DECISION, "'%s' is empty", path);
	*ret_decision = (struct source_decision){ path, bytes };
	return PAWL_OK;
}

enum pawl_rc
source_decision_named(struct cmd_ctx *ctx, struct source_decision *ret_decision,
	struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "decision");

	*ret_decision = (struct source_decision){ NULL, { "", 0 } };
	return path == NULL ? PAWL_OK
			    : decision_read(ctx, path, true, ret_decision, err);
}

enum pawl_rc
source_decision_beside(struct cmd_ctx *ctx, const char *list,
	struct source_decision *ret_decision, struct pawl_err *err)
{
	const char *slash = strrchr(list, '/');
	const char *path = arena_format(ctx->mem, "%.*s" SOURCE_DECISION,
		slash != NULL ? (int)(slash + 1 - list) : 0, list)
				   .ptr;

	*ret_decision = (struct source_decision){ NULL, { "", 0 } };
	return decision_read(ctx, path, false, ret_decision, err);
}

enum pawl_rc
source_decision(struct cmd_ctx *ctx, const char *list,
	struct source_decision *ret_decision, struct pawl_err *err)
{
	enum pawl_rc rc = source_decision_named(ctx, ret_decision, err);

	if (rc != PAWL_OK || ret_decision->path != NULL)
		return rc;
	rc = source_decision_beside(ctx, list, ret_decision, err);
	if (rc == PAWL_OK && ret_decision->path != NULL)
		cmd_notice(ctx, "the run's decision is '%s', beside its list",
			ret_decision->path);
	return rc;
}

/* What is behind `--`, as it stands. */
static struct strs
rest_of(struct cmd_ctx *ctx)
{
	char **rest = ctx->args.rest;
	struct strs words = { 0 };

	while (rest != NULL && rest[words.count] != NULL)
		words.count++;
	words.items = arena_array(ctx->mem, words.count, struct str);
	for (uint32_t i = 0; i < words.count; i++)
		words.items[i] = str_from(rest[i]);
	return words;
}

enum pawl_rc
source_argv(struct cmd_ctx *ctx, struct strs *ret_argv, struct pawl_err *err)
{
	struct strs argv = rest_of(ctx);

	*ret_argv = argv;
	if (argv.count == 0)
		return PAWL_OK;
	if (strchr(argv.items[0].ptr, '/') != NULL) {
		char *path = realpath(argv.items[0].ptr, NULL);

		if (path == NULL)
			return pawl_fail_sys(err, ERR_FILE_NOT_FOUND,
				"worker '%s'", argv.items[0].ptr);
		argv.items[0] = arena_copy(ctx->mem, str_from(path));
		free(path);
		if (access(argv.items[0].ptr, X_OK) != 0) {
			(void)pawl_fail_sys(err, ERR_INVALID_ARGUMENT,
				"worker '%s'", argv.items[0].ptr);
			return pawl_hint(err, "chmod +x %s", argv.items[0].ptr);
		}
	}
	*ret_argv = argv;
	return PAWL_OK;
}

enum pawl_rc
source_worker(struct cmd_ctx *ctx, struct source_worker *ret_worker,
	struct pawl_err *err)
{
	struct agent_profile *all =
		arena_array(ctx->mem, AGENT_PROFILES_MAX, struct agent_profile);
	struct source_worker w = { .agents = { all, 0 } };
	const char *name;
	enum pawl_rc rc = PAWL_OK;

	if (!args_has(&ctx->args, "agent"))
		return source_argv(ctx, &ret_worker->argv, err);
	while (rc == PAWL_OK &&
		(name = args_value_at(&ctx->args, "agent", w.agents.count)) !=
			NULL) {
		struct agent_profile *to = &all[w.agents.count];

		if (w.agents.count == AGENT_PROFILES_MAX)
			return pawl_fail(err, ERR_LIMIT,
				"--agent: more than %d of them",
				AGENT_PROFILES_MAX);
		rc = agents_find(ctx->fs, str_from(name), ctx->mem, to, err);
		if (rc == PAWL_OK &&
			agent_profile_find(&w.agents, to->name) != NULL)
			rc = pawl_fail(err, ERR_USAGE,
				"--agent: '" STR_FMT "' twice",
				STR_ARG(to->name));
		w.agents.count++;
	}
	if (rc == PAWL_OK)
		rc = agents_command(
			&all[0], rest_of(ctx), ctx->mem, &w.argv, err);
	if (rc != PAWL_OK)
		return rc;
	w.agent = all[0].name;
	w.has_args = ctx->args.rest != NULL && ctx->args.rest[0] != NULL;
	*ret_worker = w;
	return PAWL_OK;
}

enum pawl_rc
source_driver(struct str name, struct arena *mem, struct pawl_err *err)
{
	struct driver_client found;
	enum builtin d;

	return builtin_from(name, &d)
		? PAWL_OK
		: driver_client_find(&found, name, mem, err);
}

struct strs
source_secrets(struct cmd_ctx *ctx)
{
	struct strs names = { 0 };

	while (args_value_at(&ctx->args, "secret", names.count) != NULL)
		names.count++;
	names.items = arena_array(ctx->mem, names.count, struct str);
	for (uint32_t i = 0; i < names.count; i++)
		names.items[i] =
			str_from(args_value_at(&ctx->args, "secret", i));
	return names;
}

enum pawl_rc
source_capacity(
	struct cmd_ctx *ctx, struct strs *ret_capacity, struct pawl_err *err)
{
	struct strs words = { 0 };
	struct need limit;

	while (args_value_at(&ctx->args, "capacity", words.count) != NULL)
		words.count++;
	if (words.count > BOUND_CLASSES)
		return pawl_fail(err, ERR_LIMIT,
			"--capacity: over the limit of %d classes",
			BOUND_CLASSES);
	words.items = arena_array(ctx->mem, words.count, struct str);
	for (uint32_t i = 0; i < words.count; i++) {
		words.items[i] =
			str_from(args_value_at(&ctx->args, "capacity", i));
		if (capacity_read(words.items[i], &limit, err) != PAWL_OK)
			return pawl_wrap(err, "--capacity");
		for (uint32_t k = 0; k < i; k++) {
			struct str other = words.items[k];

			if (str_eq(str_cut(&other, '='), limit.class))
				return pawl_fail(err, ERR_USAGE,
					"--capacity: '" STR_FMT "' twice",
					STR_ARG(limit.class));
		}
	}
	*ret_capacity = words;
	return PAWL_OK;
}

enum pawl_rc
source_paths(struct cmd_ctx *ctx, const char *option, struct strs *ret_paths,
	struct pawl_err *err)
{
	struct strs paths = { 0 };

	while (args_value_at(&ctx->args, option, paths.count) != NULL)
		paths.count++;
	paths.items = arena_array(ctx->mem, paths.count, struct str);
	for (uint32_t i = 0; i < paths.count; i++) {
		const char *given = args_value_at(&ctx->args, option, i);
		char *real = realpath(given, NULL);

		if (real == NULL)
			return pawl_fail_sys(err, ERR_FILE_NOT_FOUND,
				"--%s '%s'", option, given);
		paths.items[i] = arena_copy(ctx->mem, str_from(real));
		free(real);
	}
	*ret_paths = paths;
	return PAWL_OK;
}

enum pawl_rc
source_level(struct cmd_ctx *ctx, enum sandbox_level *ret_level,
	struct pawl_err *err)
{
	const char *word = args_value(&ctx->args, "sandbox");

	*ret_level = SANDBOX_BEST_EFFORT;
	if (word == NULL || sandbox_level_from(str_from(word), ret_level))
		return PAWL_OK;
	return pawl_fail(err, ERR_USAGE,
		"level '%s' is none of best-effort, required, off", word);
}

enum pawl_rc
source_cages(
	struct cmd_ctx *ctx, struct cage_wish *ret_wish, struct pawl_err *err)
{
	enum pawl_rc rc = source_level(ctx, &ret_wish->level, err);

	ret_wish->check_net = args_has(&ctx->args, "check-net");
	if (rc == PAWL_OK)
		rc = source_paths(ctx, "read", &ret_wish->reads, err);
	if (rc == PAWL_OK)
		rc = source_paths(ctx, "write", &ret_wish->writes, err);
	return rc;
}

enum pawl_rc
source_repo(struct cmd_ctx *ctx, struct repo *ret_repo, struct pawl_err *err)
{
	char *here;

	if (ctx->state.has_repo) {
		*ret_repo = ctx->state.repo;
		return PAWL_OK;
	}
	here = realpath(ctx->args.repo ? ctx->args.repo : ".", NULL);
	if (here == NULL)
		return pawl_fail_sys(
			err, ERR_FILE_NOT_FOUND, "could not tell where we are");
	*ret_repo =
		(struct repo){ .top = arena_strdup(ctx->mem, str_from(here)) };
	free(here);
	return PAWL_OK;
}
