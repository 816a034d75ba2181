#include "cli/ledger_door_run.h"

static const struct cmd_option options[] = {
	{ .name = "outcome",
		.arg = "WORD",
		.help = "pass, partial, blocked or failed" },
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	LEDGER_DOOR_OPTIONS,
	{ .name = NULL },
};

/* What is said, or pass where all is done; else somebody has to say it. */
static enum pawl_rc
outcome_of(const struct cmd_ctx *ctx, const struct ledger *l,
	struct str *ret_outcome, struct pawl_err *err)
{
	const char *word = args_value(&ctx->args, "outcome");

	if (word == NULL && l->status != RUN_COMPLETE) {
		(void)pawl_fail(err, ERR_STEP_NOT_ALLOWED,
			"the ledger is " STR_FMT ", not COMPLETE",
			STR_ARG(run_status_word((enum run_status)l->status)));
		return pawl_hint(err,
			"to end it as it is: pawl ledger complete --outcome "
			"partial");
	}
	*ret_outcome = word != NULL ? str_from(word) : STR("pass");
	return PAWL_OK;
}

static void
answer(struct cmd_ctx *ctx, const struct ledger_door *door, struct str outcome)
{
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), door->name);
		json_pair_str(&ctx->json, STR("outcome"), outcome);
		json_pair_bool(&ctx->json, STR("again"), door->again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), door->seq);
		return;
	}
	out_f(&ctx->out, "%sclosed ", ctx->args.dry_run ? "would be " : "");
	out_data(&ctx->out, door->name);
	out_f(&ctx->out, ", outcome " STR_FMT "%s\n", STR_ARG(outcome),
		door->again ? ", before, by this key" : "");
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct command cmd = {
		.event = { .type = EV_RUN_CLOSED },
		.actor = ACTOR_COORDINATOR,
	};
	const char *reason = args_value(&ctx->args, "reason");
	struct str outcome = { 0 };
	enum pawl_rc rc;

	rc = ledger_door_open(&door, ctx, DOOR_EDIT, NULL, err);
	if (rc != PAWL_OK)
		goto out;
	if (ledger_door_as_run(&door) == NULL) {
		(void)pawl_fail(err, ERR_RUN_KIND,
			"'" STR_FMT "' is a file: its status says how it ends",
			STR_ARG(door.name));
		rc = pawl_hint(err, "pawl ledger show");
		goto out;
	}
	if (door.again) {
		outcome = ledger_door_as_run(&door)->outcome;
	} else {
		rc = outcome_of(ctx, door.ledger, &outcome, err);
		EVENT_SET(&cmd.event, F_OUTCOME, outcome, outcome);
		if (reason != NULL)
			EVENT_SET(
				&cmd.event, F_REASON, reason, str_from(reason));
		if (rc == PAWL_OK)
			rc = ledger_door_propose(&door, &cmd, err);
		if (rc == PAWL_OK)
			rc = ledger_door_commit(&door, err);
	}
	if (rc == PAWL_OK)
		answer(ctx, &door, outcome);
out:
	ledger_door_close(&door);
	return rc;
}

const struct cmd cmd_ledger_complete = {
	.name = "ledger complete",
	.operands = "[RUN]",
	.summary = "close a ledger run for good",
	.help = "Outcome pass goes with a ledger that is COMPLETE, and only "
		"with "
		"that;\n"
		"the other outcomes end it as it is. Nothing is added "
		"afterwards; more\n"
		"work is a new run. A file isn't closed: its status says how "
		"it ends.",
	.options = options,
	.page = "pawl-ledger",
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES,
	.run = run,
};
