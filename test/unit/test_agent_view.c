#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/agent_view.h"
#include "run_fixture.h"

static const struct plan_row three[] = {
	{ .id = "A", .paths = "a", .title = "Do it\xc3\xa4" },
	{ .id = "B", .paths = "b", .depends = "A" },
	{ .id = "G", .paths = "g", .more = "Approval: required" },
};

/* A view, and that its JSON is read back as the same bytes. */
static struct agent_view
written_and_read(struct run_fixture *f, const struct agent_view *view)
{
	struct buf once = { 0 }, again = { 0 };
	struct json_writer w = { .out = &once };
	struct agent_view back;
	struct pawl_err err;

	agent_view_json(&w, view);
	assert_int_equal(
		agent_view_read(&f->mem, buf_str(&once), &back, &err), PAWL_OK);
	w = (struct json_writer){ .out = &again };
	agent_view_json(&w, &back);
	assert_string_equal(again.data, once.data);
	/* Nothing of what was to be done, or how, is in it. */
	assert_null(strstr(once.data, "make test"));
	assert_null(strstr(once.data, "works."));
	buf_release(&once);
	buf_release(&again);
	return back;
}

static struct agent_view
whole(struct run_fixture *f, enum agent_view_reason reason)
{
	struct agent_view view;

	agent_view_whole(&f->s, reason, &f->mem, &view);
	return written_and_read(f, &view);
}

static struct agent_view
since(struct run_fixture *f, uint64_t from)
{
	struct agent_view view;

	agent_view_since(&f->s, from, &f->mem, &view);
	return written_and_read(f, &view);
}

static void
a_snapshot_has_nodes_and_edges(void **unused)
{
	struct run_fixture f;
	struct agent_view v;

	(void)unused;
	fixture_init_of(&f, three, 3);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	assert_int_equal(v.kind, AGENT_VIEW_SNAPSHOT);
	assert_int_equal(v.cursor, f.s.seq);
	assert_int_equal(v.revision, f.s.seq);
	assert_int_equal(v.generation, 1);
	assert_int_equal(v.nodes_count, 3);
	assert_true(str_eq(v.nodes[0].attempt, STR("A@1")));
	assert_true(str_eq(v.nodes[0].title, STR("Do it\xc3\xa4")));
	assert_int_equal(v.nodes[0].status, NODE_RUNNING);
	assert_true(v.nodes[0].stage.len > 0);
	assert_true(v.nodes[1].stage.ptr == NULL);
	assert_true(str_eq(v.nodes[2].gate, STR("G!1")));
	assert_int_equal(v.edges_count, 1);
	assert_true(str_eq(v.edges[0].source, STR("B")));
	assert_true(str_eq(v.edges[0].target, STR("A")));
	assert_int_equal(v.progress->input_required, 1);
	v = whole(&f, AGENT_VIEW_REQUESTED);
	assert_int_equal(v.kind, AGENT_VIEW_RESET);
	fixture_release(&f);
}

static void
a_delta_has_what_changed_and_nothing_when_nothing_did(void **unused)
{
	struct run_fixture f;
	struct agent_view v;
	uint64_t cursor;

	(void)unused;
	fixture_init_of(&f, three, 3);
	fixture_until(&f, "A", ATTEMPT_CHECKED);
	cursor = f.s.seq;
	v = since(&f, cursor);
	assert_int_equal(v.kind, AGENT_VIEW_DELTA);
	assert_int_equal(v.from, cursor);
	assert_int_equal(v.cursor, cursor);
	assert_int_equal(v.nodes_count, 0);
	fixture_step(&f, EV_INTEGRATED, "A@1");
	fixture_step(&f, EV_NODE_GRADED, "A@1");
	v = since(&f, cursor);
	assert_int_equal(v.nodes_count, 2); /* A passed, so B is READY */
	assert_int_equal(v.nodes[0].status, NODE_PASSED);
	assert_int_equal(v.nodes[1].status, NODE_READY);
	v = since(&f, (uint64_t)v.cursor);
	assert_int_equal(v.nodes_count, 0);
	fixture_release(&f);
}

/* Applying each delta to the first snapshot gives the last one. */
static void
deltas_add_up_to_the_snapshot(void **unused)
{
	enum { NODES = 3 };
	struct agent_view_node kept[NODES];
	struct run_fixture f;
	struct agent_view v, last;
	uint64_t cursor;

	(void)unused;
	fixture_init_of(&f, three, NODES);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	memcpy(kept, v.nodes, sizeof(kept));
	cursor = (uint64_t)v.cursor;
	for (int step = 0; step < 3; step++) {
		if (step == 0)
			fixture_pass(&f, "A");
		else if (step == 1)
			fixture_step_word(&f, EV_GATE_DECIDED, "G", "granted");
		else
			fixture_until(&f, "B", ATTEMPT_REPORTED);
		v = since(&f, cursor);
		assert_int_equal(v.kind, AGENT_VIEW_DELTA);
		for (uint32_t i = 0; i < v.nodes_count; i++)
			kept[fixture_node(
				&f, arena_strdup(&f.mem, v.nodes[i].id))] =
				v.nodes[i];
		cursor = (uint64_t)v.cursor;
	}
	last = whole(&f, AGENT_VIEW_NO_REASON);
	v = last;
	v.nodes = kept;
	for (uint32_t i = 0; i < NODES; i++) {
		assert_int_equal(kept[i].status, last.nodes[i].status);
		assert_int_equal(kept[i].changed, last.nodes[i].changed);
		assert_true(str_eq(kept[i].attempt, last.nodes[i].attempt));
		assert_true(str_eq(kept[i].gate, last.nodes[i].gate));
		assert_true(str_eq(kept[i].stage, last.nodes[i].stage));
	}
	fixture_release(&f);
}

static void
a_cursor_too_far_back_or_ahead_is_a_reset(void **unused)
{
	struct run_fixture f;
	struct agent_view v;

	(void)unused;
	fixture_init_of(&f, three, 3);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	while (f.s.seq < AGENT_VIEW_HISTORY + 5)
		fixture_step(&f, EV_CLEANUP_REGISTERED, "A@1");
	assert_int_equal(since(&f, f.s.seq - AGENT_VIEW_HISTORY + 1).kind,
		AGENT_VIEW_DELTA);
	assert_int_equal(
		since(&f, f.s.seq - AGENT_VIEW_HISTORY).kind, AGENT_VIEW_DELTA);
	v = since(&f, f.s.seq - AGENT_VIEW_HISTORY - 1);
	assert_int_equal(v.kind, AGENT_VIEW_RESET);
	assert_int_equal(v.reason, AGENT_VIEW_CURSOR_EXPIRED);
	assert_int_equal(v.nodes_count, 3);
	v = since(&f, f.s.seq + 1);
	assert_int_equal(v.kind, AGENT_VIEW_RESET);
	assert_int_equal(v.reason, AGENT_VIEW_CURSOR_AHEAD);
	v = since(&f, UINT64_MAX);
	assert_int_equal(v.reason, AGENT_VIEW_CURSOR_AHEAD);
	fixture_release(&f);
}

static void
init_many(struct run_fixture *f, struct plan_row *rows, size_t count,
	const char *first)
{
	static char ids[AGENT_VIEW_NODES + 2][8];

	for (size_t i = 0; i < count; i++) {
		(void)snprintf(ids[i], sizeof(ids[i]), "N-%zu", i);
		rows[i] = (struct plan_row){ .id = ids[i],
			.depends = i > 0 ? first : NULL };
	}
	fixture_init_of(f, rows, count);
}

static void
nodes_are_cut_at_a_thousand_and_those_at_work_stay(void **unused)
{
	static struct plan_row rows[AGENT_VIEW_NODES + 1];
	struct run_fixture f;
	struct agent_view v;

	(void)unused;
	init_many(&f, rows, AGENT_VIEW_NODES, NULL);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	assert_int_equal(v.nodes_count, AGENT_VIEW_NODES);
	assert_int_equal(v.nodes_left_out, 0);
	fixture_release(&f);
	init_many(&f, rows, AGENT_VIEW_NODES + 1, NULL);
	fixture_pass(&f, "N-3");
	fixture_until(&f, "N-1000", ATTEMPT_STARTED);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	assert_int_equal(v.nodes_count, AGENT_VIEW_NODES);
	assert_int_equal(v.nodes_left_out, 1);
	assert_true(str_eq(v.nodes[3].id, STR("N-4"))); /* not the one done */
	assert_true(str_eq(v.nodes[AGENT_VIEW_NODES - 1].id, STR("N-1000")));
	v = since(&f, 0);
	assert_int_equal(v.kind, AGENT_VIEW_RESET);
	assert_int_equal(v.reason, AGENT_VIEW_TOO_MANY);
	fixture_release(&f);
}

static void
edges_are_cut_at_three_thousand(void **unused)
{
	enum { NODES = 100 };
	static char ids[NODES][8], depends[NODES][NODES * 6];
	struct plan_row rows[NODES];

	(void)unused;
	for (int more = 0; more <= 1; more++) {
		uint32_t edges = 0;
		struct run_fixture f;
		struct agent_view v;

		for (uint32_t i = 0; i < NODES; i++) {
			size_t at = 0;

			(void)snprintf(ids[i], sizeof(ids[i]), "N-%u", i);
			depends[i][0] = '\0';
			for (uint32_t k = 0; k < i &&
				edges < AGENT_VIEW_EDGES + (uint32_t)more;
				k++, edges++)
				at += (size_t)snprintf(depends[i] + at,
					sizeof(depends[i]) - at, "%sN-%u",
					k > 0 ? ", " : "", k);
			rows[i] = (struct plan_row){ .id = ids[i],
				.depends = at > 0 ? depends[i] : NULL };
		}
		fixture_init_of(&f, rows, NODES);
		v = whole(&f, AGENT_VIEW_NO_REASON);
		assert_int_equal(v.edges_count, AGENT_VIEW_EDGES);
		assert_int_equal(v.edges_left_out, more);
		fixture_release(&f);
	}
}

static void
a_long_title_is_cut_between_characters(void **unused)
{
	static char title[AGENT_VIEW_TEXT + 8];
	const struct plan_row row = { .id = "A", .title = title };
	struct run_fixture f;
	struct agent_view v;

	(void)unused;
	memset(title, 'x', AGENT_VIEW_TEXT - 1);
	title[AGENT_VIEW_TEXT - 1] = '\xc3';
	title[AGENT_VIEW_TEXT] = '\xa4';
	fixture_init_of(&f, &row, 1);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	assert_int_equal(v.nodes[0].title.len, AGENT_VIEW_TEXT - 1);
	fixture_release(&f);
	title[AGENT_VIEW_TEXT - 2] = '\xc3';
	title[AGENT_VIEW_TEXT - 1] = '\xa4';
	title[AGENT_VIEW_TEXT] = '\0';
	fixture_init_of(&f, &row, 1);
	v = whole(&f, AGENT_VIEW_NO_REASON);
	assert_int_equal(v.nodes[0].title.len, AGENT_VIEW_TEXT);
	fixture_release(&f);
}

static void
the_published_schema_is_the_table_s(void **unused)
{
	struct buf out = { 0 };

	(void)unused;
	agent_view_schema(&out);
	golden_check("schemas/agent-graph-view.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_snapshot_has_nodes_and_edges),
		cmocka_unit_test(
			a_delta_has_what_changed_and_nothing_when_nothing_did),
		cmocka_unit_test(deltas_add_up_to_the_snapshot),
		cmocka_unit_test(a_cursor_too_far_back_or_ahead_is_a_reset),
		cmocka_unit_test(
			nodes_are_cut_at_a_thousand_and_those_at_work_stay),
		cmocka_unit_test(edges_are_cut_at_three_thousand),
		cmocka_unit_test(a_long_title_is_cut_between_characters),
		cmocka_unit_test(the_published_schema_is_the_table_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
