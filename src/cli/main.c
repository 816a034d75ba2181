/*
 * main: from argv to an exit status.
 */
#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/die.h"
#include "cli/answer.h"
#include "cli/help.h"
#include "cli/place.h"
#include "cli/table.h"
#include "cli/who.h"
#include "model/id.h"

enum { HEAP_STEP = 1 << 20 }; /* bytes */

/*
 * Descriptors 0 to 2 exist from here on, so that no file we open can become
 * one of them.  What stands in for a closed one refuses what it is for: a
 * write to it fails, and the answer's check sees that.
 */
static void
keep_standard_descriptors(void)
{
	struct pollfd fds[3] = { { .fd = 0 }, { .fd = 1 }, { .fd = 2 } };

	if (poll(fds, 3, 0) < 0)
		die("could not look at descriptors 0 to 2");
	for (int fd = 0; fd <= 2; fd++) {
		if ((fds[fd].revents & POLLNVAL) != 0 &&
			open("/dev/null", O_RDONLY) != fd)
			die("could not open /dev/null for descriptor %d", fd);
	}
}

/* What the command needs, in the order of enum cmd_needs. */
static enum pawl_rc
prepare(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct cmd *cmd = ctx->cmd;
	enum pawl_rc rc;

	if (cmd->needs == CMD_NEEDS_HUMAN &&
		who_is_outside(ctx, "a human's", err) != PAWL_OK)
		return err->rc;
	if (cmd->needs == CMD_NEEDS_COORDINATOR) {
		struct str name;

		rc = place_as(ctx, &name, err);
		if (rc != PAWL_OK)
			return rc;
	}
	if (cmd->needs < CMD_NEEDS_REPOSITORY)
		return PAWL_OK;
	if ((cmd->flags & CMD_ONLY_RUNS) != 0) {
		const struct statedir_search search = { &ctx->env->state,
			ctx->args.state, ctx->args.repo };

		return statedir_enter(ctx->fs, ctx->mem, &search, &ctx->state,
			&ctx->state_fd, err);
	}
	rc = statedir_find(ctx->mem, &ctx->env->state, ctx->args.state,
		ctx->args.repo, &ctx->state, err);
	if (rc != PAWL_OK || cmd->needs < CMD_NEEDS_STATE)
		return rc;
	return statedir_open(ctx->fs, &ctx->state, &ctx->state_fd, err);
}

enum pawl_rc
cmd_run_id(const struct cmd_ctx *ctx, size_t index, struct str *ret_id,
	struct pawl_err *err)
{
	bool mutates = (ctx->cmd->flags & CMD_MUTATES) != 0;
	struct runs runs = {
		.fs = ctx->fs, .state = ctx->state_fd, .mem = ctx->mem
	};

	return runs_find(&runs, args_operand(&ctx->args, index),
		mutates ? RUNS_WHOLE : RUNS_PREFIX, ret_id, err);
}

enum pawl_rc
cmd_own_id(const struct cmd_ctx *ctx, const char *option, struct str *ret_id,
	struct pawl_err *err)
{
	const char *value = args_value(&ctx->args, option);
	struct str id = str_from(value);
	enum pawl_rc rc = value != NULL ? id_check(id, err) : PAWL_OK;

	if (rc == PAWL_OK)
		*ret_id = id;
	return rc;
}

static enum pawl_rc
dispatch(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct args *args = &ctx->args;

	if (args->version && ctx->cmd == NULL) {
		ctx->cmd = table_find(STR("version"));
		return ctx->cmd->run(ctx, err);
	}
	if (args->group != NULL && !args->help) {
		(void)pawl_fail(err, ERR_USAGE, "'pawl %s' needs another word",
			args->group);
		return pawl_hint(err, "pawl help %s", args->group);
	}
	if (ctx->cmd != NULL && !args->help) {
		enum pawl_rc rc = prepare(ctx, err);

		return rc == PAWL_OK ? ctx->cmd->run(ctx, err) : rc;
	}
	if (args->json && ctx->cmd != NULL) {
		help_command_json(&ctx->json, ctx->cmd);
	} else if (args->json) {
		help_json(&ctx->json);
	} else if (ctx->cmd != NULL) {
		help_command(&ctx->out, ctx->cmd);
	} else if (args->group != NULL) {
		help_group(&ctx->out, args->group);
	} else {
		help_overview(&ctx->out);
	}
	return PAWL_OK;
}

int
main(int argc, char **argv)
{
	struct arena mem = ARENA_INIT;
	struct cmd_env env = {
		.state = { .state = getenv("PAWL_STATE"),
			.xdg_state_home = getenv("XDG_STATE_HOME"),
			.home = getenv("HOME") },
		.as = getenv("PAWL_AS"),
		.worker = getenv("PAWL_ATTEMPT"),
		.check = getenv("PAWL_CHECK"),
		.node = getenv("PAWL_NODE"),
		.capsule = getenv("PAWL_CAPSULE"),
		.outbox = getenv("PAWL_OUTBOX"),
	};
	struct cmd_ctx ctx = { .mem = &mem,
		.env = &env,
		.fs = &fs_real,
		.clock = clock_real(),
		.rand = clock_rand(),
		.state_fd = -1 };
	struct pawl_err err = { 0 };
	enum pawl_rc rc;
	int status;

	keep_standard_descriptors();
	/* A write then fails with EPIPE, or EFBIG, and is an error as any. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	/* A short command grows its heap once instead of a dozen times. */
	(void)mallopt(M_TOP_PAD, HEAP_STEP);
	(void)mallopt(M_TRIM_THRESHOLD, 2 * HEAP_STEP);
	(void)mallopt(M_MMAP_THRESHOLD, HEAP_STEP);
	out_init(&ctx.out, STDOUT_FILENO, getenv("NO_COLOR"), getenv("TERM"));
	answer_begin(&ctx);
	rc = args_parse(argc, argv, env.as, &ctx.args, &err);
	ctx.cmd = ctx.args.cmd;
	if (rc == PAWL_OK)
		rc = dispatch(&ctx, &err);
	status = answer_end(&ctx, rc, &err);

	/* The end of the process closes what is open. */
	args_release(&ctx.args);
	out_release(&ctx.out);
	buf_release(&ctx.result);
	arena_reset(&mem);
	return ctx.signo != 0 ? 128 + ctx.signo : status;
}
