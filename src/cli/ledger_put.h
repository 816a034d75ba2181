/*
 * ledger_put: a ledger that came whole from elsewhere goes to its reader.
 *
 * What was restored or imported is judged as any checkpoint is, then printed,
 * or, with --file, written as a file that must not be there yet: it never
 * replaces what somebody keeps.  It is written as it is; nothing is derived.
 */
#ifndef PAWL_CLI_LEDGER_PUT_H
#define PAWL_CLI_LEDGER_PUT_H

#include "cli/cmd.h"
#include "model/ledger.h"

#define LEDGER_PUT_OPTION                                                     \
	{                                                                     \
		.name = "file", .arg = "FILE",                                \
		.help = "make FILE, which must not be there, with the ledger" \
	}

/*
 * The members `run`, `status`, `nodes`, and `file` or `ledger`; as text the
 * checkpoint, or one line that begins with `verb` in the past tense.
 *
 * Errors: ERR_INVALID_LEDGER, and then nothing was written; ERR_ID_TAKEN;
 * ERR_NOT_IGNORED; ERR_FILE_NOT_FOUND; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_put(struct cmd_ctx *ctx,
	const struct ledger *l, const char *verb, struct pawl_err *err);

#endif
