/*
 * ledger_door: a ledger that a verb works on, whichever door it came through.
 *
 * Two doors lead to a `struct ledger`: a checkpoint file, replaced as a whole,
 * and a ledger run with its journal.  A verb doesn't know which:
 *
 *	struct ledger_door door = LEDGER_DOOR_INIT;
 *
 *	rc = ledger_door_open(&door, ctx, DOOR_EDIT, &subject, err);
 *	...
 *	rc = ledger_door_propose(&door, &cmd, err);     decided and folded
 *	...                                             as often as wanted
 *	rc = ledger_door_commit(&door, err);            all of them, durable
 *	...
 *	ledger_door_close(&door);
 *
 * Between open and close an editor holds the ledger's lock; what it sees was
 * read under it.  After a refused proposal nothing is committed any more.  With
 * --dry-run the commit writes nothing.
 *
 * Which one is meant: `--file F` is that file.  Otherwise the operand is
 * [RUN/]NODE, where RUN is a ledger run or a folder of that name in
 * `.codex/graph-runs/` at the top of the repository; without RUN it is the only
 * open ledger of both kinds, else ERR_AMBIGUOUS_RUN has the list.
 */
#ifndef PAWL_CLI_LEDGER_DOOR_H
#define PAWL_CLI_LEDGER_DOOR_H

#include "cli/cmd.h"
#include "model/ledger_edit.h"

enum door_use {
	DOOR_READ, /* no lock, nothing is written */
	DOOR_EDIT,
};

struct ledger_door;

/* What a door does; `self` is what its opener made of it. */
struct ledger_door_ops {
	/*
	 * Decide on door->ledger as it is by now, and fold.  A run also looks
	 * at `cmd->gen` and the like here, if it has use for them.
	 */
	enum pawl_rc (*propose)(struct ledger_door *door,
		const struct command *cmd, struct pawl_err *err);
	/*
	 * Make durable what was proposed since the last commit, as one; fills
	 * door->seq.  Not called when nothing was proposed, or for --dry-run.
	 */
	enum pawl_rc (*commit)(struct ledger_door *door, struct pawl_err *err);
	void (*close)(struct ledger_door *door);
};

struct ledger_door {
	const struct ledger_door_ops *ops; /* NULL: not open */
	void *self;                        /* the door's own */
	struct cmd_ctx *ctx;
	struct ledger *ledger; /* settled whenever a verb looks at it */
	struct str name;       /* as people call it: the file, or the run */
	int base;          /* folder of the evidence's `artifacts/`, or -1 */
	uint64_t seq;      /* of the last line; 0 for a file */
	uint32_t proposed; /* since the last commit */
	bool again; /* --key: this was committed before; propose nothing */
};

#define LEDGER_DOOR_INIT   \
	{                  \
		.base = -1 \
	}

/* Options that every verb on a ledger takes: --file, --if-seq. */
#define LEDGER_DOOR_OPTIONS                                             \
	{ .name = "file",                                               \
		.arg = "FILE",                                          \
		.help = "the checkpoint file, instead of a run" },      \
	{                                                               \
		.name = "if-seq", .arg = "N",                           \
		.help = "only when the run's journal is still at line " \
			"N"                                             \
	}

/*
 * Open what the call means.  `ret_subject` is the first operand without its
 * RUN/, or empty when there is none; NULL: the verb has no NODE operand, and
 * the first operand, when there is one, is a RUN.
 *
 * Errors: ERR_RUN_NOT_FOUND, ERR_AMBIGUOUS_RUN, ERR_FILE_NOT_FOUND,
 * ERR_NOT_JSON, ERR_INVALID_LEDGER, ERR_BUSY, ERR_NOT_IGNORED, ERR_STALE_SEQ,
 * ERR_RUN_CLOSED.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_door_open(struct ledger_door *door,
	struct cmd_ctx *ctx, enum door_use use, struct str *ret_subject,
	struct pawl_err *err);

PAWL_MUST_CHECK enum pawl_rc ledger_door_propose(struct ledger_door *door,
	const struct command *cmd, struct pawl_err *err);

PAWL_MUST_CHECK enum pawl_rc ledger_door_commit(
	struct ledger_door *door, struct pawl_err *err);

/* Also of one that isn't open. */
void ledger_door_close(struct ledger_door *door);

#endif
