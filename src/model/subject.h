/*
 * subject: what a name that was typed may mean.
 *
 * A run numbers its questions (`q1`), cleanups (`c1`) and delegations (`g1`);
 * a list may have tasks of such names.  Where a verb takes more than one kind
 * and two things have the name, it is refused: none hides another.  The kind in
 * front says which is meant, and ':' is in no id:
 *
 *	q1            whichever has the name, when it is one
 *	node:q1       the task
 *	question:q1   cleanup:c1   delegation:g1
 *
 * Attempts, checks and gates have a sign in their ids and are never mistaken.
 */
#ifndef PAWL_MODEL_SUBJECT_H
#define PAWL_MODEL_SUBJECT_H

#include "base/err.h"
#include "model/state.h"

enum subject_kind {
	SUBJECT_ANY,
	SUBJECT_NODE,
	SUBJECT_QUESTION,
	SUBJECT_CLEANUP,
	SUBJECT_DELEGATION,
	SUBJECT_KINDS,
};

struct subject {
	enum subject_kind kind; /* SUBJECT_ANY: it doesn't say */
	struct str id;          /* without the kind */
};

/* `node`, `question`, …; empty for SUBJECT_ANY. */
struct str subject_kind_word(enum subject_kind kind);

/* Split `kind:id`; what has no such kind in front is an id of any. */
struct subject subject_of(struct str typed);

/* May it be one of this kind? */
bool subject_may_be(const struct subject *sub, enum subject_kind kind);

/* The question, cleanup or delegation that it names, whatever nodes there are;
 * false when the run has none. */
bool subject_find_numbered(const struct state *s, const struct subject *sub,
	enum subject_kind *ret_kind, uint32_t *ret_index);

/* Fail, since the node of that id is meant as well as one of `other`:
 * ERR_AMBIGUOUS_ID, with both ways to say it as a hint. */
enum pawl_rc subject_ambiguous(
	struct str id, enum subject_kind other, struct pawl_err *err);

#endif
