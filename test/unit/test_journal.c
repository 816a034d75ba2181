#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/die.h"
#include "commits.h"
#include "os/lock.h"
#include "store/artifact.h"
#include "tempdir.h"

struct setup {
	struct tempdir dir;
	struct buf events;
	struct pawl_err err;
};

static int
setup(void **state)
{
	struct setup *s = die_alloc(1, sizeof(*s));

	*s = (struct setup){ .dir = tempdir_open() };
	assert_int_equal(journal_create(&fs_real, s->dir.fd, &s->err), PAWL_OK);
	*state = s;
	return 0;
}

static int
teardown(void **state)
{
	struct setup *s = *state;

	tempdir_close(&s->dir);
	buf_release(&s->events);
	free(s);
	return 0;
}

static void
append(struct setup *s, uint64_t from, uint64_t to)
{
	struct journal j;

	journal_init(&j, &fs_real, s->dir.fd);
	for (uint64_t n = from; n <= to; n++) {
		assert_int_equal(
			commit_one(&j, commit_events(&s->events, n, n % 40),
				&s->err),
			PAWL_OK);
	}
	journal_close(&j);
}

/* The file's bytes, and back. */
static struct buf
slurp(struct setup *s)
{
	struct buf b = { 0 };

	assert_int_equal(fs_read(&fs_real, s->dir.fd, "events.jsonl", 1 << 30,
				 &b, &s->err),
		PAWL_OK);
	return b;
}

static void
put(struct setup *s, struct str bytes)
{
	assert_int_equal(fs_replace(&fs_real, s->dir.fd, "events.jsonl", bytes,
				 FS_CACHE, &s->err),
		PAWL_OK);
}

static struct commit_count
scan(struct setup *s)
{
	struct commit_count c = { 0 };

	assert_int_equal(
		commit_scan(&fs_real, s->dir.fd, &c, &s->err), PAWL_OK);
	return c;
}

static struct journal_repaired
catch_up(struct setup *s)
{
	struct journal_repaired r = { 0 };
	struct journal j;

	journal_init(&j, &fs_real, s->dir.fd);
	assert_int_equal(journal_lock(&j, 0, &s->err), PAWL_OK);
	assert_int_equal(
		journal_catch_up(&j, NULL, NULL, &r, &s->err), PAWL_OK);
	journal_close(&j);
	return r;
}

static void
what_is_appended_is_scanned(void **state)
{
	struct setup *s = *state;
	struct commit_count c = scan(s);

	assert_int_equal(c.lines, 0);
	assert_int_equal(c.tail.end, JOURNAL_WHOLE);
	append(s, 1, 100);
	c = scan(s);
	assert_int_equal(c.lines, 100);
	assert_int_equal(c.sum, 5050);
	assert_int_equal(c.at.seq, 100);
	assert_int_equal(c.at.offset, c.bytes + 100);
	assert_int_equal(c.tail.end, JOURNAL_WHOLE);
}

/* C014, C018: the prefix loads, a reader changes nothing, a writer archives. */
static void
a_cut_at_every_byte_leaves_the_whole_lines(void **state)
{
	struct setup *s = *state;
	struct buf all;
	size_t last;

	append(s, 1, 3);
	all = slurp(s);
	last = all.len - 1;
	while (all.data[last - 1] != '\n')
		last--;
	for (size_t len = 0; len <= all.len; len++) {
		struct str head = str_part(buf_str(&all), 0, len);
		struct journal_repaired r;
		struct commit_count c;
		uint64_t lines = 0;
		size_t good = 0;
		struct buf now;

		for (size_t i = 0; i < len; i++) {
			if (all.data[i] == '\n') {
				lines++;
				good = i + 1;
			}
		}
		if (len < all.len && all.data[len] == '\n') {
			lines++;
			good = len;
		}
		put(s, head);
		c = scan(s);
		assert_int_equal(c.lines, lines);
		assert_int_equal(c.at.offset, good);
		assert_int_equal(c.tail.end,
			good < len ? JOURNAL_TORN
				: good > 0 && all.data[good - 1] != '\n'
				? JOURNAL_NO_LF
				: JOURNAL_WHOLE);
		now = slurp(s);
		assert_true(str_eq(buf_str(&now), head));
		buf_release(&now);

		r = catch_up(s);
		assert_int_equal(r.bytes, len - good);
		if (r.bytes > 0) {
			struct buf torn = { 0 };

			assert_int_equal(artifact_get(&fs_real, s->dir.fd,
						 str_from(r.artifact), 1 << 20,
						 &torn, &s->err),
				PAWL_OK);
			assert_true(str_eq(
				buf_str(&torn), str_part(head, good, len)));
			buf_release(&torn);
		}
		append(s, 100, 100);
		c = scan(s);
		assert_int_equal(c.lines, lines + 1);
		assert_int_equal(c.tail.end, JOURNAL_WHOLE);
	}
	buf_release(&all);
}

static void
flip(struct buf *b, size_t bit)
{
	unsigned char *p = (unsigned char *)b->data + bit / 8;

	*p = (unsigned char)(*p ^ 1U << (bit % 8));
}

/* Never a wrong event: the flipped line and those after it aren't called. */
static void
every_flipped_bit_is_found(void **state)
{
	struct setup *s = *state;
	struct buf all;

	append(s, 1, 3);
	all = slurp(s);
	for (size_t bit = 0; bit < all.len * 8; bit++) {
		struct commit_count c;
		uint64_t before = 0;

		for (size_t i = 0; i < bit / 8; i++)
			before += all.data[i] == '\n';
		flip(&all, bit);
		put(s, buf_str(&all));
		c = scan(s);
		/* The last LF is no part of what the chain protects. */
		if (bit / 8 < all.len - 1)
			assert_int_equal(c.lines, before);
		assert_true(
			c.sum == (before < 3 ? before * (before + 1) / 2 : 3) ||
			c.lines == 2);
		assert_true(c.tail.end == JOURNAL_CORRUPT ||
			c.tail.end == JOURNAL_TORN);
		flip(&all, bit);
	}
	buf_release(&all);
}

/* C015 (a) */
static void
a_line_that_lacks_only_its_lf_counts_and_is_followed(void **state)
{
	struct setup *s = *state;
	struct commit_count c;
	struct buf all;

	append(s, 1, 2);
	all = slurp(s);
	put(s, str_part(buf_str(&all), 0, all.len - 1));
	c = scan(s);
	assert_int_equal(c.lines, 2);
	assert_int_equal(c.tail.end, JOURNAL_NO_LF);
	append(s, 3, 3);
	c = scan(s);
	assert_int_equal(c.lines, 3);
	assert_int_equal(c.sum, 6);
	assert_int_equal(c.tail.end, JOURNAL_WHOLE);
	buf_release(&all);
}

/* A place before an LF that came later, and one in another history. */
static void
a_scan_goes_on_from_a_place(void **state)
{
	struct setup *s = *state;
	struct commit_count c = { 0 };
	struct journal_at at;
	struct journal j;
	struct buf all;

	append(s, 1, 2);
	all = slurp(s);
	put(s, str_part(buf_str(&all), 0, all.len - 1));
	c = scan(s);
	at = c.at;
	append(s, 3, 5);

	journal_init(&j, &fs_real, s->dir.fd);
	journal_seek(&j, &at);
	c = (struct commit_count){ 0 };
	assert_int_equal(journal_scan(&j, commit_counted, &c, &c.tail, &s->err),
		PAWL_OK);
	assert_int_equal(c.lines, 3);
	assert_int_equal(c.sum, 12);
	assert_int_equal(c.tail.end, JOURNAL_WHOLE);

	/* Nothing new. */
	assert_int_equal(journal_scan(&j, commit_counted, &c, &c.tail, &s->err),
		PAWL_OK);
	assert_int_equal(c.lines, 3);

	for (int wrong = 0; wrong < 4; wrong++) {
		struct journal_at bad = j.at;

		if (wrong == 0) {
			bad.chain[5] ^= 1;
		} else if (wrong == 1) {
			bad.offset--;
		} else if (wrong == 2) {
			bad.offset += 1000;
		} else {
			bad.seq = 0;
		}
		journal_seek(&j, &bad);
		assert_int_equal(
			journal_scan(&j, commit_counted, &c, &c.tail, &s->err),
			PAWL_OK);
		assert_int_equal(c.tail.end, JOURNAL_ELSEWHERE);
		assert_int_equal(c.lines, 3);
		bad = c.at;
	}
	journal_close(&j);
	buf_release(&all);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		T(what_is_appended_is_scanned),
		T(a_cut_at_every_byte_leaves_the_whole_lines),
		T(every_flipped_bit_is_found),
		T(a_line_that_lacks_only_its_lf_counts_and_is_followed),
		T(a_scan_goes_on_from_a_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
