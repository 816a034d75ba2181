#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/agent_profile.h"
#include "os/fs.h"

#define HEAD "{\"v\":1,\"name\":\"mine\",\"programs\":[\"p\"],\"argv\":[]"

static const struct {
	const char *text;
	const char *message; /* NULL: it is good */
} docs[] = {
	{ HEAD "}", NULL },
	{ HEAD ",\"state\":{\"A_B\":\"x/y\"},\"set\":{\"C\":\"1\"}}", NULL },
	{ HEAD ",\"unset\":[\"A*\",\"B\"]}", NULL },
	{ "{\"v\":2,\"name\":\"mine\",\"programs\":[\"p\"],\"argv\":[]}", "v" },
	{ "{\"v\":1,\"name\":\"mine\",\"argv\":[]}", "programs" },
	{ "{\"v\":1,\"name\":\"command\",\"programs\":[\"p\"],\"argv\":[]}",
		"is no name of an agent" },
	{ "{\"v\":1,\"name\":\"process\",\"programs\":[\"p\"],\"argv\":[]}",
		"is no name of an agent" },
	{ "{\"v\":1,\"name\":\"A\",\"programs\":[\"p\"],\"argv\":[]}",
		"is no name of an agent" },
	{ "{\"v\":1,\"name\":\"a\",\"programs\":[\"/bin/p\"],\"argv\":[]}",
		"is no name of a program" },
	{ HEAD ",\"state\":{\"A\":\"../x\"}}", "leads out of its folder" },
	{ HEAD ",\"state\":{\"A\":\"/x\"}}", "is absolute" },
	{ HEAD ",\"state\":{\"A\":7}}", "has a value that is no text" },
	{ HEAD ",\"set\":{\"A=B\":\"x\"}}", "is no name of a variable" },
	{ HEAD ",\"unset\":[\"*\"]}", "is no name of a variable" },
	{ HEAD ",\"unset\":[\"A B\"]}", "is no name of a variable" },
	{ HEAD ",\"output\":\"gpt\"}", "gpt" },
	{ HEAD ",\"files\":[{\"from\":\"a\",\"to\":\"../b\"}]}",
		"leads out of its folder" },
	{ HEAD ",\"command\":\"x\"}", "command" },
	{ "[]", "object" },
};

static void
a_profile_is_good_or_says_where_it_is_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(docs) / sizeof(docs[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct agent_profile profile = { 0 };
		struct pawl_err err = { 0 };
		enum pawl_rc rc = agent_profile_read(&mem, "mine.json",
			str_from(docs[i].text), &profile, &err);

		if ((rc == PAWL_OK) != (docs[i].message == NULL))
			fail_msg("%s: %s", docs[i].text, err.msg);
		if (rc != PAWL_OK) {
			assert_int_equal(err.code, ERR_INVALID_PROFILE);
			if (docs[i].message != NULL &&
				strstr(err.msg, docs[i].message) == NULL)
				fail_msg("%s: %s", docs[i].text, err.msg);
		}
		arena_reset(&mem);
	}
}

static void
read_shipped(
	const char *name, struct arena *mem, struct agent_profile *ret_profile)
{
	const char *source = getenv("PAWL_SOURCE");
	struct buf bytes = { 0 };
	struct pawl_err err = { 0 };
	struct str path = arena_format(
		mem, "%s/agents/%s.json", source ? source : ".", name);

	if (fs_read(&fs_real, AT_FDCWD, path.ptr, AGENT_PROFILE_BYTES, &bytes,
		    &err) != PAWL_OK ||
		agent_profile_read(mem, path.ptr, buf_str(&bytes), ret_profile,
			&err) != PAWL_OK)
		fail_msg("%s", err.msg);
	buf_release(&bytes);
}

static const char *const shipped[] = { "claude", "codex", "cursor-agent",
	"gemini", "opencode" };

enum { SHIPPED = sizeof(shipped) / sizeof(shipped[0]) };

static bool
has(const struct str *words, uint32_t count, const char *word)
{
	for (uint32_t i = 0; i < count; i++) {
		if (str_eq(words[i], str_from(word)))
			return true;
	}
	return false;
}

/* Of each that pawl brings: its own name, a place for what is typed and for
 * what the sandbox wants, a private state, and a way to log in. */
static void
the_shipped_ones_are_whole(void **state)
{
	(void)state;
	for (int i = 0; i < SHIPPED; i++) {
		struct arena mem = ARENA_INIT;
		struct agent_profile p = { 0 };

		read_shipped(shipped[i], &mem, &p);
		assert_true(str_eq(p.name, str_from(shipped[i])));
		assert_true(has(p.argv, p.argv_count, "{args}"));
		assert_true(has(p.argv, p.argv_count, "{sandbox}"));
		assert_true(p.output != AGENT_FORMAT_NONE);
		assert_true(p.state != NULL && p.state->count > 0);
		assert_true(p.login_count > 0 && p.files_count > 0);
		assert_true(p.confined_count > 0);
		arena_reset(&mem);
	}
}

static void
what_a_run_freezes_reads_back(void **state)
{
	struct agent_profile all[SHIPPED] = { 0 };
	struct agent_profiles back = { 0 }, some = { all, SHIPPED };
	struct arena mem = ARENA_INIT;
	struct buf once = { 0 }, twice = { 0 };
	struct json_writer w = { .out = &once }, v = { .out = &twice };
	struct pawl_err err = { 0 };

	(void)state;
	for (int i = 0; i < SHIPPED; i++)
		read_shipped(shipped[i], &mem, &all[i]);
	agent_profiles_write(&some, &w);
	if (agent_profiles_read(&mem, buf_str(&once), &back, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(back.count, SHIPPED);
	agent_profiles_write(&back, &v);
	assert_string_equal(once.data, twice.data);
	assert_non_null(agent_profile_find(&back, STR("codex")));
	assert_null(agent_profile_find(&back, STR("code")));
	buf_release(&once);
	buf_release(&twice);
	arena_reset(&mem);
}

static void
the_schema_is_that_of_the_table(void **state)
{
	struct buf out = { 0 };

	(void)state;
	agent_profile_schema(&out);
	golden_check("schemas/agent-profile.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_good_or_says_where_it_is_not),
		cmocka_unit_test(the_shipped_ones_are_whole),
		cmocka_unit_test(what_a_run_freezes_reads_back),
		cmocka_unit_test(the_schema_is_that_of_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
