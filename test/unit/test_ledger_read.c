#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "golden.h"
#include "model/ledger_fields.h"
#include "model/ledger_read.h"

/* The checkpoint of design 4.1: good, and one note. */
static const char example[] =
	"{\n"
	"  \"schema_version\": 1,\n"
	"  \"run_id\": \"graph-20260719-example\",\n"
	"  \"task\": \"Audit the project against its plan\",\n"
	"  \"status\": \"RUNNING\",\n"
	"  \"nodes\": [\n"
	"    { \"id\": \"scope\", \"title\": \"Resolve audit scope\",\n"
	"      \"kind\": \"scope\", \"role\": \"main\",\n"
	"      \"access\": \"read-only\", \"status\": \"PASSED\",\n"
	"      \"status_history\": [\"PENDING\", \"READY\", \"RUNNING\",\n"
	"        \"PASSED\"],\n"
	"      \"depends_on\": [], \"expected_output\": \"Bounded target\",\n"
	"      \"evidence_required\": true, \"evidence\": [\"The "
	"\\\"plan\\\"\"],\n"
	"      \"attempt\": 1, \"max_attempts\": 1,\n"
	"      \"approval\": \"not-required\" }\n"
	"  ]\n"
	"}\n";

static void
the_example_has_one_note(void **unused)
{
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct ledger_findings f;
	struct ledger l;

	(void)unused;
	assert_int_equal(
		ledger_read(&mem, str_from(example), true, &l, &f, &err),
		PAWL_OK);
	assert_int_equal(f.violations, 0);
	assert_int_equal(f.notes, 1);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.items[0].rule, LEDGER_RUN_UNCLAIMED);
	assert_int_equal(f.items[0].line, 5);
	assert_int_equal(f.items[0].column, 13);
	assert_int_equal(l.count, 1);
	assert_int_equal(l.nodes[0].history_count, 4);
	assert_true(str_eq(l.nodes[0].evidence[0], STR("The \"plan\"")));
	ledger_findings_release(&f);
	ledger_release(&l);
	arena_reset(&mem);
}

static void
the_published_schema_is_the_printed_one(void **unused)
{
	struct buf out = { 0 };

	(void)unused;
	ledger_schema(&out);
	golden_check("schemas/ledger.schema.json", buf_str(&out));
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_example_has_one_note),
		cmocka_unit_test(the_published_schema_is_the_printed_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
