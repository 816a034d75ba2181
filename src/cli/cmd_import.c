
#include "base/bounds.h"
#include "cli/input.h"
#include "cli/ledger_put.h"
#include "model/id.h"
#include "model/ledger_read.h"
#include "model/mission.h"

static const struct cmd_option options[] = {
	LEDGER_PUT_OPTION,
	{ .name = "id",
		.arg = "ID",
		.help = "the ledger's run_id, instead of the file's own" },
	{ .name = "map",
		.arg = "OLD=NEW",
		.help = "read the status or kind OLD as NEW",
		.repeatable = true },
	{ .name = NULL },
};

/* The words of --map; each NEW is one of the format. */
static enum pawl_rc
words_read(struct cmd_ctx *ctx, struct mission_options *o, struct pawl_err *err)
{
	struct mission_word *words;
	size_t count = 0;

	while (args_value_at(&ctx->args, "map", count) != NULL)
		count++;
	words = arena_array(ctx->mem, count, struct mission_word);
	for (size_t i = 0; i < count; i++) {
		struct str rest = str_from(args_value_at(&ctx->args, "map", i));

		words[i].from = str_cut(&rest, '=');
		words[i].to = rest;
		if (words[i].from.len == 0 || !mission_is_word(rest)) {
			(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
				"--map '%s': after the '=' comes a status or "
				"a kind of a mission file",
				args_value_at(&ctx->args, "map", i));
			return pawl_hint(err, "--map done=verified");
		}
	}
	o->words = words;
	o->word_count = count;
	return PAWL_OK;
}

static enum pawl_rc
options_read(
	struct cmd_ctx *ctx, struct mission_options *o, struct pawl_err *err)
{
	const char *id = args_value(&ctx->args, "id");
	char *fresh = arena_bytes(ctx->mem, ID_RUN_BYTES + 1);

	id_run_new(clock_wall_us(&ctx->clock) / 1000000, &ctx->rand, fresh);
	o->run_id = str_from(id != NULL ? id : fresh);
	o->rename = id != NULL;
	if (id != NULL && id_check(o->run_id, err) != PAWL_OK)
		return pawl_wrap(err, "--id");
	return words_read(ctx, o, err);
}

static void
say_losses(struct cmd_ctx *ctx, const struct mission_losses *losses)
{
	struct json_writer *w = &ctx->json;
	bool beside = args_value(&ctx->args, "file") == NULL;
	const struct mission_loss *x;

	if (ctx->args.json) {
		json_key(w, STR("losses"));
		json_open(w, '[');
		VEC_EACH (x, losses) {
			json_open(w, '{');
			json_pair_str(w, STR("path"), x->pointer);
			if (x->node.len > 0)
				json_pair_str(w, STR("node"), x->node);
			json_pair_str(w, STR("message"), x->message);
			json_close(w, '}');
		}
		json_close(w, ']');
		return;
	}
	VEC_EACH (x, losses) {
		if (beside) {
			cmd_notice(ctx, STR_FMT ": " STR_FMT,
				STR_ARG(x->pointer), STR_ARG(x->message));
			continue;
		}
		out_data(&ctx->out, x->pointer);
		out_text(&ctx->out, ": ");
		out_data(&ctx->out, x->message);
		out_text(&ctx->out, "\n");
	}
	if (!beside)
		out_f(&ctx->out, "%zu %s\n", losses->count,
			losses->count == 1 ? "loss" : "losses");
}

/* A checkpoint is taken as it is; its own faults are said with their place. */
static enum pawl_rc
checkpoint_read(struct cmd_ctx *ctx, struct str text, const char *name,
	struct ledger *l, struct pawl_err *err)
{
	struct ledger_findings findings;
	enum pawl_rc rc = ledger_read(ctx->mem, text, false, l, &findings, err);

	if (rc != PAWL_OK) {
		ledger_init(l);
		return pawl_wrap(err, "%s", name);
	}
	if (findings.violations > 0)
		rc = ledger_findings_fail(&findings, ctx->mem, name, err);
	ledger_findings_release(&findings);
	if (rc == PAWL_OK && args_value(&ctx->args, "id") != NULL)
		l->run_id = str_from(args_value(&ctx->args, "id"));
	return rc;
}

static enum pawl_rc
document_read(struct cmd_ctx *ctx, struct str text, struct ledger *l,
	struct mission_losses *losses, struct pawl_err *err)
{
	const char *name = input_name(args_operand(&ctx->args, 0));
	struct mission_options o = { 0 };
	enum pawl_rc rc = options_read(ctx, &o, err);

	if (rc != PAWL_OK)
		return rc;
	/* What is too large for a mission file can only be a checkpoint. */
	if (text.len > BOUND_MISSION_BYTES ||
		mission_form_of(text) == MISSION_LEDGER)
		return checkpoint_read(ctx, text, name, l, err);
	rc = mission_read(ctx->mem, text, &o, l, losses, err);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "%s", name);
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct mission_losses losses = { 0 };
	struct buf text = { 0 };
	struct ledger l;
	enum pawl_rc rc;

	ledger_init(&l);
	rc = input_read(ctx, args_operand(&ctx->args, 0), BOUND_LEDGER_BYTES,
		&text, err);
	if (rc == PAWL_OK)
		rc = document_read(ctx, buf_str(&text), &l, &losses, err);
	if (rc == PAWL_OK)
		rc = ledger_put(ctx, &l, "imported", err);
	if (rc == PAWL_OK)
		say_losses(ctx, &losses);
	mission_losses_release(&losses);
	ledger_release(&l);
	buf_release(&text);
	return rc;
}

const struct cmd cmd_ledger_import = {
	.name = "ledger import",
	.operands = "FILE|-",
	.summary = "make a ledger of a mission file",
	.help = "Takes the mission files that other tools keep under\n"
		".codex/graph-runs/ (versions 1 and 2), and checkpoints. All "
		"or nothing:\n"
		"an unknown dependency or a circle refuses the whole file. "
		"Whatever a\n"
		"ledger has no place for is told, a line each; a step that is "
		"verified\n"
		"without evidence becomes PENDING. Words that the format "
		"doesn't know\n"
		"are refused until --map says what they mean. The checkpoint "
		"is printed,\n"
		"or written to a new FILE.",
	.options = options,
	.page = "pawl-ledger",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run,
};
