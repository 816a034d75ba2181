#include "cli/ledger_look.h"

#include "base/bounds.h"
#include "cli/place.h"
#include "model/id.h"
#include "model/ledger_view.h"

enum {
	ROWS_MAX = 200,
	CAUSES_MAX = 20,
};

static struct ledger_look
look_at(const struct ledger_run *r)
{
	return (struct ledger_look){ &r->ledger, r->outcome,
		ledger_run_seq(r) };
}

static enum pawl_rc
open_named(struct cmd_ctx *ctx, const char *name, struct ledger_run *ret_run,
	struct pawl_err *err)
{
	struct runs runs = {
		.fs = ctx->fs, .state = ctx->state_fd, .mem = ctx->mem
	};
	struct str id;
	enum pawl_rc rc = runs_find(&runs, name, RUNS_PREFIX, &id, err);

	if (rc == PAWL_OK)
		rc = ledger_run_open(ret_run, place_of(ctx), id, err);
	if (rc == PAWL_OK)
		place_say_tail(ctx, ret_run->id, &ret_run->tail);
	return rc;
}

enum pawl_rc
ledger_look_open(struct cmd_ctx *ctx, size_t index, struct ledger_run *ret_run,
	struct pawl_err *err)
{
	return open_named(ctx, args_operand(&ctx->args, index), ret_run, err);
}

/* The only node of which `name` is the id, or the beginning. */
static enum pawl_rc
find_node(const struct ledger *l, struct str name, uint32_t *ret_node,
	struct pawl_err *err)
{
	struct str shown = str_part(name, 0, BOUND_ID_BYTES);
	uint32_t found = 0, matches = 0;

	if (ledger_find(l, name, ret_node))
		return PAWL_OK;
	for (uint32_t i = 0; i < l->count; i++) {
		if (!id_has_prefix(l->nodes[i].id, name))
			continue;
		if (matches++ == 0) {
			found = i;
			continue;
		}
		return pawl_fail(err, ERR_AMBIGUOUS_ID,
			"'" STR_FMT "' begins more than one id: '" STR_FMT
			"', '" STR_FMT "'",
			STR_ARG(shown), STR_ARG(l->nodes[found].id),
			STR_ARG(l->nodes[i].id));
	}
	if (matches == 0)
		return pawl_fail(err, ERR_NODE_NOT_FOUND,
			"ledger '" STR_FMT "' has no node '" STR_FMT "'",
			STR_ARG(l->run_id), STR_ARG(shown));
	*ret_node = found;
	return PAWL_OK;
}

/* For a first operand [RUN/]NODE. */
static enum pawl_rc
open_node(struct cmd_ctx *ctx, struct ledger_run *ret_run, uint32_t *ret_node,
	struct pawl_err *err)
{
	struct str rest = str_from(args_operand(&ctx->args, 0));
	struct str head = str_cut(&rest, '/');
	const char *name =
		rest.ptr != NULL ? arena_strdup(ctx->mem, head) : NULL;
	enum pawl_rc rc = open_named(ctx, name, ret_run, err);

	if (rc != PAWL_OK)
		return rc;
	rc = find_node(
		&ret_run->ledger, name != NULL ? rest : head, ret_node, err);
	if (rc != PAWL_OK)
		ledger_run_close(ret_run);
	return rc;
}

/* Text goes out as it is; the views have neutralised what others wrote. */
static void
say(struct cmd_ctx *ctx, struct buf *text)
{
	if (text->len > 0)
		out_text(&ctx->out, text->data);
	buf_release(text);
}

/* Writes the answer: members of the result, or text. */
typedef void show_fn(
	struct cmd_ctx *ctx, const struct ledger_look *look, struct buf *text);

static enum pawl_rc
show(struct cmd_ctx *ctx, show_fn *fn, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	struct buf text = { 0 };
	struct ledger_look look;
	enum pawl_rc rc = ledger_look_open(ctx, 0, &r, err);

	if (rc != PAWL_OK)
		return rc;
	look = look_at(&r);
	fn(ctx, &look, &text);
	say(ctx, &text);
	ledger_run_close(&r);
	return PAWL_OK;
}

static void
show_status(
	struct cmd_ctx *ctx, const struct ledger_look *look, struct buf *text)
{
	if (ctx->args.json)
		ledger_view_status_json(cmd_whole(ctx), look);
	else
		ledger_view_status(text, look, ROWS_MAX);
}

static void
show_next(struct cmd_ctx *ctx, const struct ledger_look *look, struct buf *text)
{
	struct next next;

	ledger_next(look, ctx->mem, &next);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("next"));
		next_json(&ctx->json, &next);
	} else {
		next_text(text, &next);
	}
}

static void
show_ready(
	struct cmd_ctx *ctx, const struct ledger_look *look, struct buf *text)
{
	if (ctx->args.json)
		ledger_view_ready_json(cmd_whole(ctx), look);
	else
		ledger_view_ready(text, look, ROWS_MAX);
}

static void
show_state(
	struct cmd_ctx *ctx, const struct ledger_look *look, struct buf *text)
{
	struct json_writer w = { .out = text };

	if (ctx->args.json) {
		json_key(&ctx->json, STR("state"));
		ledger_write(look->ledger, &ctx->json);
	} else {
		ledger_write(look->ledger, &w);
		buf_addc(text, '\n');
		ctx->out.json = true;
	}
}

enum pawl_rc
ledger_look_status(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return show(ctx, show_status, err);
}

enum pawl_rc
ledger_look_next(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return show(ctx, show_next, err);
}

enum pawl_rc
ledger_look_ready(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return show(ctx, show_ready, err);
}

enum pawl_rc
ledger_look_state(struct cmd_ctx *ctx, struct pawl_err *err)
{
	return show(ctx, show_state, err);
}

enum pawl_rc
ledger_look_explain(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	struct explanation ex;
	struct buf text = { 0 };
	struct ledger_look look;
	uint32_t node;
	enum pawl_rc rc = open_node(ctx, &r, &node, err);

	if (rc != PAWL_OK)
		return rc;
	look = look_at(&r);
	ledger_explain(&look, node, CAUSES_MAX, ctx->mem, &ex);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("explanation"));
		ledger_explain_json(&ctx->json, &look, &ex);
	} else {
		ledger_explain_text(&text, &ex);
	}
	say(ctx, &text);
	ledger_run_close(&r);
	return PAWL_OK;
}

enum pawl_rc
ledger_look_show(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_run r = { .dir = -1 };
	struct buf text = { 0 };
	struct json_writer w = { .out = &text, .pretty = true };
	uint32_t node;
	enum pawl_rc rc = open_node(ctx, &r, &node, err);

	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_key(&ctx->json, STR("detail"));
		ledger_node_write(&r.ledger, node, &ctx->json);
	} else {
		ledger_node_write(&r.ledger, node, &w);
		buf_addc(&text, '\n');
		ctx->out.json = true;
	}
	say(ctx, &text);
	ledger_run_close(&r);
	return PAWL_OK;
}

bool
ledger_look_row(struct cmd_ctx *ctx, struct str id)
{
	struct ledger_run r = { .dir = -1 };
	struct buf text = { 0 };
	struct ledger_look look;
	struct pawl_err ignored;

	if (ledger_run_open(&r, place_of(ctx), id, &ignored) != PAWL_OK)
		return false;
	look = look_at(&r);
	if (ctx->args.json) {
		json_open(&ctx->json, '{');
		json_pair_str(&ctx->json, STR("run"), id);
		json_pair_str(&ctx->json, STR("kind"), STR("ledger"));
		json_pair_str(&ctx->json, STR("status"),
			run_status_word((enum run_status)r.ledger.status));
		json_close(&ctx->json, '}');
	} else {
		ledger_view_summary(&text, &look);
	}
	say(ctx, &text);
	ledger_run_close(&r);
	return true;
}
