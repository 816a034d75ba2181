/*
 * explain: the minimal causes why a node isn't ready, or isn't done.
 *
 * A cause names its subject (a node, an attempt, a gate), says one sentence,
 * who can change it, and the command to type for that.  Only direct causes are
 * given: a node that waits for PENDING ones names these, and they have causes
 * of their own.  So the answer takes no walk over the graph, and
 *
 *	- a node that isn't READY becomes it when all of its causes are gone,
 *and not while one of them is left;
 *	- a READY node that can't start names what ready_hold() says, which may
 *	  stand before another hold.
 *
 * Sentences are data: they may hold what a worker or a check wrote, and are
 * neutralised where they are printed.  Strings lie in the caller's arena, the
 * state's or the plan's.
 */
#ifndef PAWL_MODEL_EXPLAIN_H
#define PAWL_MODEL_EXPLAIN_H

#include "model/ready.h"

/* clang-format off */
#define CAUSE_MAP(X) \
	X(CAUSE_NOT_STARTED, "run_not_started") \
	X(CAUSE_RUN_CLOSED, "run_closed") \
	X(CAUSE_DEPENDENCY, "dependency") \
	X(CAUSE_APPROVAL, "approval") \
	X(CAUSE_APPROVAL_AHEAD, "approval_ahead") \
	X(CAUSE_QUESTION, "question") \
	X(CAUSE_DELEGATION, "delegation") \
	X(CAUSE_BLOCKED, "blocked") \
	X(CAUSE_FAILED, "failed") \
	X(CAUSE_RUNNING, "running") \
	X(CAUSE_UNOBSERVED, "unobserved") \
	X(CAUSE_CLEANUP, "cleanup") \
	X(CAUSE_UNRECONCILED, "unreconciled") \
	X(CAUSE_SCOPE, "scope_overlap") \
	X(CAUSE_IN_PLACE, "in_place") \
	X(CAUSE_SURPLUS, "surplus") \
	X(CAUSE_BUDGET, "budget") \
	X(CAUSE_WRITER, "single_writer") \
	X(CAUSE_CAPACITY, "capacity") \
	X(CAUSE_BREAKER, "breaker") \
	X(CAUSE_SLOTS, "slots") \
	X(CAUSE_WAVE, "wave")
/* clang-format on */

#define CAUSE_ENUM(name, word) name,
enum cause_code { CAUSE_MAP(CAUSE_ENUM) CAUSE_CODE_COUNT };

struct str cause_word(enum cause_code code);

struct cause {
	enum cause_code code;
	struct str subject;  /* id of a node, attempt, gate, question,
			      * delegation or run */
	struct str detail;   /* a finer word: status, stage, block reason */
	struct str sentence; /* no full stop */
	struct str who;      /* who can change that */
	struct str command;  /* what they type */
};

struct explanation {
	uint32_t node;
	bool done;          /* PASSED or SKIPPED: there is no cause */
	bool may_start;     /* likewise */
	struct str verdict; /* `API-01 isn't ready` */
	struct cause *causes;
	uint32_t count;  /* of `causes` */
	uint32_t total;  /* causes there are; more than `count` when cut */
	struct str note; /* of a FAILED one: how it was confined; or empty */
};

/*
 * Explain a node with at most `max` (at least 1) causes.
 * Cost: in proportion to its dependencies, not to the graph.
 */
void explain_node(const struct state *s, uint32_t node, uint32_t max,
	struct arena *mem, struct explanation *ret_explanation);

/* As one cause: why a READY node that got this answer can't start now. */
void explain_hold(const struct state *s, struct hold_answer h,
	struct arena *mem, struct cause *ret_cause);

/*
 * For people: first line `API-01 isn't ready: DOMAIN-01 is RUNNING (attempt
 * 1)`, then who can change what, and how.
 */
void explain_text(
	struct buf *out, const struct state *s, const struct explanation *ex);

/* One object; its causes are objects as `struct cause` has members. */
void explain_json(struct json_writer *w, const struct state *s,
	const struct explanation *ex);

/* Its causes alone, as an array. */
void explain_causes_json(struct json_writer *w, const struct explanation *ex);

#endif
