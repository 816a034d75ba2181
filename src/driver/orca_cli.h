/*
 * orca_cli: questions to the `orca` command line, and what it says.
 *
 * One table (orca_cli.c) has all command lines that are used, and the member of
 * a reply's `result` that each relies on.  With `--json` orca says one object:
 *
 *	{"ok":true,"result":{…},"_meta":{"runtimeId":"…"}}
 *	{"ok":false,"error":{"code":"…","message":"…"}}
 *
 * It is trusted with nothing: a reply has a time limit and is bounded, strict
 * JSON; what isn't is no reply.
 */
#ifndef PAWL_DRIVER_ORCA_CLI_H
#define PAWL_DRIVER_ORCA_CLI_H

#include "driver/serve.h"

enum { ORCA_WORDS_MAX = 8, ORCA_REPLY_BYTES = 4 << 20 };

enum orca_call {
	ORCA_STATUS,          /* no argument */
	ORCA_WORKTREE_SHOW,   /* selector */
	ORCA_TERMINAL_CREATE, /* selector, title, command */
	ORCA_TERMINAL_LIST,   /* selector */
	ORCA_TERMINAL_CLOSE,  /* handle */
	ORCA_CALL_COUNT,
};

/* The command that is asked. */
struct orca_cli {
	const char *words[ORCA_WORDS_MAX]; /* its first ones */
	uint32_t count;
};

struct orca_reply {
	const struct json *value; /* the member that the call relies on */
	struct str runtime;       /* who answered; empty: it doesn't say */
	bool whole;               /* `truncated` is there, and false */
};

/*
 * ORCA_CLI_COMMAND, split at its spaces; else the first of orca-dev, orca-ide
 * and orca that is on PATH.  Never another one than that.  Texts are in `mem`.
 * Fails with SERVE_UNAVAILABLE.
 */
bool orca_cli_find(struct orca_cli *ret_cli, struct arena *mem,
	struct serve_failure *failure);

/*
 * Ask, with as many arguments as the call has.
 *
 * Fails with SERVE_UNAVAILABLE when nothing was made: no such program, no
 * runtime, or no reply to a question that makes nothing; SERVE_UNKNOWN when a
 * question that may make something got none; SERVE_NOT_FOUND when what an
 * argument names isn't there; SERVE_REFUSED for other errors of orca's.
 */
bool orca_ask(const struct orca_cli *cli, enum orca_call call,
	const char *const *args, struct arena *mem,
	struct orca_reply *ret_reply, struct serve_failure *failure);

/*
 * A runtime that is there and ready: its id.  Fails as orca_ask(), and with
 * SERVE_UNAVAILABLE when there is none; `*ret_down` is then whether orca itself
 * says that none runs.
 */
bool orca_runtime(const struct orca_cli *cli, struct arena *mem,
	struct str *ret_runtime, bool *ret_down, struct serve_failure *failure);

#endif
