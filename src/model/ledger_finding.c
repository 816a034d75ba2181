#include "model/ledger_finding.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/bounds.h"
#include "base/die.h"

#define ROW(name, word, class, sentence) { word, class, sentence },
static const struct ledger_rule_info rules[] = { LEDGER_RULE_MAP(ROW) };

const struct ledger_rule_info *
ledger_rule_info(enum ledger_rule rule)
{
	assert(rule < LEDGER_RULE_COUNT);
	return &rules[rule];
}

void
ledger_findings_init(struct ledger_findings *f, struct str text, bool strict)
{
	*f = (struct ledger_findings){ .text = text, .strict = strict };
}

void
ledger_findings_release(struct ledger_findings *f)
{
	free(f->items);
	arena_reset(&f->mem);
	*f = (struct ledger_findings){ 0 };
}

static bool
is_note(const struct ledger_findings *f, enum ledger_rule rule)
{
	enum ledger_class class = rules[rule].class;

	return class == LEDGER_NOTE || (class == LEDGER_STEP && !f->strict);
}

bool
ledger_findings_want(struct ledger_findings *f, enum ledger_rule rule)
{
	uint32_t *count = is_note(f, rule) ? &f->notes : &f->violations;

	if (++*count <= BOUND_LEDGER_FINDINGS)
		return true;
	f->dropped++;
	return false;
}

struct ledger_finding *
ledger_findings_add(
	struct ledger_findings *f, enum ledger_rule rule, uint32_t at)
{
	struct ledger_finding *x;

	assert(f->text.len == 0 || at < f->text.len);
	if (f->count == f->cap) {
		f->cap = f->cap ? f->cap * 2 : 16;
		f->items = die_realloc(f->items, f->cap, sizeof(*f->items));
	}
	x = &f->items[f->count];
	*x = (struct ledger_finding){ .rule = rule,
		.note = is_note(f, rule),
		.at = at,
		.order = f->count++ };
	return x;
}

static int
by_place(const void *a, const void *b)
{
	const struct ledger_finding *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

void
ledger_findings_sort(struct ledger_findings *f)
{
	struct str mark = STR("\xef\xbb\xbf");
	size_t start = str_starts(f->text, mark) ? mark.len : 0;
	uint32_t line = 1;

	if (f->count == 0)
		return;
	qsort(f->items, f->count, sizeof(*f->items), by_place);
	for (uint32_t i = 0; f->text.len > 0 && i < f->count; i++) {
		struct ledger_finding *x = &f->items[i];

		while (start < x->at) {
			struct str rest =
				str_part(f->text, start, x->at - start);
			size_t lf = str_find(rest, '\n');

			if (lf == rest.len)
				break;
			start += lf + 1;
			line++;
		}
		x->line = line;
		x->column = (uint32_t)(x->at - start) + 1;
	}
}

enum pawl_rc
ledger_findings_fail(const struct ledger_findings *f, struct arena *mem,
	const char *path, struct pawl_err *err)
{
	const struct ledger_finding *x = f->items;
	char place[32] = "", more[32] = "";

	assert(f->violations > 0);
	while (x->note)
		x++;
	if (x->line > 0)
		(void)snprintf(
			place, sizeof(place), "%u:%u: ", x->line, x->column);
	if (f->violations > 1)
		(void)snprintf(more, sizeof(more), " (and %u more)",
			f->violations - 1);
	(void)pawl_fail(err, ERR_INVALID_LEDGER,
		"%s%s%s" STR_FMT "%s" STR_FMT "%s", path,
		*path == '\0'          ? ""
			: x->line == 0 ? ": "
				       : ":",
		place, STR_ARG(x->node), x->node.len ? ": " : "",
		STR_ARG(str_part(x->message, 0, 300)), more);
	err->field = arena_copy(mem, x->pointer);
	if (x->hint.len > 0)
		(void)pawl_hint(
			err, STR_FMT, STR_ARG(str_part(x->hint, 0, 230)));
	return err->rc;
}

static void
put_all(const struct ledger_findings *f, bool notes, struct json_writer *w)
{
	json_open(w, '[');
	for (uint32_t i = 0; i < f->count; i++) {
		const struct ledger_finding *x = &f->items[i];

		if (x->note != notes)
			continue;
		json_open(w, '{');
		json_pair_str(w, STR("code"), str_from(rules[x->rule].word));
		json_pair_str(w, STR("path"), x->pointer);
		json_pair_u64(w, STR("line"), x->line);
		json_pair_u64(w, STR("column"), x->column);
		json_pair_str_or_null(w, STR("node"), x->node);
		json_pair_str(w, STR("message"), x->message);
		json_pair_str_or_null(w, STR("hint"), x->hint);
		json_close(w, '}');
	}
	json_close(w, ']');
}

void
ledger_findings_json(const struct ledger_findings *f, struct json_writer *w)
{
	json_key(w, STR("violations"));
	put_all(f, false, w);
	json_key(w, STR("notes"));
	put_all(f, true, w);
	if (f->dropped > 0)
		json_pair_u64(w, STR("dropped"), f->dropped);
}
