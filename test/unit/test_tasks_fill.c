#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "model/tasks_fill.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define FIVE                                                          \
	"  Paths: [a]\n  Mode: read\n  Isolation: auto\n  Check: x\n" \
	"  Acceptance: y\n"

static const struct {
	struct str in, out;
} fillings[] = {
#define CASE(in, out)                        \
	{                                    \
		{ in, sizeof(in) - 1 },      \
		{                            \
			out, sizeof(out) - 1 \
		}                            \
	}
	CASE("- [ ] A Title\n",
		"- [ ] A Title\n  Depends: []\n  Paths: TODO\n"
		"  Mode: write\n  Isolation: TODO\n"
		"  Acceptance: TODO\n  Check: TODO\n"),
	CASE("- [ ] A Title",
		"- [ ] A Title\n  Depends: []\n  Paths: TODO\n"
		"  Mode: write\n  Isolation: TODO\n"
		"  Acceptance: TODO\n  Check: TODO"),
	/* Before blank lines, prose and the next box. */
	CASE("# H\n\n- [x] A T\n" FIVE "\n\nprose\n\n  * [ ] B T\n"
	     "    Depends: []\n  " FIVE,
		"# H\n\n- [x] A T\n" FIVE
		"  Depends: []\n\n\nprose\n\n  * [ ] B T\n"
		"    Depends: []\n  " FIVE),
	/* Indented as the last field. */
	CASE("- [ ] A T\n\t- Paths: [a]\n\t- Mode: read\n"
	     "\t- Isolation: auto\n\t- Acceptance: x\n\t    more\n",
		"- [ ] A T\n\t- Paths: [a]\n\t- Mode: read\n"
		"\t- Isolation: auto\n\t- Acceptance: x\n\t    more\n"
		"\tDepends: []\n\tCheck: TODO\n"),
	CASE("  - [ ] A T\n",
		"  - [ ] A T\n    Depends: []\n    Paths: TODO\n"
		"    Mode: write\n    Isolation: TODO\n"
		"    Acceptance: TODO\n    Check: TODO\n"),
	/* Line ends and a mark stay. */
	CASE("\xef\xbb\xbf- [ ] A T\r\n  Paths: [a]\r\n"
	     "  Mode: read\r\n  Isolation: auto\r\n  Check: x\r\n",
		"\xef\xbb\xbf- [ ] A T\r\n  Paths: [a]\r\n"
		"  Mode: read\r\n  Isolation: auto\r\n  Check: x\r\n"
		"  Depends: []\r\n  Acceptance: TODO\r\n"),
	CASE("- [ ] A T\r  Paths: [a]\r  Mode: read\r"
	     "  Isolation: auto\r  Check: x\r# H\r",
		"- [ ] A T\r  Paths: [a]\r  Mode: read\r"
		"  Isolation: auto\r  Check: x\r  Depends: []\r"
		"  Acceptance: TODO\r# H\r"),
	/* Nothing to add. */
	CASE("- [ ] A T\n  Depends: []\n" FIVE "\n",
		"- [ ] A T\n  Depends: []\n" FIVE "\n"),
	CASE("", ""),
	CASE("prose\n```\n- [ ] A T\n```\n", "prose\n```\n- [ ] A T\n```\n"),
	/* A fence that stays open hides what stands behind it. */
	CASE("- [ ] A T\n  ```\n- [ ] B T\n", "- [ ] A T\n  ```\n- [ ] B T\n"),
#undef CASE
};

static void
what_is_missing_is_added(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(fillings); i++) {
		struct buf once = { 0 }, twice = { 0 };

		tasks_fill(fillings[i].in, &once);
		if (!str_eq(buf_str(&once), fillings[i].out))
			fail_msg("case %zu: got\n" STR_FMT, i,
				STR_ARG(buf_str(&once)));
		tasks_fill(buf_str(&once), &twice);
		assert_true(str_eq(buf_str(&twice), buf_str(&once)));
		buf_release(&once);
		buf_release(&twice);
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_missing_is_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
