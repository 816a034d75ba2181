#include <string.h>

#include "base/bounds.h"
#include "cli/cmd.h"
#include "cli/input.h"
#include "model/decision.h"
#include "model/decision_amend.h"
#include "model/decision_record.h"
#include "model/tasks.h"
#include "os/fs.h"

/* A decision that was read and judged. */
struct judged {
	struct decision_doc doc;
	struct decision_findings found;
	struct plan plan;
	struct tasks_report report;
	struct str list;
	bool has_plan;
};

static enum pawl_rc
read_text(struct cmd_ctx *ctx, const char *path, size_t max,
	struct str *ret_text, struct pawl_err *err)
{
	struct buf text = { 0 };
	enum pawl_rc rc = input_read(ctx, path, max, &text, err);

	if (rc == PAWL_OK)
		*ret_text = text.len > 0 ? arena_copy(ctx->mem, buf_str(&text))
					 : STR("");
	buf_release(&text);
	return rc;
}

static enum pawl_rc
read_plan(struct cmd_ctx *ctx, const char *path, struct judged *j,
	struct pawl_err *err)
{
	enum pawl_rc rc = read_text(ctx, path, BOUND_LIST_BYTES, &j->list, err);

	if (rc != PAWL_OK)
		return rc;
	rc = tasks_parse(j->list, ctx->mem, &j->plan, &j->report, err);
	if (rc != PAWL_OK && j->report.errors.count > 0)
		return findings_fail(&j->report.errors, path, err);
	if (rc != PAWL_OK)
		return pawl_wrap(err, "%s", path);
	j->has_plan = true;
	return PAWL_OK;
}

static enum pawl_rc
judge_text(struct cmd_ctx *ctx, const char *path, struct str text,
	struct judged *j, struct pawl_err *err)
{
	enum pawl_rc rc = decision_judge(j->has_plan ? &j->plan : NULL,
		arena_strdup(ctx->mem, text), text.len, ctx->mem, &j->doc,
		&j->found, err);

	return rc == PAWL_OK ? rc : pawl_wrap(err, "%s", input_name(path));
}

/* Judge the first operand; what is wrong with it is no failure here. */
static enum pawl_rc
judge_file(struct cmd_ctx *ctx, struct judged *j, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	struct str text = { 0 };
	enum pawl_rc rc = read_text(ctx, path, BOUND_LIST_BYTES, &text, err);

	return rc == PAWL_OK ? judge_text(ctx, path, text, j, err) : rc;
}

/* For what goes on with a decision: it must be a good one. */
static enum pawl_rc
must_be_good(const char *path, const struct judged *j, struct pawl_err *err)
{
	if (j->found.violations + j->found.drifts == 0)
		return PAWL_OK;
	return decision_findings_fail(&j->found, input_name(path), err);
}

static void
show_findings(struct out *o, const char *path, const struct judged *j)
{
	const struct decision_findings *f = &j->found;
	uint32_t bad = f->violations + f->drifts;

	out_style(o, bad ? OUT_BAD : OUT_GOOD);
	out_text(o, bad ? "NOT OK" : "ok");
	out_style(o, OUT_PLAIN);
	out_text(o, "  ");
	out_data(o, str_from(path));
	if (bad == 0)
		out_f(o, "  %s, revision %lld",
			decision_mode_words[j->doc.mode],
			(long long)j->doc.revision);
	out_f(o, "  %u %s, %u %s\n", bad, bad == 1 ? "violation" : "violations",
		f->notes, f->notes == 1 ? "note" : "notes");
	for (uint32_t i = 0; i < f->count; i++) {
		const struct decision_finding *x = &f->items[i];
		const struct decision_rule_info *rule =
			decision_rule_info(x->rule);

		out_data(o, str_from(path));
		out_f(o, ":%u:%u: %s", x->line, x->column,
			rule->class == DECISION_NOTE ? "note: " : "");
		out_data(o, x->message);
		out_f(o, " [%s]\n", rule->word);
		if (x->hint.len > 0) {
			out_text(o, "  hint: ");
			out_data(o, x->hint);
			out_text(o, "\n");
		}
	}
	if (f->dropped > 0)
		out_f(o, "and %u more\n", f->dropped);
}

static enum pawl_rc
check(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	const char *list = args_operand(&ctx->args, 1);
	const char *name = input_name(path);
	struct judged j = { .has_plan = false };
	enum pawl_rc rc = PAWL_OK;

	if (list != NULL)
		rc = read_plan(ctx, list, &j, err);
	if (rc == PAWL_OK)
		rc = judge_file(ctx, &j, err);
	if (rc != PAWL_OK)
		goto out;
	ctx->findings = true;
	if (ctx->args.json) {
		if (j.found.violations == 0) {
			json_pair_str(&ctx->json, STR("id"), j.doc.id);
			json_pair_str(&ctx->json, STR("mode"),
				str_from(decision_mode_words[j.doc.mode]));
			json_pair_u64(&ctx->json, STR("revision"),
				(uint64_t)j.doc.revision);
		}
		decision_findings_json(&j.found, &ctx->json);
	} else {
		show_findings(&ctx->out, name, &j);
	}
	if (j.found.violations + j.found.drifts > 0)
		rc = decision_findings_fail(&j.found, name, err);
out:
	plan_release(&j.plan);
	return rc;
}

const struct cmd cmd_decision_check = {
	.name = "decision check",
	.operands = "FILE|- [LIST]",
	.summary =
		"prove that a process decision is whole and matches its list",
	.help = "Reports everything that is wrong, each at its place: the "
		"fields, amendments\n"
		"without a gap, modes that lead from one to the next, the "
		"check "
		"that the last\n"
		"amendment put there, and answers that are what they claim to "
		"be. With LIST,\n"
		"also every packet that isn't its task any more. Exits with 0 "
		"when nothing\n"
		"is wrong, 1 with violations, 4 when only the list and the "
		"decision differ.",
	.page = "pawl-decision",
	.args_min = 1,
	.args_max = 2,
	.needs = CMD_NEEDS_NOTHING,
	.run = check,
};

static const struct cmd_option amend_options[] = {
	{ .name = "amendment",
		.arg = "F",
		.help = "the amendment (JSON); - is standard input" },
	{ .name = NULL },
};

static enum pawl_rc
read_change(struct cmd_ctx *ctx, struct decision_change *ret_change,
	struct pawl_err *err)
{
	const char *path = args_value(&ctx->args, "amendment");
	struct str text = { 0 };
	enum pawl_rc rc;

	if (path == NULL)
		return pawl_fail(err, ERR_USAGE, "--amendment is missing");
	rc = read_text(ctx, path, BOUND_LIST_BYTES, &text, err);
	if (rc != PAWL_OK)
		return rc;
	rc = decision_change_read(ctx->mem, text, ret_change, err);
	return rc == PAWL_OK ? rc : pawl_wrap(err, "%s", input_name(path));
}

/* As one step; the folder is there. */
static enum pawl_rc
replace(struct cmd_ctx *ctx, const char *path, struct str bytes,
	struct pawl_err *err)
{
	const char *slash = strrchr(path, '/');
	const char *folder = slash == NULL ? "." : slash == path ? "/" : NULL;
	int dir = -1;
	enum pawl_rc rc;

	if (folder == NULL)
		folder = arena_strdup(
			ctx->mem, (struct str){ path, (size_t)(slash - path) });
	rc = fs_open_dir(ctx->fs, AT_FDCWD, folder, &dir, err);
	if (rc == PAWL_OK)
		rc = fs_replace(ctx->fs, dir, slash ? slash + 1 : path, bytes,
			FS_DURABLE, err);
	fs_close(ctx->fs, &dir);
	return rc;
}

static void
show_amended(struct cmd_ctx *ctx, const char *path, const struct judged *j,
	bool again)
{
	const struct decision_doc *d = &j->doc;

	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("id"), d->id);
		json_pair_str(&ctx->json, STR("mode"),
			str_from(decision_mode_words[d->mode]));
		json_pair_u64(
			&ctx->json, STR("revision"), (uint64_t)d->revision);
		json_pair_bool(&ctx->json, STR("again"), again);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		return;
	}
	out_data(&ctx->out, str_from(path));
	out_f(&ctx->out, " %s revision %lld, mode %s\n",
		again                       ? "was already at"
			: ctx->args.dry_run ? "would be at"
					    : "is at",
		(long long)d->revision, decision_mode_words[d->mode]);
}

static enum pawl_rc
amend(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	struct judged j = { .has_plan = false };
	struct decision_change change;
	struct buf next = { 0 };
	bool again = false;
	enum pawl_rc rc;

	if (strcmp(path, "-") == 0)
		return pawl_fail(err, ERR_USAGE,
			"standard input can't be amended; name a file");
	rc = judge_file(ctx, &j, err);
	if (rc == PAWL_OK)
		rc = must_be_good(path, &j, err);
	if (rc == PAWL_OK)
		rc = read_change(ctx, &change, err);
	if (rc == PAWL_OK)
		rc = decision_change_apply(
			&j.doc, &change, ctx->mem, &next, &again, err);
	if (rc == PAWL_OK && !again) {
		rc = judge_text(
			ctx, "the amended decision", buf_str(&next), &j, err);
		if (rc == PAWL_OK)
			rc = must_be_good("the amended decision", &j, err);
		buf_addc(&next, '\n');
	}
	if (rc == PAWL_OK && !again && !ctx->args.dry_run)
		rc = replace(ctx, path, buf_str(&next), err);
	if (rc == PAWL_OK)
		show_amended(ctx, path, &j, again);
	buf_release(&next);
	return rc;
}

const struct cmd cmd_decision_amend = {
	.name = "decision amend",
	.operands = "FILE",
	.summary = "give a process decision its next revision",
	.help = "The amendment says the mode from now on, what is known now "
		"and wasn't before,\n"
		"why, and the check that replaces the selected one; and those "
		"parts of the\n"
		"decision that change with it. What comes out is judged first "
		"(pawl decision\n"
		"check), then FILE is replaced as a whole. The same amendment "
		"again changes\n"
		"nothing. A run that froze the decision is told by 'pawl task "
		"amend-decision'.",
	.options = amend_options,
	.page = "pawl-decision",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_WRITES,
	.run = amend,
};

static const struct cmd_option record_options[] = {
	{ .name = "to", .arg = "PATH", .help = "where the record is written" },
	{ .name = NULL },
};

/* The record as it will be; `*ret_added` is the number of new sections. */
static enum pawl_rc
record_make(struct cmd_ctx *ctx, const struct decision_doc *d, const char *to,
	struct buf *out, uint32_t *ret_added, struct pawl_err *err)
{
	struct buf old = { 0 };
	struct pawl_err why = { 0 };
	enum pawl_rc rc;

	rc = fs_read_document(
		ctx->fs, AT_FDCWD, to, BOUND_CONFIG_BYTES, &old, &why);
	if (rc != PAWL_OK && why.code == ERR_FILE_NOT_FOUND) {
		decision_record_write(d, out);
		*ret_added = (uint32_t)d->revision;
		rc = PAWL_OK;
	} else if (rc != PAWL_OK) {
		*err = why;
	} else {
		rc = decision_record_extend(
			d, buf_str(&old), out, ret_added, err);
		if (rc != PAWL_OK)
			rc = pawl_wrap(err, "%s", to);
	}
	buf_release(&old);
	return rc;
}

static enum pawl_rc
record(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	const char *to = args_value(&ctx->args, "to");
	struct judged j = { .has_plan = false };
	struct buf text = { 0 };
	uint32_t added = 0;
	enum pawl_rc rc;

	if (to == NULL)
		return pawl_fail(err, ERR_USAGE,
			"--to is missing: the path of the record");
	rc = judge_file(ctx, &j, err);
	if (rc == PAWL_OK)
		rc = must_be_good(path, &j, err);
	if (rc == PAWL_OK && !decision_wants_record(&j.doc)) {
		rc = pawl_fail(err, ERR_INVALID_ARGUMENT,
			"decision '" STR_FMT "' is of mode '%s'; only"
			" light_spec is written down",
			STR_ARG(j.doc.id), decision_mode_words[j.doc.mode]);
	}
	if (rc == PAWL_OK)
		rc = record_make(ctx, &j.doc, to, &text, &added, err);
	if (rc == PAWL_OK && added > 0 && !ctx->args.dry_run)
		rc = replace(ctx, to, buf_str(&text), err);
	buf_release(&text);
	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("record"), str_from(to));
		json_pair_u64(
			&ctx->json, STR("revision"), (uint64_t)j.doc.revision);
		json_pair_u64(&ctx->json, STR("added"), added);
		json_pair_bool(&ctx->json, STR("dry_run"), ctx->args.dry_run);
		return PAWL_OK;
	}
	out_data(&ctx->out, str_from(to));
	if (added == 0)
		out_f(&ctx->out, " has revision %lld already\n",
			(long long)j.doc.revision);
	else
		out_f(&ctx->out, " %s %u %s\n",
			ctx->args.dry_run ? "would get" : "got", added,
			added == 1 ? "revision" : "revisions");
	return PAWL_OK;
}

const struct cmd cmd_decision_record = {
	.name = "decision record",
	.operands = "FILE",
	.summary = "write a light_spec decision down as Markdown",
	.help = "Makes the record at PATH, or appends the revisions that it "
		"lacks to one that\n"
		"is there; what people wrote into it stays. Anything else at "
		"PATH is left alone.",
	.options = record_options,
	.page = "pawl-decision",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_NOTHING,
	.flags = CMD_WRITES,
	.run = record,
};
