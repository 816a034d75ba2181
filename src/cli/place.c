#include "cli/place.h"

#include <pwd.h>
#include <string.h>
#include <unistd.h>

struct place *
place_of(struct cmd_ctx *ctx)
{
	struct place *place = arena_new(ctx->mem, struct place);
	struct str wt = str_from(ctx->state.worktrees);

	place->fs = ctx->fs;
	place->clock = &ctx->clock;
	place->state_dir = ctx->state_fd;
	place->state_path = ctx->state.path;
	/* Beside the worktrees' folder: outside of every tree of a worker. */
	place->keys_path = arena_format(ctx->mem, STR_FMT "/keys",
		STR_ARG(str_part(wt, 0, wt.len - strlen("/wt"))))
				   .ptr;
	return place;
}

static void
say_condition(struct cmd_ctx *ctx, const struct run *r)
{
	if (r->drift)
		cmd_notice(ctx,
			"state.json of run '" STR_FMT
			"' disagreed with the journal and was not believed",
			STR_ARG(r->id));
	if (r->tail.end == JOURNAL_TORN)
		cmd_notice(ctx,
			"the journal of run '" STR_FMT
			"' ends in %llu bytes of a torn append; the next"
			" change sets them aside",
			STR_ARG(r->id), (unsigned long long)r->tail.bytes);
	if (r->tail.end == JOURNAL_CORRUPT)
		cmd_notice(ctx,
			"the journal of run '" STR_FMT
			"' is corrupt from line %llu (byte %llu) on: %s",
			STR_ARG(r->id), (unsigned long long)r->tail.line,
			(unsigned long long)r->tail.offset, r->tail.why);
}

enum pawl_rc
place_open_run(struct cmd_ctx *ctx, size_t index, struct run *ret_run,
	struct pawl_err *err)
{
	struct str id;
	enum pawl_rc rc = cmd_run_id(ctx, index, &id, err);

	if (rc == PAWL_OK)
		rc = run_open(ret_run, place_of(ctx), id, err);
	if (rc == PAWL_OK)
		say_condition(ctx, ret_run);
	return rc;
}

struct str
place_user(struct cmd_ctx *ctx)
{
	const struct passwd *pw = getpwuid(getuid());

	if (pw == NULL || pw->pw_name[0] == '\0')
		return arena_format(
			ctx->mem, "uid-%lu", (unsigned long)getuid());
	return arena_copy(ctx->mem, str_from(pw->pw_name));
}
