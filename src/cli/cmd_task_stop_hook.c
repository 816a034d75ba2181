/*
 * The Stop hook of Claude Code, which other agents have taken over: the agent
 * gives the event as JSON on standard input before it stops; silence and 0 let
 * it stop, {"decision":"block","reason":…} asks for another turn.  An agent
 * that continued because of a hook says `stop_hook_active`, and is let go:
 * nothing here could know whether the turn that it took was of any use.
 *
 * It fails open: what can't be read is said on stderr, and blocks nobody.
 */
#include <unistd.h>

#include "cli/input.h"
#include "cli/place.h"
#include "engine/launch.h"
#include "store/rundir.h"

enum {
	EVENT_BYTES = 1 << 20, /* the last message is in it */
	RUNS_MAX = 32,         /* that are looked at */
	RUNS_SHOWN = 3,
};

/* What goes on only when this agent goes on with it. */
struct pending {
	struct cmd_ctx *ctx;
	uint64_t waiting, running;
	uint32_t runs;
	struct buf words;
};

static void
note_failure(const struct cmd_ctx *ctx, const struct pawl_err *err)
{
	cmd_notice(ctx, "the stop isn't held up: %s", err->msg);
}

/* Has a hook made it go on already?  What is no event counts as yes. */
static bool
is_active(struct cmd_ctx *ctx)
{
	const struct json *v;
	struct buf bytes = { 0 };
	struct pawl_err err;
	bool active = false;
	enum pawl_rc rc;

	if (isatty(STDIN_FILENO))
		return false;
	rc = input_read(ctx, NULL, EVENT_BYTES, &bytes, &err);
	if (rc == PAWL_OK && str_trim(buf_str(&bytes)).len > 0) {
		rc = json_read(ctx->mem, bytes.data, bytes.len,
			JSON_KEEP_NUL | JSON_KEEP_DUPLICATES, &v, &err);
		if (rc == PAWL_OK)
			active =
				json_bool(json_get(v, STR("stop_hook_active")));
	}
	buf_release(&bytes);
	if (rc != PAWL_OK)
		note_failure(ctx, &err);
	return rc != PAWL_OK || active;
}

/* Does it go on without this agent?  A named coordinator's process may be the
 * agent itself. */
static bool
is_of_another(const struct pending *p, const struct run *r)
{
	const char *as = p->ctx->args.as;

	if (r->state.coordinator_name.len == 0)
		return launch_is_driven(r);
	return as != NULL && !str_eq(r->state.coordinator_name, str_from(as));
}

/* How this agent goes on. */
static struct str
command(const struct pending *p, const struct run *r)
{
	const char *verb = "pawl run";

	if (r->state.vacant)
		verb = "pawl task claim";
	else if (r->state.coordinator_name.len > 0)
		verb = "pawl task ready";
	return arena_format(p->ctx->mem, "%s " STR_FMT, verb, STR_ARG(r->id));
}

/* What only a human can move is nothing to go on with, either. */
static void
run_add(struct pending *p, const struct run *r)
{
	const struct state *s = &r->state;
	uint64_t waiting =
		(uint64_t)s->by_status[NODE_READY] + s->by_status[NODE_PENDING];

	if (is_run_closed(s) || state_run_status(s) != RUN_RUNNING ||
		is_of_another(p, r))
		return;
	p->waiting += waiting;
	p->running += s->live_attempts;
	if (p->runs++ >= RUNS_SHOWN)
		return;
	buf_addf(&p->words,
		"; run " STR_FMT ": %llu pending, %u running (" STR_FMT ")",
		STR_ARG(r->id), (unsigned long long)waiting, s->live_attempts,
		STR_ARG(command(p, r)));
}

static void
run_look(struct pending *p, struct str id)
{
	struct run r = { .dir = -1 };
	struct pawl_err err;

	if (run_open(&r, place_of(p->ctx), id, &err) == PAWL_OK) {
		run_add(p, &r);
		run_close(&r);
	} else if (err.code != ERR_RUN_KIND) {
		note_failure(p->ctx, &err);
	}
}

static enum pawl_rc
look(struct pending *p, struct pawl_err *err)
{
	struct cmd_ctx *ctx = p->ctx;
	const struct statedir_search search = { &ctx->env->state,
		ctx->args.state, ctx->args.repo };
	struct buf ids = { 0 };
	struct str id;
	enum pawl_rc rc = statedir_enter(
		ctx->fs, ctx->mem, &search, &ctx->state, &ctx->state_fd, err);

	if (rc != PAWL_OK || ctx->state_fd < 0)
		return rc;
	if (ctx->args.operands.count > 0) {
		rc = cmd_run_id(ctx, 0, &id, err);
		if (rc == PAWL_OK)
			run_look(p, id);
		return rc;
	}
	rc = rundir_list(ctx->fs, ctx->state_fd, RUNDIR_STARTED, &ids, err);
	if (rc == PAWL_OK) {
		struct str rest = buf_str(&ids);

		for (int i = 0; i < RUNS_MAX && rest.len > 0; i++)
			run_look(p, str_cut(&rest, '\0'));
	}
	buf_release(&ids);
	return rc;
}

static void
answer(struct cmd_ctx *ctx, struct pending *p)
{
	bool blocks = p->waiting + p->running > 0;
	struct json_writer text = { .out = &ctx->out.text };
	struct json_writer *w = ctx->args.json ? cmd_whole(ctx) : &text;

	if (!blocks && !ctx->args.json)
		return;
	json_open(w, '{');
	if (blocks) {
		json_pair_str(w, STR("decision"), STR("block"));
		json_pair_str(w, STR("reason"),
			arena_format(ctx->mem,
				"pawl: %llu tasks are pending and %llu running"
				"%s",
				(unsigned long long)p->waiting,
				(unsigned long long)p->running, p->words.data));
	}
	json_close(w, '}');
	ctx->out.json = true;
	if (!ctx->args.json)
		buf_addc(&ctx->out.text, '\n');
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *unused)
{
	struct pending p = { .ctx = ctx };
	struct pawl_err err;

	(void)unused;
	/* A worker's stop is the end of its attempt, whose run goes on. */
	if (ctx->env->worker == NULL && !is_active(ctx) &&
		look(&p, &err) != PAWL_OK)
		note_failure(ctx, &err);
	answer(ctx, &p);
	buf_release(&p.words);
	return PAWL_OK;
}

const struct cmd cmd_task_stop_hook = {
	.name = "task stop-hook",
	.operands = "[RUN]",
	.summary = "tell an agent's Stop hook whether work is left",
	.help = "Reads the hook's event from standard input. Silent, and 0, "
		"when nothing\n"
		"is left to do for this agent: no run is active, another "
		"process drives it\n"
		"(with --as: another coordinator), or only a human can move "
		"it. Else it\n"
		"prints\n"
		"    {\"decision\":\"block\",\"reason\":\"...\"}\n"
		"with the counts, once: an agent that says stop_hook_active is "
		"let go.\n"
		"It never holds up a stop because something is broken; that is "
		"said on\n"
		"standard error.",
	.page = "pawl-task",
	.aliases = "stop-hook",
	.args_max = 1,
	.run = run,
};
