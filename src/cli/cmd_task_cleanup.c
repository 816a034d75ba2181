#include "base/bounds.h"
#include "cli/place.h"
#include "cli/source.h"
#include "engine/cleaning.h"

enum { RECEIPT_BYTES_MAX = 1 << 20 };

static const struct cmd_option register_options[] = {
	{ .name = "kind",
		.arg = "KIND",
		.help = "process, terminal, worktree, temp_path and more" },
	{ .name = "target",
		.arg = "T",
		.help = "the path, or the name that it is known by" },
	{ .name = "pid", .arg = "PID", .help = "which process" },
	{ .name = NULL },
};

static const struct cmd_option finish_options[] = {
	{ .name = "receipt",
		.arg = "FILE",
		.help = "what shows it; kept by digest" },
	{ .name = NULL },
};

static const struct cmd_option retain_options[] = {
	{ .name = "reason", .arg = "TEXT", .help = "why it stays" },
	{ .name = NULL },
};

static struct act
act_of(const struct cmd_ctx *ctx)
{
	return (struct act){ .key = str_from(ctx->args.key),
		.dry_run = ctx->args.dry_run };
}

static void
answer(struct cmd_ctx *ctx, const struct run *r, uint32_t cleanup, bool again)
{
	const struct cleanup *c;

	if (cleanup >= r->state.cleanups.count) {
		/* A dry run of a registration: there is nothing to show. */
		if (ctx->args.json)
			json_pair_bool(&ctx->json, STR("dry_run"), true);
		else
			out_f(&ctx->out, "would be registered as c%u\n",
				cleanup + 1);
		return;
	}
	c = &r->state.cleanups.items[cleanup];
	if (ctx->args.json) {
		struct json_writer *w = &ctx->json;

		json_pair_str(w, STR("run"), r->id);
		json_pair_str(w, STR("cleanup"), c->id);
		json_pair_str(w, STR("attempt"),
			state_attempt_id(&r->state, c->attempt, ctx->mem));
		json_pair_str(w, STR("kind"), c->kind);
		json_pair_str(w, STR("target"), c->target);
		json_pair_str(w, STR("status"), cleanup_status_word(c->status));
		json_pair_bool(w, STR("settled"), is_cleanup_settled(c));
		json_pair_str(w, STR("reason"), c->reason);
		json_pair_str(w, STR("receipt_sha256"), c->receipt);
		json_pair_bool(w, STR("again"), again);
		json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(w, STR("seq"), r->state.seq);
		return;
	}
	out_f(&ctx->out, "cleanup " STR_FMT " " STR_FMT "%s: ", STR_ARG(c->id),
		STR_ARG(cleanup_status_word(c->status)),
		again ? ", before" : "");
	out_data(&ctx->out, c->kind);
	out_text(&ctx->out, " ");
	out_data(&ctx->out, c->target);
	if (c->reason.len > 0) {
		out_text(&ctx->out, ": ");
		out_data(&ctx->out, c->reason);
	}
	out_text(&ctx->out, "\n");
}

static enum pawl_rc
run_register(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct cleaning_intent in = {
		.kind = str_from(args_value(&ctx->args, "kind")),
		.target = str_from(args_value(&ctx->args, "target")),
	};
	struct act act = act_of(ctx);
	struct run r = { .dir = -1 };
	struct str subject;
	uint32_t cleanup = 0;
	bool again = false;
	enum pawl_rc rc = PAWL_OK;

	if (args_value(&ctx->args, "pid") != NULL)
		rc = args_u64(&ctx->args, "pid", 1, INT32_MAX, &in.pid, err);
	if (rc == PAWL_OK)
		rc = place_open_coordinated_subject(ctx, &r, &subject, err);
	if (rc != PAWL_OK)
		return rc;
	rc = state_need_attempt(&r.state, subject, &in.attempt, err);
	if (rc == PAWL_OK)
		rc = cleaning_register(&r, &in, &act, &cleanup, &again, err);
	if (rc == PAWL_OK)
		answer(ctx, &r, cleanup, again);
	run_close(&r);
	return rc;
}

static enum pawl_rc
reason_check(const struct cleaning_end *how, struct pawl_err *err)
{
	if (str_trim(how->reason).len == 0)
		return pawl_fail(err, ERR_REASON_NEEDED,
			"what is retained needs a reason");
	if (how->reason.len > BOUND_TEXT_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"a reason of %zu bytes is over the limit of %d",
			how->reason.len, BOUND_TEXT_BYTES);
	return PAWL_OK;
}

typedef enum pawl_rc end_fn(struct run *r, const struct cleaning_end *end,
	const struct act *act, bool *ret_again, struct pawl_err *err);

static enum pawl_rc
receipt_read(struct cmd_ctx *ctx, struct str *ret_receipt, struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "receipt");
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (path == NULL)
		return PAWL_OK;
	rc = fs_read_document(
		ctx->fs, AT_FDCWD, path, RECEIPT_BYTES_MAX, &bytes, err);
	if (rc == PAWL_OK && bytes.len == 0)
		rc = pawl_fail(err, ERR_INVALID_ARGUMENT,
			"the receipt '%s' is empty", path);
	if (rc == PAWL_OK)
		*ret_receipt = arena_copy(ctx->mem, buf_str(&bytes));
	buf_release(&bytes);
	return rc;
}

/* A run's repository may be gone; then only its worktrees can't be told. */
static const char *
git_dir_of(struct cmd_ctx *ctx)
{
	struct repo *repo = arena_new(ctx->mem, struct repo);
	struct pawl_err ignored;

	return source_repo(ctx, repo, &ignored) == PAWL_OK ? repo->common_dir
							   : NULL;
}

static enum pawl_rc
end(struct cmd_ctx *ctx, end_fn *fn, struct cleaning_end *how,
	struct pawl_err *err)
{
	struct act act = act_of(ctx);
	struct run r = { .dir = -1 };
	struct str subject;
	bool again = false;
	enum pawl_rc rc =
		place_open_coordinated_subject(ctx, &r, &subject, err);

	if (rc != PAWL_OK)
		return rc;
	how->git_dir = git_dir_of(ctx);
	if (!state_find_cleanup(&r.state, subject, &how->cleanup))
		rc = pawl_fail(err, ERR_CLEANUP_NOT_FOUND,
			"run '" STR_FMT "' has no cleanup '" STR_FMT "'",
			STR_ARG(r.id), STR_ARG(subject));
	if (rc == PAWL_OK && fn == cleaning_retain)
		rc = reason_check(how, err);
	if (rc == PAWL_OK)
		rc = fn(&r, how, &act, &again, err);
	if (rc == PAWL_OK)
		answer(ctx, &r, how->cleanup, again);
	run_close(&r);
	return rc;
}

static enum pawl_rc
run_finish(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct cleaning_end how = { 0 };
	enum pawl_rc rc = receipt_read(ctx, &how.receipt, err);

	return rc == PAWL_OK ? end(ctx, cleaning_finish, &how, err) : rc;
}

static enum pawl_rc
run_retain(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct cleaning_end how = { .reason = str_from(
					    args_value(&ctx->args, "reason")) };

	return end(ctx, cleaning_retain, &how, err);
}

static enum pawl_rc
run_recover(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct cleaning_end how = { 0 };

	return end(ctx, cleaning_recover, &how, err);
}

const struct cmd cmd_task_cleanup_register = {
	.name = "task cleanup register",
	.operands = "[RUN/]ATTEMPT",
	.summary = "register what must be gone when an attempt is done",
	.help = "Before the thing is made, or as soon as it can be named. "
		"While "
		"it is open the\n"
		"node can't pass and the run can't be closed. A target that is "
		"open already is\n"
		"refused; the same registration once more gives the same "
		"answer.",
	.options = register_options,
	.page = "pawl-task",
	.aliases = "cleanup-register add-cleanup register-cleanup "
		   "register-delegation-cleanup",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_register,
};

const struct cmd cmd_task_cleanup_finish = {
	.name = "task cleanup finish",
	.operands = "[RUN/]CLEANUP",
	.summary = "settle a cleanup whose thing is gone",
	.help = "A process, a worktree and a path are looked for: gone is "
		"'verified', still there\n"
		"is refused, and what can't be told becomes 'unverifiable'. Of "
		"the other kinds\n"
		"your word makes it 'done'.",
	.options = finish_options,
	.page = "pawl-task",
	.aliases = "cleanup-finish finish-cleanup",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_finish,
};

const struct cmd cmd_task_cleanup_retain = {
	.name = "task cleanup retain",
	.operands = "[RUN/]CLEANUP",
	.summary = "keep what a cleanup names, on purpose",
	.help = "It counts as settled, with your name and reason, and is named "
		"at the end.",
	.options = retain_options,
	.page = "pawl-task",
	.aliases = "cleanup-retain retain-cleanup",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_retain,
};

const struct cmd cmd_task_cleanup_recover = {
	.name = "task cleanup recover",
	.operands = "[RUN/]CLEANUP",
	.summary = "look once more for what a cleanup names",
	.help = "What is seen is recorded when it is news: 'verified', "
		"'failed' "
		"(still there)\n"
		"or 'unverifiable'.",
	.page = "pawl-task",
	.aliases = "recover-cleanup",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_recover,
};
