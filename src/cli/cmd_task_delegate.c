#include "base/bounds.h"
#include "cli/handout.h"
#include "cli/input.h"
#include "cli/place.h"
#include "cli/source.h"
#include "engine/delegating.h"

static const struct cmd_option request_options[] = {
	{ .name = "intent",
		.arg = "FILE",
		.help = "what is to be delegated; '-' is stdin" },
	{ .name = NULL },
};

static const struct cmd_option approve_options[] = {
	{ .name = "path",
		.arg = "PATH",
		.help = "grant this path (default: all that was asked for)",
		.repeatable = true },
	{ .name = "context-ref",
		.arg = "REF",
		.help = "grant this reference (default: likewise)",
		.repeatable = true },
	{ .name = "capability",
		.arg = "NAME",
		.help = "grant this capability (default: likewise)",
		.repeatable = true },
	{ .name = "no-context", .help = "grant no reference" },
	{ .name = "no-capability", .help = "grant no capability" },
	{ .name = NULL },
};

static const struct cmd_option reject_options[] = {
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

static const struct cmd_option start_options[] = {
	{ .name = "worker",
		.arg = "NAME",
		.help = "who will work on it; for the record" },
	{ .name = "cleanup",
		.arg = "ID",
		.help = "the open cleanup by which it is released" },
	{ .name = NULL },
};

static const struct cmd_option report_options[] = {
	{ .name = "result",
		.arg = "FILE",
		.help = "its result (default: what lies in its outbox)" },
	{ .name = NULL },
};

static const struct cmd_option release_options[] = {
	{ .name = "cleanup",
		.arg = "ID",
		.help = "the settled cleanup that shows it" },
	{ .name = "reason",
		.arg = "TEXT",
		.help = "why, when nothing is shown or reported" },
	{ .name = NULL },
};

/* A run that was entered, and what stands after `RUN/`. */
struct desk {
	struct run run;
	struct str subject;
	struct repo repo;
	struct delegating work;
};

static enum pawl_rc
desk_open(struct desk *k, struct cmd_ctx *ctx, struct pawl_err *err)
{
	*k = (struct desk){ .run = { .dir = -1 } };
	if (place_open_coordinated_subject(ctx, &k->run, &k->subject, err) !=
		PAWL_OK)
		return err->rc;
	k->work = (struct delegating){
		.run = &k->run,
		.act = { .key = str_from(ctx->args.key),
			.dry_run = ctx->args.dry_run },
	};
	return PAWL_OK;
}

static enum pawl_rc
desk_delegation(struct desk *k, struct pawl_err *err)
{
	if (state_find_delegation(&k->run.state, k->subject, &k->work.subject))
		return PAWL_OK;
	return pawl_fail(err, ERR_DELEGATION_NOT_FOUND,
		"run '" STR_FMT "' has no delegation '" STR_FMT "'",
		STR_ARG(k->run.id), STR_ARG(k->subject));
}

/* An attempt; what an attempt has delegated is none. */
static enum pawl_rc
desk_attempt(struct desk *k, struct pawl_err *err)
{
	if (is_delegation_id(k->subject))
		return pawl_fail(err, ERR_NOT_PERMITTED,
			"'" STR_FMT "' is a delegation and can't delegate",
			STR_ARG(k->subject));
	return state_need_attempt(
		&k->run.state, k->subject, &k->work.subject, err);
}

/* An option that must be there. */
static enum pawl_rc
required(const struct cmd_ctx *ctx, const char *option, const char **ret_value,
	struct pawl_err *err)
{
	*ret_value = args_value(&ctx->args, option);
	if (*ret_value != NULL)
		return PAWL_OK;
	return pawl_fail(
		err, ERR_USAGE, "'pawl %s' needs --%s", ctx->cmd->name, option);
}

static void
show_json(struct cmd_ctx *ctx, const struct desk *k,
	const struct delegating_answer *answer)
{
	const struct state *s = &k->run.state;
	struct json_writer *w = &ctx->json;
	const struct delegation *d;

	json_pair_str(w, STR("run"), k->run.id);
	json_pair_str(w, STR("delegation"),
		state_delegation_id(answer->delegation, ctx->mem));
	json_pair_bool(w, STR("again"), answer->again);
	json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
	json_pair_u64(w, STR("seq"), s->seq);
	if (answer->delegation >= s->delegations.count)
		return;
	d = &s->delegations.items[answer->delegation];
	json_pair_str(
		w, STR("attempt"), state_attempt_id(s, d->attempt, ctx->mem));
	json_pair_str(w, STR("status"), delegation_status_word(d->status));
	delegation_list_write(w, STR("paths"), &d->paths);
	delegation_list_write(w, STR("context_refs"), &d->context_refs);
	delegation_list_write(w, STR("capabilities"), &d->capabilities);
}

/* Answer what became of it, and tell its parent's worker. */
static void
show(struct cmd_ctx *ctx, struct desk *k, const char *done,
	const struct delegating_answer *answer)
{
	struct pawl_err why;

	if (ctx->args.json) {
		show_json(ctx, k, answer);
	} else {
		out_f(&ctx->out, "delegation g%u %s%s%s\n",
			answer->delegation + 1,
			ctx->args.dry_run ? "would be " : "", done,
			answer->again ? ", before" : "");
	}
	if (!ctx->args.dry_run &&
		delegating_deliver_all(&k->run, &why) != PAWL_OK)
		cmd_notice(ctx, "its attempt's outbox doesn't say so yet: %s",
			why.msg);
}

static enum pawl_rc
run_request(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct delegation_intent intent;
	struct delegating_answer answer;
	struct buf bytes = { 0 };
	const char *file = NULL;
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_attempt(&k, err);
	if (rc == PAWL_OK)
		rc = required(ctx, "intent", &file, err);
	if (rc == PAWL_OK)
		rc = input_read(ctx, file, BOUND_INTENT_BYTES, &bytes, err);
	if (rc == PAWL_OK)
		rc = delegation_intent_read(
			ctx->mem, buf_str(&bytes), k.subject, &intent, err);
	if (rc == PAWL_OK) {
		do {
			rc = delegating_request(&k.work, &intent, &answer, err);
		} while (delegating_is_outrun(&k.work, rc, err));
	}
	if (rc == PAWL_OK)
		show(ctx, &k, "requested", &answer);
	buf_release(&bytes);
	run_close(&k.run);
	return rc;
}

/* The values of a repeatable option; NULL when it isn't there and `none`
 * doesn't say that there are none. */
static const struct strs *
values(struct cmd_ctx *ctx, const char *option, const char *none)
{
	struct strs *list = arena_new(ctx->mem, struct strs);
	size_t count = 0;

	while (args_value_at(&ctx->args, option, count) != NULL)
		count++;
	if (count == 0 && (none == NULL || !args_has(&ctx->args, none)))
		return NULL;
	list->items = arena_array(ctx->mem, count, struct str);
	for (size_t i = 0; i < count; i++)
		list->items[list->count++] =
			str_from(args_value_at(&ctx->args, option, i));
	return list;
}

static enum pawl_rc
run_approve(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct delegating_grant grant = {
		.paths = values(ctx, "path", NULL),
		.context_refs = values(ctx, "context-ref", "no-context"),
		.capabilities = values(ctx, "capability", "no-capability"),
	};
	struct delegating_answer answer;
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_delegation(&k, err);
	if (rc == PAWL_OK) {
		do {
			rc = delegating_approve(&k.work, &grant, &answer, err);
		} while (delegating_is_outrun(&k.work, rc, err));
	}
	if (rc == PAWL_OK)
		show(ctx, &k, "approved", &answer);
	run_close(&k.run);
	return rc;
}

static enum pawl_rc
run_reject(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct delegating_answer answer;
	const char *reason = NULL;
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_delegation(&k, err);
	if (rc == PAWL_OK)
		rc = required(ctx, "reason", &reason, err);
	if (rc == PAWL_OK) {
		do {
			rc = delegating_reject(&k.work,
				str_trim(str_from(reason)), &answer, err);
		} while (delegating_is_outrun(&k.work, rc, err));
	}
	if (rc == PAWL_OK)
		show(ctx, &k, "rejected", &answer);
	run_close(&k.run);
	return rc;
}

static enum pawl_rc
run_start(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str worker = str_from(args_value(&ctx->args, "worker"));
	struct str cleanup = str_from(args_value(&ctx->args, "cleanup"));
	struct delegating_answer answer;
	struct handout h;
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_delegation(&k, err);
	if (rc == PAWL_OK)
		rc = source_repo(ctx, &k.repo, err);
	if (rc != PAWL_OK)
		goto out;
	k.work.top = k.repo.top;
	do {
		rc = delegating_start(&k.work, worker, cleanup, &answer, err);
	} while (delegating_is_outrun(&k.work, rc, err));
	if (rc != PAWL_OK)
		goto out;
	show(ctx, &k, "started", &answer);
	if (ctx->args.dry_run)
		goto out;
	delegating_handout(&k.work, &h);
	if (ctx->args.json)
		handout_json(&ctx->json, &k.run, &h);
	else
		handout_text(&ctx->out, &k.run, &h);
out:
	run_close(&k.run);
	return rc;
}

static enum pawl_rc
run_report(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *file = args_value(&ctx->args, "result");
	struct delegating_answer answer;
	struct buf bytes = { 0 };
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_delegation(&k, err);
	if (rc == PAWL_OK && file != NULL)
		rc = input_read(ctx, file, BOUND_RESULT_BYTES, &bytes, err);
	if (rc == PAWL_OK && file != NULL && bytes.len == 0)
		rc = pawl_fail(err, ERR_INVALID_RESULT,
			"the result '%s' is empty", file);
	if (rc == PAWL_OK) {
		do {
			rc = delegating_report(
				&k.work, buf_str(&bytes), &answer, err);
		} while (delegating_is_outrun(&k.work, rc, err));
	}
	if (rc == PAWL_OK)
		show(ctx, &k, "reported", &answer);
	buf_release(&bytes);
	run_close(&k.run);
	return rc;
}

static enum pawl_rc
run_release(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str cleanup = str_from(args_value(&ctx->args, "cleanup"));
	struct str reason =
		str_trim(str_from(args_value(&ctx->args, "reason")));
	struct delegating_answer answer;
	struct desk k;
	enum pawl_rc rc = desk_open(&k, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = desk_delegation(&k, err);
	if (rc == PAWL_OK) {
		do {
			rc = delegating_release(
				&k.work, cleanup, reason, &answer, err);
		} while (delegating_is_outrun(&k.work, rc, err));
	}
	if (rc == PAWL_OK)
		show(ctx, &k, "released", &answer);
	run_close(&k.run);
	return rc;
}

const struct cmd cmd_task_delegate_request = {
	.name = "task delegate request",
	.operands = "[RUN/]ATTEMPT",
	.summary = "ask that a part of an attempt's work be delegated",
	.help = "The attempt is started or reported. Its worker asks by 'pawl "
		"task ask\n"
		"--delegate FILE', which 'task sync' takes in. One level: a "
		"delegation delegates\n"
		"nothing. The same intent again is the same delegation.\n"
		"\n"
		"An intent, of which the first three are needed:\n"
		"\n"
		"  {\"attempt_id\":\"API-01@1\",\"purpose\":\"Write the "
		"tests.\",\n"
		"   \"paths\":[\"tests/api/\"],\"role\":\"implementation\","
		"\"check\":\"make test\"}",
	.options = request_options,
	.page = "pawl-task",
	.aliases = "request-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_request,
};

const struct cmd cmd_task_delegate_approve = {
	.name = "task delegate approve",
	.operands = "[RUN/]DELEGATION",
	.summary = "grant what was asked for, or less",
	.help = "Paths lie in what was asked for and in the attempt's scope; "
		"references and\n"
		"capabilities are of those that its task names. Without "
		"options all that was\n"
		"asked for is granted, or nothing.",
	.options = approve_options,
	.page = "pawl-task",
	.aliases = "approve-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_approve,
};

const struct cmd cmd_task_delegate_reject = {
	.name = "task delegate reject",
	.operands = "[RUN/]DELEGATION",
	.summary = "refuse what was asked for",
	.help = "The reason is kept, and put into the outbox of the attempt.",
	.options = reject_options,
	.page = "pawl-task",
	.aliases = "reject-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_reject,
};

const struct cmd cmd_task_delegate_start = {
	.name = "task delegate start",
	.operands = "[RUN/]DELEGATION",
	.summary = "hand an approved delegation on",
	.help = "Makes its capsule and outbox and prints them, with the "
		"environment for its\n"
		"worker; pawl starts nothing. Again, it prints the same. A "
		"cleanup that is\n"
		"registered before ('task cleanup register') is named by "
		"--cleanup.",
	.options = start_options,
	.page = "pawl-task",
	.aliases = "start-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_start,
};

const struct cmd cmd_task_delegate_report = {
	.name = "task delegate report",
	.operands = "[RUN/]DELEGATION",
	.summary = "record the result of a delegation",
	.help = "A result as any worker's, whose attempt is the delegation: "
		"files that changed\n"
		"lie in what was granted, and a check was run when there are "
		"any. It moves\n"
		"nothing; the attempt answers for the work.",
	.options = report_options,
	.page = "pawl-task",
	.aliases = "report-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_report,
};

const struct cmd cmd_task_delegate_release = {
	.name = "task delegate release",
	.operands = "[RUN/]DELEGATION",
	.summary = "end a delegation",
	.help = "By its cleanup, once that is settled; else, and for one that "
		"never reported,\n"
		"with a reason. While one is open its task can't pass; one "
		"that outlives its\n"
		"attempt keeps whatever overlaps its paths waiting.",
	.options = release_options,
	.page = "pawl-task",
	.aliases = "release-delegation",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_release,
};
