/*
 * plumbing: a run, its repository and a manual pilot over it, for one verb of a
 * coordinator (engine/plumb.h).
 *
 *	struct plumbing pl = PLUMBING_NONE;
 *
 *	place_open_coordinated(ctx, 0, &pl.run, err)    or ..._subject()
 *	plumbing_open(ctx, &pl, err)
 *	... &pl.pilot ...
 *	plumbing_close(&pl)
 */
#ifndef PAWL_CLI_PLUMBING_H
#define PAWL_CLI_PLUMBING_H

#include <limits.h>

#include "cli/cmd.h"
#include "engine/plumb.h"

/* Not to be copied once it is open. */
struct plumbing {
	struct run run; /* opened and entered by the caller */
	struct repo repo;
	struct pilot pilot;
	struct pilot_config
		config; /* `driver` and `worker` may be set before */
	char child[PATH_MAX];
};

#define PLUMBING_NONE               \
	{                           \
		.run = {.dir = -1 } \
	}

/*
 * The pilot over pl->run.  Errors: those of source_repo, monitor_program and
 * plumb_open; plumbing_close() closes what there is.
 */
PAWL_MUST_CHECK enum pawl_rc plumbing_open(
	struct cmd_ctx *ctx, struct plumbing *pl, struct pawl_err *err);
void plumbing_close(struct plumbing *pl);

/* A call that was interrupted ends by that signal. */
void plumbing_signal(struct cmd_ctx *ctx, const struct plumbing *pl);

#endif
