/*
 * help: what `pawl help` says, made from the table of commands.
 */
#ifndef PAWL_CLI_HELP_H
#define PAWL_CLI_HELP_H

#include "cli/cmd.h"

/* All commands by group; what `pawl` alone prints. */
void help_overview(struct out *o);

/* The commands whose first word is `group`. */
void help_group(struct out *o, const char *group);

/* One command: synopsis, paragraphs, options. */
void help_command(struct out *o, const struct cmd *cmd);

/* Every code: word, exit status, whether to retry, hint. */
void help_errors(struct out *o);

/* The table as members of the result: commands, errors. */
void help_json(struct json_writer *w);
void help_errors_json(struct json_writer *w);
void help_command_json(struct json_writer *w, const struct cmd *cmd);

#endif
