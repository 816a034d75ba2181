#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/die.h"
#include "cli/place.h"
#include "cli/salvage.h"
#include "cli/source.h"
#include "cli/who.h"
#include "engine/allowance.h"
#include "engine/driver.h"
#include "engine/integrate.h"
#include "engine/landing.h"
#include "engine/pilot.h"
#include "engine/takeover.h"
#include "model/capability.h"
#include "model/next.h"
#include "model/sentence.h"
#include "model/view.h"

enum {
	GRACE_MS = 5000,
	ROWS_MAX = 200,
};

static const struct cmd_option options[] = {
	{ .name = "jobs",
		.letter = 'j',
		.arg = "N",
		.help = "workers at once (default 2)" },
	SOURCE_CAPACITY_OPTION,
	{ .name = "wait", .help = "stay while only a human can move the run" },
	SOURCE_AGENT_OPTION,
	{ .name = "once", .help = "start one wave, see it through, stop" },
	{ .name = "land",
		.help = "at the end, fast-forward your branch to the run's" },
	{ .name = "secret",
		.arg = "NAME",
		.help = "mask its value in logs",
		.repeatable = true },
	{ .name = "strict",
		.help = "no pass when an attempt changed what its check runs" },
	{ .name = "allow-dirty",
		.help = "run though uncommitted paths lie in a write scope" },
	{ .name = "driver",
		.arg = "D",
		.help = "process (the default), or a program's name" },
	{ .name = "decision",
		.arg = "FILE",
		.help = "process decision (default: one beside LIST)" },
	SOURCE_CAGE_OPTIONS,
	{ .name = "force",
		.help = "take the run over though its coordinator may live" },
	{ .name = "reason", .arg = "TEXT", .help = "why; with --force" },
	{ .name = NULL },
};

/* A run under this command, and what its watcher needs. */
struct drive {
	struct cmd_ctx *ctx;
	struct run run;
	struct repo repo;
	bool has_repo;
	struct source_worker worker; /* none: the run's */
	struct strs capacity;        /* CLASS=N; likewise */
	uint64_t slots;              /* 0: likewise */
	struct salvage salvage;
};

/* The answer of --dry-run; an empty `id` is a run that would be made. */
static void
rehearsed(struct cmd_ctx *ctx, struct str id, uint32_t tasks)
{
	if (ctx->args.json) {
		json_pair_str_or_null(&ctx->json, STR("run"), id);
		json_pair_u64(&ctx->json, STR("tasks"), tasks);
		json_pair_bool(&ctx->json, STR("dry_run"), true);
		return;
	}
	out_f(&ctx->out, "would %s a run of %u task%s",
		id.len > 0 ? "go on with" : "make", tasks,
		tasks == 1 ? "" : "s");
	if (id.len > 0) {
		out_text(&ctx->out, ": ");
		out_data(&ctx->out, id);
	}
	out_text(&ctx->out, "\n");
}

/*
 * A file that the worker's arguments name is looked for where the worker is; in
 * a worktree that is only what was committed.  The common case of `-- sh w.sh`.
 */
static enum pawl_rc
say_uncommitted(struct drive *d, struct pawl_err *err)
{
	const struct run_facts *facts = &d->run.state.run;
	const char *base = arena_strdup(d->ctx->mem, facts->base);
	size_t top = d->has_repo ? strlen(d->repo.top) + 1 : 0;
	enum pawl_rc rc = PAWL_OK;

	if (facts->placement != PLACEMENT_WORKTREE || !d->has_repo)
		return PAWL_OK;
	for (uint32_t i = 1; rc == PAWL_OK && i < facts->argv.count; i++) {
		const char *arg =
			arena_strdup(d->ctx->mem, facts->argv.items[i]);
		char *path =
			*arg == '/' || *arg == '-' ? NULL : realpath(arg, NULL);
		bool held = true;

		if (path != NULL && strlen(path) > top &&
			repo_path_is_below(path, d->repo.top))
			rc = repo_holds(&d->repo, base, path + top, &held, err);
		if (!held) {
			cmd_notice(d->ctx,
				"'%s' isn't in the run's base commit, so"
				" workers won't find it in their worktrees:"
				" commit it, or give its absolute path",
				arg);
		}
		free(path);
	}
	return rc;
}

/* Of a new run; empty: the one that runs processes here. */
static enum pawl_rc
driver_read(struct drive *d, struct str *ret_name, struct pawl_err *err)
{
	const char *word = args_value(&d->ctx->args, "driver");
	struct str name = str_from(word != NULL ? word : "");

	if (name.len == 0 || str_eq(name, DRIVER_AUTO))
		return PAWL_OK;
	if (driver_hands_on(name))
		return pawl_fail(err, ERR_USAGE,
			"driver '%s' starts nothing that a run could wait for",
			word);
	*ret_name = name;
	return source_driver(name, d->ctx->mem, err);
}

/* A run keeps the driver that it began with. */
static enum pawl_rc
same_driver(struct drive *d, struct pawl_err *err)
{
	const char *word = args_value(&d->ctx->args, "driver");
	const struct state *s = &d->run.state;
	struct str has = s->driver.len > 0 ? s->driver : s->driver_asked;

	if (has.len == 0)
		has = builtin_word(BUILTIN_PROCESS);
	if (word == NULL || str_eq(has, str_from(word)))
		return PAWL_OK;
	return pawl_fail(err, ERR_USAGE,
		"run '" STR_FMT "' has driver '" STR_FMT "', not '%s'",
		STR_ARG(d->run.id), STR_ARG(has), word);
}

/* A run keeps the agents that it began with, and what they were given. */
static enum pawl_rc
same_agent(struct drive *d, struct pawl_err *err)
{
	const struct run_facts *facts = &d->run.state.run;

	if (d->worker.agent.len == 0)
		return PAWL_OK;
	if (str_eq(d->worker.agent, facts->profile) && !d->worker.has_args) {
		d->worker.argv = (struct strs){ 0 };
		return PAWL_OK;
	}
	return pawl_fail(err, ERR_USAGE,
		"run '" STR_FMT "' has its worker already: '" STR_FMT "'",
		STR_ARG(d->run.id), STR_ARG(facts->profile));
}

/* A program is selected before anything is started by it. */
static enum pawl_rc
select_driver(struct drive *d, struct pawl_err *err)
{
	struct run *r = &d->run;
	enum pawl_rc rc = PAWL_OK;

	if (!driver_is_program(r->state.driver_asked))
		return PAWL_OK;
	if (r->state.driver.len == 0 && r->state.selection.len == 0) {
		rc = run_begin(r, err);
		if (rc == PAWL_OK) {
			rc = driver_reserve(r, err);
			rc = rc == PAWL_OK ? run_commit(r, err)
					   : run_give_up(r, rc, err);
		}
	}
	return rc == PAWL_OK ? driver_finish_selection(r, err) : rc;
}

static enum pawl_rc
create(struct drive *d, const char *path, struct str list, struct pawl_err *err)
{
	struct cmd_ctx *ctx = d->ctx;
	struct launch l = {
		.repo = d->has_repo ? &d->repo : NULL,
		.rand = &ctx->rand,
		.mem = ctx->mem,
		.list_path = path,
		.list = list,
		.drives = true,
		.argv = d->worker.argv,
		.agent = d->worker.agent,
		.agents = d->worker.agents,
		.permission = who_local(ctx),
		.author = who_author(ctx),
		.slots = d->slots ? d->slots : SOURCE_SLOTS,
		.capacity = d->capacity,
		.secrets = source_secrets(ctx),
		.allow_dirty = args_has(&ctx->args, "allow-dirty"),
		.strict = args_has(&ctx->args, "strict"),
	};
	struct source_decision decision;
	uint32_t tasks = 0;
	bool made;
	enum pawl_rc rc;

	rc = source_decision(ctx, path, &decision, err);
	if (rc == PAWL_OK)
		rc = source_cages(ctx, &l.cages, err);
	if (rc != PAWL_OK)
		return rc;
	l.decision_path = decision.path;
	l.decision = decision.bytes;
	rc = driver_read(d, &l.driver, err);
	if (rc != PAWL_OK)
		return rc;
	l.place = place_of(ctx);
	if (ctx->args.dry_run) {
		rc = launch_rehearse(&l, &tasks, err);
		if (rc == PAWL_OK)
			rehearsed(ctx, STR(""), tasks);
		return rc;
	}
	rc = statedir_make(ctx->fs, &ctx->state, &ctx->state_fd, &made, err);
	l.place = place_of(ctx);
	if (rc == PAWL_OK)
		rc = launch_create(&l, &d->run, err);
	if (rc != PAWL_OK)
		return rc;
	rc = say_uncommitted(d, err);
	if (rc != PAWL_OK)
		run_close(&d->run);
	return rc;
}

/* Become the coordinator; by force only with a reason, which is kept. */
static enum pawl_rc
take_over(struct drive *d, struct pawl_err *err)
{
	const struct args *args = &d->ctx->args;
	const char *operand = args_operand(args, 0);
	const struct takeover t = {
		.reason = str_from(args_value(args, "reason")),
		.force = args_has(args, "force"),
		.argv = d->worker.argv,
		.slots = d->slots,
		.capacity = d->capacity,
	};
	struct taken taken;
	bool again;
	enum pawl_rc rc;

	if (d->run.state.lines_started != 0 &&
		d->run.state.run.argv.count == 0 &&
		d->run.state.run.agents_sha256.len == 0 &&
		d->worker.argv.count == 0) {
		rc = takeover_rehearse(&d->run, &t, &again, err);
		if (rc != PAWL_OK)
			return rc;
		(void)pawl_fail(err, ERR_USAGE,
			"run '" STR_FMT "' has no worker command",
			STR_ARG(d->run.id));
		return pawl_hint(err, "pawl run %s -- ./my-agent.sh",
			operand ? operand : "RUN");
	}
	if (args->dry_run)
		return takeover_rehearse(&d->run, &t, &again, err);
	rc = takeover_run(&d->run, &t, &taken, err);
	place_say_killed(d->ctx, &taken.killed);
	return rc;
}

/* The operand is a list's path, or the name of a run. */
static enum pawl_rc
open_or_create(struct drive *d, struct pawl_err *err)
{
	struct cmd_ctx *ctx = d->ctx;
	const char *operand = args_operand(&ctx->args, 0);
	struct source_decision decision;
	struct str id = { "", 0 }, list;
	bool is_list;
	enum pawl_rc rc;

	rc = source_list(ctx, operand, &is_list, &list, err);
	if (rc == PAWL_OK)
		rc = source_worker(ctx, &d->worker, err);
	if (rc == PAWL_OK)
		rc = args_u64(
			&ctx->args, "jobs", 1, BOUND_SLOTS, &d->slots, err);
	if (rc == PAWL_OK)
		rc = source_capacity(ctx, &d->capacity, err);
	if (rc == PAWL_OK && is_list && ctx->state_fd >= 0)
		rc = launch_find(place_of(ctx), list, ctx->mem, &id, err);
	if (rc != PAWL_OK)
		return rc;
	if (is_list && id.len == 0)
		return create(d, operand, list, err);
	rc = is_list ? run_open(&d->run, place_of(ctx), id, err)
		     : place_open_run(ctx, 0, &d->run, err);
	if (rc != PAWL_OK && !is_list &&
		(err->code == ERR_RUN_NOT_FOUND ||
			err->code == ERR_INVALID_ID)) {
		(void)pawl_fail(err, ERR_RUN_NOT_FOUND,
			operand ? "no list and no run '%s'"
				: "no run is active here",
			operand);
		return pawl_hint(err, "pawl run LIST -- ./my-agent.sh");
	}
	if (rc != PAWL_OK)
		return rc;
	if (is_run_closed(&d->run.state)) {
		if (ctx->args.dry_run)
			rehearsed(ctx, d->run.id, d->run.plan.count);
		return PAWL_OK;
	}
	/* Whom a run has started isn't its next coordinator. */
	rc = who_is_outside(ctx, "a coordinator's", err);
	if (rc == PAWL_OK)
		rc = same_driver(d, err);
	if (rc == PAWL_OK)
		rc = same_agent(d, err);
	/* What it froze counts, whatever lies beside the list by now. */
	if (rc == PAWL_OK)
		rc = source_decision_named(ctx, &decision, err);
	if (rc == PAWL_OK && decision.path != NULL)
		rc = launch_same_decision(&d->run, decision.bytes, err);
	if (rc == PAWL_OK)
		rc = take_over(d, err);
	if (rc == PAWL_OK && ctx->args.dry_run)
		rehearsed(ctx, d->run.id, d->run.plan.count);
	if (rc != PAWL_OK)
		run_close(&d->run);
	return rc;
}

/* A terminal shows the board; elsewhere each event is a line, once durable. */
static void
tell(void *arg, const struct line_facts *line, const struct event *events,
	size_t count)
{
	struct drive *d = arg;
	struct pawl_err ignored;

	salvage_note(&d->salvage, events, count, d->ctx->mem);
	if (d->ctx->args.json)
		return;
	if (d->ctx->out.terminal) {
		struct buf board = { 0 };
		uint32_t columns, rows;

		d->ctx->out.anew = true;
		out_size(STDOUT_FILENO, &columns, &rows);
		view_board(&board, &d->run.state, true, columns, rows);
		out_text(&d->ctx->out, board.data);
		buf_release(&board);
		count = 0;
	}
	for (size_t i = 0; i < count; i++) {
		struct buf text = { 0 };

		if (events[i].type == EV_CLEANUP_REGISTERED ||
			events[i].type == EV_CLEANUP_SETTLED)
			continue;
		sentence_line(&text, line, &events[i]);
		out_text(&d->ctx->out, text.data);
		buf_release(&text);
	}
	/* A reader that went away doesn't stop the run. */
	if (cmd_flush(d->ctx, &ignored) != PAWL_OK)
		d->run.watch = NULL;
}

static enum pawl_rc
land(struct drive *d, struct pawl_err *err)
{
	struct landing landing = { 0 };
	const struct state *s = &d->run.state;
	struct land_spec spec = { .lock_dir = d->ctx->state.path };
	enum pawl_rc rc;

	if (!args_has(&d->ctx->args, "land") || s->tip.len == 0)
		return PAWL_OK;
	if (s->run.branch.len == 0)
		return pawl_fail(err, ERR_INVALID_ARGUMENT,
			"there is no branch to land on: HEAD was detached");
	spec.branch = arena_strdup(d->ctx->mem, s->run.branch);
	if (!oid_read(s->tip, &spec.head))
		return pawl_fail(err, ERR_CORRUPT,
			"'" STR_FMT "' names no commit", STR_ARG(s->tip));
	rc = integrate_land(&d->repo, &spec, d->ctx->mem, &landing, err);
	if (rc == PAWL_OK && landing.outcome == LAND_NOT_FAST_FORWARD) {
		rc = pawl_fail(err, ERR_LAND_BLOCKED,
			"'" STR_FMT "' has commits of its own",
			STR_ARG(s->run.branch));
	} else if (rc == PAWL_OK && landing.outcome == LAND_BLOCKED) {
		rc = pawl_fail(err, ERR_LAND_BLOCKED,
			"'" STR_FMT "' and %zu more paths stand in the way",
			STR_ARG(landing.paths.items[0]),
			landing.paths.count - 1);
	} else if (rc == PAWL_OK && landing.outcome == LAND_DONE) {
		cmd_notice(d->ctx, "'" STR_FMT "' is at " STR_FMT " now",
			STR_ARG(s->run.branch), STR_ARG(s->tip));
	}
	paths_release(&landing.paths);
	return rc;
}

/* Does a hard limit of its decision hold the run back?  Then that is said. */
static bool
say_budget(const struct drive *d, struct pawl_err *err)
{
	struct str why;

	if (d->run.state.by_status[NODE_READY] == 0 ||
		!allowance_is_used(&d->run, d->ctx->mem, &why))
		return false;
	(void)pawl_fail(err, ERR_BUDGET_EXHAUSTED,
		"run '" STR_FMT "' stands: " STR_FMT, STR_ARG(d->run.id),
		STR_ARG(why));
	return true;
}

/* How the run stands, and the exit status that says so. */
static enum pawl_rc
conclude(struct drive *d, enum pilot_outcome outcome, int signo,
	struct pawl_err *err)
{
	const struct state *s = &d->run.state;
	struct cmd_ctx *ctx = d->ctx;
	struct buf text = { 0 };
	struct next next;

	if (ctx->args.json) {
		view_status_json(cmd_whole(ctx), s, false, ROWS_MAX);
	} else {
		ctx->out.anew = ctx->out.terminal;
		view_status(&text, s, false, ROWS_MAX, out_columns(&ctx->out));
		out_text(&ctx->out, text.data);
		buf_release(&text);
		if (signo != 0)
			salvage_say(&d->salvage, ctx, &d->run);
	}
	if (outcome == PILOT_COMPLETE)
		return PAWL_OK;
	ctx->findings = true;
	next_find(s, false, ctx->mem, &next);
	if (signo != 0) {
		ctx->signo = signo;
		(void)pawl_fail(err, ERR_INTERRUPTED,
			"run '" STR_FMT "' stopped by signal %d",
			STR_ARG(d->run.id), signo);
		return pawl_hint(err, "pawl run " STR_FMT, STR_ARG(d->run.id));
	}
	switch (outcome) {
	case PILOT_WAITS_FOR_HUMAN:
		(void)pawl_fail(err,
			next.kind == NEXT_ANSWER ? ERR_QUESTION_OPEN
						 : ERR_APPROVAL_NEEDED,
			"run '" STR_FMT "' waits for a human: " STR_FMT,
			STR_ARG(d->run.id), STR_ARG(next.why));
		break;
	case PILOT_STOPPED:
		return PAWL_OK;
	case PILOT_STANDS:
	case PILOT_COMPLETE:
		if (say_budget(d, err))
			break;
		if (next.kind == NEXT_CLEANUP) {
			(void)pawl_fail(err, ERR_CLEANUP_PENDING,
				"run '" STR_FMT "' stands: " STR_FMT,
				STR_ARG(d->run.id), STR_ARG(next.why));
			break;
		}
		(void)pawl_fail(err, ERR_RUN_FAILED,
			"run '" STR_FMT "' is " STR_FMT ": " STR_FMT,
			STR_ARG(d->run.id),
			STR_ARG(run_status_word(state_run_status(s))),
			STR_ARG(next.why));
		break;
	}
	return next.command.len > 0 && err->code != ERR_BUDGET_EXHAUSTED
		? pawl_hint(err, STR_FMT, STR_ARG(next.command))
		: err->rc;
}

/* Which run this is: what every other command wants to know. */
static void
introduce(struct drive *d)
{
	const struct state *s = &d->run.state;

	if (d->ctx->args.json || d->ctx->out.terminal)
		return;
	assert(s->plan != NULL);
	out_f(&d->ctx->out, "run " STR_FMT ": %u %s, %u at once\n",
		STR_ARG(d->run.id), s->plan->count,
		s->plan->count == 1 ? "task" : "tasks", (unsigned)s->run.slots);
}

/* Every task passed, and the run isn't closed: something else was changed. */
static enum pawl_rc
unproven(const struct drive *d, struct pawl_err *err)
{
	if (err->detail.len > 0) /* the run is closed before it is printed */
		err->detail = arena_copy(d->ctx->mem, err->detail);
	if (err->code == ERR_CHANGED_PATH_UNPROVEN &&
		str_starts(str_from(err->hint), STR("git "))) {
		const char *first =
			arena_strdup(d->ctx->mem, str_from(err->hint));

		return pawl_hint(err, "%s, then: pawl run " STR_FMT, first,
			STR_ARG(d->run.id));
	}
	return err->rc;
}

static enum pawl_rc
drive(struct drive *d, struct pawl_err *err)
{
	struct cmd_ctx *ctx = d->ctx;
	enum pilot_outcome outcome = PILOT_COMPLETE;
	char child[PATH_MAX];
	struct pilot_config config = {
		.child = child,
		.worktrees = arena_format(ctx->mem, "%s/" STR_FMT,
			ctx->state.worktrees, STR_ARG(d->run.id))
				     .ptr,
		.lock_dir = ctx->state.path,
		.wait = args_has(&ctx->args, "wait"),
		.once = args_has(&ctx->args, "once"),
		.grace_ms = GRACE_MS,
	};
	int signo = 0;
	enum pawl_rc rc = PAWL_OK;

	if (!is_run_closed(&d->run.state)) {
		rc = monitor_program(child, err);
		if (rc == PAWL_OK)
			rc = select_driver(d, err);
		if (rc == PAWL_OK &&
			driver_is_program(d->run.state.driver_asked))
			config.driver =
				arena_copy(ctx->mem, d->run.state.driver);
		d->run.watch = tell;
		d->run.watch_arg = d;
		introduce(d);
		if (rc == PAWL_OK)
			rc = pilot_run(&d->run, &d->repo, &config, &outcome,
				&signo, err);
		d->run.watch = NULL;
	} else {
		/* Whoever closed it may have died before the rest. */
		rc = landing_closed(&d->run, err);
	}
	if (rc != PAWL_OK)
		return unproven(d, err);
	if (outcome == PILOT_COMPLETE)
		rc = land(d, err);
	return rc == PAWL_OK ? conclude(d, outcome, signo, err) : rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct drive d = { .ctx = ctx, .has_repo = ctx->state.has_repo };
	enum pawl_rc rc;

	rc = source_repo(ctx, &d.repo, err);
	if (rc == PAWL_OK)
		rc = open_or_create(&d, err);
	if (rc != PAWL_OK)
		return rc;
	if (!ctx->args.dry_run)
		rc = drive(&d, err);
	run_close(&d.run);
	return rc;
}

const struct cmd cmd_run = {
	.name = "run",
	.operands = "LIST|RUN",
	.summary = "drive a task list to its end; resume a run",
	.help = "Makes a run of the task list LIST, or goes on with RUN, and "
		"drives\n"
		"it: each task that may start gets a worker, CMD, with the "
		"task on its\n"
		"standard input; when the worker ends, the task's check is "
		"run, and\n"
		"only its success moves the task on. Ends when nothing can "
		"move any\n"
		"more. Ctrl-C stops the workers and keeps their changes as "
		"patches.\n"
		"\n"
		"Exit status: 0 complete, 1 failed or blocked, 5 waits for a "
		"human,\n"
		"6 held by another process.",
	.options = options,
	.page = "pawl-run",
	.args_min = 0,
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_MUTATES | CMD_REST | CMD_NO_KEY,
	.run = run,
};
