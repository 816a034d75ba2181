/*
 * delegation: a part of a live attempt's work, given to a worker of its own.
 *
 *	requested ─> approved ─> started ─> reported ─> released
 *	    └─ rejected  └──────────┴──────────────────────┘
 *
 * The attempt is its parent; `g1`, `g2`, … count in the run.  An approval only
 * narrows: what is granted lies in what was asked for and in what the parent
 * has.  One level: a child is no attempt, so nothing is delegated by it, and
 * its report is a fact that moves nothing; the parent answers for the work.
 *
 * When the parent ends, what was only asked for or approved ends with it.  What
 * has started doesn't: such a delegation is *left*, and until it is released
 * its node and whatever overlaps its paths wait, and the run can't be closed.
 */
#ifndef PAWL_MODEL_DELEGATION_H
#define PAWL_MODEL_DELEGATION_H

#include "base/vec.h"
#include "model/event.h"

struct contract_view;
struct state;

/* clang-format off */
#define DELEGATION_STATUS_MAP(X) \
	X(DELEGATION_REQUESTED, "requested") \
	X(DELEGATION_APPROVED, "approved") \
	X(DELEGATION_STARTED, "started") \
	X(DELEGATION_REPORTED, "reported") \
	X(DELEGATION_REJECTED, "rejected") \
	X(DELEGATION_RELEASED, "released")
/* clang-format on */

#define DELEGATION_ENUM(name, word) name,
/* From DELEGATION_REJECTED on they are ends. */
enum delegation_status {
	DELEGATION_STATUS_MAP(DELEGATION_ENUM) DELEGATION_STATUS_COUNT
};

/* How a release left its worker, as its cleanup was settled: proven gone; gone
 * as somebody says; kept on purpose or out of sight, with a reason.  And: never
 * begun. */
#define DELEGATION_VERIFIED STR("verified")
#define DELEGATION_DONE STR("done")
#define DELEGATION_RETAINED STR("retained")
#define DELEGATION_UNSTARTED STR("unstarted")

struct delegation {
	uint32_t attempt; /* the parent; index */
	uint32_t number;  /* of its `ask-N.json`; 0: it has none */
	uint8_t status;   /* enum delegation_status */
	struct str purpose;
	struct str role;  /* or empty */
	struct str check; /* that the worker is to run, or empty */
	struct str by;    /* who asked */
	struct str intent_sha256;
	/* What was asked for; from the approval on, what is granted.  Paths as
	 * they are shown. */
	struct strs paths, context_refs, capabilities;
	/* Once started. */
	struct str worker;  /* or empty */
	struct str cleanup; /* id of the one that it is released by, or empty */
	struct str capsule_sha256;
	/* Once reported. */
	struct str report_sha256;
	struct str summary;
	uint64_t files; /* that it changed */
	/* Once it ended. */
	struct str settled; /* of a release: how */
	struct str reason;
	struct str settled_by;
};

VEC_DEF(delegations, struct delegation);

struct str delegation_status_word(enum delegation_status status);
bool is_delegation_open(const struct delegation *d);

/* Has it started, and not been released, while its parent ended? */
bool is_delegation_left(const struct state *s, const struct delegation *d);

/* `g1`, `g2`, … in the order that they were asked for. */
bool state_find_delegation(
	const struct state *s, struct str id, uint32_t *ret_index);
struct str state_delegation_id(uint32_t delegation, struct arena *mem);

/* Has the id the form of a delegation's, whether there is one or not? */
bool is_delegation_id(struct str id);

/* The first open one of a node's attempts; false when none is open. */
bool state_open_delegation(
	const struct state *s, uint32_t node, uint32_t *ret_index);

/* The first one left whose worker stands in the way of an attempt at this. */
bool state_left_delegation(const struct state *s, const struct contract_view *v,
	uint32_t *ret_index);

/* The one that message `number` of an attempt's worker asked for. */
bool state_asked_delegation(const struct state *s, uint32_t attempt,
	uint32_t number, uint32_t *ret_index);

/* A granted path in the normal form of model/scope.h. */
struct str delegation_path(const struct delegation *d, uint32_t i);
/* Does what is granted cover this path of a file? */
bool delegation_covers(const struct delegation *d, struct str path);

/* Derive what a state counts of its delegations. */
void delegations_count(struct state *s);

/* Do all indexes and words of them hold? */
bool is_delegations_sound(const struct state *s);

#endif
