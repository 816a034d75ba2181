#include "cli/who.h"

#include <stdio.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/num.h"

/*
 * The name of a user in /etc/passwd; empty without one.  libc's getpwuid would
 * load other libraries into a program that is linked statically.
 */
static struct str
name_of_user(struct cmd_ctx *ctx, uint64_t wanted)
{
	struct buf bytes = { 0 };
	struct pawl_err unused;
	struct str name = { 0 }, rest;

	if (fs_read(ctx->fs, AT_FDCWD, "/etc/passwd", BOUND_CONFIG_BYTES,
		    &bytes, &unused) == PAWL_OK) {
		rest = buf_str(&bytes);
		while (name.len == 0 && rest.len > 0) {
			struct str line = str_cut(&rest, '\n');
			struct str first = str_cut(&line, ':');
			uint64_t uid;

			(void)str_cut(&line, ':'); /* the password */
			if (num_u64(str_cut(&line, ':'), 0, UINT32_MAX, &uid,
				    &unused) == PAWL_OK &&
				uid == wanted)
				name = arena_copy(ctx->mem, first);
		}
	}
	buf_release(&bytes);
	return name;
}

/* The login name, `uid-1000` without one. */
static struct str
who_user(struct cmd_ctx *ctx)
{
	struct str name = name_of_user(ctx, getuid());

	if (name.len > 0)
		return name;
	return arena_format(ctx->mem, "uid-%lu", (unsigned long)getuid());
}

struct str
who_local(struct cmd_ctx *ctx)
{
	return arena_format(ctx->mem, "local:" STR_FMT, STR_ARG(who_user(ctx)));
}

enum pawl_rc
who_is_outside(
	const struct cmd_ctx *ctx, const char *whose, struct pawl_err *err)
{
	const char *worker = ctx->env->worker, *check = ctx->env->check;

	if (worker == NULL && check == NULL)
		return PAWL_OK;
	return pawl_fail(err, ERR_WORKER_CONTEXT,
		"'pawl %s' is %s; this is the %s '%s'", ctx->cmd->name, whose,
		worker != NULL ? "worker of" : "check",
		worker != NULL ? worker : check);
}

struct str
who_author(struct cmd_ctx *ctx)
{
	return ctx->args.as != NULL
		? arena_format(ctx->mem, "coordinator:%s", ctx->args.as)
		: who_local(ctx);
}

bool
who_is_asked(const struct cmd_ctx *ctx)
{
	return ctx->out.terminal && !ctx->args.json && !ctx->args.dry_run &&
		isatty(STDIN_FILENO);
}

enum pawl_rc
who_confirms(struct cmd_ctx *ctx, const char *verb, struct pawl_err *err)
{
	char line[16];

	if (!who_is_asked(ctx))
		return PAWL_OK;
	out_f(&ctx->out, "type '%s' to decide: ", verb);
	if (cmd_flush(ctx, err) != PAWL_OK)
		return err->rc;
	if (fgets(line, sizeof(line), stdin) == NULL ||
		!str_eq(str_trim(str_from(line)), str_from(verb)))
		return pawl_fail(err, ERR_NOT_CONFIRMED, "nothing was decided");
	return PAWL_OK;
}
