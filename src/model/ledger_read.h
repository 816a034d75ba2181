/*
 * ledger_read: from a checkpoint's bytes to a ledger, with all that is wrong.
 *
 * The text is read once and changed nowhere; each node becomes a struct as soon
 * as its object is read, so that a million nodes need little beyond the text.
 * What isn't JSON is an error; whatever else is wrong is a finding, each at its
 * place, and the rest is read and judged all the same: a node remembers which
 *of its fields are broken, a list which of its items.
 *
 *	struct ledger l;
 *	struct ledger_findings f;
 *
 *	rc = ledger_read(mem, text, false, &l, &f, err);
 *	if (rc != PAWL_OK)
 *		return rc;
 *	if (f.violations > 0)
 *		rc = ledger_findings_fail(&f, mem, path, err);
 *	...
 *	ledger_findings_release(&f);
 *	ledger_release(&l);
 *
 * A ledger with violations is good for nothing else than showing them.
 */
#ifndef PAWL_MODEL_LEDGER_READ_H
#define PAWL_MODEL_LEDGER_READ_H

#include "model/ledger_rules.h"

/*
 * Read and judge; `text` must live as long as both results.  After a failure
 * there is nothing to release; what the error points to is in `mem`.
 *
 * Errors: ERR_NOT_JSON, with line, column and byte; ERR_LIMIT for nesting and
 * for texts over BOUND_LEDGER_BYTES.
 */
PAWL_MUST_CHECK enum pawl_rc ledger_read(struct arena *mem, struct str text,
	bool strict, struct ledger *ret_ledger,
	struct ledger_findings *ret_findings, struct pawl_err *err);

#endif
