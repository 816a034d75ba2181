#include <string.h>

#include "cli/table.h"

static void
put_options(struct buf *b, const struct cmd_option *o)
{
	for (; o != NULL && o->name != NULL; o++)
		buf_addf(b, " --%s", o->name);
}

/* One case a command: what may follow its words. */
static void
put_cases(struct buf *b)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;

	while ((cmd = table_next(&it)) != NULL) {
		if (cmd->options == NULL)
			continue;
		buf_addf(b, "\t'%s') own='", cmd->name);
		put_options(b, cmd->options);
		buf_add(b, STR("' ;;\n"));
	}
}

static void
put_names(struct buf *b)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;

	while ((cmd = table_next(&it)) != NULL)
		buf_addf(b, "\n%s", cmd->name);
}

static void
put_bash(struct buf *b)
{
	buf_add(b,
		STR("# bash completion for pawl; "
		    "use: source <(pawl completion bash)\n"
		    "_pawl()\n{\n"
		    "\tlocal word=${COMP_WORDS[COMP_CWORD]} cmd= own= i w\n"
		    "\tlocal names='"));
	put_names(b);
	buf_add(b, STR("'\n\tlocal globals='"));
	put_options(b, cmd_globals);
	buf_add(b,
		STR("'\n\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		    "\t\tw=${COMP_WORDS[i]}\n"
		    "\t\tcase $w in\n"
		    "\t\t--) compopt -o default; return ;;\n"
		    "\t\t-C | --repo | --state | --as | --key) ((i++)) ;;\n"
		    "\t\t-*) ;;\n"
		    "\t\t*) cmd=\"${cmd:+$cmd }$w\"\n"
		    "\t\t   grep -qxF -- \"$cmd\" <<<\"$names\" && break ;;\n"
		    "\t\tesac\n"
		    "\tdone\n"
		    "\tcase $cmd in\n"));
	put_cases(b);
	buf_add(b,
		STR("\tesac\n"
		    "\tif [[ $word == -* ]]; then\n"
		    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$own "
		    "$globals\" -- \"$word\")\n"
		    "\telif [[ $cmd ]] && grep -qxF -- \"$cmd\" <<<\"$names\"; "
		    "then\n"
		    "\t\tcompopt -o default\n"
		    "\telse\n"
		    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$(sed -n "
		    "\"s/^${cmd:+$cmd }//p\" <<<\"$names\" | cut -d' ' -f1)\" "
		    "-- \"$word\")\n"
		    "\tfi\n"
		    "}\n"
		    "complete -F _pawl pawl\n"));
}

static enum pawl_rc
run(struct cmd_ctx *ctx, struct pawl_err *err)
{
	const char *shell = args_operand(&ctx->args, 0);
	struct buf b = { 0 };

	if (strcmp(shell, "bash") != 0) {
		(void)pawl_fail(err, ERR_INVALID_ARGUMENT,
			"no completion for the shell '%s'", shell);
		return pawl_hint(err, "pawl completion bash");
	}
	put_bash(&b);
	if (ctx->args.json) {
		json_pair_str(&ctx->json, STR("script"), buf_str(&b));
	} else {
		out_text(&ctx->out, b.data);
	}
	buf_release(&b);
	return PAWL_OK;
}

const struct cmd cmd_completion = {
	.name = "completion",
	.operands = "bash",
	.summary = "print a completion script",
	.help = "Prints a script for bash, made from the same table as help:\n"
		"    source <(pawl completion bash)",
	.page = "pawl-init",
	.args_min = 1,
	.args_max = 1,
	.run = run,
};
