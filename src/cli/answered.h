/*
 * answered: what a verb says that has answered, granted or denied what was
 * asked: `pawl answer`, `approve`, `deny` and `task answer`.
 */
#ifndef PAWL_CLI_ANSWERED_H
#define PAWL_CLI_ANSWERED_H

#include "cli/cmd.h"
#include "engine/run.h"

/*
 * Put the answer into the worker's outbox, when a worker asked, and say that it
 * is `done` ("answered"); `again`: it was before.  A worker that can't be told
 * yet is told later, and a notice says so.
 */
void answered_show(struct cmd_ctx *ctx, const struct run *r, uint32_t ask,
	const char *done, bool again);

#endif
