#include "cli/cmd.h"

/* clang-format off */
#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif
/* clang-format on */

#ifdef PAWL_TEST_HOOKS
#define TEST_HOOKS true
#else
#define TEST_HOOKS false
#endif

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	(void)err;
	if (!ctx->args.json) {
		out_text(&ctx->out, "pawl " PAWL_VERSION "\n");
		return PAWL_OK;
	}
	json_pair_str(&ctx->json, STR("version"), STR(PAWL_VERSION));
	json_pair_u64(&ctx->json, STR("journal_version"), 1);
	json_pair_u64(&ctx->json, STR("state_format"), 1);
	json_pair_str(&ctx->json, STR("compiler"), str_from(COMPILER));
	json_pair_bool(&ctx->json, STR("test_hooks"), TEST_HOOKS);
	return PAWL_OK;
}

const struct cmd cmd_version = {
	.name = "version",
	.operands = "",
	.summary = "print the version",
	.help = "Prints the version; with --json also how the program was "
		"built and which\nversions of the journal and of the state "
		"folder it writes.",
	.page = "pawl-init",
	.run = run,
};
