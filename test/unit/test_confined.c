#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/capsule.h"
#include "model/confined.h"
#include "model/explain.h"
#include "run_fixture.h"

#define CHECK_RAN "the check ran in a sandbox; a run with --read PATH"
#define WORKER_RAN                                                            \
	"the worker ran in a sandbox; a run with --read PATH or --write PATH" \
	" grants it more"
#define MORE " grants it more"

static const struct plan_row rows[] = { { .id = "A", .paths = "src" } };

static struct str tcp_word[] = { { "tcp", 3 } };
static struct str two_words[] = { { "tcp", 3 }, { "ioctl", 5 } };

static bool
says(const struct buf *out, const char *text)
{
	return memmem(out->data, out->len, text, strlen(text)) != NULL;
}

/* A run of one task whose attempt got as far as a check that began. */
static void
begin(struct run_fixture *f)
{
	fixture_init_of(f, rows, 1);
	fixture_until(f, "A", ATTEMPT_REPORTED);
	fixture_step(f, EV_CHECK_STARTED, "A@1");
}

static void
what_was_not_enforced_is_said_once(void **state)
{
	static const struct {
		const char *level;
		struct strs worker, check;
		const char *words;
		bool whole;
	} cases[] = {
		{ "", { NULL, 0 }, { NULL, 0 }, "off", false },
		{ "off", { NULL, 0 }, { NULL, 0 }, "off", false },
		{ "required", { NULL, 0 }, { NULL, 0 }, "required", true },
		{ "best-effort", { NULL, 0 }, { NULL, 0 }, "best-effort",
			true },
		{ "best-effort", { tcp_word, 1 }, { NULL, 0 },
			"best-effort, not enforced: tcp", false },
		{ "best-effort", { NULL, 0 }, { tcp_word, 1 },
			"best-effort, not enforced: tcp", false },
		{ "best-effort", { tcp_word, 1 }, { two_words, 2 },
			"best-effort, not enforced: tcp, ioctl", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct run_fixture f;

		begin(&f);
		f.s.run.sandbox = str_from(cases[i].level);
		f.s.attempts.items[0].lacks = cases[i].worker;
		f.s.checks.items[0].lacks = cases[i].check;
		assert_string_equal(
			arena_strdup(&f.mem, confined_words(&f.s, &f.mem)),
			cases[i].words);
		assert_int_equal(is_confined(&f.s), cases[i].whole);
		fixture_release(&f);
	}
}

/* How it went, how both were confined, and what is said of the attempt. */
static const struct {
	const char *verdict; /* of the check; NULL: the worker's end alone */
	const char *worker, *check;
	bool check_net;
	const char *hint;
} hints[] = {
	{ "pass", "best-effort", "best-effort", false, "" },
	{ "fail", "", "", false, "" },
	{ "fail", "off", "off", false, "" },
	{ "fail", "best-effort", "best-effort", false,
		CHECK_RAN ", --write PATH or --check-net" MORE },
	{ "fail", "required", "required", true,
		CHECK_RAN " or --write PATH" MORE },
	{ NULL, "best-effort", "", false, WORKER_RAN },
	{ NULL, "required", "", false, WORKER_RAN },
	{ NULL, "off", "", false, "" },
	{ NULL, "", "", false, "" },
};

static void
a_failure_says_what_would_grant_more(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
		const char *verdict = hints[i].verdict;
		struct run_fixture f;
		struct str hint;

		fixture_init_of(&f, rows, 1);
		f.s.run.check_net = hints[i].check_net;
		fixture_until(&f, "A",
			verdict != NULL ? ATTEMPT_REPORTED : ATTEMPT_STARTED);
		f.s.attempts.items[0].sandbox = str_from(hints[i].worker);
		hint = confined_hint(&f.s, 0);
		assert_int_equal(hint.len, 0); /* it is at work */
		if (verdict != NULL) {
			fixture_step(&f, EV_CHECK_STARTED, "A@1");
			f.s.checks.items[0].sandbox = str_from(hints[i].check);
			fixture_step_word(
				&f, EV_CHECK_RECORDED, "A@1", verdict);
			hint = confined_check_hint(&f.s, 0);
			assert_true(str_eq(hint, str_from(hints[i].hint)));
		} else {
			fixture_step_word(
				&f, EV_ATTEMPT_INTERRUPTED, "A@1", "exit 1");
		}
		hint = confined_hint(&f.s, 0);
		assert_string_equal(arena_strdup(&f.mem, hint), hints[i].hint);
		fixture_release(&f);
	}
}

/* Of a node, below its causes; nothing when nobody was confined. */
static void
explain_notes_it(void **state)
{
	(void)state;
	for (int confined = 0; confined < 2; confined++) {
		struct buf text = { 0 }, json = { 0 };
		struct json_writer w = { .out = &json };
		struct run_fixture f;
		struct explanation ex;

		begin(&f);
		if (confined)
			f.s.checks.items[0].sandbox = STR("best-effort");
		fixture_step_word(&f, EV_CHECK_RECORDED, "A@1", "fail");
		fixture_step_word(&f, EV_NODE_GRADED, "A@1", "fail");
		explain_node(&f.s, 0, 3, &f.mem, &ex);
		explain_text(&text, &f.s, &ex);
		explain_json(&w, &f.s, &ex);
		assert_int_equal(
			says(&text, "\n  note: the check ran in a sandbox; "),
			confined);
		assert_int_equal(
			says(&json, "\"note\":\"the check ran"), confined);
		assert_int_equal(says(&json, "\"note\""), confined);
		buf_release(&text);
		buf_release(&json);
		fixture_release(&f);
	}
}

/* The next worker is told, in both renderings of what it gets. */
static void
a_repair_is_told(void **state)
{
	static const char *const notes[] = { "", WORKER_RAN };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct capsule_facts facts = { .number = 2,
			.hypothesis = STR("exit 1"),
			.failed_tail = STR("no luck"),
			.confined = str_from(notes[i]) };
		struct buf json = { 0 }, prompt = { 0 };
		struct json_writer w = { .out = &json };
		struct run_fixture f;

		fixture_init_of(&f, rows, 1);
		capsule_write(&w, &f.s, &facts, &f.mem);
		capsule_prompt(&prompt, &f.s, &facts, &f.mem);
		assert_int_equal(says(&json, "\"note\":\"" WORKER_RAN "\""), i);
		assert_int_equal(says(&json, "\"note\""), i);
		assert_int_equal(
			says(&prompt, "no luck\nNote: " WORKER_RAN ".\n"), i);
		assert_int_equal(says(&prompt, "Note:"), i);
		buf_release(&json);
		buf_release(&prompt);
		fixture_release(&f);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_not_enforced_is_said_once),
		cmocka_unit_test(a_failure_says_what_would_grant_more),
		cmocka_unit_test(explain_notes_it),
		cmocka_unit_test(a_repair_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
