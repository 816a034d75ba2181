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
 * open ledger of all kinds (to read, the only one at all when none is open),
 * else ERR_AMBIGUOUS_RUN has the list.
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

/* What an open door does; `self` is what its opener made of it. */
struct ledger_door_ops {
	/* Decide on door->ledger as it is by now, and fold. */
	enum pawl_rc (*propose)(struct ledger_door *door,
		const struct command *cmd, struct pawl_err *err);
	/*
	 * Make durable what was proposed since the last commit, as one, and
	 * fill door->seq; with --dry-run only say whether it could be.
	 */
	enum pawl_rc (*commit)(struct ledger_door *door, struct pawl_err *err);
	void (*close)(struct ledger_door *door);
};

struct ledger_door {
	const struct ledger_door_ops *ops; /* NULL: not open */
	void *self;                        /* the door's own */
	struct cmd_ctx *ctx;
	struct str content; /* bytes that the verb read, for --key; or empty */
	struct ledger *ledger; /* settled after open and commit */
	struct str name;       /* as people call it: the file, or the run */
	const char *attempts;  /* in `base`: the list of engine/evidence.h */
	int base;              /* folder of `artifacts/`; -1: there is none */
	uint64_t seq;          /* of the last line; 0 for a file */
	uint32_t proposed;     /* since the last commit */
	bool is_file;
	bool writes; /* so may what goes beside it: artifacts, `attempts` */
	bool again;  /* --key: it was committed before; propose nothing */
	struct repo repo;
	bool has_repo;
	bool has_looked; /* for the repository */
};

#define LEDGER_DOOR_INIT   \
	{                  \
		.base = -1 \
	}

/* A ledger that may be meant. */
struct door_name {
	struct str id;
	bool open; /* not COMPLETE, or not closed */
};

VEC_DEF(door_names, struct door_name);

/* How doors of one kind are found and opened. */
struct ledger_door_kind {
	/* All that there are, in any order; ids live in door->ctx->mem. */
	enum pawl_rc (*list)(struct ledger_door *door, struct door_names *names,
		struct pawl_err *err);
	/* Errors: ERR_RUN_NOT_FOUND when this kind has none of that id. */
	enum pawl_rc (*open)(struct ledger_door *door, struct str id,
		enum door_use use, struct pawl_err *err);
};

/* Checkpoints in `.codex/graph-runs/`, and runs with a journal. */
extern const struct ledger_door_kind ledger_door_files;

/* What verbs on a ledger take: those that don't heed --if-seq only a file. */
#define LEDGER_DOOR_FILE                                           \
	{                                                          \
		.name = "file", .arg = "FILE",                     \
		.help = "the checkpoint in FILE, instead of a run" \
	}
#define LEDGER_DOOR_IF_SEQ                                                 \
	{                                                                  \
		.name = "if-seq", .arg = "N",                              \
		.help = "only when the run's journal still ends at line N" \
	}
#define LEDGER_DOOR_OPTIONS LEDGER_DOOR_FILE, LEDGER_DOOR_IF_SEQ

/*
 * Open what the call means.  `ret_subject` becomes the first operand without
 * its RUN/; NULL: the verb has no NODE, and its first operand, if there is one,
 * is a RUN.
 *
 * Errors: ERR_RUN_NOT_FOUND, ERR_AMBIGUOUS_RUN, ERR_FILE_NOT_FOUND,
 * ERR_NOT_JSON, ERR_INVALID_LEDGER, ERR_BUSY, ERR_STALE_SEQ, ERR_RUN_CLOSED,
 * ERR_INVALID_ARGUMENT for --key and --if-seq with a file.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_door_open(struct ledger_door *door,
	struct cmd_ctx *ctx, enum door_use use, struct str *ret_subject,
	struct pawl_err *err);

/* As a call that says nothing of a file; without `id` the only one. */
PAWL_MUST_CHECK enum pawl_rc ledger_door_open_id(struct ledger_door *door,
	struct cmd_ctx *ctx, enum door_use use, struct str id,
	struct pawl_err *err);

/* The checkpoint at `path`, which people call `name`. */
PAWL_MUST_CHECK enum pawl_rc ledger_door_open_file(struct ledger_door *door,
	struct str name, const char *path, enum door_use use,
	struct pawl_err *err);

/* Where the checkpoint of that id lies; door->has_repo. */
struct str ledger_door_file_path(const struct ledger_door *door, struct str id);

/*
 * Begin a new checkpoint at `path`; `ledger_started` is to be proposed.  With
 * `make` the folder is made when it is missing, but not before it is known that
 * a ledger may lie there.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_door_new_file(struct ledger_door *door,
	struct cmd_ctx *ctx, const char *path, bool make, struct pawl_err *err);

/* Errors: those of ledger_decide(), and the door's own. */
PAWL_MUST_CHECK enum pawl_rc ledger_door_propose(struct ledger_door *door,
	const struct command *cmd, struct pawl_err *err);

/*
 * Errors: ERR_INVALID_LEDGER; ERR_NOT_IGNORED, and then the answer has the
 * capsule of the ledger with what was proposed; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_door_commit(
	struct ledger_door *door, struct pawl_err *err);

/* Also of one that isn't open. */
void ledger_door_close(struct ledger_door *door);

/* Where this call stands, looked up once: door->repo, when door->has_repo. */
PAWL_MUST_CHECK enum pawl_rc ledger_door_look(
	struct ledger_door *door, struct pawl_err *err);

/* The state folder of the call, opened once: ctx->state_fd, or -1. */
PAWL_MUST_CHECK enum pawl_rc ledger_door_state(
	struct ledger_door *door, struct pawl_err *err);

/*
 * What a --key stands for: the verb with its operands and options, and the
 * content.
 */
struct str ledger_door_request(const struct ledger_door *door);

#endif
