#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "cli/table.h"

enum {
	HELP_COLUMNS = 79,
};

static void
add_option(struct buf *b, const struct cmd_option *o)
{
	bool letter_only = o->letter != 0;

	if (letter_only) {
		buf_addf(b, " [-%c", o->letter);
	} else {
		buf_addf(b, " [--%s", o->name);
	}
	if (o->arg != NULL)
		buf_addf(b, " %s", o->arg);
	buf_add(b, o->repeatable ? STR("]...") : STR("]"));
}

void
cmd_synopsis(const struct cmd *cmd, struct buf *b)
{
	const struct cmd_option *o;

	buf_addf(b, "pawl %s", cmd->name);
	for (o = cmd->options; o != NULL && o->name != NULL; o++)
		add_option(b, o);
	if (cmd->operands[0] != '\0')
		buf_addf(b, " %s", cmd->operands);
	if ((cmd->flags & CMD_REST) != 0)
		buf_add(b, STR(" [-- CMD...]"));
}

static void
put_heading(struct out *o, const char *text)
{
	out_style(o, OUT_BOLD);
	out_f(o, "%s\n", text);
	out_style(o, OUT_PLAIN);
}

static void
put_summary(struct out *o, const struct cmd *cmd)
{
	out_f(o, "  %-16s  %s\n", cmd->name, cmd->summary);
}

void
help_overview(struct out *o)
{
	const struct table_group *g;

	out_text(o,
		"pawl drives a graph of work for coding agents: what may start "
		"now, what counts\nas done, where it stopped.  Every step is "
		"in an append-only journal.\n\n"
		"usage: pawl [-C DIR] [--state DIR] [--json] COMMAND ...\n\n");
	for (g = table_groups; g->title != NULL; g++) {
		put_heading(o, g->title);
		for (size_t i = 0; g->commands[i] != NULL; i++)
			put_summary(o, g->commands[i]);
		out_text(o, "\n");
	}
	out_text(o,
		"pawl help COMMAND explains one; pawl help errors lists what "
		"can go wrong.\n");
}

void
help_group(struct out *o, const char *group)
{
	struct table_iter it = { 0 };
	const struct table_group *of = NULL;
	const struct cmd *cmd;
	size_t len = strlen(group);

	out_f(o, "usage: pawl %s COMMAND ...\n\n", group);
	while ((cmd = table_next(&it)) != NULL) {
		if (strncmp(cmd->name, group, len) != 0 ||
			cmd->name[len] != ' ')
			continue;
		put_summary(o, cmd);
		of = it.group;
	}
	/* It is about the group as a whole. */
	if (of != NULL && of->about != NULL && strchr(group, ' ') == NULL)
		out_f(o, "\n%s", of->about);
	out_f(o, "\npawl help %s COMMAND explains one.\n", group);
}

static void
put_options(struct out *o, const struct cmd_option *options, unsigned flags)
{
	for (; options != NULL && options->name != NULL; options++) {
		char left[64];

		if ((options->heeded != 0 && (options->heeded & flags) == 0) ||
			(options->lacked & flags) != 0)
			continue;
		(void)snprintf(left, sizeof(left), "%c%c%s--%s%s%s%s",
			options->letter ? '-' : ' ',
			options->letter ? options->letter : ' ',
			options->letter ? ", " : "  ", options->name,
			options->arg ? " " : "",
			options->arg ? options->arg : "",
			options->repeatable ? "..." : "");
		out_f(o, "  %-24s  %s\n", left, options->help);
	}
}

/* The synopsis within HELP_COLUMNS, broken before an option or an operand. */
static void
put_usage(struct out *o, const char *synopsis)
{
	struct str rest = str_from(synopsis);
	size_t column = 0;

	out_text(o, "usage:");
	column = strlen("usage:");
	while (rest.len > 0) {
		struct str part = str_cut(&rest, ' ');
		bool open = part.ptr[0] == '[';

		/* what stands in brackets stays together */
		while (open && part.ptr[part.len - 1] != ']' &&
			part.ptr[part.len - 1] != '.' && rest.len > 0)
			part.len += 1 + str_cut(&rest, ' ').len;
		if (column + 1 + part.len > HELP_COLUMNS) {
			out_text(o, "\n          ");
			column = 10;
		}
		out_f(o, " " STR_FMT, STR_ARG(part));
		column += 1 + part.len;
	}
	out_text(o, "\n");
}

void
help_command(struct out *o, const struct cmd *cmd)
{
	struct buf b = { 0 };

	cmd_synopsis(cmd, &b);
	put_usage(o, b.data);
	buf_release(&b);
	out_f(o, "\n%s\n", cmd->help);
	if (cmd->options != NULL && cmd->options[0].name != NULL) {
		out_text(o, "\n");
		put_heading(o, "Options");
		put_options(o, cmd->options, cmd->flags);
	}
	out_text(o, "\n");
	put_heading(o, "Global options");
	put_options(o, cmd_globals, cmd->flags);
	out_f(o, "\nSee man %s.\n", cmd->page);
}

void
help_errors(struct out *o)
{
	out_text(o,
		"Codes of errors, with their exit status; + may be retried.\n"
		"Programs read them from error.code of the --json answer.\n\n");
	for (int i = 0; i < PAWL_CODE_COUNT; i++) {
		const struct pawl_code_info *c =
			pawl_code_info((enum pawl_code)i);

		out_f(o, "%2d%c %s", (int)c->rc, c->retryable ? '+' : ' ',
			c->word);
		if (*c->hint != '\0') {
			out_f(o, "%*s%s", 22 - (int)strlen(c->word), "",
				c->hint);
		}
		out_text(o, "\n");
	}
}

void
help_errors_json(struct json_writer *w)
{
	json_key(w, STR("errors"));
	json_open(w, '[');
	for (int i = 0; i < PAWL_CODE_COUNT; i++) {
		const struct pawl_code_info *c =
			pawl_code_info((enum pawl_code)i);

		json_open(w, '{');
		json_pair_str(w, STR("code"), str_from(c->word));
		json_pair_u64(w, STR("exit"), (uint64_t)c->rc);
		json_pair_bool(w, STR("retryable"), c->retryable);
		json_pair_str(w, STR("hint"), str_from(c->hint));
		json_close(w, '}');
	}
	json_close(w, ']');
}

static void
options_json(struct json_writer *w, const struct cmd_option *o)
{
	json_open(w, '[');
	for (; o != NULL && o->name != NULL; o++) {
		json_open(w, '{');
		json_pair_str(w, STR("name"), str_from(o->name));
		if (o->letter != 0) {
			json_pair_str(w, STR("letter"),
				(struct str){ &o->letter, 1 });
		}
		if (o->arg != NULL)
			json_pair_str(w, STR("value"), str_from(o->arg));
		json_pair_bool(w, STR("repeatable"), o->repeatable);
		json_pair_str(w, STR("help"), str_from(o->help));
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
help_command_json(struct json_writer *w, const struct cmd *cmd)
{
	static const char *const needs[] = {
		[CMD_NEEDS_NOTHING] = "nothing",
		[CMD_NEEDS_REPOSITORY] = "repository",
		[CMD_NEEDS_STATE] = "state",
		[CMD_NEEDS_RUN] = "run",
		[CMD_NEEDS_COORDINATOR] = "coordinator",
		[CMD_NEEDS_HUMAN] = "human",
	};
	struct buf b = { 0 };

	cmd_synopsis(cmd, &b);
	json_pair_str(w, STR("name"), str_from(cmd->name));
	json_pair_str(w, STR("synopsis"), buf_str(&b));
	buf_release(&b);
	json_pair_str(w, STR("summary"), str_from(cmd->summary));
	json_pair_str(w, STR("needs"), str_from(needs[cmd->needs]));
	json_pair_bool(w, STR("mutates"), (cmd->flags & CMD_MUTATES) != 0);
	json_pair_bool(w, STR("keyed"),
		(cmd->flags & (CMD_MUTATES | CMD_NO_KEY)) == CMD_MUTATES);
	json_pair_str(w, STR("page"), str_from(cmd->page));
	json_key(w, STR("options"));
	options_json(w, cmd->options);
}

void
help_json(struct json_writer *w)
{
	struct table_iter it = { 0 };
	const struct cmd *cmd;

	json_key(w, STR("global_options"));
	options_json(w, cmd_globals);
	json_key(w, STR("commands"));
	json_open(w, '[');
	while ((cmd = table_next(&it)) != NULL) {
		json_open(w, '{');
		help_command_json(w, cmd);
		json_close(w, '}');
	}
	json_close(w, ']');
}
