/*
 * Property: a report that is taken names its attempt, keeps the rules, and once
 * written is taken again as the same bytes; the input's bytes never change; a
 * refusal leaves the result alone.
 */
#include <string.h>

#include "fuzz.h"

#include "base/bounds.h"
#include "model/result.h"
#include "text/utf8.h"

static const struct result_of attempt = { { "A", 1 }, { "A@1", 3 } };

static void
check_texts(const struct str *texts, uint32_t count, size_t max)
{
	for (uint32_t i = 0; i < count; i++) {
		FUZZ_CHECK(texts[i].len > 0 && texts[i].len <= max);
		FUZZ_CHECK(utf8_valid(texts[i]) == texts[i].len);
		FUZZ_CHECK(memchr(texts[i].ptr, '\0', texts[i].len) == NULL);
	}
}

static void
check_good(const struct result *r, enum result_maker maker)
{
	FUZZ_CHECK(str_eq(r->task_id, attempt.task_id));
	FUZZ_CHECK(str_eq(r->attempt_id, attempt.attempt_id));
	FUZZ_CHECK(r->outcome == RESULT_REPORTED);
	FUZZ_CHECK(str_trim(r->summary).len > 0);
	if (maker == RESULT_BY_WORKER) {
		FUZZ_CHECK(
			r->checks_run_count > 0 || r->files_changed_count == 0);
	}
	check_texts(r->files_changed, r->files_changed_count, BOUND_PATH_BYTES);
	check_texts(r->checks_run, r->checks_run_count, BOUND_CHECK_BYTES);
	check_texts(r->evidence_refs, r->evidence_refs_count, BOUND_PATH_BYTES);
	check_texts(r->questions, r->questions_count, BOUND_TEXT_BYTES);
	for (uint32_t i = 0; i < r->files_changed_count; i++) {
		FUZZ_CHECK(r->files_changed[i].ptr[0] != '/');
		FUZZ_CHECK(!str_eq(r->files_changed[i], STR("..")));
		FUZZ_CHECK(!str_starts(r->files_changed[i], STR("../")));
	}
}

static void
check_written(
	struct arena *mem, const struct result *r, enum result_maker maker)
{
	struct buf first = { 0 }, second = { 0 };
	struct pawl_err err = { 0 };
	struct result again;

	FUZZ_CHECK(result_write(r, &first, &err) == PAWL_OK);
	FUZZ_CHECK(result_read(mem, buf_str(&first), attempt, maker, &again,
			   &err) == PAWL_OK);
	FUZZ_CHECK(result_write(&again, &second, &err) == PAWL_OK);
	FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	buf_release(&first);
	buf_release(&second);
}

static void
judge(struct arena *mem, struct str text, enum result_maker maker)
{
	struct result r = { .questions_count = 77 };
	struct pawl_err err = { 0 };

	if (result_read(mem, text, attempt, maker, &r, &err) == PAWL_OK) {
		check_good(&r, maker);
		check_written(mem, &r, maker);
	} else {
		FUZZ_CHECK(r.questions_count == 77);
		FUZZ_CHECK(err.msg[0] != '\0');
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena mem = ARENA_INIT;
	struct str text = fuzz_str(data, size);
	uint8_t *before = malloc(size ? size : 1);

	FUZZ_CHECK(before != NULL);
	if (size > 0)
		memcpy(before, data, size);
	judge(&mem, text, RESULT_BY_WORKER);
	judge(&mem, text, RESULT_SYNTHESIZED);
	FUZZ_CHECK(size == 0 || memcmp(before, data, size) == 0);
	free(before);
	arena_reset(&mem);
	return 0;
}
