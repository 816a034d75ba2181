#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "golden.h"

#include "model/decision.h"
#include "model/tasks.h"

#define REST "  Isolation: auto\n  Acceptance: x\n"
#define TASK(id, paths, mode, check)                                \
	"- [ ] " id " Do it\n  Depends: []\n  Paths: [" paths "]\n" \
	"  Mode: " mode "\n" REST "  Check: " check "\n"
#define LIST                                            \
	TASK("A", "src/a/, src/a/x", "write", "make a") \
	TASK("B", "src/b", "write", "make  b")          \
	TASK("C", ".", "read", "true")
#define DIGEST                             \
	"0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef"

/* A list's plan and the decision derived from it. */
struct fixture {
	struct arena mem;
	struct plan plan;
	struct buf json;
};

static void
fixture_init(struct fixture *f, struct str list)
{
	const struct decision_facts facts = {
		.request_sha256 = STR(DIGEST),
		.base = STR("4b825dc642cb6eb9a060e54bf8d69288fbee4904"),
		.permission = STR("local:ada"),
		.dirty_paths = 3,
		.slots = 2,
	};
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct waves w;

	*f = (struct fixture){ 0 };
	if (tasks_parse(list, &f->mem, &f->plan, &report, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	waves_init(&w, &f->plan);
	decision_derive(&f->plan, &w, &facts, &f->mem, &f->json);
	waves_release(&w);
}

static void
fixture_release(struct fixture *f)
{
	plan_release(&f->plan);
	buf_release(&f->json);
	arena_reset(&f->mem);
}

static void
a_decision_is_derived_whole(void **state)
{
	struct fixture f;

	(void)state;
	fixture_init(&f, STR(LIST));
	assert_string_equal(f.json.data,
		"{\"schema_version\":1,\"id\":\"decision-0123456789abcdef\","
		"\"request_digest\":\"0123456789abcdef0123456789abcdef0123456"
		"789abcdef0123456789abcdef\",\"scope\":[\".\"],\"observations"
		"\":[{\"name\":\"tasks\",\"value\":\"3\",\"provenance\":\"mea"
		"sured\"},{\"name\":\"dependencies\",\"value\":\"0\",\"proven"
		"ance\":\"measured\"},{\"name\":\"write_packets\",\"value\":"
		"\"2\",\"provenance\":\"measured\"},{\"name\":\"writers_at_on"
		"ce\",\"value\":\"2\",\"provenance\":\"measured\"},{\"name\":"
		"\"dirty_paths\",\"value\":\"3\",\"provenance\":\"measured\"}"
		",{\"name\":\"base_commit\",\"value\":\"4b825dc642cb6eb9a060e"
		"54bf8d69288fbee4904\",\"provenance\":\"measured\"},{\"name\""
		":\"graph_requested\",\"value\":\"true\",\"provenance\":\"rep"
		"orted\"}],\"mode\":\"graph\",\"initial_mode\":\"graph\",\"re"
		"vision\":1,\"execution\":\"parallel\",\"selected_check\":{\""
		"command\":\"make a\",\"oracle\":\"declared\"},\"packets\":[{"
		"\"id\":\"A\",\"paths\":[\"src/a\"],\"check\":\"make a\"},{\""
		"id\":\"B\",\"paths\":[\"src/b\"],\"check\":\"make  b\"},{\"i"
		"d\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}],\"integrato"
		"r\":\"coordinator\",\"budget\":[{\"resource\":\"attempts\","
		"\"value\":6,\"unit\":\"attempts\",\"class\":\"hard\"},{\"res"
		"ource\":\"workers\",\"value\":2,\"unit\":\"slots\",\"class\""
		":\"hard\"}],\"stop_conditions\":[\"missing_permission\",\"bu"
		"dget_exhausted\",\"same_cause_across_nodes\"],\"triggers\":["
		"\"third_attempt\"],\"cleanup_plan\":\"what is started is reg"
		"istered before, and proven gone or kept with a reason before"
		" the run closes\",\"permission\":{\"granted\":true,\"by\":\""
		"local:ada\",\"provenance\":\"reported\"},\"amendments\":[]}");
	fixture_release(&f);
}

static void
fewer_than_two_writers_are_a_single_writer(void **state)
{
	static const struct {
		struct str list;
		bool single;
	} cases[] = {
#define CASE(list, single) { { list, sizeof(list) - 1 }, single }
		CASE(TASK("A", "a", "write", "x") TASK("B", "b", "read", "x"),
			true),
		CASE(TASK("A", "a", "write", "x")
				TASK("B", "a/b", "write", "x"),
			true),
		CASE(TASK("A", "a", "write", "x") TASK("B", "b", "write", "x"),
			false),
#undef CASE
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decision d = { 0 };
		struct pawl_err err = { 0 };
		struct fixture f;

		fixture_init(&f, cases[i].list);
		if (decision_check(&f.plan, f.json.data, f.json.len, &f.mem, &d,
			    &err) != PAWL_OK)
			fail_msg("%s", err.msg);
		assert_int_equal(d.single_writer, cases[i].single);
		assert_int_equal(d.revision, 1);
		assert_true(d.permitted);
		assert_true(str_eq(d.id, STR("decision-0123456789abcdef")));
		assert_true(str_eq(d.request_digest, STR(DIGEST)));
		fixture_release(&f);
	}
}

/* `text` with the first `from` replaced by `to`. */
static struct str
edited(struct str text, const char *from, const char *to, struct arena *mem)
{
	const char *at = strstr(text.ptr, from);
	struct buf b = { 0 };
	struct str s;

	if (at == NULL)
		fail_msg("no %s in %s", from, text.ptr);
	buf_add(&b, str_part(text, 0, (size_t)(at - text.ptr)));
	buf_add(&b, str_from(to));
	buf_add(&b, str_from(at + strlen(from)));
	s = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return s;
}

static void
a_decision_that_differs_from_the_list_is_refused(void **state)
{
	static const struct {
		const char *from, *to, *pointer; /* NULL: taken */
	} cases[] = {
		{ "\"revision\":1", "\"revision\":1", NULL },
		{ "[\"src/a\"]", "[\"./src/a/\",\"src/a/y\"]", NULL },
		{ "{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}",
			"{\"id\":\"C\",\"paths\":[\"./\"],\"check\":\"true\"}",
			NULL },
		{ ",{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}", "",
			NULL },
		{ "\"mode\":\"graph\"", "\"mode\":\"direct\"", "/mode" },
		{ "\"granted\":true", "\"granted\":false",
			"/permission/granted" },
		{ "\"revision\":1", "\"revision\":2", "/revision" },
		{ "\"amendments\":[]",
			"\"amendments\":[{\"revision\":3,"
			"\"changed_evidence\":\"x\","
			"\"replacement_check\":\"y\"}]",
			"/amendments/0/revision" },
		{ "\"integrator\":\"coordinator\"", "\"integrator\":\" \"",
			"/integrator" },
		{ "[\"src/b\"]", "[\"src/c\"]", "/packets/1/paths" },
		{ "[\"src/b\"]", "[\"src/b\",\"x\"]", "/packets/1/paths" },
		{ "[\"src/b\"]", "[\"../b\"]", "/packets/1/paths/0" },
		{ "\"make a\"}", "\"make x\"}", "/packets/0/check" },
		{ "{\"id\":\"A\",", "{\"id\":\"Z\",", "/packets/0" },
		{ "{\"id\":\"B\",", "{\"id\":\"b\",", "/packets/1" },
		{ "{\"id\":\"A\",\"paths\":[\"src/a\"],\"check\":\"make a\"}",
			"{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}",
			"/packets/2" },
		{ "\"id\":\"decision", "\"it\":1,\"id\":\"decision", "/it" },
		{ "\"request_digest\":\"0", "\"request_digest\":\"G",
			"/request_digest" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decision d = { 0 };
		struct pawl_err err = { 0 };
		struct fixture f;
		struct str text;
		enum pawl_rc rc;

		fixture_init(&f, STR(LIST));
		text = edited(
			buf_str(&f.json), cases[i].from, cases[i].to, &f.mem);
		rc = decision_check(&f.plan, arena_strdup(&f.mem, text),
			text.len, &f.mem, &d, &err);
		if ((rc == PAWL_OK) != (cases[i].pointer == NULL))
			fail_msg("case %zu: %s", i, err.msg);
		if (rc != PAWL_OK) {
			assert_int_equal(err.code, ERR_INVALID_DECISION);
			if (!str_eq(err.field, str_from(cases[i].pointer)))
				fail_msg("case %zu: at '" STR_FMT "': %s", i,
					STR_ARG(err.field), err.msg);
			assert_int_equal(d.revision, 0);
		}
		fixture_release(&f);
	}
}

static void
an_amended_decision_is_taken(void **state)
{
	struct decision d = { 0 };
	struct pawl_err err = { 0 };
	struct fixture f;
	struct str text;

	(void)state;
	fixture_init(&f, STR(LIST));
	text = edited(buf_str(&f.json), "\"amendments\":[]",
		"\"amendments\":[{\"revision\":2,\"changed_evidence\":\"x\","
		"\"replacement_check\":\"y\"},{\"revision\":3,"
		"\"changed_evidence\":\"x\",\"replacement_check\":\"y\"}]",
		&f.mem);
	text = edited(text, "\"revision\":1", "\"revision\":3", &f.mem);
	if (decision_check(&f.plan, arena_strdup(&f.mem, text), text.len,
		    &f.mem, &d, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(d.revision, 3);
	fixture_release(&f);
}

static void
what_is_not_json_is_refused(void **state)
{
	struct decision d = { 0 };
	struct pawl_err err = { 0 };
	char text[] = "{\"id\":";
	struct fixture f;

	(void)state;
	fixture_init(&f, STR(LIST));
	assert_int_equal(decision_check(&f.plan, text, sizeof(text) - 1, &f.mem,
				 &d, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_NOT_JSON);
	fixture_release(&f);
}

static void
the_published_schema_is_the_tables(void **state)
{
	struct buf out = { 0 };

	(void)state;
	decision_schema(&out);
	golden_check("schemas/process-decision.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_decision_is_derived_whole),
		cmocka_unit_test(fewer_than_two_writers_are_a_single_writer),
		cmocka_unit_test(
			a_decision_that_differs_from_the_list_is_refused),
		cmocka_unit_test(an_amended_decision_is_taken),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(the_published_schema_is_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
