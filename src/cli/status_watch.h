/*
 * status_watch: `pawl status --watch`: where a run stands, and then what
 * changes, as a stream that can be taken up again.
 *
 *	snapshot  {"kind","run","cursor","state":{…}}: as `status --json`
 *	delta {"kind","run","from","cursor","status","changes":[…],"nodes":[…],
 *	          "summary":{…}}: each event of the lines after `from`, the
 *nodes that changed (model/agent_view.h), and how far the run is reset     as
 *the snapshot, with the `reason` why it is no delta
 *
 * Nothing is printed while nothing changes; nothing is polled: the journal is
 * watched, and of it only what was appended is read.
 */
#ifndef PAWL_CLI_STATUS_WATCH_H
#define PAWL_CLI_STATUS_WATCH_H

#include "cli/cmd.h"

/* With the options watch, cursor, iterations and interval of the command. */
PAWL_MUST_CHECK enum pawl_rc status_watch(
	struct cmd_ctx *ctx, struct pawl_err *err);

#endif
