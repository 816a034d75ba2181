/* What agents say about their end: lines as each of them prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/agent_output.h"

struct said {
	const char *what;
	enum agent_format format;
	bool finished, logged_out;
	const char *log;
	uint64_t code;
	const char *message, *session, *usage; /* NULL: whatever */
};

#define CLAUDE_INIT \
	"{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"s-1\"}\n"

static const struct said all[] = {
	{ "no format: the status is all", AGENT_FORMAT_NONE, true, false,
		"{\"type\":1}", 0, "", "", "" },
	{ "no format, and it failed", AGENT_FORMAT_NONE, false, false, "no", 3,
		"", "", "" },

	{ "claude came to its end", AGENT_FORMAT_CLAUDE, true, false,
		CLAUDE_INIT
		"{\"subtype\":\"success\",\"is_error\":false,\"result\":\"ok\","
		"\"session_id\":\"s-1\",\"total_cost_usd\":0.25,\"usage\":{"
		"\"input_tokens\":10,\"cache_creation_input_tokens\":5,"
		"\"cache_read_input_tokens\":7,\"output_tokens\":3},"
		"\"type\":\"result\"}\n",
		0, "", "s-1", "input 15, cached 7, output 3, cost_usd 0.25" },
	{ "claude was interrupted: status 0 and no result", AGENT_FORMAT_CLAUDE,
		false, false, CLAUDE_INIT, 0, "", "s-1", "" },
	{ "claude: success that is an error", AGENT_FORMAT_CLAUDE, false, false,
		"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":"
		"true,"
		"\"result\":\"API Error: 529\"}\n",
		1, "API Error: 529", "", "" },
	{ "claude: nobody is logged in", AGENT_FORMAT_CLAUDE, false, true,
		"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":"
		"true,"
		"\"result\":\"Not logged in \\u00b7 Please run /login\"}\n",
		1, NULL, "", "" },
	{ "claude: errors in place of a result", AGENT_FORMAT_CLAUDE, false,
		false,
		"{\"type\":\"result\",\"subtype\":\"error_max_turns\","
		"\"is_error\":true,\"errors\":[\"3 turns\"]}\n",
		1, "3 turns", "", "" },
	{ "claude: the last of two results counts", AGENT_FORMAT_CLAUDE, true,
		false,
		"{\"type\":\"result\",\"is_error\":true,\"result\":\"no\"}\n"
		"{\"type\":\"result\",\"is_error\":false,\"result\":\"yes\"}\n",
		0, "", "", "" },
	{ "claude: what a worker prints beside is nothing", AGENT_FORMAT_CLAUDE,
		false, false,
		"done {\"type\":\"result\",\"is_error\":false}\n"
		"{\"type\":\"result\",\"is_err\n",
		0, "", "", "" },
	{ "claude: an end is none when the status says no", AGENT_FORMAT_CLAUDE,
		false, false, "{\"type\":\"result\",\"is_error\":false}\n", 143,
		"", "", "" },

	{ "codex came to its end, after a notice", AGENT_FORMAT_CODEX, true,
		false,
		"banner\n{\"thread_id\":\"t-9\",\"type\":\"thread.started\"}\n"
		"{\"type\":\"error\",\"message\":\"reconnecting\"}\n"
		"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":9,"
		"\"cached_input_tokens\":4,\"output_tokens\":2,"
		"\"reasoning_output_tokens\":1}}\n",
		0, "", "t-9", "input 9, cached 4, output 2, reasoning 1" },
	{ "codex has no credentials", AGENT_FORMAT_CODEX, false, true,
		"{\"type\":\"turn.failed\",\"error\":{\"message\":"
		"\"unexpected status 401 Unauthorized\"}}\n",
		1, "unexpected status 401 Unauthorized", "", "" },
	{ "codex was interrupted", AGENT_FORMAT_CODEX, false, false,
		"{\"type\":\"turn.started\"}\n", 1, "", "", "" },

	{ "gemini came to its end", AGENT_FORMAT_GEMINI, true, false,
		"{\"type\":\"init\",\"session_id\":\"g-1\"}\n"
		"{\"type\":\"result\",\"status\":\"success\",\"stats\":{"
		"\"input_tokens\":8,\"output_tokens\":2,\"cached\":0}}\n",
		0, "", "g-1", "input 8, cached 0, output 2" },
	{ "gemini was stopped: status 0, no result", AGENT_FORMAT_GEMINI, false,
		false, "{\"type\":\"init\",\"session_id\":\"g-1\"}\n", 0, "",
		"g-1", "" },
	{ "gemini knows no way to log in", AGENT_FORMAT_GEMINI, false, true,
		"Please set an Auth method\n", 41, "", "", "" },
	{ "gemini: the status 401 of HTTP", AGENT_FORMAT_GEMINI, false, true,
		"{\"type\":\"result\",\"status\":\"error\",\"error\":{"
		"\"message\":\"API key not valid\"}}\n",
		145, "API key not valid", "", "" },

	{ "opencode: each step counts", AGENT_FORMAT_OPENCODE, true, false,
		"{\"type\":\"step_finish\",\"sessionID\":\"o-1\",\"part\":{"
		"\"reason\":\"tool-calls\",\"tokens\":{\"input\":5,\"output\":"
		"1,"
		"\"reasoning\":0,\"cache\":{\"read\":2,\"write\":1}}}}\n"
		"{\"type\":\"step_finish\",\"sessionID\":\"o-1\",\"part\":{"
		"\"reason\":\"stop\",\"tokens\":{\"input\":6,\"output\":2,"
		"\"reasoning\":1,\"cache\":{\"read\":3,\"write\":0}}}}\n",
		0, "", "o-1", "input 11, cached 5, output 3, reasoning 1" },
	{ "opencode stopped after a tool", AGENT_FORMAT_OPENCODE, false, false,
		"{\"type\":\"step_finish\",\"part\":{\"reason\":\"tool-calls\"}"
		"}"
		"\n",
		0, "", "", "" },
	{ "opencode has no key", AGENT_FORMAT_OPENCODE, false, true,
		"{\"type\":\"error\",\"error\":{\"name\":\"ProviderAuthError\","
		"\"data\":{}}}\n",
		1, "ProviderAuthError", "", "" },

	{ "cursor came to its end", AGENT_FORMAT_CURSOR, true, false,
		"{\"type\":\"result\",\"subtype\":\"success\",\"is_error\":"
		"false,"
		"\"session_id\":\"c-1\",\"result\":\"ok\"}\n",
		0, "", "c-1", "" },
	{ "cursor refuses an unknown folder with status 0", AGENT_FORMAT_CURSOR,
		false, false, "Workspace is not trusted\n", 0, "", "", "" },
	{ "cursor isn't logged in", AGENT_FORMAT_CURSOR, false, true,
		"Error: Authentication required. Please run login\n", 1, "", "",
		"" },

	{ "numbers that can't be are none", AGENT_FORMAT_CODEX, true, false,
		"{\"type\":\"turn.completed\",\"usage\":{\"input_tokens\":-1,"
		"\"output_tokens\":1e99,\"cached_input_tokens\":\"7\"}}\n",
		0, "", "", "" },
	{ "what has another type is passed over", AGENT_FORMAT_CLAUDE, true,
		false,
		"{\"type\":[1]}\n{\"type\":\"result\",\"usage\":7,"
		"\"errors\":{},\"session_id\":{},\"is_error\":\"no\"}\n[]\n7\n",
		0, "", "", "" },
};

enum { ALL = sizeof(all) / sizeof(all[0]) };

static void
each_end_is_told_as_what_it_is(void **state)
{
	(void)state;
	for (size_t i = 0; i < ALL; i++) {
		const struct said *t = &all[i];
		struct arena mem = ARENA_INIT;
		struct buf usage = { 0 };
		struct agent_outcome out;

		agent_output_read(
			t->format, str_from(t->log), t->code, &mem, &out);
		for (uint32_t k = 0; k < out.usage.count; k++)
			buf_addf(&usage, "%s" STR_FMT, k > 0 ? ", " : "",
				STR_ARG(out.usage.items[k]));
		if (out.finished != t->finished ||
			out.logged_out != t->logged_out)
			fail_msg("%s: finished %d, logged out %d", t->what,
				out.finished, out.logged_out);
		if (t->message != NULL &&
			!str_eq(out.message, str_from(t->message)))
			fail_msg("%s: '" STR_FMT "'", t->what,
				STR_ARG(out.message));
		if (!str_eq(out.session, str_from(t->session)))
			fail_msg("%s: session '" STR_FMT "'", t->what,
				STR_ARG(out.session));
		if (!str_eq(buf_str(&usage), str_from(t->usage)))
			fail_msg("%s: used '" STR_FMT "'", t->what,
				STR_ARG(buf_str(&usage)));
		buf_release(&usage);
		arena_reset(&mem);
	}
}

/* Cut anywhere, nothing but an end that is whole is one. */
static void
a_log_that_was_cut_says_no_more(void **state)
{
	struct str whole = str_from(all[2].log);

	(void)state;
	for (size_t len = 0; len < whole.len - 1; len++) {
		struct arena mem = ARENA_INIT;
		struct agent_outcome out;

		agent_output_read(AGENT_FORMAT_CLAUDE, str_part(whole, 0, len),
			0, &mem, &out);
		assert_false(out.finished);
		agent_output_read(AGENT_FORMAT_CLAUDE,
			str_part(whole, len + 1, whole.len), 0, &mem, &out);
		assert_true(out.finished == (len < sizeof(CLAUDE_INIT) - 1));
		arena_reset(&mem);
	}
}

static void
a_message_is_one_line_of_bounded_length(void **state)
{
	struct arena mem = ARENA_INIT;
	struct buf log = { 0 };
	struct agent_outcome out;

	(void)state;
	buf_add(&log,
		STR("{\"type\":\"turn.failed\",\"error\":{\"message\":\"a"
		    "\\nb\\u001bc"));
	for (int i = 0; i < 1000; i++)
		buf_add(&log, STR("\xc3\xa4"));
	buf_add(&log, STR("\"}}\n"));
	agent_output_read(AGENT_FORMAT_CODEX, buf_str(&log), 1, &mem, &out);
	assert_true(str_starts(out.message, STR("a b c")));
	assert_true(out.message.len <= 200);
	assert_int_equal(out.message.ptr[out.message.len - 1], (char)0xa4);
	buf_release(&log);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_end_is_told_as_what_it_is),
		cmocka_unit_test(a_log_that_was_cut_says_no_more),
		cmocka_unit_test(a_message_is_one_line_of_bounded_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
