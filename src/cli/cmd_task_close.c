#include "base/bounds.h"
#include "cli/place.h"
#include "cli/task_verb.h"
#include "engine/appraisal.h"
#include "engine/closing.h"
#include "model/digest.h"

enum { ROWS_MAX = 1000 };

static const struct cmd_option complete_options[] = {
	{ .name = "outcome",
		.arg = "O",
		.help = "pass, partial, blocked or failed" },
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

static enum pawl_rc
complete(struct task_verb *v, struct pawl_err *err)
{
	struct cmd_ctx *ctx = v->ctx;
	const char *word = args_value(&ctx->args, "outcome");
	struct str outcome = str_from(word);
	struct str reason = str_from(args_value(&ctx->args, "reason"));
	struct command cmd =
		run_command(v->run, EV_RUN_CLOSED, STR(""), STR(""));
	bool again = true;
	uint64_t seq = 0;
	enum pawl_rc rc = PAWL_OK;

	if (outcome.len == 0)
		return pawl_fail(err, ERR_USAGE,
			"'pawl task complete' needs --outcome O");
	if (reason.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"a reason of %zu bytes is over the limit of %d",
			reason.len, BOUND_TEXT_BYTES);
	EVENT_SET(&cmd.event, F_OUTCOME, outcome, outcome);
	if (!ctx->args.dry_run)
		rc = task_verb_ask(v, word, &seq, err);
	else if (!str_eq(v->run->state.outcome, outcome))
		rc = appraisal_rehearse(v->run, &cmd, err);
	if (rc == PAWL_OK && seq == 0 && !ctx->args.dry_run)
		rc = closing_complete(
			v->pilot, outcome, reason, ctx->mem, &again, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		task_verb_json(v);
		json_pair_str(&ctx->json, STR("outcome"), outcome);
		json_pair_bool(
			&ctx->json, STR("again"), again && !ctx->args.dry_run);
		return PAWL_OK;
	}
	out_f(&ctx->out, "%s" STR_FMT " closed as %s%s\n",
		ctx->args.dry_run ? "would have " : "", STR_ARG(v->run->id),
		word, again && !ctx->args.dry_run ? ", before" : "");
	return PAWL_OK;
}

static enum pawl_rc
run_complete(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct task_verb v;
	enum pawl_rc rc = task_verb_open(&v, ctx, TASK_VERB_RUN, err);

	if (rc != PAWL_OK)
		return rc;
	rc = complete(&v, err);
	task_verb_close(&v);
	return rc;
}

static enum pawl_rc
run_digest(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct buf text = { 0 };
	enum pawl_rc rc = place_open_run(ctx, 0, &r, err);

	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		digest_json(cmd_whole(ctx), &r.state, ROWS_MAX);
	} else {
		digest_text(&text, &r.state, ROWS_MAX);
		out_text(&ctx->out, text.data);
		buf_release(&text);
	}
	run_close(&r);
	return PAWL_OK;
}

const struct cmd cmd_task_complete = {
	.name = "task complete",
	.operands = "[RUN]",
	.summary = "close a run for good",
	.help = "Closes the run with an outcome. Refused while anything is "
		"open, and when\n"
		"a path changed that no task which passed answers for; with "
		"--reason an\n"
		"outcome other than pass closes over such paths, and names "
		"them. pass wants\n"
		"every task to have passed. The same outcome again is the "
		"same answer; work\n"
		"on is a new run.",
	.options = complete_options,
	.page = "pawl-task",
	.aliases = "complete",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_complete,
};

const struct cmd cmd_task_digest = {
	.name = "task digest",
	.operands = "[RUN]",
	.summary = "show what a run has come to, task by task",
	.help = "Each task's grade and the check that it rests on, what has "
		"yet "
		"to be cleaned\n"
		"up, and what is less than it looks: outcomes that nobody "
		"knows, checks that\n"
		"the work itself could change, what was kept. Also of a closed "
		"run.",
	.page = "pawl-task",
	.aliases = "digest",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run_digest,
};
