#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

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
		    "  Check: python3 -m unittest\n"
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
		"\"check\":\"python3 -m unittest 'tests.test_api'\","
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

struct refusal {
	struct str text;
	const char *want;
};

#define BOX(id) "- [ ] " id " Title of it\n"
#define HEAD(id) BOX(id) "  Depends: []\n  Paths: [src/" id "]\n"
/* A task whose last line is the case. */
#define WITH(line) HEAD("A") REST line
#define CASE(text, want)                            \
	{                                           \
		{ "" text, sizeof(text) - 1 }, want \
	}

static void
assert_refusals(const struct refusal *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct arena mem = ARENA_INIT;
		struct str got = outcome(cases[i].text, &mem);

		if (!str_eq(got, str_from(cases[i].want)))
			fail_msg("case %zu: wanted\n%sgot\n%s", i,
				cases[i].want, got.ptr);
		arena_reset(&mem);
	}
}

#define ASSERT_REFUSALS(cases) \
	assert_refusals((cases), sizeof(cases) / sizeof((cases)[0]))

static void
lists_without_tasks_are_refused(void **state)
{
	static const char none[] = "1:1 invalid_tasks: no task in the list "
				   "[a task starts at a box: - [ ] ID Title]\n";
	static const struct refusal cases[] = {
		CASE("", none),
		CASE("\n", none),
		CASE("# Only\n\nprose\n- a list\n1. [ ] numbered\n", none),
		CASE("```\n" TASK("A") "```\n", none),
		CASE("~~~~ md\n" TASK("A") "~~~\n```\n~~~~~\n", none),
		CASE("\xef\xbb\xbf", none),
	};

	(void)state;
	ASSERT_REFUSALS(cases);
}

static void
boxes_are_refused_at_their_place(void **state)
{
	static const struct refusal cases[] = {
		CASE("- [ ]\n  Depends: []\n  Paths: [src/A]\n" REST,
			"1:6 invalid_id: box without an id and a title "
			"[- [ ] ID Title]\n"),
		CASE("- [ ] A\n  Depends: []\n  Paths: [src/A]\n" REST,
			"1:8 invalid_tasks: task 'A' has no title "
			"[- [ ] ID Title]\n"),
		CASE("- [ ] ../x Title\n  Depends: []\n  Paths: [a]\n" REST,
			"1:7 invalid_id: id '../x' has a '.', '_' or '-' that "
			"is not between letters or digits [letters and "
			"digits, joined by single '.', '_' or '-', such as "
			"API-01]\n"),
		CASE("- [ ] A: Title\n  Depends: []\n  Paths: [a]\n" REST,
			"1:7 invalid_id: id 'A:' has a character other than "
			"letters, digits, '.', '_' and '-' [letters and "
			"digits, joined by single '.', '_' or '-', such as "
			"API-01]\n"),
		CASE("- [ ] A T\x1b[1m\n  Depends: []\n  Paths: [a]\n" REST,
			"1:10 invalid_tasks: title has a control character "
			"(0x1b)\n"),
		CASE("- [] A Title\n",
			"1:1 invalid_tasks: not quite a box: '- [] A Title' "
			"[- [ ] ID Title]\n"),
		CASE(TASK("B") "- [  ] A Title\n",
			"8:1 invalid_tasks: not quite a box: "
			"'- [  ] A Title' [- [ ] ID Title]\n"),
		CASE(TASK("B") "-[ ] A Title\n",
			"8:1 invalid_tasks: not quite a box: '-[ ] A Title' "
			"[- [ ] ID Title]\n"),
		CASE(TASK("B") "* [x]A Title\n",
			"8:1 invalid_tasks: not quite a box: '* [x]A Title' "
			"[- [ ] ID Title]\n"),
		CASE(TASK("A") TASK("B") TASK("A"),
			"15:7 invalid_tasks: id 'A' is already taken by the "
			"task in line 1 [give one of them another id]\n"),
		CASE(TASK("aPi") TASK("Api"),
			"8:7 invalid_tasks: id 'Api' differs only in case "
			"from 'aPi' in line 1 [give one of them another id]\n"),
		CASE(TASK("A") "\n```sh\n" TASK("B"),
			"9:1 invalid_tasks: code fence that is not closed "
			"[tasks in it would not be seen]\n"),
	};

	(void)state;
	ASSERT_REFUSALS(cases);
}

static void
missing_and_strange_fields_are_refused(void **state)
{
	static const struct refusal cases[] = {
		CASE("# x\n\n- [ ] A Title\n",
			"3:1 invalid_tasks: task 'A' lacks Depends, Paths, "
			"Mode, Isolation, Acceptance, Check "
			"[pawl plan LIST --fill adds what is missing]\n"),
		CASE(HEAD("A") "  Mode: read\n  Isolation: auto\n"
			       "  Acceptance: x\n    Check: true\n",
			"1:1 invalid_tasks: task 'A' lacks Check [the line "
			"'Check:' is deeper than the field before it and so "
			"continues that one; pawl plan LIST --fill adds what "
			"is missing]\n"),
		CASE(WITH("  Mode: read\n"),
			"8:3 invalid_tasks: field 'Mode' stands there "
			"twice\n"),
		CASE(WITH("  Context: a\n  Context: b\n"),
			"9:3 invalid_tasks: field 'Context' stands there "
			"twice\n"),
		CASE(WITH("  Pathes: [a]\n"),
			"8:3 invalid_tasks: unknown field 'Pathes' "
			"[did you mean 'Paths'?]\n"),
		CASE(WITH("  - priority: 1\n"),
			"8:5 invalid_tasks: unknown field 'priority' "
			"[did you mean 'Priority'?]\n"),
		CASE(WITH("\n  some prose\n"),
			"9:3 invalid_tasks: not a field of the task: 'some "
			"prose' [indent it deeper than the field before it to "
			"continue that, or not at all to end the task]\n"),
		CASE(WITH("  Chek make\n"),
			"8:3 invalid_tasks: not a field of the task: 'Chek "
			"make' [did you mean 'Check: '?]\n"),
		CASE(WITH("  ```\n  - [ ] B x\n  ```\n  Red: true\n"),
			"8:3 invalid_tasks: not a field of the task: '```' "
			"[indent it deeper than the field before it to "
			"continue that, or not at all to end the task]\n"),
		CASE(WITH("\n    after a blank\n"),
			"9:5 invalid_tasks: not a field of the task: 'after a "
			"blank' [indent it deeper than the field before it to "
			"continue that, or not at all to end the task]\n"),
	};

	(void)state;
	ASSERT_REFUSALS(cases);
}

static const struct refusal bad_values[] = {
	CASE(BOX("A") "  Depends:\n  Paths: [a]\n" REST,
		"2:11 invalid_tasks: Depends has no value "
		"[[] is no dependency]\n"),
	CASE(BOX("A") "  Depends: A\n  Paths: [a]\n" REST,
		"2:12 invalid_tasks: no list; '[' is wanted [such as "
		"[] or [API-01, API-02]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: []\n" REST,
		"3:10 invalid_tasks: Paths is empty [[.] is the whole "
		"repository]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a,, b]\n" REST,
		"3:13 invalid_tasks: an empty item [such as "
		"[src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a, ]\n" REST,
		"3:14 invalid_tasks: an empty item [such as "
		"[src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a\n" REST,
		"3:12 invalid_tasks: a list that is not closed by "
		"']' [such as [src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a] b\n" REST,
		"3:14 invalid_tasks: text after the ']' of a list "
		"[such as [src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: ['a]\n" REST,
		"3:11 invalid_tasks: a quote that is not closed "
		"[such as [src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: ['a'b]\n" REST,
		"3:14 invalid_tasks: text after a quoted item; ',' or "
		"']' is wanted [such as [src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a, ./a/]\n" REST,
		"3:14 invalid_tasks: path './a/' stands there "
		"twice\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [x, src/*.c]\n" REST,
		"3:14 invalid_path: path 'src/*.c' has a glob "
		"character; a path covers all that is below it "
		"[src]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [/x, ../y]\n" REST,
		"3:11 invalid_path: path '/x' is absolute [x]\n"
		"3:15 invalid_path: path '../y' has a '..' segment\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [a/[id]/x]\n" REST,
		"3:11 invalid_path: path 'a/[id' has a glob "
		"character; a path covers all that is below it [a]\n"
		"3:17 invalid_tasks: text after the ']' of a list "
		"[such as [src/api/, tests/api.py]]\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: TODO\n" REST,
		"3:10 invalid_tasks: Paths is still TODO\n"),
	CASE(BOX("A") "  Depends: []\n  Paths: [TODO]\n" REST,
		"3:11 invalid_tasks: an item is still TODO [such as "
		"[src/api/, tests/api.py]]\n"),
	CASE(HEAD("A") "  Mode: both\n  Isolation: none\n"
		       "  Acceptance: TODO\n  Check: a | b\n",
		"4:9 invalid_tasks: Mode cannot be 'both' [read or "
		"write]\n"
		"5:14 invalid_tasks: Isolation cannot be 'none' [auto "
		"or worktree]\n"
		"6:15 invalid_tasks: Acceptance is still TODO\n"
		"7:12 invalid_check: check needs a shell for '|'; "
		"checks are run without one [put the command line "
		"into a script of the repository]\n"),
	CASE(HEAD("A") "  Mode: read\n  Isolation: auto\n"
		       "  Acceptance: a\x01\n  Check: x 'y\n    z\n",
		"6:16 invalid_tasks: Acceptance has a control "
		"character (0x01)\n"
		"7:12 invalid_check: check has a quote that is not "
		"closed [put the command line into a script of the "
		"repository]\n"),
	CASE(HEAD("A") "  Mode: read\n  Isolation: auto\n"
		       "  Acceptance: a\n  Check: x   \n\t  y\n"
		       "      z $HOME\n",
		"9:9 invalid_check: check needs a shell for '$'; "
		"checks are run without one [put the command line "
		"into a script of the repository]\n"),
	CASE(WITH("  Timeout: 1d\n"),
		"8:12 invalid_tasks: '1d' is not a duration such as "
		"90s, 15m or 3h, at most 604800000 ms [such as 90s, "
		"15m or 3h]\n"),
	CASE(WITH("  Check-Timeout: 61m\n"),
		"8:18 invalid_tasks: '61m' is not a duration such as "
		"90s, 15m or 3h, at most 3600000 ms [such as 90s, 15m "
		"or 3h]\n"),
	CASE(WITH("  Priority: high\n"),
		"8:13 invalid_tasks: Priority 'high' is not a number "
		"from -1000000 to 1000000 [higher goes first; 0 is "
		"the default]\n"),
	CASE(WITH("  Priority: 1000001\n"),
		"8:13 invalid_tasks: Priority '1000001' is not a "
		"number from -1000000 to 1000000 [higher goes first; "
		"0 is the default]\n"),
	CASE(WITH("  Labels: [a, b, a]\n"),
		"8:18 invalid_tasks: 'a' stands there twice\n"),
	CASE(WITH("  Red: yes\n"),
		"8:8 invalid_tasks: Red cannot be 'yes' [true or "
		"false]\n"),
	CASE(WITH("  Approval: maybe\n"),
		"8:13 invalid_tasks: Approval cannot be 'maybe' "
		"[required, or required [NAME, …]]\n"),
	CASE(WITH("  Approval: required []\n"),
		"8:22 invalid_tasks: nobody is on the list of "
		"approvers, so the gate could never pass [name an "
		"approver, or leave the list out]\n"),
	CASE(WITH("  Approval: required [\n"),
		"8:23 invalid_tasks: a list that is not closed by "
		"']' [such as [one, two]]\n"),
	CASE(WITH("  Access: read-only\n"),
		"8:11 invalid_tasks: Access cannot be 'read-only' "
		"[external-write or destructive; Mode says the "
		"rest]\n"),
	CASE(WITH("  Needs: gpu:0\n"),
		"8:10 invalid_tasks: 'gpu:0' has no amount [such as gpu or "
		"gpu:2]\n"),
	CASE(WITH("  Needs: [gpu, gpu:2]\n"),
		"8:16 invalid_tasks: 'gpu:2' stands there twice\n"),
	CASE(WITH("  Agent: a/b\n"),
		"8:10 invalid_id: id 'a/b' has a character other than "
		"letters, digits, '.', '_' and '-' [letters and "
		"digits, joined by single '.', '_' or '-', such as "
		"API-01]\n"),
	/* Columns count characters. */
	CASE(BOX("A") "  Depends: []\n  Paths: [\xc3\xa9\xc3\xa9, "
		      "/x]\n" REST,
		"3:15 invalid_path: path '/x' is absolute [x]\n"),
};

static void
values_are_refused_at_their_place(void **state)
{
	(void)state;
	ASSERT_REFUSALS(bad_values);
}

#define ON(id, depends) \
	BOX(id) "  Depends: [" depends "]\n  Paths: [src/" id "]\n" REST

/* C077, C080, C081 */
static void
dependencies_are_refused_at_their_place(void **state)
{
	static const struct refusal cases[] = {
		CASE(ON("A", "A"),
			"2:13 cycle: 'A' depends on itself [leave it out]\n"),
		CASE(ON("A", "B, B") TASK("B"),
			"2:16 invalid_tasks: 'B' stands there twice [leave it "
			"out]\n"),
		CASE(ON("A", "B2") TASK("B1"),
			"2:13 unknown_dependency: no task 'B2' [did you mean "
			"'B1'?]\n"),
		CASE(ON("A", "b1") TASK("B1"),
			"2:13 unknown_dependency: no task 'b1' [did you mean "
			"'B1'?]\n"),
		CASE(ON("A", "Nothing") TASK("B1"),
			"2:13 unknown_dependency: no task 'Nothing'\n"),
		CASE(ON("A", "a/b"),
			"2:13 invalid_id: id 'a/b' has a character other than "
			"letters, digits, '.', '_' and '-' [letters and "
			"digits, joined by single '.', '_' or '-', such as "
			"API-01]\n"),
		CASE(ON("A", "B") ON("B", "A"),
			"2:13 cycle: dependencies in a circle: A -> B -> A "
			"[take one of these dependencies out]\n"),
		CASE(TASK("Z") ON("C", "Z, A") ON("A", "Z, B") ON("B", "C")
				ON("D", "D, C"),
			"9:16 cycle: dependencies in a circle: C -> A -> B -> "
			"C [take one of these dependencies out]\n"
			"30:13 cycle: 'D' depends on itself [leave it "
			"out]\n"),
		CASE(ON("A", "B") ON("B", "A") ON("X", "Y, A") ON("Y", "X"),
			"2:13 cycle: dependencies in a circle: A -> B -> A "
			"[take one of these dependencies out]\n"
			"16:13 cycle: dependencies in a circle: X -> Y -> X "
			"[take one of these dependencies out]\n"),
	};

	(void)state;
	ASSERT_REFUSALS(cases);
}

/* C113 */
static void
other_encodings_are_named(void **state)
{
	static const struct refusal cases[] = {
		CASE("\xff\xfe-\0 \0",
			"1:1 invalid_tasks: the list is UTF-16 [iconv -f "
			"UTF-16 -t UTF-8 LIST]\n"),
		CASE("\xfe\xff\0-\0 ",
			"1:1 invalid_tasks: the list is UTF-16 [iconv -f "
			"UTF-16 -t UTF-8 LIST]\n"),
		CASE("-\0 \0[\0",
			"1:1 invalid_tasks: the list is UTF-16 [iconv -f "
			"UTF-16 -t UTF-8 LIST]\n"),
		CASE("\0-\0 \0[",
			"1:1 invalid_tasks: the list is UTF-16 [iconv -f "
			"UTF-16 -t UTF-8 LIST]\n"),
		CASE("\xff\xfe\0\0-\0\0\0",
			"1:1 invalid_tasks: the list is UTF-32 [iconv -f "
			"UTF-32 -t UTF-8 LIST]\n"),
		CASE(TASK("A") "long enough to be a word \0 x",
			"8:26 invalid_tasks: NUL byte [save the list as UTF-8 "
			"text]\n"),
		CASE(TASK("A") "\xc3\xa9\xe9 x",
			"8:2 invalid_tasks: not UTF-8: byte 0xe9 [save the "
			"list as UTF-8 text]\n"),
		CASE("\xed\xa0\x80",
			"1:1 invalid_tasks: not UTF-8: byte 0xed [save the "
			"list as UTF-8 text]\n"),
	};

	(void)state;
	ASSERT_REFUSALS(cases);
}

/* `text` with each LF replaced. */
static struct str
with_ends(struct str text, struct str end, struct arena *mem)
{
	struct buf b = { 0 };
	struct str s;

	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n')
			buf_add(&b, end);
		else
			buf_addc(&b, text.ptr[i]);
	}
	s = arena_copy(mem, buf_str(&b));
	buf_release(&b);
	return s;
}

#define MIXED                                                                \
	"# H\n\nprose\n\n- [ ] A Title of it\n  Depends: [B,\n     C]\n"     \
	"  Paths: [\"a, b\", c/]\n  Mode: write\n  Isolation: auto\n"        \
	"  Acceptance:\n     first\n      second\n  Check: make\n      -k\n" \
	"\n" TASK("B") "\n```\n- [ ] X x\n```\n" TASK("C")

/* C113 */
static void
line_ends_blanks_and_marks_make_no_difference(void **state)
{
	static const struct str ends[] = { { "\r\n", 2 }, { "\r", 1 },
		{ "  \n", 3 }, { "\t\n", 2 }, { " \t\r\n", 4 } };
	struct arena mem = ARENA_INIT;
	struct str text = STR(MIXED);
	struct str want = outcome(text, &mem);

	(void)state;
	assert_true(str_starts(want, STR("{\"id\":\"A\"")));
	assert_non_null(strstr(want.ptr, "\"first second\""));
	assert_non_null(strstr(want.ptr, "\"make -k\""));
	assert_non_null(strstr(want.ptr, "[\"a, b\",\"c/\"]"));
	assert_non_null(strstr(want.ptr, "[\"B\",\"C\"]"));
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct str other = with_ends(text, ends[i], &mem);

		assert_true(str_eq(outcome(other, &mem), want));
		other = str_trim(other);
		assert_true(str_eq(outcome(other, &mem), want));
	}
	assert_true(str_eq(outcome(STR("\xef\xbb\xbf" MIXED), &mem), want));
	assert_true(str_eq(outcome(str_trim(text), &mem), want));
	arena_reset(&mem);
}

static void
places_are_the_same_for_all_line_ends(void **state)
{
	static const struct str ends[] = { { "\r\n", 2 }, { "\r", 1 } };
	struct arena mem = ARENA_INIT;
	struct str text = STR(MIXED "  Mode: write\n  x\n- [] y\n");
	struct str want = outcome(text, &mem);

	(void)state;
	assert_true(str_starts(want, STR("35:3 invalid_tasks: field")));
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		assert_true(str_eq(
			outcome(with_ends(text, ends[i], &mem), &mem), want));
	arena_reset(&mem);
}

static void
tabs_indent_as_blanks_do(void **state)
{
	struct arena mem = ARENA_INIT;
	struct str want = outcome(STR(TASK("A")), &mem);

	(void)state;
	assert_true(
		str_eq(outcome(STR("-\t[ ]\tA\tTitle of it\n\tDepends:\t[]\n"
				   "\tPaths: [src/A]\n\tMode: write\n"
				   "\t- Isolation: auto\n    Acceptance: It\n"
				   " \t  works.\n\tCheck: make test\n"),
			       &mem),
			want));
	arena_reset(&mem);
}

static void
boxes_may_be_nested_and_end_at_headings(void **state)
{
	struct arena mem = ARENA_INIT;
	struct str want = outcome(STR(TASK("A") TASK("B")), &mem);

	(void)state;
	assert_true(
		str_eq(outcome(STR("+ [X] A Title of it\n"
				   "  Depends: []\n  Paths: [src/A]\n" REST
				   "## heading\n  anything: here\n"
				   "    * [x] B Title of it\n"
				   "      Depends: []\n      Paths: [src/B]\n"
				   "      Mode: Write\n      Isolation: AUTO\n"
				   "      Acceptance: It works.\n"
				   "      Check: make test\n"
				   "prose ends it\n  Not-a-field: x\n"
				   "- [link](x) and - [x](y)\n- [x]: ref\n"),
			       &mem),
			want));
	arena_reset(&mem);
}

/* C080: a task waits for those that it names. */
static void
the_graph_has_one_direction(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;

	(void)state;
	assert_int_equal(tasks_parse(STR(ON("A", "C, B") ON("B", "C") TASK("C")
						     TASK("D")),
				 &mem, &p, &report, &err),
		PAWL_OK);
	assert_int_equal(p.count, 4);
	assert_int_equal(p.edge_count, 3);
	assert_int_equal(p.nodes[0].depends_count, 2);
	assert_int_equal(p.depends[0], 2);
	assert_int_equal(p.depends[1], 1);
	assert_int_equal(p.nodes[2].dependants_count, 2);
	assert_int_equal(p.dependants[p.nodes[2].dependants_at], 0);
	assert_int_equal(p.dependants[p.nodes[2].dependants_at + 1], 1);
	assert_int_equal(p.order[0], 2);
	assert_int_equal(p.order[1], 3);
	assert_int_equal(p.order[2], 1);
	assert_int_equal(p.order[3], 0);
	assert_int_equal(p.nodes[0].path_length, 1);
	assert_int_equal(p.nodes[1].path_length, 2);
	assert_int_equal(p.nodes[2].path_length, 3);
	assert_int_equal(p.nodes[3].path_length, 1);
	plan_release(&p);
	arena_reset(&mem);
}

static void
nodes_are_found_by_id_and_by_prefix(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;
	uint32_t n = 77;

	(void)state;
	assert_int_equal(tasks_parse(STR(TASK("API-01") TASK("API-02")
						     TASK("DB-01") TASK("DB")),
				 &mem, &p, &report, &err),
		PAWL_OK);
	assert_true(plan_find(&p, STR("DB-01"), &n));
	assert_int_equal(n, 2);
	assert_false(plan_find(&p, STR("db-01"), &n));
	assert_false(plan_find(&p, STR("DB-0"), &n));
	assert_int_equal(plan_find_prefix(&p, STR("DB"), &n, &err), PAWL_OK);
	assert_int_equal(n, 3);
	assert_int_equal(
		plan_find_prefix(&p, STR("API"), &n, &err), PAWL_ECONFLICT);
	assert_int_equal(err.code, ERR_AMBIGUOUS_ID);
	assert_int_equal(
		plan_find_prefix(&p, STR("AP"), &n, &err), PAWL_ENOENT);
	assert_int_equal(err.code, ERR_NODE_NOT_FOUND);
	assert_int_equal(n, 3);
	plan_release(&p);
	arena_reset(&mem);
}

static void
the_sentinel_check_is_a_warning(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;

	(void)state;
	assert_int_equal(
		tasks_parse(STR(HEAD("A") "  Mode: read\n  Isolation: auto\n"
					  "  Acceptance: x\n"
					  "  Check: missing validation\n"
					  "     evidence\n" TASK("B")),
			&mem, &p, &report, &err),
		PAWL_OK);
	assert_int_equal(p.nodes[0].sentinel, 1);
	assert_int_equal(p.nodes[1].sentinel, 0);
	assert_string_equal(findings_text(&report.warnings, &mem).ptr,
		"7:10 invalid_check: this gate can't pass: its check is "
		"'missing validation evidence' [name a command that shows the "
		"acceptance]\n");
	plan_release(&p);
	arena_reset(&mem);
}

static void
a_check_is_given_as_arguments(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;
	char **argv;

	(void)state;
	assert_int_equal(
		tasks_parse(STR(TASK("A")), &mem, &p, &report, &err), PAWL_OK);
	assert_int_equal(plan_check_argv(&p, 0, &mem, &argv, &err), PAWL_OK);
	assert_string_equal(argv[0], "make");
	assert_string_equal(argv[1], "test");
	assert_null(argv[2]);
	plan_release(&p);
	arena_reset(&mem);
}

static void
findings_beyond_the_bound_are_counted(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;

	(void)state;
	for (unsigned i = 0; i < FINDINGS_MAX + 3; i++)
		buf_addf(&b, "- [ ] T%u x\n", i);
	assert_int_equal(
		tasks_parse(buf_str(&b), &mem, &p, &report, &err), PAWL_ENO);
	assert_int_equal(report.errors.count, FINDINGS_MAX);
	assert_int_equal(report.errors.dropped, 3);
	assert_int_equal(report.errors.items[99].line, 100);
	assert_int_equal(err.code, ERR_INVALID_TASKS);
	assert_non_null(strstr(err.msg, "1:1: task 'T0' lacks"));
	assert_non_null(strstr(err.msg, "(and 102 more)"));
	buf_release(&b);
	arena_reset(&mem);
}

/* A task whose title, acceptance and so on have `len` bytes. */
static bool
is_taken(const char *before, size_t len, const char *after)
{
	struct arena mem = ARENA_INIT;
	struct buf b = { 0 };
	struct str got;
	bool taken;

	buf_add(&b, str_from(before));
	for (size_t i = 0; i < len; i++)
		buf_addc(&b, 'a');
	buf_add(&b, str_from(after));
	got = outcome(buf_str(&b), &mem);
	taken = str_starts(got, STR("{"));
	if (!taken)
		assert_non_null(strstr(got.ptr, " limit: "));
	buf_release(&b);
	arena_reset(&mem);
	return taken;
}

static void
texts_are_bounded(void **state)
{
	static const struct {
		const char *before;
		size_t bound;
		const char *after;
	} cases[] = {
		{ "- [ ] A ", BOUND_TITLE_BYTES,
			"\n  Depends: []\n  Paths: [a]\n" REST },
		{ HEAD("A") "  Mode: read\n  Isolation: auto\n  Check: x\n"
			    "  Acceptance: ",
			BOUND_TEXT_BYTES, "" },
		{ HEAD("A") "  Mode: read\n  Isolation: auto\n"
			    "  Acceptance: x\n  Check: ",
			BOUND_CHECK_BYTES, "\n" },
		{ WITH("  Context: "), BOUND_TEXT_BYTES, "" },
		{ WITH("  Visual: "), BOUND_TEXT_BYTES, "" },
		{ BOX("A") "  Depends: []\n  Paths: [", BOUND_PATH_BYTES,
			"]\n" REST },
		/* Joined, the line ends and blanks count as one. */
		{ WITH("  Context: x\n                    "),
			BOUND_TEXT_BYTES - 2, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(is_taken(
			cases[i].before, cases[i].bound - 1, cases[i].after));
		assert_true(is_taken(
			cases[i].before, cases[i].bound, cases[i].after));
		assert_false(is_taken(
			cases[i].before, cases[i].bound + 1, cases[i].after));
	}
}

/* A list field with `count` items p0, p1, … */
static bool
is_list_taken(const char *before, unsigned count, const char *after)
{
	struct arena mem = ARENA_INIT;
	struct buf b = { 0 };
	struct str got;
	bool taken;

	buf_add(&b, str_from(before));
	for (unsigned i = 0; i < count; i++)
		buf_addf(&b, "%sp%u", i > 0 ? "," : "", i);
	buf_add(&b, str_from(after));
	got = outcome(buf_str(&b), &mem);
	taken = str_starts(got, STR("{"));
	if (!taken)
		assert_non_null(strstr(got.ptr, " limit: "));
	buf_release(&b);
	arena_reset(&mem);
	return taken;
}

static void
lists_are_bounded(void **state)
{
	static const struct {
		const char *before;
		unsigned bound;
		const char *after;
	} cases[] = {
		{ BOX("A") "  Depends: []\n  Paths: [", BOUND_SCOPES,
			"]\n" REST },
		{ WITH("  Labels: ["), BOUND_NAMES, "]\n" },
		{ WITH("  Needs: ["), BOUND_NAMES, "]\n" },
		{ WITH("  Approval: required ["), BOUND_NAMES, "]\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_true(is_list_taken(
			cases[i].before, cases[i].bound - 1, cases[i].after));
		assert_true(is_list_taken(
			cases[i].before, cases[i].bound, cases[i].after));
		assert_false(is_list_taken(
			cases[i].before, cases[i].bound + 1, cases[i].after));
	}
}

static bool
are_depends_taken(unsigned count)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;
	bool taken;

	buf_add(&b, STR(BOX("A") "  Paths: [a]\n" REST "  Depends: ["));
	for (unsigned i = 0; i < count; i++)
		buf_addf(&b, "%sp%u", i > 0 ? "," : "", i);
	buf_add(&b, STR("]\n"));
	for (unsigned i = 0; i < count; i++)
		buf_addf(&b, "- [ ] p%u x\n  Depends: []\n  Paths: [p]\n" REST,
			i);
	taken = tasks_parse(buf_str(&b), &mem, &p, &report, &err) == PAWL_OK;
	if (taken)
		plan_release(&p);
	else
		assert_int_equal(err.code, ERR_LIMIT);
	buf_release(&b);
	arena_reset(&mem);
	return taken;
}

static void
dependencies_are_bounded(void **state)
{
	(void)state;
	assert_true(are_depends_taken(BOUND_DEPENDS));
	assert_false(are_depends_taken(BOUND_DEPENDS + 1));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_task_is_read),
		cmocka_unit_test(lists_without_tasks_are_refused),
		cmocka_unit_test(boxes_are_refused_at_their_place),
		cmocka_unit_test(missing_and_strange_fields_are_refused),
		cmocka_unit_test(values_are_refused_at_their_place),
		cmocka_unit_test(dependencies_are_refused_at_their_place),
		cmocka_unit_test(other_encodings_are_named),
		cmocka_unit_test(line_ends_blanks_and_marks_make_no_difference),
		cmocka_unit_test(places_are_the_same_for_all_line_ends),
		cmocka_unit_test(tabs_indent_as_blanks_do),
		cmocka_unit_test(boxes_may_be_nested_and_end_at_headings),
		cmocka_unit_test(the_graph_has_one_direction),
		cmocka_unit_test(nodes_are_found_by_id_and_by_prefix),
		cmocka_unit_test(the_sentinel_check_is_a_warning),
		cmocka_unit_test(a_check_is_given_as_arguments),
		cmocka_unit_test(findings_beyond_the_bound_are_counted),
		cmocka_unit_test(texts_are_bounded),
		cmocka_unit_test(lists_are_bounded),
		cmocka_unit_test(dependencies_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
