#include "base/bounds.h"
#include "cli/cmd.h"
#include "engine/outbox.h"
#include "model/ask_doc.h"
#include "os/fs.h"

static const struct cmd_option options[] = {
	{ .name = "attempt",
		.arg = "ID",
		.help = "which attempt asks (default: $PAWL_ATTEMPT)" },
	{ .name = "question", .arg = "TEXT", .help = "what is to be decided" },
	{ .name = "act",
		.arg = "TEXT",
		.help = "likewise, for what only a human may allow" },
	{ .name = "outbox",
		.arg = "DIR",
		.help = "the attempt's outbox (default: $PAWL_OUTBOX)" },
	{ .name = NULL },
};

/* The option's value, or the variable's; one of them must be there. */
static enum pawl_rc
required(const struct cmd_ctx *ctx, const char *option, const char *variable,
	const char *value, const char **ret_value, struct pawl_err *err)
{
	const char *given = args_value(&ctx->args, option);

	*ret_value = given != NULL ? given : value;
	if (*ret_value != NULL && (*ret_value)[0] != '\0')
		return PAWL_OK;
	(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
		"'pawl task ask' needs --%s, or %s", option, variable);
	err->field = str_from(option);
	return err->rc;
}

static enum pawl_rc
message_of(struct cmd_ctx *ctx, struct ask_doc *ret_doc, struct buf *bytes,
	struct pawl_err *err)
{
	const char *question = args_value(&ctx->args, "question");
	const char *act = args_value(&ctx->args, "act");
	const char *attempt;
	struct ask_doc doc = { .kind = act ? ASK_ACT : ASK_QUESTION };
	struct ask_doc read;
	enum pawl_rc rc = required(ctx, "attempt", "PAWL_ATTEMPT",
		ctx->env->worker, &attempt, err);

	if (rc != PAWL_OK)
		return rc;
	if ((question == NULL) == (act == NULL))
		return pawl_fail(err, ERR_USAGE,
			"'pawl task ask' needs one of --question and --act");
	doc.attempt_id = str_from(attempt);
	doc.text = str_from(act ? act : question);
	rc = ask_doc_write(&doc, bytes, err);
	/* What the coordinator could not read is refused here. */
	if (rc == PAWL_OK)
		rc = ask_doc_read(
			ctx->mem, buf_str(bytes), doc.attempt_id, &read, err);
	if (rc == PAWL_OK)
		*ret_doc = doc;
	return rc;
}

/* The answer to message `number`, when it has come; empty before. */
static struct str
answer_find(struct cmd_ctx *ctx, int outbox, uint32_t number)
{
	struct buf names = { 0 };
	struct pawl_err ignored;
	struct str answer = { 0 };
	int dir = -1;

	if (fs_open_dir(ctx->fs, outbox, OUTBOX_ANSWERS, &dir, &ignored) !=
			PAWL_OK ||
		fs_list(ctx->fs, dir, &names, &ignored) != PAWL_OK) {
		fs_close(ctx->fs, &dir);
		return answer;
	}
	for (size_t at = 0; answer.len == 0 && at < names.len;) {
		struct buf bytes = { 0 };
		const char *name = names.data + at;
		const struct json *v;
		char *copy;
		bool found;

		at += strlen(name) + 1;
		if (outbox_take(ctx->fs, dir, name, ASK_DOC_BYTES, &bytes,
			    &found, &ignored) != PAWL_OK ||
			!found) {
			buf_release(&bytes);
			continue;
		}
		copy = arena_strdup(ctx->mem, buf_str(&bytes));
		if (json_read(ctx->mem, copy, bytes.len, JSON_STRICT, &v,
			    &ignored) == PAWL_OK) {
			const struct json *ask = json_get(v, STR("ask"));

			if (ask != NULL && ask->kind == JSON_INT &&
				ask->n == (int64_t)number)
				answer = json_str(json_get(v, STR("answer")));
		}
		buf_release(&bytes);
	}
	buf_release(&names);
	fs_close(ctx->fs, &dir);
	return answer;
}

static void
show(struct cmd_ctx *ctx, const struct ask_doc *doc, uint32_t number,
	bool again, struct str answer)
{
	char name[OUTBOX_NAME_BYTES];

	outbox_ask_name(number, name);
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("delivered"), str_from(name));
		json_pair_str(&ctx->json, STR("attempt"), doc->attempt_id);
		json_pair_str(
			&ctx->json, STR("kind"), ask_kind_word(doc->kind));
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_str_or_null(&ctx->json, STR("answer"), answer);
		return;
	}
	out_f(&ctx->out, "delivered %s%s\n", name, again ? ", before" : "");
	if (answer.len > 0) {
		out_text(&ctx->out, "answer: ");
		out_data(&ctx->out, answer);
		out_text(&ctx->out, "\n");
	}
}

static enum pawl_rc
run_task_ask(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct ask_doc doc = { 0 };
	struct buf bytes = { 0 };
	const char *path = NULL;
	struct str answer = { 0 };
	uint32_t number = 0;
	bool again = false;
	int dir = -1;
	enum pawl_rc rc = message_of(ctx, &doc, &bytes, err);

	if (rc == PAWL_OK)
		rc = required(ctx, "outbox", "PAWL_OUTBOX", ctx->env->outbox,
			&path, err);
	if (rc == PAWL_OK)
		rc = outbox_open(ctx->fs, path, &dir, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = outbox_ask(
			ctx->fs, dir, buf_str(&bytes), &number, &again, err);
	if (rc == PAWL_OK && !ctx->args.dry_run) {
		answer = answer_find(ctx, dir, number);
		show(ctx, &doc, number, again, answer);
	} else if (rc == PAWL_OK) {
		out_text(&ctx->out, "would be delivered\n");
	}
	fs_close(ctx->fs, &dir);
	buf_release(&bytes);
	return rc;
}

const struct cmd cmd_task_ask = {
	.name = "task ask",
	.operands = "",
	.summary = "ask a question as the worker of an attempt",
	.help = "The question is put, durable, into the attempt's outbox: no "
		"lock, no state\n"
		"folder and no coordinator are needed. Go on, or end: an end "
		"without a report\n"
		"while a question is open completes nothing, and the next "
		"attempt is told the\n"
		"answer. The same question once more delivers nothing and "
		"prints the answer\n"
		"when there is one.",
	.options = options,
	.page = "pawl-task",
	.args_min = 0,
	.args_max = 0,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_WRITES,
	.run = run_task_ask,
};
