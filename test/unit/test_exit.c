/*
 * What a child printed, as it goes into events and prompts: any bytes in, UTF-8
 * out, cut where a character ends.  C023, C024.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "engine/exit.h"
#include "tempdir.h"
#include "text/json.h"
#include "text/utf8.h"

#define EMOJI "\xf0\x9f\x98\x80"
enum { LINE_MAX_BYTES = 200 };

#define REPLACED "\xef\xbf\xbd"

static struct str
last_line(const struct tempdir *dir, struct str log, struct arena *mem)
{
	struct pawl_err err = { 0 };

	assert_int_equal(
		fs_replace(&fs_real, dir->fd, "log", log, FS_CACHE, &err),
		PAWL_OK);
	return exit_last_line(&fs_real, dir->path, "log", mem);
}

/* What the journal takes: strict JSON that reads back as it was. */
static void
assert_storable(struct str s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct pawl_err err = { 0 };
	const struct json *v;
	char *bytes;

	assert_int_equal(utf8_valid(s), s.len);
	json_put_str(&w, s);
	bytes = arena_strdup(mem, buf_str(&out));
	assert_int_equal(
		json_read(mem, bytes, out.len, JSON_STRICT, &v, &err), PAWL_OK);
	assert_true(str_eq(json_str(v), s));
	buf_release(&out);
}

static void
a_line_is_cut_where_a_character_ends(void **state)
{
	struct tempdir dir = tempdir_open();
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t before = LINE_MAX_BYTES - 12; before < LINE_MAX_BYTES + 4;
		before++) {
		struct buf log = { 0 };
		struct str line;

		for (size_t i = 0; i < before; i++)
			buf_addc(&log, 'x');
		for (int i = 0; i < 5; i++)
			buf_add(&log, STR(EMOJI));
		buf_addc(&log, '\n');
		line = last_line(&dir, buf_str(&log), &mem);
		assert_storable(line, &mem);
		assert_true(line.len <= LINE_MAX_BYTES);
		assert_true(line.len > LINE_MAX_BYTES - sizeof(EMOJI));
		assert_true(str_starts(buf_str(&log), line));
		buf_release(&log);
	}
	tempdir_close(&dir);
	arena_reset(&mem);
}

/* The tail of a log begins in the middle of a character, at each of its bytes.
 */
static void
a_tail_begins_where_a_character_or_line_begins(void **state)
{
	struct tempdir dir = tempdir_open();
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };

	(void)state;
	for (size_t max = 1; max < 40; max++) {
		struct str tail;

		assert_int_equal(fs_replace(&fs_real, dir.fd, "log",
					 STR(EMOJI EMOJI EMOJI "\n" EMOJI EMOJI
							       "\nend\n"),
					 FS_CACHE, &err),
			PAWL_OK);
		tail = exit_tail(&fs_real, dir.path, "log", max, &mem);
		assert_storable(tail, &mem);
		assert_true(tail.len <= max);
	}
	tempdir_close(&dir);
	arena_reset(&mem);
}

static void
bytes_that_are_no_text_are_replaced(void **state)
{
	static const struct {
		const char *log;
		size_t len;
		const char *want;
	} rows[] = {
		{ "caf\xe9\n", sizeof("caf\xe9\n") - 1, "caf" REPLACED },
		{ "\xff\n", sizeof("\xff\n") - 1, REPLACED },
		{ "a\xc0\xaf"
		  "b\n",
			sizeof("a\xc0\xaf"
			       "b\n") -
				1,
			"a" REPLACED REPLACED "b" },
		{ "a\xed\xa0\xbd\n", sizeof("a\xed\xa0\xbd\n") - 1,
			"a" REPLACED REPLACED REPLACED },
		{ "a\xf0\x9f\x98\n", sizeof("a\xf0\x9f\x98\n") - 1,
			"a" REPLACED REPLACED REPLACED },
		{ "\x1b[31mred\x1b[0m\n", sizeof("\x1b[31mred\x1b[0m\n") - 1,
			"[31mred[0m" },
		{ "nul\0nul\n", sizeof("nul\0nul\n") - 1, "nulnul" },
		{ "\\ud83d\n", sizeof("\\ud83d\n") - 1, "\\ud83d" },
		{ "first\n\n  \t\n", sizeof("first\n\n  \t\n") - 1, "first" },
		{ "\n\n", sizeof("\n\n") - 1, "" },
		{ "", sizeof("") - 1, "" },
	};
	struct tempdir dir = tempdir_open();
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct str line = last_line(
			&dir, (struct str){ rows[i].log, rows[i].len }, &mem);

		assert_storable(line, &mem);
		if (!str_eq(line, str_from(rows[i].want)))
			fail_msg("row %zu: %.*s", i, STR_ARG(line));
	}
	for (int byte = 0; byte < 256; byte++) {
		struct buf log = { 0 };

		for (int i = 0; i < 300; i++)
			buf_addc(&log, (char)(byte + i % 3));
		assert_storable(last_line(&dir, buf_str(&log), &mem), &mem);
		buf_release(&log);
	}
	tempdir_close(&dir);
	arena_reset(&mem);
}

/* The words that matter are at its end. */
static void
a_line_longer_than_what_is_looked_at_is_no_empty_one(void **state)
{
	struct tempdir dir = tempdir_open();
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t len = 4090; len < 4110; len++) {
		for (int lf = 0; lf < 2; lf++) {
			struct buf log = { 0 };

			for (size_t i = 0; i < len; i++)
				buf_addc(&log, 'x');
			buf_add(&log, lf ? STR("end\n") : STR("end"));
			assert_true(
				last_line(&dir, buf_str(&log), &mem).len > 3);
			buf_release(&log);
		}
	}
	tempdir_close(&dir);
	arena_reset(&mem);
}

static void
a_log_that_is_not_there_is_empty(void **state)
{
	struct arena mem = ARENA_INIT;

	(void)state;
	assert_int_equal(
		exit_last_line(&fs_real, "/nonexistent", "log", &mem).len, 0);
	arena_reset(&mem);
}

#define OPENED                                                              \
	"\n{\"v\":1,\"of\":\"a@1\",\"opened\":true,\"monitor\":{\"pid\":7," \
	"\"start\":8}}\n"
#define ENDED(of, code, pid)                                           \
	"\n{\"v\":1,\"of\":\"" of "\",\"exit\":" code ",\"monitor\":{" \
	"\"pid\":" pid ",\"start\":8}}\n"

static enum exit_trace
trace_of(const struct tempdir *dir, struct str bytes, uint64_t from,
	struct exit_facts *ret_facts)
{
	struct exit_of of = {
		.name = STR("a@1"), .pid = 7, .start = 8, .from = from
	};
	struct pawl_err err = { 0 };
	struct arena mem = ARENA_INIT;
	int fd = -1;

	assert_int_equal(exit_open(&fs_real, dir->fd, &fd, &err), PAWL_OK);
	assert_int_equal(fs_truncate(&fs_real, fd, 0, &err), PAWL_OK);
	assert_int_equal(fs_append(&fs_real, fd, bytes, &err), PAWL_OK);
	assert_int_equal(
		exit_read(&fs_real, fd, &of, &mem, ret_facts, &err), PAWL_OK);
	fs_close(&fs_real, &fd);
	arena_reset(&mem);
	return ret_facts->trace;
}

/* What a killed monitor did and didn't do is told by lines that are whole. */
static void
an_end_is_the_last_whole_line_of_its_monitor(void **state)
{
	static const struct {
		const char *text;
		uint64_t from;
		enum exit_trace trace;
		uint64_t code;
	} rows[] = {
		{ "", 0, EXIT_TRACE_NONE, 0 },
		{ OPENED, 0, EXIT_TRACE_OPENED, 0 },
		{ OPENED ENDED("a@1", "3", "7"), 0, EXIT_TRACE_ENDED, 3 },
		{ OPENED ENDED("a@1", "3", "7") ENDED("a@1", "4", "7"), 0,
			EXIT_TRACE_ENDED, 4 },
		/* Others' lines between ours, and in their place. */
		{ OPENED ENDED("a@1", "3", "6") ENDED("a@2", "3", "7"), 0,
			EXIT_TRACE_OPENED, 0 },
		{ ENDED("a@1.check-1", "3", "7"), 0, EXIT_TRACE_NONE, 0 },
		{ ENDED("a@1", "5", "7") ENDED("b@1", "3", "9"), 0,
			EXIT_TRACE_ENDED, 5 },
		/* Cut off, and what comes behind it. */
		{ OPENED "\n{\"v\":1,\"of\":\"a@1\",\"exit\":3", 0,
			EXIT_TRACE_OPENED, 0 },
		{ OPENED
			"\n{\"v\":1,\"of\":\"a@1\",\"ex" ENDED("a@1", "3", "7"),
			0, EXIT_TRACE_ENDED, 3 },
		{ "a@1\na@1 {}\n[\"a@1\"]\n", 0, EXIT_TRACE_NONE, 0 },
		/* From where it was spawned on; all of it when it was cut. */
		{ OPENED ENDED("a@1", "3", "7"), 10, EXIT_TRACE_ENDED, 3 },
		{ OPENED, 10, EXIT_TRACE_NONE, 0 },
		{ ENDED("a@1", "3", "7"), 1000, EXIT_TRACE_ENDED, 3 },
	};
	struct tempdir dir = tempdir_open();

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct exit_facts x = { 0 };

		if (trace_of(&dir, str_from(rows[i].text), rows[i].from, &x) !=
				rows[i].trace ||
			x.code != rows[i].code)
			fail_msg(
				"row %zu: %llu", i, (unsigned long long)x.code);
	}
	tempdir_close(&dir);
}

/* What still ran when it ended may be the very work that was waited for. */
static void
a_success_leaves_nothing_behind(void **state)
{
	static const struct {
		struct exit_facts x;
		bool success;
		const char *words;
	} rows[] = {
		{ { .kind = EXIT_CODE }, true, "exit 0" },
		{ { .kind = EXIT_CODE, .survivors = 1 }, false,
			"exit 0, 1 left behind" },
		{ { .kind = EXIT_CODE, .code = 1 }, false, "exit 1" },
		{ { .kind = EXIT_CODE, .code = 1, .survivors = 2 }, false,
			"exit 1" },
		{ { .kind = EXIT_SIGNAL, .code = 9 }, false, "signal 9" },
		{ { .kind = EXIT_TIMEOUT }, false, "timeout" },
		{ { .kind = EXIT_ASKED }, false, "interrupted" },
		{ { .kind = EXIT_START_FAILED, .message = { "no", 2 } }, false,
			"start failed: no" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(exit_is_success(&rows[i].x), rows[i].success);
		assert_string_equal(
			arena_strdup(&mem, exit_words(&rows[i].x, &mem)),
			rows[i].words);
	}
	arena_reset(&mem);
}

/* Lines lie across the borders of what is read at once; garbage is passed. */
static void
an_end_is_found_in_a_large_file(void **state)
{
	enum { AT_ONCE = 64 << 10 };
	static const size_t before[] = { 0, AT_ONCE - 200, AT_ONCE - 20,
		AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 3 * AT_ONCE + 17 };
	struct tempdir dir = tempdir_open();

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		for (int lf = 0; lf < 2; lf++) {
			struct exit_facts x = { 0 };
			struct buf text = { 0 };

			while (text.len < before[i])
				buf_add(&text,
					lf && text.len % 100 == 0 ? STR("\n")
								  : STR("x"));
			buf_add(&text, STR(OPENED));
			buf_add(&text, STR(ENDED("a@1", "3", "7")));
			assert_int_equal(trace_of(&dir, buf_str(&text), 0, &x),
				EXIT_TRACE_ENDED);
			assert_int_equal(x.code, 3);
			buf_release(&text);
		}
	}
	tempdir_close(&dir);
}

static void
ends_are_not_looked_for_in_what_is_no_file(void **state)
{
	struct tempdir dir = tempdir_open();
	struct pawl_err err = { 0 };
	int fd = -1;

	(void)state;
	assert_int_equal(mkdirat(dir.fd, "outbox", 0700), 0);
	assert_int_equal(mkfifoat(dir.fd, "outbox/exits", 0600), 0);
	assert_int_equal(exit_open(&fs_real, dir.fd, &fd, &err), PAWL_ECORRUPT);
	fs_close(&fs_real, &fd);
	tempdir_close(&dir);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_is_cut_where_a_character_ends),
		cmocka_unit_test(
			a_tail_begins_where_a_character_or_line_begins),
		cmocka_unit_test(bytes_that_are_no_text_are_replaced),
		cmocka_unit_test(
			a_line_longer_than_what_is_looked_at_is_no_empty_one),
		cmocka_unit_test(a_log_that_is_not_there_is_empty),
		cmocka_unit_test(a_success_leaves_nothing_behind),
		cmocka_unit_test(an_end_is_the_last_whole_line_of_its_monitor),
		cmocka_unit_test(an_end_is_found_in_a_large_file),
		cmocka_unit_test(ends_are_not_looked_for_in_what_is_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
