/*
 * ledger_door_run: the door to ledgers that are runs with a journal.
 */
#ifndef PAWL_CLI_LEDGER_DOOR_RUN_H
#define PAWL_CLI_LEDGER_DOOR_RUN_H

#include "cli/ledger_door.h"
#include "engine/ledger_run.h"

extern const struct ledger_door_kind ledger_door_runs;

/*
 * Make a run and open it; its task is proposed.  `id` may be empty.  The state
 * folder is made when there is none; with --dry-run nothing is made.
 *
 * door->again: the --key has made it before.  Errors: those of statedir_make
 * and ledger_run_create.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_door_new_run(struct ledger_door *door,
	struct cmd_ctx *ctx, struct str id, struct str task,
	struct pawl_err *err);

/* The run behind an open door, or NULL when it is a file's. */
struct ledger_run *ledger_door_as_run(const struct ledger_door *door);

#endif
