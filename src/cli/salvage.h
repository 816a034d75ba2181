/*
 * salvage: what a run that was stopped leaves of its workers' work, and where.
 *
 * Nothing is lost by a stop: what an attempt changed is kept as a patch, what
 * has reported stands in its worktree, what is integrated is on the run's
 * branch.  Where these are is told at the end, once for all workers.
 */
#ifndef PAWL_CLI_SALVAGE_H
#define PAWL_CLI_SALVAGE_H

#include "cli/cmd.h"
#include "engine/run.h"

/* The changes of an attempt, as an artifact of its run. */
struct salvage_patch {
	struct str attempt;
	struct str sha256;
	struct salvage_patch *next;
};

/* Zeroed, it is empty; what is in it lives in the command's arena. */
struct salvage {
	struct salvage_patch *first, *last;
};

/* Note what events say of patches. */
void salvage_note(struct salvage *s, const struct event *events, size_t count,
	struct arena *mem);

/* Say it, a line each; nothing when there is nothing. */
void salvage_say(
	const struct salvage *s, struct cmd_ctx *ctx, const struct run *r);

#endif
