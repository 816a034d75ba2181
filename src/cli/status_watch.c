#include "cli/status_watch.h"

#include "base/num.h"
#include "cli/follow.h"
#include "cli/place.h"
#include "engine/journal_fold.h"
#include "engine/launch.h"
#include "model/agent_view.h"
#include "model/sentence.h"
#include "store/lately.h"

enum {
	ROWS_MAX = 200,     /* of the snapshot as text */
	CHANGES_MAX = 1000, /* events of one document */
	INTERVAL_MS = 1000,
	INTERVAL_S_MAX = 3600,
};

struct watch {
	struct cmd_ctx *ctx;
	struct run run;
	struct loop loop;
	uint64_t shown; /* line that the last document reached */
	uint64_t told;  /* line of the last event that was kept */
	uint64_t left;  /* documents until the end */
	uint64_t interval_ms;
	uint64_t next_ms;   /* boot time before which none is written */
	uint64_t timer;     /* id of the one that is set; or 0 */
	struct buf changes; /* JSON objects with commas, or lines of text */
	uint32_t count, left_out;
	struct arena mem; /* of one document */
	bool stop;
};

static void
change_json(
	struct buf *out, const struct line_facts *line, const struct event *e)
{
	struct json_writer w = { .out = out };

	if (out->len > 0)
		buf_addc(out, ',');
	json_open(&w, '{');
	json_pair_u64(&w, STR("seq"), line->seq);
	json_pair_str(&w, STR("at"), line->at);
	json_pair_str(&w, STR("actor"), line->actor);
	json_pair_str(&w, STR("type"), event_word(e->type));
	json_pair_str(&w, STR("node"), e->node);
	json_pair_str(&w, STR("attempt"), e->attempt);
	json_close(&w, '}');
}

/* Keep the events of a line for the next document. */
static void
tell(void *arg, const struct line_facts *line, const struct event *events,
	size_t count)
{
	struct watch *w = arg;

	if (line->seq <= w->told) /* the journal is read again */
		return;
	w->told = line->seq;
	for (size_t i = 0; i < count; i++) {
		if (w->count >= CHANGES_MAX) {
			w->left_out++;
			continue;
		}
		w->count++;
		if (w->ctx->args.json)
			change_json(&w->changes, line, &events[i]);
		else
			sentence_line(&w->changes, line, &events[i]);
	}
}

static enum pawl_rc
tell_line(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct watch *w = arg;
	struct journal_events events;
	enum pawl_rc rc = journal_fold_events(jl, &w->mem, &events, err);

	if (rc == PAWL_OK && jl->line.seq <= w->run.state.seq)
		tell(w, &events.line, events.items, events.count);
	return rc;
}

static void
head_json(struct watch *w, struct json_writer *j, const char *kind)
{
	json_open(j, '{');
	json_pair_str(j, STR("kind"), str_from(kind));
	json_pair_str(j, STR("run"), w->run.id);
}

static void
whole_add(struct watch *w, enum agent_view_reason reason)
{
	const struct state *s = &w->run.state;
	bool driven = launch_is_driven(&w->run);
	bool reset = reason != AGENT_VIEW_NO_REASON;
	struct buf text = { 0 };
	struct json_writer *j;

	if (!w->ctx->args.json) {
		view_status(
			&text, s, driven, ROWS_MAX, out_columns(&w->ctx->out));
		out_text(&w->ctx->out, text.data);
		buf_release(&text);
		return;
	}
	j = cmd_whole(w->ctx);
	head_json(w, j, reset ? "reset" : "snapshot");
	if (reset)
		json_pair_str(j, STR("reason"), agent_view_reason_word(reason));
	json_pair_u64(j, STR("cursor"), s->seq);
	json_key(j, STR("state"));
	view_status_json(j, s, driven, AGENT_VIEW_NODES);
	json_close(j, '}');
}

static void
delta_add(struct watch *w, const struct agent_view *view)
{
	const struct state *s = &w->run.state;
	struct json_writer *j;

	if (!w->ctx->args.json) {
		out_text(&w->ctx->out, w->changes.len ? w->changes.data : "");
		return;
	}
	j = cmd_whole(w->ctx);
	head_json(w, j, "delta");
	json_pair_u64(j, STR("from"), w->shown);
	json_pair_u64(j, STR("cursor"), s->seq);
	json_pair_str(j, STR("status"), run_status_word(state_run_status(s)));
	json_key(j, STR("changes"));
	json_open(j, '[');
	if (w->changes.len > 0)
		json_put_raw(j, buf_str(&w->changes));
	json_close(j, ']');
	json_pair_u64(j, STR("changes_left_out"), w->left_out);
	json_key(j, STR("nodes"));
	agent_view_nodes_json(j, view);
	json_key(j, STR("summary"));
	progress_json(j, s);
	json_close(j, '}');
}

/* The next delta begins behind what the state says now. */
static enum pawl_rc
document_end(struct watch *w, struct pawl_err *err)
{
	w->shown = w->told = w->run.state.seq;
	w->count = w->left_out = 0;
	buf_clear(&w->changes);
	arena_reset(&w->mem);
	w->next_ms = clock_boot_ms(&w->ctx->clock) + w->interval_ms;
	w->left--;
	w->stop = w->left == 0 || is_run_closed(&w->run.state);
	return cmd_flush(w->ctx, err);
}

static enum pawl_rc
delta_write(struct watch *w, struct pawl_err *err)
{
	struct agent_view view;

	/* Of any length: a delta is no cursor that somebody comes back with. */
	if (w->run.state.seq < w->shown)
		agent_view_since(&w->run.state, w->shown, &w->mem, &view);
	else
		agent_view_changes(&w->run.state, w->shown, &w->mem, &view);
	if (view.kind == AGENT_VIEW_RESET)
		whole_add(w, view.reason);
	else
		delta_add(w, &view);
	return document_end(w, err);
}

static enum pawl_rc
on_timer(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct watch *w = arg;

	(void)event;
	w->timer = 0;
	return w->run.state.seq != w->shown ? delta_write(w, err) : PAWL_OK;
}

/* Write what is new, now or when the interval is over. */
static enum pawl_rc
settle(struct watch *w, struct pawl_err *err)
{
	if (w->stop || w->run.state.seq == w->shown || w->timer != 0)
		return PAWL_OK;
	if (clock_boot_ms(&w->ctx->clock) >= w->next_ms)
		return delta_write(w, err);
	return loop_timer(&w->loop, w->next_ms,
		(struct loop_call){ on_timer, w }, &w->timer, err);
}

static enum pawl_rc
read_on(void *arg, struct pawl_err *err)
{
	struct watch *w = arg;
	enum pawl_rc rc = run_refresh(&w->run, err);

	return rc == PAWL_OK ? settle(w, err) : rc;
}

/* The lines after the cursor, which the state has folded already. */
static enum pawl_rc
tell_since(struct watch *w, struct pawl_err *err)
{
	struct journal_tail unused;
	struct journal_at at;
	struct journal lines;
	enum pawl_rc rc = lately_find(
		&w->run.journal, w->run.state.seq - w->shown, &at, err);

	if (rc != PAWL_OK)
		return rc;
	journal_init(&lines, w->ctx->fs, w->run.dir);
	journal_seek(&lines, &at);
	rc = journal_scan(&lines, tell_line, w, &unused, err);
	journal_close(&lines);
	return rc;
}

static enum pawl_rc
begin(struct watch *w, bool resumed, struct pawl_err *err)
{
	const struct state *s = &w->run.state;
	enum agent_view_reason reason = AGENT_VIEW_NO_REASON;
	enum pawl_rc rc;

	w->run.watch = tell;
	w->run.watch_arg = w;
	if (resumed)
		reason = agent_view_reach(s, w->shown);
	if (!resumed || reason != AGENT_VIEW_NO_REASON) {
		whole_add(w, reason);
		return document_end(w, err);
	}
	w->told = w->shown;
	w->stop = is_run_closed(s);
	if (s->seq == w->shown)
		return PAWL_OK;
	rc = tell_since(w, err);
	return rc == PAWL_OK ? delta_write(w, err) : rc;
}

static enum pawl_rc
follow(struct watch *w, struct pawl_err *err)
{
	struct follow f = { w->ctx, w->run.id, read_on, w };
	enum pawl_rc rc;

	if (w->stop)
		return PAWL_OK;
	rc = loop_open(&w->loop, err);
	if (rc != PAWL_OK)
		return rc;
	rc = follow_begin(&f, &w->loop, err);
	while (rc == PAWL_OK && !w->stop)
		rc = loop_step(&w->loop, err);
	loop_close(&w->loop);
	return rc;
}

/* `0.25`: seconds with at most three decimals. */
static enum pawl_rc
seconds_read(const char *text, uint64_t *ret_ms, struct pawl_err *err)
{
	struct str rest = str_from(text);
	struct str whole = str_cut(&rest, '.');
	uint64_t s = 0, part = 0;
	bool good = num_digits(whole, &s) && s <= INTERVAL_S_MAX;

	if (good && rest.ptr != NULL) {
		good = rest.len >= 1 && rest.len <= 3 &&
			num_digits(rest, &part);
		for (size_t i = rest.len; i < 3; i++)
			part *= 10;
	}
	if (!good) {
		(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
			"'%.100s' isn't 0 to %d seconds, such as 0.25", text,
			INTERVAL_S_MAX);
		err->field = STR("--interval");
		return err->rc;
	}
	*ret_ms = s * 1000 + part;
	return PAWL_OK;
}

enum pawl_rc
status_watch(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *interval = args_value(&ctx->args, "interval");
	struct watch w = {
		.ctx = ctx, .left = UINT64_MAX, .interval_ms = INTERVAL_MS
	};
	bool resumed = args_has(&ctx->args, "cursor");
	enum pawl_rc rc = PAWL_OK;

	ctx->streamed = true; /* also when there is nothing to say */
	if (interval != NULL)
		rc = seconds_read(interval, &w.interval_ms, err);
	if (rc == PAWL_OK)
		rc = args_u64(
			&ctx->args, "iterations", 1, UINT64_MAX, &w.left, err);
	if (rc == PAWL_OK)
		rc = args_u64(
			&ctx->args, "cursor", 0, INT64_MAX, &w.shown, err);
	if (rc == PAWL_OK)
		rc = place_open_run(ctx, 0, &w.run, err);
	if (rc != PAWL_OK)
		return rc;
	rc = begin(&w, resumed, err);
	if (rc == PAWL_OK)
		rc = follow(&w, err);
	buf_release(&w.changes);
	arena_reset(&w.mem);
	run_close(&w.run);
	return rc;
}
