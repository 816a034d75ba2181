#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "model/view_request.h"
#include "run_fixture.h"

#define RUN "r-20261130-k3x7qa"

static const struct plan_row two[] = {
	{ .id = "A" },
	{ .id = "G", .more = "Approval: required" },
};

static struct view_request
request(const struct run_fixture *f, struct str target)
{
	return (struct view_request){
		.schema_version = 1,
		.request_id = STR("q-1"),
		.run = STR(RUN),
		.kind = VIEW_REQUEST_REPAIR,
		.target = target,
		.expected_revision = (int64_t)f->s.seq,
		.generation = (int64_t)f->s.gen,
	};
}

static void
what_is_written_is_read_back(void **unused)
{
	struct run_fixture f;
	struct view_request q, back;
	struct buf once = { 0 }, again = { 0 };
	struct pawl_err err;

	(void)unused;
	fixture_init_of(&f, two, 2);
	q = request(&f, STR("A"));
	q.note = STR("try it with a lock");
	view_request_write(&q, &once);
	assert_string_equal(once.data,
		"{\"schema_version\":1,\"request_id\":\"q-1\",\"run\":\"" RUN
		"\",\"kind\":\"repair\",\"target\":\"A\","
		"\"expected_revision\":1,\"generation\":1,"
		"\"note\":\"try it with a lock\"}\n");
	assert_int_equal(view_request_read(&f.mem, buf_str(&once), &back, &err),
		PAWL_OK);
	view_request_write(&back, &again);
	assert_string_equal(again.data, once.data);
	buf_release(&once);
	buf_release(&again);
	fixture_release(&f);
}

static void
other_documents_are_refused_at_their_place(void **unused)
{
	static const struct {
		const char *text;
		const char *field;
	} rows[] = {
		{ "[]", "" },
		{ "{}", "" },
		{ "{\"schema_version\":2,\"request_id\":\"q\",\"run\":\"r\","
		  "\"kind\":\"note\",\"expected_revision\":1,\"generation\":1}",
			"/schema_version" },
		{ "{\"schema_version\":1,\"request_id\":\"../q\",\"run\":\"r\","
		  "\"kind\":\"note\",\"expected_revision\":1,\"generation\":1}",
			"/request_id" },
		{ "{\"schema_version\":1,\"request_id\":\"q\",\"run\":\"r\","
		  "\"kind\":\"rm\",\"expected_revision\":1,\"generation\":1}",
			"/kind" },
		{ "{\"schema_version\":1,\"request_id\":\"q\",\"run\":\"r\","
		  "\"kind\":\"note\",\"expected_revision\":-1,"
		  "\"generation\":1}",
			"/expected_revision" },
		{ "{\"schema_version\":1,\"request_id\":\"q\",\"run\":\"r\","
		  "\"kind\":\"note\",\"expected_revision\":1,\"generation\":1,"
		  "\"prompt\":\"x\"}",
			"/prompt" },
	};
	struct arena mem = ARENA_INIT;

	(void)unused;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct view_request q;
		struct pawl_err err = { 0 };

		assert_int_equal(view_request_read(&mem, str_from(rows[i].text),
					 &q, &err),
			PAWL_ENO);
		assert_int_equal(err.code, ERR_INVALID_DOCUMENT);
		assert_true(str_eq(err.field, str_from(rows[i].field)));
	}
	arena_reset(&mem);
}

static void
a_request_over_the_bound_is_refused(void **unused)
{
	static char text[VIEW_REQUEST_BYTES + 1];
	static const char doc[] =
		"{\"schema_version\":1,\"request_id\":\"q\",\"run\":\"r\","
		"\"kind\":\"note\",\"expected_revision\":1,\"generation\":1}";
	struct arena mem = ARENA_INIT;
	struct view_request q;
	struct pawl_err err;

	(void)unused;
	memset(text, ' ', sizeof(text));
	memcpy(text, doc, sizeof(doc) - 1);
	assert_int_equal(
		view_request_read(&mem,
			(struct str){ text, VIEW_REQUEST_BYTES }, &q, &err),
		PAWL_OK);
	assert_int_equal(
		view_request_read(&mem,
			(struct str){ text, VIEW_REQUEST_BYTES + 1 }, &q, &err),
		PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	arena_reset(&mem);
}

/* One row a rule: what is changed in a good request, and the refusal. */
static void
a_request_must_fit_the_run(void **unused)
{
	static const struct {
		const char *target;  /* NULL: the run */
		enum pawl_code code; /* ERR_INTERNAL: it fits */
	} rows[] = {
		{ NULL, ERR_INTERNAL },
		{ "A", ERR_INTERNAL },
		{ "A@1", ERR_INTERNAL },
		{ "G!1", ERR_INTERNAL },
		{ "B", ERR_NODE_NOT_FOUND },
		{ "a", ERR_NODE_NOT_FOUND },
		{ "A@2", ERR_ATTEMPT_NOT_FOUND },
		{ "A@1#1", ERR_ATTEMPT_NOT_FOUND },
		{ "G!2", ERR_GATE_NOT_FOUND },
		{ "A!1", ERR_GATE_NOT_FOUND },
	};
	struct run_fixture f;
	struct pawl_err err;

	(void)unused;
	fixture_init_of(&f, two, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct view_request q = request(&f, str_from(rows[i].target));
		enum pawl_rc rc = view_request_fits(&q, &f.s, &f.mem, &err);

		if (rows[i].code == ERR_INTERNAL) {
			assert_int_equal(rc, PAWL_OK);
			continue;
		}
		assert_int_equal(rc, PAWL_ENOENT);
		assert_int_equal(err.code, rows[i].code);
	}
	fixture_release(&f);
}

static void
assert_stale(struct run_fixture *f, const struct view_request *q,
	const char *details)
{
	struct pawl_err err = { 0 };

	assert_int_equal(
		view_request_fits(q, &f->s, &f->mem, &err), PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_STALE_SEQ);
	assert_string_equal(err.detail.ptr, details);
	assert_false(is_view_request_current(q, &f->s));
}

static void
an_older_view_is_answered_with_the_current_revision(void **unused)
{
	struct run_fixture f;
	struct view_request q;
	struct pawl_err err;

	(void)unused;
	fixture_init_of(&f, two, 2);
	q = request(&f, STR("A"));
	fixture_until(&f, "A", ATTEMPT_STARTED);
	assert_stale(&f, &q,
		"{\"current_revision\":3,\"generation\":1,"
		"\"reset_required\":false}");
	q.expected_revision = 5;
	assert_stale(&f, &q,
		"{\"current_revision\":3,\"generation\":1,"
		"\"reset_required\":true}");
	q = request(&f, STR("A"));
	fixture_step(&f, EV_COORDINATOR_TAKEN_OVER, "");
	assert_stale(&f, &q,
		"{\"current_revision\":4,\"generation\":2,"
		"\"reset_required\":true}");
	q = request(&f, STR("A"));
	assert_true(is_view_request_current(&q, &f.s));
	q.run = STR("r-another");
	assert_int_equal(view_request_fits(&q, &f.s, &f.mem, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_DOCUMENT);
	fixture_release(&f);
}

static void
the_published_schema_is_the_table_s(void **unused)
{
	struct buf out = { 0 };

	(void)unused;
	view_request_schema(&out);
	golden_check("schemas/view-request.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read_back),
		cmocka_unit_test(other_documents_are_refused_at_their_place),
		cmocka_unit_test(a_request_over_the_bound_is_refused),
		cmocka_unit_test(a_request_must_fit_the_run),
		cmocka_unit_test(
			an_older_view_is_answered_with_the_current_revision),
		cmocka_unit_test(the_published_schema_is_the_table_s),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
