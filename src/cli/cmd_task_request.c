#include "cli/input.h"
#include "cli/place.h"
#include "cli/who.h"
#include "engine/inbox.h"
#include "text/utf8.h"

enum { LIST_MAX = 256 };

static const struct cmd_option request_options[] = {
	{ .name = "file",
		.arg = "F",
		.help = "the request; '-' is standard input" },
	{ .name = NULL },
};

static enum pawl_rc
request_read(
	struct cmd_ctx *ctx, struct view_request *ret_q, struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "file");
	struct buf bytes = { 0 };
	enum pawl_rc rc;

	if (who_is_outside(ctx, "for who looks at a run from outside", err) !=
		PAWL_OK)
		return err->rc;
	if (path == NULL) {
		(void)pawl_fail(err, ERR_USAGE, "'pawl %s' needs --file",
			ctx->cmd->name);
		return pawl_hint(err, "--file F");
	}
	rc = input_read(ctx, path, VIEW_REQUEST_BYTES, &bytes, err);
	if (rc == PAWL_OK)
		rc = view_request_read(ctx->mem, buf_str(&bytes), ret_q, err);
	buf_release(&bytes);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "%s", input_name(path));
}

static enum pawl_rc
run_request(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct view_request q = { 0 };
	struct str sha256 = { 0 };
	bool made = false;
	enum pawl_rc rc = request_read(ctx, &q, err);

	if (rc == PAWL_OK && ctx->state_fd < 0)
		rc = pawl_fail(err, ERR_RUN_NOT_FOUND, "no run '" STR_FMT "'",
			STR_ARG(q.run));
	if (rc == PAWL_OK)
		rc = run_open(&r, place_of(ctx), q.run, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.dry_run)
		rc = view_request_fits(&q, &r.state, ctx->mem, err);
	else
		rc = inbox_put(&r, &q, ctx->mem, &sha256, &made, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), q.run);
		json_pair_str(&ctx->json, STR("request_id"), q.request_id);
		json_pair_u64(&ctx->json, STR("revision"), r.state.seq);
		json_pair_str(&ctx->json, STR("sha256"), sha256);
		json_pair_bool(&ctx->json, STR("made"), made);
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out,
			"request '" STR_FMT "' %s the coordinator of " STR_FMT
			"\n",
			STR_ARG(q.request_id),
			ctx->args.dry_run ? "would wait for" : "waits for",
			STR_ARG(q.run));
	}
	run_close(&r);
	return rc;
}

static void
entry_json(struct json_writer *w, const struct inbox_entry *e,
	const struct state *s)
{
	const struct view_request *q = &e->request;

	json_open(w, '{');
	json_pair_str(w, STR("request_id"), q->request_id);
	json_pair_str(w, STR("kind"), view_request_kind_word(q->kind));
	json_pair_str(w, STR("target"), q->target);
	json_pair_u64(
		w, STR("expected_revision"), (uint64_t)q->expected_revision);
	json_pair_u64(w, STR("generation"), (uint64_t)q->generation);
	json_pair_str(w, STR("note"), q->note);
	json_pair_str(w, STR("sha256"), e->sha256);
	json_pair_bool(w, STR("current"), is_view_request_current(q, s));
	json_key(w, STR("taken"));
	if (e->taken_by.len > 0) {
		json_open(w, '{');
		json_pair_str(w, STR("by"), e->taken_by);
		json_pair_str(w, STR("at"), e->taken_at);
		json_close(w, '}');
	} else {
		json_put_null(w);
	}
	json_close(w, '}');
}

static void
entry_text(struct out *o, const struct inbox_entry *e, const struct state *s)
{
	const struct view_request *q = &e->request;

	out_f(o, STR_FMT "  " STR_FMT " ", STR_ARG(q->request_id),
		STR_ARG(view_request_kind_word(q->kind)));
	out_data(o, q->target.len > 0 ? q->target : q->run);
	if (e->taken_by.len > 0) {
		out_text(o, ", taken by ");
		out_data(o, e->taken_by);
	} else if (!is_view_request_current(q, s)) {
		out_f(o, ", made on revision %lld, not on %llu",
			(long long)q->expected_revision,
			(unsigned long long)s->seq);
	}
	if (q->note.len > 0) {
		out_text(o, ": ");
		out_data(o, utf8_cut(q->note, 200));
	}
	out_text(o, "\n");
}

static void
foreign_show(struct cmd_ctx *ctx, const struct inbox_list *list)
{
	struct json_writer *w = &ctx->json;

	if (ctx->args.json) {
		json_key(w, STR("foreign"));
		json_open(w, '[');
	}
	for (uint32_t i = 0; i < list->foreign_count; i++) {
		const struct inbox_foreign *f = &list->foreign[i];

		if (ctx->args.json) {
			json_open(w, '{');
			json_pair_str(w, STR("file"), f->name);
			json_pair_str(w, STR("message"), f->why);
			json_close(w, '}');
			continue;
		}
		out_text(&ctx->out, "not a request, and left: ");
		out_data(&ctx->out, f->why);
		out_text(&ctx->out, "\n");
	}
	if (ctx->args.json)
		json_close(w, ']');
}

static enum pawl_rc
run_requests(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct inbox_list list = { 0 };
	enum pawl_rc rc = place_open_coordinated(ctx, 0, &r, err);

	if (rc == PAWL_OK)
		rc = inbox_list(&r, LIST_MAX, ctx->mem, &list, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r.id);
		json_pair_u64(&ctx->json, STR("revision"), r.state.seq);
		json_pair_u64(&ctx->json, STR("generation"), r.state.gen);
		json_pair_u64(&ctx->json, STR("total"), list.total);
		json_key(&ctx->json, STR("requests"));
		json_open(&ctx->json, '[');
		for (uint32_t i = 0; i < list.count; i++)
			entry_json(&ctx->json, &list.items[i], &r.state);
		json_close(&ctx->json, ']');
		foreign_show(ctx, &list);
	} else if (rc == PAWL_OK) {
		out_f(&ctx->out, "%u requests\n", list.total);
		for (uint32_t i = 0; i < list.count; i++)
			entry_text(&ctx->out, &list.items[i], &r.state);
		foreign_show(ctx, &list);
	}
	run_close(&r);
	return rc;
}

static enum pawl_rc
run_take(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct run r = { .dir = -1 };
	struct inbox_entry e = { 0 };
	struct str id;
	enum pawl_rc rc = place_open_coordinated_subject(ctx, &r, &id, err);

	if (rc == PAWL_OK && ctx->args.dry_run)
		rc = inbox_get(&r, id, ctx->mem, &e, err);
	else if (rc == PAWL_OK)
		rc = inbox_take(
			&r, id, str_from(ctx->args.as), ctx->mem, &e, err);
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), r.id);
		json_pair_u64(&ctx->json, STR("revision"), r.state.seq);
		json_key(&ctx->json, STR("request"));
		entry_json(&ctx->json, &e, &r.state);
	} else if (rc == PAWL_OK) {
		entry_text(&ctx->out, &e, &r.state);
	}
	run_close(&r);
	return rc;
}

const struct cmd cmd_task_view_request = {
	.name = "task view request",
	.operands = "",
	.summary = "ask a run's coordinator for a change",
	.help = "Puts a request (schemas/view-request.schema.json) into the "
		"inbox of the\n"
		"run that it names. One that was made on an older revision or "
		"generation\n"
		"is refused with the current one, and whether the view must be "
		"read anew.\n"
		"The same again is one request; other content under its id is "
		"refused.\n"
		"It decides nothing: the coordinator takes it, or doesn't.",
	.options = request_options,
	.page = "pawl-task",
	.aliases = "maestro-submit",
	.needs = CMD_NEEDS_RUN,
	.flags = CMD_WRITES,
	.run = run_request,
};

const struct cmd cmd_task_view_requests = {
	.name = "task view requests",
	.operands = "[RUN]",
	.summary = "list what users of a view asked for",
	.help = "Those that were taken say by whom. The coordinator is named "
		"by --as.",
	.page = "pawl-task",
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.run = run_requests,
};

const struct cmd cmd_task_view_take = {
	.name = "task view take",
	.operands = "[RUN/]ID",
	.summary = "take a request, once",
	.help = "Prints it, and says to all who look that it was taken, and by "
		"whom. A\n"
		"second time is refused. What it asks for is done by the other "
		"verbs, or\n"
		"not at all. The coordinator is named by --as.",
	.page = "pawl-task",
	.aliases = "maestro-consume maestro-ack",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_WRITES,
	.run = run_take,
};
