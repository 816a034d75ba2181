#include "cli/answer.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/die.h"
#include "cli/hint.h"

void
answer_begin(struct cmd_ctx *ctx)
{
	buf_clear(&ctx->result);
	ctx->whole = false;
	ctx->json = (struct json_writer){ .out = &ctx->result };
	json_open(&ctx->json, '{');
}

struct json_writer *
cmd_whole(struct cmd_ctx *ctx)
{
	buf_clear(&ctx->result);
	ctx->whole = true;
	ctx->json = (struct json_writer){ .out = &ctx->result };
	return &ctx->json;
}

static void
end_result(struct cmd_ctx *ctx)
{
	if (!ctx->whole)
		json_close(&ctx->json, '}');
	assert(ctx->json.depth == 0 && ctx->result.len > 0);
}

static void
print_stderr(const char *text)
{
	struct out o = { 0 };
	struct pawl_err ignored = { 0 };
	enum pawl_rc rc;

	o.terminal = true;
	out_text(&o, text);
	rc = out_write(&o, STDERR_FILENO, &ignored);
	(void)rc; /* there is no third place to complain to */
	out_release(&o);
}

void
cmd_notice(const struct cmd_ctx *ctx, const char *fmt, ...)
{
	struct buf b = { 0 };
	va_list ap;

	(void)ctx;
	buf_add(&b, STR("pawl: note: "));
	va_start(ap, fmt);
	buf_addv(&b, fmt, ap);
	va_end(ap);
	buf_addc(&b, '\n');
	print_stderr(b.data);
	buf_release(&b);
}

static void
print_error(const struct cmd_ctx *ctx, const struct pawl_err *err)
{
	const char *hint = hint_as_typed(ctx, pawl_err_hint(err));
	struct buf b = { 0 };

	buf_addf(&b, "pawl: %s\n", err->msg);
	if (*hint != '\0')
		buf_addf(&b, "  hint: %s\n", hint);
	print_stderr(b.data);
	buf_release(&b);
}

static void
add_error(const struct cmd_ctx *ctx, struct json_writer *w,
	const struct pawl_err *err)
{
	const struct pawl_code_info *code = pawl_code_info(err->code);
	const char *hint = hint_as_typed(ctx, pawl_err_hint(err));

	json_key(w, STR("error"));
	json_open(w, '{');
	json_pair_str(w, STR("code"), str_from(code->word));
	json_pair_str(w, STR("message"), str_from(err->msg));
	json_key(w, STR("hint"));
	if (*hint != '\0') {
		json_put_str(w, str_from(hint));
	} else {
		json_put_null(w);
	}
	json_key(w, STR("field"));
	if (err->field.len > 0) {
		json_put_str(w, err->field);
	} else {
		json_put_null(w);
	}
	json_pair_bool(w, STR("retryable"), code->retryable);
	json_key(w, STR("details"));
	if (err->detail.len > 0) {
		json_put_raw(w, err->detail);
	} else {
		json_put_null(w);
	}
	json_close(w, '}');
}

/* The document into `out`; the result is left open by the command. */
static void
add_document(struct cmd_ctx *ctx, const struct pawl_err *err)
{
	struct json_writer w = { .out = &ctx->out.text };
	const struct cmd *cmd = ctx->cmd;

	ctx->out.json = true;
	json_open(&w, '{');
	json_pair_bool(&w, STR("ok"), err == NULL);
	json_key(&w, STR("command"));
	if (cmd != NULL) {
		json_put_str(&w, str_from(cmd->name));
	} else {
		json_put_null(&w);
	}
	if (err != NULL)
		add_error(ctx, &w, err);
	if (err == NULL || ctx->findings) {
		end_result(ctx);
		json_key(&w, STR("result"));
		json_put_raw(&w, buf_str(&ctx->result));
	}
	json_close(&w, '}');
	buf_addc(&ctx->out.text, '\n');
}

enum pawl_rc
cmd_flush(struct cmd_ctx *ctx, struct pawl_err *err)
{
	ctx->streamed = true;
	if (ctx->args.json) {
		ctx->out.json = true;
		end_result(ctx);
		buf_add(&ctx->out.text, buf_str(&ctx->result));
		buf_addc(&ctx->out.text, '\n');
		answer_begin(ctx);
	}
	return out_write(&ctx->out, STDOUT_FILENO, err);
}

/* The status for an error of writing; says it unless the reader went away. */
static int
output_failed(const struct cmd_ctx *ctx, const struct pawl_err *err)
{
	if (err->sys == EPIPE)
		return ANSWER_READER_GONE;
	print_error(ctx, err);
	return (int)err->rc;
}

int
answer_end(struct cmd_ctx *ctx, enum pawl_rc rc, struct pawl_err *err)
{
	struct pawl_err output = { 0 };

	if (rc != PAWL_OK && err->code == ERR_OUTPUT)
		return output_failed(ctx, err);
	if (rc != PAWL_OK && err->code == ERR_USAGE && err->hint[0] == '\0' &&
		ctx->cmd != NULL)
		(void)pawl_hint(err, "pawl help %s", ctx->cmd->name);
	if (rc != PAWL_OK && !ctx->findings) {
		buf_clear(&ctx->out.text);
		ctx->out.marks.count = 0;
	}
	if (ctx->args.json && (rc != PAWL_OK || !ctx->streamed)) {
		buf_clear(&ctx->out.text);
		add_document(ctx, rc == PAWL_OK ? NULL : err);
	}
	if (out_write(&ctx->out, STDOUT_FILENO, &output) != PAWL_OK)
		return output_failed(ctx, &output);
	if (rc != PAWL_OK && !ctx->args.json)
		print_error(ctx, err);
	return (int)rc;
}
