/*
 * Property: every finding has a place within the text, in order, a node and a
 * message; the text never changes; a ledger without violations is written, read
 * again and written as the same bytes, with as many findings, and is judged
 * alike as a struct; --strict only turns notes into violations.
 */
#include <string.h>

#include "fuzz.h"

#include "model/ledger_read.h"
#include "text/utf8.h"

static void
check_findings(const struct ledger_findings *f, struct str text)
{
	uint32_t violations = 0, notes = 0;

	for (uint32_t i = 0; i < f->count; i++) {
		const struct ledger_finding *x = &f->items[i];
		uint32_t line = 0, column = 0;

		FUZZ_CHECK(x->at < text.len);
		FUZZ_CHECK(i == 0 || x->at >= f->items[i - 1].at);
		json_place(text, x->at, &line, &column);
		FUZZ_CHECK(x->line == line && x->column == column);
		FUZZ_CHECK(x->message.len > 0);
		FUZZ_CHECK(utf8_valid(x->message) == x->message.len);
		FUZZ_CHECK(x->pointer.len == 0 || x->pointer.ptr[0] == '/');
		violations += !x->note;
		notes += x->note;
	}
	FUZZ_CHECK(violations + notes + f->dropped == f->violations + f->notes);
}

static void
check_good(const struct ledger *l)
{
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];
		uint32_t node = 0;

		FUZZ_CHECK(n->broken == 0);
		FUZZ_CHECK(ledger_find(l, n->id, &node) && node == i);
		FUZZ_CHECK(n->history_count > 0);
		FUZZ_CHECK(n->history[0] == NODE_PENDING);
		FUZZ_CHECK(n->history[n->history_count - 1] == n->status);
		FUZZ_CHECK(n->attempt <= n->max_attempts);
		for (uint32_t k = 0; k < n->depends_count; k++)
			FUZZ_CHECK(
				n->depends[k] < l->count && n->depends[k] != i);
	}
}

static void
check_again(const struct ledger *l, const struct ledger_findings *f)
{
	struct buf first = { 0 }, second = { 0 };
	struct json_writer w = { .out = &first }, w2 = { .out = &second };
	struct ledger_findings again_f, struct_f;
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct ledger again;

	ledger_write(l, &w);
	FUZZ_CHECK(ledger_read(&mem, buf_str(&first), f->strict, &again,
			   &again_f, &err) == PAWL_OK);
	FUZZ_CHECK(again_f.violations == 0 && again_f.notes == f->notes);
	ledger_write(&again, &w2);
	FUZZ_CHECK(str_eq(buf_str(&first), buf_str(&second)));
	ledger_findings_init(&struct_f, STR(""), f->strict);
	ledger_judge(&again, &struct_f);
	FUZZ_CHECK(struct_f.violations == 0 && struct_f.notes == f->notes);
	ledger_findings_release(&struct_f);
	ledger_findings_release(&again_f);
	ledger_release(&again);
	buf_release(&first);
	buf_release(&second);
	arena_reset(&mem);
}

/* How many findings; UINT32_MAX when it is not JSON. */
static uint32_t
judge(struct str text, bool strict, uint32_t *ret_violations)
{
	struct ledger_findings f;
	struct arena mem = ARENA_INIT;
	struct pawl_err err = { 0 };
	struct ledger l;
	uint32_t all = UINT32_MAX;

	if (ledger_read(&mem, text, strict, &l, &f, &err) == PAWL_OK) {
		check_findings(&f, text);
		if (f.violations == 0) {
			check_good(&l);
			check_again(&l, &f);
		}
		all = f.violations + f.notes;
		*ret_violations = f.violations;
		ledger_findings_release(&f);
		ledger_release(&l);
	} else {
		FUZZ_CHECK(err.code == ERR_NOT_JSON || err.code == ERR_LIMIT);
		FUZZ_CHECK(err.detail.len > 0);
	}
	arena_reset(&mem);
	return all;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size);
	uint8_t *before = malloc(size ? size : 1);
	uint32_t loose = 0, strict = 0;

	FUZZ_CHECK(before != NULL);
	if (size > 0)
		memcpy(before, data, size);
	FUZZ_CHECK(judge(text, false, &loose) == judge(text, true, &strict));
	FUZZ_CHECK(strict >= loose);
	FUZZ_CHECK(size == 0 || memcmp(before, data, size) == 0);
	free(before);
	return 0;
}
