#include "base/num.h"
#include "cli/cmd.h"
#include "engine/driver_kit.h"
#include "model/capability.h"
#include "os/program.h"

static const struct cmd_option options[] = {
	{ .name = "rule",
		.arg = "N",
		.help = "only the rule with this number",
		.repeatable = true },
	{ .name = NULL },
};

/* What was told so far. */
struct report {
	struct cmd_ctx *ctx;
	uint32_t rules;
	uint32_t skipped;
};

static void
told(void *arg, uint32_t number, const char *rule, enum kit_outcome outcome,
	const char *why)
{
	static const char *const words[] = { [KIT_KEPT] = "kept",
		[KIT_BROKEN] = "broken",
		[KIT_SKIPPED] = "skipped" };
	struct report *r = arg;
	struct cmd_ctx *ctx = r->ctx;

	r->rules++;
	r->skipped += outcome == KIT_SKIPPED;
	if (ctx->args.json) {
		json_open(&ctx->json, '{');
		json_pair_u64(&ctx->json, STR("number"), number);
		json_pair_str(&ctx->json, STR("rule"), str_from(rule));
		json_pair_str(
			&ctx->json, STR("outcome"), str_from(words[outcome]));
		json_pair_str_or_null(&ctx->json, STR("why"), str_from(why));
		json_close(&ctx->json, '}');
		return;
	}
	out_f(&ctx->out, "%sok %u - %s", outcome == KIT_BROKEN ? "not " : "",
		number, rule);
	if (outcome != KIT_KEPT) {
		out_text(&ctx->out,
			outcome == KIT_SKIPPED ? " # SKIP " : "\n# ");
		out_data(&ctx->out, str_from(why));
	}
	out_text(&ctx->out, "\n");
}

/* A built-in one is asked through the same protocol, by another of us. */
static enum pawl_rc
find(struct cmd_ctx *ctx, const char *name, struct driver_client *ret_client,
	struct pawl_err *err)
{
	const char **args = arena_array(ctx->mem, 4, const char *);
	char path[PATH_MAX];
	enum builtin d;
	enum pawl_rc rc;

	if (!builtin_from(str_from(name), &d))
		return driver_client_find(
			ret_client, str_from(name), ctx->mem, err);
	rc = program_self(path, err);
	if (rc != PAWL_OK)
		return rc;
	args[0] = "driver";
	args[1] = "serve";
	args[2] = name;
	*ret_client = (struct driver_client){ .name = name,
		.program = arena_strdup(ctx->mem, str_from(path)),
		.args = args };
	return PAWL_OK;
}

static enum pawl_rc
rules_read(struct cmd_ctx *ctx, uint64_t *ret_rules, struct pawl_err *err)
{
	const char *word;
	uint64_t n;

	for (uint32_t i = 0;
		(word = args_value_at(&ctx->args, "rule", i)) != NULL; i++) {
		if (num_u64(str_from(word), 1, driver_kit_rules(), &n, err) !=
			PAWL_OK)
			return pawl_fail(err, ERR_USAGE,
				"'%s' is no rule: they go from 1 to %u", word,
				driver_kit_rules());
		*ret_rules |= UINT64_C(1) << (n - 1);
	}
	return PAWL_OK;
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *name = args_operand(&ctx->args, 0);
	struct report report = { .ctx = ctx };
	struct kit_choice choice = { .told = told, .arg = &report };
	struct driver_client client;
	uint32_t broken = 0;
	enum pawl_rc rc = rules_read(ctx, &choice.rules, err);

	if (rc == PAWL_OK)
		rc = find(ctx, name, &client, err);

	if (rc != PAWL_OK)
		return rc;
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("driver"), str_from(name));
		json_key(&ctx->json, STR("rules"));
		json_open(&ctx->json, '[');
	}
	rc = driver_kit_run(&client, &choice, &broken, err);
	if (ctx->args.json) {
		json_close(&ctx->json, ']');
		json_pair_u64(&ctx->json, STR("broken"), broken);
		json_pair_u64(&ctx->json, STR("skipped"), report.skipped);
	} else {
		out_f(&ctx->out, "1..%u\n",
			choice.rules == 0 ? report.rules : driver_kit_rules());
	}
	if (rc != PAWL_OK || broken == 0)
		return rc;
	ctx->findings = true;
	(void)pawl_fail(err, ERR_DRIVER_UNSUPPORTED,
		"driver '%s' doesn't keep %u of %u rules", name, broken,
		report.rules);
	return pawl_hint(err, "see docs/driver-protocol.md");
}

const struct cmd cmd_driver_test = {
	.name = "driver test",
	.operands = "NAME",
	.summary = "try whether a driver keeps the protocol's rules",
	.help = "Starts attempts by the driver NAME, in a temporary folder "
		"with a "
		"repository and\n"
		"workers of its own, and says for each rule of the driver "
		"protocol whether it is\n"
		"kept, as TAP lines. What the driver says it can't do is "
		"passed "
		"over. All that\n"
		"was started is ended, and the folder removed.\n"
		"\n"
		"Exit status: 0 when all rules are kept, 1 when one isn't.",
	.options = options,
	.page = "pawl-driver",
	.args_min = 1,
	.args_max = 1,
	.run = run,
};
