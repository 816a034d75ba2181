/*
 * ledger_edit: may this be changed in a ledger, and the fold of the change.
 *
 * The one decision function of the ledger door: a file is edited by it and a
 * ledger run, too.  Both are pure.  A command is an event that somebody
 * proposes (model/decide.h); what one verb does may be several, each decided on
 * the ledger that the ones before it were folded into, and written together or
 * not at all.
 *
 *	event              says
 *	ledger_started     the run's first line: its id and task
 *	node_added         a node, PENDING; what it depends on is there already
 *	node_moved         one step of design 3.3 that somebody takes
 *	evidence_added     references, to a node that isn't at its end
 *	approval_decided   a human's yes or no to a node that waits for it
 *	dependency_added   a FAILED node gains the repair that PASSED
 *	run_closed         with pass exactly when COMPLETE
 *
 * What follows from the graph alone is no event: a PENDING node whose
 * dependencies are PASSED or SKIPPED goes to READY, or to NEEDS_APPROVAL while
 * an approval is outstanding.  Both of these are ends of what it depends on, so
 * it makes no difference when this is derived: ledger_apply() does it for the
 * node that an event names, and ledger_settle() for all, and for the run's
 * status, once, before a ledger is shown, decided upon or written.
 */
#ifndef PAWL_MODEL_LEDGER_EDIT_H
#define PAWL_MODEL_LEDGER_EDIT_H

#include "model/apply.h"
#include "model/decide.h"
#include "model/ledger.h"

/*
 * `l` is settled.  Of the command only event and actor count: who holds the
 * ledger's lock is its coordinator, without a generation.
 *
 * Errors: ERR_NODE_NOT_FOUND, ERR_STEP_NOT_ALLOWED, ERR_TASK_NOT_READY,
 * ERR_ATTEMPTS_EXHAUSTED, ERR_REASON_NEEDED, ERR_EVIDENCE_NEEDED,
 * ERR_GATE_DECIDED, ERR_GATE_NOT_FOUND, ERR_NOT_PERMITTED, ERR_ID_TAKEN,
 * ERR_INVALID_ID, ERR_INVALID_ARGUMENT, ERR_UNKNOWN_DEPENDENCY, ERR_CYCLE,
 * ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_decide(const struct ledger *l,
	const struct command *cmd, struct pawl_err *err);

/*
 * Fold one event.  It takes what is possible, which is more than what
 * ledger_decide() allows (rules may become stricter, journals stay), and fails
 * with ERR_CORRUPT on the rest; the ledger is then to be released.  Texts are
 * copied.  `line` is only for the message.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_apply(struct ledger *l,
	const struct line_facts *line, const struct event *e,
	struct pawl_err *err);

/*
 * What both doors do with a command: decide on it, settled where that matters,
 * and fold it.  Settle once before the ledger is looked at.
 *
 * Errors: those of ledger_decide().
 */
PAWL_MUST_CHECK enum pawl_rc ledger_propose(
	struct ledger *l, const struct command *cmd, struct pawl_err *err);

/* Derive what follows for all nodes, and the run's status (design 3.4). */
void ledger_settle(struct ledger *l);

/*
 * The FAILED node that a node of kind repair is for: its id is that node's with
 * `-repair`, or `-repair-N`, behind it.  False when there is none.
 */
bool ledger_mends(
	const struct ledger *l, uint32_t repair, uint32_t *ret_failed);

/*
 * What lets a FAILED node run again behind a repair that PASSED: it gains it,
 * and is READY.  The commands have views of `failed` and `repair`, and their
 * texts are in `mem`.
 */
void ledger_mend(struct str failed, struct str repair, struct arena *mem,
	struct command ret_commands[2]);

/* The first free id of that form for `node`, in `mem`. */
struct str ledger_repair_id(
	const struct ledger *l, uint32_t node, struct arena *mem);

#endif
