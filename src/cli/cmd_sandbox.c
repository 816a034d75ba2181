#include <stdlib.h>

#include "cli/cmd.h"
#include "engine/sandbox.h"
#include "os/proc.h"

static const struct cmd_option options[] = {
	{ .name = "read",
		.arg = "PATH",
		.help = "what may be read, besides the system's folders",
		.repeatable = true },
	{ .name = "write",
		.arg = "PATH",
		.help = "what may be written, and read",
		.repeatable = true },
	{ .name = "no-tcp", .help = "no TCP connections, in or out" },
	{ .name = "sandbox",
		.arg = "LEVEL",
		.help = "best-effort (the default), or required" },
	{ .name = NULL },
};

/* The paths of an option, as the kernel knows them. */
static enum pawl_rc
paths_of(struct cmd_ctx *ctx, const char *option, const char *const **ret_paths,
	size_t *ret_count, struct pawl_err *err)
{
	const char **paths;
	size_t count = 0;

	while (args_value_at(&ctx->args, option, (uint32_t)count) != NULL)
		count++;
	paths = arena_array(ctx->mem, count, const char *);
	for (size_t i = 0; i < count; i++) {
		const char *given =
			args_value_at(&ctx->args, option, (uint32_t)i);
		char *real = realpath(given, NULL);

		if (real == NULL)
			return pawl_fail_sys(err, ERR_FILE_NOT_FOUND,
				"--%s '%s'", option, given);
		paths[i] = arena_strdup(ctx->mem, str_from(real));
		free(real);
	}
	*ret_paths = paths;
	*ret_count = count;
	return PAWL_OK;
}

static enum pawl_rc
level_of(struct cmd_ctx *ctx, bool *ret_required, struct pawl_err *err)
{
	const char *word = args_value(&ctx->args, "sandbox");

	*ret_required = word != NULL && str_eq(str_from(word), STR("required"));
	if (word == NULL || *ret_required ||
		str_eq(str_from(word), STR("best-effort")))
		return PAWL_OK;
	return pawl_fail(err, ERR_USAGE,
		"level '%s' is none of best-effort, required", word);
}

/* Say what isn't enforced, or refuse to go without. */
static enum pawl_rc
judge(struct cmd_ctx *ctx, const struct sandbox *sb, bool required,
	struct pawl_err *err)
{
	struct buf words = { 0 };
	enum pawl_rc rc = PAWL_OK;

	for (size_t i = 0; i < sb->lack_count; i++)
		buf_addf(&words, "%s%s", i > 0 ? ", " : "", sb->lacks[i]);
	if (words.len > 0 && required) {
		rc = pawl_fail(err, ERR_SANDBOX_UNAVAILABLE,
			"this kernel doesn't enforce: " STR_FMT,
			STR_ARG(buf_str(&words)));
	} else if (words.len > 0) {
		cmd_notice(ctx, "this kernel doesn't enforce: " STR_FMT,
			STR_ARG(buf_str(&words)));
	}
	buf_release(&words);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct sandbox_spec spec = { .tcp = !args_has(&ctx->args, "no-tcp") };
	struct proc_spec become = { .envp = sandbox_env(ctx->mem) };
	struct sandbox sb;
	bool required;
	enum pawl_rc rc;

	if (ctx->args.rest == NULL)
		return pawl_fail(err, ERR_USAGE,
			"'pawl sandbox' needs a command after '--'");
	rc = level_of(ctx, &required, err);
	if (rc == PAWL_OK)
		rc = paths_of(ctx, "read", &spec.reads, &spec.read_count, err);
	if (rc == PAWL_OK)
		rc = paths_of(
			ctx, "write", &spec.writes, &spec.write_count, err);
	if (rc == PAWL_OK)
		rc = sandbox_make(&spec, ctx->mem, &sb, err);
	if (rc != PAWL_OK)
		return rc;
	rc = judge(ctx, &sb, required, err);
	become.argv = (const char *const *)ctx->args.rest;
	become.confine = &sb.files;
	become.filter = &sb.calls;
	if (rc == PAWL_OK)
		rc = proc_become(&become, err);
	sandbox_close(&sb);
	return rc;
}

const struct cmd cmd_sandbox = {
	.name = "sandbox",
	.operands = "",
	.summary = "run a command that the kernel keeps from the rest",
	.help = "Runs CMD in place of pawl. It and all that it starts read the "
		"system's folders\n"
		"and what --read and --write name, and write only what --write "
		"names. No socket\n"
		"with a path can be made, and variables that lead to an agent, "
		"a bus or a\n"
		"terminal server of the session are left out.\n"
		"\n"
		"What this kernel doesn't enforce is said, or with "
		"'--sandbox=required' nothing\n"
		"is run. Never covered: modes and times of files, and UDP.",
	.options = options,
	.page = "pawl-init",
	.flags = CMD_REST,
	.run = run,
};
