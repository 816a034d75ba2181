/*
 * answer: how one call ends: text or one JSON document, and an exit status.
 *
 *	{"ok":true,"command":"where","result":{...}}
 *	{"ok":false,"command":"plan","error":{"code":...,"message":...,
 *	 "hint":...,"field":...,"retryable":...,"details":...},"result":{...}}
 *
 * Without --json an error is two lines on stderr; with it, the document on
 * stdout is all.  When stdout cannot be written the error goes to stderr and
 * the status is that of ERR_OUTPUT; a reader that went away (EPIPE) is no
 * error worth a word: the status is then 141, as if SIGPIPE had ended it.
 */
#ifndef PAWL_CLI_ANSWER_H
#define PAWL_CLI_ANSWER_H

#include "cli/cmd.h"

enum {
	ANSWER_READER_GONE = 128 + 13,
};

/* Begin: the result's object is open. */
void answer_begin(struct cmd_ctx *ctx);

/* Write the answer of a command that returned `rc`; the exit status. */
int answer_end(struct cmd_ctx *ctx, enum pawl_rc rc, struct pawl_err *err);

#endif
