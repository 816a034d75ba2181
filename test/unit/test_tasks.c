#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>

#include "base/bounds.h"
#include "model/tasks.h"

/* All of a task's fields but those of the case. */
#define REST                                                          \
	"  Mode: write\n  Isolation: auto\n  Acceptance: It works.\n" \
	"  Check: make test\n"
#define TASK(id)                                                         \
	"- [ ] " id " Title of it\n  Depends: []\n  Paths: [src/" id "]" \
								     "\n" REST

static struct str
findings_text(const struct findings *f, struct arena *mem)
{
	struct buf b = { 0 };
	struct str s;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		buf_addf(&b, "%u:%u %s: " STR_FMT, x->line, x->column,
			pawl_code_info(x->code)->word, STR_ARG(x->message));
		if (x->hint.len > 0)
			buf_addf(&b, " [" STR_FMT "]", STR_ARG(x->hint));
		buf_addc(&b, '\n');
	}
	s = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return s;
}

/* All contracts of a list, or what was found in it. */
static struct str
outcome(struct str text, struct arena *mem)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;
	struct str s;

	if (tasks_parse(text, mem, &p, &report, &err) != PAWL_OK) {
		assert_true(report.errors.count > 0);
		return findings_text(&report.errors, mem);
	}
	for (uint32_t n = 0; n < p.count; n++) {
		plan_contract_json(&p, n, mem, &b);
		buf_addc(&b, '\n');
	}
	s = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	plan_release(&p);
	return s;
}

static void
assert_outcome(struct str text, const char *want)
{
	struct arena mem = ARENA_INIT;
	struct str got = outcome(text, &mem);

	assert_string_equal(got.ptr, want);
	arena_reset(&mem);
}

static void
a_whole_task_is_read(void **state)
{
	(void)state;
	assert_outcome(
		STR("# Plan\n\nProse.\n\n"
		    "- [x] API-01 Implement the endpoint\n"
		    "  Depends: [DOMAIN-01]\n"
		    "  Paths: [src/api/, tests/test_api.py, ./src/api/x.c]\n"
		    "  Mode: write\n"
		    "  Isolation: worktree\n"
		    "  Acceptance: The endpoint returns\n"
		    "    a validated result.\n"
		    "  Check: python3 -m unittest \\\n"
		    "     'tests.test_api'\n"
		    "  Timeout: 90s\n"
		    "  Check-Timeout: 15m\n"
		    "  Priority: -3\n"
		    "  Labels: [a, \"b\"]\n"
		    "  Red: true\n"
		    "  Agent: codex\n"
		    "  Needs: heavy\n"
		    "  Approval: required [alice, bob]\n"
		    "  Context: see docs\n"
		    "\n"
		    "* [ ] DOMAIN-01 The domain\n"
		    "  - Depends: []\n"
		    "  - Paths: [.]\n"
		    "  - Mode: read\n"
		    "  - Isolation: auto\n"
		    "  - Acceptance: known\n"
		    "  - Check: true\n"
		    "  - Access: destructive\n"),
		"{\"id\":\"API-01\",\"title\":\"Implement the endpoint\","
		"\"mode\":\"write\",\"access\":\"workspace-write\","
		"\"isolation\":\"worktree\",\"approval\":\"required\","
		"\"depends_on\":[\"DOMAIN-01\"],"
		"\"paths\":[\"src/api/\",\"tests/test_api.py\"],"
		"\"acceptance\":\"The endpoint returns a validated result.\","
		"\"check\":\"python3 -m unittest \\\\ 'tests.test_api'\","
		"\"red\":true,\"context\":\"see docs\",\"timeout_ms\":90000,"
		"\"check_timeout_ms\":900000,\"priority\":-3,"
		"\"labels\":[\"a\",\"b\"],\"needs\":[\"heavy\"],"
		"\"approvers\":[\"alice\",\"bob\"],\"agent\":\"codex\"}\n"
		"{\"id\":\"DOMAIN-01\",\"title\":\"The domain\","
		"\"mode\":\"read\",\"access\":\"destructive\","
		"\"isolation\":\"auto\",\"approval\":\"required\","
		"\"depends_on\":[],\"paths\":[\".\"],"
		"\"acceptance\":\"known\",\"check\":\"true\"}\n");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_task_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
