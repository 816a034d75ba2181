#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/detail.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "API", .paths = "src, lib" },
	{ .id = "API-01", .depends = "API" },
	{ .id = "UI", .more = "Approval: required" },
	{ .id = "c2", .mode = "read" },
};

struct found {
	const char *id;
	enum detail_kind kind;
	uint32_t index;
	enum pawl_code code; /* PAWL_CODE_COUNT: found */
};

#define FOUND PAWL_CODE_COUNT

static const struct found founds[] = {
	{ "API", DETAIL_NODE, 0, FOUND },
	{ "API-01", DETAIL_NODE, 1, FOUND },
	{ "U", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "api", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "API@1", DETAIL_ATTEMPT, 0, FOUND },
	{ "API@2", DETAIL_ATTEMPT, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "API@01", DETAIL_ATTEMPT, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "@1", DETAIL_ATTEMPT, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "API@1#1", DETAIL_CHECK, 0, FOUND },
	{ "API@1#2", DETAIL_CHECK, 1, FOUND },
	{ "API@1#3", DETAIL_CHECK, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "API@1#02", DETAIL_CHECK, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "API#1", DETAIL_CHECK, 0, ERR_ATTEMPT_NOT_FOUND },
	{ "UI!1", DETAIL_GATE, 0, FOUND },
	{ "UI!2", DETAIL_GATE, 0, ERR_GATE_NOT_FOUND },
	{ "API!1", DETAIL_GATE, 0, ERR_GATE_NOT_FOUND },
	{ "c1", DETAIL_CLEANUP, 0, FOUND },
	{ "c2", DETAIL_NODE, 0, ERR_AMBIGUOUS_ID },
	{ "node:c2", DETAIL_NODE, 3, FOUND },
	{ "cleanup:c2", DETAIL_CLEANUP, 1, FOUND },
	{ "cleanup:c1", DETAIL_CLEANUP, 0, FOUND },
	{ "node:API", DETAIL_NODE, 0, FOUND },
	{ "node:c1", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "question:c1", DETAIL_NODE, 0, ERR_QUESTION_NOT_FOUND },
	{ "cleanup:c3", DETAIL_NODE, 0, ERR_CLEANUP_NOT_FOUND },
	{ "delegation:g1", DETAIL_NODE, 0, ERR_DELEGATION_NOT_FOUND },
	{ "run:c1", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "node:", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ ":c1", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
	{ "c3", DETAIL_NODE, 0, ERR_NODE_NOT_FOUND },
};

static void
walk(struct run_fixture *f)
{
	fixture_init_of(f, rows, sizeof(rows) / sizeof(rows[0]));
	fixture_until(f, "API", ATTEMPT_REPORTED);
	fixture_step(f, EV_CLEANUP_REGISTERED, "API@1");
	fixture_step(f, EV_CLEANUP_REGISTERED, "API@1");
	fixture_step(f, EV_CHECK_STARTED, "API@1");
	fixture_step_word(f, EV_CHECK_RECORDED, "API@1", "void");
	fixture_step(f, EV_CHECK_STARTED, "API@1");
}

static void
an_id_says_what_it_is(void **state)
{
	struct run_fixture f;

	(void)state;
	walk(&f);
	for (size_t i = 0; i < sizeof(founds) / sizeof(founds[0]); i++) {
		const struct found *want = &founds[i];
		struct detail d = { .index = 77 };
		struct pawl_err err = { 0 };
		enum pawl_rc rc =
			detail_find(&f.s, str_from(want->id), &d, &err);

		if ((rc == PAWL_OK) != (want->code == FOUND))
			fail_msg("'%s': %s", want->id, err.msg);
		if (rc != PAWL_OK) {
			assert_int_equal(err.code, want->code);
			assert_int_equal(d.index, 77);
			continue;
		}
		assert_int_equal(d.kind, want->kind);
		assert_int_equal(d.index, want->index);
	}
	fixture_release(&f);
}

static void
assert_shown(struct run_fixture *f, const char *id, const char *want)
{
	struct buf out = { 0 };
	struct pawl_err err = { 0 };
	struct detail d;

	if (detail_find(&f->s, str_from(id), &d, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	detail_text(&out, &f->s, &d);
	assert_string_equal(out.data, want);
	buf_release(&out);
}

static void
a_gate_and_a_cleanup_are_shown_in_lines(void **state)
{
	struct run_fixture f;
	struct buf want = { 0 };

	(void)state;
	walk(&f);
	buf_addf(&want,
		"gate            UI!1\n"
		"node            UI\n"
		"status          open\n"
		"reason          approval\n"
		"title           Do UI\n"
		"contract_sha256 " STR_FMT "\n"
		"scope_sha256    " STR_FMT "\n"
		"command         pawl approve r-20261130-k3x7qa/UI!1\n",
		STR_ARG(f.s.gates.items[0].contract_sha256),
		STR_ARG(f.s.gates.items[0].scope_sha256));
	assert_shown(&f, "UI!1", want.data);
	assert_shown(&f, "c1",
		"cleanup         c1\n"
		"attempt         API@1\n"
		"kind            process\n"
		"target          API@1\n"
		"status          pending\n");
	assert_shown(&f, "API@1#2",
		"check           API@1#2\n"
		"attempt         API@1\n"
		"verdict         running\n"
		"duration_ms     0\n"
		"tree            7ee7ee\n"
		"monitor_pid     300\n");
	buf_release(&want);
	fixture_release(&f);
}

static void
a_node_is_shown_with_contract_history_and_causes(void **state)
{
	struct run_fixture f;

	(void)state;
	walk(&f);
	assert_shown(&f, "API-01",
		"node            API-01\n"
		"title           Do API-01\n"
		"status          PENDING\n"
		"history         PENDING\n"
		"line            8\n"
		"mode            write\n"
		"access          workspace-write\n"
		"isolation       auto\n"
		"needs_approval  no\n"
		"paths           src/API-01\n"
		"depends_on      API\n"
		"depends_count   1\n"
		"needed_by_count 0\n"
		"acceptance      API-01 works.\n"
		"check           make test-API-01\n"
		"explain         API-01 isn't ready: API is RUNNING (attempt 1)"
		"\n  can be changed by the coordinator:  pawl watch "
		"r-20261130-k3x7qa\n");
	fixture_release(&f);
}

/* Each kind as one document that can be read, with its type and id. */
static void
each_kind_is_one_json_document(void **state)
{
	static const char *const ids[] = { "API", "API@1", "API@1#1", "UI!1",
		"c1" };
	struct run_fixture f;

	(void)state;
	walk(&f);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };
		struct pawl_err err = { 0 };
		const struct json *v;
		struct detail d;

		assert_int_equal(
			detail_find(&f.s, str_from(ids[i]), &d, &err), PAWL_OK);
		detail_json(&w, &f.s, &d);
		assert_int_equal(json_read(&f.mem, out.data, out.len,
					 JSON_STRICT, &v, &err),
			PAWL_OK);
		assert_true(str_eq(
			json_str(json_get(v, STR("id"))), str_from(ids[i])));
		assert_true(json_str(json_get(v, STR("type"))).len > 0);
		assert_non_null(json_get(v,
					d.kind == DETAIL_GATE ? STR("command")
						: d.kind == DETAIL_NODE
						? STR("explain")
						: STR("status")) != NULL
				? v
				: json_get(v, STR("verdict")));
		buf_release(&out);
	}
	fixture_release(&f);
}

static void
assert_gate_status(struct run_fixture *f, const char *id, const char *want)
{
	struct buf out = { 0 };
	struct pawl_err err = { 0 };
	struct detail d;

	if (detail_find(&f->s, str_from(id), &d, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	detail_text(&out, &f->s, &d);
	if (strstr(out.data, want) == NULL)
		fail_msg("%s has no '%s'", out.data, want);
	buf_release(&out);
}

/* What an amendment has overtaken, too: the words weren't of all statuses. */
static void
a_gate_is_shown_in_each_of_its_statuses(void **state)
{
	struct run_fixture f;

	(void)state;
	fixture_init_of(&f, rows, sizeof(rows) / sizeof(rows[0]));
	fixture_step(&f, EV_CONTRACT_AMENDED, "UI");
	assert_gate_status(&f, "UI!1", "status          stale\n");
	assert_gate_status(&f, "UI!2", "status          open\n");
	fixture_step_word(&f, EV_GATE_DECIDED, "UI", "granted");
	assert_gate_status(&f, "UI!2", "status          granted\n");
	fixture_step(&f, EV_CONTRACT_AMENDED, "UI");
	fixture_step_word(&f, EV_GATE_DECIDED, "UI", "denied");
	assert_gate_status(&f, "UI!3", "status          denied\n");
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_id_says_what_it_is),
		cmocka_unit_test(a_gate_and_a_cleanup_are_shown_in_lines),
		cmocka_unit_test(
			a_node_is_shown_with_contract_history_and_causes),
		cmocka_unit_test(each_kind_is_one_json_document),
		cmocka_unit_test(a_gate_is_shown_in_each_of_its_statuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
