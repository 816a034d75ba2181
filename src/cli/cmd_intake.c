#include <stdlib.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "cli/cmd.h"
#include "cli/input.h"
#include "engine/intake_facts.h"
#include "model/check_argv.h"

static const struct cmd_option options[] = {
	{ .name = "request", .arg = "TEXT", .help = "what is asked for" },
	{ .name = "request-file",
		.arg = "FILE",
		.help = "the same from a file; - is standard input" },
	{ .name = "check",
		.arg = "CMD",
		.help = "the one command that shows that it is done" },
	{ .name = "signals",
		.arg = "FILE",
		.help = "what you know of the work (JSON)" },
	{ .name = "answers",
		.arg = "FILE",
		.help = "the owner's answers to questions (JSON)" },
	{ .name = "use-safe-defaults",
		.help = "take each open question's safe default" },
	{ .name = "probe",
		.help = "run the check on the base, in a checkout of its own" },
	{ .name = NULL },
};

struct asked {
	struct intake_signals signals;
	struct intake_request request;
	char digest[SHA256_HEX + 1];
	char **check;
};

static enum pawl_rc
read_file(struct cmd_ctx *ctx, const char *path, struct str *ret_text,
	struct pawl_err *err)
{
	struct buf text = { 0 };
	enum pawl_rc rc = input_read(ctx, path, BOUND_CONFIG_BYTES, &text, err);

	if (rc == PAWL_OK)
		*ret_text = arena_copy(ctx->mem, buf_str(&text));
	buf_release(&text);
	return rc;
}

static enum pawl_rc
read_request(struct cmd_ctx *ctx, struct asked *a, struct pawl_err *err)
{
	const char *text = args_value(&ctx->args, "request");
	const char *file = args_value(&ctx->args, "request-file");
	const char *check = args_value(&ctx->args, "check");
	struct str request = str_from(text);
	enum pawl_rc rc = PAWL_OK;
	size_t at;

	if ((text == NULL) == (file == NULL))
		return pawl_fail(err, ERR_USAGE,
			"give one of --request and --request-file");
	if (check == NULL)
		return pawl_fail(err, ERR_USAGE,
			"--check is missing: the one command that shows that"
			" it is done");
	if (file != NULL)
		rc = read_file(ctx, file, &request, err);
	if (rc == PAWL_OK && str_trim(request).len == 0)
		rc = pawl_fail(
			err, ERR_INVALID_ARGUMENT, "the request is empty");
	if (rc == PAWL_OK)
		rc = check_argv(str_from(check), ctx->mem, &a->check, &at, err);
	if (rc != PAWL_OK)
		return rc;
	sha256_hex(request, a->digest);
	a->request = (struct intake_request){
		.sha256 = { a->digest, SHA256_HEX },
		.check = str_from(check),
		.safe_defaults = args_has(&ctx->args, "use-safe-defaults"),
	};
	return PAWL_OK;
}

/* Without a file of signals nothing is reported: an empty document. */
static enum pawl_rc
read_signals(struct cmd_ctx *ctx, struct asked *a, struct pawl_err *err)
{
	const char *signals = args_value(&ctx->args, "signals");
	const char *answers = args_value(&ctx->args, "answers");
	struct str text = STR("{}");
	enum pawl_rc rc = PAWL_OK;

	if (signals != NULL)
		rc = read_file(ctx, signals, &text, err);
	if (rc == PAWL_OK) {
		rc = intake_signals_read(ctx->mem, text, &a->signals, err);
		if (rc != PAWL_OK && signals != NULL)
			rc = pawl_wrap(err, "%s", input_name(signals));
	}
	if (rc != PAWL_OK || answers == NULL)
		return rc;
	rc = read_file(ctx, answers, &text, err);
	if (rc != PAWL_OK)
		return rc;
	rc = intake_answers_read(ctx->mem, text, &a->signals, err);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "%s", input_name(answers));
}

static void
show_questions(struct out *o, const struct intake_result *r)
{
	out_style(o, OUT_WAIT);
	out_f(o, "%u %s", r->questions_count,
		r->questions_count == 1 ? "question" : "questions");
	out_style(o, OUT_PLAIN);
	out_text(o, " to answer first\n");
	for (uint32_t i = 0; i < r->questions_count; i++) {
		const struct intake_ambiguity *a = r->questions[i];

		out_text(o, "  ");
		out_data(o, a->id);
		out_text(o, ": ");
		out_data(o, a->question);
		out_text(o, "\n    affects");
		for (uint32_t k = 0; k < a->affects_count; k++)
			out_f(o, "%s %s", k ? "," : "",
				decision_effect_words[a->affects[k]]);
		if (a->safe_default.len > 0) {
			out_text(o, "; safe default: ");
			out_data(o, a->safe_default);
		}
		out_text(o, "\n");
	}
}

static void
show_mode(struct out *o, const struct intake_result *r)
{
	out_style(o, OUT_GOOD);
	out_text(o, decision_mode_words[r->decision.mode]);
	out_style(o, OUT_PLAIN);
	for (uint32_t i = 0; i < r->reasons.count; i++) {
		out_text(o, i ? ", " : ": ");
		out_data(o, r->reasons.items[i]);
	}
	out_text(o, "\n");
	for (uint32_t i = 0; i < r->blockers_count; i++) {
		out_text(o, "  ");
		out_data(o, r->blockers[i].message);
		out_text(o, " [");
		out_data(o, r->blockers[i].code);
		out_text(o, "]\n");
	}
	for (uint32_t i = 0; i < SIGNAL_COUNT; i++) {
		const struct intake_signal *x = &r->signals[i];

		if (!x->given)
			continue;
		out_f(o, "  %s ",
			x->provenance == PROVENANCE_MEASURED ? "measured"
							     : "reported");
		out_data(o, signal_word(x->signal));
		out_f(o, ": %s\n", signal_values(x->signal)[x->value]);
	}
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct asked a = { .check = NULL };
	struct intake_measure m = { .mem = ctx->mem,
		.signals = &a.signals,
		.probe = args_has(&ctx->args, "probe"),
		.stop_signal = &ctx->signo };
	struct intake_facts facts;
	struct intake_result result;
	enum pawl_rc rc;

	rc = read_request(ctx, &a, err);
	if (rc == PAWL_OK)
		rc = read_signals(ctx, &a, err);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->state.has_repo) {
		m.repo = &ctx->state.repo;
		m.here = m.repo->top;
	} else {
		char *real =
			realpath(ctx->args.repo ? ctx->args.repo : ".", NULL);

		if (real == NULL)
			return pawl_fail_sys(err, ERR_FILE_NOT_FOUND,
				"could not tell where we are");
		m.here = arena_strdup(ctx->mem, str_from(real));
		free(real);
	}
	m.check = a.check;
	rc = intake_facts_measure(&m, &facts, err);
	if (rc != PAWL_OK)
		return rc;
	intake_decide(&a.request, &a.signals, &facts, ctx->mem, &result);
	if (ctx->args.json)
		intake_json(&result, &facts, &ctx->json);
	else if (result.selected)
		show_mode(&ctx->out, &result);
	else
		show_questions(&ctx->out, &result);
	return PAWL_OK;
}

const struct cmd cmd_intake = {
	.name = "intake",
	.operands = "",
	.summary = "choose how a piece of work is gone about",
	.help = "Looks at the repository first (is there one, what isn't "
		"committed, which\n"
		"files lie under each scope, what the last 500 commits changed "
		"together, is\n"
		"the check's program there), then answers with one of four "
		"modes, or with\n"
		"the questions whose answers would change it. Each signal says "
		"whether it\n"
		"was measured or reported. Writes nothing and starts nothing, "
		"but the check\n"
		"with --probe.\n"
		"\n"
		"  graph            several packets of work side by side: only "
		"when asked for\n"
		"                   (graph_requested) and nothing is missing\n"
		"  light_spec       write the decision down before the work\n"
		"  verified_single  one writer, a check after each step\n"
		"  direct           do it",
	.options = options,
	.page = "pawl-intake",
	.args_min = 0,
	.args_max = 0,
	.needs = CMD_NEEDS_REPOSITORY,
	.run = run,
};
