#include "cli/moved.h"
#include "cli/place.h"
#include "cli/plumbing.h"
#include "engine/driver.h"
#include "engine/resume.h"
#include "engine/settings.h"
#include "engine/snapshot.h"
#include "engine/sync.h"
#include "model/next.h"

enum { DIRTY_SHOWN = 100 };

static const struct cmd_option resume_options[] = {
	{ .name = "owner-pid",
		.arg = "PID",
		.help = "it is this process now: its end frees the run" },
	{ .name = NULL },
};

static const char *
capsule_word(enum resume_capsule c)
{
	return c == CAPSULE_GOOD    ? "verified"
		: c == CAPSULE_NONE ? "absent"
				    : "changed";
}

/* Attempts that live; those of which nothing ran yet are reservations. */
static void
put_attempts(struct cmd_ctx *ctx, const struct run *r, bool reserved)
{
	struct json_writer *w = &ctx->json;
	const struct state *s = &r->state;

	json_key(w, reserved ? STR("reservations") : STR("attempts"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_attempt_live(a) ||
			(a->status == ATTEMPT_RESERVED) != reserved)
			continue;
		json_open(w, '{');
		json_pair_str(
			w, STR("attempt"), state_attempt_id(s, i, ctx->mem));
		json_pair_str(w, STR("status"),
			attempt_status_word((enum attempt_status)a->status));
		json_pair_str(w, STR("capsule"),
			str_from(capsule_word(resume_capsule_of(r, i))));
		json_pair_u64(w, STR("pid"), a->monitor.pid);
		json_pair_str(w, STR("worktree"), a->worktree);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_questions(struct cmd_ctx *ctx, const struct state *s)
{
	struct json_writer *w = &ctx->json;

	json_key(w, STR("questions"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->asks.count; i++) {
		const struct ask *a = &s->asks.items[i];

		if (a->status != ASK_OPEN)
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("question"), state_ask_id(i, ctx->mem));
		json_pair_str(w, STR("node"), plan_id(s->plan, a->node));
		json_pair_str(w, STR("prompt"), a->prompt);
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
put_open(struct cmd_ctx *ctx, const struct state *s)
{
	struct json_writer *w = &ctx->json;
	const struct cleanup *c;

	json_key(w, STR("cleanups"));
	json_open(w, '[');
	VEC_EACH (c, &s->cleanups) {
		if (is_cleanup_settled(c))
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("cleanup"), c->id);
		json_pair_str(w, STR("kind"), c->kind);
		json_pair_str(w, STR("target"), c->target);
		json_close(w, '}');
	}
	json_close(w, ']');
	json_key(w, STR("gates"));
	json_open(w, '[');
	for (uint32_t i = 0; i < s->gates.count; i++) {
		if (s->gates.items[i].status == GATE_OPEN)
			json_put_str(w, state_gate_id(s, i, ctx->mem));
	}
	json_close(w, ']');
	put_questions(ctx, s);
	json_pair_str_or_null(w, STR("selection"), s->selection);
}

/* What lies uncommitted around the run now. */
static enum pawl_rc
dirty_find(struct cmd_ctx *ctx, const struct run *r,
	struct changes *ret_changes, struct pawl_err *err)
{
	const char *file = arena_strdup(ctx->mem,
		arena_format(ctx->mem, "%s/runs/" STR_FMT "/" SETTINGS_FILE,
			r->place->state_path, STR_ARG(r->id)));
	enum pawl_rc rc;

	if (!ctx->state.has_repo)
		return PAWL_OK;
	rc = settings_hold(&ctx->state.repo, file, err);
	return rc != PAWL_OK
		? rc
		: snapshot_dirty(&ctx->state.repo, ctx->mem, ret_changes, err);
}

/* What there is to say. */
struct answer {
	struct resumed resumed;
	struct moved before; /* how attempts stood before the reconciliation */
	struct changes dirty;
};

static void
answer_json(struct cmd_ctx *ctx, const struct run *r, const struct answer *a)
{
	struct json_writer *w = &ctx->json;
	struct next next;

	json_pair_str(w, STR("run"), r->id);
	json_pair_str(w, STR("coordinator"), str_from(ctx->args.as));
	json_pair_u64(w, STR("generation"), r->gen);
	json_pair_bool(w, STR("recorded"), a->resumed.recorded);
	json_pair_u64(w, STR("repaired_bytes"), a->resumed.repaired_bytes);
	json_pair_bool(w, STR("projection_renewed"), a->resumed.projected);
	json_pair_u64(w, STR("seq"), r->state.seq);
	json_pair_bool(w, STR("dry_run"), ctx->args.dry_run);
	moved_json(ctx, STR("reconciled"), &r->state, &a->before);
	put_attempts(ctx, r, false);
	put_attempts(ctx, r, true);
	put_open(ctx, &r->state);
	json_key(w, STR("dirty"));
	json_open(w, '[');
	for (size_t i = 0; i < a->dirty.count && i < DIRTY_SHOWN; i++)
		json_put_str(w, a->dirty.items[i].path);
	json_close(w, ']');
	json_pair_u64(w, STR("dirty_count"), a->dirty.count);
	next_find(&r->state, false, ctx->mem, &next);
	json_key(w, STR("next"));
	next_json(w, &next);
}

static void
say_attempts(struct cmd_ctx *ctx, const struct run *r)
{
	const struct state *s = &r->state;

	for (uint32_t i = 0; i < s->attempts.count; i++) {
		const struct attempt *a = &s->attempts.items[i];

		if (!is_attempt_live(a))
			continue;
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, state_attempt_id(s, i, ctx->mem));
		out_f(&ctx->out, "  " STR_FMT ", capsule %s\n",
			STR_ARG(attempt_status_word(
				(enum attempt_status)a->status)),
			capsule_word(resume_capsule_of(r, i)));
	}
}

static void
say_open(struct cmd_ctx *ctx, const struct state *s)
{
	const struct cleanup *c;

	VEC_EACH (c, &s->cleanups) {
		if (is_cleanup_settled(c))
			continue;
		out_f(&ctx->out, "  cleanup " STR_FMT "  " STR_FMT " ",
			STR_ARG(c->id), STR_ARG(c->kind));
		out_data(&ctx->out, c->target);
		out_text(&ctx->out, "\n");
	}
	for (uint32_t i = 0; i < s->gates.count; i++) {
		if (s->gates.items[i].status != GATE_OPEN)
			continue;
		out_text(&ctx->out, "  gate ");
		out_data(&ctx->out, state_gate_id(s, i, ctx->mem));
		out_text(&ctx->out, "  waits for a human\n");
	}
	for (uint32_t i = 0; i < s->asks.count; i++) {
		if (s->asks.items[i].status != ASK_OPEN)
			continue;
		out_f(&ctx->out, "  question " STR_FMT " of ",
			STR_ARG(state_ask_id(i, ctx->mem)));
		out_data(&ctx->out, plan_id(s->plan, s->asks.items[i].node));
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, s->asks.items[i].prompt);
		out_text(&ctx->out, "\n");
	}
	if (s->selection.len > 0) {
		out_f(&ctx->out,
			"  selection " STR_FMT
			" is open: pawl task recover driver\n",
			STR_ARG(s->selection));
	}
}

static void
answer_text(struct cmd_ctx *ctx, const struct run *r, const struct answer *a)
{
	struct next next;
	struct buf text = { 0 };

	out_f(&ctx->out, "%s" STR_FMT " as ",
		ctx->args.dry_run ? "would resume " : "resumed ",
		STR_ARG(r->id));
	out_data(&ctx->out, str_from(ctx->args.as));
	out_f(&ctx->out, ", generation %llu%s\n", (unsigned long long)r->gen,
		a->resumed.recorded ? ", recorded" : ", nothing new to record");
	if (a->resumed.repaired_bytes > 0)
		out_f(&ctx->out, "  a torn end of %llu bytes was set aside\n",
			(unsigned long long)a->resumed.repaired_bytes);
	if (a->resumed.projected)
		out_text(&ctx->out, "  the projection was made anew\n");
	moved_text(ctx, &r->state, &a->before);
	say_attempts(ctx, r);
	say_open(ctx, &r->state);
	for (size_t i = 0; i < a->dirty.count && i < DIRTY_SHOWN; i++) {
		out_text(&ctx->out, "  dirty ");
		out_data(&ctx->out, a->dirty.items[i].path);
		out_text(&ctx->out, "\n");
	}
	if (a->dirty.count > DIRTY_SHOWN)
		out_f(&ctx->out, "  and %zu more dirty paths\n",
			a->dirty.count - DIRTY_SHOWN);
	next_find(&r->state, false, ctx->mem, &next);
	next_text(&text, &next);
	out_text(&ctx->out, text.data);
	buf_release(&text);
}

static void
answer(struct cmd_ctx *ctx, const struct run *r, const struct answer *a)
{
	if (ctx->args.json)
		answer_json(ctx, r, a);
	else
		answer_text(ctx, r, a);
}

/* One round of 'task sync', when there is anything that it could look at. */
static enum pawl_rc
reconcile(struct cmd_ctx *ctx, struct plumbing *pl, struct pawl_err *err)
{
	const struct state *s = &pl->run.state;
	enum pawl_rc rc;

	if (ctx->args.dry_run || is_run_closed(s) ||
		(s->attempts.count == 0 && s->cleanups.count == 0 &&
			s->asks.count == 0))
		return PAWL_OK;
	rc = plumbing_open(ctx, pl, err);
	return rc == PAWL_OK ? sync_round(&pl->pilot, err) : rc;
}

static enum pawl_rc
run_resume(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct candidate who = { .rand = &ctx->rand };
	struct plumbing pl = PLUMBING_NONE;
	struct answer a = { .resumed = { .recorded = false } };
	enum pawl_rc rc = place_as(ctx, &who.name, err);

	if (rc == PAWL_OK)
		rc = args_u64(&ctx->args, "owner-pid", 1, INT32_MAX,
			&who.owner_pid, err);
	if (rc == PAWL_OK)
		rc = place_open_sound(ctx, 0, &pl.run, err);
	if (rc != PAWL_OK)
		return rc;
	rc = ctx->args.dry_run ? resume_rehearse(&pl.run, &who, &a.resumed, err)
			       : resume_run(&pl.run, &who, &a.resumed, err);
	if (rc == PAWL_OK) {
		a.before = moved_from(ctx, &pl.run.state);
		rc = reconcile(ctx, &pl, err);
		/* What was taken in before one outbox failed is told. */
		ctx->findings = rc == PAWL_EPERM || rc == PAWL_ENO;
	}
	if (rc == PAWL_OK || ctx->findings) {
		struct pawl_err why;
		enum pawl_rc seen = dirty_find(ctx, &pl.run, &a.dirty, &why);

		if (seen == PAWL_OK)
			answer(ctx, &pl.run, &a);
		else if (rc == PAWL_OK)
			*err = why, rc = seen;
	}
	changes_release(&a.dirty);
	audit_release(&a.resumed.audit);
	plumbing_close(&pl);
	return rc;
}

static enum pawl_rc
run_recover_driver(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	bool done = false;
	enum pawl_rc rc = place_open_coordinated(ctx, 0, &r, err);

	if (rc != PAWL_OK)
		return rc;
	if (!ctx->args.dry_run)
		rc = driver_select(&r, &done, err);
	if (rc == PAWL_OK && r.state.driver.len == 0 && !ctx->args.dry_run)
		rc = pawl_fail(err, ERR_ATTEMPT_STATE,
			"run '" STR_FMT "' has no selection to recover",
			STR_ARG(r.id));
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r.id);
		json_pair_str(&ctx->json, STR("driver"), r.state.driver);
		json_pair_str(
			&ctx->json, STR("receipt"), r.state.driver_receipt);
		json_pair_bool(&ctx->json, STR("again"), !done);
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out, STR_FMT " has driver " STR_FMT "%s\n",
			STR_ARG(r.id), STR_ARG(r.state.driver),
			done ? "" : ", nothing was open");
	}
	run_close(&r);
	return rc;
}

const struct cmd cmd_task_resume = {
	.name = "task resume",
	.operands = "[RUN]",
	.summary = "go on as the coordinator: repair, read all, list",
	.help = "Cuts a torn end of the journal (its bytes are kept), undoes a "
		"poisoning,\n"
		"reads everything again and verifies it by digest, makes the "
		"projection anew\n"
		"when it disagrees, and records another program or process. "
		"Then takes in,\n"
		"as 'task sync' does, what attempts have done since, and lists "
		"what is in\n"
		"flight: attempts, reservations, cleanups, gates, questions, "
		"dirty paths. With\n"
		"nothing new nothing is appended.",
	.options = resume_options,
	.page = "pawl-task",
	.aliases = "resume",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run_resume,
};

const struct cmd cmd_task_recover_driver = {
	.name = "task recover driver",
	.operands = "[RUN]",
	.summary = "finish the selection of a driver that was cut short",
	.help = "The selection goes on under its own name and gives the same "
		"outcome.\n"
		"Without an open one it says what was selected.",
	.page = "pawl-task",
	.aliases = "recover-driver recover-driver-selection",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run_recover_driver,
};
