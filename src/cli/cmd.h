/*
 * cmd: what one command of the command line is.
 *
 * A command is one `const struct cmd` in a file of its own (cmd_NAME.c), and
 * table.c lists them.  Help, completion, the man pages' check and the parser
 * are made from that table and nothing else.
 *
 * Life of one call: main() makes a cmd_ctx; args_parse() finds the command and
 * reads its options; `run` does the work and *prints nothing*: people's text
 * goes to ctx->out, a program's to ctx->json (when ctx->args.json asks for it).
 * Both are written by answer.c, once, after `run` succeeded, and the write is
 * checked.  So a command that fails half way leaves no half answer.
 *
 *	static enum pawl_rc
 *	run(struct cmd_ctx *ctx, struct pawl_err *err)
 *	{
 *		...
 *		if (ctx->args.json)
 *			json_pair_str(&ctx->json, STR("run"), id);
 *		else
 *			out_data(&ctx->out, id);
 *		return PAWL_OK;
 *	}
 *
 * The result is one JSON object that is open already: a command only adds
 * members, or asks for a writer of a whole value by cmd_whole().  A refusal
 *that consists of findings writes its answer, sets ctx->findings and returns
 *the error: then both are shown.  A stream (`log
 * --follow`) calls cmd_flush() after each document.
 */
#ifndef PAWL_CLI_CMD_H
#define PAWL_CLI_CMD_H

#include "base/arena.h"
#include "base/err.h"
#include "cli/args.h"
#include "cli/out.h"
#include "engine/runs.h"
#include "engine/statedir.h"
#include "os/clock.h"
#include "text/json.h"

enum cmd_needs {
	CMD_NEEDS_NOTHING,
	CMD_NEEDS_REPOSITORY,  /* ctx->state is found; nothing is opened */
	CMD_NEEDS_STATE,       /* ctx->state_fd is open, or -1: none is there */
	CMD_NEEDS_RUN,         /* as above; the command finds the run */
	CMD_NEEDS_COORDINATOR, /* as above, with the authority over it */
	CMD_NEEDS_HUMAN,       /* as above; refused inside a worker */
};

enum cmd_flags {
	CMD_MUTATES = 1 << 0, /* changes the journal or the world */
	CMD_REST = 1 << 1,    /* takes `-- CMD...` */
	/*
	 * Reads runs, or appends what a human said, and looks at nothing else:
	 * no repository, worktree or key (statedir_enter).
	 */
	CMD_ONLY_RUNS = 1 << 2,
	CMD_WRITES = 1 << 3, /* a file, when asked to; heeds --dry-run */
	/*
	 * It mutates and has no --key: done again it comes to the same end, or
	 * says that it was done.  All others that mutate honour one.
	 */
	CMD_NO_KEY = 1 << 4,
};

struct cmd_option {
	const char *name; /* long, without dashes */
	const char *arg;  /* name of its value in help; NULL is a flag */
	const char *help; /* one line */
	char letter;      /* short, or 0 */
	bool repeatable;
	unsigned
		heeded; /* a global one: by commands with such a flag; 0: all */
	unsigned lacked; /* a global one: commands with such a flag have not */
};

/* What is read of the environment, once. */
struct cmd_env {
	struct statedir_env state;
	const char *as;      /* PAWL_AS: as if --as had been given */
	const char *worker;  /* PAWL_ATTEMPT: we are inside a worker */
	const char *check;   /* PAWL_CHECK: inside a check that pawl runs */
	const char *node;    /* PAWL_NODE: its task */
	const char *capsule; /* PAWL_CAPSULE: what it was told */
	const char *outbox;  /* PAWL_OUTBOX: where a worker delivers */
};

struct cmd_ctx {
	struct arena *mem; /* of the whole call */
	const struct cmd *cmd;
	const struct cmd_env *env;
	struct args args;
	const struct fs *fs;
	struct clock clock;
	struct rand rand;
	struct statedir state;   /* from CMD_NEEDS_REPOSITORY on */
	int state_fd;            /* from CMD_NEEDS_STATE on; or -1 */
	struct out out;          /* text for people */
	struct json_writer json; /* inside the result's object */
	struct buf result;       /* what `json` has written */
	int signo;               /* it ended by this signal; or 0 */
	bool whole;              /* cmd_whole was called */
	bool findings;           /* an error's result is shown, too */
	bool streamed;           /* cmd_flush was called */
};

typedef enum pawl_rc cmd_fn(struct cmd_ctx *ctx, struct pawl_err *err);

struct cmd {
	const char *name;     /* up to three words: "task ready" */
	const char *operands; /* for the synopsis: "LIST|RUN"; or "" */
	const char *summary;  /* what it does, in one line, imperative */
	const char *help;     /* paragraphs, lines of at most 76 bytes */
	const struct cmd_option
		*options;       /* ends with a name of NULL; or NULL */
	const char *page;       /* the man page, without ".1" */
	const char *aliases;    /* separated by spaces; or NULL */
	int args_min, args_max; /* a max of -1 is no bound */
	enum cmd_needs needs;
	unsigned flags; /* of enum cmd_flags */
	cmd_fn *run;
};

/* The options that every command knows; ends with a name of NULL. */
extern const struct cmd_option cmd_globals[];

/* Add "pawl run [-j N] LIST|RUN [-- CMD...]". */
void cmd_synopsis(const struct cmd *cmd, struct buf *b);

/*
 * The run that the operand at `index` means; without one, the only active run.
 * A command that mutates wants the whole name.  Errors: those of runs_find.
 */
PAWL_MUST_CHECK enum pawl_rc cmd_run_id(const struct cmd_ctx *ctx, size_t index,
	struct str *ret_id, struct pawl_err *err);

/*
 * The id that an option gives; empty without the option, and only then: a
 * script's empty variable isn't "whichever".  Errors: those of id_check.
 */
PAWL_MUST_CHECK enum pawl_rc cmd_own_id(const struct cmd_ctx *ctx,
	const char *option, struct str *ret_id, struct pawl_err *err);

/* The writer for a result that is written as one whole value. */
struct json_writer *cmd_whole(struct cmd_ctx *ctx);

/* Say something beside the answer, on stderr: "pawl: note: text". */
void cmd_notice(const struct cmd_ctx *ctx, const char *fmt, ...)
	PAWL_PRINTF(2, 3);

/*
 * Write what stands in `out`, or the result as a document of its own, now.
 *
 * Errors: ERR_OUTPUT; when the reader went away, too (the caller stops).
 */
PAWL_MUST_CHECK enum pawl_rc cmd_flush(
	struct cmd_ctx *ctx, struct pawl_err *err);

#endif
