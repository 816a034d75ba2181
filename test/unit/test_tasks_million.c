/*
 * C084: a million tasks in one chain, on a stack of 256 KiB.  The test starts
 * itself again with that limit, so that no thread and no other stack is needed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bounds.h"
#include "model/decision.h"
#include "model/planview.h"
#include "model/tasks.h"
#include "model/tasks_fill.h"

enum { STACK_BYTES = 256 << 10 };

#define REST                                                              \
	"]\n Paths: [a/%u]\n Mode: write\n Isolation: auto\n Acceptance:" \
	" x\n Check: x\n"

/* Each task waits for the next one in the list; `closed`: the last one for the
 * first. */
static void
put_chain(struct buf *b, unsigned count, bool closed)
{
	for (unsigned i = 0; i < count; i++) {
		buf_add(b, STR("- [ ] T"));
		buf_addu(b, i);
		buf_add(b, STR(" x\n Depends: ["));
		if (i + 1 < count || closed) {
			buf_addc(b, 'T');
			buf_addu(b, (i + 1) % count);
		}
		buf_add(b, STR(REST));
	}
}

/* Everything that is made of a plan, for a chain of `count`. */
static bool
is_whole(const struct plan *p, const struct tasks_report *report)
{
	const struct decision_facts facts = {
		.request_sha256 = STR("0123456789abcdef0123456789abcdef"
				      "0123456789abcdef0123456789abcdef"),
		.permission = STR("local:test"),
	};
	struct arena mem = ARENA_INIT;
	struct decision derived;
	struct planview v;
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	bool good;

	planview_init(&v, p);
	good = v.waves.count == p->count && v.critical_count == p->count &&
		v.critical[0] == p->count - 1 && p->order[0] == p->count - 1 &&
		p->nodes[p->count - 1].path_length == p->count;
	planview_text(&v, report, STR("list"), &out);
	buf_clear(&out);
	planview_json(&v, report, &w);
	buf_clear(&out);
	decision_derive(p, &v.waves, &facts, &mem, &out, &derived);
	good = good && str_ends(buf_str(&out), STR("\"amendments\":[]}"));
	planview_release(&v);
	buf_release(&out);
	arena_reset(&mem);
	return good;
}

static int
small_stack(void)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct buf filled = { 0 };
	struct plan p;
	int step = 1;

	put_chain(&b, BOUND_TASKS, false);
	if (tasks_parse(buf_str(&b), &mem, &p, &report, &err) != PAWL_OK) {
		(void)fprintf(stderr, "%s\n", err.msg);
		return step;
	}
	step = is_whole(&p, &report) ? 0 : 2;
	plan_release(&p);
	tasks_fill(buf_str(&b), &filled);
	if (step == 0 && !str_eq(buf_str(&b), buf_str(&filled)))
		step = 3;
	buf_release(&filled);
	buf_clear(&b);
	put_chain(&b, BOUND_TASKS, true);
	if (step == 0 &&
		(tasks_parse(buf_str(&b), &mem, &p, &report, &err) !=
				PAWL_ENO ||
			err.code != ERR_CYCLE || report.errors.count != 1 ||
			!str_ends(report.errors.items[0].message,
				STR("T999998 -> T999999 -> T0"))))
		step = 4;
	buf_release(&b);
	arena_reset(&mem);
	return step;
}

static void
a_million_tasks_need_no_stack(void **state)
{
	struct rlimit limit = { STACK_BYTES, STACK_BYTES };
	int status = 0;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		if (setrlimit(RLIMIT_STACK, &limit) == 0)
			(void)execl("/proc/self/exe", "test", "--small-stack",
				(char *)NULL);
		_exit(99);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void
more_than_a_million_tasks_are_refused(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;

	(void)state;
	put_chain(&b, BOUND_TASKS + 1, false);
	assert_int_equal(
		tasks_parse(buf_str(&b), &mem, &p, &report, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.msg, "1000000"));
	buf_release(&b);
	arena_reset(&mem);
}

/* Design 8.3: 160 bytes a task and 16 an edge, of which the state has 56. */
static void
a_plan_is_small(void **state)
{
	struct arena mem = ARENA_INIT;
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	struct plan p;

	(void)state;
	put_chain(&b, 10000, false);
	assert_int_equal(
		tasks_parse(buf_str(&b), &mem, &p, &report, &err), PAWL_OK);
	assert_true(plan_bytes(&p) <=
		(160 - 56) * (size_t)p.count + 8 * (size_t)p.edge_count);
	plan_release(&p);
	buf_release(&b);
	arena_reset(&mem);
}

int
main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_million_tasks_need_no_stack),
		cmocka_unit_test(more_than_a_million_tasks_are_refused),
		cmocka_unit_test(a_plan_is_small),
	};

	if (argc > 1 && strcmp(argv[1], "--small-stack") == 0)
		return small_stack();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
