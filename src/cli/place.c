#include "cli/place.h"

#include "cli/hint.h"
#include "cli/who.h"
#include "engine/coordinator.h"
#include "engine/journal_fold.h"
#include "model/id.h"

struct place *
place_of(struct cmd_ctx *ctx)
{
	struct place *place = arena_new(ctx->mem, struct place);

	place->fs = ctx->fs;
	place->clock = &ctx->clock;
	place->state_dir = ctx->state_fd;
	place->state_path = ctx->state.path;
	place->keys_path = ctx->state.keys;
	return place;
}

void
place_say_tail(const struct cmd_ctx *ctx, struct str run,
	const struct journal_tail *tail)
{
	struct pawl_err why;

	if (tail->end == JOURNAL_TORN) {
		cmd_notice(ctx,
			"the journal of run '" STR_FMT
			"' ends in %llu bytes of a torn append; the next"
			" change sets them aside",
			STR_ARG(run), (unsigned long long)tail->bytes);
	}
	if (tail->end == JOURNAL_CORRUPT) {
		(void)journal_fold_fail(run, tail, &why);
		cmd_notice(ctx, "%s", why.msg);
	}
}

/* The same of an open run, and of its projection. */
static void
place_say_condition(const struct cmd_ctx *ctx, const struct run *r)
{
	if (r->drift) {
		cmd_notice(ctx,
			"state.json of run '" STR_FMT
			"' disagreed with the journal and was not believed",
			STR_ARG(r->id));
	}
	place_say_tail(ctx, r->id, &r->tail);
}

void
place_say_killed(const struct cmd_ctx *ctx, const struct keepers *killed)
{
	for (uint32_t i = 0; i < killed->count; i++)
		cmd_notice(ctx,
			"process %llu held a lock of the run's and was killed",
			(unsigned long long)killed->pids[i]);
}

/*
 * The run of exactly this name, if there is one: that is what most calls mean.
 * Whatever else it may mean is looked up after that.
 */
static enum pawl_rc
open_run(struct cmd_ctx *ctx, const char *name, struct run *ret_run,
	struct pawl_err *err)
{
	bool mutates = (ctx->cmd->flags & CMD_MUTATES) != 0;
	struct runs runs = {
		.fs = ctx->fs, .state = ctx->state_fd, .mem = ctx->mem
	};
	struct str id = str_from(name);
	enum pawl_rc rc;

	if (name != NULL && ctx->state_fd >= 0 &&
		id_check(id, err) == PAWL_OK) {
		rc = run_open(ret_run, place_of(ctx), id, err);
		if (rc == PAWL_OK || err->code != ERR_RUN_NOT_FOUND)
			return rc;
	}
	rc = runs_find(
		&runs, name, mutates ? RUNS_WHOLE : RUNS_PREFIX, &id, err);
	return rc == PAWL_OK ? run_open(ret_run, place_of(ctx), id, err) : rc;
}

enum pawl_rc
place_open_run(struct cmd_ctx *ctx, size_t index, struct run *ret_run,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		open_run(ctx, args_operand(&ctx->args, index), ret_run, err);

	if (rc == PAWL_OK)
		place_say_condition(ctx, ret_run);
	return rc;
}

enum pawl_rc
place_open_subject(struct cmd_ctx *ctx, struct run *ret_run,
	struct str *ret_subject, struct pawl_err *err)
{
	bool mutates = (ctx->cmd->flags & CMD_MUTATES) != 0;
	struct str rest = str_from(args_operand(&ctx->args, 0));
	struct str head = str_cut(&rest, '/');
	const char *name =
		rest.ptr != NULL ? arena_strdup(ctx->mem, head) : NULL;
	enum pawl_rc rc;

	*ret_subject = name != NULL ? rest : head;
	rc = open_run(ctx, name, ret_run, err);
	if (rc == PAWL_OK && !mutates)
		place_say_condition(ctx, ret_run);
	return rc;
}

enum pawl_rc
place_as(const struct cmd_ctx *ctx, struct str *ret_name, struct pawl_err *err)
{
	enum pawl_rc rc = who_is_outside(ctx, "a coordinator's", err);

	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.as == NULL) {
		(void)pawl_fail(err, ERR_NOT_PERMITTED,
			"'pawl %s' is a coordinator's: say whose act it is",
			ctx->cmd->name);
		hint_call(ctx,
			&(struct hint_change){
				.option = "as", .value = STR("ID") },
			err);
		return err->rc;
	}
	*ret_name = str_from(ctx->args.as);
	return PAWL_OK;
}

/* Nothing is decided on the good part of a journal that isn't good. */
static enum pawl_rc
must_be_sound(struct run *r, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (r->tail.end != JOURNAL_CORRUPT)
		return PAWL_OK;
	rc = journal_fold_fail(r->id, &r->tail, err);
	run_close(r);
	return rc;
}

enum pawl_rc
place_open_sound(struct cmd_ctx *ctx, size_t index, struct run *ret_run,
	struct pawl_err *err)
{
	enum pawl_rc rc =
		open_run(ctx, args_operand(&ctx->args, index), ret_run, err);

	return rc == PAWL_OK ? must_be_sound(ret_run, err) : rc;
}

enum pawl_rc
place_open_sound_subject(struct cmd_ctx *ctx, struct run *ret_run,
	struct str *ret_subject, struct pawl_err *err)
{
	enum pawl_rc rc = place_open_subject(ctx, ret_run, ret_subject, err);

	return rc == PAWL_OK ? must_be_sound(ret_run, err) : rc;
}

/* Act as `name` in an open run, or close it. */
static enum pawl_rc
enter(struct run *r, struct str name, struct pawl_err *err)
{
	enum pawl_rc rc = coordinator_enter(r, name, err);

	if (rc != PAWL_OK)
		run_close(r);
	return rc;
}

enum pawl_rc
place_open_coordinated(struct cmd_ctx *ctx, size_t index, struct run *ret_run,
	struct pawl_err *err)
{
	struct str name = { "", 0 };
	enum pawl_rc rc = place_as(ctx, &name, err);

	if (rc == PAWL_OK)
		rc = place_open_sound(ctx, index, ret_run, err);
	return rc == PAWL_OK ? enter(ret_run, name, err) : rc;
}

enum pawl_rc
place_open_coordinated_subject(struct cmd_ctx *ctx, struct run *ret_run,
	struct str *ret_subject, struct pawl_err *err)
{
	struct str name = { "", 0 };
	enum pawl_rc rc = place_as(ctx, &name, err);

	if (rc == PAWL_OK)
		rc = place_open_sound_subject(ctx, ret_run, ret_subject, err);
	return rc == PAWL_OK ? enter(ret_run, name, err) : rc;
}
