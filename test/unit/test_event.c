/* Events as they are written and read, by those of golden_events.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "golden_events.h"
#include "model/event.h"

/* Read one event from a copy of its bytes. */
static enum pawl_rc
read_text(struct arena *mem, struct str text, struct event *ret_event,
	struct pawl_err *err)
{
	char *bytes = arena_strdup(mem, text);
	const struct json *v;

	*err = (struct pawl_err){ 0 };
	if (json_read(mem, bytes, text.len, JSON_STRICT, &v, err) != PAWL_OK)
		fail_msg("%s in %.*s", err->msg, STR_ARG(text));
	return event_read(v, mem, ret_event, err);
}

static void
assert_written(const struct event *e, struct str want)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	event_write(&w, e);
	assert_true(out.len > 0 && out.data != NULL);
	if (!str_eq(buf_str(&out), want))
		fail_msg("wrote %s\nnot   %.*s", out.data, STR_ARG(want));
	buf_release(&out);
}

static void
each_golden_event_is_written_as_it_was_read(void **state)
{
	const struct golden *g = *state;
	bool seen[EVENT_TYPE_COUNT] = { false };
	struct arena mem = ARENA_INIT;

	for (size_t i = 0; i < g->count; i++) {
		struct event e;
		struct pawl_err err;

		if (read_text(&mem, g->lines[i], &e, &err) != PAWL_OK)
			fail_msg("%s", err.msg);
		assert_written(&e, g->lines[i]);
		seen[e.type] = true;
	}
	for (enum event_type i = 0; i < EVENT_TYPE_COUNT; i++) {
		if (!seen[i])
			fail_msg("no golden %s",
				event_word((enum event_type)i).ptr);
	}
	arena_reset(&mem);
}

/*
 * The event's JSON with member `which` of its data left out (`value` NULL), or
 * with another value.
 */
static struct str
changed(struct arena *mem, struct str line, uint32_t which, const char *value)
{
	char *bytes = arena_strdup(mem, line);
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct pawl_err err;
	const struct json *v, *key;
	struct str text;

	if (json_read(mem, bytes, line.len, JSON_STRICT, &v, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	json_open(&w, '{');
	json_pair_str(&w, STR("type"), json_str(json_get(v, STR("type"))));
	json_pair_str(&w, STR("node"), STR("API-01"));
	json_pair_str(&w, STR("attempt"), STR("API-01@1"));
	v = json_get(v, STR("data"));
	json_key(&w, STR("data"));
	json_open(&w, '{');
	key = v + 1;
	for (uint32_t i = 0; i < v->count; i++) {
		if (i != which || value != NULL) {
			json_key(&w, key->text);
			if (i == which)
				json_put_raw(&w, str_from(value));
			else
				json_put(&w, key + 1);
		}
		key = key + 1 + key[1].span;
	}
	json_close(&w, '}');
	json_close(&w, '}');
	text = arena_copy(mem, buf_str(&out));
	buf_release(&out);
	return text;
}

static uint32_t
data_count(struct arena *mem, struct str line, struct str word, bool *ret_has)
{
	char *bytes = arena_strdup(mem, line);
	struct pawl_err err;
	const struct json *v;

	if (json_read(mem, bytes, line.len, JSON_STRICT, &v, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	v = json_get(v, STR("data"));
	*ret_has = json_get(v, word) != NULL;
	return v->count;
}

/* The key of member `which`. */
static struct str
data_key(struct arena *mem, struct str line, uint32_t which)
{
	char *bytes = arena_strdup(mem, line);
	struct pawl_err err;
	const struct json *v;

	if (json_read(mem, bytes, line.len, JSON_STRICT, &v, &err) != PAWL_OK)
		fail_msg("%s", err.msg);
	v = json_get(v, STR("data")) + 1;
	for (; which > 0; which--)
		v = v + 1 + v[1].span;
	return v->text;
}

/* The shortest golden event of the same kind as line `at`. */
static struct str
least_of(const struct golden *g, size_t at)
{
	struct str kind =
		str_part(g->lines[at], 0, str_find(g->lines[at], ','));

	return at + 1 < g->count && str_starts(g->lines[at + 1], kind)
		? g->lines[at + 1]
		: g->lines[at];
}

static void
a_field_that_must_be_there_is_missed(void **state)
{
	const struct golden *g = *state;
	struct arena mem = ARENA_INIT;
	uint32_t refused = 0, passed = 0;
	bool has;

	for (size_t i = 0; i < g->count; i++) {
		uint32_t count = data_count(&mem, g->lines[i], STR(""), &has);

		for (uint32_t k = 0; k < count; k++) {
			struct str key = data_key(&mem, g->lines[i], k);
			struct event e;
			struct pawl_err err;
			enum pawl_rc rc = read_text(&mem,
				changed(&mem, g->lines[i], k, NULL), &e, &err);

			(void)data_count(&mem, least_of(g, i), key, &has);
			assert_int_equal(rc, has ? PAWL_ECORRUPT : PAWL_OK);
			if (has) {
				assert_int_equal(err.code, ERR_CORRUPT);
				refused++;
			} else {
				passed++;
			}
		}
		arena_reset(&mem);
	}
	assert_true(refused > 100);
	assert_true(passed > 30);
}

static void
a_field_of_another_type_is_refused(void **state)
{
	static const char *const values[] = { "null", "-1", "1.5", "{}", "[1]",
		"99999999999999999999" };
	const struct golden *g = *state;
	struct arena mem = ARENA_INIT;
	bool has;

	for (size_t i = 0; i < g->count; i++) {
		uint32_t count = data_count(&mem, g->lines[i], STR(""), &has);

		for (uint32_t k = 0; k < count * 6; k++) {
			struct event e;
			struct pawl_err err;

			if (read_text(&mem,
				    changed(&mem, g->lines[i], k / 6,
					    values[k % 6]),
				    &e, &err) == PAWL_OK)
				fail_msg("%s was taken in %.*s", values[k % 6],
					STR_ARG(g->lines[i]));
			assert_int_equal(err.code, ERR_CORRUPT);
		}
		arena_reset(&mem);
	}
}

struct shape {
	const char *text;
	enum pawl_code code;
};

static void
a_shape_that_no_version_wrote_is_refused(void **state)
{
	static const struct shape shapes[] = {
		{ "{}", ERR_CORRUPT },
		{ "[]", ERR_CORRUPT },
		{ "null", ERR_CORRUPT },
		{ "\"run_closed\"", ERR_CORRUPT },
		{ "{\"type\":\"run_closed\"}", ERR_CORRUPT },
		{ "{\"type\":\"run_closed\",\"data\":[]}", ERR_CORRUPT },
		{ "{\"type\":1,\"data\":{}}", ERR_CORRUPT },
		{ "{\"type\":\"\",\"data\":{}}", ERR_CORRUPT },
		{ "{\"type\":\"node_blocked\",\"data\":{\"reason\":\"r\","
		  "\"message\":\"m\"}}",
			ERR_CORRUPT },
		{ "{\"type\":\"node_blocked\",\"node\":\"\",\"data\":{"
		  "\"reason\":\"r\",\"message\":\"m\"}}",
			ERR_CORRUPT },
		{ "{\"type\":\"attempt_lost\",\"node\":\"A\",\"data\":{"
		  "\"cause\":\"c\"}}",
			ERR_CORRUPT },
		{ "{\"type\":\"run_started2\",\"data\":{}}", ERR_NEWER_FORMAT },
		{ "{\"type\":\"run_starte\",\"data\":{}}", ERR_NEWER_FORMAT },
		{ "{\"type\":\"RUN_CLOSED\",\"data\":{}}", ERR_NEWER_FORMAT },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		struct event e = { .type = EV_RUN_CLOSED };
		struct pawl_err err;

		assert_int_not_equal(
			read_text(&mem, str_from(shapes[i].text), &e, &err),
			PAWL_OK);
		assert_int_equal(err.code, shapes[i].code);
		assert_int_equal(e.type, EV_RUN_CLOSED); /* untouched */
	}
	arena_reset(&mem);
}

static void
a_field_of_a_newer_version_is_passed_over(void **state)
{
	const char *text =
		"{\"type\":\"run_closed\",\"novel\":{\"a\":[1]},\"data\":{"
		"\"mood\":{\"deep\":[{}]},\"outcome\":\"pass\",\"z\":null}}";
	struct arena mem = ARENA_INIT;
	struct pawl_err err;
	struct event e;

	(void)state;
	assert_int_equal(read_text(&mem, str_from(text), &e, &err), PAWL_OK);
	assert_true(str_eq(e.outcome, STR("pass")));
	assert_false(event_has(&e, F_REASON));
	arena_reset(&mem);
}

/* Members in any order: only the writer has one. */
static void
the_order_of_fields_makes_no_difference(void **state)
{
	const char *text = "{\"data\":{\"message\":\"m\",\"reason\":\"r\"},"
			   "\"node\":\"A\",\"type\":\"node_blocked\"}";
	struct arena mem = ARENA_INIT;
	struct pawl_err err;
	struct event e;

	(void)state;
	assert_int_equal(read_text(&mem, str_from(text), &e, &err), PAWL_OK);
	assert_written(&e,
		STR("{\"type\":\"node_blocked\",\"node\":\"A\",\"data\":{"
		    "\"reason\":\"r\",\"message\":\"m\"}}"));
	arena_reset(&mem);
}

/* An inode of overlayfs has its highest bits set; it came back as no number. */
static void
numbers_use_all_of_their_64_bits(void **state)
{
	static const uint64_t numbers[] = { 0, 1, INT64_MAX,
		(uint64_t)INT64_MAX + 1, UINT64_MAX };
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		struct event e = { .type = EV_CLEANUP_REGISTERED,
			.node = STR("A"),
			.attempt = STR("A@1") };
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };
		struct pawl_err err;
		struct event read;

		EVENT_SET(&e, F_CLEANUP, cleanup, STR("c1"));
		EVENT_SET(&e, F_KIND, kind, STR("worktree"));
		EVENT_SET(&e, F_TARGET, target, STR("/wt"));
		EVENT_SET(&e, F_INO, ino, numbers[i]);
		event_write(&w, &e);
		assert_int_equal(
			read_text(&mem, buf_str(&out), &read, &err), PAWL_OK);
		assert_true(read.ino == numbers[i]);
		buf_release(&out);
	}
	arena_reset(&mem);
}

static void
the_table_has_a_row_a_kind(void **state)
{
	struct buf out = { 0 };
	size_t rows = 0;

	(void)state;
	event_table_write(&out);
	for (size_t i = 0; i < out.len; i++)
		rows += out.data[i] == '\n';
	assert_int_equal(rows, EVENT_TYPE_COUNT + 2);
	assert_non_null(strstr(
		out.data, "| `node_blocked` | node | reason message |\n"));
	assert_non_null(strstr(out.data,
		"| `run_closed` | run | outcome reason? path_count:int? "
		"paths:list? |\n"));
	buf_release(&out);
	assert_int_equal(event_word(EVENT_TYPE_COUNT).len, 0);
}

/* As many as there are room and places for; the rest is only counted. */
static void
an_event_lists_as_many_paths_as_a_line_has_room_for(void **state)
{
	static char text[BOUND_EVENT_PATHS_BYTES + 1];
	static const struct {
		size_t len;
		uint32_t want;
	} rows[] = {
		{ 1, BOUND_EVENT_PATHS },
		{ BOUND_EVENT_PATHS_BYTES / BOUND_EVENT_PATHS,
			BOUND_EVENT_PATHS },
		{ BOUND_EVENT_PATHS_BYTES / BOUND_EVENT_PATHS + 1,
			BOUND_EVENT_PATHS - 1 },
		{ BOUND_EVENT_PATHS_BYTES, 1 },
		{ BOUND_EVENT_PATHS_BYTES + 1, 0 },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct strs list = { 0 };

		for (uint32_t n = 0; n < BOUND_EVENT_PATHS + 2; n++)
			event_list_path(
				&mem, &list, (struct str){ text, rows[i].len });
		assert_int_equal(list.count, rows[i].want);
	}
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_golden_event_is_written_as_it_was_read),
		cmocka_unit_test(a_field_that_must_be_there_is_missed),
		cmocka_unit_test(a_field_of_another_type_is_refused),
		cmocka_unit_test(a_shape_that_no_version_wrote_is_refused),
		cmocka_unit_test(a_field_of_a_newer_version_is_passed_over),
		cmocka_unit_test(the_order_of_fields_makes_no_difference),
		cmocka_unit_test(numbers_use_all_of_their_64_bits),
		cmocka_unit_test(the_table_has_a_row_a_kind),
		cmocka_unit_test(
			an_event_lists_as_many_paths_as_a_line_has_room_for),
	};

	return cmocka_run_group_tests(tests, golden_open, golden_close);
}
