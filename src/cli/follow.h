/*
 * follow: a run's journal under the eyes of a command that shows what is new.
 *
 *	loop_open(&loop)
 *	follow_begin(&f, &loop)         show() once, and whenever it has grown
 *	loop_step(&loop), ...           until its user has seen enough
 *
 * It ends with its reader and with its run: nothing more can be shown then, and
 * nobody would tell a program that waits for the next line.
 */
#ifndef PAWL_CLI_FOLLOW_H
#define PAWL_CLI_FOLLOW_H

#include "cli/cmd.h"
#include "os/loop.h"

/* Read on, and say what is new. */
typedef enum pawl_rc follow_fn(void *arg, struct pawl_err *err);

struct follow {
	const struct cmd_ctx *ctx;
	struct str run;
	follow_fn *show;
	void *arg;
};

/*
 * From now on; `f` stays where it is as long as the loop.  What came between an
 * earlier reading and this call is shown, too.
 *
 * Errors, also of the loop's steps: those of show(); ERR_OUTPUT with EPIPE when
 * the reader of a pipe is gone; ERR_RUN_NOT_FOUND when the journal is removed.
 */
PAWL_MUST_CHECK enum pawl_rc follow_begin(
	struct follow *f, struct loop *loop, struct pawl_err *err);

#endif
