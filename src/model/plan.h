/*
 * plan: the frozen contracts of a run and the graph between them.
 *
 * A task run's contract store is its frozen list: a plan is parsed from those
 * bytes (model/tasks.h) and holds views into them, so that a million nodes cost
 * little beyond the text (design: at most 160 bytes a node and 16 an edge with
 * the state's share).  Nodes are numbered from 0 in document order; every other
 * part of the program speaks of nodes by that number, and of names only at its
 * edges.  Immutable once made.
 */
#ifndef PAWL_MODEL_PLAN_H
#define PAWL_MODEL_PLAN_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum node_mode { MODE_READ, MODE_WRITE };
enum node_isolation { ISOLATION_AUTO, ISOLATION_WORKTREE };
enum node_access {
	ACCESS_READ_ONLY,
	ACCESS_WORKSPACE_WRITE,
	ACCESS_EXTERNAL_WRITE,
	ACCESS_DESTRUCTIVE,
};

struct span {
	uint32_t at, len; /* bytes of the plan's text */
};

/* The fields that few tasks have; one entry for each task with any of them. */
struct contract_extra {
	struct span context, labels, needs, agent, visual;
	struct span approvers;     /* a list; empty when anybody may */
	uint64_t timeout_ms;       /* of an attempt; 0: the default */
	uint64_t check_timeout_ms; /* 0: the default */
	int32_t priority;          /* higher first */
};

/* The text of a check that no command can be: nothing shows the work. */
#define PLAN_SENTINEL STR("missing validation evidence")

struct contract {
	struct span id;
	struct span title;
	struct span acceptance; /* raw: continuation lines still in it */
	struct span check;      /* raw, likewise */
	uint32_t line;          /* of the box, from 1 */
	uint32_t depends_at;    /* into plan->depends */
	uint32_t depends_count;
	uint32_t dependants_at; /* into plan->dependants */
	uint32_t dependants_count;
	uint32_t scopes_at; /* into plan->scopes */
	uint32_t scopes_count;
	uint32_t extra_1; /* 1 + index into plan->extras; 0 is none */
	uint32_t
		path_length; /* nodes on the longest path from here to an end */
	uint8_t mode;        /* enum node_mode */
	uint8_t isolation;   /* enum node_isolation */
	uint8_t access;      /* enum node_access */
	uint8_t approval : 1; /* `Approval: required`, or the access implies it
			       */
	uint8_t red : 1;      /* the check must fail on the base */
	uint8_t checked : 1;  /* the box is ticked; metadata */
	uint8_t sentinel : 1; /* check is `missing validation evidence` */
};

/*
 * A scope in normal form (model/scope.h).  Nearly all are spelt so in the list
 * and are a part of its text; the others are in plan->scope_text.
 */
struct plan_scope {
	uint32_t at;
	uint32_t len : 30;
	uint32_t directory : 1; /* written with a trailing `/` */
	uint32_t copied : 1;    /* `at` is of plan->scope_text */
};

/*
 * An entry of the table from ids to nodes; ids that differ in case are one.
 * The text is at hand without the node: a lookup waits for memory twice, not
 * three times.
 */
struct plan_slot {
	uint64_t at : 30;     /* of the id in plan->text */
	uint64_t node_1 : 20; /* node + 1; 0 is empty */
	uint64_t hash : 14;   /* the low bits of id_hash_fold */
};

struct plan {
	struct str text; /* the list's bytes; the caller's */
	struct contract *nodes;
	uint32_t count;
	uint32_t *depends;    /* node numbers, grouped by node */
	uint32_t *dependants; /* the same edges the other way */
	uint32_t edge_count;
	struct plan_scope *scopes; /* reduced to the minimal set of each task */
	uint32_t scope_count;
	char *scope_text;
	size_t scope_text_len;
	struct contract_extra *extras;
	uint32_t extra_count;
	struct plan_slot
		*slots; /* open addressing by id_hash_fold's high bits */
	uint32_t slot_count;
	uint32_t *order; /* node numbers, dependencies before dependants */
};

struct str plan_id(const struct plan *p, uint32_t node);
struct str plan_title(const struct plan *p, uint32_t node);
struct str plan_scope_str(
	const struct plan *p, uint32_t scope); /* normalised */
const struct contract_extra *plan_extra(const struct plan *p, uint32_t node);

/* With continuation lines joined by one space; in `mem` when it had any. */
struct str plan_acceptance(
	const struct plan *p, uint32_t node, struct arena *mem);
struct str plan_check(const struct plan *p, uint32_t node, struct arena *mem);
struct str plan_context(const struct plan *p, uint32_t node, struct arena *mem);

/* The agent that is to do it; empty: the run's worker. */
struct str plan_agent(const struct plan *p, uint32_t node);

/* The check as an argument vector, NULL-terminated, in `mem`. */
PAWL_MUST_CHECK enum pawl_rc plan_check_argv(const struct plan *p,
	uint32_t node, struct arena *mem, char ***ret_argv,
	struct pawl_err *err);

/* Number of the node with this whole id; false when there is none. */
bool plan_find(const struct plan *p, struct str id, uint32_t *ret_node);

/*
 * The node with this id, or the only one whose id begins with `prefix` up to a
 * `.`, `_` or `-`.  For verbs that only read.
 * Errors: ERR_NODE_NOT_FOUND, ERR_AMBIGUOUS_ID.
 */
PAWL_MUST_CHECK enum pawl_rc plan_find_prefix(const struct plan *p,
	struct str prefix, uint32_t *ret_node, struct pawl_err *err);

/* Whether a path in normal form lies in one of the node's scopes. */
bool plan_covers(const struct plan *p, uint32_t node, struct str path);

/* Does the task's `Needs` name this; does its `Context`, as an item of a list
 * or divided by commas? */
bool plan_needs(const struct plan *p, uint32_t node, struct str name);
bool plan_has_context(const struct plan *p, uint32_t node, struct str item);

/* May whoever goes by `name` decide about the node? */
enum plan_approver {
	PLAN_APPROVER_ANY,   /* the list names nobody */
	PLAN_APPROVER_NAMED, /* it names this one */
	PLAN_APPROVER_OTHER, /* it names others */
};
enum plan_approver plan_approver(
	const struct plan *p, uint32_t node, struct str name);

/*
 * The items of its `Context` that plan_has_context() knows, as views, the first
 * `max` of them; how many there are.
 */
uint32_t plan_context_items(const struct plan *p, uint32_t node,
	struct str *ret_items, uint32_t max);

/* Its word in documents, such as `read-only`. */
const char *plan_access_word(enum node_access access);

/*
 * The contract as canonical JSON (the fields of docs/journal-format.md, in that
 * order; optional ones only when the task has them): what approvals, capsules
 * and decisions bind by its SHA-256.
 */
void plan_contract_json(const struct plan *p, uint32_t node, struct arena *mem,
	struct buf *out);

/* What an amendment says otherwise; what is empty stays as it is. */
struct plan_change {
	const struct str *paths; /* in normal form, as they are shown */
	uint32_t paths_count;
	struct str acceptance, check;
	uint32_t revision;
};

/* The same with a change, and its revision at the end. */
void plan_contract_json_changed(const struct plan *p, uint32_t node,
	const struct plan_change *change, struct arena *mem, struct buf *out);

/* The scopes of a node, from plan->scopes[n.scopes_at] on, overlap those of
 * another; `*ret_a` and `*ret_b` are the first two that do. */
bool plan_overlap(const struct plan *p, uint32_t a, uint32_t b, uint32_t *ret_a,
	uint32_t *ret_b);

/* Bytes that the plan takes beyond its text. */
size_t plan_bytes(const struct plan *p);

void plan_release(struct plan *p);

/* For what makes plans: the table for `count` nodes, and one node of it; false
 * when its id is taken, also in other case, by `*ret_other`. */
void plan_index_init(struct plan *p, uint32_t count);
bool plan_index_add(struct plan *p, uint32_t node, uint32_t *ret_other);

/*
 * plan_find for many names, which are parts of the plan's text; UINT32_MAX for
 * those that are none.  Several are under way at a time, since each waits for
 * memory.
 */
void plan_find_all(const struct plan *p, const struct span *names,
	uint32_t count, uint32_t *ret_nodes);

/* Continuation lines joined by one space; a view when there are none. */
struct str plan_join(struct str raw, struct arena *mem);

#endif
