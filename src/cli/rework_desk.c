#include "cli/rework_desk.h"

#include "base/bounds.h"
#include "cli/place.h"
#include "os/monitor.h"

enum { GRACE_MS = 5000 };

enum pawl_rc
rework_desk_open(
	struct rework_desk *d, struct cmd_ctx *ctx, struct pawl_err *err)
{
	enum pawl_rc rc;

	*d = (struct rework_desk){ .ctx = ctx, .run = { .dir = -1 } };
	rc = place_open_coordinated_subject(ctx, &d->run, &d->subject, err);
	if (rc != PAWL_OK)
		return rc;
	d->config = (struct pilot_config){
		.child = d->child,
		.worktrees = arena_format(ctx->mem, "%s/" STR_FMT,
			ctx->state.worktrees, STR_ARG(d->run.id))
				     .ptr,
		.lock_dir = ctx->state.path,
		.grace_ms = GRACE_MS,
	};
	d->work = (struct rework){
		.run = &d->run,
		.repo = &ctx->state.repo,
		.config = &d->config,
		.act = { .key = str_from(ctx->args.key),
			.dry_run = ctx->args.dry_run },
	};
	rc = monitor_program(d->child, err);
	if (rc != PAWL_OK)
		run_close(&d->run);
	return rc;
}

void
rework_desk_close(struct rework_desk *d)
{
	run_close(&d->run);
}

enum pawl_rc
rework_desk_node(
	const struct rework_desk *d, uint32_t *ret_node, struct pawl_err *err)
{
	return state_need_node(&d->run.state, d->subject, ret_node, err);
}

enum pawl_rc
rework_desk_attempt(const struct rework_desk *d, uint32_t *ret_attempt,
	struct pawl_err *err)
{
	return state_need_attempt(&d->run.state, d->subject, ret_attempt, err);
}

enum pawl_rc
rework_desk_text(const struct rework_desk *d, const char *option,
	struct str *ret_text, struct pawl_err *err)
{
	const char *value = args_value(&d->ctx->args, option);
	struct str text = str_trim(str_from(value));

	if (value == NULL)
		return pawl_fail(err, ERR_USAGE, "'pawl %s' needs --%s",
			d->ctx->cmd->name, option);
	if (text.len == 0)
		return pawl_fail(
			err, ERR_INVALID_ARGUMENT, "--%s is empty", option);
	if (text.len > BOUND_TEXT_BYTES) {
		return pawl_fail(err, ERR_LIMIT,
			"--%s of %zu bytes is over the limit of %d", option,
			text.len, BOUND_TEXT_BYTES);
	}
	*ret_text = text;
	return PAWL_OK;
}

void
rework_desk_answer(struct rework_desk *d, uint32_t node, const char *done,
	const struct rework_answer *answer)
{
	struct cmd_ctx *ctx = d->ctx;
	struct str id = plan_id(&d->run.plan, node);
	const struct node_state *n = &d->run.state.nodes[node];
	struct str status = node_status_word((enum node_status)n->status);

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), d->run.id);
		json_pair_str(&ctx->json, STR("node"), id);
		json_pair_str(&ctx->json, STR("status"), status);
		if (answer->id.len > 0)
			json_pair_str(&ctx->json, STR("id"), answer->id);
		if (answer->question.len > 0)
			json_pair_str(
				&ctx->json, STR("question"), answer->question);
		json_pair_bool(&ctx->json, STR("again"), answer->again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), d->run.state.seq);
		return;
	}
	out_data(&ctx->out, id);
	out_f(&ctx->out, " %s%s", ctx->args.dry_run ? "would be " : "", done);
	if (answer->id.len > 0) {
		out_text(&ctx->out, " ");
		out_data(&ctx->out, answer->id);
	}
	if (answer->question.len > 0)
		out_f(&ctx->out, ", question " STR_FMT,
			STR_ARG(answer->question));
	out_f(&ctx->out, "; it is " STR_FMT "%s\n", STR_ARG(status),
		answer->again ? "; said before" : "");
}
