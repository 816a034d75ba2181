/*
 * draw: a graph as a picture: for graphviz, for Mermaid, or as text.
 *
 * A `struct draw` is what a picture needs to know of a ledger or of a task run.
 * The same graph gives the same bytes.  Arrows lead from what comes first to
 * what waits for it.  Each node has its status as class and colour; one that
 * needs an approval is a hexagon.
 *
 * Names and titles are anybody's: a node is called n0, n1, ... in the picture's
 * language, and its texts stand in quoted labels only, where whatever that
 * language would read as its own is written as it asks for: a backslash in dot,
 * an entity (#35;) in Mermaid, which also undoes its comments, its directives
 * (%%{...}%%) and Markdown in labels.
 *
 * A picture of too many nodes is none: only the first `max` are drawn, and it
 * says how many more there are.
 */
#ifndef PAWL_MODEL_DRAW_H
#define PAWL_MODEL_DRAW_H

#include "base/arena.h"
#include "base/buf.h"
#include "model/ledger.h"
#include "model/state.h"

struct draw_node {
	struct str id, title;
	const uint32_t *depends; /* of all nodes, not of the drawn ones */
	uint32_t depends_count;
	uint8_t status; /* enum node_status */
	bool gate;      /* needs an approval */
};

struct draw {
	struct str name;   /* of the run */
	struct str status; /* its word */
	struct draw_node *nodes;
	uint32_t count; /* drawn */
	uint32_t total;
	uint32_t passed; /* of all */
};

/* Views into the ledger or the state, and arrays in `mem`. */
void draw_ledger(struct draw *d, const struct ledger *l, uint32_t max,
	struct arena *mem);
void draw_state(
	struct draw *d, const struct state *s, uint32_t max, struct arena *mem);

void draw_dot(const struct draw *d, struct buf *out);
void draw_mermaid(const struct draw *d, struct buf *out);

/* By waves: what could have begun at the same time stands together. */
void draw_text(const struct draw *d, struct buf *out);

#endif
