/*
 * capsule: what a worker is told, and nothing else.
 *
 * Two renderings of the same facts: the capsule, one JSON document, whose
 * digest the reservation names; and the prompt, the same as text, for programs
 * that read their task on stdin.  No transcript, no other task's text, no
 * secret.
 */
#ifndef PAWL_MODEL_CAPSULE_H
#define PAWL_MODEL_CAPSULE_H

#include "model/context.h"
#include "model/state.h"

/* The attempt that is about to be reserved, and why it is another one. */
struct capsule_facts {
	uint32_t node;
	uint32_t number;       /* of the attempt */
	struct str base;       /* commit */
	struct str workspace;  /* absolute path that the worker works in */
	struct str outbox;     /* absolute path that it may write reports to */
	struct str hypothesis; /* of a repair; empty on the first attempt */
	struct str failed_check; /* how the last check ended, or empty */
	struct str failed_tail;  /* the end of its output, or empty */
	struct str confined;     /* how the last attempt was, or empty */
	uint64_t deadline_ms;
	uint64_t seq_reserved;    /* its line; 0: it isn't reserved yet */
	const struct strs *scope; /* its own; NULL: what holds of the node */
	const struct context *context; /* resolved; NULL: none is told */
};

void capsule_write(struct json_writer *w, const struct state *s,
	const struct capsule_facts *facts, struct arena *mem);
void capsule_prompt(struct buf *out, const struct state *s,
	const struct capsule_facts *facts, struct arena *mem);

/* The artifact policy `minimal-by-default-v1`: one frozen text. */
extern const struct str capsule_policy;

#endif
