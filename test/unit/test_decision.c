#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "golden.h"

#include "model/decision.h"
#include "model/decision_amend.h"
#include "model/decision_record.h"
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
	struct decision derived;
	struct pawl_err err = { 0 };
	struct waves w;

	*f = (struct fixture){ 0 };
	if (tasks_parse(list, &f->mem, &f->plan, &report, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	waves_init(&w, &f->plan);
	decision_derive(&f->plan, &w, &facts, &f->mem, &f->json, &derived);
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
		"\"value\":6,\"unit\":\"attempts\",\"class\":\"advisory\"},"
		"{\"resource\":\"workers\",\"value\":2,\"unit\":\"slots\","
		"\"class\":\"advisory\"}],\"stop_conditions\":[\"missing_"
		"permission\",\"bu"
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
		bool drift; /* only the list and the decision differ */
	} cases[] = {
		{ "\"revision\":1", "\"revision\":1", NULL, false },
		{ "[\"src/a\"]", "[\"./src/a/\",\"src/a/y\"]", NULL, false },
		{ "{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}",
			"{\"id\":\"C\",\"paths\":[\"./\"],\"check\":\"true\"}",
			NULL, false },
		{ ",{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}", "",
			NULL, false },
		{ "\"mode\":\"graph\"", "\"mode\":\"direct\"", "/mode", false },
		{ "\"granted\":true", "\"granted\":false",
			"/permission/granted", false },
		{ "\"revision\":1", "\"revision\":2", "/revision", false },
		{ "\"amendments\":[]",
			"\"amendments\":[{\"revision\":3,"
			"\"from_mode\":\"graph\",\"to_mode\":\"graph\","
			"\"changed_evidence\":[\"x\"],\"reason\":\"z\","
			"\"replacement_check\":\"make a\"}]",
			"/amendments/0/revision", false },
		{ "\"integrator\":\"coordinator\"", "\"integrator\":\" \"",
			"/integrator", false },
		{ "[\"src/b\"]", "[\"src/c\"]", "/packets/1/paths", true },
		{ "[\"src/b\"]", "[\"src/b\",\"x\"]", "/packets/1/paths",
			true },
		{ "[\"src/b\"]", "[\"../b\"]", "/packets/1/paths/0", false },
		{ "\"make a\"}", "\"make x\"}", "/packets/0/check", true },
		{ "{\"id\":\"A\",", "{\"id\":\"Z\",", "/packets/0", true },
		{ "{\"id\":\"B\",", "{\"id\":\"b\",", "/packets/1", true },
		{ "{\"id\":\"A\",\"paths\":[\"src/a\"],\"check\":\"make a\"}",
			"{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}",
			"/packets/2", false },
		{ "\"id\":\"decision", "\"it\":1,\"id\":\"decision", "/it",
			false },
		{ "\"request_digest\":\"0", "\"request_digest\":\"G",
			"/request_digest", false },
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
			assert_int_equal(err.code,
				cases[i].drift ? ERR_DECISION_DRIFT
					       : ERR_INVALID_DECISION);
			if (!str_eq(err.field, str_from(cases[i].pointer)))
				fail_msg("case %zu: at '" STR_FMT "': %s", i,
					STR_ARG(err.field), err.msg);
			assert_int_equal(d.revision, 0);
		}
		fixture_release(&f);
	}
}

#define AMENDED(n, from, to, check)                                        \
	"{\"revision\":" n ",\"from_mode\":\"" from "\",\"to_mode\":\"" to \
	"\",\"changed_evidence\":[\"x\"],\"reason\":\"z\","                \
	"\"replacement_check\":\"" check "\"}"

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
		"\"amendments\":[" AMENDED("2", "graph", "direct",
			"y") "," AMENDED("3", "direct", "graph", "make a") "]",
		&f.mem);
	text = edited(text, "\"revision\":1", "\"revision\":3", &f.mem);
	if (decision_check(&f.plan, arena_strdup(&f.mem, text), text.len,
		    &f.mem, &d, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(d.revision, 3);
	assert_int_equal(d.budget.count, 2);
	assert_true(
		str_eq(d.budget.items[0], STR("advisory attempts 6 attempts")));
	fixture_release(&f);
}

static const struct {
	const char *from, *to;
	enum decision_rule rule;
	const char *pointer;
} broken_rules[] = {
	{ "\"integrator\":\"coordinator\",", "", DECISION_MISSING_FIELD,
		"/integrator" },
	{ "\"permission\":{\"granted\":true,\"by\":\"local:ada\","
	  "\"provenance\":\"reported\"},",
		"", DECISION_MISSING_FIELD, "/permission" },
	{ "\"granted\":true", "\"granted\":false", DECISION_PERMISSION,
		"/permission/granted" },
	{ "\"initial_mode\":\"graph\"", "\"initial_mode\":\"direct\"",
		DECISION_CHAIN, "/mode" },
	{ "\"amendments\":[]",
		"\"amendments\":[" AMENDED("2", "graph", "graph", "make a") "]",
		DECISION_REVISION, "/revision" },
	{ "\"revision\":1", "\"revision\":3", DECISION_REVISION, "/revision" },
	{ "\"value\":\"true\"", "\"value\":\"yes\"", DECISION_SIGNAL,
		"/observations/6/value" },
	{ "\"name\":\"tasks\"", "\"name\":\"provider\"", DECISION_SIGNAL,
		"/observations/0/name" },
	{ "\"name\":\"tasks\"", "\"name\":\"dependencies\"",
		DECISION_DUPLICATE_VALUE, "/observations/1/name" },
	{ "\"unit\":\"slots\"", "\"unit\":\"hours\"", DECISION_UNIT,
		"/budget/1/unit" },
	{ "\"resource\":\"workers\",\"value\":2,\"unit\":\"slots\"",
		"\"resource\":\"attempts\",\"value\":2,"
		"\"unit\":\"attempts\"",
		DECISION_DUPLICATE_VALUE, "/budget/1" },
	{ "\"command\":\"make a\"", "\"command\":\"a | b\"",
		DECISION_NOT_DIRECT, "/selected_check/command" },
	{ "[\"src/b\"]", "[\"/b\"]", DECISION_PATH, "/packets/1/paths/0" },
	{ "\"integrator\":",
		"\"questions\":[{\"id\":\"q\",\"question\":\"w\","
		"\"affects\":[\"scope\"],\"answer\":\"a\","
		"\"safe_default\":\"b\","
		"\"provenance\":\"safe_default\"}],"
		"\"integrator\":",
		DECISION_PROVENANCE, "/questions/0/provenance" },
	{ "\"attempts\",\"value\"", "\"sweat\",\"value\"",
		DECISION_INVALID_VALUE, "/budget/0/resource" },
	{ ",{\"id\":\"C\",\"paths\":[\".\"],\"check\":\"true\"}", "",
		DECISION_UNPACKED, "/packets" },
};

/* Each rule, broken alone: its word and its place. */
static void
each_rule_names_itself_and_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(broken_rules) / sizeof(broken_rules[0]);
		i++) {
		struct decision_findings found;
		struct decision_doc d;
		struct pawl_err err = { 0 };
		struct fixture f;
		struct str text;
		const struct decision_finding *x;

		fixture_init(&f, STR(LIST));
		text = edited(buf_str(&f.json), broken_rules[i].from,
			broken_rules[i].to, &f.mem);
		if (decision_judge(&f.plan, arena_strdup(&f.mem, text),
			    text.len, &f.mem, &d, &found, &err) != PAWL_OK)
			fail_msg("case %zu: %s", i, err.msg);
		if (found.count != 1)
			fail_msg("case %zu: %u findings", i, found.count);
		x = &found.items[0];
		if (x->rule != broken_rules[i].rule ||
			!str_eq(x->pointer, str_from(broken_rules[i].pointer)))
			fail_msg("case %zu: %s at '" STR_FMT "': " STR_FMT, i,
				decision_rule_info(x->rule)->word,
				STR_ARG(x->pointer), STR_ARG(x->message));
		assert_int_equal(x->line, 1);
		assert_true(x->column > 0);
		fixture_release(&f);
	}
}

static void
all_that_is_wrong_is_found_at_once(void **state)
{
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct fixture f;
	struct str text;

	(void)state;
	fixture_init(&f, STR(LIST));
	text = edited(buf_str(&f.json), "\"amendments\":[]",
		"\"amendments\":[" AMENDED("3", "direct", "graph", "y") "]",
		&f.mem);
	text = edited(text, "[\"src/b\"]", "[\"src/c\"]", &f.mem);
	text = edited(text, "{\"id\":\"A\",", "{\"id\":\"Z\",", &f.mem);
	text = edited(text, "\"granted\":true", "\"granted\":false", &f.mem);
	if (decision_judge(&f.plan, arena_strdup(&f.mem, text), text.len,
		    &f.mem, &d, &found, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	/* permission, gap, chain, revision, check; id and paths */
	assert_int_equal(found.violations, 5);
	assert_int_equal(found.drifts, 2);
	assert_int_equal(found.notes, 1);
	fixture_release(&f);
}

/* Without a list, too: what overlaps is told, and no violation. */
static void
packets_that_overlap_are_told(void **state)
{
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct fixture f;

	(void)state;
	fixture_init(&f, STR(LIST));
	if (decision_judge(NULL, f.json.data, f.json.len, &f.mem, &d, &found,
		    &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(found.violations + found.drifts, 0);
	assert_int_equal(found.notes, 1);
	assert_int_equal(found.items[0].rule, DECISION_OVERLAP);
	assert_true(str_eq(found.items[0].pointer, STR("/packets/2/paths")));
	fixture_release(&f);
}

static void
a_parallel_decision_wants_two_writers(void **state)
{
	struct pawl_err err = { 0 };
	struct decision d = { 0 };
	struct fixture f;
	struct str text;

	(void)state;
	fixture_init(&f,
		STR(TASK("A", "a", "write", "x") TASK("B", "b", "read", "x")));
	text = edited(buf_str(&f.json), "single_writer", "parallel", &f.mem);
	assert_int_equal(decision_check(&f.plan, arena_strdup(&f.mem, text),
				 text.len, &f.mem, &d, &err),
		PAWL_ENO);
	assert_true(str_eq(err.field, STR("/execution")));
	fixture_release(&f);
}

static void
stops_are_said_before_the_work(void **state)
{
	static const struct {
		const char *from, *to, *reason; /* NULL: none */
	} cases[] = {
		{ "\"revision\":1", "\"revision\":1", NULL },
		{ "\"granted\":true", "\"granted\":false",
			"missing_permission" },
		{ "\"class\":\"advisory\"", "\"class\":\"hard\"", NULL },
		{ "\"value\":6,\"unit\":\"attempts\",\"class\":"
		  "\"advisory\"",
			"\"value\":0,\"unit\":\"attempts\",\"class\":"
			"\"hard\"",
			"budget_exhausted:attempts" },
		{ "\"value\":6,", "\"value\":0,", NULL },
		{ "\"resource\":\"attempts\",\"value\":6,\"unit\":"
		  "\"attempts\",\"class\":\"advisory\"",
			"\"resource\":\"tokens\",\"value\":6,\"unit\":\"k\","
			"\"class\":\"hard\"",
			"budget_unavailable:tokens" },
		{ "\"name\":\"graph_requested\",\"value\":\"true\"",
			"\"name\":\"blast_radius\",\"value\":\"external\"",
			NULL },
		{ "\"oracle\":\"declared\"", "\"oracle\":\"weak\"", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decision_findings found;
		struct decision_doc d;
		struct pawl_err err = { 0 };
		struct fixture f;
		struct strs reasons;
		struct str text;

		fixture_init(&f, STR(LIST));
		text = edited(
			buf_str(&f.json), cases[i].from, cases[i].to, &f.mem);
		if (decision_judge(&f.plan, arena_strdup(&f.mem, text),
			    text.len, &f.mem, &d, &found, &err) != PAWL_OK)
			fail_msg("case %zu: %s", i, err.msg);
		reasons = decision_stops(&d, &f.mem);
		if (reasons.count != (cases[i].reason != NULL))
			fail_msg("case %zu: %u reasons", i, reasons.count);
		if (reasons.count > 0)
			assert_true(str_eq(
				reasons.items[0], str_from(cases[i].reason)));
		fixture_release(&f);
	}
}

static void
a_weak_oracle_stops_what_reaches_far(void **state)
{
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct fixture f;
	struct strs reasons;
	struct str text;

	(void)state;
	fixture_init(&f, STR(LIST));
	text = edited(buf_str(&f.json),
		"\"name\":\"graph_requested\",\"value\":\"true\"",
		"\"name\":\"blast_radius\",\"value\":\"external\"", &f.mem);
	text = edited(
		text, "\"oracle\":\"declared\"", "\"oracle\":\"weak\"", &f.mem);
	if (decision_judge(&f.plan, arena_strdup(&f.mem, text), text.len,
		    &f.mem, &d, &found, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	reasons = decision_stops(&d, &f.mem);
	assert_int_equal(reasons.count, 1);
	assert_true(str_eq(
		reasons.items[0], STR("insufficient_oracle_for_blast_radius")));
	fixture_release(&f);
}

#define CHANGE(mode, check, rest)                                   \
	"{\"mode\":\"" mode "\",\"changed_evidence\":[\"file:x\"]," \
	"\"reason\":\"it grew\",\"replacement_check\":"             \
	"{\"command\":\"" check "\",\"oracle\":\"strong\"}" rest "}"

/* Apply a change to the decision in `json`, which becomes the next one. */
static void
change_apply(struct fixture *f, const char *text, bool wanted_again)
{
	struct decision_change change;
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct buf next = { 0 };
	bool again = false;

	if (decision_judge(NULL, f->json.data, f->json.len, &f->mem, &d, &found,
		    &err) != PAWL_OK ||
		decision_change_read(&f->mem, str_from(text), &change, &err) !=
			PAWL_OK ||
		decision_change_apply(
			&d, &change, &f->mem, &next, &again, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(again, wanted_again);
	/* What was read points into the old bytes. */
	(void)arena_copy(&f->mem, buf_str(&f->json));
	f->json.data = arena_strdup(&f->mem, buf_str(&next));
	f->json.len = next.len;
	buf_release(&next);
}

static void
an_amendment_adds_a_revision_and_its_replay_none(void **state)
{
	static const char out_of_graph[] = CHANGE("verified_single", "make c",
		",\"reduction\":{\"integrator\":\"me\",\"reason\":\"small\","
		"\"cleanup_plan\":\"p\",\"retained\":[\"A\"]}");
	static const char back[] =
		CHANGE("graph", "make d", ",\"execution\":\"parallel\"");
	struct decision_findings found;
	struct decision_doc first, d;
	struct pawl_err err = { 0 };
	struct buf own = { 0 };
	struct fixture f;

	(void)state;
	fixture_init(&f, STR(LIST));
	own = f.json;
	if (decision_judge(NULL, arena_strdup(&f.mem, buf_str(&f.json)),
		    f.json.len, &f.mem, &first, &found, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	change_apply(&f, out_of_graph, false);
	change_apply(&f, out_of_graph, true);
	change_apply(&f, back, false);
	if (decision_judge(&f.plan, f.json.data, f.json.len, &f.mem, &d, &found,
		    &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	assert_int_equal(found.violations + found.drifts, 0);
	assert_int_equal(d.revision, 3);
	assert_int_equal(d.amendments_count, 2);
	assert_int_equal(d.mode, DECISION_GRAPH);
	assert_int_equal(d.execution, EXECUTION_PARALLEL);
	assert_non_null(d.amendments[0].reduction);
	assert_true(str_eq(d.selected_check->command, STR("make d")));
	assert_int_equal(decision_extends(&first, &d, &err), PAWL_OK);
	assert_int_equal(decision_extends(&d, &first, &err), PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_DECISION_DRIFT);
	f.json = own;
	fixture_release(&f);
}

static void
an_amendment_without_evidence_is_refused(void **state)
{
	static const struct {
		const char *text, *pointer;
	} cases[] = {
		{ "{\"mode\":\"graph\"}", "" },
		{ "{\"mode\":\"graph\",\"changed_evidence\":[],"
		  "\"reason\":\"r\",\"replacement_check\":"
		  "{\"command\":\"c\",\"oracle\":\"weak\"}}",
			"/changed_evidence" },
		{ CHANGE("often", "c", ""), "/mode" },
		{ CHANGE("graph", "c", ",\"model\":\"x\""), "/model" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct decision_change change;
		struct pawl_err err = { 0 };
		struct arena mem = ARENA_INIT;
		struct str text = str_from(cases[i].text);

		assert_int_equal(
			decision_change_read(&mem, text, &change, &err),
			PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_DECISION);
		if (!str_eq(err.field, str_from(cases[i].pointer)))
			fail_msg("case %zu: '" STR_FMT "'", i,
				STR_ARG(err.field));
		arena_reset(&mem);
	}
}

static void
a_record_gets_a_section_for_each_revision(void **state)
{
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct buf first = { 0 }, second = { 0 }, own = { 0 };
	struct fixture f;
	uint32_t added = 9;

	(void)state;
	fixture_init(&f, STR(LIST));
	own = f.json;
	assert_int_equal(
		decision_judge(NULL, arena_strdup(&f.mem, buf_str(&f.json)),
			f.json.len, &f.mem, &d, &found, &err),
		PAWL_OK);
	assert_false(decision_wants_record(&d));
	decision_record_write(&d, &first);
	change_apply(&f, CHANGE("light_spec", "make c", ""), false);
	assert_int_equal(decision_judge(NULL, f.json.data, f.json.len, &f.mem,
				 &d, &found, &err),
		PAWL_OK);
	assert_true(decision_wants_record(&d));
	buf_add(&first, STR("\nWritten by hand."));
	assert_int_equal(decision_record_extend(
				 &d, buf_str(&first), &second, &added, &err),
		PAWL_OK);
	assert_int_equal(added, 1);
	assert_non_null(strstr(second.data,
		"Written by hand.\n\n## Revision "
		"2\n"));
	assert_non_null(strstr(second.data, "- file:x\n"));
	buf_clear(&first);
	assert_int_equal(decision_record_extend(
				 &d, buf_str(&second), &first, &added, &err),
		PAWL_OK);
	assert_int_equal(added, 0);
	assert_true(str_eq(buf_str(&first), buf_str(&second)));
	buf_clear(&first);
	assert_int_equal(decision_record_extend(
				 &d, STR("# Notes\n"), &first, &added, &err),
		PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_ID_TAKEN);
	buf_release(&first);
	buf_release(&second);
	f.json = own;
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
	decision_change_schema(&out);
	golden_check("schemas/decision-amendment.schema.json", buf_str(&out));
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
		cmocka_unit_test(each_rule_names_itself_and_its_place),
		cmocka_unit_test(all_that_is_wrong_is_found_at_once),
		cmocka_unit_test(packets_that_overlap_are_told),
		cmocka_unit_test(a_parallel_decision_wants_two_writers),
		cmocka_unit_test(stops_are_said_before_the_work),
		cmocka_unit_test(a_weak_oracle_stops_what_reaches_far),
		cmocka_unit_test(
			an_amendment_adds_a_revision_and_its_replay_none),
		cmocka_unit_test(an_amendment_without_evidence_is_refused),
		cmocka_unit_test(a_record_gets_a_section_for_each_revision),
		cmocka_unit_test(what_is_not_json_is_refused),
		cmocka_unit_test(the_published_schema_is_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
