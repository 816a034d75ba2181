#include "base/bounds.h"
#include "cli/handed.h"
#include "cli/place.h"
#include "cli/source.h"
#include "cli/who.h"
#include "engine/git.h"
#include "model/capability.h"

static const struct cmd_option options[] = {
	{ .name = "decision",
		.arg = "FILE",
		.help = "process decision (default: one beside LIST)" },
	{ .name = "driver",
		.arg = "D",
		.help = "host, process, auto (the default), or a program's" },
	{ .name = "jobs",
		.letter = 'j',
		.arg = "N",
		.help = "workers at once (default 2)" },
	SOURCE_CAPACITY_OPTION,
	{ .name = "secret",
		.arg = "NAME",
		.help = "mask its value in logs",
		.repeatable = true },
	{ .name = "strict",
		.help = "no pass when an attempt changed what its check runs" },
	{ .name = "allow-dirty",
		.help = "start though uncommitted paths lie in a write scope" },
	SOURCE_CAGE_OPTIONS,
	{ .name = NULL },
};

static enum pawl_rc
driver_read(const struct launch *l, const char *word, struct str *ret_driver,
	struct pawl_err *err)
{
	*ret_driver = word != NULL ? str_from(word) : DRIVER_AUTO;
	if (str_eq(*ret_driver, DRIVER_AUTO))
		return PAWL_OK;
	if (!driver_hands_on(*ret_driver) && l->argv.count == 0) {
		(void)pawl_fail(err, ERR_USAGE,
			"driver '%s' needs a worker command", word);
		return pawl_hint(err,
			"pawl task start %s --driver %s -- ./my-agent.sh",
			l->list_path, word);
	}
	return source_driver(*ret_driver, l->mem, err);
}

static enum pawl_rc
launch_read(struct cmd_ctx *ctx, struct launch *l, struct pawl_err *err)
{
	struct source_decision decision;
	enum pawl_rc rc;

	rc = source_must_list(ctx, l->list_path, &l->list, err);
	if (rc == PAWL_OK)
		rc = source_decision(ctx, l->list_path, &decision, err);
	if (rc == PAWL_OK) {
		l->decision_path = decision.path;
		l->decision = decision.bytes;
		rc = source_argv(ctx, &l->argv, err);
	}
	if (rc == PAWL_OK)
		rc = args_u64(
			&ctx->args, "jobs", 1, BOUND_SLOTS, &l->slots, err);
	if (rc == PAWL_OK)
		rc = source_capacity(ctx, &l->capacity, err);
	if (rc == PAWL_OK)
		rc = driver_read(
			l, args_value(&ctx->args, "driver"), &l->driver, err);
	return rc;
}

static void
rehearsed(struct cmd_ctx *ctx, uint32_t tasks)
{
	if (ctx->args.json) {
		json_key(&ctx->json, STR("run"));
		json_put_null(&ctx->json);
		json_pair_u64(&ctx->json, STR("tasks"), tasks);
		json_pair_bool(&ctx->json, STR("dry_run"), true);
		return;
	}
	out_f(&ctx->out, "would make a run of %u task%s, to be claimed\n",
		tasks, tasks == 1 ? "" : "s");
}

/* Say which run it is, and let it go. */
static void
made(struct cmd_ctx *ctx, struct run *r, bool again)
{
	if (ctx->args.json) {
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_u64(&ctx->json, STR("tasks"), r->plan.count);
	} else {
		out_f(&ctx->out, "run " STR_FMT ": %u task%s, %s\n",
			STR_ARG(r->id), r->plan.count,
			r->plan.count == 1 ? "" : "s",
			again ? "made before" : "waits for a claim");
	}
	handed_answer(ctx, r);
	run_close(r);
}

/* The run that was made under the key; `*ret_again` is false for none. */
static enum pawl_rc
find(const struct launch *l, struct run *r, bool *ret_again,
	struct pawl_err *err)
{
	struct str id;
	enum pawl_rc rc = launch_again(l, &id, err);

	*ret_again = rc == PAWL_OK && id.len > 0;
	return *ret_again ? run_open(r, l->place, id, err) : rc;
}

static enum pawl_rc
start(struct cmd_ctx *ctx, struct launch *l, struct pawl_err *err)
{
	struct git_lock lock = { .fd = -1 };
	struct run r = { .dir = -1 };
	uint32_t tasks;
	bool is_new, again = false;
	enum pawl_rc rc = PAWL_OK;

	l->place = place_of(ctx);
	if (ctx->state_fd < 0) /* a refusal makes no folder either */
		rc = launch_rehearse(l, &tasks, err);
	if (rc == PAWL_OK)
		rc = statedir_make(
			ctx->fs, &ctx->state, &ctx->state_fd, &is_new, err);
	l->place = place_of(ctx);
	/* Two at once under one key are one after the other. */
	if (rc == PAWL_OK && l->key.len > 0)
		rc = git_lock_dir(l->place->state_path, &lock, err);
	if (rc == PAWL_OK)
		rc = find(l, &r, &again, err);
	if (rc == PAWL_OK && !again)
		rc = launch_create(l, &r, err);
	git_lock_release(&lock);
	if (rc == PAWL_OK)
		made(ctx, &r, again);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct repo repo = { 0 };
	struct run r = { .dir = -1 };
	uint32_t tasks = 0;
	bool again = false;
	struct launch l = {
		.repo = ctx->state.has_repo ? &repo : NULL,
		.rand = &ctx->rand,
		.mem = ctx->mem,
		.list_path = args_operand(&ctx->args, 0),
		.permission = who_local(ctx),
		.author = who_author(ctx),
		.slots = SOURCE_SLOTS,
		.secrets = source_secrets(ctx),
		.allow_dirty = args_has(&ctx->args, "allow-dirty"),
		.strict = args_has(&ctx->args, "strict"),
		.key = str_from(ctx->args.key),
		.vacant = true,
	};
	enum pawl_rc rc = source_repo(ctx, &repo, err);

	if (rc == PAWL_OK)
		rc = launch_read(ctx, &l, err);
	if (rc == PAWL_OK)
		rc = source_cages(ctx, &l.cages, err);
	if (rc != PAWL_OK)
		return rc;
	if (!ctx->args.dry_run)
		return start(ctx, &l, err);
	l.place = place_of(ctx);
	rc = find(&l, &r, &again, err);
	if (rc == PAWL_OK && again)
		made(ctx, &r, again);
	else if (rc == PAWL_OK)
		rc = launch_rehearse(&l, &tasks, err);
	if (rc == PAWL_OK && !again)
		rehearsed(ctx, tasks);
	return rc;
}

const struct cmd cmd_task_start = {
	.name = "task start",
	.operands = "LIST",
	.summary = "make a run of a task list, for a coordinator to claim",
	.help = "Freezes the task list LIST and its process decision, makes "
		"the run, and\n"
		"prints the coordinator capsule and the command that claims "
		"it. The run\n"
		"then waits: whoever starts it needs not be who coordinates "
		"it.\n"
		"\n"
		"Driver 'host' starts nothing: 'pawl task dispatch' hands out "
		"capsules and\n"
		"the host starts workers. Driver 'process' starts CMD. "
		"Any other\n"
		"name is that of a program, 'pawl-driver-NAME'. 'auto' is "
		"'process' when there\n"
		"is a CMD.",
	.options = options,
	.page = "pawl-task",
	.aliases = "bootstrap",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_MUTATES | CMD_REST,
	.run = run,
};
