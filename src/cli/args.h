/*
 * args: argv, read by the table of commands.
 *
 *	pawl [global options] WORD [WORD [WORD]] [options] [operands] [--
 *CMD...]
 *
 * Global options may stand anywhere before `--`.  `--x V` and `--x=V` are the
 * same; a value that begins with `--` needs the second form.  `-j 4` and `-j4`
 * are the same.  Where a command takes no CMD, `--` makes the rest operands.
 * Everything is a view of argv, which lives as long as the process.
 */
#ifndef PAWL_CLI_ARGS_H
#define PAWL_CLI_ARGS_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct cmd;
struct cmd_option;

struct arg_value {
	const struct cmd_option *option;
	const char *text; /* NULL for a flag */
};

VEC_DEF(arg_values, struct arg_value);
VEC_DEF(arg_words, const char *);

struct args {
	const struct cmd *cmd; /* NULL: none was named */
	const char *group;     /* "task", "task recover": another follows */
	char words[64];        /* of a command with several, until the last */
	const char *repo;      /* -C, --repo; or NULL */
	const char *state;     /* --state; or NULL */
	const char *as;        /* --as; or NULL */
	const char *key;       /* --key; or NULL */
	bool json;
	bool dry_run;
	bool help;
	bool version;
	struct arg_words operands;
	char **rest;               /* after `--`, ends with NULL; or NULL */
	struct arg_values options; /* of the command, in order */
};

/*
 * Read argv[1..]; `as` is what --as is when it isn't given, or NULL.  On
 * failure `ret_args` holds what was read so far, so that the error can be
 * written as JSON when that was asked.
 *
 * Errors: ERR_UNKNOWN_COMMAND, ERR_UNKNOWN_OPTION (both with the nearest name
 * as hint), ERR_USAGE, ERR_INVALID_ID (--as), ERR_INVALID_ARGUMENT (--key).
 */
PAWL_MUST_CHECK enum pawl_rc args_parse(int argc, char **argv, const char *as,
	struct args *ret_args, struct pawl_err *err);
void args_release(struct args *args);

/*
 * What was given for an option of the command; asserts that it has it.
 *
 * The (first) value, or NULL; whether it was given; the value at `index` of a
 * repeatable one, or NULL after the last.
 */
const char *args_value(const struct args *args, const char *name);
bool args_has(const struct args *args, const char *name);
const char *args_value_at(
	const struct args *args, const char *name, size_t index);

/*
 * A number between `min` and `max`; `*ret_n` is left alone when the option was
 * not given.  Errors: ERR_INVALID_ARGUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc args_u64(const struct args *args, const char *name,
	uint64_t min, uint64_t max, uint64_t *ret_n, struct pawl_err *err);

/* The operand at `index`, or NULL. */
const char *args_operand(const struct args *args, size_t index);

#endif
