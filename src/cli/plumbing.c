#include "cli/plumbing.h"

#include "cli/source.h"

enum { GRACE_MS = 5000 };

enum pawl_rc
plumbing_open(struct cmd_ctx *ctx, struct plumbing *pl, struct pawl_err *err)
{
	enum pawl_rc rc = source_repo(ctx, &pl->repo, err);

	if (rc == PAWL_OK)
		rc = monitor_program(pl->child, err);
	if (rc != PAWL_OK)
		return rc;
	pl->config.child = pl->child;
	pl->config.worktrees = arena_format(ctx->mem, "%s/" STR_FMT,
		ctx->state.worktrees, STR_ARG(pl->run.id))
				       .ptr;
	pl->config.lock_dir = ctx->state.path;
	pl->config.grace_ms = GRACE_MS;
	return plumb_open(&pl->pilot, &pl->run, &pl->repo, &pl->config, err);
}

void
plumbing_close(struct plumbing *pl)
{
	plumb_close(&pl->pilot);
	run_close(&pl->run);
}

void
plumbing_signal(struct cmd_ctx *ctx, const struct plumbing *pl)
{
	if (pl->pilot.stop_signal != 0)
		ctx->signo = pl->pilot.stop_signal;
}
