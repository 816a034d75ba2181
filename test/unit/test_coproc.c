#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/coproc.h"

static const char *const envp[] = { "PATH=/usr/bin:/bin", NULL };

/* A line is an answer. */
static enum coproc_whole
line_whole(const void *arg, struct str got)
{
	size_t at = str_find(got, '\n');

	(void)arg;
	if (at == got.len)
		return COPROC_MORE;
	return at + 1 == got.len ? COPROC_WHOLE : COPROC_NO_ANSWER;
}

static struct coproc
start(const char *script)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct proc_spec child = { .argv = argv, .envp = envp };
	struct pawl_err err = { 0 };
	struct coproc c;

	if (coproc_start(&child, &c, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	return c;
}

static struct coproc_answer
ask(struct coproc *c, struct str bytes, size_t max, uint64_t deadline_ms)
{
	struct coproc_question q = { .bytes = bytes,
		.whole = line_whole,
		.answer_max = max,
		.deadline_ms = deadline_ms };
	struct coproc_answer a;
	struct pawl_err err = { 0 };

	if (coproc_ask(c, &q, &a, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	return a;
}

static void
one_child_answers_many_questions(void **state)
{
	struct coproc c = start("while read -r x; do echo \"<$x>\"; done");
	pid_t pid = c.proc.pid;

	(void)state;
	for (int i = 0; i < 100; i++) {
		char question[32], want[32];
		struct coproc_answer a;

		(void)snprintf(question, sizeof(question), "q%d\n", i);
		(void)snprintf(want, sizeof(want), "<q%d>\n", i);
		assert_true(coproc_is_ready(&c, 60000));
		a = ask(&c, str_from(question), 1 << 16, 10000);
		assert_int_equal(a.outcome, COPROC_ANSWERED);
		assert_string_equal(a.bytes.data, want);
		coproc_answer_release(&a);
	}
	assert_int_equal(c.proc.pid, pid);
	coproc_close(&c);
	assert_false(c.up);
	assert_int_equal(kill(pid, 0), -1);
}

/* Both directions are wider than a pipe, at the same time. */
static void
a_long_question_and_a_long_answer_pass_each_other(void **state)
{
	struct coproc c = start("exec cat");
	struct buf text = { 0 };
	struct coproc_answer a;

	(void)state;
	for (int i = 0; i < 3000000; i++)
		buf_addc(&text, (char)('a' + i % 26));
	buf_addc(&text, '\n');
	a = ask(&c, buf_str(&text), 8 << 20, 20000);
	assert_int_equal(a.outcome, COPROC_ANSWERED);
	assert_true(str_eq(buf_str(&a.bytes), buf_str(&text)));
	coproc_answer_release(&a);
	buf_release(&text);
	coproc_close(&c);
}

static void
each_way_to_fail_is_told_apart_and_ends_the_child(void **state)
{
	static const struct {
		const char *script;
		enum coproc_outcome outcome;
		int end, code;
		const char *words;
	} rows[] = {
		{ "read x; echo no >&2; exit 3", COPROC_ENDED, PROC_EXIT, 3,
			"no\n" },
		{ "read x; exit 0", COPROC_ENDED, PROC_EXIT, 0, "" },
		/* it doesn't even read */
		{ "exit 4", COPROC_ENDED, PROC_EXIT, 4, "" },
		{ "read x; kill -9 $$", COPROC_ENDED, PROC_SIGNAL, SIGKILL,
			"" },
		{ "read x; printf half; kill -9 $$", COPROC_ENDED, PROC_SIGNAL,
			SIGKILL, "" },
		{ "read x; sleep 600", COPROC_LATE, PROC_SIGNAL, SIGTERM, "" },
		/* it says something, but never a whole answer */
		{ "read x; while :; do printf .; sleep 0.05; done", COPROC_LATE,
			PROC_SIGNAL, SIGTERM, "" },
		/* closing its output isn't ending */
		{ "read x; exec >&-; sleep 600", COPROC_LATE, PROC_SIGNAL,
			SIGTERM, "" },
		{ "read x; printf 'a\\nb\\n'; sleep 600", COPROC_WRONG,
			PROC_SIGNAL, SIGTERM, "" },
		{ "read x; printf 12345678901234567; sleep 600", COPROC_OVER,
			PROC_SIGNAL, SIGTERM, "" },
		{ "read x; head -c 200000 /dev/zero >&2; exit 5", COPROC_ENDED,
			PROC_EXIT, 5, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct coproc c = start(rows[i].script);
		pid_t pid = c.proc.pid;
		struct coproc_answer a = ask(&c, STR("x\n"), 16, 400);

		if (a.outcome != rows[i].outcome ||
			a.end.kind != (enum proc_end_kind)rows[i].end ||
			a.end.code != rows[i].code)
			fail_msg("'%s': %d, %d %d", rows[i].script, a.outcome,
				a.end.kind, a.end.code);
		if (rows[i].words != NULL)
			assert_true(str_eq(
				buf_str(&a.words), str_from(rows[i].words)));
		else
			assert_int_equal(a.words.len, COPROC_WORDS_MAX);
		assert_int_equal(a.bytes.len, 0);
		assert_false(c.up);
		assert_int_equal(kill(pid, 0), -1);
		coproc_answer_release(&a);
		coproc_close(&c); /* nothing is left to close */
	}
}

/* At the limit an answer is whole, above it is over. */
static void
the_limit_of_an_answer_holds(void **state)
{
	static const struct {
		const char *question;
		enum coproc_outcome outcome;
	} rows[] = {
		{ "12345678901234\n", COPROC_ANSWERED },
		{ "123456789012345\n", COPROC_ANSWERED },
		{ "1234567890123456\n", COPROC_OVER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct coproc c = start("exec cat");
		struct coproc_answer a =
			ask(&c, str_from(rows[i].question), 16, 10000);

		assert_int_equal(a.outcome, rows[i].outcome);
		coproc_answer_release(&a);
		coproc_close(&c);
	}
}

static void
one_that_ended_or_spoke_unasked_is_not_ready(void **state)
{
	static const char *const scripts[] = { "exit 0", "echo x; sleep 600",
		"exec >&-; sleep 600" };
	struct coproc none = { 0 };
	struct coproc c;

	(void)state;
	assert_false(coproc_is_ready(&none, 60000));
	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		c = start(scripts[i]);
		for (int k = 0; k < 500 && coproc_is_ready(&c, 60000); k++)
			(void)usleep(10000);
		assert_false(coproc_is_ready(&c, 60000));
		/* one that doesn't mind the end of its input is made to */
		(void)kill(c.proc.pid, SIGTERM);
		coproc_close(&c);
	}
	c = start("exec cat");
	c.born_ms -= 1001;
	assert_false(coproc_is_ready(&c, 1000));
	assert_true(coproc_is_ready(&c, 60000));
	coproc_close(&c);
}

/* Nobody who shares a descriptor with it by chance keeps its input open. */
static void
it_ends_when_we_are_killed(void **state)
{
	int report[2];
	pid_t us, child = 0;

	(void)state;
	assert_int_equal(pipe(report), 0);
	us = fork();
	if (us == 0) {
		struct coproc c = start("exec cat");
		struct coproc other = start("exec cat");

		(void)other;
		if (write(report[1], &c.proc.pid, sizeof(pid_t)) < 0)
			_exit(1);
		for (;;)
			(void)pause();
	}
	assert_true(read(report[0], &child, sizeof(child)) == sizeof(child));
	assert_int_equal(kill(child, 0), 0);
	assert_int_equal(kill(us, SIGKILL), 0);
	for (int i = 0; i < 500 && kill(child, 0) == 0; i++) {
		char path[64], line[256] = "";
		FILE *file;

		/* without anybody to reap it, it stays as a zombie */
		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)child);
		file = fopen(path, "r");
		if (file == NULL)
			break;
		if (fgets(line, sizeof(line), file) == NULL)
			line[0] = '\0';
		(void)fclose(file);
		if (strstr(line, ") Z ") != NULL)
			break;
		assert_true(i < 499);
		(void)usleep(10000);
	}
	(void)close(report[0]);
	(void)close(report[1]);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_child_answers_many_questions),
		cmocka_unit_test(
			a_long_question_and_a_long_answer_pass_each_other),
		cmocka_unit_test(
			each_way_to_fail_is_told_apart_and_ends_the_child),
		cmocka_unit_test(the_limit_of_an_answer_holds),
		cmocka_unit_test(one_that_ended_or_spoke_unasked_is_not_ready),
		cmocka_unit_test(it_ends_when_we_are_killed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
