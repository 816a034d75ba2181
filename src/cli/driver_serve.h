/*
 * driver_serve: the built-in drivers, over the protocol of those that are
 * programs (docs/driver-protocol.md).
 *
 * So that they can be tried as any other.  The work is done by the functions
 * that a run uses: os/monitor.h, engine/exit.h.  Where a run has its journal
 * this has a file for each attempt in PAWL_DRIVER_STATE, written before a gate
 * is opened; its monitors write how they end to `exits` there.
 */
#ifndef PAWL_CLI_DRIVER_SERVE_H
#define PAWL_CLI_DRIVER_SERVE_H

#include "driver/serve.h"
#include "model/capability.h"

/* Answer standard input until it ends.  Errors: ERR_FILE_NOT_FOUND, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc driver_serve(enum builtin d, struct pawl_err *err);

#endif
