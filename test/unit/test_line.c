/*
 * The golden bytes of docs/journal-format.md, decoded and encoded again.  The
 * source tree is the working directory's parent, or $PAWL_SOURCE.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "os/fs.h"
#include "store/line.h"

#define RUN_KEY STR("the run's key")

static struct buf
source_file(const char *name)
{
	const char *top = getenv("PAWL_SOURCE");
	struct pawl_err err = { 0 };
	struct buf b = { 0 };
	char path[4096];

	(void)snprintf(path, sizeof(path), "%s/%s", top ? top : "..", name);
	if (fs_read(&fs_real, AT_FDCWD, path, 1 << 20, &b, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	return b;
}

/* The array of events and what follows it, up to mac or chain. */
static struct str
body_of(struct str bytes, const struct line *l)
{
	const char *body = strstr(bytes.ptr, ",\"events\":") + 10;
	size_t end = bytes.len - LINE_CHAIN_BYTES -
		(l->mac.len > 0 ? LINE_MAC_BYTES : 0);

	return (struct str){ body, end - (size_t)(body - bytes.ptr) };
}

static void
golden_lines_are_decoded_and_encoded_again(void **state)
{
	static const struct {
		uint64_t gen;
		const char *actor, *key;
		uint32_t events;
		bool mac;
	} want[] = {
		{ 1, "coordinator:c1", "", 1, true },
		{ 1, "coordinator:c1", "", 2, true },
		{ 1, "human:ada", "approve-1", 1, false },
		{ 2, "coordinator:c2", "", 1, false },
	};
	struct buf golden = source_file("test/golden/journal/events.jsonl");
	struct buf doc = source_file("docs/journal-format.md");
	struct str rest = buf_str(&golden);
	char chain[SHA256_HEX + 1];
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	size_t n = 0;

	(void)state;
	memset(chain, '0', SHA256_HEX);
	chain[SHA256_HEX] = '\0';
	for (; rest.len > 0; n++) {
		struct str bytes = str_cut(&rest, '\n');
		char *copy = arena_strdup(&mem, bytes);
		char before[SHA256_HEX + 1];
		struct buf again = { 0 };
		struct line l;

		assert_true(n < sizeof(want) / sizeof(want[0]));
		memcpy(before, chain, sizeof(before));
		assert_true(line_verify(bytes, chain));
		assert_int_equal(line_has_mac_of(bytes, RUN_KEY), want[n].mac);
		assert_false(line_has_mac_of(bytes, STR("another")));
		assert_int_equal(
			line_read(&mem, copy, bytes.len, &l, &err), PAWL_OK);
		assert_int_equal(l.seq, n + 1);
		assert_int_equal(l.gen, want[n].gen);
		assert_true(str_eq(l.actor, str_from(want[n].actor)));
		assert_true(str_eq(l.key, str_from(want[n].key)));
		assert_int_equal(l.events->count, want[n].events);
		assert_int_equal(l.mac.len > 0, want[n].mac);
		assert_int_equal(
			line_write(&again, &l, body_of(bytes, &l),
				want[n].mac ? RUN_KEY : (struct str){ 0 },
				before, &err),
			PAWL_OK);
		assert_true(str_eq(buf_str(&again), bytes));
		assert_string_equal(before, chain);
		/* The document tells the same chain. */
		assert_non_null(strstr(doc.data, chain));
		buf_release(&again);
	}
	assert_int_equal(n, sizeof(want) / sizeof(want[0]));
	arena_reset(&mem);
	buf_release(&golden);
	buf_release(&doc);
}

/* Both ways to read a line say the same of it; only the events differ. */
static void
plain_lines_are_read_the_same(void **state)
{
#define CLOSED "{\"type\":\"run_closed\",\"data\":{\"outcome\":\"o\"}}"
	static const struct {
		const char *events, *key;
		uint32_t count; /* of plain ones; 0: the line isn't plain */
		bool mac;
	} rows[] = {
		{ "[" CLOSED "]", "", 1, false },
		{ "[" CLOSED "]", "", 1, true },
		{ "[" CLOSED "," CLOSED "]", "k-1", 2, false },
		{ "[" CLOSED "," CLOSED "]", "k-1", 2, true },
		{ "[" CLOSED "],\"later\":1", "", 0, true },
		{ "[" CLOSED ",{\"type\":\"run_opened\",\"data\":{}}]", "", 0,
			false },
		{ "[" CLOSED ", " CLOSED "]", "", 0, false },
	};
#undef CLOSED
	struct plain_events events = { 0 };
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct line a = { .seq = 7,
			.gen = 3,
			.at = STR("2026-11-30T11:24:23.123456Z"),
			.actor = STR("human:ada"),
			.key = str_from(rows[i].key),
			.request = STR("957f8cdd4142ef06") };
		char chain[SHA256_HEX + 1] = "";
		struct pawl_err err = { 0 };
		struct buf out = { 0 };
		struct line b = { 0 };

		assert_int_equal(
			line_write(&out, &a, str_from(rows[i].events),
				rows[i].mac ? RUN_KEY : (struct str){ 0 },
				chain, &err),
			PAWL_OK);
		assert_int_equal(
			line_read_plain(&mem, buf_str(&out), &events, &b),
			rows[i].count > 0);
		assert_ptr_equal(b.plain, rows[i].count ? &events : NULL);
		assert_int_equal(events.count, rows[i].count);
		assert_null(b.events);
		assert_int_equal(
			line_read(&mem, out.data, out.len, &a, &err), PAWL_OK);
		assert_null(a.plain);
		if (rows[i].count > 0) {
			assert_int_equal(a.events->count, rows[i].count);
			assert_int_equal(a.seq, b.seq);
			assert_int_equal(a.gen, b.gen);
			assert_true(str_eq(a.at, b.at));
			assert_true(str_eq(a.actor, b.actor));
			assert_true(str_eq(a.key, b.key));
			assert_true(str_eq(a.request, b.request));
			assert_true(str_eq(a.mac, b.mac));
			assert_int_equal(b.mac.len > 0, rows[i].mac);
		}
		buf_release(&out);
	}
	plain_events_release(&events);
	arena_reset(&mem);
}

/* The hex dump in the document is of the golden file. */
static void
the_document_shows_the_golden_bytes(void **state)
{
	struct buf golden = source_file("test/golden/journal/events.jsonl");
	struct buf doc = source_file("docs/journal-format.md");
	struct str line = buf_str(&golden);

	(void)state;
	for (size_t at = 0; at < 80; at += 16) {
		struct buf row = { 0 };

		buf_addf(&row, "%08zx:", at);
		for (size_t i = 0; i < 16; i += 2) {
			buf_addc(&row, ' ');
			buf_addhex(&row, golden.data + at + i, 2);
		}
		buf_add(&row, STR("  "));
		buf_add(&row, str_part(line, at, 16));
		buf_addc(&row, '\n');
		assert_non_null(strstr(doc.data, row.data));
		buf_release(&row);
	}
	buf_release(&golden);
	buf_release(&doc);
}

static void
words_have_limits(void **state)
{
	char room[LINE_WORD_MAX + 1];

	(void)state;
	memset(room, '~', sizeof(room));
	for (size_t len = 0; len <= sizeof(room); len++)
		assert_int_equal(line_is_word((struct str){ room, len }),
			len >= 1 && len <= LINE_WORD_MAX);
	for (int c = 0; c < 256; c++) {
		room[0] = (char)c;
		assert_int_equal(line_is_word((struct str){ room, 1 }),
			c > ' ' && c <= '~' && c != '"' && c != '\\');
	}
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(golden_lines_are_decoded_and_encoded_again),
		cmocka_unit_test(plain_lines_are_read_the_same),
		cmocka_unit_test(the_document_shows_the_golden_bytes),
		cmocka_unit_test(words_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
