#include <unistd.h>

#include "cli/follow.h"
#include "cli/ledger_look.h"
#include "cli/place.h"
#include "engine/journal_fold.h"
#include "engine/launch.h"
#include "model/ledger_view.h"
#include "model/sentence.h"
#include "model/view.h"

static const struct cmd_option options[] = {
	{ .name = NULL },
};

enum { AROUND_ROWS = 4 }; /* lines of a ledger's board that are no rows */

/* On a terminal the board is drawn anew; elsewhere each event is a line. */
struct watch {
	struct cmd_ctx *ctx;
	follow_fn *show;
	struct str id;
	struct run run;       /* of tasks, */
	struct journal lines; /* or of a ledger, read for its lines */
	struct arena line;
	bool quiet; /* what comes is old */
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
show_run(void *arg, struct pawl_err *err)
{
	struct watch *w = arg;
	enum pawl_rc rc = run_refresh(&w->run, err);

	if (rc != PAWL_OK)
		return rc;
	if (w->ctx->args.json)
		view_status_json(cmd_whole(w->ctx), &w->run.state,
			launch_is_driven(&w->run), UINT32_MAX);
	else if (w->board)
		draw(w);
	w->stop = is_run_closed(&w->run.state);
	return cmd_flush(w->ctx, err);
}

static enum pawl_rc
tell_line(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct watch *w = arg;
	struct journal_events events;
	enum pawl_rc rc = journal_fold_events(jl, &w->line, &events, err);

	if (rc == PAWL_OK && !w->quiet)
		tell(w, &events.line, events.items, events.count);
	arena_reset(&w->line);
	return rc;
}

static void
draw_ledger(struct watch *w, const struct ledger_look *look)
{
	struct buf text = { 0 };
	uint32_t columns, rows;

	w->ctx->out.anew = true;
	out_size(STDOUT_FILENO, &columns, &rows);
	ledger_view_status(
		&text, look, rows > AROUND_ROWS ? rows - AROUND_ROWS : 1);
	out_text(&w->ctx->out, text.data);
	buf_release(&text);
}

/* A ledger is short: it is read anew, before the lines that it stands on. */
static enum pawl_rc
show_ledger(void *arg, struct pawl_err *err)
{
	struct watch *w = arg;
	struct journal_tail unused;
	struct ledger_run r;
	struct ledger_look look;
	enum pawl_rc rc = ledger_run_open(&r, place_of(w->ctx), w->id, err);

	if (rc != PAWL_OK)
		return rc;
	look = (struct ledger_look){ &r.ledger, r.outcome, ledger_run_seq(&r) };
	if (w->ctx->args.json)
		ledger_view_status_json(cmd_whole(w->ctx), &look);
	else if (w->board)
		draw_ledger(w, &look);
	else
		rc = journal_scan(&w->lines, tell_line, w, &unused, err);
	w->stop = is_ledger_run_closed(&r);
	ledger_run_close(&r);
	return rc == PAWL_OK ? cmd_flush(w->ctx, err) : rc;
}

static enum pawl_rc
follow(struct watch *w, struct pawl_err *err)
{
	struct follow f = { w->ctx, w->id, w->show, w };
	struct loop loop;
	enum pawl_rc rc = loop_open(&loop, err);

	if (rc != PAWL_OK)
		return rc;
	rc = follow_begin(&f, &loop, err);
	while (rc == PAWL_OK && !w->stop)
		rc = loop_step(&loop, err);
	loop_close(&loop);
	return rc;
}

static enum pawl_rc
watch_ledger(struct watch *w, struct pawl_err *err)
{
	struct journal_tail unused;
	struct ledger_run r = { .dir = -1 };
	enum pawl_rc rc = ledger_look_open(w->ctx, 0, &r, err);

	if (rc != PAWL_OK)
		return rc;
	w->show = show_ledger;
	w->id = r.id;
	w->quiet = true;
	journal_init(&w->lines, w->ctx->fs, r.dir);
	rc = journal_scan(&w->lines, tell_line, w, &unused, err);
	w->quiet = false;
	if (rc == PAWL_OK)
		rc = follow(w, err);
	journal_close(&w->lines);
	arena_reset(&w->line);
	ledger_run_close(&r);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct watch w = { .ctx = ctx,
		.show = show_run,
		.board = isatty(STDOUT_FILENO) && !ctx->args.json };
	enum pawl_rc rc = place_open_run(ctx, 0, &w.run, err);

	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
		return watch_ledger(&w, err);
	if (rc != PAWL_OK)
		return rc;
	w.id = w.run.id;
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
