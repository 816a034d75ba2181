#include <string.h>
#include <sys/inotify.h>

#include "base/bounds.h"
#include "cli/hint.h"
#include "cli/input.h"
#include "model/ledger_earned.h"
#include "model/ledger_read.h"
#include "os/fs.h"
#include "os/loop.h"

static const struct cmd_option options[] = {
	{ .name = "strict",
		.help = "steps outside the table of statuses are violations" },
	{ .name = "watch",
		.help = "check again whenever a file changes, until Ctrl-C" },
	{ .name = NULL },
};

static void
show_counts(struct out *o, const struct ledger_findings *f)
{
	out_f(o, "%u %s, %u %s", f->violations,
		f->violations == 1 ? "violation" : "violations", f->notes,
		f->notes == 1 ? "note" : "notes");
}

static void
show_text(struct out *o, const char *path, const struct ledger *l,
	const struct ledger_findings *f)
{
	out_style(o, f->violations ? OUT_BAD : OUT_GOOD);
	out_text(o, f->violations ? "NOT OK" : "ok");
	out_style(o, OUT_PLAIN);
	out_text(o, "  ");
	out_data(o, str_from(path));
	out_f(o, "  %u %s, ", l->count, l->count == 1 ? "node" : "nodes");
	show_counts(o, f);
	out_text(o, "\n");
	for (uint32_t i = 0; i < f->count; i++) {
		const struct ledger_finding *x = &f->items[i];

		out_data(o, str_from(path));
		out_f(o, ":%u:%u: %s", x->line, x->column,
			x->note ? "note: " : "");
		if (x->node.len > 0) {
			out_data(o, x->node);
			out_text(o, ": ");
		}
		out_data(o, x->message);
		out_f(o, " [%s]\n", ledger_rule_info(x->rule)->word);
		if (x->hint.len > 0) {
			out_text(o, "  hint: ");
			out_data(o, x->hint);
			out_text(o, "\n");
		}
	}
	if (f->dropped > 0)
		out_f(o, "and %u more\n", f->dropped);
}

static void
show_json(struct json_writer *w, const struct ledger *l,
	const struct ledger_findings *f)
{
	if (f->violations == 0) {
		json_pair_str(w, STR("run_id"), l->run_id);
		json_pair_str(w, STR("status"), run_status_word(l->status));
		json_pair_str(
			w, STR("earned"), run_status_word(ledger_earned(l)));
	}
	json_pair_u64(w, STR("nodes"), l->count);
	ledger_findings_json(f, w);
}

static enum pawl_rc
refuse(const char *path, const struct ledger_findings *f, struct pawl_err *err)
{
	(void)pawl_fail(err, ERR_INVALID_LEDGER, "%s has %u %s", path,
		f->violations, f->violations == 1 ? "violation" : "violations");
	return pawl_hint(err, "man pawl-ledger says what each code means");
}

/* A file that can't be read or is not JSON, as one of several. */
static void
show_failure(struct cmd_ctx *ctx, const char *path, const struct pawl_err *err)
{
	const char *word = pawl_code_info(err->code)->word;
	struct json_writer *w = &ctx->json;

	if (!ctx->args.json) {
		out_style(&ctx->out, OUT_BAD);
		out_text(&ctx->out, "NOT OK");
		out_style(&ctx->out, OUT_PLAIN);
		out_text(&ctx->out, "  ");
		out_data(&ctx->out, str_from(path));
		out_text(&ctx->out, "\n");
		out_data(&ctx->out, str_from(err->msg));
		out_f(&ctx->out, " [%s]\n", word);
		return;
	}
	json_key(w, STR("error"));
	json_open(w, '{');
	json_pair_str(w, STR("code"), str_from(word));
	json_pair_str(w, STR("message"), str_from(err->msg));
	json_key(w, STR("details"));
	if (err->detail.len > 0)
		json_put_raw(w, err->detail);
	else
		json_put_null(w);
	json_close(w, '}');
}

/*
 * One file: what it shows goes to the answer, and its result is the file's.
 * `alone`: an error isn't shown, since it is the whole answer.
 */
static enum pawl_rc
check(struct cmd_ctx *ctx, const char *path, bool alone, struct pawl_err *err)
{
	const char *name = input_name(path);
	struct buf text = { 0 };
	struct ledger_findings f;
	struct ledger l;
	enum pawl_rc rc;

	rc = input_read(ctx, path, BOUND_LEDGER_BYTES, &text, err);
	if (rc == PAWL_OK) {
		rc = ledger_read(ctx->mem, buf_str(&text),
			args_has(&ctx->args, "strict"), &l, &f, err);
		if (rc != PAWL_OK && err->code == ERR_NOT_JSON)
			hint_with(err,
				"if it holds a capsule: pawl ledger restore",
				str_from(path));
		if (rc != PAWL_OK)
			rc = pawl_wrap(err, "%s", name);
	}
	if (rc != PAWL_OK) {
		if (!alone)
			show_failure(ctx, name, err);
		buf_release(&text);
		return rc;
	}
	ctx->findings = true;
	if (ctx->args.json)
		show_json(&ctx->json, &l, &f);
	else
		show_text(&ctx->out, name, &l, &f);
	if (f.violations > 0 && ctx->args.json)
		rc = ledger_findings_fail(&f, ctx->mem, name, err);
	else if (f.violations > 0) /* each stands above with its hint */
		rc = refuse(name, &f, err);
	ledger_findings_release(&f);
	ledger_release(&l);
	buf_release(&text);
	return rc;
}

/* The same as one of several documents. */
static enum pawl_rc
check_one_of(struct cmd_ctx *ctx, const char *path, struct pawl_err *err)
{
	enum pawl_rc rc;

	if (!ctx->args.json)
		return check(ctx, path, false, err);
	json_pair_str(&ctx->json, STR("file"), str_from(path));
	rc = check(ctx, path, false, err);
	json_pair_bool(&ctx->json, STR("ok"), rc == PAWL_OK);
	return rc;
}

/* The worst decides. */
static enum pawl_rc
check_all(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct arg_words *files = &ctx->args.operands;
	enum pawl_rc worst = PAWL_OK;

	json_key(&ctx->json, STR("files"));
	json_open(&ctx->json, '[');
	for (size_t i = 0; i < files->count; i++) {
		struct pawl_err mine = { 0 };
		enum pawl_rc rc;

		json_open(&ctx->json, '{');
		rc = check_one_of(ctx, files->items[i], &mine);
		json_close(&ctx->json, '}');
		if (rc > worst) {
			worst = rc;
			*err = mine;
		}
	}
	json_close(&ctx->json, ']');
	ctx->findings = true;
	return worst;
}

/* A file that is watched, by its folder: what replaces it is it, too. */
struct watched {
	struct cmd_ctx *ctx;
	const char *path;
	struct str name;
};

static enum pawl_rc
show_again(struct watched *w, struct pawl_err *err)
{
	struct pawl_err mine = { 0 };
	enum pawl_rc rc = check_one_of(w->ctx, w->path, &mine);

	(void)rc; /* stands in what is shown */
	return cmd_flush(w->ctx, err);
}

static enum pawl_rc
on_change(void *arg, const struct loop_event *event, struct pawl_err *err)
{
	struct watched *w = arg;

	if (!str_eq(event->name, w->name) &&
		(event->events & IN_Q_OVERFLOW) == 0)
		return PAWL_OK;
	return show_again(w, err);
}

static enum pawl_rc
watch_one(struct cmd_ctx *ctx, struct loop *loop, const char *path,
	struct pawl_err *err)
{
	struct watched *w = arena_new(ctx->mem, struct watched);
	const char *slash = strrchr(path, '/');
	const char *folder = ".";
	uint64_t id;

	if (strcmp(path, "-") == 0)
		return pawl_fail(err, ERR_USAGE,
			"standard input can't be watched; name a file");
	if (slash == path)
		folder = "/";
	else if (slash != NULL)
		folder = arena_strdup(
			ctx->mem, (struct str){ path, (size_t)(slash - path) });
	*w = (struct watched){ ctx, path, str_from(slash ? slash + 1 : path) };
	return loop_watch(loop, folder, IN_CLOSE_WRITE | IN_MOVED_TO,
		(struct loop_call){ on_change, w }, &id, err);
}

static enum pawl_rc
watch_all(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const struct arg_words *files = &ctx->args.operands;
	struct loop loop;
	enum pawl_rc rc = loop_open(&loop, err);

	if (rc != PAWL_OK)
		return rc;
	for (size_t i = 0; rc == PAWL_OK && i < files->count; i++)
		rc = watch_one(ctx, &loop, files->items[i], err);
	for (size_t i = 0; rc == PAWL_OK && i < files->count; i++) {
		struct watched w = { .ctx = ctx, .path = files->items[i] };

		rc = show_again(&w, err);
	}
	while (rc == PAWL_OK)
		rc = loop_step(&loop, err);
	loop_close(&loop);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	if (args_has(&ctx->args, "watch"))
		return watch_all(ctx, err);
	if (ctx->args.operands.count > 1)
		return check_all(ctx, err);
	return check(ctx, args_operand(&ctx->args, 0), true, err);
}

const struct cmd cmd_ledger_check = {
	.name = "ledger check",
	.operands = "FILE...|-",
	.summary = "prove that a ledger's checkpoint is consistent",
	.help = "Reports everything that is wrong, each at its place, with a "
		"code and,\n"
		"where there is one, a hint. Violations make the answer no; "
		"notes don't.\n"
		"'-' reads standard input. Exits with 0 without violations, 1 "
		"with some\n"
		"and for what isn't JSON, 3 where there is no such file.",
	.options = options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = -1,
	.needs = CMD_NEEDS_NOTHING,
	.run = run,
};
