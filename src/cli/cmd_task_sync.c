#include "cli/moved.h"
#include "cli/place.h"
#include "cli/plumbing.h"
#include "engine/sync.h"
#include "model/delegation.h"

enum { WAIT_S_MAX = 3600 };

static const struct cmd_option options[] = {
	{ .name = "wait",
		.arg = "S",
		.help = "wait up to S seconds for something new" },
	{ .name = NULL },
};

/* The attempts that wait for their worker, or for their coordinator. */
static void
standing_json(struct cmd_ctx *ctx, const struct state *s, struct str name,
	bool working)
{
	struct json_writer *w = &ctx->json;

	json_key(w, name);
	json_open(w, '[');
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (is_attempt_live(a) &&
			(a->status == ATTEMPT_STARTED) == working)
			json_put_str(w, state_attempt_id(s, i, ctx->mem));
	}
	json_close(w, ']');
}

static void
show(struct cmd_ctx *ctx, const struct run *r, const struct moved *b,
	enum sync_reason reason)
{
	const struct state *s = &r->state;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_str(
			&ctx->json, STR("reason"), sync_reason_word(reason));
		json_pair_u64(&ctx->json, STR("seq"), s->seq);
		moved_json(ctx, STR("attempts"), s, b);
		standing_json(ctx, s, STR("working"), true);
		standing_json(ctx, s, STR("pending"), false);
		return;
	}
	out_f(&ctx->out, STR_FMT "  " STR_FMT "\n", STR_ARG(r->id),
		STR_ARG(sync_reason_word(reason)));
	moved_text(ctx, s, b);
}

static bool
has_handed_in(struct cmd_ctx *ctx, const struct run *r, struct str id)
{
	const char *path = arena_format(
		ctx->mem, "outbox/" STR_FMT "/report.json", STR_ARG(id))
				   .ptr;
	struct pawl_err ignored;
	struct stat st;

	return fs_stat(ctx->fs, r->dir, path, &st, &ignored) == PAWL_OK;
}

/* What lies in outboxes and would be taken in. */
static void
rehearsed(struct cmd_ctx *ctx, const struct run *r)
{
	const struct state *s = &r->state;
	uint64_t count = 0;

	for (uint32_t i = 0; i < s->attempts.count; i++)
		count += s->attempts.items[i].status == ATTEMPT_STARTED &&
			has_handed_in(ctx, r, state_attempt_id(s, i, ctx->mem));
	for (uint32_t i = 0; i < s->delegations.count; i++)
		count += s->delegations.items[i].status == DELEGATION_STARTED &&
			has_handed_in(ctx, r, state_delegation_id(i, ctx->mem));
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r->id);
		json_pair_u64(&ctx->json, STR("reports"), count);
		json_pair_bool(&ctx->json, STR("dry_run"), true);
		return;
	}
	out_f(&ctx->out, "would take in %llu report%s\n",
		(unsigned long long)count, count == 1 ? "" : "s");
}

static enum pawl_rc
run_sync(struct cmd_ctx *ctx, struct pawl_err *err)
{
	enum sync_reason reason = SYNC_NOTHING;
	struct plumbing pl = PLUMBING_NONE;
	struct moved before = { 0 };
	uint64_t wait_s = 0, from;
	enum pawl_rc rc = place_open_coordinated(ctx, 0, &pl.run, err);

	if (rc == PAWL_OK)
		rc = args_u64(&ctx->args, "wait", 0, WAIT_S_MAX, &wait_s, err);
	if (rc == PAWL_OK && ctx->args.dry_run) {
		rehearsed(ctx, &pl.run);
		goto out;
	}
	from = pl.run.state.seq;
	if (rc == PAWL_OK)
		before = moved_from(ctx, &pl.run.state);
	if (rc == PAWL_OK)
		rc = plumbing_open(ctx, &pl, err);
	if (rc == PAWL_OK) {
		rc = sync_wait(&pl.pilot, wait_s * 1000, &reason, err);
		/* What was taken in before one outbox failed is told. */
		ctx->findings = rc == PAWL_EPERM || rc == PAWL_ENO;
		if (ctx->findings && pl.run.state.seq > from)
			reason = SYNC_CHANGE;
		if (rc == PAWL_OK || ctx->findings)
			show(ctx, &pl.run, &before, reason);
	}
	plumbing_signal(ctx, &pl);
out:
	plumbing_close(&pl);
	return rc;
}

const struct cmd cmd_task_sync = {
	.name = "task sync",
	.operands = "[RUN]",
	.summary = "take in what attempts have done since",
	.help = "Takes in the reports that lie in outboxes, those of "
		"delegations, too,\n"
		"proves the scope of each, sets aside what is no result, ends "
		"what has\n"
		"ended, and compares the reports that were taken in with "
		"their digests. It\n"
		"judges nothing and starts nothing; with nothing new it "
		"records nothing.\n"
		"--wait sleeps until something changes, or wants attention; "
		"the answer says\n"
		"which.",
	.options = options,
	.page = "pawl-task",
	.aliases = "sync",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run_sync,
};
