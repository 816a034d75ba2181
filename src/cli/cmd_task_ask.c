#include "base/bounds.h"
#include "cli/input.h"
#include "engine/outbox.h"
#include "model/ask_doc.h"
#include "model/delegation_doc.h"
#include "os/fs.h"

static const struct cmd_option options[] = {
	{ .name = "attempt",
		.arg = "ID",
		.help = "which attempt asks (default: $PAWL_ATTEMPT)" },
	{ .name = "question", .arg = "TEXT", .help = "what is to be decided" },
	{ .name = "act",
		.arg = "TEXT",
		.help = "likewise, for what only a human may allow" },
	{ .name = "delegate",
		.arg = "FILE",
		.help = "likewise, what another worker is to do" },
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

/* What is asked, and by whom. */
struct message {
	struct str attempt;
	struct str kind; /* as a word */
	struct buf bytes;
};

/* What the coordinator could not read is refused here. */
static enum pawl_rc
intent_of(struct cmd_ctx *ctx, const char *file, struct message *m,
	struct pawl_err *err)
{
	struct delegation_intent intent;
	enum pawl_rc rc =
		input_read(ctx, file, BOUND_INTENT_BYTES, &m->bytes, err);

	m->kind = STR("delegation");
	return rc == PAWL_OK
		? delegation_intent_read(ctx->mem, buf_str(&m->bytes),
			  m->attempt, &intent, err)
		: rc;
}

/* Likewise. */
static enum pawl_rc
text_of(struct cmd_ctx *ctx, enum ask_kind kind, const char *text,
	struct message *m, struct pawl_err *err)
{
	struct ask_doc doc = { m->attempt, kind, str_from(text) };
	struct ask_doc read;
	enum pawl_rc rc = ask_doc_write(&doc, &m->bytes, err);

	m->kind = ask_kind_word(kind);
	return rc == PAWL_OK ? ask_doc_read(ctx->mem, buf_str(&m->bytes),
				       m->attempt, &read, err)
			     : rc;
}

static enum pawl_rc
message_of(struct cmd_ctx *ctx, struct message *m, struct pawl_err *err)
{
	const char *question = args_value(&ctx->args, "question");
	const char *act = args_value(&ctx->args, "act");
	const char *file = args_value(&ctx->args, "delegate");
	const char *attempt;
	enum pawl_rc rc = required(ctx, "attempt", "PAWL_ATTEMPT",
		ctx->env->worker, &attempt, err);

	if (rc != PAWL_OK)
		return rc;
	m->attempt = str_from(attempt);
	if (is_delegation_id(m->attempt)) {
		(void)pawl_fail(err, ERR_NOT_PERMITTED,
			"'%s' is a delegation: it neither asks nor delegates",
			attempt);
		return pawl_hint(err, "say it in the result's questions");
	}
	if ((question != NULL) + (act != NULL) + (file != NULL) != 1)
		return pawl_fail(err, ERR_USAGE,
			"'pawl task ask' needs one of --question, --act and"
			" --delegate");
	if (file != NULL)
		return intent_of(ctx, file, m, err);
	return act != NULL ? text_of(ctx, ASK_ACT, act, m, err)
			   : text_of(ctx, ASK_QUESTION, question, m, err);
}

/* The answer to message `number`, when it has come; empty before.  Of an act it
 * may be a denial. */
static struct str
answer_find(struct cmd_ctx *ctx, int outbox, uint32_t number, bool *ret_denied)
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
				ask->n == (int64_t)number) {
				answer = json_str(json_get(v, STR("answer")));
				*ret_denied =
					json_get(v, STR("denied")) != NULL;
			}
		}
		buf_release(&bytes);
	}
	buf_release(&names);
	fs_close(ctx->fs, &dir);
	return answer;
}

static void
show(struct cmd_ctx *ctx, const struct message *m, uint32_t number, bool again,
	struct str answer, bool denied)
{
	char name[OUTBOX_NAME_BYTES];

	outbox_ask_name(number, name);
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("delivered"), str_from(name));
		json_pair_str(&ctx->json, STR("attempt"), m->attempt);
		json_pair_str(&ctx->json, STR("kind"), m->kind);
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_bool(&ctx->json, STR("denied"), denied);
		json_pair_str_or_null(&ctx->json, STR("answer"), answer);
		return;
	}
	out_f(&ctx->out, "delivered %s%s\n", name, again ? ", before" : "");
	if (answer.len > 0) {
		out_text(&ctx->out, denied ? "denied: " : "answer: ");
		out_data(&ctx->out, answer);
		out_text(&ctx->out, "\n");
	}
}

static enum pawl_rc
run_task_ask(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct message m = { 0 };
	const char *path = NULL;
	struct str answer = { 0 };
	uint32_t number = 0;
	bool again = false, denied = false;
	int dir = -1;
	enum pawl_rc rc = message_of(ctx, &m, err);

	if (rc == PAWL_OK)
		rc = required(ctx, "outbox", "PAWL_OUTBOX", ctx->env->outbox,
			&path, err);
	if (rc == PAWL_OK)
		rc = outbox_open(ctx->fs, path, &dir, err);
	if (rc == PAWL_OK && !ctx->args.dry_run)
		rc = outbox_ask(
			ctx->fs, dir, buf_str(&m.bytes), &number, &again, err);
	if (rc == PAWL_OK && !ctx->args.dry_run) {
		answer = answer_find(ctx, dir, number, &denied);
		show(ctx, &m, number, again, answer, denied);
	} else if (rc == PAWL_OK) {
		out_text(&ctx->out, "would be delivered\n");
	}
	fs_close(ctx->fs, &dir);
	buf_release(&m.bytes);
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
		"answer. A delegation (schemas/delegation-intent.schema.json) "
		"is answered by\n"
		"where it stands. The same again delivers nothing and prints "
		"the answer when\n"
		"there is one.",
	.options = options,
	.page = "pawl-task",
	.args_min = 0,
	.args_max = 0,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_WRITES,
	.run = run_task_ask,
};
