#include "base/bounds.h"
#include "cli/input.h"
#include "cli/rework_desk.h"
#include "text/json.h"

static const struct cmd_option options[] = {
	{ .name = "file", .arg = "FILE", .help = "the finding; '-' is stdin" },
	{ .name = "id", .arg = "ID", .help = "its name; else the next f<n>" },
	{ .name = "class",
		.arg = "CLASS",
		.help = "acceptance_violation, reproducible_regression, ..." },
	{ .name = "summary", .arg = "TEXT", .help = "what is wrong" },
	{ .name = "acceptance", .arg = "TEXT", .help = "what it violates" },
	{ .name = "path", .arg = "PATH", .help = "the file it is in" },
	{ .name = "reproduction", .arg = "TEXT", .help = "how it is seen" },
	{ .name = "repair", .arg = "TEXT", .help = "the smallest repair" },
	{ .name = "gap", .arg = "TEXT", .help = "why the check misses it" },
	{ .name = NULL },
};

/* Options that stand for members of the document. */
static const struct {
	const char *option;
	struct str member;
} members[] = {
	{ "class", { "class", 5 } },
	{ "summary", { "summary", 7 } },
	{ "acceptance", { "acceptance", 10 } },
	{ "path", { "file", 4 } },
	{ "reproduction", { "reproduction", 12 } },
	{ "repair", { "smallest_repair", 15 } },
	{ "gap", { "check_gap", 9 } },
};

enum { MEMBERS = sizeof(members) / sizeof(members[0]) };

/* The document: a file's bytes, or what the options say. */
static enum pawl_rc
document(struct cmd_ctx *ctx, struct buf *out, struct pawl_err *err)
{
	const char *file = args_value(&ctx->args, "file");
	struct json_writer w = { .out = out };

	for (size_t i = 0; file != NULL && i < MEMBERS; i++) {
		if (args_has(&ctx->args, members[i].option)) {
			return pawl_fail(err, ERR_USAGE,
				"--file says it all; leave out --%s",
				members[i].option);
		}
	}
	if (file != NULL)
		return input_read(ctx, file, BOUND_FINDING_BYTES, out, err);
	json_open(&w, '{');
	for (size_t i = 0; i < MEMBERS; i++) {
		const char *value = args_value(&ctx->args, members[i].option);

		if (value != NULL)
			json_pair_str(&w, members[i].member, str_from(value));
	}
	json_close(&w, '}');
	return PAWL_OK;
}

static enum pawl_rc
read_document(
	struct cmd_ctx *ctx, struct finding_doc *ret_doc, struct pawl_err *err)
{
	struct buf text = { 0 };
	enum pawl_rc rc = document(ctx, &text, err);

	if (rc == PAWL_OK)
		rc = finding_doc_read(ctx->mem, buf_str(&text), ret_doc, err);
	buf_release(&text);
	return rc;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	struct str id = { "", 0 };
	struct rework_answer answer;
	struct finding_doc doc;
	struct rework_desk d;
	uint32_t node;
	enum pawl_rc rc = rework_desk_open(&d, ctx, err);

	if (rc != PAWL_OK)
		return rc;
	rc = rework_desk_node(&d, &node, err);
	if (rc == PAWL_OK)
		rc = cmd_own_id(ctx, "id", &id, err);
	if (rc == PAWL_OK)
		rc = read_document(ctx, &doc, err);
	if (rc == PAWL_OK)
		rc = rework_register(&d.work, node, &doc, id, &answer, err);
	if (rc == PAWL_OK)
		rework_desk_answer(&d, node, "has finding", &answer);
	rework_desk_close(&d);
	return rc;
}

const struct cmd cmd_task_finding = {
	.name = "task finding",
	.operands = "[RUN/]NODE",
	.summary = "register what an audit found in an attempt",
	.help = "acceptance_violation, reproducible_regression and "
		"security_or_integrity\n"
		"keep the attempt from passing, and say all that --file or the "
		"options can say;\n"
		"hardening is carried forward and refuses the outcome pass; "
		"advisory is free.\n"
		"The same finding again changes nothing.",
	.options = options,
	.page = "pawl-task",
	.aliases = "record-finding finding-record",
	.args_min = 1,
	.args_max = 1,
	.needs = CMD_NEEDS_COORDINATOR,
	.flags = CMD_MUTATES,
	.run = run,
};
