#include "cli/task_verb.h"

#include <stdlib.h>

#include "cli/place.h"

enum { GRACE_MS = 5000 };

static enum pawl_rc
repo_open_here(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	char *here;

	if (ctx->state.has_repo) {
		v->repo = ctx->state.repo;
		return PAWL_OK;
	}
	here = realpath(ctx->args.repo ? ctx->args.repo : ".", NULL);
	if (here == NULL)
		return pawl_fail_sys(
			err, ERR_FILE_NOT_FOUND, "could not tell where we are");
	v->repo.top = arena_strdup(ctx->mem, str_from(here));
	free(here);
	return PAWL_OK;
}

static enum pawl_rc
pilot_begin(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	struct pilot_config config = {
		.child = v->child,
		.worktrees = arena_format(ctx->mem, "%s/" STR_FMT,
			ctx->state.worktrees, STR_ARG(v->run->id))
				     .ptr,
		.lock_dir = ctx->state.path,
		.grace_ms = GRACE_MS,
	};
	enum pawl_rc rc = repo_open_here(v, err);

	if (rc == PAWL_OK)
		rc = monitor_program(v->child, err);
	if (rc == PAWL_OK)
		rc = plumb_open(&v->the_pilot, v->run, &v->repo, &config, err);
	if (rc == PAWL_OK)
		v->pilot = &v->the_pilot;
	return rc;
}

enum pawl_rc
task_verb_open(struct task_verb *v, struct cmd_ctx *ctx,
	enum task_verb_operand operand, struct pawl_err *err)
{
	enum pawl_rc rc;

	*v = (struct task_verb){ .ctx = ctx, .the_run = { .dir = -1 } };
	v->run = &v->the_run;
	rc = operand == TASK_VERB_RUN
		? place_open_coordinated(ctx, 0, v->run, err)
		: place_open_coordinated_subject(ctx, v->run, &v->subject, err);
	if (rc != PAWL_OK || ctx->args.dry_run)
		return rc;
	rc = pilot_begin(v, err);
	if (rc != PAWL_OK)
		run_close(v->run);
	return rc;
}

void
task_verb_close(struct task_verb *v)
{
	if (v->pilot != NULL)
		plumb_close(v->pilot);
	run_close(v->run);
}

enum pawl_rc
task_verb_node(
	const struct task_verb *v, uint32_t *ret_node, struct pawl_err *err)
{
	if (!plan_find(&v->run->plan, v->subject, ret_node))
		return pawl_fail(err, ERR_NODE_NOT_FOUND,
			"run '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(v->run->id), STR_ARG(v->subject));
	return PAWL_OK;
}

enum pawl_rc
task_verb_ask(struct task_verb *v, const char *words, uint64_t *ret_seq,
	struct pawl_err *err)
{
	*ret_seq = 0;
	if (v->pilot == NULL)
		return PAWL_OK;
	return plumb_ask(v->pilot, str_from(v->ctx->args.key),
		arena_format(v->ctx->mem, "%s " STR_FMT " %s",
			v->ctx->cmd->name, STR_ARG(v->subject), words),
		ret_seq, err);
}

void
task_verb_json(const struct task_verb *v)
{
	struct json_writer *w = &v->ctx->json;

	json_pair_str(w, STR("run"), v->run->id);
	json_pair_bool(w, STR("dry_run"), v->ctx->args.dry_run);
	json_pair_u64(w, STR("seq"), v->run->state.seq);
}
