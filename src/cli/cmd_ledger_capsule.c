#include "base/bounds.h"
#include "cli/hint.h"
#include "cli/input.h"
#include "cli/ledger_door.h"
#include "cli/ledger_put.h"
#include "model/ledger_capsule.h"

static const struct cmd_option capsule_options[] = {
	LEDGER_DOOR_FILE,
	{ .name = "full", .help = "leave nothing out, however long it gets" },
	{ .name = NULL },
};

static const struct cmd_option restore_options[] = {
	LEDGER_PUT_OPTION,
	{ .name = NULL },
};

/* The member `left_out`, and for people a notice when there is any. */
static void
say_loss(struct cmd_ctx *ctx, const struct ledger_capsule_loss *loss,
	const char *hint)
{
	struct json_writer *w = &ctx->json;
	struct buf text = { 0 };

	if (is_ledger_capsule_lossy(loss)) {
		ledger_capsule_loss_text(loss, &text);
		cmd_notice(ctx, "left out: %s%s", text.data, hint);
	}
	buf_release(&text);
	if (!ctx->args.json)
		return;
	json_key(w, STR("left_out"));
	json_open(w, '{');
	json_pair_bool(w, STR("task"), loss->task);
	json_pair_u64(w, STR("titles"), loss->titles);
	json_pair_u64(w, STR("expected_outputs"), loss->expected);
	json_pair_u64(w, STR("evidence_texts"), loss->evidence);
	json_pair_u64(w, STR("evidence_items"), loss->items);
	json_close(w, '}');
}

static enum pawl_rc
run_capsule(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ledger_door door = LEDGER_DOOR_INIT;
	struct ledger_capsule_loss loss;
	struct buf text = { 0 };
	enum pawl_rc rc = ledger_door_open(&door, ctx, DOOR_READ, NULL, err);

	if (rc == PAWL_OK) {
		rc = ledger_capsule_write(door.ledger,
			args_has(&ctx->args, "full")
				? 0
				: ledger_capsule_room(door.ledger->count),
			&text, &loss, err);
	}
	if (rc == PAWL_OK && ctx->args.json) {
		json_pair_str(&ctx->json, STR("run"), door.ledger->run_id);
		json_pair_u64(&ctx->json, STR("nodes"), door.ledger->count);
		json_pair_str(&ctx->json, STR("capsule"), buf_str(&text));
	} else if (rc == PAWL_OK) {
		out_text(&ctx->out, text.data);
	}
	if (rc == PAWL_OK)
		say_loss(ctx, &loss, " (--full leaves nothing out)");
	buf_release(&text);
	ledger_door_close(&door);
	return rc;
}

/* A checkpoint needs no restoring. */
static enum pawl_rc
refuse_text(const char *path, struct str text, struct pawl_err *err)
{
	if (path != NULL && str_starts(str_trim(text), STR("{")))
		hint_with(err, "pawl ledger show --file", str_from(path));
	return pawl_wrap(err, "%s", input_name(path));
}

static enum pawl_rc
run_restore(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	struct ledger_capsule_loss loss;
	struct buf text = { 0 };
	struct ledger l;
	enum pawl_rc rc;

	ledger_init(&l);
	rc = input_read(ctx, path, BOUND_CAPSULE_TEXT, &text, err);
	if (rc == PAWL_OK) {
		rc = ledger_capsule_read(buf_str(&text), &l, &loss, err);
		if (rc != PAWL_OK)
			rc = refuse_text(path, buf_str(&text), err);
	}
	if (rc == PAWL_OK)
		rc = ledger_put(ctx, &l, "restored", err);
	if (rc == PAWL_OK)
		say_loss(ctx, &loss, "; what was cut ends with '\xe2\x80\xa6'");
	ledger_release(&l);
	buf_release(&text);
	return rc;
}

const struct cmd cmd_ledger_capsule = {
	.name = "ledger capsule",
	.operands = "[RUN]",
	.summary = "print a ledger as a few lines for a task's text",
	.help = "For where no file may be kept: it goes into the text of a "
		"task, an\n"
		"issue or a chat, and 'pawl ledger restore' finds it there "
		"and makes\n"
		"the ledger of it again. At most 4 KiB for up to 40 nodes; "
		"what doesn't\n"
		"fit is shortened and told, long texts of finished nodes "
		"first, and no\n"
		"node ever looks more done than it is.",
	.options = capsule_options,
	.page = "pawl-ledger",
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.run = run_capsule,
};

const struct cmd cmd_ledger_restore = {
	.name = "ledger restore",
	.operands = "[TEXT|-]",
	.summary = "make a ledger of a capsule again",
	.help = "TEXT is a file that holds a capsule, with anything around "
		"it; '-', and\n"
		"no operand, is standard input. A capsule that was cut or "
		"changed is\n"
		"refused with the line. The checkpoint is printed, or written "
		"to a new\n"
		"FILE.",
	.options = restore_options,
	.page = "pawl-ledger",
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_MUTATES | CMD_NO_KEY,
	.run = run_restore,
};
