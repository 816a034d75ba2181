#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/afar_talk.h"
#include "engine/driver_client.h"
#include "os/program.h"
#include "tempdir.h"

/* A shell that says this to each line that it reads. */
static struct driver_client
client(const char **args, const char *script)
{
	args[0] = "-c";
	args[1] = script;
	args[2] = NULL;
	return (struct driver_client){
		.name = "test", .program = "/bin/sh", .args = args
	};
}

static enum pawl_rc
ask(struct driver_client *c, struct arena *mem, const struct json **ret_answer,
	struct pawl_err *err)
{
	struct driver_talk t;

	driver_say(&t, c, DRIVER_OPEN);
	json_pair_str(&t.w, STR("attempt"), STR("A@1"));
	return driver_ask(&t, mem, ret_answer, err);
}

#define ERROR(code)                                                           \
	"read -r x; echo '{\"id\":1,\"ok\":false,\"error\":{\"code\":\"" code \
	"\",\"message\":\"no\"}}'; cat"

/* What isn't an answer is unknown; an error is the protocol's. */
static void
what_is_said_is_judged(void **state)
{
	static const struct {
		const char *script;
		enum pawl_code code;
		const char *words;
	} cases[] = {
		{ "exit 3", ERR_DRIVER_UNKNOWN, "it ended (status 3)" },
		{ "read -r x; echo 'boo' >&2; echo 'no route' >&2; exit 1",
			ERR_DRIVER_UNKNOWN, "no route" },
		{ "kill -9 $$", ERR_DRIVER_UNKNOWN, "it ended (signal 9)" },
		{ "read -r x; echo what; cat", ERR_DRIVER_UNKNOWN,
			"is no answer" },
		{ "read -r x; echo '{\"id\":2,\"ok\":true}'; cat",
			ERR_DRIVER_UNKNOWN, "is no answer" },
		{ "read -r x; echo '{\"id\":\"1\",\"ok\":true}'; cat",
			ERR_DRIVER_UNKNOWN, "is no answer" },
		{ "read -r x; echo '{\"id\":1}'; cat", ERR_DRIVER_UNKNOWN,
			"is no answer" },
		{ "read -r x; echo '{\"id\":1,\"ok\":false}'; cat",
			ERR_DRIVER_UNKNOWN, "is no answer" },
		{ "read -r x; printf '{\"id\":1,\"ok\":true}\\n{\"id\":1,"
		  "\"ok\":true}\\n'; cat",
			ERR_DRIVER_UNKNOWN, "is no answer" },
		{ "read -r x; printf '{\"id\":1,'; exit 0", ERR_DRIVER_UNKNOWN,
			"it ended (status 0)" },
		{ "read -r x; yes | tr -d '\\n' | head -c 1100000; cat",
			ERR_DRIVER_UNKNOWN, "over the limit of 1048576" },
		{ ERROR("unsupported"), ERR_DRIVER_UNSUPPORTED, "no" },
		{ ERROR("unavailable"), ERR_DRIVER_UNAVAILABLE, "no" },
		{ ERROR("unknown"), ERR_DRIVER_UNKNOWN, "no" },
		{ ERROR("conflict"), ERR_DRIVER_CONFLICT, "no" },
		{ ERROR("refused"), ERR_DRIVER_REFUSED, "no" },
		{ ERROR("context_mismatch"), ERR_CONTEXT_MISMATCH, "no" },
		{ ERROR("not_found"), ERR_DRIVER_LOST, "no" },
		{ ERROR("invalid"), ERR_DRIVER_CONFLICT, "no" },
		{ ERROR("whatever"), ERR_DRIVER_UNKNOWN, "no" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *args[3];
		struct driver_client c = client(args, cases[i].script);
		const struct json *answer;
		struct pawl_err err = { 0 };

		assert_int_not_equal(ask(&c, &mem, &answer, &err), PAWL_OK);
		if (err.code != cases[i].code ||
			strstr(err.msg, cases[i].words) == NULL)
			fail_msg("%s: %s", cases[i].script, err.msg);
		assert_null(answer);
		driver_client_close(&c);
	}
	arena_reset(&mem);
}

/* Its own limit is two minutes; the hook makes it short. */
static void
a_late_answer_is_none(void **state)
{
	const char *args[3];
	struct driver_client c = client(
		args, "read -r x; sleep 20; echo '{\"id\":1,\"ok\":true}'");
	struct arena mem = ARENA_INIT;
	const struct json *answer;
	struct pawl_err err = { 0 };

	(void)state;
	if (coproc_deadline(120000) == 120000 &&
		setenv("PAWL_COPROC_MS", "200", 1) == 0 &&
		coproc_deadline(120000) == 120000)
		skip();
	assert_int_not_equal(ask(&c, &mem, &answer, &err), PAWL_OK);
	assert_int_equal(err.code, ERR_DRIVER_UNKNOWN);
	assert_non_null(strstr(err.msg, "no answer within 200 ms"));
	assert_false(c.child.up);
	(void)unsetenv("PAWL_COPROC_MS");
	driver_client_close(&c);
	arena_reset(&mem);
}

/* Started again for the next question; one that goes on stays. */
static void
one_that_ended_is_started_again(void **state)
{
	const char *args[3];
	struct driver_client c = client(args,
		"read -r x; echo \"$x\" | sed \"s/.*\\\"id\\\":\\([0-9]*\\).*/"
		"{\\\"id\\\":\\1,\\\"ok\\\":true,\\\"pid\\\":$$}/\"");
	struct arena mem = ARENA_INIT;
	const struct json *answer;
	struct pawl_err err = { 0 };
	int64_t first;

	(void)state;
	assert_int_equal(ask(&c, &mem, &answer, &err), PAWL_OK);
	first = json_int(json_get(answer, STR("pid")));
	for (int i = 0; i < 1000 && coproc_is_ready(&c.child, UINT64_MAX); i++)
		(void)poll(NULL, 0, 10);
	assert_int_equal(ask(&c, &mem, &answer, &err), PAWL_OK);
	assert_int_not_equal(json_int(json_get(answer, STR("pid"))), first);
	driver_client_close(&c);
	arena_reset(&mem);
}

static void
a_question_over_the_limit_isnt_asked(void **state)
{
	const char *args[3];
	struct driver_client c = client(args, "exit 3");
	struct arena mem = ARENA_INIT;
	const struct json *answer;
	struct driver_talk t;
	struct pawl_err err = { 0 };
	char *text = arena_array(&mem, SERVE_LINE_BYTES, char);

	(void)state;
	memset(text, 'x', SERVE_LINE_BYTES);
	driver_say(&t, &c, DRIVER_START);
	json_pair_str(&t.w, STR("prompt"),
		(struct str){ text, SERVE_LINE_BYTES - 64 });
	assert_int_not_equal(driver_ask(&t, &mem, &answer, &err), PAWL_OK);
	assert_int_equal(err.code, ERR_DRIVER_UNKNOWN); /* it was asked */
	driver_say(&t, &c, DRIVER_START);
	json_pair_str(
		&t.w, STR("prompt"), (struct str){ text, SERVE_LINE_BYTES });
	assert_int_not_equal(driver_ask(&t, &mem, &answer, &err), PAWL_OK);
	assert_int_equal(err.code, ERR_LIMIT);
	driver_client_close(&c);
	arena_reset(&mem);
}

static bool
is_read(const char *text)
{
	struct arena mem = ARENA_INIT;
	struct str bytes = str_from(text), refs;
	const struct json *v;
	struct pawl_err err;
	bool is = json_read(&mem, arena_strdup(&mem, bytes), bytes.len,
			  JSON_STRICT, &v, &err) == PAWL_OK &&
		afar_refs_read(v, &mem, &refs) && str_eq(refs, bytes);

	arena_reset(&mem);
	return is;
}

static bool
is_read_of(uint32_t members, size_t bytes)
{
	struct buf text = { 0 };
	bool is;

	for (uint32_t i = 0; i < members; i++)
		buf_addf(&text, "%c\"m%u\":%u", i == 0 ? '{' : ',', i, i);
	buf_add(&text, STR("}"));
	if (bytes > 0) {
		buf_clear(&text);
		buf_add(&text, STR("{\"m\":\""));
		while (text.len + 2 < bytes)
			buf_addc(&text, 'x');
		buf_add(&text, STR("\"}"));
	}
	is = is_read(text.data);
	buf_release(&text);
	return is;
}

static void
references_are_flat_and_bounded(void **state)
{
	(void)state;
	assert_true(is_read("{}"));
	assert_true(is_read("{\"pid\":4711,\"host\":\"h\"}"));
	assert_false(is_read("{\"pid\":[4711]}"));
	assert_false(is_read("{\"pid\":{\"n\":1}}"));
	assert_false(is_read("{\"pid\":true}"));
	assert_false(is_read("{\"pid\":1.5}"));
	assert_false(is_read("[1]"));
	assert_true(is_read_of(SERVE_REFS_MAX - 1, 0));
	assert_true(is_read_of(SERVE_REFS_MAX, 0));
	assert_false(is_read_of(SERVE_REFS_MAX + 1, 0));
	assert_true(is_read_of(1, SERVE_REFS_BYTES - 1));
	assert_true(is_read_of(1, SERVE_REFS_BYTES));
	assert_false(is_read_of(1, SERVE_REFS_BYTES + 1));
}

/* In absolute folders of PATH alone, in their order. */
static void
a_program_is_found_on_the_path(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tempdir dir = tempdir_open();
	struct driver_client c;
	struct pawl_err err = { 0 };
	char path[256], list[600];
	const char *had = getenv("PATH");
	FILE *f;

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/pawl-driver-unit", dir.path);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fclose(f), 0);
	(void)snprintf(list, sizeof(list), "relative::/no/such:%s", dir.path);
	had = arena_strdup(&mem, str_from(had != NULL ? had : ""));
	assert_int_equal(setenv("PATH", list, 1), 0);
	assert_int_equal(driver_client_find(&c, STR("unit"), &mem, &err),
		PAWL_ENOENT); /* it can't be executed */
	assert_int_equal(err.code, ERR_DRIVER_NOT_FOUND);
	assert_int_equal(chmod(path, 0700), 0);
	assert_int_equal(
		driver_client_find(&c, STR("unit"), &mem, &err), PAWL_OK);
	assert_string_equal(c.program, path);
	assert_int_equal(
		driver_client_find(&c, STR("../unit"), &mem, &err), PAWL_ENO);
	assert_int_equal(setenv("PATH", "/no/such", 1), 0);
	assert_int_equal(
		driver_client_find(&c, STR("unit"), &mem, &err), PAWL_ENOENT);
	assert_int_equal(setenv("PATH", had, 1), 0);
	tempdir_close(&dir);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_said_is_judged),
		cmocka_unit_test(a_late_answer_is_none),
		cmocka_unit_test(one_that_ended_is_started_again),
		cmocka_unit_test(a_question_over_the_limit_isnt_asked),
		cmocka_unit_test(references_are_flat_and_bounded),
		cmocka_unit_test(a_program_is_found_on_the_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
