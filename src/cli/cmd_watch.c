#include <sys/inotify.h>
#include <unistd.h>

#include "cli/place.h"
#include "engine/launch.h"
#include "model/sentence.h"
#include "model/view.h"
#include "os/loop.h"

static const struct cmd_option options[] = {
	{ .name = NULL },
};

/* On a terminal the board is drawn anew; elsewhere each event is a line. */
struct watch {
	struct cmd_ctx *ctx;
	struct run run;
	bool board;
	bool stop;
};

static void
draw(struct watch *w)
{
	struct buf text = { 0 };
	uint32_t columns, rows;

	w->ctx->out.anew = true;
	out_size(STDOUT_FILENO, &columns, &rows);
	view_board(
		&text, &w->run.state, launch_is_driven(&w->run), columns, rows);
	out_text(&w->ctx->out, text.data);
	buf_release(&text);
}

static void
tell(void *arg, const struct line_facts *line, const struct event *events,
	size_t count)
{
	struct watch *w = arg;

	for (size_t i = 0; i < count && !w->board; i++) {
		struct buf text = { 0 };

		sentence_line(&text, line, &events[i]);
		out_text(&w->ctx->out, text.data);
		buf_release(&text);
	}
}

static enum pawl_rc
show(struct watch *w, struct pawl_err *err)
{
	if (w->ctx->args.json)
		view_status_json(cmd_whole(w->ctx), &w->run.state,
			launch_is_driven(&w->run), UINT32_MAX);
	else if (w->board)
		draw(w);
	w->stop = is_run_closed(&w->run.state);
	return cmd_flush(w->ctx, err);
}

static enum pawl_rc
on_change(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct watch *w = arg;
	enum pawl_rc rc;

	if (!str_eq(event->name, STR("events.jsonl")) &&
		(event->events & IN_Q_OVERFLOW) == 0)
		return PAWL_OK;
	rc = run_refresh(&w->run, err);
	return rc == PAWL_OK ? show(w, err) : rc;
}

static enum pawl_rc
follow(struct watch *w, struct pawl_err *err)
{
	const char *path = arena_format(w->ctx->mem, "%s/runs/" STR_FMT,
		w->ctx->state.path, STR_ARG(w->run.id))
				   .ptr;
	struct loop loop;
	uint64_t id;
	enum pawl_rc rc = loop_open(&loop, err);

	if (rc != PAWL_OK)
		return rc;
	rc = loop_watch(&loop, path, IN_MODIFY | IN_MOVED_TO,
		(struct loop_call){ on_change, w }, &id, err);
	/* What came between the first reading and the watch. */
	if (rc == PAWL_OK)
		rc = run_refresh(&w->run, err);
	if (rc == PAWL_OK)
		rc = show(w, err);
	while (rc == PAWL_OK && !w->stop)
		rc = loop_step(&loop, err);
	loop_close(&loop);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct watch w = { .ctx = ctx,
		.board = isatty(STDOUT_FILENO) && !ctx->args.json };
	enum pawl_rc rc = place_open_run(ctx, 0, &w.run, err);

	if (rc != PAWL_OK)
		return rc;
	w.run.watch = tell;
	w.run.watch_arg = &w;
	rc = follow(&w, err);
	run_close(&w.run);
	return rc;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.operands = "[RUN]",
	.summary = "follow a run: a board on a terminal, lines elsewhere",
	.help = "Ends when the run is closed. Ctrl-C stops watching, not the "
		"run.",
	.options = options,
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run,
};
