/*
 * learn_candidate: what somebody thinks one run teaches, and the draft of all.
 *
 * A candidate is a claim about later work (a rule, a gate, a skill) under a
 * key, for it or against it, with the run, tasks and evidence that it comes
 * from.  compile groups candidates by key into a Markdown draft for people:
 *
 *	conflicting-definitions  supporters don't mean the same by the key
 *	contested                somebody is against it
 *	recurring-draft          at least LEARN_RECURRING different changes for
 *it weak-sample              fewer
 *
 * the first that holds.  Two runs of the same list are one change.  Nothing of
 * a draft is active, and it says so.
 */
#ifndef PAWL_MODEL_LEARN_CANDIDATE_H
#define PAWL_MODEL_LEARN_CANDIDATE_H

#include "model/learn_record.h"

enum {
	LEARN_RECURRING = 5,
	LEARN_CANDIDATES = 4096, /* that are read together */
	LEARN_CANDIDATE_BYTES = 64 << 10,
};

enum learn_kind { LEARN_RULE, LEARN_GATE, LEARN_SKILL };
enum learn_stance { LEARN_SUPPORT, LEARN_OPPOSE };
enum learn_origin { LEARN_CHECK, LEARN_DIFF, LEARN_REPAIR, LEARN_REVIEW };
enum learn_status {
	LEARN_WEAK_SAMPLE,
	LEARN_RECURRING_DRAFT,
	LEARN_CONTESTED,
	LEARN_CONFLICTING,
};

struct learn_candidate {
	int64_t schema_version;
	struct str key;
	struct str statement;
	struct str run, change;  /* as in the record */
	const struct str *scope; /* what it is about: paths, or words */
	const struct str *task_refs;
	const struct str *evidence; /* digests of the record */
	uint32_t scope_count, task_refs_count, evidence_count;
	enum learn_kind kind;
	enum learn_stance stance;
	enum learn_origin origin;
};

/* All candidates of one key. */
struct learn_group {
	struct str key;
	enum learn_status status;
	uint32_t support;      /* different changes for it */
	uint32_t oppose;       /* candidates against it */
	uint32_t first, count; /* in the sorted candidates */
};

const char *learn_status_word(enum learn_status status);

/* The word's number, or false. */
bool learn_kind_from(struct str word, enum learn_kind *ret_kind);
bool learn_stance_from(struct str word, enum learn_stance *ret_stance);
bool learn_origin_from(struct str word, enum learn_origin *ret_origin);

/*
 * As it must be beside what its table says: its tasks and its evidence are the
 * record's, and the evidence was verified.
 * Errors: ERR_INVALID_DOCUMENT, ERR_NODE_NOT_FOUND, ERR_EVIDENCE_UNPROVEN.
 */
PAWL_MUST_CHECK enum pawl_rc learn_candidate_fits(
	const struct learn_candidate *c, const struct learn_record *r,
	struct pawl_err *err);

PAWL_MUST_CHECK enum pawl_rc learn_candidate_read(struct arena *mem,
	struct str bytes, struct learn_candidate *ret_candidate,
	struct pawl_err *err);
void learn_candidate_write(const struct learn_candidate *c, struct buf *out);

/* The document's schema, for people, with its last LF. */
void learn_candidate_schema(struct buf *out);

/* Sort by key, run and content; the groups are in `mem`. */
struct learn_group *learn_candidate_group(struct learn_candidate *all,
	uint32_t count, struct arena *mem, uint32_t *ret_count);

/* The draft; the same candidates give the same bytes. */
void learn_candidate_draft(const struct learn_candidate *all,
	const struct learn_group *groups, uint32_t count, struct buf *out);

#endif
