/*
 * learning: what closed runs may teach, kept beside them; shadow only.
 *
 *	learning/runs/RUN.json             the record of a run; made once
 *	learning/candidates/DIGEST.json    candidates, by the head of their
 *digest learning/DRAFT_CANDIDATES.md       the draft of all candidates
 *
 * below the state folder.  Nothing that is written here changes a run or is
 * read by what drives one.  Evidence isn't copied: a record names it by digest,
 * and who checks hashes the run's bytes again.
 */
#ifndef PAWL_ENGINE_LEARNING_H
#define PAWL_ENGINE_LEARNING_H

#include "engine/run.h"
#include "model/learn_candidate.h"

enum { LEARNING_PROBLEMS_MAX = 100 };

/*
 * The facts of a closed run, its evidence hashed.
 *
 * Errors: ERR_RUN_OPEN; ERR_DIGEST_MISMATCH for evidence that isn't what the
 * journal names; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc learning_measure(struct run *r, struct arena *mem,
	struct learn_record *ret_record, struct pawl_err *err);

/*
 * Keep a record.  `*ret_made` is false when the same was there.
 * Errors: ERR_ID_TAKEN when another record of the run is there; ERR_IO.
 */
PAWL_MUST_CHECK enum pawl_rc learning_keep(const struct place *place,
	const struct learn_record *record, struct arena *mem, bool *ret_made,
	struct pawl_err *err);

/* The record of a run.  Errors: ERR_RECORD_NOT_FOUND, ERR_CORRUPT, ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc learning_record(const struct place *place,
	struct str run, struct arena *mem, struct learn_record *ret_record,
	struct pawl_err *err);

/*
 * Is a candidate one of its run's record, from which `change` is set?  Errors:
 * those of learning_record and learn_candidate_fits; ERR_INVALID_DOCUMENT.
 */
PAWL_MUST_CHECK enum pawl_rc learning_judge(const struct place *place,
	struct learn_candidate *c, struct arena *mem, struct pawl_err *err);

/* Keep one that was judged; the same again is one.  Errors: ERR_IO. */
PAWL_MUST_CHECK enum pawl_rc learning_keep_candidate(const struct place *place,
	const struct learn_candidate *c, struct arena *mem,
	struct str *ret_name, bool *ret_made, struct pawl_err *err);

/* Everything that was kept, grouped, and its draft. */
struct learning_draft {
	struct learn_candidate *candidates;
	uint32_t candidates_count;
	struct learn_group *groups;
	uint32_t groups_count;
	struct buf text; /* to be released */
};

PAWL_MUST_CHECK enum pawl_rc learning_draft_make(const struct place *place,
	struct arena *mem, struct learning_draft *ret_draft,
	struct pawl_err *err);

/* Replace DRAFT_CANDIDATES.md. */
PAWL_MUST_CHECK enum pawl_rc learning_draft_write(const struct place *place,
	const struct learning_draft *draft, struct pawl_err *err);

struct learning_problem {
	enum pawl_code code;
	struct str subject; /* a record's run, a candidate's key, the draft */
	struct str message;
};

/*
 * Is all of it as it was: the evidence of each record, each candidate's fit,
 * and the draft?  At most LEARNING_PROBLEMS_MAX are told; all are counted.
 */
PAWL_MUST_CHECK enum pawl_rc learning_check(const struct place *place,
	struct arena *mem, struct learning_problem **ret_problems,
	uint32_t *ret_total, struct pawl_err *err);

#endif
