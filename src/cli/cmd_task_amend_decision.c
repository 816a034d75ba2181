#include "base/bounds.h"
#include "cli/input.h"
#include "cli/place.h"
#include "engine/amendment.h"

static const struct cmd_option options[] = {
	{ .name = "decision",
		.arg = "FILE",
		.help = "the amended process decision; - is standard input" },
	{ .name = NULL },
};

static void
answer(struct cmd_ctx *ctx, const struct run *r,
	const struct amendment_answer *a)
{
	const char *mode = decision_mode_words[a->decision.mode];
	const struct state *s = &r->state;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(&ctx->json, STR("decision_sha256"), a->sha256);
		json_pair_u64(&ctx->json, STR("revision"),
			(uint64_t)a->decision.revision);
		json_pair_str(&ctx->json, STR("mode"), str_from(mode));
		json_key(&ctx->json, STR("retained"));
		json_open(&ctx->json, '[');
		for (size_t i = 0; i < s->retained.count; i++)
			json_put_str(&ctx->json,
				plan_id(&r->plan, s->retained.items[i]));
		json_close(&ctx->json, ']');
		json_pair_bool(&ctx->json, STR("again"), a->again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), s->seq);
		return;
	}
	out_data(&ctx->out, r->id);
	out_f(&ctx->out, " %s under revision %lld of its decision, mode %s\n",
		a->again                    ? "was already"
			: ctx->args.dry_run ? "would be"
					    : "is",
		(long long)a->decision.revision, mode);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "decision");
	const struct act act = { .key = str_from(ctx->args.key),
		.dry_run = ctx->args.dry_run };
	struct amendment_answer a;
	struct buf document = { 0 };
	struct run r = { .dir = -1 };
	enum pawl_rc rc;

	if (path == NULL)
		return pawl_fail(err, ERR_USAGE,
			"'pawl task amend-decision' needs --decision FILE");
	rc = place_open_coordinated(ctx, 0, &r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = input_read(ctx, path, BOUND_LIST_BYTES, &document, err);
	if (rc == PAWL_OK)
		rc = amendment_commit(&r, buf_str(&document), &act, &a, err);
	if (rc != PAWL_OK) { /* they lie in the run's memory */
		err->field = arena_copy(ctx->mem, err->field);
		err->detail = arena_copy(ctx->mem, err->detail);
	}
	if (rc == PAWL_OK)
		answer(ctx, &r, &a);
	run_close(&r);
	buf_release(&document);
	return rc;
}

const struct cmd cmd_task_amend_decision = {
	.name = "task amend-decision",
	.operands = "[RUN]",
	.summary = "go on under the next revision of the decision",
	.help = "FILE is the run's decision with one amendment more, and more "
		"('pawl decision\n"
		"amend' makes it). Of mode graph it must match the frozen "
		"list. One that\n"
		"leaves mode graph has a reduction: integrator, reason, "
		"cleanup plan and the\n"
		"tasks that stay; only they may still start, one writer at a "
		"time. The same\n"
		"FILE again changes nothing.",
	.options = options,
	.page = "pawl-task",
	.aliases = "amend-decision",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run,
};
