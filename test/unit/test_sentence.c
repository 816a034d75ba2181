/* One readable line for each event of the golden file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "golden.h"
#include "model/sentence.h"

static void
each_event_is_the_line_of_the_golden_file(void **state)
{
	struct line_facts line = { 17, 1, STR("2026-11-30T11:24:23.123456Z"),
		STR("coordinator:c1") };
	struct arena mem = ARENA_INIT;
	struct buf events = { 0 }, out = { 0 };
	char path[4096];
	struct str rest;

	(void)state;
	golden_path(path, sizeof(path), "test/golden/events.jsonl");
	golden_read(path, &events);
	rest = buf_str(&events);
	while (rest.len > 0) {
		struct str text = str_cut(&rest, '\n');
		struct pawl_err err = { 0 };
		const struct json *v;
		struct event e;

		if (json_read(&mem, arena_strdup(&mem, text), text.len,
			    JSON_STRICT, &v, &err) != PAWL_OK ||
			event_read(v, &mem, &e, &err) != PAWL_OK)
			fail_msg("%s", err.msg);
		sentence_line(&out, &line, &e);
	}
	golden_check("test/golden/sentences.txt", buf_str(&out));
	buf_release(&events);
	buf_release(&out);
	arena_reset(&mem);
}

/* What a worker wrote can't reach the terminal as it is, nor fill it. */
static void
texts_of_others_are_neutralised_and_cut(void **state)
{
	struct event e = { .type = EV_NODE_BLOCKED, .node = STR("A") };
	char text[600];
	struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = 'x';
	text[0] = '\033';
	text[1] = '\n';
	e.reason = STR("r\xff");
	e.message = (struct str){ text, sizeof(text) };
	sentence_write(&out, &e);
	assert_true(str_starts(
		buf_str(&out), STR("A BLOCKED (r\\xff): \\x1b\\x0axxx")));
	assert_true(str_ends(buf_str(&out), STR("xxx…")));
	assert_true(out.len < 300);
	for (size_t i = 0; i < out.len; i++)
		assert_true((unsigned char)out.data[i] >= ' ');
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_event_is_the_line_of_the_golden_file),
		cmocka_unit_test(texts_of_others_are_neutralised_and_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
