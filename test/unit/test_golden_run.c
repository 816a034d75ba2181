/* The journal of a whole small run, as it stands in the documents' format. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "golden.h"
#include "model/apply.h"
#include "model/sentence.h"
#include "model/tasks.h"
#include "model/view.h"
#include "store/line.h"

struct golden_run {
	struct arena mem;
	struct buf list, journal;
	struct plan plan;
	struct state state;
};

static void
file_read(struct buf *to, const char *name)
{
	char path[4096];

	golden_path(path, sizeof(path), name);
	golden_read(path, to);
}

static void
golden_run_init(struct golden_run *g)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };

	*g = (struct golden_run){ .mem = ARENA_INIT };
	file_read(&g->list, "test/golden/run/tasks.md");
	file_read(&g->journal, "test/golden/run/events.jsonl");
	if (tasks_parse(buf_str(&g->list), &g->mem, &g->plan, &report, &err) !=
		PAWL_OK)
		fail_msg("%s", err.msg);
	state_init(&g->state, &g->plan);
}

static void
golden_run_release(struct golden_run *g)
{
	state_release(&g->state);
	plan_release(&g->plan);
	buf_release(&g->list);
	buf_release(&g->journal);
	arena_reset(&g->mem);
}

/* Verify the line and fold its events; each is told in a sentence. */
static void
line_fold(struct golden_run *g, struct str bytes, char *chain, struct buf *log)
{
	struct pawl_err err = { 0 };
	struct line_facts facts;
	struct line line;
	const struct json *v;

	assert_true(line_verify(bytes, chain));
	assert_int_equal(line_read(&g->mem, arena_strdup(&g->mem, bytes),
				 bytes.len, &line, &err),
		PAWL_OK);
	facts = (struct line_facts){ line.seq, line.gen, line.at, line.actor };
	v = line.events + 1;
	for (uint32_t i = 0; i < line.events->count; i++, v += v->span) {
		struct event e;

		if (event_read(v, &g->mem, &e, &err) != PAWL_OK ||
			apply(&g->state, &facts, &e, &err) != PAWL_OK)
			fail_msg("%s", err.msg);
		sentence_line(log, &facts, &e);
	}
}

static void
the_golden_run_folds_to_its_end(void **state)
{
	char chain[SHA256_HEX + 1];
	struct golden_run g;
	struct buf log = { 0 };
	struct str rest;

	(void)state;
	golden_run_init(&g);
	memset(chain, '0', SHA256_HEX);
	chain[SHA256_HEX] = '\0';
	rest = buf_str(&g.journal);
	while (rest.len > 0)
		line_fold(&g, str_cut(&rest, '\n'), chain, &log);
	assert_int_equal(state_run_status(&g.state), RUN_COMPLETE);
	buf_addc(&log, '\n');
	view_status(&log, &g.state, false, UINT32_MAX, UINT32_MAX);
	golden_check("test/golden/run/told.txt", buf_str(&log));
	buf_release(&log);
	golden_run_release(&g);
}

/* Each line that is left out is missed: by its number, or by the chain. */
static void
no_line_of_it_can_be_left_out(void **state)
{
	struct golden_run g;
	size_t lines = 0;

	(void)state;
	golden_run_init(&g);
	for (size_t i = 0; i < g.journal.len; i++)
		lines += g.journal.data[i] == '\n';
	for (size_t left_out = 0; left_out + 1 < lines; left_out++) {
		struct str rest = buf_str(&g.journal);
		char chain[SHA256_HEX + 1];
		size_t missed = 0;

		memset(chain, '0', SHA256_HEX);
		chain[SHA256_HEX] = '\0';
		for (size_t n = 0; rest.len > 0; n++) {
			struct str bytes = str_cut(&rest, '\n');

			if (n != left_out && !line_verify(bytes, chain))
				missed++;
		}
		assert_int_equal(missed, lines - left_out - 1);
	}
	golden_run_release(&g);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_golden_run_folds_to_its_end),
		cmocka_unit_test(no_line_of_it_can_be_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
