#include "base/bounds.h"
#include "cli/handed.h"
#include "cli/place.h"
#include "engine/takeover.h"

#define OWNER_PID                                              \
	{                                                      \
		.name = "owner-pid", .arg = "PID",             \
		.help = "it is this process: its end frees it" \
	}

static const struct cmd_option claim_options[] = {
	OWNER_PID,
	{ .name = NULL },
};

static const struct cmd_option transfer_options[] = {
	{ .name = "to", .arg = "NAME", .help = "only NAME may claim it" },
	{ .name = NULL },
};

static const struct cmd_option takeover_options[] = {
	{ .name = "force",
		.help = "also from one that lives, or may; needs --reason" },
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	OWNER_PID,
	{ .name = NULL },
};

/* Who this call wants to be. */
static enum pawl_rc
candidate_read(
	struct cmd_ctx *ctx, struct candidate *ret_who, struct pawl_err *err)
{
	struct candidate who = { .rand = &ctx->rand,
		.key = str_from(ctx->args.key) };
	enum pawl_rc rc = place_as(ctx, &who.name, err);

	if (rc == PAWL_OK)
		rc = args_u64(&ctx->args, "owner-pid", 1, INT32_MAX,
			&who.owner_pid, err);
	if (rc == PAWL_OK)
		*ret_who = who;
	return rc;
}

/* Who coordinates now, as members or as a line. */
static void
answer(struct cmd_ctx *ctx, const struct run *r, struct str name,
	const char *done, bool again)
{
	const struct state *s = &r->state;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(&ctx->json, STR("coordinator"), name);
		json_pair_u64(&ctx->json, STR("generation"), r->gen);
		json_pair_str_or_null(&ctx->json, STR("driver"), s->driver);
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		json_pair_u64(&ctx->json, STR("seq"), s->seq);
		return;
	}
	out_f(&ctx->out, "%s%s " STR_FMT " as ",
		ctx->args.dry_run && !again ? "would have " : "", done,
		STR_ARG(r->id));
	out_data(&ctx->out, name);
	out_f(&ctx->out, ", generation %llu%s\n", (unsigned long long)r->gen,
		again ? ", before" : "");
}

static enum pawl_rc
run_claim(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct candidate who;
	bool again = false;
	enum pawl_rc rc = candidate_read(ctx, &who, err);

	if (rc == PAWL_OK)
		rc = place_open_sound(ctx, 0, &r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = ctx->args.dry_run
		? coordinator_rehearse_claim(&r, &who, &again, err)
		: coordinator_claim(&r, &who, &again, err);
	if (rc == PAWL_OK)
		answer(ctx, &r, who.name, "claimed", again);
	run_close(&r);
	return rc;
}

static enum pawl_rc
transfer_rehearse(
	struct run *r, struct str name, struct str only, struct pawl_err *err)
{
	enum pawl_rc rc = coordinator_enter(r, name, err);

	return rc == PAWL_OK ? coordinator_rehearse_transfer(r, only, err) : rc;
}

static enum pawl_rc
run_transfer(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str only = { 0 };
	struct candidate from = { .key = str_from(ctx->args.key) };
	bool dry = ctx->args.dry_run, again = false;
	struct run r = { .dir = -1 };
	enum pawl_rc rc = place_as(ctx, &from.name, err);

	if (rc == PAWL_OK)
		rc = cmd_own_id(ctx, "to", &only, err);
	if (rc == PAWL_OK)
		rc = place_open_sound(ctx, 0, &r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = dry ? transfer_rehearse(&r, from.name, only, err)
		 : coordinator_transfer(&r, &from, only, &again, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_bool(&ctx->json, STR("dry_run"), dry);
		json_pair_bool(&ctx->json, STR("again"), again);
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out, "%s" STR_FMT ", generation %llu, %s%s\n",
			dry ? "would be handed over: " : "", STR_ARG(r.id),
			(unsigned long long)r.state.gen + dry,
			r.state.vacant || dry ? "waits for a claim"
					      : "was claimed",
			again ? ", handed over before" : "");
	}
	if (rc == PAWL_OK && !dry)
		handed_answer(ctx, &r);
	run_close(&r);
	return rc;
}

static enum pawl_rc
run_takeover(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct takeover t = {
		.reason = str_from(args_value(&ctx->args, "reason")),
		.force = args_has(&ctx->args, "force"),
	};
	struct taken taken = { .again = false };
	enum pawl_rc rc = candidate_read(ctx, &t.who, err);

	if (rc == PAWL_OK && t.reason.len > BOUND_TEXT_BYTES)
		rc = pawl_fail(err, ERR_LIMIT,
			"a reason of %zu bytes is over the limit of %d",
			t.reason.len, BOUND_TEXT_BYTES);
	if (rc == PAWL_OK)
		rc = place_open_sound(ctx, 0, &r, err);
	if (rc != PAWL_OK)
		return rc;
	rc = ctx->args.dry_run ? takeover_rehearse(&r, &t, &taken.again, err)
			       : takeover_run(&r, &t, &taken, err);
	place_say_killed(ctx, &taken.killed);
	if (rc == PAWL_OK)
		answer(ctx, &r, t.who.name, "taken over", taken.again);
	run_close(&r);
	return rc;
}

const struct cmd cmd_task_claim = {
	.name = "task claim",
	.operands = "[RUN]",
	.summary = "become the coordinator of a run that waits for one",
	.help = "Compares the coordinator capsule with the digest in the "
		"journal, and\n"
		"makes ID the run's coordinator: later verbs act for it with "
		"--as ID.\n"
		"A second claimer is refused; the same one again gets the "
		"same answer.",
	.options = claim_options,
	.page = "pawl-task",
	.aliases = "claim-coordinator",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_MUTATES,
	.run = run_claim,
};

const struct cmd cmd_task_transfer = {
	.name = "task transfer",
	.operands = "[RUN]",
	.summary = "hand a run over: the next coordinator claims it",
	.help = "Ends this generation. The run waits, with a new coordinator "
		"capsule, for\n"
		"whoever claims it; with --to for NAME alone. Work that is "
		"in flight goes\n"
		"on, and is the next coordinator's.",
	.options = transfer_options,
	.page = "pawl-task",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_transfer,
};

const struct cmd cmd_task_takeover = {
	.name = "task takeover",
	.operands = "[RUN]",
	.summary = "become the coordinator in place of another",
	.help = "Begins the next generation with ID as its coordinator, when "
		"the old one is\n"
		"proven dead, or nobody coordinates. A process that lives, "
		"and a name\n"
		"without a process, are taken over only with --force and "
		"--reason. The old\n"
		"coordinator is refused from then on. A stopped process that "
		"keeps a lock of\n"
		"the run's is named by what meets it, and killed by --force. "
		"Who coordinates\n"
		"already takes nothing over.",
	.options = takeover_options,
	.page = "pawl-task",
	.aliases = "takeover",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_MUTATES,
	.run = run_takeover,
};
