/*
 * orca: the operations of docs/driver-protocol.md, with workers in terminals of
 * a running Orca (docs/decisions/059).
 *
 * A worker runs where pawl says, in a worktree that pawl made and that orca
 * lists; nothing of orca's but one terminal an attempt is made, and nothing
 * else is ended.  How a worker is and how it ended is known from processes of
 * this machine (orca_attempt.h), not from what a terminal shows.
 */
#ifndef PAWL_DRIVER_ORCA_H
#define PAWL_DRIVER_ORCA_H

#include "driver/serve.h"

struct orca {
	const char *state;   /* PAWL_DRIVER_STATE; NULL: none */
	const char *program; /* this one: what a terminal runs */
};

extern const struct serve_ops orca_ops; /* their `arg` is a struct orca */

/* orca_describe.c, orca_start.c; the other operations stand in orca.c. */
serve_fn orca_describe, orca_select, orca_start;

#endif
