#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

#include "golden.h"

#include "model/intake.h"

#define DIGEST                             \
	"0123456789abcdef0123456789abcdef" \
	"0123456789abcdef0123456789abcdef"

/* What has nothing against a small change done at once. */
#define SMALL "\"scope\":[\"src/a.c\"],\"small_change\":true"

#define PACKET(id, path, check) \
	"{\"id\":\"" id "\",\"paths\":[\"" path "\"],\"check\":\"" check "\"}"
#define LIMIT                                                           \
	"{\"resource\":\"attempts\",\"value\":6,\"unit\":\"attempts\"," \
	"\"class\":\"hard\"}"
#define GRAPH_BUT_PACKETS                                                   \
	"\"graph_requested\":true,\"integrator\":\"me\",\"budget\":[" LIMIT \
	"],\"cleanup_plan\":\"p\",\"permission\":{\"granted\":true}"
#define TWO PACKET("A", "src/a/", "make a") "," PACKET("B", "src/b", "make b")

struct asked {
	struct arena mem;
	struct intake_signals signals;
	struct intake_result result;
};

static void
ask(struct asked *a, const char *members, const struct intake_facts *facts,
	bool safe_defaults)
{
	const struct intake_request request = { .sha256 = STR(DIGEST),
		.check = STR("make check"),
		.safe_defaults = safe_defaults };
	struct pawl_err err = { 0 };
	struct str text;

	*a = (struct asked){ .signals = { .scope = NULL } };
	text = arena_format(&a->mem, "{%s}", members);
	if (intake_signals_read(&a->mem, text, &a->signals, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	intake_decide(&request, &a->signals, facts, &a->mem, &a->result);
}

/* A decision that an intake makes is one that decision check takes. */
static void
must_be_sound(struct asked *a)
{
	struct decision_findings found;
	struct decision_doc d;
	struct pawl_err err = { 0 };
	struct buf json = { 0 };
	struct json_writer w = { .out = &json };

	fields_write(&decision_table, &a->result.decision, &w);
	if (decision_judge(NULL, json.data, json.len, &a->mem, &d, &found,
		    &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	if (found.count > 0)
		fail_msg(STR_FMT " at " STR_FMT,
			STR_ARG(found.items[0].message),
			STR_ARG(found.items[0].pointer));
	buf_release(&json);
}

static const struct {
	const char *signals;
	enum decision_mode mode;
	const char *reason; /* the first */
} modes[] = {
	{ SMALL, DECISION_DIRECT, "nothing asks for more" },
	/* light_spec, a signal a row */
	{ "\"small_change\":true", DECISION_LIGHT_SPEC,
		"known_scope is false" },
	{ SMALL ",\"known_scope\":false", DECISION_LIGHT_SPEC,
		"known_scope is false" },
	{ SMALL ",\"architecture_uncertainty\":\"material\"",
		DECISION_LIGHT_SPEC, "architecture_uncertainty is material" },
	{ SMALL ",\"reversibility\":\"costly\"", DECISION_DIRECT,
		"nothing asks for more" },
	{ SMALL ",\"reversibility\":\"irreversible\"", DECISION_LIGHT_SPEC,
		"reversibility is irreversible" },
	{ SMALL ",\"blast_radius\":\"multi_surface\"", DECISION_LIGHT_SPEC,
		"blast_radius is multi_surface" },
	{ SMALL ",\"blast_radius\":\"external\"", DECISION_LIGHT_SPEC,
		"blast_radius is external" },
	{ SMALL ",\"oracle_strength\":\"strong\"", DECISION_DIRECT,
		"nothing asks for more" },
	{ SMALL ",\"oracle_strength\":\"weak\"", DECISION_LIGHT_SPEC,
		"oracle_strength is weak" },
	{ SMALL ",\"oracle_strength\":\"absent\"", DECISION_LIGHT_SPEC,
		"oracle_strength is absent" },
	{ SMALL ",\"external_effects\":\"reversible\"", DECISION_DIRECT,
		"nothing asks for more" },
	{ SMALL ",\"external_effects\":\"irreversible\"", DECISION_LIGHT_SPEC,
		"external_effects is irreversible" },
	/* verified_single, likewise */
	{ SMALL ",\"needs_iteration\":true", DECISION_VERIFIED_SINGLE,
		"needs_iteration is true" },
	{ SMALL ",\"context_pressure\":\"medium\"", DECISION_VERIFIED_SINGLE,
		"context_pressure is medium" },
	{ SMALL ",\"cohesion\":\"mixed\"", DECISION_VERIFIED_SINGLE,
		"cohesion is mixed" },
	{ SMALL ",\"cohesion\":\"independent\"", DECISION_VERIFIED_SINGLE,
		"cohesion is independent" },
	{ "\"scope\":[\"a\"]", DECISION_VERIFIED_SINGLE,
		"small_change is false" },
	/* the first row that holds */
	{ SMALL ",\"needs_iteration\":true,"
		"\"blast_radius\":\"external\"",
		DECISION_LIGHT_SPEC, "blast_radius is external" },
	{ GRAPH_BUT_PACKETS ",\"packets\":[" TWO "]", DECISION_GRAPH,
		"graph_requested is true" },
	{ GRAPH_BUT_PACKETS ",\"packets\":[" TWO
			    "],\"blast_radius\":\"external\"",
		DECISION_GRAPH, "graph_requested is true" },
	/* packets alone don't ask for one */
	{ SMALL ",\"packets\":[" TWO "]", DECISION_DIRECT,
		"nothing asks for more" },
	{ SMALL ",\"unattended_execution\":true", DECISION_DIRECT,
		"nothing asks for more" },
};

static void
each_row_of_the_table_of_modes_holds(void **state)
{
	const struct intake_facts facts = { .has_repository = true };

	(void)state;
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		struct asked a;

		ask(&a, modes[i].signals, &facts, false);
		assert_true(a.result.selected);
		if (a.result.decision.mode != modes[i].mode)
			fail_msg("case %zu: %s", i,
				decision_mode_words[a.result.decision.mode]);
		if (!str_eq(a.result.reasons.items[0],
			    str_from(modes[i].reason)))
			fail_msg("case %zu: " STR_FMT, i,
				STR_ARG(a.result.reasons.items[0]));
		assert_int_equal(a.result.blockers_count, 0);
		must_be_sound(&a);
		arena_reset(&a.mem);
	}
}

static void
each_gap_of_a_graph_is_a_blocker(void **state)
{
#define WITHOUT(member) \
	"\"graph_requested\":true," member ",\"packets\":[" TWO "]"
#define INTEGRATOR "\"integrator\":\"me\""
#define BUDGET "\"budget\":[" LIMIT "]"
#define CLEANUP "\"cleanup_plan\":\"p\""
#define PERMISSION "\"permission\":{\"granted\":true,\"by\":\"ada\"}"
	static const struct {
		const char *signals, *code;
	} cases[] = {
		{ GRAPH_BUT_PACKETS, "too_few_packets" },
		{ GRAPH_BUT_PACKETS
			",\"packets\":[" PACKET("A", "a", "make a") "]",
			"too_few_packets" },
		{ GRAPH_BUT_PACKETS ",\"packets\":[" PACKET("A", "a",
			  "make a") ",{\"paths\":[\"b\"],\"check\":\"x\"}]",
			"packet_incomplete" },
		{ GRAPH_BUT_PACKETS ",\"packets\":[" PACKET("A", "a",
			  "make a") ",{\"id\":\"B\",\"check\":\"x\"}]",
			"packet_incomplete" },
		{ GRAPH_BUT_PACKETS ",\"packets\":[" PACKET("A", "a",
			  "make a") ",{\"id\":\"B\",\"paths\":[\"b\"]}]",
			"packet_incomplete" },
		{ GRAPH_BUT_PACKETS ",\"packets\":[" PACKET("A", "a",
			  "make a") "," PACKET("B", "./a/b/", "make b") "]",
			"packets_overlap" },
		{ GRAPH_BUT_PACKETS ",\"shared_write_coupling\":true,"
				    "\"packets\":[" TWO "]",
			"shared_write_coupling" },
		{ WITHOUT(BUDGET "," CLEANUP "," PERMISSION),
			"integrator_missing" },
		{ WITHOUT(INTEGRATOR "," CLEANUP "," PERMISSION),
			"budget_missing" },
		{ WITHOUT(INTEGRATOR "," BUDGET "," PERMISSION),
			"cleanup_plan_missing" },
		{ WITHOUT(INTEGRATOR "," BUDGET "," CLEANUP),
			"permission_missing" },
		{ WITHOUT(INTEGRATOR "," BUDGET "," CLEANUP
				     ",\"permission\":{\"granted\":false}"),
			"permission_missing" },
	};
	const struct intake_facts facts = { .has_repository = true };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct asked a;

		ask(&a, cases[i].signals, &facts, false);
		assert_true(a.result.selected);
		assert_int_equal(a.result.decision.mode, DECISION_LIGHT_SPEC);
		if (a.result.blockers_count != 1 ||
			!str_eq(a.result.blockers[0].code,
				str_from(cases[i].code)))
			fail_msg("case %zu: %u, " STR_FMT, i,
				a.result.blockers_count,
				STR_ARG(a.result.blockers[0].code));
		must_be_sound(&a);
		arena_reset(&a.mem);
	}
}

static void
all_gaps_are_listed(void **state)
{
	const struct intake_facts facts = { 0 };
	struct asked a;

	(void)state;
	ask(&a, "\"graph_requested\":true", &facts, false);
	assert_int_equal(a.result.blockers_count, 5);
	arena_reset(&a.mem);
}

/* Commits decide where they can: at the bound, and below each half of it. */
static void
packets_that_change_together_are_coupled(void **state)
{
	static const struct {
		struct intake_coupling c;
		bool coupled;
	} cases[] = {
		{ { 0, 1, 3, 6, 40 }, true },
		{ { 0, 1, 3, 40, 6 }, true },
		{ { 0, 1, 2, 2, 2 }, false },
		{ { 0, 1, 3, 7, 7 }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct intake_facts facts = { .has_repository = true,
			.has_history = true,
			.couplings = &cases[i].c,
			.couplings_count = 1,
			.commits = 50 };
		const struct intake_signal *x;
		struct asked a;

		ask(&a, GRAPH_BUT_PACKETS ",\"packets\":[" TWO "]", &facts,
			false);
		x = &a.result.signals[SIGNAL_COUPLING];
		assert_int_equal(x->provenance, PROVENANCE_MEASURED);
		if (x->value != (cases[i].coupled ? SIGNAL_YES : SIGNAL_NO))
			fail_msg("case %zu", i);
		assert_int_equal(a.result.decision.mode,
			cases[i].coupled ? DECISION_LIGHT_SPEC
					 : DECISION_GRAPH);
		arena_reset(&a.mem);
	}
}

static void
a_graver_report_stands_and_a_milder_one_does_not(void **state)
{
	const struct intake_facts unused = {
		.has_repository = true, .has_history = true, .commits = 9
	};
	const struct intake_facts gone = { .has_check = true };
	const struct intake_facts stuck = { .has_check = true,
		.check_found = true,
		.has_probe = true,
		.probe = STR("timeout"),
		.probe_unusable = true };
	const struct intake_facts fails = { .has_check = true,
		.check_found = true,
		.has_probe = true,
		.probe = STR("exit 1") };
	struct asked a;

	(void)state;
	ask(&a, "\"shared_write_coupling\":true,\"packets\":[" TWO "]", &unused,
		false);
	assert_int_equal(a.result.signals[SIGNAL_COUPLING].value, SIGNAL_YES);
	assert_int_equal(a.result.signals[SIGNAL_COUPLING].provenance,
		PROVENANCE_REPORTED);
	arena_reset(&a.mem);
	ask(&a, SMALL ",\"oracle_strength\":\"strong\"", &gone, false);
	assert_int_equal(a.result.signals[SIGNAL_ORACLE].value, ORACLE_ABSENT);
	assert_int_equal(a.result.decision.mode, DECISION_LIGHT_SPEC);
	assert_int_equal(
		a.result.decision.selected_check->oracle, ORACLE_ABSENT);
	arena_reset(&a.mem);
	ask(&a, SMALL ",\"oracle_strength\":\"strong\"", &stuck, false);
	assert_int_equal(a.result.signals[SIGNAL_ORACLE].value, ORACLE_ABSENT);
	arena_reset(&a.mem);
	ask(&a, SMALL ",\"oracle_strength\":\"strong\"", &fails, false);
	assert_int_equal(a.result.decision.mode, DECISION_DIRECT);
	arena_reset(&a.mem);
	/* to say that the scope is known doesn't name it */
	ask(&a, "\"known_scope\":true,\"small_change\":true", &fails, false);
	assert_int_equal(a.result.signals[SIGNAL_KNOWN_SCOPE].value, SIGNAL_NO);
	assert_int_equal(a.result.signals[SIGNAL_KNOWN_SCOPE].provenance,
		PROVENANCE_MEASURED);
	arena_reset(&a.mem);
}

#define ASK(id, affects, rest)                                             \
	"{\"id\":\"" id "\",\"question\":\"Which?\",\"affects\":[" affects \
	"]" rest "}"

static void
only_material_questions_that_nobody_answered_are_asked(void **state)
{
	static const char all[] = SMALL ",\"ambiguities\":[" ASK("material",
		"\"scope\",\"mode\"",
		",\"safe_default\":\"none\"") "," ASK("idle", "",
		"") "," ASK("known", "\"risk\"",
		",\"repository_fact\":\"in README\"") "," ASK("owned",
		"\"risk\"",
		",\"answer\":\"yes\"") "," ASK("open", "\"behavior\"", "") "]";
	const struct intake_facts facts = { .has_repository = true };
	struct pawl_err err = { 0 };
	struct asked a;
	struct str answers =
		STR("{\"answers\":[{\"id\":\"open\",\"answer\":\"so\"},"
		    "{\"id\":\"material\",\"answer\":\"all\"}]}");
	struct str unasked =
		STR("{\"answers\":[{\"id\":\"x\",\"answer\":\"so\"}]}");
	const struct intake_request request = { .sha256 = STR(DIGEST),
		.check = STR("make check") };

	(void)state;
	ask(&a, all, &facts, false);
	assert_false(a.result.selected);
	assert_int_equal(a.result.questions_count, 2);
	assert_true(str_eq(a.result.questions[0]->id, STR("material")));
	assert_true(str_eq(a.result.questions[1]->id, STR("open")));
	assert_int_equal(intake_answers_read(&a.mem, unasked, &a.signals, &err),
		PAWL_ENO);
	assert_true(str_eq(err.field, STR("/answers/0/id")));
	assert_int_equal(intake_answers_read(&a.mem, answers, &a.signals, &err),
		PAWL_OK);
	intake_decide(&request, &a.signals, &facts, &a.mem, &a.result);
	assert_true(a.result.selected);
	assert_int_equal(a.result.decision.questions_count, 4);
	assert_int_equal(
		a.result.decision.questions[0].provenance, SOURCE_OWNER);
	assert_int_equal(
		a.result.decision.questions[1].provenance, SOURCE_REPOSITORY);
	must_be_sound(&a);
	arena_reset(&a.mem);
	/* A safe default settles what has one. */
	ask(&a, all, &facts, true);
	assert_int_equal(a.result.questions_count, 1);
	assert_true(str_eq(a.result.questions[0]->id, STR("open")));
	arena_reset(&a.mem);
}

static void
a_safe_default_says_that_it_is_one(void **state)
{
	const struct intake_facts facts = { .has_repository = true };
	struct asked a;

	(void)state;
	ask(&a,
		SMALL ",\"ambiguities\":[" ASK(
			"q", "\"scope\"", ",\"safe_default\":\"none\"") "]",
		&facts, true);
	assert_true(a.result.selected);
	assert_int_equal(
		a.result.decision.questions[0].provenance, SOURCE_SAFE_DEFAULT);
	assert_true(str_eq(a.result.decision.questions[0].answer, STR("none")));
	must_be_sound(&a);
	arena_reset(&a.mem);
}

static void
what_is_no_signal_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *signals, *pointer;
	} cases[] = {
		{ "{\"provider\":\"x\"}", "/provider" },
		{ "{\"model\":\"x\"}", "/model" },
		{ "{\"small_change\":true,\"workers\":3}", "/workers" },
		{ "{\"worker_count\":3}", "/worker_count" },
		{ "{\"canvas\":true}", "/canvas" },
		{ "{\"smal_change\":true}", "/smal_change" },
		{ "{\"cohesion\":\"some\"}", "/cohesion" },
		{ "{\"small_change\":1}", "/small_change" },
		{ "{\"scope\":[\"/a\"]}", "/scope/0" },
		{ "{\"packets\":[{\"paths\":[\"a\",\"../b\"]}]}",
			"/packets/0/paths/1" },
		{ "{\"packets\":[{\"id\":\"A\"},{\"id\":\"A\"}]}",
			"/packets/1/id" },
		{ "{\"ambiguities\":[" ASK("q", "", "") "," ASK(
			  "q", "", "") "]}",
			"/ambiguities/1/id" },
		{ "{\"budget\":[{\"resource\":\"workers\",\"value\":1,"
		  "\"unit\":\"hours\",\"class\":\"hard\"}]}",
			"/budget/0/unit" },
		{ "[]", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct arena mem = ARENA_INIT;
		struct intake_signals signals;
		struct pawl_err err = { 0 };
		struct str text = str_from(cases[i].signals);

		assert_int_equal(
			intake_signals_read(&mem, text, &signals, &err),
			PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_SIGNALS);
		if (!str_eq(err.field, str_from(cases[i].pointer)))
			fail_msg("case %zu: '" STR_FMT "': %s", i,
				STR_ARG(err.field), err.msg);
		arena_reset(&mem);
	}
}

static void
the_published_schemas_are_the_tables(void **state)
{
	struct buf out = { 0 };

	(void)state;
	intake_signals_schema(&out);
	golden_check("schemas/intake-signals.schema.json", buf_str(&out));
	buf_clear(&out);
	intake_answers_schema(&out);
	golden_check("schemas/intake-answers.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_of_the_table_of_modes_holds),
		cmocka_unit_test(each_gap_of_a_graph_is_a_blocker),
		cmocka_unit_test(all_gaps_are_listed),
		cmocka_unit_test(packets_that_change_together_are_coupled),
		cmocka_unit_test(
			a_graver_report_stands_and_a_milder_one_does_not),
		cmocka_unit_test(
			only_material_questions_that_nobody_answered_are_asked),
		cmocka_unit_test(a_safe_default_says_that_it_is_one),
		cmocka_unit_test(what_is_no_signal_is_refused_at_its_place),
		cmocka_unit_test(the_published_schemas_are_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
