#include "cli/cmd.h"
#include "cli/driver_serve.h"

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *name = args_operand(&ctx->args, 0);
	enum builtin d;

	if (ctx->args.json)
		return pawl_fail(err, ERR_USAGE,
			"'pawl driver serve' speaks the driver protocol alone");
	if (!builtin_from(str_from(name), &d))
		return pawl_fail(err, ERR_DRIVER_NOT_FOUND,
			"driver '%s' isn't built in", name);
	return driver_serve(d, err);
}

const struct cmd cmd_driver_serve = {
	.name = "driver serve",
	.operands = "NAME",
	.summary = "speak the driver protocol for a built-in driver",
	.help = "Answers the requests on standard input on standard output, "
		"until "
		"its end, as\n"
		"docs/driver-protocol.md says, for 'host' or 'process': so "
		"they "
		"can be tried as\n"
		"any other driver, and by anyone who writes one. What is "
		"started is kept in the\n"
		"folder that PAWL_DRIVER_STATE names.",
	.page = "pawl-driver",
	.args_min = 1,
	.args_max = 1,
	.run = run,
};
