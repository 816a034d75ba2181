#include "model/finding.h"

#include <stdio.h>
#include <string.h>

#include "base/die.h"

void
findings_init(struct findings *f, struct arena *mem, struct str text)
{
	*f = (struct findings){ .mem = mem, .text = text, .seen_line = 1 };
}

bool
findings_has_room(const struct findings *f)
{
	return f->count < FINDINGS_MAX;
}

static void
place(struct findings *f, size_t at, struct finding *to)
{
	const char *text = f->text.ptr;
	uint32_t column = 1;

	if (at < f->seen_at) {
		f->seen_at = f->seen_start = 0;
		f->seen_line = 1;
	}
	for (size_t i = f->seen_at; i < at; i++) {
		bool lone_cr = text[i] == '\r' &&
			(i + 1 == f->text.len || text[i + 1] != '\n');

		if (text[i] != '\n' && !lone_cr)
			continue;
		f->seen_line++;
		f->seen_start = i + 1;
	}
	f->seen_at = at;
	for (size_t i = f->seen_start; i < at; i++)
		column += ((unsigned char)text[i] & 0xc0) != 0x80;
	to->line = f->seen_line;
	to->column = column;
}

void
findings_add(struct findings *f, size_t at, enum pawl_code code,
	struct str message, struct str hint)
{
	struct finding *item;

	assert(at <= f->text.len);
	if (!findings_has_room(f)) {
		f->dropped++;
		return;
	}
	if (f->items == NULL)
		f->items = arena_array(f->mem, FINDINGS_MAX, struct finding);
	item = &f->items[f->count++];
	*item = (struct finding){
		.code = code,
		.message = arena_copy(f->mem, message),
		.hint = arena_copy(f->mem, hint),
		.at = at,
	};
	place(f, at, item);
}

void
findings_take(struct findings *f, size_t at, const struct pawl_err *err)
{
	assert(err->rc != PAWL_OK);
	findings_add(f, at, err->code, str_from(err->msg),
		str_from(pawl_err_hint(err)));
}

void
findings_sort(struct findings *f)
{
	for (uint32_t i = 1; i < f->count; i++) {
		struct finding item = f->items[i];
		uint32_t j = i;

		for (; j > 0 && f->items[j - 1].at > item.at; j--)
			f->items[j] = f->items[j - 1];
		f->items[j] = item;
	}
}

enum pawl_rc
findings_fail(const struct findings *f, const char *path, struct pawl_err *err)
{
	const struct finding *first = f->items;
	uint32_t more = f->count + f->dropped - 1;

	assert(f->count > 0);
	(void)pawl_fail(err, first->code, "%s%s%u:%u: " STR_FMT, path,
		*path ? ":" : "", first->line, first->column,
		STR_ARG(str_part(first->message, 0, 400)));
	if (more > 0) {
		size_t len = strlen(err->msg);

		(void)snprintf(err->msg + len, sizeof(err->msg) - len,
			" (and %u more)", more);
	}
	if (first->hint.len > 0)
		(void)pawl_hint(
			err, STR_FMT, STR_ARG(str_part(first->hint, 0, 230)));
	return err->rc;
}
