/*
 * Property: all ways to read a document say the same; a document that is read,
 * written and read again gives the same bytes and the same tape; what is taken
 * strictly is taken loosely, too; a refusal has a place inside the input.
 */
#include <string.h>

#include "fuzz.h"

#include "json_ways.h"
#include "text/json.h"
#include "text/utf8.h"

static enum pawl_rc
read_copy(struct arena *mem, struct str text, enum json_flags flags,
	struct str *ret_copy, const struct json **ret_json,
	struct pawl_err *err)
{
	char *copy = malloc(text.len ? text.len : 1);

	FUZZ_CHECK(copy != NULL);
	if (text.len > 0)
		memcpy(copy, text.ptr, text.len);
	*ret_copy = (struct str){ copy, text.len };
	return json_read(mem, copy, text.len, flags, ret_json, err);
}

static void
check_tape(const struct json *v, struct str text)
{
	struct arena mem = ARENA_INIT;
	struct json_lines lines = { 0 };
	uint32_t last_line = 1;

	FUZZ_CHECK(v->span >= 1);
	json_lines_find(&lines, &mem, v, text);
	for (uint32_t i = 0; i < v->span; i++) {
		uint32_t line = 0, column = 0;

		FUZZ_CHECK(v[i].span >= 1 && v[i].span <= v->span - i);
		FUZZ_CHECK(v[i].count < v[i].span);
		FUZZ_CHECK(v[i].at < text.len);
		FUZZ_CHECK(i == 0 || v[i].at > v[i - 1].at);
		if (v[i].kind == JSON_STRING)
			FUZZ_CHECK(utf8_valid(v[i].text) == v[i].text.len);
		json_where(&lines, v[i].at, &line, &column);
		FUZZ_CHECK(line >= last_line && column >= 1);
		last_line = line;
	}
	arena_reset(&mem);
}

static void
check_same(const struct json *a, const struct json *b)
{
	FUZZ_CHECK(a->kind == b->kind);
	FUZZ_CHECK(a->span == b->span);
	FUZZ_CHECK(a->count == b->count);
	FUZZ_CHECK(a->duplicate == b->duplicate);
	if (a->kind == JSON_STRING || a->kind == JSON_REAL) {
		FUZZ_CHECK(str_eq(a->text, b->text));
	} else {
		FUZZ_CHECK(a->n == b->n);
	}
}

static void
check_again(const struct json *v, enum json_flags flags, bool pretty)
{
	struct arena mem = ARENA_INIT;
	struct buf first = { 0 }, second = { 0 };
	struct json_writer w = { .out = &first, .pretty = pretty };
	struct json_writer w2 = { .out = &second, .pretty = pretty };
	struct pawl_err err = { 0 };
	const struct json *again = NULL;
	struct str copy;

	json_put(&w, v);
	FUZZ_CHECK(read_copy(&mem, buf_str(&first), flags, &copy, &again,
			   &err) == PAWL_OK);
	for (uint32_t i = 0; i < v->span; i++)
		check_same(&v[i], &again[i]);
	json_put(&w2, again);
	FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	free((char *)(uintptr_t)copy.ptr);
	buf_release(&first);
	buf_release(&second);
	arena_reset(&mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct str text = fuzz_str(data, size), strict, loose;
	enum json_flags keep = JSON_KEEP_DUPLICATES | JSON_KEEP_NUL;
	const struct json *v = NULL, *v_loose = NULL;
	struct pawl_err err = { 0 };

	FUZZ_CHECK(json_ways_differ(text, JSON_STRICT) == NULL);
	FUZZ_CHECK(json_ways_differ(text, keep) == NULL);
	if (read_copy(&mem, text, JSON_STRICT, &strict, &v, &err) == PAWL_OK) {
		check_tape(v, strict);
		check_again(v, JSON_STRICT, false);
	} else {
		FUZZ_CHECK(v == NULL);
		FUZZ_CHECK(err.code == ERR_NOT_JSON || err.code == ERR_LIMIT ||
			err.code == ERR_INVALID_DOCUMENT);
		FUZZ_CHECK(strstr(err.msg, " at line ") != NULL);
		FUZZ_CHECK(err.detail.len > 0);
	}
	if (read_copy(&mem, text, keep, &loose, &v_loose, &err) == PAWL_OK) {
		check_tape(v_loose, loose);
		check_again(v_loose, keep, true);
	} else {
		FUZZ_CHECK(v == NULL);
	}
	free((char *)(uintptr_t)strict.ptr);
	free((char *)(uintptr_t)loose.ptr);
	arena_reset(&mem);
	return 0;
}
