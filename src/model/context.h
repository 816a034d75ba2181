/*
 * context: what a capsule refers to beside its task, in one order and within
 * budgets.
 *
 * References are found breadth first from the task, along three edges: the
 * tasks that it depends on and those before them (`depends_on`), what the
 * `Context` of these names (`context_for`), and what their last attempts
 * brought (`produces`).  A loop can't be, and what is reached twice counts
 * where it is nearest.  They stand by kind, then by distance, then by name, so
 * that the order in which a list names things moves nothing.
 *
 * Each has a digest, whether or not there is room for an excerpt of it:
 *
 *	sha256:  of bytes that pawl has: a contract, a report, a text
 *	git:     the name of an object of the repository, as of the base commit
 *
 * The digest of a dependency is that of the capsule of its last attempt, which
 * names what that one could see in turn; so what lies beyond BOUND_CONTEXT_REFS
 * is still covered, and `cut` says that there is some.
 *
 * Only sources, which are files of the base commit, have excerpts: what other
 * workers wrote is named by its digest and never told.  A reference keeps its
 * line when its excerpt finds no room.
 */
#ifndef PAWL_MODEL_CONTEXT_H
#define PAWL_MODEL_CONTEXT_H

#include "base/vec.h"
#include "model/state.h"
#include "text/json.h"

/* In the order in which they stand. */
enum context_kind {
	CONTEXT_TASK,
	CONTEXT_NOTE,
	CONTEXT_DEPENDENCY,
	CONTEXT_DECISION,
	CONTEXT_SOURCE,
	CONTEXT_EVIDENCE,
};

/* Why a source has no excerpt. */
enum context_omitted {
	CONTEXT_OMITTED_NOT, /* it has one, or is of a kind that never has */
	CONTEXT_OMITTED_FOLDER,
	CONTEXT_OMITTED_LINK, /* never followed */
	CONTEXT_OMITTED_REPOSITORY,
	CONTEXT_OMITTED_NOT_TEXT, /* no UTF-8, or with control characters */
	CONTEXT_OMITTED_TOO_LARGE,
	CONTEXT_OMITTED_ITEMS, /* the budget of that name is used up */
	CONTEXT_OMITTED_BYTES,
	CONTEXT_OMITTED_TOKENS,
};

struct context_ref {
	uint8_t kind;      /* enum context_kind */
	uint8_t omitted;   /* enum context_omitted */
	bool truncated;    /* the excerpt is the head of more */
	uint32_t depth;    /* steps from the task */
	const char *edge;  /* by which it was reached; NULL: it is the task's */
	struct str id;     /* of a task or attempt, a path, ... */
	struct str digest; /* with its kind in front; empty: not resolved yet */
	uint64_t bytes;    /* of a source that is a file */
	struct str excerpt;
};

VEC_DEF(context_refs, struct context_ref);

/* Zeroed, it is empty; context_release() ends it. */
struct context {
	struct context_refs refs;
	bool cut; /* there are more than BOUND_CONTEXT_REFS */
	/* used up by excerpts: how many, written, at most as many tokens */
	uint32_t items;
	uint32_t excerpt_bytes, tokens;
};

/* Of which attempt to come, or that was reserved. */
struct context_of {
	uint32_t node;
	uint32_t number;       /* of the attempt */
	uint64_t seq_reserved; /* its line; 0: it isn't reserved yet */
};

/*
 * Collect the references, in their order.  Paths that `Context` may name are
 * sources without a digest: context_drop_unresolved() ends those that turned
 * out to be none.  Texts live in the plan, the state or `mem`.
 */
void context_collect(struct context *c, const struct state *s,
	const struct context_of *of, struct arena *mem);

void context_drop_unresolved(struct context *c);

/* Is there room for one more excerpt?  If not, `ref` says so. */
bool context_has_room(struct context *c, struct context_ref *ref);

/*
 * Take an excerpt of a source's bytes, copied to `mem`, or note why not.
 *
 * Its length is at most BOUND_EXCERPT_BYTES and ends between two characters;
 * written as JSON it counts for BOUND_CONTEXT_BYTES, and its own bytes for
 * BOUND_CONTEXT_TOKENS, since no tokenizer makes more tokens than there are
 * bytes.  What doesn't fit whole is cut; what would be cut to nothing is left
 * out.
 */
void context_excerpt(struct context *c, struct context_ref *ref,
	struct str bytes, struct arena *mem);

void context_write(struct json_writer *w, const struct context *c);

/* The sources, for people and for programs that read text. */
void context_prompt(struct buf *out, const struct context *c);

void context_release(struct context *c);

#endif
