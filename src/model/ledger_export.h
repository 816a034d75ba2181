/*
 * ledger_export: a task run as the ledger that one agent would have kept.
 *
 * A node for each task, in the order of the list and under the same number: its
 * id in lower case (a list never has two that differ only in case), `explore`
 * for readers and `execute` for writers, its status and history as they are,
 * each start of a worker an attempt.  Evidence is what the last attempt has to
 * show: `check:` for each passing check, `commit:` once it is integrated.
 *
 * Every state of every run gives a ledger without violations, so where a run
 * says more than a ledger can, the ledger says less:
 *
 *   - Texts are one line: runs of blanks with line ends or other control
 *     characters in them become one blank.
 *   - `max_attempts` is what the run grants: ends that say nothing about the
 *     task are started again, and a task that FAILED has used up what it had.
 *   - Of a history over the document's bound the last part is told.
 *   - A final status is claimed only where the nodes earn it: a run that was
 *     closed with READY nodes, or that its breaker stopped, is RUNNING.
 *
 * A repair is the second attempt of its node, or, asked for, a node of kind
 * `repair` at the end of the document.  Then the first node FAILED with its
 * first attempt; once the repair PASSED, it depends on it and has run again.
 */
#ifndef PAWL_MODEL_LEDGER_EXPORT_H
#define PAWL_MODEL_LEDGER_EXPORT_H

#include "model/ledger.h"

/*
 * Fill a ledger that was only initialised.  Its texts look into the state and
 * its plan.  With `repairs`, at most one node more for each node of the plan.
 */
void ledger_export(
	const struct state *s, bool repairs, struct ledger *ret_ledger);

#endif
