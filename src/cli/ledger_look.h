/*
 * ledger_look: what the general verbs that read do with a ledger run.
 *
 * Such a verb opens a task run first, as nearly always is meant; when that says
 * ERR_RUN_KIND it hands the call over:
 *
 *	rc = place_open_run(ctx, 0, &r, err);
 *	if (rc != PAWL_OK && err->code == ERR_RUN_KIND)
 *		return ledger_look_status(ctx, err);
 */
#ifndef PAWL_CLI_LEDGER_LOOK_H
#define PAWL_CLI_LEDGER_LOOK_H

#include "cli/cmd.h"
#include "engine/ledger_run.h"

/* The ledger run that the operand at `index` means; what is wrong with its end
 * is said as a notice. */
PAWL_MUST_CHECK enum pawl_rc ledger_look_open(struct cmd_ctx *ctx, size_t index,
	struct ledger_run *ret_run, struct pawl_err *err);

cmd_fn ledger_look_status, ledger_look_next, ledger_look_ready,
	ledger_look_explain, ledger_look_show, ledger_look_state;

/* Its row of `pawl list`; false when it is no ledger run that can be read. */
bool ledger_look_row(struct cmd_ctx *ctx, struct str id);

#endif
