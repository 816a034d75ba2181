/*
 * source: what a run is made from, as it was typed: list, worker, secrets.
 */
#ifndef PAWL_CLI_SOURCE_H
#define PAWL_CLI_SOURCE_H

#include "cli/cmd.h"
#include "engine/launch.h"

enum { SOURCE_SLOTS = 2 }; /* workers at once, when nobody says */

/*
 * The bytes of the file at `path`, in ctx->mem.  `*ret_found` is false, and the
 * text empty, when there is none.
 */
PAWL_MUST_CHECK enum pawl_rc source_list(struct cmd_ctx *ctx, const char *path,
	bool *ret_found, struct str *ret_text, struct pawl_err *err);

/* Of one that must be there.  Errors: those of fs_read_document. */
PAWL_MUST_CHECK enum pawl_rc source_must_list(struct cmd_ctx *ctx,
	const char *path, struct str *ret_text, struct pawl_err *err);

/* The name of a list's process decision, in the list's folder. */
#define SOURCE_DECISION "process-decision.json"

struct source_decision {
	const char *path; /* NULL: there is none */
	struct str bytes;
};

/*
 * The decision that a run of the list freezes: the one that --decision names,
 * else the one beside the list, which is said as a notice; else none, and it
 * is derived.  Errors: ERR_FILE_NOT_FOUND, ERR_INVALID_DECISION when empty.
 */
PAWL_MUST_CHECK enum pawl_rc source_decision(struct cmd_ctx *ctx,
	const char *list, struct source_decision *ret_decision,
	struct pawl_err *err);

/* One of the two alone. */
PAWL_MUST_CHECK enum pawl_rc source_decision_named(struct cmd_ctx *ctx,
	struct source_decision *ret_decision, struct pawl_err *err);
PAWL_MUST_CHECK enum pawl_rc source_decision_beside(struct cmd_ctx *ctx,
	const char *list, struct source_decision *ret_decision,
	struct pawl_err *err);

/*
 * The worker's command behind `--`; without one `count` is 0.  A program with
 * a `/` is one of this folder, wherever the worker will be.
 */
PAWL_MUST_CHECK enum pawl_rc source_argv(
	struct cmd_ctx *ctx, struct strs *ret_argv, struct pawl_err *err);

#define SOURCE_AGENT_OPTION                                         \
	{                                                           \
		.name = "agent", .arg = "NAME",                     \
		.help = "run this agent, or the profile at a path", \
		.repeatable = true                                  \
	}

/* Who works: a command, or the first --agent with what is behind `--`. */
struct source_worker {
	struct strs argv;             /* none when nothing was said */
	struct str agent;             /* whose that is; empty: nobody's */
	struct agent_profiles agents; /* all that --agent names */
	bool has_args;                /* something is behind `--` */
};

/* Errors: those of source_argv, agents_find and agents_command; ERR_USAGE. */
PAWL_MUST_CHECK enum pawl_rc source_worker(struct cmd_ctx *ctx,
	struct source_worker *ret_worker, struct pawl_err *err);

/*
 * --sandbox, --read, --write and --check-net, as a run's options; paths as the
 * kernel knows them.  Errors: ERR_USAGE; ERR_FILE_NOT_FOUND.
 */
#define SOURCE_CAPACITY_OPTION                                      \
	{                                                           \
		.name = "capacity", .arg = "CLASS=N",               \
		.help = "how much there is of what tasks need (1)", \
		.repeatable = true                                  \
	}

/* What it says, each class once. */
PAWL_MUST_CHECK enum pawl_rc source_capacity(
	struct cmd_ctx *ctx, struct strs *ret_capacity, struct pawl_err *err);

#define SOURCE_CAGE_OPTIONS                                               \
	{ .name = "sandbox",                                              \
		.arg = "LEVEL",                                           \
		.help = "confine them: best-effort (default),"            \
			" required, off" },                               \
		{ .name = "read",                                         \
			.arg = "PATH",                                    \
			.help = "what they may read, besides their own",  \
			.repeatable = true },                             \
		{ .name = "write",                                        \
			.arg = "PATH",                                    \
			.help = "what they may write, and read",          \
			.repeatable = true },                             \
	{                                                                 \
		.name = "check-net", .help = "checks may use the network" \
	}

PAWL_MUST_CHECK enum pawl_rc source_cages(
	struct cmd_ctx *ctx, struct cage_wish *ret_wish, struct pawl_err *err);

/* The paths of a repeatable option, as the kernel knows them. */
PAWL_MUST_CHECK enum pawl_rc source_paths(struct cmd_ctx *ctx,
	const char *option, struct strs *ret_paths, struct pawl_err *err);

/* The level that --sandbox names; best-effort when it isn't there. */
PAWL_MUST_CHECK enum pawl_rc source_level(struct cmd_ctx *ctx,
	enum sandbox_level *ret_level, struct pawl_err *err);

/*
 * Is there a driver of this name, built in or a program that can be found?
 * Errors: ERR_INVALID_ARGUMENT, ERR_DRIVER_NOT_FOUND.
 */
PAWL_MUST_CHECK enum pawl_rc source_driver(
	struct str name, struct arena *mem, struct pawl_err *err);

/* The names of --secret. */
struct strs source_secrets(struct cmd_ctx *ctx);

/* The repository around this call; outside of one its top is the folder. */
PAWL_MUST_CHECK enum pawl_rc source_repo(
	struct cmd_ctx *ctx, struct repo *ret_repo, struct pawl_err *err);

#endif
