#include "cli/task_verb.h"

#include "cli/place.h"

enum pawl_rc
task_verb_open(struct task_verb *v, struct cmd_ctx *ctx,
	enum task_verb_operand operand, struct pawl_err *err)
{
	enum pawl_rc rc;

	*v = (struct task_verb){ .ctx = ctx, .plumbing = PLUMBING_NONE };
	v->run = &v->plumbing.run;
	rc = operand == TASK_VERB_RUN
		? place_open_coordinated(ctx, 0, v->run, err)
		: place_open_coordinated_subject(ctx, v->run, &v->subject, err);
	if (rc != PAWL_OK || ctx->args.dry_run)
		return rc;
	rc = plumbing_open(ctx, &v->plumbing, err);
	if (rc != PAWL_OK)
		plumbing_close(&v->plumbing);
	else
		v->pilot = &v->plumbing.pilot;
	return rc;
}

void
task_verb_close(struct task_verb *v)
{
	if (v->pilot != NULL)
		plumbing_signal(v->ctx, &v->plumbing);
	plumbing_close(&v->plumbing);
}

enum pawl_rc
task_verb_node(
	const struct task_verb *v, uint32_t *ret_node, struct pawl_err *err)
{
	return state_need_node(&v->run->state, v->subject, ret_node, err);
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
