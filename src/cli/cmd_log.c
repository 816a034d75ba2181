#include "cli/follow.h"
#include "cli/place.h"
#include "engine/journal_fold.h"
#include "model/sentence.h"
#include "store/rundir.h"

static const struct cmd_option options[] = {
	{ .name = "follow", .letter = 'f', .help = "go on as lines come" },
	{ .name = "node", .arg = "ID", .help = "only events of this node" },
	{ .name = "at", .arg = "SEQ", .help = "up to this line" },
	{ .name = NULL },
};

/* The journal, read for people: no plan and no state is needed. */
struct log {
	struct cmd_ctx *ctx;
	struct journal journal;
	struct str node; /* or empty */
	uint64_t at_most;
	int dir;
	bool gone; /* the reader is */
	struct arena line;
};

static bool
is_wanted(const struct log *l, const struct event *e)
{
	return l->node.len == 0 || str_eq(l->node, e->node);
}

/* With --json a line of the journal is a document of its own. */
static void
add_json(struct log *l, const struct line_facts *line, const struct json *v)
{
	struct json_writer *w = &l->ctx->json;

	json_pair_u64(w, STR("seq"), line->seq);
	json_pair_str(w, STR("at"), line->at);
	json_pair_u64(w, STR("gen"), line->gen);
	json_pair_str(w, STR("actor"), line->actor);
	json_key(w, STR("event"));
	json_put(w, v);
}

/* An event, which is `v` as it was written. */
static enum pawl_rc
show(struct log *l, const struct line_facts *line, const struct event *e,
	const struct json *v, struct pawl_err *err)
{
	struct buf text = { 0 };

	if (l->ctx->args.json) {
		add_json(l, line, v);
	} else {
		sentence_line(&text, line, e);
		out_text(&l->ctx->out, text.data);
	}
	buf_release(&text);
	return cmd_flush(l->ctx, err);
}

static enum pawl_rc
on_line(void *arg, const struct journal_line *jl, struct pawl_err *err)
{
	struct log *l = arg;
	const struct json *v = json_first(jl->line.events);
	struct journal_events events = { .count = 0 };
	enum pawl_rc rc = journal_fold_events(jl, &l->line, &events, err);

	if (jl->line.seq > l->at_most)
		events.count = 0;
	for (uint32_t i = 0; i < events.count && rc == PAWL_OK; i++) {
		if (is_wanted(l, &events.items[i]))
			rc = show(l, &events.line, &events.items[i], v, err);
		v += v->span;
	}
	arena_reset(&l->line);
	return rc;
}

static enum pawl_rc
read_on(void *arg, struct pawl_err *err)
{
	struct log *l = arg;
	struct journal_tail tail;

	return journal_scan(&l->journal, on_line, l, &tail, err);
}

static enum pawl_rc
follow(struct log *l, struct str run, struct pawl_err *err)
{
	struct follow f = { l->ctx, run, read_on, l };
	struct loop loop;
	enum pawl_rc rc = loop_open(&loop, err);

	if (rc != PAWL_OK)
		return rc;
	rc = follow_begin(&f, &loop, err);
	while (rc == PAWL_OK)
		rc = loop_step(&loop, err);
	loop_close(&loop);
	return rc;
}

/* The whole id of the node that is meant.  Of a run that can't be opened the
 * journal may still be read; then the id is taken as it was typed. */
static enum pawl_rc
find_node(struct log *l, struct str id, struct pawl_err *err)
{
	struct cmd_ctx *ctx = l->ctx;
	struct run r = { .dir = -1 };
	struct pawl_err ignored;
	uint32_t node;
	enum pawl_rc rc;

	if (l->node.len == 0 ||
		run_open(&r, place_of(ctx), id, &ignored) != PAWL_OK)
		return PAWL_OK;
	rc = plan_find_prefix(&r.plan, l->node, &node, err);
	if (rc == PAWL_OK)
		l->node = arena_copy(ctx->mem, plan_id(&r.plan, node));
	run_close(&r);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct log l = { .ctx = ctx,
		.dir = -1,
		.at_most = UINT64_MAX,
		.node = str_from(args_value(&ctx->args, "node")) };
	struct journal_tail tail;
	struct str id;
	enum pawl_rc rc;

	rc = args_u64(&ctx->args, "at", 1, UINT64_MAX, &l.at_most, err);
	if (rc == PAWL_OK)
		rc = cmd_run_id(ctx, 0, &id, err);
	if (rc == PAWL_OK)
		rc = find_node(&l, id, err);
	if (rc == PAWL_OK)
		rc = rundir_open(ctx->fs, ctx->state_fd,
			arena_strdup(ctx->mem, id), &l.dir, err);
	if (rc != PAWL_OK)
		return rc;
	journal_init(&l.journal, ctx->fs, l.dir);
	rc = journal_scan(&l.journal, on_line, &l, &tail, err);
	if (rc == PAWL_OK && tail.end == JOURNAL_CORRUPT) {
		rc = pawl_fail(err, ERR_CORRUPT,
			"line %llu (byte %llu) is corrupt: %s",
			(unsigned long long)tail.line,
			(unsigned long long)tail.offset, tail.why);
	}
	if (rc == PAWL_OK && tail.end == JOURNAL_TORN) {
		cmd_notice(ctx,
			"the journal of run '" STR_FMT
			"' ends in %llu bytes of a torn append",
			STR_ARG(id), (unsigned long long)tail.bytes);
	}
	if (rc == PAWL_OK && args_has(&ctx->args, "follow"))
		rc = follow(&l, id, err);
	journal_close(&l.journal);
	fs_close(ctx->fs, &l.dir);
	arena_reset(&l.line);
	return rc;
}

const struct cmd cmd_log = {
	.name = "log",
	.operands = "[RUN]",
	.summary = "print a run's history",
	.help = "One event a line, in the order of the journal. With --json "
		"each is a\n"
		"document of its own.",
	.options = options,
	.page = "pawl-status",
	.args_max = 1,
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_ONLY_RUNS,
	.run = run,
};
