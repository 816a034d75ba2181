/*
 * decision_record: a light decision written down, as Markdown for people.
 *
 * One file a decision, a section a revision.  A record is only ever appended
 * to, so what people wrote between the sections stays:
 *
 *	# Decision decision-0123456789abcdef
 *	…
 *	## Revision 1
 *	…
 *	## Revision 2
 */
#ifndef PAWL_MODEL_DECISION_RECORD_H
#define PAWL_MODEL_DECISION_RECORD_H

#include "base/buf.h"
#include "model/decision_doc.h"

/* Did any of its revisions have mode light_spec? */
bool decision_wants_record(const struct decision_doc *d);

/* Append a whole record. */
void decision_record_write(const struct decision_doc *d, struct buf *out);

/*
 * Append `old` with the sections that it lacks; `*ret_added` is how many.
 * Errors: ERR_ID_TAKEN when it isn't the record of this decision, or has a
 * revision that the decision doesn't have.
 */
PAWL_MUST_CHECK enum pawl_rc decision_record_extend(
	const struct decision_doc *d, struct str old, struct buf *out,
	uint32_t *ret_added, struct pawl_err *err);

#endif
