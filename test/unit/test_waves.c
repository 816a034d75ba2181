#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "base/rand.h"
#include "model/scope.h"
#include "model/tasks.h"
#include "model/waves.h"

#define REST "  Isolation: auto\n  Acceptance: x\n  Check: x\n"
#define TASK(id, depends, paths, mode)                                     \
	"- [ ] " id " x\n  Depends: [" depends "]\n  Paths: [" paths "]\n" \
	"  Mode: " mode "\n" REST

/* Each wave as ids, "A B | C". */
static struct str
waves_text(const struct plan *p, const struct waves *w, struct arena *mem)
{
	struct buf b = { 0 };
	struct str s;

	for (uint32_t k = 0; k < w->count; k++) {
		buf_add(&b, k > 0 ? STR(" |") : STR(""));
		for (uint32_t i = w->at[k]; i < w->at[k + 1]; i++) {
			buf_add(&b, i > 0 ? STR(" ") : STR(""));
			buf_add(&b, plan_id(p, w->nodes[i]));
		}
	}
	s = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return s;
}

static void
waves_are_greedy_in_order(void **state)
{
	static const struct {
		struct str list;
		const char *waves;
	} cases[] = {
#define CASE(list, waves) { { list, sizeof(list) - 1 }, waves }
		/* The longest path goes first. */
		CASE(TASK("A", "", "a", "write") TASK("B", "", "a", "write")
				TASK("C", "B", "c", "write"),
			"B | A C"),
		/* Priority goes before the longest path. */
		CASE(TASK("A", "", "a", "write") "  Priority: 1\n" TASK("B", "",
			     "a", "write") TASK("C", "B", "c", "write"),
			"A | B | C"),
		CASE(TASK("A", "", "a", "write") "  Priority: -1\n" TASK(
			     "B", "", "a", "write") TASK("C", "", "a", "write"),
			"B | C | A"),
		/* Readers share, a writer is alone. */
		CASE(TASK("A", "", "a", "read") TASK("B", "", "a/b", "read")
				TASK("C", "", "a/b/c", "write")
					TASK("D", "", "a/b/c", "read"),
			"A B D | C"),
		CASE(TASK("A", "", "a/b/c", "write") TASK("B", "", "a", "read")
				TASK("C", "", "a/x", "read"),
			"A C | B"),
		/* The whole repository. */
		CASE(TASK("A", "", ".", "write") TASK("B", "", "b", "write")
				TASK("C", "", "c", "write"),
			"A | B C"),
		/* Two scopes: put off by one, then by the other. */
		CASE(TASK("A", "", "x", "write") TASK("B", "", "y, x", "write")
				TASK("C", "", "y", "write")
					TASK("D", "", "y", "write"),
			"A C | B | D"),
#undef CASE
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct tasks_report report;
		struct pawl_err err = { 0 };
		struct plan p;
		struct waves w;

		assert_int_equal(
			tasks_parse(cases[i].list, &mem, &p, &report, &err),
			PAWL_OK);
		waves_init(&w, &p);
		assert_string_equal(
			waves_text(&p, &w, &mem).ptr, cases[i].waves);
		waves_release(&w);
		plan_release(&p);
		arena_reset(&mem);
	}
}

static void
clashes_name_both_tasks_and_scopes(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;
	struct waves w;

	(void)state;
	assert_int_equal(
		tasks_parse(STR(TASK("A", "", "q, src", "write") TASK(
				    "B", "", "z, src/b", "write")
					    TASK("C", "", "c", "write")),
			&mem, &p, &report, &err),
		PAWL_OK);
	waves_init(&w, &p);
	assert_int_equal(w.count, 2);
	assert_int_equal(w.widest, 2);
	assert_int_equal(w.writers, 2);
	assert_int_equal(w.clash_count, 1);
	assert_int_equal(w.clashes[0].wave, 0);
	assert_int_equal(w.clashes[0].node, 1);
	assert_int_equal(w.clashes[0].other, 0);
	assert_true(
		str_eq(plan_scope_str(&p, w.clashes[0].scope), STR("src/b")));
	assert_true(str_eq(
		plan_scope_str(&p, w.clashes[0].other_scope), STR("src")));
	waves_release(&w);
	plan_release(&p);
	arena_reset(&mem);
}

static void
clashes_are_bounded(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;
	struct waves w;

	(void)state;
	for (unsigned i = 0; i < WAVES_CLASHES_MAX + 3; i++)
		buf_addf(&b, TASK("T%u", "", "same", "write"), i);
	assert_int_equal(
		tasks_parse(buf_str(&b), &mem, &p, &report, &err), PAWL_OK);
	waves_init(&w, &p);
	assert_int_equal(w.count, WAVES_CLASHES_MAX + 3);
	assert_int_equal(w.clash_count, WAVES_CLASHES_MAX);
	assert_int_equal(w.clashes_dropped, 2);
	waves_release(&w);
	plan_release(&p);
	buf_release(&b);
	arena_reset(&mem);
}

/* A list of `count` tasks with random edges backwards, paths, modes. */
static void
random_list(struct rand *r, uint32_t count, struct buf *b)
{
	static const char *const paths[] = { ".", "a", "b", "a/a", "a/b", "c",
		"a/a/a", "b/a", "b/b", "c/x", "d", "e", "ab" };
	uint64_t kinds = 2 + rand_u64(r) % 11;

	for (uint32_t i = 0; i < count; i++) {
		const char *comma = "";

		buf_addf(b, "- [ ] T%u x\n  Depends: [", i);
		for (uint32_t j = 0; j < i; j++) {
			if (rand_u64(r) % (UINT64_C(2) * count) == 0) {
				buf_addf(b, "%sT%u", comma, j);
				comma = ", ";
			}
		}
		buf_addf(b, "]\n  Paths: [%s", paths[1 + rand_u64(r) % kinds]);
		if (rand_u64(r) % 3 == 0)
			buf_addf(b, ", z/%s%u", rand_u64(r) % 2 ? "" : "q/",
				(unsigned)(rand_u64(r) % 4));
		buf_addf(b, "]\n  Mode: %s\n" REST,
			rand_u64(r) % 3 ? "write" : "read");
		if (rand_u64(r) % 5 == 0)
			buf_addf(b, "  Priority: %u\n",
				(unsigned)(rand_u64(r) % 3));
	}
}

/* Whether two tasks may not run at once, by the definition. */
static bool
excludes(const struct plan *p, uint32_t a, uint32_t b)
{
	uint32_t x, y;

	return (p->nodes[a].mode == MODE_WRITE ||
		       p->nodes[b].mode == MODE_WRITE) &&
		plan_overlap(p, a, b, &x, &y);
}

static bool
goes_before(const struct plan *p, uint32_t a, uint32_t b)
{
	const struct contract_extra *x = plan_extra(p, a);
	const struct contract_extra *y = plan_extra(p, b);
	int32_t i = x ? x->priority : 0, k = y ? y->priority : 0;

	if (i != k)
		return i > k;
	if (p->nodes[a].path_length != p->nodes[b].path_length)
		return p->nodes[a].path_length > p->nodes[b].path_length;
	return a < b;
}

/* The first, in order, of what may be tried for the wave; UINT32_MAX: none. */
static uint32_t
plain_best(const struct plan *p, const uint32_t *wave_of, const bool *tried,
	uint32_t wave)
{
	uint32_t best = UINT32_MAX;

	for (uint32_t n = 0; n < p->count; n++) {
		const struct contract *c = &p->nodes[n];
		bool may = !tried[n] && wave_of[n] == UINT32_MAX;

		for (uint32_t i = 0; i < c->depends_count; i++)
			may = may &&
				wave_of[p->depends[c->depends_at + i]] < wave;
		if (may && (best == UINT32_MAX || goes_before(p, n, best)))
			best = n;
	}
	return best;
}

/* The waves again, in the plainest way; `wave_of` gets each node's. */
static uint32_t
plain_waves(const struct plan *p, uint32_t *wave_of)
{
	uint32_t placed = 0, wave = 0;

	memset(wave_of, 0xff, p->count * sizeof(*wave_of));
	for (; placed < p->count; wave++) {
		bool tried[64] = { false };
		uint32_t best;

		while ((best = plain_best(p, wave_of, tried, wave)) !=
			UINT32_MAX) {
			bool fits = true;

			tried[best] = true;
			for (uint32_t n = 0; n < p->count; n++)
				fits = fits &&
					!(wave_of[n] == wave &&
						excludes(p, n, best));
			if (!fits)
				continue;
			wave_of[best] = wave;
			placed++;
		}
	}
	return wave;
}

/* C068: no overlap, every wave maximal by the stated order, the same always. */
static void
random_plans_agree_with_the_definition(void **state)
{
	struct rand r = rand_seeded(68);

	(void)state;
	for (uint32_t round = 0; round < 2500; round++) {
		struct arena mem = ARENA_INIT;
		struct tasks_report report;
		struct pawl_err err = { 0 };
		struct buf b = { 0 };
		uint32_t count = 1 + (uint32_t)(rand_u64(&r) % 24);
		uint32_t wave_of[64];
		struct plan p;
		struct waves w;

		random_list(&r, count, &b);
		assert_int_equal(
			tasks_parse(buf_str(&b), &mem, &p, &report, &err),
			PAWL_OK);
		waves_init(&w, &p);
		assert_int_equal(plain_waves(&p, wave_of), w.count);
		assert_int_equal(w.at[w.count], p.count);
		for (uint32_t k = 0; k < w.count; k++) {
			for (uint32_t i = w.at[k]; i < w.at[k + 1]; i++) {
				assert_int_equal(wave_of[w.nodes[i]], k);
				assert_true(i == w.at[k] ||
					goes_before(&p, w.nodes[i - 1],
						w.nodes[i]));
			}
		}
		waves_release(&w);
		plan_release(&p);
		buf_release(&b);
		arena_reset(&mem);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waves_are_greedy_in_order),
		cmocka_unit_test(clashes_name_both_tasks_and_scopes),
		cmocka_unit_test(clashes_are_bounded),
		cmocka_unit_test(random_plans_agree_with_the_definition),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
