#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/planview.h"

#define REST "  Isolation: auto\n  Acceptance: x\n  Check: x\n"
#define TASK(id, depends, paths, mode)                                       \
	"- [ ] " id " Do " id "\n  Depends: [" depends "]\n  Paths: [" paths \
	"]\n  Mode: " mode "\n"

#define LIST                                                                   \
	TASK("DOMAIN-01", "", "src/domain/", "write")                          \
	REST TASK("API-01", "DOMAIN-01", "src/api, tests", "write") REST TASK( \
		"API-02", "DOMAIN-01", "src/api/v2",                           \
		"write") REST TASK("DOC-01", "", ".",                          \
		"read") REST TASK("SHIP-01", "API-01, API-02", "dist",         \
		"write") "  Approval: required\n" REST TASK("PROOF-01", "",    \
		"dist/p", "read") "  Isolation: auto\n  Acceptance: x\n"       \
				  "  Check: missing validation evidence\n"

static void
assert_shown(struct str list, bool json, const char *want)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct planview v;
	struct plan p;

	if (tasks_parse(list, &mem, &p, &report, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	planview_init(&v, &p);
	if (json)
		planview_json(&v, &report, &w);
	else
		planview_text(&v, &report, STR("tasks.md"), &out);
	assert_string_equal(out.data, want);
	planview_release(&v);
	plan_release(&p);
	buf_release(&out);
	arena_reset(&mem);
}

static void
a_plan_is_shown_as_text(void **state)
{
	(void)state;
	assert_shown(STR(LIST), false,
		"good: 6 tasks in 5 waves, at most 2 at once, critical path 3\n"
		"no two tasks may write at once: one slot (-j 1) is enough for "
		"them\n"
		"\n"
		"wave 1\n"
		"  DOMAIN-01  Do DOMAIN-01  (write src/domain)\n"
		"  PROOF-01  Do PROOF-01  (read dist/p)\n"
		"\n"
		"wave 2\n"
		"  API-01  Do API-01  (write src/api, tests)\n"
		"\n"
		"wave 3\n"
		"  API-02  Do API-02  (write src/api/v2)\n"
		"\n"
		"wave 4\n"
		"  DOC-01  Do DOC-01  (read .)\n"
		"\n"
		"wave 5\n"
		"  SHIP-01  Do SHIP-01  (write dist)\n"
		"\n"
		"critical path, 3 long: DOMAIN-01 -> API-01 -> SHIP-01\n"
		"\n"
		"conflicts\n"
		"  wave 1: DOC-01 waits for DOMAIN-01: . overlaps src/domain\n"
		"  wave 2: API-02 waits for API-01: src/api/v2 overlaps src/api"
		"\n"
		"  wave 4: SHIP-01 waits for DOC-01: dist overlaps .\n"
		"\n"
		"gates that can't pass\n"
		"  PROOF-01 (line 37): missing validation evidence\n"
		"\n"
		"waits for a human\n"
		"  SHIP-01 (line 29): approval required\n"
		"\n"
		"warnings\n"
		"tasks.md:43:10: this gate can't pass: its check is 'missing va"
		"lidation evidence'\n"
		"  hint: name a command that shows the acceptance\n");
}

static void
a_plan_is_shown_as_json(void **state)
{
	(void)state;
	assert_shown(STR(LIST), true,
		"{\"tasks\":6,\"edges\":4,\"waves\":[[\"DOMAIN-01\",\"PROOF-01"
		"\"],[\"API-01\"],[\"API-02\"],[\"DOC-01\"],[\"SHIP-01\"]],\"cr"
		"itical_path\":[\"DOMAIN-01\",\"API-01\",\"SHIP-01\"],\"executi"
		"on\":\"single_writer\",\"conflicts\":[{\"wave\":1,\"node\":\"D"
		"OC-01\",\"path\":\".\",\"other\":\"DOMAIN-01\",\"other_path\":"
		"\"src/domain\"},{\"wave\":2,\"node\":\"API-02\",\"path\":\"src"
		"/api/v2\",\"other\":\"API-01\",\"other_path\":\"src/api\"},{\""
		"wave\":4,\"node\":\"SHIP-01\",\"path\":\"dist\",\"other\":\"DO"
		"C-01\",\"other_path\":\".\"}],\"gates\":[{\"node\":\"SHIP-01\""
		",\"line\":29,\"reason\":\"approval required\"},{\"node\":\"PRO"
		"OF-01\",\"line\":37,\"reason\":\"missing validation evidence\""
		"}],\"warnings\":[{\"line\":43,\"column\":10,\"code\":\"invalid"
		"_check\",\"message\":\"this gate can't pass: its check is 'mis"
		"sing validation evidence'\",\"hint\":\"name a command that sho"
		"ws the acceptance\"}]}");
}

static void
controls_in_names_are_made_visible(void **state)
{
	(void)state;
	assert_shown(STR(TASK("A", "", "caf\xc3\xa9\xe2\x80\xae", "read") REST),
		false,
		"good: 1 task in 1 wave, at most 1 at once, critical path 1\n"
		"\n"
		"wave 1\n"
		"  A  Do A  (read caf\xc3\xa9\\u202e)\n"
		"\n"
		"critical path, 1 long: A\n");
}

static void
findings_are_shown_with_places_and_hints(void **state)
{
	struct arena mem = ARENA_INIT;
	struct findings f;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	(void)state;
	findings_init(&f, &mem, STR("ab\ncd\n"));
	findings_add(&f, 4, ERR_INVALID_TASKS, STR("bad \x1b d"), STR("no d"));
	findings_add(&f, 0, ERR_CYCLE, STR("a"), (struct str){ 0 });
	findings_sort(&f);
	f.dropped = 2;
	planview_findings_text(&f, STR("x.md"), &out);
	assert_string_equal(out.data,
		"x.md:1:1: a\nx.md:2:2: bad \\x1b d\n  hint: no d\n"
		"and 2 more\n");
	buf_clear(&out);
	planview_findings_json(&f, &w);
	assert_string_equal(out.data,
		"[{\"line\":1,\"column\":1,\"code\":\"cycle\",\"message\":"
		"\"a\"},{\"line\":2,\"column\":2,\"code\":\"invalid_tasks\","
		"\"message\":\"bad \\u001b d\",\"hint\":\"no d\"}]");
	buf_release(&out);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plan_is_shown_as_text),
		cmocka_unit_test(a_plan_is_shown_as_json),
		cmocka_unit_test(controls_in_names_are_made_visible),
		cmocka_unit_test(findings_are_shown_with_places_and_hints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
