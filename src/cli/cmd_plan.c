
#include "base/bounds.h"
#include "cli/source.h"
#include "cli/who.h"
#include "engine/ref.h"
#include "model/decision.h"
#include "model/planview.h"
#include "model/tasks.h"
#include "model/tasks_fill.h"

static const struct cmd_option options[] = {
	{ .name = "fill",
		.help = "print the list with what its tasks lack, to "
			"complete" },
	{ .name = "decision", .help = "print the derived process decision" },
	{ .name = NULL },
};

/* All that is wrong is shown, not only the first; the answer is no. */
static enum pawl_rc
refuse(struct cmd_ctx *ctx, const struct tasks_report *report, const char *path,
	struct pawl_err *err)
{
	struct buf text = { 0 };

	ctx->findings = true;
	if (ctx->args.json) {
		json_key(&ctx->json, STR("violations"));
		planview_findings_json(&report->errors, &ctx->json);
		json_key(&ctx->json, STR("warnings"));
		planview_findings_json(&report->warnings, &ctx->json);
	} else {
		planview_findings_text(&report->errors, str_from(path), &text);
		out_text(&ctx->out, text.data);
	}
	buf_release(&text);
	if (ctx->args.json && report->errors.count > 0)
		return findings_fail(&report->errors, path, err);
	if (ctx->args.json)
		return pawl_wrap(err, "%s", path);
	/* Each stands above with its hint. */
	(void)pawl_fail(err, err->code, "%s cannot run: %zu %s", path,
		(size_t)report->errors.count,
		report->errors.count == 1 ? "fault" : "faults");
	return pawl_hint(err, "man 5 pawl-tasks says what each field is");
}

static enum pawl_rc
show_decision(struct cmd_ctx *ctx, const struct plan *plan, struct str list,
	struct pawl_err *err)
{
	char digest[SHA256_HEX + 1];
	struct decision_facts facts = {
		.request_sha256 = { digest, SHA256_HEX }, .slots = 2
	};
	struct decision derived;
	struct buf json = { 0 };
	struct ref_head head = { 0 };
	struct waves waves;
	enum pawl_rc rc = PAWL_OK;

	sha256_hex(list, digest);
	if (ctx->state.has_repo)
		rc = ref_head(&ctx->state.repo, ctx->mem, &head, err);
	if (rc != PAWL_OK)
		return rc;
	facts.base = str_from(head.commit.hex);
	facts.permission = who_local(ctx);
	waves_init(&waves, plan);
	decision_derive(plan, &waves, &facts, ctx->mem, &json, &derived);
	waves_release(&waves);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("decision"));
		json_put_raw(&ctx->json, str_trim(buf_str(&json)));
	} else {
		ctx->out.json = true;
		out_text(&ctx->out, json.data);
	}
	buf_release(&json);
	return PAWL_OK;
}

/* The decision that a run of the list would freeze, if one lies beside it. */
static enum pawl_rc
judge_beside(struct cmd_ctx *ctx, const struct plan *plan, const char *path,
	struct source_decision *ret_beside, struct decision_doc *ret_doc,
	struct pawl_err *err)
{
	enum pawl_rc rc = source_decision_beside(ctx, path, ret_beside, err);

	if (rc != PAWL_OK || ret_beside->path == NULL)
		return rc;
	return decision_fit(plan, ret_beside->bytes, ret_beside->path, ctx->mem,
		ret_doc, err);
}

static enum pawl_rc
show_plan(struct cmd_ctx *ctx, const struct plan *plan,
	const struct tasks_report *report, const char *path,
	struct pawl_err *err)
{
	struct source_decision beside;
	struct buf text = { 0 };
	struct decision_doc doc;
	struct planview view;
	enum pawl_rc rc = judge_beside(ctx, plan, path, &beside, &doc, err);

	if (rc != PAWL_OK)
		return rc;
	planview_init(&view, plan);
	if (ctx->args.json) {
		json_key(&ctx->json, STR("plan"));
		planview_json(&view, report, &ctx->json);
	} else {
		planview_text(&view, report, str_from(path), &text);
		out_text(&ctx->out, text.data);
	}
	planview_release(&view);
	buf_release(&text);
	if (beside.path != NULL && ctx->args.json) {
		json_key(&ctx->json, STR("process_decision"));
		json_open(&ctx->json, '{');
		json_pair_str(&ctx->json, STR("path"), str_from(beside.path));
		json_pair_str(&ctx->json, STR("id"), doc.id);
		json_pair_u64(
			&ctx->json, STR("revision"), (uint64_t)doc.revision);
		json_close(&ctx->json, '}');
	} else if (beside.path != NULL) {
		out_text(&ctx->out, "decision ");
		out_data(&ctx->out, str_from(beside.path));
		out_f(&ctx->out, ", revision %lld\n", (long long)doc.revision);
	}
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *path = args_operand(&ctx->args, 0);
	struct buf list = { 0 }, filled = { 0 };
	struct tasks_report report;
	struct plan plan = { 0 };
	enum pawl_rc rc;

	rc = fs_read_document(
		ctx->fs, AT_FDCWD, path, BOUND_LIST_BYTES, &list, err);
	if (rc != PAWL_OK)
		goto out;
	if (args_has(&ctx->args, "fill")) {
		tasks_fill(buf_str(&list), &filled);
		if (ctx->args.json)
			json_pair_str(
				&ctx->json, STR("list"), buf_str(&filled));
		else if (filled.len > 0)
			out_text(&ctx->out, filled.data);
		goto out;
	}
	rc = tasks_parse(buf_str(&list), ctx->mem, &plan, &report, err);
	if (rc != PAWL_OK) {
		rc = refuse(ctx, &report, path, err);
		goto out;
	}
	if (args_has(&ctx->args, "decision"))
		rc = show_decision(ctx, &plan, buf_str(&list), err);
	else
		rc = show_plan(ctx, &plan, &report, path, err);
	plan_release(&plan);
out:
	buf_release(&filled);
	buf_release(&list);
	return rc;
}

const struct cmd cmd_plan = {
	.name = "plan",
	.operands = "LIST",
	.summary = "check a task list; show waves, critical path, conflicts",
	.help = "Every refusal stands at its line and column with a hint. "
		"Nothing is\n"
		"made: a run begins with 'pawl run LIST -- CMD'. A "
		"'process-decision.json' beside\n"
		"LIST is what such a run freezes, and is held against the "
		"list, too.",
	.options = options,
	.page = "pawl-plan",
	.aliases = "validate",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_REPOSITORY,
	.run = run,
};
