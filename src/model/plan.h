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
#include "base/map.h"
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
	struct span context, labels, needs, agent;
	uint64_t timeout_ms;       /* of an attempt; 0: the default */
	uint64_t check_timeout_ms; /* 0: the default */
	int32_t priority;          /* higher first */
};

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

/* A normalised scope (model/scope.h): no `./`, no trailing `/`; `.` is "". */
struct plan_scope {
	struct span raw;  /* as written */
	uint32_t at, len; /* of plan->scope_text, NFC */
	bool directory;   /* written with a trailing `/` */
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
	struct contract_extra *extras;
	struct map ids;
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

/* The check as an argument vector, NULL-terminated, in `mem`. */
PAWL_MUST_CHECK enum pawl_rc plan_check_argv(const struct plan *p,
	uint32_t node, struct arena *mem, char ***ret_argv,
	struct pawl_err *err);

/* Number of the node with this whole id; false when there is none. */
bool plan_find(const struct plan *p, struct str id, uint32_t *ret_node);

/*
 * The contract as canonical JSON (the fields of docs/journal-format.md, in that
 * order): what approvals, capsules and decisions bind by its SHA-256.
 */
void plan_contract_json(const struct plan *p, uint32_t node, struct arena *mem,
	struct buf *out);

void plan_release(struct plan *p);

#endif
