#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/die.h"
#include "commits.h"
#include "fs_sim.h"
#include "store/artifact.h"

struct setup {
	struct fs_sim *sim;
	struct fs fs;
	int dir;
	struct buf events;
	struct pawl_err err;
};

static int
setup(void **state)
{
	struct setup *s = die_alloc(1, sizeof(*s));

	*s = (struct setup){ .sim = fs_sim_new() };
	s->fs = fs_sim_fs(s->sim);
	s->dir = fs_sim_root(s->sim);
	assert_int_equal(journal_create(&s->fs, s->dir, &s->err), PAWL_OK);
	*state = s;
	return 0;
}

static int
teardown(void **state)
{
	struct setup *s = *state;

	assert_int_equal(fs_sim_open_count(s->sim), 0);
	assert_int_equal(fs_sim_locks(s->sim), 0);
	fs_sim_free(s->sim);
	buf_release(&s->events);
	free(s);
	return 0;
}

static void
append(struct setup *s, uint64_t from, uint64_t to)
{
	struct journal j;

	journal_init(&j, &s->fs, s->dir);
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

	assert_int_equal(
		fs_read(&s->fs, s->dir, "events.jsonl", 1 << 30, &b, &s->err),
		PAWL_OK);
	return b;
}

static void
put(struct setup *s, struct str bytes)
{
	assert_int_equal(fs_replace(&s->fs, s->dir, "events.jsonl", bytes,
				 FS_CACHE, &s->err),
		PAWL_OK);
}

static struct commit_count
scan(struct setup *s)
{
	struct commit_count c = { 0 };

	assert_int_equal(commit_scan(&s->fs, s->dir, &c, &s->err), PAWL_OK);
	return c;
}

static struct journal_repaired
catch_up(struct setup *s)
{
	struct journal_repaired r = { 0 };
	struct journal j;

	journal_init(&j, &s->fs, s->dir);
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

			assert_int_equal(artifact_get(&s->fs, s->dir,
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

	journal_init(&j, &s->fs, s->dir);
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

static enum pawl_rc
append_commit(
	struct journal *j, const struct journal_commit *c, struct pawl_err *err)
{
	struct journal_repaired r;
	enum pawl_rc rc = journal_lock(j, 0, err);

	if (rc == PAWL_OK)
		rc = journal_catch_up(j, NULL, NULL, &r, err);
	if (rc == PAWL_OK)
		rc = journal_append(j, c, err);
	journal_unlock(j);
	return rc;
}

static struct journal_commit
commit_of(struct str events)
{
	return (struct journal_commit){ .gen = 1,
		.at = COMMIT_AT,
		.actor = STR("coordinator:c1"),
		.events = events };
}

/* C025: below, at and above the limit of a line; a refusal changes nothing. */
static void
a_line_over_the_limit_is_refused_at_write_time(void **state)
{
	struct setup *s = *state;
	struct journal_commit c;
	struct commit_count n;
	struct buf one;
	size_t frame;
	struct journal j;

	append(s, 10, 10);
	one = slurp(s);
	frame = one.len - 10; /* a text of 10 bytes */
	buf_release(&one);
	journal_init(&j, &s->fs, s->dir);
	for (size_t over = 0; over < 3; over++) {
		size_t text = BOUND_LINE_BYTES - frame - 1 + over;
		long before = fs_sim_changes(s->sim);
		enum pawl_rc rc;

		c = commit_of(commit_events(&s->events, 11, text));
		rc = append_commit(&j, &c, &s->err);
		assert_int_equal(rc, over < 2 ? PAWL_OK : PAWL_ENO);
		if (over == 2) {
			assert_int_equal(s->err.code, ERR_LIMIT);
			assert_int_equal(fs_sim_changes(s->sim), before);
		}
	}
	assert_int_equal(j.at.seq, 3);
	journal_close(&j);
	n = scan(s);
	assert_int_equal(n.lines, 3);
	assert_int_equal(n.tail.end, JOURNAL_WHOLE);
}

static void
words_and_times_are_checked_before_anything_is_written(void **state)
{
	struct setup *s = *state;
	char long_word[LINE_WORD_MAX + 1];
	struct journal_commit good, c;
	struct journal j;
	long before;

	memset(long_word, 'k', sizeof(long_word));
	good = commit_of(STR("[{}]"));
	journal_init(&j, &s->fs, s->dir);
	before = fs_sim_changes(s->sim);
	for (int i = 0; i < 7; i++) {
		static const struct str bad[] = { { "a b", 3 }, { "a\"", 2 },
			{ "\xc3\xa9", 2 }, { "\n", 1 } };

		c = good;
		c.request = STR("0123456789abcdef");
		if (i < 4)
			c.actor = bad[i];
		else if (i == 4)
			c.key = (struct str){ long_word, LINE_WORD_MAX + 1 };
		else if (i == 5)
			c.at = STR("2026-11-30T11:24:23Z");
		else
			c.actor = (struct str){ 0 };
		assert_int_equal(append_commit(&j, &c, &s->err), PAWL_ENO);
		assert_int_equal(s->err.code, ERR_INVALID_ARGUMENT);
	}
	assert_int_equal(fs_sim_changes(s->sim), before);
	c = good;
	c.key = (struct str){ long_word, LINE_WORD_MAX };
	c.request = STR("0123456789abcdef");
	assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	journal_close(&j);
}

/* One write and one sync an append, and no more (8.3, C020). */
static void
an_append_is_one_write_and_one_sync(void **state)
{
	struct setup *s = *state;
	long before;

	append(s, 1, 1);
	before = fs_sim_changes(s->sim);
	append(s, 2, 11);
	assert_int_equal(fs_sim_changes(s->sim) - before, 20);
}

/* A second line with a right chain, whatever it says. */
static void
seal(struct buf *file, const char *head, const char *events, const char *chain)
{
	size_t start = file->len;
	uint8_t digest[SHA256_BYTES];
	struct sha256 sum;

	buf_addf(file,
		"%s,\"at\":\"2026-11-30T11:24:23.123456Z\",\"gen\":1,"
		"\"actor\":\"c\",\"events\":%s",
		head, events);
	sha256_init(&sum);
	sha256_add(&sum, (struct str){ chain, SHA256_HEX });
	sha256_add(&sum, str_part(buf_str(file), start, file->len));
	sha256_end(&sum, digest);
	buf_add(file, STR(",\"chain\":\""));
	buf_addhex(file, digest, sizeof(digest));
	buf_add(file, STR("\"}\n"));
}

/* What is read before it, how it is named, that a writer refuses with `code`
 * and changes nothing. */
static void
second_line_is_refused(struct setup *s, size_t first, enum pawl_code code)
{
	struct buf before = slurp(s), after;
	struct commit_count c = scan(s);
	struct journal_repaired r;
	struct journal j;

	assert_int_equal(c.lines, 1);
	assert_int_equal(c.tail.end, JOURNAL_CORRUPT);
	assert_int_equal(c.tail.line, 2);
	assert_int_equal(c.tail.offset, first);
	assert_int_equal(c.tail.bytes, before.len - first);
	assert_non_null(strstr(c.tail.why, "line 2 at byte "));
	journal_init(&j, &s->fs, s->dir);
	assert_int_equal(journal_lock(&j, 0, &s->err), PAWL_OK);
	assert_int_equal(
		journal_catch_up(&j, NULL, NULL, &r, &s->err), PAWL_ECORRUPT);
	assert_int_equal(s->err.code, code);
	journal_close(&j);
	after = slurp(s);
	assert_true(str_eq(buf_str(&before), buf_str(&after)));
	buf_release(&before);
	buf_release(&after);
}

/*
 * Lines that were written with a right chain and are wrong otherwise: refused
 * by name, and never cut (C015 (b), C017, C024).
 */
static void
a_wrong_line_with_a_right_chain_is_corrupt(void **state)
{
	static const struct {
		const char *head; /* up to the events */
		const char *events;
		enum pawl_code code;
	} rows[] = {
		{ "{\"v\":2,\"seq\":2", "[{}]", ERR_NEWER_FORMAT },
		{ "{\"v\":1,\"seq\":3", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":1", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":-2", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":02", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":9223372036854775808", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1, \"seq\":2", "[{}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[{},]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[{\"a\":1,\"a\":2}]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[\"\xff\"]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[\"\\ud83d\"]", ERR_CORRUPT },
		{ "{\"v\":1,\"seq\":2", "[{}],\"events\":[1]", ERR_CORRUPT },
	};
	struct setup *s = *state;
	struct commit_count c;
	struct buf file;
	size_t first;

	append(s, 1, 1);
	c = scan(s);
	file = slurp(s);
	first = file.len;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		file.len = first;
		seal(&file, rows[i].head, rows[i].events, c.at.chain);
		put(s, buf_str(&file));
		second_line_is_refused(s, first, rows[i].code);
	}
	buf_release(&file);
}

static enum pawl_rc
unknown_member(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	(void)err;
	if (json_int(json_get(l->line.body, STR("later"))) == 5)
		++*(int *)arg;
	return PAWL_OK;
}

/* Members of a line that a later version added are passed over, and kept. */
static void
unknown_members_after_the_events_are_passed_over(void **state)
{
	struct setup *s = *state;
	struct journal_commit c = commit_of(STR("[{}],\"later\":5"));
	struct journal_tail tail;
	struct journal j;
	int found = 0;

	journal_init(&j, &s->fs, s->dir);
	c.mac_key = STR("secret");
	assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	journal_close(&j);
	append(s, 1, 1);
	journal_init(&j, &s->fs, s->dir);
	assert_int_equal(
		journal_scan(&j, unknown_member, &found, &tail, &s->err),
		PAWL_OK);
	assert_int_equal(tail.end, JOURNAL_WHOLE);
	assert_int_equal(j.at.seq, 2);
	assert_int_equal(found, 1);
	journal_close(&j);
}

static enum pawl_rc
count_macs(void *arg, const struct journal_line *l, struct pawl_err *err)
{
	unsigned *counts = arg;

	(void)err;
	counts[l->mac]++;
	return PAWL_OK;
}

/* What the writer takes, the reader takes. */
static void
the_highest_generation_is_read_again(void **state)
{
	struct setup *s = *state;
	struct journal_commit c = commit_of(STR("[{}]"));
	struct journal j;

	c.gen = INT64_MAX;
	journal_init(&j, &s->fs, s->dir);
	assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	journal_close(&j);
	assert_int_equal(scan(s).tail.end, JOURNAL_WHOLE);
	assert_int_equal(scan(s).at.gen, INT64_MAX);
}

static void
macs_are_told_by_the_key(void **state)
{
	static const struct {
		struct str key;
		unsigned want[4];
	} rows[] = {
		{ { "", 0 }, { 1, 2, 0, 0 } },
		{ { "right", 5 }, { 1, 0, 1, 1 } },
		{ { "other", 5 }, { 1, 0, 1, 1 } },
		{ { "third", 5 }, { 1, 0, 0, 2 } },
	};
	struct setup *s = *state;
	struct journal_commit c = commit_of(STR("[{}]"));
	struct journal_tail tail;
	struct journal j;

	journal_init(&j, &s->fs, s->dir);
	for (int i = 0; i < 3; i++) {
		c.mac_key = rows[i].key;
		assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	}
	journal_close(&j);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		unsigned counts[4] = { 0 };

		journal_init(&j, &s->fs, s->dir);
		j.mac_key = rows[i].key;
		assert_int_equal(
			journal_scan(&j, count_macs, counts, &tail, &s->err),
			PAWL_OK);
		assert_memory_equal(counts, rows[i].want, sizeof(counts));
		journal_close(&j);
	}
}

/* C109, C110: time may fall, the generation may not. */
static void
the_generation_never_falls_and_time_may(void **state)
{
	struct setup *s = *state;
	struct journal_commit c = commit_of(STR("[{}]"));
	struct commit_count n;
	struct journal j;
	struct buf two, one = { 0 };

	journal_init(&j, &s->fs, s->dir);
	c.gen = 2;
	assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	c.at = STR("1999-02-31T23:59:60.000000Z");
	assert_int_equal(append_commit(&j, &c, &s->err), PAWL_OK);
	journal_close(&j);
	n = scan(s);
	assert_int_equal(n.lines, 2);
	assert_int_equal(n.at.gen, 2);

	/* The writer can't make one that falls: build it. */
	two = slurp(s);
	buf_add(&one,
		str_part(buf_str(&two), 0, str_find(buf_str(&two), '\n') + 1));
	put(s, buf_str(&one));
	n = scan(s);
	{
		struct line l = {
			.seq = 2, .gen = 1, .at = COMMIT_AT, .actor = STR("c")
		};

		assert_int_equal(
			line_write(&one, &l, STR("[{}]"), (struct str){ 0 },
				n.at.chain, &s->err),
			PAWL_OK);
	}
	buf_addc(&one, '\n');
	put(s, buf_str(&one));
	n = scan(s);
	assert_int_equal(n.lines, 1);
	assert_int_equal(n.tail.end, JOURNAL_CORRUPT);
	assert_non_null(strstr(n.tail.why, "generation 1 after 2"));
	buf_release(&two);
	buf_release(&one);
}

/* A reader beside a writer waits for it, and does not judge what it can't. */
static void
a_reader_does_not_judge_an_append_under_way(void **state)
{
	struct setup *s = *state;
	struct commit_count c;
	struct journal j;
	struct buf all;

	append(s, 1, 2);
	all = slurp(s);
	put(s, str_part(buf_str(&all), 0, all.len - 10));
	journal_init(&j, &s->fs, s->dir);
	assert_int_equal(journal_lock(&j, 0, &s->err), PAWL_OK);
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_IN_FLIGHT);
	assert_int_equal(c.lines, 1);
	journal_close(&j);
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_TORN);
	assert_int_equal(c.lines, 1);

	/* Without a lock file nobody can be appending. */
	assert_int_equal(fs_remove(&s->fs, s->dir, "lock", &s->err), PAWL_OK);
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_TORN);
	buf_release(&all);
}

/* C006: who holds the old file sees that the path leads to another. */
static void
an_appender_follows_a_replaced_journal(void **state)
{
	struct setup *s = *state;
	struct journal_repaired r;
	struct journal a, b;

	journal_init(&a, &s->fs, s->dir);
	journal_init(&b, &s->fs, s->dir);
	for (uint64_t n = 1; n <= 9; n += 3) {
		int poison;

		assert_int_equal(commit_one(&a, commit_events(&s->events, n, 9),
					 &s->err),
			PAWL_OK);
		assert_int_equal(
			commit_one(&b, commit_events(&s->events, n + 1, 9),
				&s->err),
			PAWL_OK);
		assert_int_equal(fs_open(&s->fs, s->dir, "poison",
					 O_CREAT | O_WRONLY, &poison, &s->err),
			PAWL_OK);
		fs_close(&s->fs, &poison);
		assert_int_equal(
			commit_one(&a, STR("[{}]"), &s->err), PAWL_EIO);
		assert_int_equal(s->err.code, ERR_POISONED);
		assert_true(journal_is_poisoned(&b));
		assert_int_equal(journal_repair(&b, 0, &r, &s->err), PAWL_OK);
		assert_int_equal(r.bytes, 0);
		assert_int_equal(
			commit_one(&a, commit_events(&s->events, n + 2, 9),
				&s->err),
			PAWL_OK);
	}
	journal_close(&a);
	journal_close(&b);
	assert_int_equal(scan(s).sum, 45);
	assert_int_equal(scan(s).lines, 9);
}

/* C024: what is no UTF-8 at the end is a torn end like any other, kept as it
 * was; the rule of the tail comes before that of the text. */
static void
a_tail_that_is_no_text_is_set_aside(void **state)
{
	static const char *const tails[] = { "\xff", "\xc0\xaf", "\xf0\x9f",
		"\xed\xa0\xbd", "{\"v\":1,\"at\":\"\xe9", "\xff\xfe{" };
	struct setup *s = *state;
	struct buf good;

	append(s, 1, 2);
	good = slurp(s);
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		struct str tail = str_from(tails[i]);
		struct journal_repaired r;
		struct buf all = { 0 }, kept = { 0 };

		buf_add(&all, buf_str(&good));
		buf_add(&all, tail);
		put(s, buf_str(&all));
		assert_int_equal(scan(s).tail.end, JOURNAL_TORN);
		assert_int_equal(scan(s).lines, 2);
		r = catch_up(s);
		assert_int_equal(r.bytes, tail.len);
		assert_int_equal(
			artifact_get(&s->fs, s->dir, str_from(r.artifact),
				1 << 20, &kept, &s->err),
			PAWL_OK);
		assert_true(str_eq(buf_str(&kept), tail));
		append(s, 3, 3);
		assert_int_equal(scan(s).lines, 3);
		assert_int_equal(scan(s).tail.end, JOURNAL_WHOLE);
		buf_release(&all);
		buf_release(&kept);
	}
	buf_release(&good);
}

/* C009: a torn end is archived once, however often it is found. */
static void
one_torn_end_makes_one_artifact(void **state)
{
	struct setup *s = *state;
	struct buf all, names = { 0 };
	int dir = -1;

	append(s, 1, 2);
	all = slurp(s);
	for (int i = 0; i < 5; i++) {
		put(s, str_part(buf_str(&all), 0, all.len - 10));
		assert_true(catch_up(s).bytes > 0);
		assert_int_equal(catch_up(s).bytes, 0);
	}
	assert_int_equal(
		fs_open_dir(&s->fs, s->dir, "artifacts/sha256", &dir, &s->err),
		PAWL_OK);
	assert_int_equal(fs_list(&s->fs, dir, &names, &s->err), PAWL_OK);
	assert_int_equal(names.len, SHA256_HEX + 1);
	fs_close(&s->fs, &dir);
	buf_release(&names);
	buf_release(&all);
}

static void
a_tail_of_nul_is_torn_and_a_hole_before_the_end_is_corrupt(void **state)
{
	struct setup *s = *state;
	struct commit_count c;
	struct buf all;

	append(s, 1, 3);
	all = slurp(s);
	memset(all.data + all.len - 60, 0, 59); /* the LF stays */
	put(s, buf_str(&all));
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_TORN);
	assert_int_equal(c.lines, 2);
	memset(all.data + 100, 0, 10); /* in the first line */
	put(s, buf_str(&all));
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_CORRUPT);
	assert_int_equal(c.lines, 0);
	memset(all.data, 0, all.len);
	put(s, buf_str(&all));
	c = scan(s);
	assert_int_equal(c.tail.end, JOURNAL_TORN);
	assert_int_equal(c.tail.bytes, all.len);
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
		T(a_line_over_the_limit_is_refused_at_write_time),
		T(words_and_times_are_checked_before_anything_is_written),
		T(an_append_is_one_write_and_one_sync),
		T(a_wrong_line_with_a_right_chain_is_corrupt),
		T(unknown_members_after_the_events_are_passed_over),
		T(the_highest_generation_is_read_again),
		T(macs_are_told_by_the_key),
		T(the_generation_never_falls_and_time_may),
		T(a_reader_does_not_judge_an_append_under_way),
		T(an_appender_follows_a_replaced_journal),
		T(a_tail_that_is_no_text_is_set_aside),
		T(one_torn_end_makes_one_artifact),
		T(a_tail_of_nul_is_torn_and_a_hole_before_the_end_is_corrupt),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
