#include "model/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/die.h"

#define NONE UINT32_MAX

static uint32_t *
array(size_t count)
{
	return die_alloc(count ? count : 1, sizeof(uint32_t));
}

void
graph_reverse(const struct graph *g, uint32_t *ret_at, uint32_t *ret_to)
{
	memset(ret_at, 0, ((size_t)g->count + 1) * sizeof(*ret_at));
	for (uint32_t e = 0; e < g->at[g->count]; e++)
		ret_at[g->to[e] + 1]++;
	for (uint32_t n = 0; n < g->count; n++)
		ret_at[n + 1] += ret_at[n];
	/* Fill by moving each start forward, then move them all back. */
	for (uint32_t n = 0; n < g->count; n++) {
		for (uint32_t e = g->at[n]; e < g->at[n + 1]; e++)
			ret_to[ret_at[g->to[e]]++] = n;
	}
	memmove(ret_at + 1, ret_at, (size_t)g->count * sizeof(*ret_at));
	ret_at[0] = 0;
}

uint32_t
graph_order(const struct graph *depends, const struct graph *dependants,
	uint32_t *ret_order)
{
	uint32_t *open = array(depends->count);
	uint32_t tail = 0;

	for (uint32_t n = 0; n < depends->count; n++) {
		open[n] = depends->at[n + 1] - depends->at[n];
		if (open[n] == 0)
			ret_order[tail++] = n;
	}
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t n = ret_order[head];

		for (uint32_t e = dependants->at[n]; e < dependants->at[n + 1];
			e++) {
			if (--open[dependants->to[e]] == 0)
				ret_order[tail++] = dependants->to[e];
		}
	}
	free(open);
	return tail;
}

void
graph_lengths(
	const struct graph *next, const uint32_t *order, uint32_t *ret_length)
{
	for (uint32_t i = next->count; i-- > 0;) {
		uint32_t n = order[i];
		uint32_t longest = 0;

		for (uint32_t e = next->at[n]; e < next->at[n + 1]; e++) {
			if (ret_length[next->to[e]] > longest)
				longest = ret_length[next->to[e]];
		}
		ret_length[n] = longest + 1;
	}
}

uint32_t
graph_longest(
	const struct graph *next, const uint32_t *length, uint32_t *ret_path)
{
	uint32_t len = 0;
	uint32_t n = 0;

	if (next->count == 0)
		return 0;
	for (uint32_t i = 1; i < next->count; i++) {
		if (length[i] > length[n])
			n = i;
	}
	for (;;) {
		uint32_t best = NONE;

		ret_path[len++] = n;
		if (length[n] == 1)
			return len;
		for (uint32_t e = next->at[n]; e < next->at[n + 1]; e++) {
			if (length[next->to[e]] == length[n] - 1 &&
				next->to[e] < best)
				best = next->to[e];
		}
		assert(best != NONE);
		n = best;
	}
}

/*
 * Strongly connected components, iterative.
 * Source: R. Tarjan, "Depth-first search and linear graph algorithms", 1972.
 */
struct components {
	const struct graph *g;
	uint32_t *index;  /* order of discovery, from 1; 0 is not seen */
	uint32_t *low;    /* smallest index reached */
	uint32_t *edge;   /* next edge of a node to look at */
	uint32_t *path;   /* nodes whose visit is not finished */
	uint32_t *stack;  /* seen nodes without a component */
	uint32_t *member; /* smallest number of the node's component, or NONE */
	uint32_t seen, depth, height;
};

static void
components_enter(struct components *c, uint32_t n)
{
	c->index[n] = c->low[n] = ++c->seen;
	c->edge[n] = c->g->at[n];
	c->path[c->depth++] = n;
	c->stack[c->height++] = n;
}

/* The visit of `n` is over: hand its result up, and close its component. */
static void
components_leave(struct components *c, uint32_t n)
{
	uint32_t start = c->height;
	uint32_t smallest = n;

	c->depth--;
	if (c->depth > 0 && c->low[n] < c->low[c->path[c->depth - 1]])
		c->low[c->path[c->depth - 1]] = c->low[n];
	if (c->low[n] != c->index[n])
		return;
	do {
		start--;
		if (c->stack[start] < smallest)
			smallest = c->stack[start];
	} while (c->stack[start] != n);
	for (uint32_t i = start; i < c->height; i++)
		c->member[c->stack[i]] = smallest;
	c->height = start;
}

static void
components_visit(struct components *c, uint32_t root)
{
	components_enter(c, root);
	while (c->depth > 0) {
		uint32_t n = c->path[c->depth - 1];
		uint32_t to;

		if (c->edge[n] == c->g->at[n + 1]) {
			components_leave(c, n);
			continue;
		}
		to = c->g->to[c->edge[n]++];
		if (c->index[to] == 0)
			components_enter(c, to);
		else if (c->member[to] == NONE && c->index[to] < c->low[n])
			c->low[n] = c->index[to];
	}
}

/*
 * A shortest way from `start` back to itself within its component, into
 * `path`; 0 when there is none.  `from` and `queue` are scratch; `from` is NONE
 * throughout, and is left so for nodes of other components.
 */
static uint32_t
shortest_cycle(const struct graph *g, const uint32_t *member, uint32_t start,
	uint32_t *from, uint32_t *queue)
{
	uint32_t tail = 0;

	queue[tail++] = start;
	for (uint32_t head = 0; head < tail; head++) {
		uint32_t n = queue[head];

		for (uint32_t e = g->at[n]; e < g->at[n + 1]; e++) {
			uint32_t to = g->to[e];

			if (to == start) {
				uint32_t len = 1;
				uint32_t i = n;

				for (; i != start; i = from[i])
					len++;
				i = n;
				for (uint32_t k = len; k-- > 0; i = from[i])
					queue[k] = i;
				return len;
			}
			if (member[to] == start && from[to] == NONE) {
				from[to] = n;
				queue[tail++] = to;
			}
		}
	}
	return 0;
}

uint32_t
graph_cycles(const struct graph *g, graph_cycle_fn *fn, void *arg)
{
	struct components c = {
		.g = g,
		.index = array(g->count),
		.low = array(g->count),
		.edge = array(g->count),
		.path = array(g->count),
		.stack = array(g->count),
		.member = array(g->count),
	};
	uint32_t cycles = 0;

	memset(c.index, 0, (size_t)g->count * sizeof(*c.index));
	memset(c.member, 0xff, (size_t)g->count * sizeof(*c.member));
	for (uint32_t n = 0; n < g->count; n++) {
		if (c.index[n] == 0)
			components_visit(&c, n);
	}
	/* `low` and `stack` are free again: the search's scratch. */
	memset(c.low, 0xff, (size_t)g->count * sizeof(*c.low));
	for (uint32_t n = 0; n < g->count; n++) {
		uint32_t len;

		if (c.member[n] != n)
			continue;
		len = shortest_cycle(g, c.member, n, c.low, c.stack);
		if (len == 0)
			continue;
		cycles++;
		fn(arg, c.stack, len);
	}
	free(c.index);
	free(c.low);
	free(c.edge);
	free(c.path);
	free(c.stack);
	free(c.member);
	return cycles;
}
