#include "cli/cmd.h"
#include "cli/source.h"
#include "engine/child_env.h"
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
	{ .name = "no-net", .help = "no network but a loopback of its own" },
	{ .name = "sandbox",
		.arg = "LEVEL",
		.help = "best-effort (the default), required, or off" },
	{ .name = NULL },
};

/* As the kernel is to have them: what is there now must be there then. */
static enum pawl_rc
grants_of(struct cmd_ctx *ctx, struct sandbox_spec *spec, struct pawl_err *err)
{
	struct landlock_path *paths;
	struct strs reads, writes;
	enum pawl_rc rc = source_paths(ctx, "read", &reads, err);

	if (rc == PAWL_OK)
		rc = source_paths(ctx, "write", &writes, err);
	if (rc != PAWL_OK)
		return rc;
	paths = arena_array(
		ctx->mem, reads.count + writes.count, struct landlock_path);
	for (uint32_t i = 0; i < reads.count; i++)
		paths[spec->count++] =
			(struct landlock_path){ reads.items[i].ptr,
				LANDLOCK_READ, false };
	for (uint32_t i = 0; i < writes.count; i++)
		paths[spec->count++] =
			(struct landlock_path){ writes.items[i].ptr,
				LANDLOCK_WRITE, false };
	spec->paths = paths;
	return PAWL_OK;
}

/* Say what isn't enforced, or refuse to go without. */
static enum pawl_rc
judge(struct cmd_ctx *ctx, const struct sandbox *sb, enum sandbox_level level,
	struct pawl_err *err)
{
	enum pawl_rc rc = sandbox_is_whole(sb, err);

	if (rc == PAWL_OK || level == SANDBOX_REQUIRED)
		return rc;
	cmd_notice(ctx, "%s", err->msg);
	*err = (struct pawl_err){ .rc = PAWL_OK };
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct sandbox_spec spec = { .tcp = !args_has(&ctx->args, "no-tcp"),
		.apart.net = args_has(&ctx->args, "no-net") };
	struct proc_spec become = { .envp = child_env_command(ctx->mem) };
	enum sandbox_level level;
	struct seccomp filter;
	struct sandbox sb;
	enum pawl_rc rc;

	if (ctx->args.rest == NULL)
		return pawl_fail(err, ERR_USAGE,
			"'pawl sandbox' needs a command after '--'");
	spec.tcp = spec.tcp && !spec.apart.net;
	become.argv = (const char *const *)ctx->args.rest;
	rc = source_level(ctx, &level, err);
	if (rc == PAWL_OK && level == SANDBOX_OFF)
		return proc_become(&become, err);
	if (rc == PAWL_OK)
		rc = grants_of(ctx, &spec, err);
	if (rc == PAWL_OK)
		rc = sandbox_make(&spec, ctx->mem, &sb, err);
	if (rc != PAWL_OK)
		return rc;
	rc = judge(ctx, &sb, level, err);
	if (rc == PAWL_OK && seccomp_make(sb.refused, &filter))
		become.filter = &filter;
	become.confine = &sb.files;
	become.isolate = &sb.apart;
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
