#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commits.h"
#include "store/lately.h"
#include "tempdir.h"

/* A journal of `count` lines, each with `text` bytes of text, read to its end.
 */
static void
journal_make(
	struct journal *j, const struct tempdir *t, uint64_t count, size_t text)
{
	struct journal_tail tail;
	struct buf events = { 0 };
	struct pawl_err err;

	assert_int_equal(journal_create(&fs_real, t->fd, &err), PAWL_OK);
	journal_init(j, &fs_real, t->fd);
	for (uint64_t n = 1; n <= count; n++)
		assert_int_equal(
			commit_one(j, commit_events(&events, n, text), &err),
			PAWL_OK);
	journal_close(j);
	journal_init(j, &fs_real, t->fd);
	assert_int_equal(journal_scan(j, NULL, NULL, &tail, &err), PAWL_OK);
	assert_int_equal(j->at.seq, count);
	buf_release(&events);
}

/* From the place that was found, exactly the last lines are read. */
static void
assert_last(const struct journal *j, uint64_t lines, uint64_t want)
{
	struct journal_at at;
	struct commit_count count = { 0 };
	struct journal again;
	struct pawl_err err;

	assert_int_equal(lately_find(j, lines, &at, &err), PAWL_OK);
	journal_init(&again, j->fs, j->dir);
	journal_seek(&again, &at);
	assert_int_equal(
		journal_scan(&again, commit_counted, &count, &count.tail, &err),
		PAWL_OK);
	assert_int_equal(count.tail.end, JOURNAL_WHOLE);
	assert_int_equal(count.lines, want);
	assert_int_equal(again.at.seq, j->at.seq);
	journal_close(&again);
}

static void
the_last_lines_are_found(void **unused)
{
	/* Lines much shorter than a step of reading, and longer than one. */
	static const size_t texts[] = { 0, 1000, 30000, 70000, 200000 };

	(void)unused;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct tempdir t = tempdir_open();
		struct journal j;

		journal_make(&j, &t, 20, texts[i]);
		for (uint64_t lines = 0; lines <= 22; lines++)
			assert_last(&j, lines, lines < 20 ? lines : 20);
		journal_close(&j);
		tempdir_close(&t);
	}
}

/* Every place of a line end within a step of reading. */
static void
a_line_that_ends_with_a_step_is_found(void **unused)
{
	(void)unused;
	for (size_t text = 65536 - 700; text < 65536 - 100; text += 7) {
		struct tempdir t = tempdir_open();
		struct journal j;

		journal_make(&j, &t, 3, text);
		assert_last(&j, 1, 1);
		assert_last(&j, 2, 2);
		journal_close(&j);
		tempdir_close(&t);
	}
}

static void
the_last_line_may_lack_its_end(void **unused)
{
	struct tempdir t = tempdir_open();
	struct journal j;
	struct journal_at at;
	struct commit_count count = { 0 };
	struct journal again;
	struct pawl_err err;
	uint64_t end;
	int fd = -1;

	(void)unused;
	journal_make(&j, &t, 5, 10);
	end = j.at.offset;
	journal_close(&j);
	assert_int_equal(
		fs_open(&fs_real, t.fd, "events.jsonl", O_WRONLY, &fd, &err),
		PAWL_OK);
	assert_int_equal(fs_truncate(&fs_real, fd, end - 1, &err), PAWL_OK);
	fs_close(&fs_real, &fd);
	journal_init(&j, &fs_real, t.fd);
	assert_int_equal(
		journal_scan(&j, NULL, NULL, &count.tail, &err), PAWL_OK);
	assert_int_equal(count.tail.end, JOURNAL_NO_LF);
	assert_int_equal(lately_find(&j, 2, &at, &err), PAWL_OK);
	journal_init(&again, &fs_real, t.fd);
	journal_seek(&again, &at);
	assert_int_equal(
		journal_scan(&again, commit_counted, &count, &count.tail, &err),
		PAWL_OK);
	assert_int_equal(count.lines, 2);
	assert_int_equal(count.sum, 9);
	journal_close(&again);
	journal_close(&j);
	tempdir_close(&t);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_lines_are_found),
		cmocka_unit_test(a_line_that_ends_with_a_step_is_found),
		cmocka_unit_test(the_last_line_may_lack_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
