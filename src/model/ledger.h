/*
 * ledger: the graph that one agent keeps, as a state of its own.
 *
 * The same struct is what a checkpoint file says (model/ledger_read.h reads and
 * judges one), what a ledger run's journal folds to, and what any other run is
 * exported as.  Only ledger_apply() (model/ledger_edit.h) takes steps in it.
 *
 * Compact, for a gate looks at a million nodes after every edit: a node, its
 * lists and its share of the index are at most 250 bytes beyond the document's
 * text.  Texts are views into the document, or live in `mem`.
 *
 * What was read from a document with violations says which fields of a node are
 * broken; the rest of it are facts, and model/ledger_rules.h judges by them.
 * Everybody else gets ledgers in which nothing is broken.
 */
#ifndef PAWL_MODEL_LEDGER_H
#define PAWL_MODEL_LEDGER_H

#include "base/arena.h"
#include "base/map.h"
#include "model/state.h"

/* clang-format off */
#define LEDGER_KIND_MAP(X) \
	X(LEDGER_SCOPE, "scope") \
	X(LEDGER_EXPLORE, "explore") \
	X(LEDGER_EXECUTE, "execute") \
	X(LEDGER_VERIFY, "verify") \
	X(LEDGER_REVIEW, "review") \
	X(LEDGER_SYNTHESIZE, "synthesize") \
	X(LEDGER_APPROVE, "approve") \
	X(LEDGER_MONITOR, "monitor") \
	X(LEDGER_REPAIR, "repair")

#define LEDGER_ROLE_MAP(X) \
	X(LEDGER_MAIN, "main") \
	X(LEDGER_EXPLORER, "explorer") \
	X(LEDGER_WORKER, "worker") \
	X(LEDGER_REVIEWER, "reviewer") \
	X(LEDGER_TOOL, "tool") \
	X(LEDGER_HUMAN, "human")

#define LEDGER_APPROVAL_MAP(X) \
	X(LEDGER_NOT_REQUIRED, "not-required") \
	X(LEDGER_REQUIRED, "required") \
	X(LEDGER_GRANTED, "granted") \
	X(LEDGER_DENIED, "denied")
/* clang-format on */

enum ledger_kind { LEDGER_KIND_MAP(STATE_ENUM2) LEDGER_KIND_COUNT };
enum ledger_role { LEDGER_ROLE_MAP(STATE_ENUM2) LEDGER_ROLE_COUNT };
enum ledger_approval { LEDGER_APPROVAL_MAP(STATE_ENUM2) LEDGER_APPROVAL_COUNT };

struct str ledger_kind_word(enum ledger_kind k);
struct str ledger_role_word(enum ledger_role r);
struct str ledger_approval_word(enum ledger_approval a);

enum { LEDGER_SCHEMA_VERSION = 1 };

/* The fields of a node, in the order of the document. */
enum ledger_field {
	LEDGER_FIELD_ID,
	LEDGER_FIELD_TITLE,
	LEDGER_FIELD_KIND,
	LEDGER_FIELD_ROLE,
	LEDGER_FIELD_ACCESS,
	LEDGER_FIELD_STATUS,
	LEDGER_FIELD_HISTORY,
	LEDGER_FIELD_DEPENDS,
	LEDGER_FIELD_EXPECTED_OUTPUT,
	LEDGER_FIELD_EVIDENCE_REQUIRED,
	LEDGER_FIELD_EVIDENCE,
	LEDGER_FIELD_ATTEMPT,
	LEDGER_FIELD_MAX_ATTEMPTS,
	LEDGER_FIELD_APPROVAL,
	LEDGER_FIELD_COUNT,
};

/* In place of what a document says in no way that can be understood. */
#define LEDGER_NO_NODE UINT32_MAX  /* a dependency */
#define LEDGER_NO_STATUS UINT8_MAX /* an item of a history */

struct ledger_node {
	struct str id, title, expected_output;
	uint32_t *depends; /* node numbers, in the document's order */
	uint8_t *history;  /* enum node_status each; ends at `status` */
	struct str *evidence;
	uint32_t depends_count, history_count, evidence_count;
	uint32_t attempt, max_attempts;
	uint32_t at; /* byte of the document where it starts */
	uint8_t kind, role, access, status, approval; /* the enums' */
	bool evidence_required;
	uint16_t broken; /* 1 << enum ledger_field each: read, and not good */
};

/* Not to be copied. */
struct ledger {
	struct str run_id, task;
	uint8_t status;            /* enum run_status, as it is claimed */
	bool status_broken;        /* read, and no status */
	bool nodes_broken;         /* read, and not all of them are here */
	uint32_t status_at;        /* byte of the document */
	struct ledger_node *nodes; /* grows: keep numbers, not pointers */
	uint32_t count, cap;
	struct map index; /* from ids */
	struct arena mem;
};

/* PLANNING, without nodes. */
void ledger_init(struct ledger *l);
void ledger_release(struct ledger *l);

bool ledger_find(const struct ledger *l, struct str id, uint32_t *ret_node);

static inline bool
is_ledger_broken(const struct ledger_node *n, enum ledger_field field)
{
	return (n->broken >> field & 1) != 0;
}

/* Room for so many nodes without another move. */
void ledger_reserve(struct ledger *l, uint32_t count);

/*
 * A new node at the end, zeroed but for its id, a view that must live as long
 * as the ledger; `*ret_node` is its number, or that of the one that has the id,
 * and then false.
 */
bool ledger_add(struct ledger *l, struct str id, uint32_t *ret_node);

/* A new node at the end that no id finds: of a document that is not good. */
uint32_t ledger_add_nameless(struct ledger *l);

/* Whether design 3.3 has a row from one status to the other. */
bool is_ledger_step(enum node_status from, enum node_status to);

/*
 * Whether steps lead from one status to the other over so many items of a
 * history that aren't known: each is some status, or none at all.
 */
bool is_ledger_way(
	enum node_status from, enum node_status to, uint32_t unknown);

/* Is the node's approval outstanding: wanted by its contract and not given? */
bool is_ledger_approval_open(const struct ledger_node *n);

/* Are all that it depends on PASSED or SKIPPED? */
bool is_ledger_node_free(const struct ledger *l, uint32_t node);

/* Does `node` wait for `other`, directly or through others? */
bool is_ledger_node_behind(
	const struct ledger *l, uint32_t node, uint32_t other);

/* One node, as it stands in the checkpoint; all of them, as an array. */
void ledger_node_write(
	const struct ledger *l, uint32_t node, struct json_writer *w);
void ledger_nodes_write(const struct ledger *l, struct json_writer *w);

/* The checkpoint, in the order of the fields of schemas/ledger.schema.json. */
void ledger_write(const struct ledger *l, struct json_writer *w);

#endif
