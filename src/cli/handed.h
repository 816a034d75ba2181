/*
 * handed: the answer of what leaves a run to be claimed.
 *
 * `task start` and `task transfer` end with a vacant run: where its capsule
 * lies, and the command with which its coordinator goes on.
 */
#ifndef PAWL_CLI_HANDED_H
#define PAWL_CLI_HANDED_H

#include "cli/cmd.h"
#include "engine/run.h"

/* The capsule and the claim of a vacant run, as members or as lines. */
void handed_answer(struct cmd_ctx *ctx, const struct run *r);

#endif
