/*
 * mission: other people's files under `.codex/graph-runs/`, as ledgers.
 *
 * A mission file is one JSON object: `objective`, and `steps` (`nodes` in older
 * ones) with id, action, kind, role, depends_on, paths, success, status,
 * evidence, rounds.  Two public versions: 2, and 1, which may have no
 * `schema_version`, no kinds and other names for some fields (`owner` for
 * `role`).  What becomes of them:
 *
 *	objective   task
 *	mission     run_id, if it is an id
 *	id          id, in small letters
 *	action      title
 *	success     expected_output
 *	kind        recon: explore; build, write-back: execute; verify: verify;
 *	            decide, reduce: synthesize; gate: approve, which requires
 *	            an approval; a kind of a ledger is taken as it is
 *	role        main; a role of a ledger as it is; others by their kind
 *	paths       access: workspace-write when there are any, else read-only
 *	evidence    evidence; it is required of every node
 *	rounds      as many attempts more; budget.max_rounds is max_attempts
 *	status      pending: PENDING, READY or NEEDS_APPROVAL, as it follows
 *	            running: RUNNING       verified: PASSED
 *	            skipped: SKIPPED       failed, reverted: FAILED, for good
 *	            blocked: BLOCKED; a gate waits for its approval
 *
 * Texts come on one line.
 * Whatever a ledger has no place for is reported, a line each, so that nothing
 * is lost unseen; so is every value that became another one.  What would claim
 * more than the file proves is taken back: `verified` without evidence is
 * PENDING, and so is what ran or passed before what it depends on.
 *
 * A word that isn't of the format (`done`, `kept`) is refused with those that
 * are, unless the caller maps it.  All or nothing: one unknown dependency, one
 * cycle, one id twice, and there is no ledger.
 */
#ifndef PAWL_MODEL_MISSION_H
#define PAWL_MODEL_MISSION_H

#include "base/err.h"
#include "base/vec.h"
#include "model/ledger.h"

/* An old word, and the format's own that is meant. */
struct mission_word {
	struct str from, to;
};

struct mission_options {
	struct str run_id; /* a valid id, for a file without one */
	bool rename;       /* for a file with one, too */
	const struct mission_word *words;
	size_t word_count;
};

struct mission_loss {
	struct str pointer; /* RFC 6901, into the file */
	struct str node;    /* its id in the ledger; empty for the file's own */
	struct str message; /* what was lost, or what became of it */
};

VEC_DEF(mission_losses, struct mission_loss);

enum mission_form {
	MISSION_OTHER,
	MISSION_STEPS,  /* a mission file */
	MISSION_LEDGER, /* a ledger's checkpoint (model/ledger_read.h) */
};

/* What a document looks like by its members; errors are MISSION_OTHER. */
enum mission_form mission_form_of(struct str text);

/*
 * Fill `l`, which is empty, from a mission file.  What the losses and an error
 * point to is in `mem`; `*losses` holds what was found so far when it fails.
 *
 * Errors: ERR_NOT_JSON; ERR_INVALID_DOCUMENT with the JSON Pointer in
 * err->field; ERR_NEWER_FORMAT; ERR_INVALID_ID; ERR_ID_TAKEN;
 * ERR_UNKNOWN_DEPENDENCY; ERR_CYCLE; ERR_LIMIT.  `l` holds anything then, and
 * is to be released.
 */
PAWL_MUST_CHECK enum pawl_rc mission_read(struct arena *mem, struct str text,
	const struct mission_options *options, struct ledger *l,
	struct mission_losses *losses, struct pawl_err *err);

/* Is `to` a word that a status or a kind of the format may be mapped to? */
bool mission_is_word(struct str to);

#endif
