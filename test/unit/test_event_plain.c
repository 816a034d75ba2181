/*
 * Plain events against the reader of JSON: a part of what it takes, and the
 * same, by those of golden_events.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "golden_events.h"
#include "model/event_plain.h"
#include "model/event_table.h"

/* The events of an array by the reader of JSON; false when it refuses them. */
static bool
read_tape(struct arena *mem, struct str text, struct events *events)
{
	char *bytes = arena_strdup(mem, text);
	struct pawl_err err;
	const struct json *v, *item;

	if (json_read(mem, bytes, text.len, JSON_STRICT, &v, &err) != PAWL_OK ||
		v->kind != JSON_ARRAY)
		return false;
	item = v + 1;
	for (uint32_t i = 0; i < v->count; i++) {
		struct event e;

		if (event_read(item, mem, &e, &err) != PAWL_OK)
			return false;
		events_push(events, e);
		item += item->span;
	}
	return true;
}

static bool
is_zero(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < len; i++) {
		if (p[i] != 0)
			return false;
	}
	return true;
}

/* What an event doesn't have is zero, whatever its room held before. */
static void
assert_nothing_else(const struct event *e)
{
	static const size_t sizes[] = { [TYPE_STR] = sizeof(struct str),
		[TYPE_INT] = sizeof(uint64_t),
		[TYPE_BOOL] = sizeof(bool),
		[TYPE_LIST] = sizeof(struct strs) };

	for (size_t i = 0; i < EVENT_FIELD_COUNT; i++) {
		const struct event_field_info *f = &event_fields[i];

		if (!event_has(e, (enum event_field)i) &&
			!is_zero((const char *)e + f->offset, sizes[f->type]))
			fail_msg("%s has a '%s' of an event before",
				event_word(e->type).ptr, f->word.ptr);
	}
}

static void
assert_same(const struct event *a, const struct event *b)
{
	struct buf one = { 0 }, other = { 0 };
	struct json_writer w = { .out = &one }, v = { .out = &other };

	assert_int_equal(a->type, b->type);
	assert_true(str_eq(a->node, b->node));
	assert_true(str_eq(a->attempt, b->attempt));
	assert_memory_equal(a->has, b->has, sizeof(a->has));
	event_write(&w, a);
	event_write(&v, b);
	assert_true(one.len > 0 && str_eq(buf_str(&one), buf_str(&other)));
	assert_nothing_else(a);
	buf_release(&one);
	buf_release(&other);
}

/* Whether the text is plain; if it is, the reader of JSON says the same. */
static bool
is_plain(struct plain_events *plain, struct arena *mem, struct str text)
{
	struct events events = { 0 };
	const struct event *e;

	if (!plain_events_read(plain, text, mem)) {
		assert_int_equal(plain->count, 0);
		return false;
	}
	if (!read_tape(mem, text, &events))
		fail_msg("taken, although it's no event: %.*s", STR_ARG(text));
	assert_int_equal(plain->count, events.count);
	VEC_EACH (e, &events)
		assert_same(&plain->items[e - events.items], e);
	events_release(&events);
	return true;
}

static void
what_the_writer_writes_without_escapes_is_plain(void **state)
{
	const struct golden *g = *state;
	struct plain_events plain = { 0 };
	struct arena mem = ARENA_INIT;
	struct buf all = { 0 };
	uint32_t count = 0;

	for (size_t i = 0; i < 2 * g->count; i++) {
		/* Back again, so that the larger of a kind follows, too. */
		struct str line =
			g->lines[i < g->count ? i : 2 * g->count - 1 - i];
		bool escapes = str_find(line, '\\') < line.len;

		if (is_plain(&plain, &mem,
			    arena_format(&mem, "[" STR_FMT "]",
				    STR_ARG(line))) == escapes)
			fail_msg("not plain, or wrongly: %.*s", STR_ARG(line));
		if (escapes)
			continue;
		buf_addf(&all, "%c" STR_FMT, count++ == 0 ? '[' : ',',
			STR_ARG(line));
	}
	buf_addc(&all, ']');
	assert_true(count > EVENT_TYPE_COUNT);
	assert_true(is_plain(&plain, &mem, buf_str(&all)));
	assert_int_equal(plain.count, count);
	buf_release(&all);
	plain_events_release(&plain);
	arena_reset(&mem);
}

/* Any byte may be another, or the last: no such text is taken for what it
 * isn't. */
static void
a_changed_byte_is_taken_as_the_reader_takes_it(void **state)
{
	static const char others[] = "\"\\,0}: \x80\x1f";
	const struct golden *g = *state;
	struct plain_events plain = { 0 };
	struct arena mem = ARENA_INIT;
	size_t taken = 0, refused = 0;

	for (size_t i = 0; i < g->count; i++) {
		char text[4096];
		size_t len = g->lines[i].len + 2;

		assert_true(len < sizeof(text));
		text[0] = '[';
		memcpy(text + 1, g->lines[i].ptr, g->lines[i].len);
		text[len - 1] = ']';
		for (size_t at = 0; at < len * (sizeof(others) - 1); at++) {
			char was = text[at % len];

			text[at % len] = others[at / len];
			if (is_plain(&plain, &mem, (struct str){ text, len }))
				taken++;
			else
				refused++;
			text[at % len] = was;
			arena_reset(&mem);
		}
		for (size_t cut = 0; cut < len; cut++)
			assert_false(is_plain(
				&plain, &mem, (struct str){ text, cut }));
		arena_reset(&mem);
	}
	assert_true(taken > 1000);
	assert_true(refused > 10000);
	plain_events_release(&plain);
}

#define BLOCKED(data) \
	"[{\"type\":\"node_blocked\",\"node\":\"A\",\"data\":{" data "}}]"
#define REPAIRED(bytes)                                                 \
	"[{\"type\":\"journal_repaired\",\"data\":{\"artifact\":\"a\"," \
	"\"bytes\":" bytes "}}]"

static const struct {
	const char *text;
	bool plain;
} rows[] = {
	{ BLOCKED("\"reason\":\"r\",\"message\":\"m\""), true },
	{ BLOCKED("\"reason\":\"\",\"message\":\"\""), true },
	{ BLOCKED("\"reason\":\"gr\xc3\xb6\xc3\x9f"
		  "er\",\"message\":\"\xf0\x9f\x90\xa7\""),
		true },
	{ BLOCKED("\"reason\":\"\xc3\",\"message\":\"m\""), false },
	{ BLOCKED("\"reason\":\"\xed\xa0\x80\",\"message\":\"m\""), false },
	{ BLOCKED("\"reason\":\"\\n\",\"message\":\"m\""), false },
	{ BLOCKED("\"reason\":\"\t\",\"message\":\"m\""), false },
	{ BLOCKED("\"reason\": \"r\",\"message\":\"m\""), false },
	{ BLOCKED("\"message\":\"m\",\"reason\":\"r\""), false },
	{ BLOCKED("\"reason\":\"r\""), false },
	{ BLOCKED("\"message\":\"m\""), false },
	{ BLOCKED(""), false },
	{ BLOCKED("\"reason\":\"r\",\"reason\":\"r\","
		  "\"message\":\"m\""),
		false },
	{ BLOCKED("\"reason\":\"r\",\"message\":\"m\",\"new\":1"), false },
	{ BLOCKED("\"reason\":\"r\",\"message\":\"m\","), false },
	{ BLOCKED(",\"reason\":\"r\",\"message\":\"m\""), false },
	{ BLOCKED("\"reason\":1,\"message\":\"m\""), false },
	{ BLOCKED("\"reason\":null,\"message\":\"m\""), false },
	{ REPAIRED("0"), true },
	{ REPAIRED("9999999999999999999"), true },
	{ REPAIRED("10000000000000000000"), true },
	{ REPAIRED("18446744073709551615"), true },
	{ REPAIRED("18446744073709551616"), false },
	{ REPAIRED("118446744073709551615"), false },
	{ REPAIRED("01"), false },
	{ REPAIRED("-1"), false },
	{ REPAIRED("1.5"), false },
	{ REPAIRED("1e3"), false },
	{ REPAIRED(""), false },
	{ REPAIRED("\"1\""), false },
	{ "", false },
	{ "[]", false },
	{ "[", false },
	{ "[{}]", false },
	{ "[{\"type\":\"run_closed\",\"data\":{\"outcome\":\"o\"}}]", true },
	{ "[{\"type\":\"run_closed\",\"data\":{\"outcome\":\"o\"}}] ", false },
	{ "[{\"type\":\"run_closed\",\"data\":{\"outcome\":\"o\"}},]", false },
	{ "[{\"type\":\"run_closed\",\"node\":\"A\",\"data\":{"
	  "\"outcome\":\"o\"}}]",
		false },
	{ "[{\"type\":\"run_closed2\",\"data\":{\"outcome\":\"o\"}}]", false },
	{ "[{\"type\":\"attempt_lost\",\"node\":\"A\",\"attempt\":"
	  "\"A@1\",\"data\":{\"cause\":\"c\"}}]",
		true },
	{ "[{\"type\":\"attempt_lost\",\"node\":\"\",\"attempt\":"
	  "\"A@1\",\"data\":{\"cause\":\"c\"}}]",
		false },
	{ "[{\"type\":\"attempt_lost\",\"node\":\"A\",\"attempt\":"
	  "\"\",\"data\":{\"cause\":\"c\"}}]",
		false },
	{ "[{\"type\":\"attempt_lost\",\"node\":\"A\",\"data\":{"
	  "\"cause\":\"c\"}}]",
		false },
	{ "[{\"type\":\"scope_violated\",\"node\":\"A\",\"attempt\":"
	  "\"A@1\",\"data\":{\"path_count\":2,\"paths\":[\"x\","
	  "\"y\"]}}]",
		true },
	{ "[{\"type\":\"scope_violated\",\"node\":\"A\",\"attempt\":"
	  "\"A@1\",\"data\":{\"path_count\":2,\"paths\":[\"x\",]}}]",
		false },
	{ "[{\"type\":\"scope_violated\",\"node\":\"A\",\"attempt\":"
	  "\"A@1\",\"data\":{\"path_count\":2,\"paths\":[1]}}]",
		false },
};

static void
what_differs_is_left_to_the_reader(void **state)
{
	struct plain_events plain = { 0 };
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (is_plain(&plain, &mem, str_from(rows[i].text)) !=
			rows[i].plain)
			fail_msg("%s: %s", rows[i].plain ? "refused" : "taken",
				rows[i].text);
	}
	plain_events_release(&plain);
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_the_writer_writes_without_escapes_is_plain),
		cmocka_unit_test(
			a_changed_byte_is_taken_as_the_reader_takes_it),
		cmocka_unit_test(what_differs_is_left_to_the_reader),
	};

	return cmocka_run_group_tests(tests, golden_open, golden_close);
}
