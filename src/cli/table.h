/*
 * table: all commands, in the order in which help shows them.
 */
#ifndef PAWL_CLI_TABLE_H
#define PAWL_CLI_TABLE_H

#include "cli/cmd.h"

/* Commands of one heading of `pawl help`. */
struct table_group {
	const char *title;
	const struct cmd *const *commands; /* ends with NULL */
	const char *about; /* for `pawl help WORD`; may be NULL */
};

extern const struct table_group table_groups[]; /* ends with a title of NULL */

/* The command of that name or alias, or NULL. */
const struct cmd *table_find(struct str name);

/* Whether commands with more words begin with these. */
bool table_has_first(struct str word);

/*
 * The name that is nearest to `name`, or NULL when none is near: a third of its
 * bytes, at least one, may differ.
 */
const char *table_nearest(struct str name);

/* The option of the command (NULL: none) or the global one, or NULL. */
const struct cmd_option *table_option(const struct cmd *cmd, struct str name);
const struct cmd_option *table_letter(const struct cmd *cmd, char letter);
const char *table_nearest_option(const struct cmd *cmd, struct str name);

/* Walk the commands: NULL gives the first, the last gives NULL. */
struct table_iter {
	const struct table_group *group;
	size_t index;
};
const struct cmd *table_next(struct table_iter *it);

#endif
