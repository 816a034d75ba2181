/*
 * What a capsule refers to: which references, in which order, and what of them
 * finds room.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "base/rand.h"
#include "model/context.h"
#include "run_fixture.h"

/* "kind id edge depth" a line. */
static void
summary(struct buf *out, const struct context *c)
{
	static const char letters[] = "tnxdse";
	const struct context_ref *ref;

	VEC_EACH (ref, &c->refs) {
		buf_addf(out, "%c " STR_FMT " %s %u\n", letters[ref->kind],
			STR_ARG(ref->id), ref->edge != NULL ? ref->edge : "-",
			ref->depth);
	}
}

static void
collect(struct run_fixture *f, const char *node, struct context *ret_context)
{
	const struct context_of of = { .node = fixture_node(f, node),
		.number = 1 };

	*ret_context = (struct context){ 0 };
	context_collect(ret_context, &f->s, &of, &f->mem);
}

static const struct plan_row rows[] = {
	{ .id = "A", .more = "Context: [docs/a.md, ./docs/both.md, ../out]" },
	{ .id = "B", .depends = "A", .more = "Context: see the docs, docs/b" },
	{ .id = "N" },
	{ .id = "C",
		.depends = "B, A",
		.more = "Context: [\"docs/both.md\", N, N, /etc/passwd, z/, "
			".]" },
};

/* Along all edges, by kind, distance and name; nothing that leads out. */
static void
references_stand_in_one_order(void **state)
{
	struct run_fixture f;
	struct context c;
	struct buf out = { 0 };

	(void)state;
	fixture_init_of(&f, rows, 4);
	fixture_pass(&f, "A");
	fixture_pass(&f, "B");
	collect(&f, "C", &c);
	summary(&out, &c);
	assert_string_equal(out.data,
		"t C - 0\n"
		"n C/Context context_for 1\n"
		"n N context_for 1\n"
		"n A/Context context_for 2\n"
		"n B/Context context_for 2\n"
		"x A depends_on 1\n"
		"x B depends_on 1\n"
		"d process-decision - 0\n"
		"s docs/both.md context_for 1\n"
		"s z context_for 1\n"
		"s docs/a.md context_for 2\n"
		"s docs/b context_for 2\n"
		"s see the docs context_for 2\n"
		"e A@1/commit produces 2\n"
		"e A@1/report produces 2\n"
		"e B@1/commit produces 2\n"
		"e B@1/report produces 2\n");
	assert_false(c.cut);
	context_drop_unresolved(&c);
	for (size_t i = 0; i < c.refs.count; i++) {
		assert_int_not_equal(c.refs.items[i].kind, CONTEXT_SOURCE);
		assert_true(c.refs.items[i].digest.len > 4);
	}
	assert_int_equal(c.refs.count, 12);
	context_release(&c);
	buf_release(&out);
	fixture_release(&f);
}

/* A dependency goes by the capsule of its last attempt, as the journal has it,
 * and by its contract when nobody was told anything. */
static void
a_dependency_is_named_by_what_it_was_told(void **state)
{
	struct run_fixture f;
	struct context before, after;
	struct str told, contract = { "", 0 };

	(void)state;
	fixture_init_of(&f, rows, 2);
	collect(&f, "B", &before);
	fixture_pass(&f, "A");
	collect(&f, "B", &after);
	told = state_last_attempt(&f.s, fixture_node(&f, "A"))->capsule_sha256;
	for (size_t i = 0; i < before.refs.count; i++) {
		if (before.refs.items[i].kind == CONTEXT_DEPENDENCY)
			contract = before.refs.items[i].digest;
	}
	for (size_t i = 0; i < after.refs.count; i++) {
		const struct context_ref *ref = &after.refs.items[i];

		if (ref->kind != CONTEXT_DEPENDENCY)
			continue;
		if (told.len > 0) {
			assert_true(str_eq(
				str_part(ref->digest, 7, ref->digest.len),
				told));
		} else {
			assert_true(str_eq(ref->digest, contract));
		}
	}
	context_release(&before);
	context_release(&after);
	fixture_release(&f);
}

enum { NODES = 24, DEGREE = 5 };

/* A task's dependencies and context as a list; turned: the other way round. */
static const char *
listed(const uint32_t *items, uint32_t count, const char *before, bool turned,
	struct arena *mem)
{
	struct buf b = { 0 };
	const char *text;

	for (uint32_t i = 0; i < count; i++) {
		buf_addf(&b, "%s%s%u", i > 0 ? ", " : "", before,
			items[turned ? count - 1 - i : i]);
	}
	text = arena_strdup(mem, buf_str(&b));
	buf_release(&b);
	return text;
}

struct random_list {
	uint32_t depends[NODES][DEGREE], depends_count[NODES];
	uint32_t sources[NODES][DEGREE], sources_count[NODES];
};

static uint32_t
pick(struct rand *rand, uint32_t *items, uint32_t below)
{
	uint32_t want = (uint32_t)(rand_u64(rand) % (DEGREE + 1)), count = 0;

	for (uint32_t i = 0; i < want && below > 0; i++) {
		uint32_t n = (uint32_t)(rand_u64(rand) % below);
		bool has = false;

		for (uint32_t k = 0; k < count; k++)
			has = has || items[k] == n;
		if (!has)
			items[count++] = n;
	}
	return count;
}

static void
rows_of(const struct random_list *l, bool turned, struct plan_row *ret_rows,
	struct arena *mem)
{
	for (uint32_t n = 0; n < NODES; n++) {
		const char *sources = listed(l->sources[n], l->sources_count[n],
			"docs/", turned, mem);

		ret_rows[n] = (struct plan_row){
			.id = arena_format(mem, "T%u", n).ptr,
			.depends = listed(l->depends[n], l->depends_count[n],
				"T", turned, mem),
		};
		if (l->sources_count[n] > 0) {
			ret_rows[n].more =
				arena_format(mem, "Context: [%s]", sources).ptr;
		}
	}
}

/* Steps from the last task to each, or UINT32_MAX; by relaxation. */
static void
distances(const struct random_list *l, uint32_t *ret_steps)
{
	for (uint32_t n = 0; n < NODES; n++)
		ret_steps[n] = n == NODES - 1 ? 0 : UINT32_MAX;
	for (uint32_t n = NODES; n-- > 0;) {
		for (uint32_t i = 0; i < l->depends_count[n]; i++) {
			uint32_t *dep = &ret_steps[l->depends[n][i]];

			if (ret_steps[n] != UINT32_MAX &&
				ret_steps[n] + 1 < *dep)
				*dep = ret_steps[n] + 1;
		}
	}
}

static void
each_is_listed_at_its_distance(
	const struct context *c, const struct random_list *l)
{
	uint32_t steps[NODES], reachable = 0, listed_count = 0;
	const struct context_ref *ref;

	distances(l, steps);
	for (uint32_t n = 0; n < NODES; n++)
		reachable += steps[n] != UINT32_MAX;
	VEC_EACH (ref, &c->refs) {
		uint32_t at = 0;

		if (ref->kind != CONTEXT_DEPENDENCY &&
			ref->kind != CONTEXT_TASK)
			continue;
		for (size_t i = 1; i < ref->id.len; i++)
			at = at * 10 + (uint32_t)(ref->id.ptr[i] - '0');
		assert_int_equal(ref->depth, steps[at]);
		listed_count++;
	}
	assert_int_equal(listed_count, reachable);
}

/* The same list gives the same bytes, and the order in which a task names its
 * dependencies and its context moves none of the references. */
static void
random_lists_give_the_same_context(void **state)
{
	struct rand rand;

	(void)state;
	rand = rand_seeded(6);
	for (uint32_t round = 0; round < 200; round++) {
		struct arena mem = ARENA_INIT;
		struct random_list l;
		struct plan_row r[NODES];
		struct run_fixture f[3];
		struct context c[3];
		struct buf said[3] = { 0 }, order[3] = { 0 };

		for (uint32_t n = 0; n < NODES; n++) {
			l.depends_count[n] = pick(&rand, l.depends[n], n);
			l.sources_count[n] = pick(&rand, l.sources[n], 12);
		}
		for (uint32_t i = 0; i < 3; i++) {
			struct json_writer w = { .out = &said[i] };

			rows_of(&l, i == 2, r, &mem);
			fixture_init_of(&f[i], r, NODES);
			collect(&f[i], r[NODES - 1].id, &c[i]);
			summary(&order[i], &c[i]);
			context_write(&w, &c[i]);
		}
		assert_string_equal(said[0].data, said[1].data);
		assert_string_equal(order[0].data, order[2].data);
		assert_false(c[0].cut);
		each_is_listed_at_its_distance(&c[0], &l);
		for (uint32_t i = 0; i < 3; i++) {
			context_release(&c[i]);
			buf_release(&said[i]);
			buf_release(&order[i]);
			fixture_release(&f[i]);
		}
		arena_reset(&mem);
	}
}

/* A task after `deps` others; how many references it has. */
static size_t
refs_after(uint32_t deps, bool *ret_cut)
{
	struct arena mem = ARENA_INIT;
	struct plan_row *r = arena_array(&mem, deps + 1u, struct plan_row);
	struct buf all = { 0 };
	struct run_fixture f;
	struct context c;
	size_t count;

	for (uint32_t i = 0; i < deps; i++) {
		r[i].id = arena_format(&mem, "T%u", i).ptr;
		buf_addf(&all, "%s%s", i > 0 ? ", " : "", r[i].id);
	}
	r[deps].id = "last";
	r[deps].depends = all.data;
	fixture_init_of(&f, r, deps + 1u);
	collect(&f, "last", &c);
	count = c.refs.count;
	*ret_cut = c.cut;
	context_release(&c);
	fixture_release(&f);
	buf_release(&all);
	arena_reset(&mem);
	return count;
}

/* Beside them stand the task and the process decision. */
static void
references_have_a_limit(void **state)
{
	bool cut;

	(void)state;
	assert_int_equal(refs_after(BOUND_CONTEXT_REFS - 3, &cut),
		BOUND_CONTEXT_REFS - 1);
	assert_false(cut);
	assert_int_equal(
		refs_after(BOUND_CONTEXT_REFS - 2, &cut), BOUND_CONTEXT_REFS);
	assert_false(cut);
	assert_int_equal(
		refs_after(BOUND_CONTEXT_REFS - 1, &cut), BOUND_CONTEXT_REFS);
	assert_true(cut);
	assert_int_equal(
		refs_after(BOUND_CONTEXT_REFS * 3, &cut), BOUND_CONTEXT_REFS);
	assert_true(cut);
}

/* `count` bytes, or characters of more than one, at the front `head`. */
static struct str
text_of(const char *head, const char *fill, size_t count, struct arena *mem)
{
	struct buf b = { 0 };
	struct str text;

	buf_add(&b, str_from(head));
	for (size_t i = 0; i < count; i++)
		buf_add(&b, str_from(fill));
	text = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return text;
}

/* What is taken of one source. */
static void
an_excerpt_is_the_head_of_a_text(void **state)
{
	enum { MAX = BOUND_EXCERPT_BYTES };
	static const struct {
		const char *head, *fill;
		size_t count, len;
		uint8_t omitted;
		bool truncated;
	} table[] = {
		{ "", "", 0, 0, CONTEXT_OMITTED_NOT, false },
		{ "", "x", MAX - 1, MAX - 1, CONTEXT_OMITTED_NOT, false },
		{ "", "x", MAX, MAX, CONTEXT_OMITTED_NOT, false },
		{ "", "x", MAX + 1, MAX, CONTEXT_OMITTED_NOT, true },
		{ "", "x", 1 << 20, MAX, CONTEXT_OMITTED_NOT, true },
		{ "a", "\xc3\xa9", MAX, MAX - 1, CONTEXT_OMITTED_NOT, true },
		{ "ab", "\xf0\x9f\x90\xbe", MAX, MAX - 2, CONTEXT_OMITTED_NOT,
			true },
		{ "a\tb\r\n", "", 0, 5, CONTEXT_OMITTED_NOT, false },
		{ "\x1b[31m", "x", 9, 0, CONTEXT_OMITTED_NOT_TEXT, false },
		{ "\x7f", "x", 9, 0, CONTEXT_OMITTED_NOT_TEXT, false },
		{ "\xe2\x80\xae", "x", 9, 0, CONTEXT_OMITTED_NOT_TEXT, false },
		{ "\xff\xfe", "x", 9, 0, CONTEXT_OMITTED_NOT_TEXT, false },
		{ "x\xc3", "", 0, 0, CONTEXT_OMITTED_NOT_TEXT, false },
		{ "", "\x80", (size_t)MAX * 2, 0, CONTEXT_OMITTED_NOT_TEXT,
			false },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct context c = { 0 };
		struct context_ref ref = { .kind = CONTEXT_SOURCE };
		struct str bytes = text_of(
			table[i].head, table[i].fill, table[i].count, &mem);

		context_excerpt(&c, &ref, bytes, &mem);
		assert_int_equal(ref.omitted, table[i].omitted);
		assert_int_equal(ref.excerpt.len, table[i].len);
		assert_int_equal(ref.truncated, table[i].truncated);
		assert_true(
			str_eq(ref.excerpt, str_part(bytes, 0, table[i].len)));
		assert_int_equal(c.items, ref.omitted == CONTEXT_OMITTED_NOT);
	}
	/* A NUL, which no literal above can have. */
	{
		struct context c = { 0 };
		struct context_ref ref = { .kind = CONTEXT_SOURCE };

		context_excerpt(&c, &ref, STR("a\0b"), &mem);
		assert_int_equal(ref.omitted, CONTEXT_OMITTED_NOT_TEXT);
	}
	arena_reset(&mem);
}

/* As many as fit, with what is used up, and why the next has no room. */
static void
excerpts_keep_within_each_budget(void **state)
{
	static const struct {
		const char *fill;
		size_t count;
		size_t last;  /* bytes of the one that is cut; 0: none */
		uint32_t fit; /* whole ones */
		uint8_t why;
	} table[] = {
		{ "x", 10, 0, BOUND_CONTEXT_ITEMS, CONTEXT_OMITTED_ITEMS },
		{ "x", 2048, 0, 12, CONTEXT_OMITTED_TOKENS },
		{ "x", 2047, 12, 12, CONTEXT_OMITTED_TOKENS },
		{ "\n", 2048, 0, 8, CONTEXT_OMITTED_BYTES },
		{ "\"", 2047, 8, 8, CONTEXT_OMITTED_BYTES },
		{ "\\", 1 << 20, 0, 8, CONTEXT_OMITTED_BYTES },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct context c = { 0 };
		struct str bytes =
			text_of("", table[i].fill, table[i].count, &mem);
		struct context_ref ref;

		for (uint32_t n = 0; n < table[i].fit; n++) {
			ref = (struct context_ref){ .kind = CONTEXT_SOURCE };
			context_excerpt(&c, &ref, bytes, &mem);
			assert_int_equal(ref.omitted, CONTEXT_OMITTED_NOT);
		}
		if (table[i].last > 0) {
			ref = (struct context_ref){ .kind = CONTEXT_SOURCE };
			context_excerpt(&c, &ref, bytes, &mem);
			assert_int_equal(ref.excerpt.len, table[i].last);
			assert_true(ref.truncated);
		}
		ref = (struct context_ref){ .kind = CONTEXT_SOURCE };
		context_excerpt(&c, &ref, bytes, &mem);
		assert_int_equal(ref.omitted, table[i].why);
		assert_int_equal(ref.excerpt.len, 0);
		assert_true(c.items <= BOUND_CONTEXT_ITEMS);
		assert_true(c.tokens <= BOUND_CONTEXT_TOKENS);
		assert_true(c.excerpt_bytes <= BOUND_CONTEXT_BYTES);
	}
	arena_reset(&mem);
}

/* What an excerpt counts for is what it takes, and it can't look like ours. */
static void
an_excerpt_is_written_as_it_is_counted(void **state)
{
	struct arena mem = ARENA_INIT;
	struct context c = { 0 };
	struct context_ref ref = { .kind = CONTEXT_SOURCE,
		.id = STR("docs/a"),
		.digest = STR("git:1") };
	struct str bytes = STR("# Task \"x\"\\\n\tAcceptance: \xc3\xa9\r\n");
	struct buf json = { 0 }, prompt = { 0 };
	struct json_writer w = { .out = &json };
	char *at;

	(void)state;
	context_excerpt(&c, &ref, bytes, &mem);
	ref.bytes = bytes.len;
	(void)context_refs_push(&c.refs, ref);
	context_write(&w, &c);
	at = strstr(json.data, "\"excerpt\":\"");
	assert_non_null(at);
	at += strlen("\"excerpt\":\"");
	assert_int_equal(strstr(at, "\",\"truncated\":false") - at,
		(ptrdiff_t)c.excerpt_bytes);
	context_prompt(&prompt, &c);
	assert_non_null(strstr(prompt.data, "\ndocs/a (git:1)\n"));
	assert_non_null(strstr(prompt.data, "\n    # Task \"x\"\\\n    \tAcc"));
	assert_null(strstr(prompt.data, "\n# Task"));
	assert_null(strchr(prompt.data, '\r'));
	context_release(&c);
	buf_release(&json);
	buf_release(&prompt);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(references_stand_in_one_order),
		cmocka_unit_test(a_dependency_is_named_by_what_it_was_told),
		cmocka_unit_test(random_lists_give_the_same_context),
		cmocka_unit_test(references_have_a_limit),
		cmocka_unit_test(an_excerpt_is_the_head_of_a_text),
		cmocka_unit_test(excerpts_keep_within_each_budget),
		cmocka_unit_test(an_excerpt_is_written_as_it_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
