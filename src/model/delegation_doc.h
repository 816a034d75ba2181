/*
 * delegation_doc: the documents around a delegation: what is asked for, what
 * its worker is told, and what its parent is told.
 *
 * An intent is closed (schemas/delegation-intent.schema.json), at most
 * BOUND_INTENT_BYTES long:
 *
 *	{"attempt_id":"API-01@1","purpose":"the tests of the parser",
 *	 "role":"verification","paths":["src/parse/test"],
 *	 "context_refs":["docs/grammar.md"],"capabilities":["network"],
 *	 "check":"make test-parse","expected_revision":41}
 *
 * The first two and `paths` must stand.  Two intents are the same when their
 * digest is: that of the canonical bytes, with the paths in normal form.
 * `expected_revision` is the line of the journal that the intent was made at.
 *
 * The capsule is made from the state alone, so it has the same bytes whenever
 * it is asked for.
 */
#ifndef PAWL_MODEL_DELEGATION_DOC_H
#define PAWL_MODEL_DELEGATION_DOC_H

#include "model/state.h"
#include "text/fields.h"

enum delegation_role {
	DELEGATION_NO_ROLE,
	DELEGATION_RESEARCH,
	DELEGATION_DOCUMENTATION,
	DELEGATION_IMPLEMENTATION,
	DELEGATION_REVIEW,
	DELEGATION_VERIFICATION,
};

struct delegation_intent {
	struct str attempt_id;
	struct str purpose;
	enum delegation_role role;
	const struct str *paths; /* in normal form, as they are shown */
	uint32_t paths_count;
	const struct str *context_refs;
	uint32_t context_refs_count;
	const struct str *capabilities;
	uint32_t capabilities_count;
	struct str check;
	int64_t expected_revision; /* 0: none */
};

/*
 * Read one of the attempt with this id; strings lie in `mem`.
 *
 * Errors: ERR_INVALID_INTENT with the place in err->field, also for one that
 * names another attempt; ERR_INVALID_PATH; ERR_NOT_JSON; ERR_LIMIT.
 */
PAWL_MUST_CHECK enum pawl_rc delegation_intent_read(struct arena *mem,
	struct str bytes, struct str attempt,
	struct delegation_intent *ret_intent, struct pawl_err *err);

/* What a `delegation_requested` says of it, but for its id, attempt and by. */
void delegation_intent_set(
	struct event *e, const struct delegation_intent *in, struct arena *mem);

/* The schema, for people, with its last LF. */
void delegation_intent_schema(struct buf *out);

/* What its worker is told; places as absolute paths. */
struct delegation_places {
	struct str workspace;
	struct str outbox;
};
void delegation_capsule_write(struct json_writer *w, const struct state *s,
	uint32_t delegation, const struct delegation_places *at,
	struct arena *mem);

/* What its parent is told: where it stands; with its LF. */
void delegation_answer_write(const struct state *s, uint32_t delegation,
	struct arena *mem, struct buf *out);

/* Put a list of texts under `key`. */
void delegation_list_write(
	struct json_writer *w, struct str key, const struct strs *list);

#endif
