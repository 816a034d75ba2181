#include "base/bounds.h"
#include "cli/handout.h"
#include "cli/place.h"
#include "cli/plumbing.h"
#include "cli/source.h"
#include "engine/dispatch.h"
#include "engine/driver.h"
#include "model/capability.h"

static const struct cmd_option dispatch_options[] = {
	{ .name = "defer",
		.help = "reserve only; 'task recover attempt' goes on" },
	{ .name = "worker",
		.arg = "NAME",
		.help = "who will work on it; for the record" },
	{ .name = NULL },
};

static const struct cmd_option reason_options[] = {
	{ .name = "reason", .arg = "TEXT", .help = "why; kept for ever" },
	{ .name = NULL },
};

/* What is started for it, when that isn't what the run's attempts have. */
static void
command_show(struct cmd_ctx *ctx, const struct strs *argv)
{
	struct json_writer *w = &ctx->json;

	if (argv == NULL)
		return;
	if (ctx->args.json) {
		json_key(w, STR("command"));
		json_open(w, '[');
		for (uint32_t i = 0; i < argv->count; i++)
			json_put_str(w, argv->items[i]);
		json_close(w, ']');
		return;
	}
	out_text(&ctx->out, "  command    ");
	for (uint32_t i = 0; i < argv->count; i++) {
		out_text(&ctx->out, i > 0 ? " " : "");
		out_data(&ctx->out, argv->items[i]);
	}
	out_text(&ctx->out, "\n");
}

/* One attempt, with what is to be handed on while it is at work. */
static void
attempt_show(struct cmd_ctx *ctx, struct pilot *p, uint32_t attempt)
{
	const struct attempt *a = pilot_attempt(p, attempt);
	const struct strs *command = state_command(&p->run->state, attempt);
	bool given = a->status == ATTEMPT_STARTED && is_attempt_unmonitored(a);
	struct json_writer *w = &ctx->json;
	struct handout h;

	handout_of(p, attempt, &h);
	if (ctx->args.json) {
		json_open(w, '{');
		json_pair_str(w, STR("attempt"), h.attempt);
		json_pair_str(w, STR("node"), h.node);
		json_pair_str(w, STR("status"), attempt_status_word(a->status));
		json_pair_str(w, STR("driver"), a->driver);
		if (a->worker.len > 0)
			json_pair_str(w, STR("worker"), a->worker);
		command_show(ctx, command);
		if (!is_attempt_live(a)) {
			json_pair_str(w, STR("cause"), a->cause);
			json_pair_str(w, STR("message"), a->message);
		}
		if (given)
			handout_json(w, p->run, &h);
		json_close(w, '}');
		return;
	}
	out_data(&ctx->out, h.attempt);
	out_f(&ctx->out, "  " STR_FMT, STR_ARG(attempt_status_word(a->status)));
	if (!is_attempt_live(a)) {
		out_text(&ctx->out, ": ");
		out_data(&ctx->out, a->message.len > 0 ? a->message : a->cause);
	}
	out_text(&ctx->out, "\n");
	command_show(ctx, command);
	if (given)
		handout_text(&ctx->out, p->run, &h);
}

/* The answer; one that could not start is a refusal, with all of them shown. */
static enum pawl_rc
show(struct cmd_ctx *ctx, struct pilot *p, const uint32_t *attempts,
	size_t count, bool again, struct pawl_err *err)
{
	enum pawl_rc rc = PAWL_OK;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), p->run->id);
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_u64(&ctx->json, STR("seq"), p->run->state.seq);
		json_key(&ctx->json, STR("attempts"));
		json_open(&ctx->json, '[');
	}
	for (size_t i = 0; i < count; i++) {
		const struct attempt *a = pilot_attempt(p, attempts[i]);

		attempt_show(ctx, p, attempts[i]);
		if (a->status == ATTEMPT_START_FAILED && !again) {
			rc = pawl_fail(err, ERR_SPAWN,
				"attempt '" STR_FMT
				"' could not start: " STR_FMT,
				STR_ARG(pilot_attempt_id(p, attempts[i])),
				STR_ARG(a->message.len > 0 ? a->message
							   : a->cause));
		}
	}
	if (ctx->args.json)
		json_close(&ctx->json, ']');
	ctx->findings = rc != PAWL_OK;
	return rc;
}

/* The run's driver, as it was selected; one that hands on starts no command. */
static struct str
driver_for(struct cmd_ctx *ctx, const struct run *r, const struct strs *argv)
{
	const struct state *s = &r->state;
	struct str name = s->driver;

	if (name.len == 0)
		name = builtin_word(s->run.argv.count == 0 ? BUILTIN_HOST
							   : BUILTIN_PROCESS);
	if (argv->count > 0 && driver_hands_on(name))
		name = builtin_word(BUILTIN_PROCESS);
	return arena_copy(ctx->mem, name);
}

static void
would(struct cmd_ctx *ctx, const struct run *r, const char *what)
{
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_bool(&ctx->json, STR("dry_run"), true);
		return;
	}
	out_f(&ctx->out, "would be %s\n", what);
}

static enum pawl_rc
run_dispatch(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str *nodes =
		arena_array(ctx->mem, ctx->args.operands.count, struct str);
	struct dispatch_spec spec = { .nodes = nodes,
		.count = ctx->args.operands.count,
		.key = str_from(ctx->args.key),
		.defer = args_has(&ctx->args, "defer") };
	const char *worker = args_value(&ctx->args, "worker");
	struct str ignored;
	struct plumbing pl = PLUMBING_NONE;
	struct dispatched done;
	enum pawl_rc rc =
		place_open_coordinated_subject(ctx, &pl.run, &nodes[0], err);

	for (size_t i = 1; i < spec.count; i++)
		nodes[i] = str_from(args_operand(&ctx->args, i));
	if (rc == PAWL_OK)
		rc = cmd_own_id(ctx, "worker", &ignored, err);
	if (rc == PAWL_OK)
		rc = source_argv(ctx, &pl.config.argv, err);
	if (rc == PAWL_OK && ctx->args.dry_run) {
		rc = dispatch_rehearse(&pl.run, &spec, err);
		if (rc == PAWL_OK)
			would(ctx, &pl.run, "dispatched");
		goto out;
	}
	if (rc == PAWL_OK)
		rc = driver_finish_selection(&pl.run, err);
	if (rc == PAWL_OK)
		pl.config.driver = driver_for(ctx, &pl.run, &pl.config.argv);
	pl.config.worker = worker;
	if (rc == PAWL_OK)
		rc = plumbing_open(ctx, &pl, err);
	if (rc == PAWL_OK)
		rc = dispatch_nodes(&pl.pilot, &spec, &done, err);
	if (rc == PAWL_OK)
		rc = show(ctx, &pl.pilot, done.attempts, done.count, done.again,
			err);
out:
	plumbing_close(&pl);
	return rc;
}

static enum pawl_rc
run_recover(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct plumbing pl = PLUMBING_NONE;
	struct str subject;
	uint32_t attempt = 0;
	bool again = false;
	enum pawl_rc rc =
		place_open_coordinated_subject(ctx, &pl.run, &subject, err);

	if (rc == PAWL_OK)
		rc = plumb_attempt(&pl.run, subject, &attempt, err);
	if (rc == PAWL_OK && ctx->args.dry_run) {
		const struct attempt *a = &pl.run.state.attempts.items[attempt];

		if (is_attempt_live(a))
			would(ctx, &pl.run, "gone on with");
		else {
			rc = pawl_fail(err, ERR_ATTEMPT_STATE,
				"attempt '" STR_FMT "' has ended: " STR_FMT,
				STR_ARG(subject),
				STR_ARG(attempt_status_word(a->status)));
		}
		goto out;
	}
	if (rc == PAWL_OK)
		rc = plumbing_open(ctx, &pl, err);
	if (rc == PAWL_OK)
		rc = dispatch_recover(&pl.pilot, attempt, &again, err);
	if (rc == PAWL_OK)
		rc = show(ctx, &pl.pilot, &attempt, 1, again, err);
out:
	plumbing_close(&pl);
	return rc;
}

static void
abandoned(struct cmd_ctx *ctx, const struct run *r, struct str subject,
	bool again)
{
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(&ctx->json, STR("attempt"), subject);
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_u64(&ctx->json, STR("seq"), r->state.seq);
		return;
	}
	out_data(&ctx->out, subject);
	out_text(&ctx->out, again ? "  given up, before\n" : "  given up\n");
}

static enum pawl_rc
run_abandon(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str reason = str_from(args_value(&ctx->args, "reason"));
	struct plumbing pl = PLUMBING_NONE;
	struct str subject;
	uint32_t attempt = 0;
	bool again = false;
	enum pawl_rc rc =
		place_open_coordinated_subject(ctx, &pl.run, &subject, err);

	if (rc == PAWL_OK && reason.len > BOUND_TEXT_BYTES)
		rc = pawl_fail(err, ERR_LIMIT,
			"a reason of %zu bytes is over the limit of %d",
			reason.len, BOUND_TEXT_BYTES);
	if (rc == PAWL_OK)
		rc = plumb_attempt(&pl.run, subject, &attempt, err);
	if (rc == PAWL_OK && ctx->args.dry_run) {
		rc = dispatch_rehearse_abandon(&pl.run, attempt, reason, err);
		if (rc == PAWL_OK)
			would(ctx, &pl.run, "given up");
		goto out;
	}
	if (rc == PAWL_OK)
		rc = plumbing_open(ctx, &pl, err);
	if (rc == PAWL_OK)
		rc = dispatch_abandon(&pl.pilot, attempt, reason,
			str_from(ctx->args.key), &again, err);
	if (rc == PAWL_OK)
		abandoned(ctx, &pl.run, subject, again);
out:
	plumbing_close(&pl);
	return rc;
}

const struct cmd cmd_task_dispatch = {
	.name = "task dispatch",
	.operands = "[RUN/]NODE...",
	.summary = "reserve attempts and hand them out",
	.help = "Reserves the next attempt of each NODE by one commit, all or "
		"none, and\n"
		"starts them. Driver 'host': prints workspace, capsule, outbox "
		"and the\n"
		"environment to hand on to a worker; pawl starts nothing. "
		"Driver\n"
		"'process': the run's own command is started under a monitor; "
		"'task sync'\n"
		"takes in how it ended. With -- CMD that is started for these "
		"attempts,\n"
		"whichever driver the run has, and the call returns as soon as "
		"it runs.\n"
		"\n"
		"After a crash the same call with the same --key goes on, or\n"
		"'pawl task recover attempt'.",
	.options = dispatch_options,
	.page = "pawl-task",
	.aliases = "dispatch",
	.args_min = 1,
	.args_max = -1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES | CMD_REST,
	.run = run_dispatch,
};

const struct cmd cmd_task_recover_attempt = {
	.name = "task recover attempt",
	.operands = "[RUN/]ATTEMPT",
	.summary = "go on from a reservation, under the same identity",
	.help = "Starts an attempt that is reserved, as 'task dispatch' would "
		"have. One\n"
		"that has started is shown again, and nothing is changed.",
	.page = "pawl-task",
	.aliases = "recover-attempt",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run_recover,
};

const struct cmd cmd_task_abandon = {
	.name = "task abandon",
	.operands = "[RUN/]ATTEMPT",
	.summary = "give an attempt up; its changes are kept as a patch",
	.help = "Only when nothing of it lives and nothing that it owns is "
		"open. The\n"
		"worktree is removed; in place the paths of its scope go back "
		"to what they\n"
		"were. The node may then start again. It counts against no "
		"bound.",
	.options = reason_options,
	.page = "pawl-task",
	.aliases = "abandon-attempt",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run_abandon,
};
