/*
 * The conversation of a driver, from inside: docs/driver-protocol.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "driver/serve.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool
describe(void *arg, const struct serve_request *request, struct json_writer *w,
	struct serve_failure *failure)
{
	(void)arg;
	(void)request;
	(void)failure;
	json_pair_str(w, STR("driver"), STR("test"));
	return true;
}

static bool
select_nothing(void *arg, const struct serve_request *request,
	struct json_writer *w, struct serve_failure *failure)
{
	(void)arg;
	(void)request;
	(void)w;
	(void)failure;
	return true;
}

/* Writes, then fails: what was written must not be seen. */
static bool
start(void *arg, const struct serve_request *request, struct json_writer *w,
	struct serve_failure *failure)
{
	struct str attempt, host;

	(void)arg;
	json_key(w, STR("refs"));
	json_open(w, '{');
	if (!serve_text(request, "attempt", &attempt, failure))
		return false;
	host = serve_ref(request, "host");
	return serve_fail(failure, SERVE_REFUSED,
		"not '" STR_FMT "' at \"" STR_FMT "\"", STR_ARG(attempt),
		STR_ARG(host));
}

/* As long as it is asked to be. */
static bool
poll_long(void *arg, const struct serve_request *request, struct json_writer *w,
	struct serve_failure *failure)
{
	size_t len = (size_t)json_int(json_get(request->root, STR("wait_ms")));
	char *bytes = arena_array(request->mem, len + 1, char);

	(void)arg;
	(void)failure;
	memset(bytes, 'x', len);
	json_pair_str(w, STR("cursor"), (struct str){ bytes, len });
	return true;
}

static const struct serve_ops ops = { .describe = describe,
	.select = select_nothing,
	.start = start,
	.poll = poll_long };

static void
each_line_is_answered(void **state)
{
	static const struct {
		const char *line, *answer;
	} rows[] = {
		{ "{\"v\":1,\"id\":7,\"op\":\"describe\"}",
			"{\"id\":7,\"ok\":true,\"driver\":\"test\"}\n" },
		{ "{\"v\":1,\"id\":8,\"op\":\"select\"}",
			"{\"id\":8,\"ok\":true}\n" },
		{ "{\"v\":1,\"id\":9,\"op\":\"start\",\"attempt\":\"A@1\","
		  "\"refs\":{\"host\":\"h\"}}",
			"{\"id\":9,\"ok\":false,\"error\":{\"code\":"
			"\"refused\","
			"\"message\":\"not 'A@1' at \\\"h\\\"\"}}\n" },
		{ "{\"v\":1,\"id\":9,\"op\":\"start\",\"attempt\":17}",
			"{\"id\":9,\"ok\":false,\"error\":{\"code\":"
			"\"invalid\","
			"\"message\":\"'attempt' must be a text\"}}\n" },
		{ "{\"v\":1,\"id\":1,\"op\":\"surface\"}",
			"{\"id\":1,\"ok\":false,\"error\":{\"code\":"
			"\"unsupported\",\"message\":\"operation 'surface' "
			"isn't offered\"}}\n" },
		{ "{\"v\":1,\"id\":1,\"op\":\"future\"}",
			"{\"id\":1,\"ok\":false,\"error\":{\"code\":"
			"\"unsupported\",\"message\":\"operation 'future' "
			"isn't offered\"}}\n" },
		{ "{\"v\":1,\"id\":1}",
			"{\"id\":1,\"ok\":false,\"error\":{\"code\":"
			"\"invalid\","
			"\"message\":\"no 'op'\"}}\n" },
		{ "{\"v\":2,\"id\":1,\"op\":\"describe\"}",
			"{\"id\":1,\"ok\":false,\"error\":{\"code\":"
			"\"invalid\","
			"\"message\":\"'v' must be 1\"}}\n" },
		{ "[]",
			"{\"id\":0,\"ok\":false,\"error\":{\"code\":"
			"\"invalid\","
			"\"message\":\"'v' must be 1\"}}\n" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf out = { 0 };

		serve_line(&ops, NULL, str_from(rows[i].line), &out);
		assert_string_equal(out.data, rows[i].answer);
		buf_release(&out);
	}
}

static void
what_is_no_request_is_answered_with_its_place(void **state)
{
	struct buf out = { 0 };

	(void)state;
	serve_line(&ops, NULL, STR("{\"v\":1,"), &out);
	assert_string_equal(out.data,
		"{\"id\":0,\"ok\":false,\"error\":{\"code\":\"invalid\","
		"\"message\":\"not JSON at line 1, column 8 (byte 7): "
		"expected a key, found the end\"}}\n");
	buf_release(&out);
}

/* The limit is the whole line's; an answer just below it goes out. */
static void
an_answer_that_is_too_long_is_an_error_and_not_cut(void **state)
{
	static const struct {
		size_t len;
		bool ok;
	} rows[] = {
		{ SERVE_LINE_BYTES - 100, true },
		{ SERVE_LINE_BYTES - 10, false },
		{ SERVE_LINE_BYTES + 10, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct buf line = { 0 }, out = { 0 };

		buf_addf(&line,
			"{\"v\":1,\"id\":1,\"op\":\"poll\",\"wait_ms\":%zu}",
			rows[i].len);
		serve_line(&ops, NULL, buf_str(&line), &out);
		assert_true(out.len <= SERVE_LINE_BYTES);
		assert_int_equal(out.data[out.len - 1], '\n');
		assert_true(str_starts(buf_str(&out),
			rows[i].ok ? STR("{\"id\":1,\"ok\":true,")
				   : STR("{\"id\":1,\"ok\":false,")));
		buf_release(&line);
		buf_release(&out);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_line_is_answered),
		cmocka_unit_test(what_is_no_request_is_answered_with_its_place),
		cmocka_unit_test(
			an_answer_that_is_too_long_is_an_error_and_not_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
