
#include "base/bounds.h"
#include "cli/hint.h"
#include "cli/ledger_door_run.h"
#include "model/id.h"

static const struct cmd_option options[] = {
	{ .name = "file",
		.arg = "FILE",
		.help = "keep it in FILE, in a folder that git ignores" },
	{ .name = "run", .help = "keep it as a run with a journal" },
	{ .name = "id", .arg = "ID", .help = "its run id" },
	{ .name = NULL },
};

/* Begin the ledger where the call wants it. */
static enum pawl_rc
begin(struct ledger_door *door, struct cmd_ctx *ctx, struct str id,
	struct pawl_err *err)
{
	const char *file = args_value(&ctx->args, "file");
	enum pawl_rc rc;
	struct str path;

	if (file != NULL)
		return ledger_door_new_file(door, ctx, file, false, err);
	door->ctx = ctx;
	rc = ledger_door_look(door, err);
	if (rc != PAWL_OK)
		return rc;
	if (!door->has_repo) {
		(void)pawl_fail(err, ERR_NEEDS_REPOSITORY,
			"there is no repository here whose place for ledgers "
			"could be used");
		return pawl_hint(err, "pawl ledger new TASK --file FILE");
	}
	path = ledger_door_file_path(door, id);
	if (path.len >= BOUND_PATH_BYTES)
		return pawl_fail(err, ERR_LIMIT,
			"a path of %zu bytes is over the limit of %d", path.len,
			BOUND_PATH_BYTES - 1);
	return ledger_door_new_file(door, ctx, path.ptr, true, err);
}

/* As a run, whose id the run's own folder decides. */
static enum pawl_rc
begin_run(struct ledger_door *door, struct cmd_ctx *ctx, struct str task,
	struct pawl_err *err)
{
	if (args_has(&ctx->args, "file"))
		return pawl_fail(err, ERR_USAGE,
			"a ledger is a file or a run: --file or --run");
	/* A retry would make another run, and find nothing in it. */
	if (ctx->args.key != NULL && !args_has(&ctx->args, "id"))
		return pawl_fail(err, ERR_USAGE,
			"a run keeps its own keys; with --key, name the run: "
			"--id ID");
	return ledger_door_new_run(
		door, ctx, str_from(args_value(&ctx->args, "id")), task, err);
}

/* Before there is a folder for it: what is refused leaves nothing behind. */
static enum pawl_rc
decide_early(const struct command *cmd, struct pawl_err *err)
{
	struct ledger empty;
	enum pawl_rc rc;

	ledger_init(&empty);
	rc = ledger_decide(&empty, cmd, err);
	ledger_release(&empty);
	return rc;
}

static void
answer(const struct ledger_door *door)
{
	struct cmd_ctx *ctx = door->ctx;
	const struct ledger *l = door->ledger;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run_id"), l->run_id);
		json_pair_str(&ctx->json, STR("ledger"), door->name);
		json_pair_str(&ctx->json, STR("task"), l->task);
		json_pair_str(&ctx->json, STR("status"),
			run_status_word((enum run_status)l->status));
		json_pair_bool(&ctx->json, STR("again"), door->again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), door->seq);
		return;
	}
	out_text(&ctx->out, ctx->args.dry_run ? "would open " : "opened ");
	out_data(&ctx->out, l->run_id);
	out_text(&ctx->out, "  ");
	out_data(&ctx->out, door->name);
	out_f(&ctx->out, "\nnext: %s\n",
		hint_as_typed(ctx, "pawl ledger add ID --title TEXT"));
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct command cmd = { .event = { .type = EV_LEDGER_STARTED } };
	struct str task = str_from(args_operand(&ctx->args, 0));
	struct str id = str_from(args_value(&ctx->args, "id"));
	struct ledger_door door = LEDGER_DOOR_INIT;
	char fresh[ID_RUN_BYTES + 1];
	enum pawl_rc rc = PAWL_OK;

	if (id.ptr == NULL) {
		id_run_new(clock_wall_us(&ctx->clock) / 1000000, &ctx->rand,
			fresh);
		id = str_from(fresh);
	} else {
		rc = id_check(id, err);
	}
	EVENT_SET(&cmd.event, F_RUN, run, id);
	EVENT_SET(&cmd.event, F_TASK, task, task);
	if (rc == PAWL_OK)
		rc = decide_early(&cmd, err);
	if (rc == PAWL_OK && args_has(&ctx->args, "run"))
		rc = begin_run(&door, ctx, task, err);
	else if (rc == PAWL_OK)
		rc = begin(&door, ctx, id, err);
	if (rc == PAWL_OK && door.is_file)
		rc = ledger_door_propose(&door, &cmd, err);
	if (rc == PAWL_OK)
		rc = ledger_door_commit(&door, err);
	if (rc == PAWL_OK)
		answer(&door);
	ledger_door_close(&door);
	return rc;
}

const struct cmd cmd_ledger_new = {
	.name = "ledger new",
	.operands = "TASK",
	.summary = "open a ledger for one long task",
	.help = "TASK says in a line what is to be done. A short task needs no "
		"file:\n"
		"carry the capsule in the task's text (pawl ledger capsule). A "
		"file is\n"
		"right when the work is long, scheduled, to be resumed, or "
		"likely to\n"
		"outlive the context it is done in.\n"
		"Without --file it is .codex/graph-runs/ID/state.json of the "
		"repository.\n"
		"The folder must be one that git ignores already; if it isn't, "
		"nothing\n"
		"is written and the capsule is printed instead.",
	.options = options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run,
};
