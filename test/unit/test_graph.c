#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/buf.h"
#include "base/rand.h"
#include "model/graph.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { NODES_MAX = 9 };

/* A small graph as a matrix: edge[i][j] when i waits for j. */
struct small {
	uint32_t count;
	bool edge[NODES_MAX][NODES_MAX];
	uint32_t at[NODES_MAX + 1];
	uint32_t to[NODES_MAX * NODES_MAX];
	uint32_t back_at[NODES_MAX + 1];
	uint32_t back_to[NODES_MAX * NODES_MAX];
	struct graph depends, dependants;
};

static void
small_finish(struct small *s)
{
	uint32_t e = 0;

	for (uint32_t i = 0; i < s->count; i++) {
		s->at[i] = e;
		for (uint32_t j = 0; j < s->count; j++) {
			if (s->edge[i][j])
				s->to[e++] = j;
		}
	}
	s->at[s->count] = e;
	s->depends = (struct graph){ s->count, s->at, s->to };
	graph_reverse(&s->depends, s->back_at, s->back_to);
	s->dependants = (struct graph){ s->count, s->back_at, s->back_to };
}

/* reach[i][j]: there is a way of at least one edge from i to j. */
static void
reach_of(const struct small *s, bool reach[NODES_MAX][NODES_MAX])
{
	memcpy(reach, s->edge, sizeof(s->edge));
	for (uint32_t k = 0; k < s->count; k++) {
		for (uint32_t i = 0; i < s->count; i++) {
			for (uint32_t j = 0; j < s->count; j++)
				reach[i][j] = reach[i][j] ||
					(reach[i][k] && reach[k][j]);
		}
	}
}

static void
note_cycle(void *arg, const uint32_t *path, uint32_t count)
{
	struct buf *b = arg;

	for (uint32_t i = 0; i < count; i++)
		buf_addf(b, "%u>", path[i]);
	buf_addf(b, "%u ", path[0]);
}

/* C077, C078 */
static void
cycles_are_whole_and_start_at_the_smallest(void **state)
{
	static const struct {
		const char *edges; /* pairs of digits */
		const char *cycles;
	} cases[] = {
		{ "", "" },
		{ "0112", "" },
		{ "00", "0>0 " },
		{ "0110", "0>1>0 " },
		{ "122331", "1>2>3>1 " },
		{ "0112233045544678", "0>1>2>3>0 4>5>4 " },
		{ "0112200220", "0>2>0 " },
		{ "0110233234", "0>1>0 2>3>2 " },
		{ "5335", "3>5>3 " },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct small s = { .count = NODES_MAX };
		struct buf b = { 0 };
		const char *want = cases[i].cycles;
		uint32_t components = 0;

		for (const char *p = cases[i].edges; *p != '\0'; p += 2)
			s.edge[p[0] - '0'][p[1] - '0'] = true;
		small_finish(&s);
		for (const char *p = want; *p != '\0'; p++)
			components += *p == ' ';
		assert_int_equal(
			graph_cycles(&s.depends, note_cycle, &b), components);
		assert_string_equal(b.len > 0 ? b.data : "", want);
		buf_release(&b);
	}
}

struct found {
	const struct small *s;
	bool (*reach)[NODES_MAX];
	uint32_t count;
	uint32_t last;
};

static void
judge_cycle(void *arg, const uint32_t *path, uint32_t count)
{
	struct found *f = arg;

	assert_true(f->count == 0 || path[0] > f->last);
	f->last = path[0];
	f->count++;
	for (uint32_t i = 0; i < count; i++) {
		assert_true(f->s->edge[path[i]][path[(i + 1) % count]]);
		assert_true(i == 0 || path[i] > path[0]);
		for (uint32_t j = 0; j < i; j++)
			assert_int_not_equal(path[i], path[j]);
	}
	/* It starts at the smallest number of its component. */
	for (uint32_t n = 0; n < path[0]; n++)
		assert_false(f->reach[n][path[0]] && f->reach[path[0]][n]);
}

static void
judge_order(const struct small *s, const uint32_t *order, uint32_t ordered)
{
	bool stands[NODES_MAX] = { false };

	for (uint32_t i = 0; i < ordered; i++) {
		for (uint32_t j = 0; j < s->count; j++)
			assert_true(!s->edge[order[i]][j] || stands[j]);
		assert_false(stands[order[i]]);
		stands[order[i]] = true;
	}
}

/* Nodes on the longest way from `n` to what waits for it. */
static uint32_t
longest_from(const struct small *s, uint32_t n, const uint32_t *order)
{
	uint32_t length[NODES_MAX] = { 0 };

	for (uint32_t i = s->count; i-- > 0;) {
		length[order[i]] = 1;
		for (uint32_t j = 0; j < s->count; j++) {
			if (s->edge[j][order[i]] &&
				length[j] + 1 > length[order[i]])
				length[order[i]] = length[j] + 1;
		}
	}
	return length[n];
}

static void
judge_lengths(const struct small *s, const uint32_t *order)
{
	uint32_t length[NODES_MAX], path[NODES_MAX];
	uint32_t longest = 0, count;

	graph_lengths(&s->dependants, order, length);
	for (uint32_t n = 0; n < s->count; n++) {
		assert_int_equal(length[n], longest_from(s, n, order));
		if (length[n] > longest)
			longest = length[n];
	}
	count = graph_longest(&s->dependants, length, path);
	assert_int_equal(count, longest);
	for (uint32_t i = 1; i < count; i++)
		assert_true(s->edge[path[i]][path[i - 1]]);
}

static void
random_graphs_agree_with_the_definitions(void **state)
{
	struct rand r = rand_seeded(7);

	(void)state;
	for (uint32_t round = 0; round < 20000; round++) {
		struct small s = { .count = 1 +
				(uint32_t)(rand_u64(&r) % NODES_MAX) };
		uint64_t density = 2 + rand_u64(&r) % 12;
		bool reach[NODES_MAX][NODES_MAX];
		uint32_t order[NODES_MAX], cyclic = 0;
		struct found found = { &s, reach, 0, 0 };
		uint32_t ordered;

		for (uint32_t i = 0; i < s.count; i++) {
			for (uint32_t j = 0; j < s.count; j++)
				s.edge[i][j] = rand_u64(&r) % density == 0;
		}
		small_finish(&s);
		reach_of(&s, reach);
		/* Count components: nodes on a cycle without a smaller one. */
		for (uint32_t i = 0; i < s.count; i++) {
			bool first = reach[i][i];

			for (uint32_t j = 0; j < i; j++)
				first = first && !(reach[i][j] && reach[j][i]);
			cyclic += first;
		}
		for (uint32_t i = 0; i < s.count; i++) {
			for (uint32_t e = s.back_at[i]; e < s.back_at[i + 1];
				e++)
				assert_true(s.edge[s.back_to[e]][i]);
		}
		assert_int_equal(s.back_at[s.count], s.at[s.count]);
		assert_int_equal(
			graph_cycles(&s.depends, judge_cycle, &found), cyclic);
		assert_int_equal(found.count, cyclic);
		ordered = graph_order(&s.depends, &s.dependants, order);
		assert_int_equal(ordered == s.count, cyclic == 0);
		judge_order(&s, order, ordered);
		if (cyclic == 0)
			judge_lengths(&s, order);
	}
}

static void
an_empty_graph_is_fine(void **state)
{
	uint32_t at[1] = { 0 }, back_at[1], none[1];
	struct graph g = { 0, at, none };
	struct buf b = { 0 };

	(void)state;
	graph_reverse(&g, back_at, none);
	assert_int_equal(back_at[0], 0);
	assert_int_equal(graph_order(&g, &g, none), 0);
	assert_int_equal(graph_longest(&g, none, none), 0);
	assert_int_equal(graph_cycles(&g, note_cycle, &b), 0);
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cycles_are_whole_and_start_at_the_smallest),
		cmocka_unit_test(random_graphs_agree_with_the_definitions),
		cmocka_unit_test(an_empty_graph_is_fine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
