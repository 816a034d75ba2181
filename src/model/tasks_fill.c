#include "model/tasks_fill.h"

#include "model/line.h"
#include "model/task_field.h"

struct filler {
	struct str text;
	struct buf *out;
	struct str line_end;
	struct fence fence;
	size_t copied;     /* bytes of `text` that are in `out` */
	bool inside;       /* a task */
	uint32_t seen;     /* bit a field of it */
	size_t end_at;     /* offset behind its last line that is not blank */
	struct str indent; /* as the last field has it, or the box */
	bool by_field;
	bool in_value; /* the last line was a field or continued one */
	uint32_t value_indent;
};

static void
copy_to(struct filler *f, size_t at)
{
	buf_add(f->out, str_part(f->text, f->copied, at - f->copied));
	f->copied = at;
}

static void
task_end(struct filler *f)
{
	static const struct str values[FIELD_SIX] = {
		[FIELD_DEPENDS] = { "[]", 2 },
		[FIELD_PATHS] = { "TODO", 4 },
		[FIELD_MODE] = { "write", 5 },
		[FIELD_ISOLATION] = { "TODO", 4 },
		[FIELD_ACCEPTANCE] = { "TODO", 4 },
		[FIELD_CHECK] = { "TODO", 4 },
	};
	bool whole;

	/* What stands behind an open fence would not be read. */
	if (!f->inside || f->fence.len > 0)
		return;
	f->inside = false;
	copy_to(f, f->end_at);
	/* The last line of a text may have no end. */
	whole = f->end_at > 0 &&
		(f->text.ptr[f->end_at - 1] == '\n' ||
			f->text.ptr[f->end_at - 1] == '\r');
	for (unsigned i = 0; i < FIELD_SIX; i++) {
		if (f->seen & 1u << i)
			continue;
		if (!whole)
			buf_add(f->out, f->line_end);
		buf_add(f->out, f->indent);
		if (!f->by_field)
			buf_add(f->out, STR("  "));
		buf_addf(f->out, "%s: ", task_field_name((enum task_field)i));
		buf_add(f->out, values[i]);
		if (whole)
			buf_add(f->out, f->line_end);
	}
}

static void
task_start(struct filler *f, const struct line *l)
{
	f->inside = true;
	f->seen = 0;
	f->by_field = false;
	f->in_value = false;
	f->indent = str_part(f->text, l->at, l->text_at - l->at);
	f->end_at = l->next_at;
}

/* A line of a task that is not blank and does not end it. */
static void
inside_line(struct filler *f, const struct line *l)
{
	struct field_line field;

	f->end_at = l->next_at;
	if (f->in_value && l->indent > f->value_indent)
		return;
	f->in_value = line_is_field(l, &field);
	if (!f->in_value) {
		(void)line_opens_fence(l, &f->fence);
		return;
	}
	f->value_indent = l->indent;
	f->indent = str_part(f->text, l->at, l->text_at - l->at);
	f->by_field = true;
	if (task_field_find(field.name) != FIELD_COUNT)
		f->seen |= 1u << task_field_find(field.name);
}

static void
fill_line(struct filler *f, const struct line *l)
{
	struct box box;

	if (f->fence.len > 0) {
		if (line_closes_fence(l, f->fence))
			f->fence.len = 0;
		if (f->inside)
			f->end_at = l->next_at;
	} else if (l->text.len == 0) {
		f->in_value = false;
	} else if (line_is_box(l, &box)) {
		task_end(f);
		task_start(f, l);
	} else if (f->inside && l->indent > 0 && !line_is_heading(l)) {
		inside_line(f, l);
	} else {
		task_end(f);
		(void)line_opens_fence(l, &f->fence);
	}
}

/* The first line's end, or LF. */
static struct str
line_end_of(struct str text)
{
	size_t lf = str_find(text, '\n');
	size_t cr = str_find(text, '\r');

	if (cr < text.len && cr + 1 == lf)
		return STR("\r\n");
	return cr < lf ? STR("\r") : STR("\n");
}

void
tasks_fill(struct str text, struct buf *out)
{
	struct filler f = {
		.text = text,
		.out = out,
		.line_end = line_end_of(text),
	};
	struct lines lines = lines_of(text, true);
	struct line line;

	while (lines_next(&lines, &line))
		fill_line(&f, &line);
	task_end(&f);
	copy_to(&f, text.len);
}
