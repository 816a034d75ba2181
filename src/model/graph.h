/*
 * graph: adjacency by number, and what follows from it.
 *
 * Nodes are 0 to count - 1; the neighbours of n are to[at[n]] up to
 * to[at[n + 1] - 1].  In a graph of dependencies the neighbours of n are what n
 * waits for.  All functions are iterative and take time and memory in
 * proportion to nodes and edges; equal input gives equal output.  Results are
 * in the caller's arrays of `count` elements.
 */
#ifndef PAWL_MODEL_GRAPH_H
#define PAWL_MODEL_GRAPH_H

#include <stdint.h>

struct graph {
	uint32_t count;
	const uint32_t *at; /* count + 1 offsets into `to` */
	const uint32_t *to;
};

/* The same edges the other way; at[count + 1] and to[edges] are the caller's.
 */
void graph_reverse(const struct graph *g, uint32_t *ret_at, uint32_t *ret_to);

/*
 * All nodes, each after all that it depends on; among those that are free at
 * the same time, in document order.  The number of nodes ordered: fewer than
 * `count` when there is a cycle, and then what is left waits for one.
 */
uint32_t graph_order(const struct graph *depends,
	const struct graph *dependants, uint32_t *ret_order);

/*
 * For each node, the number of nodes on the longest path from it along
 * `next`; `order` lists each node before all that it leads to.
 */
void graph_lengths(
	const struct graph *next, const uint32_t *order, uint32_t *ret_length);

/*
 * The nodes of one longest path along `next`, from its start; among equals, the
 * smallest numbers.  The length of it; `ret_path` has room for `count`.
 */
uint32_t graph_longest(
	const struct graph *next, const uint32_t *length, uint32_t *ret_path);

/* Called with a cycle: path[0] leads to path[1] and so on, the last to path[0].
 */
typedef void graph_cycle_fn(void *arg, const uint32_t *path, uint32_t count);

/*
 * One cycle of each component that has one: a shortest one through the
 * component's smallest number, which it starts at; components in the order of
 * these numbers.  The number of components with a cycle.
 */
uint32_t graph_cycles(const struct graph *g, graph_cycle_fn *fn, void *arg);

#endif
