#include "model/tasks.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/bounds.h"
#include "model/id.h"
#include "model/line.h"
#include "model/task_bytes.h"
#include "model/task_field.h"
#include "model/task_link.h"

/* Of the field whose value may go on: a name that is not known, or none. */
enum {
	OPEN_UNKNOWN = FIELD_COUNT,
	OPEN_NONE,
};

struct parser {
	struct tasks_reader r;
	struct fence fence;
	size_t fence_at;
	bool inside;        /* a task */
	uint32_t seen;      /* bit a field of the task */
	uint32_t swallowed; /* bit a field named in a continuation line */
	size_t box_at;      /* offset of the task's box */
	/* The field whose value may go on. */
	unsigned open;
	uint32_t open_indent;
	size_t value_at, value_end;
};

PAWL_PRINTF(5, 6)
PAWL_COLD static void
find(struct parser *p, size_t at, enum pawl_code code, const char *hint,
	const char *fmt, ...)
{
	struct buf message = { 0 };
	va_list ap;

	if (findings_has_room(p->r.errors)) {
		va_start(ap, fmt);
		buf_addv(&message, fmt, ap);
		va_end(ap);
	}
	findings_add(p->r.errors, at, code, buf_str(&message), str_from(hint));
	buf_release(&message);
}

/* All of the value of the open field is known. */
static void
field_end(struct parser *p)
{
	unsigned open = p->open;

	p->open = OPEN_NONE;
	if (open < FIELD_COUNT)
		task_field_read(&p->r, (enum task_field)open,
			str_part(p->r.text, p->value_at,
				p->value_end - p->value_at));
}

/* Say which of the six fields the task lacks. */
PAWL_COLD static void
find_missing(struct parser *p, const struct contract *c)
{
	struct buf names = { 0 };
	struct buf hint = { 0 };
	struct str id = str_part(p->r.text, c->id.at, c->id.len);

	for (unsigned i = 0; i < FIELD_SIX; i++) {
		if (p->seen & 1u << i)
			continue;
		buf_addf(&names, "%s%s", names.len > 0 ? ", " : "",
			task_field_name((enum task_field)i));
		if (p->swallowed & 1u << i) {
			buf_addf(&hint,
				"the line '%s:' is deeper than the field "
				"before it and so continues that one; ",
				task_field_name((enum task_field)i));
		}
	}
	buf_add(&hint, STR("pawl plan LIST --fill adds what is missing"));
	find(p, p->box_at, ERR_INVALID_TASKS, hint.data,
		"task '" STR_FMT "' lacks %s", STR_ARG(id), names.data);
	buf_release(&names);
	buf_release(&hint);
}

static void
task_end(struct parser *p)
{
	struct contract *c;

	if (!p->inside)
		return;
	field_end(p);
	p->inside = false;
	c = &p->r.nodes.items[p->r.nodes.count - 1];
	if ((p->seen & ((1u << FIELD_SIX) - 1)) != (1u << FIELD_SIX) - 1)
		find_missing(p, c);
	if (c->access == ACCESS_READ_ONLY && c->mode == MODE_WRITE)
		c->access = ACCESS_WORKSPACE_WRITE;
}

/* Whether what follows an id is fit to be a title. */
static bool
title_is_fit(struct parser *p, struct str title, size_t at)
{
	if (title.len > BOUND_TITLE_BYTES) {
		find(p, at, ERR_LIMIT, "",
			"title of %zu bytes is over the limit of %d", title.len,
			BOUND_TITLE_BYTES);
		return false;
	}
	for (size_t i = 0; i < title.len; i++) {
		unsigned char c = (unsigned char)title.ptr[i];

		if ((c >= 0x20 && c != 0x7f) || c == '\t')
			continue;
		find(p, at + i, ERR_INVALID_TASKS, "",
			"title has a control character (0x%02x)", c);
		return false;
	}
	return true;
}

static void
task_start(struct parser *p, const struct line *l, const struct box *box)
{
	struct contract c = { .line = l->number, .checked = box->checked };
	struct pawl_err err = { 0 };
	size_t id_at = box->id.len ? (size_t)(box->id.ptr - p->r.text.ptr)
				   : l->text_at + l->text.len;
	size_t title_at = id_at + box->id.len;

	if (box->title.len > 0)
		title_at = (size_t)(box->title.ptr - p->r.text.ptr);
	p->inside = true;
	p->seen = p->swallowed = 0;
	p->box_at = l->text_at;
	if (box->id.len == 0)
		find(p, id_at, ERR_INVALID_ID, "- [ ] ID Title",
			"box without an id and a title");
	else if (id_check(box->id, &err) != PAWL_OK)
		findings_take(p->r.errors, id_at, &err);
	else if (box->title.len == 0)
		find(p, title_at, ERR_INVALID_TASKS, "- [ ] ID Title",
			"task '" STR_FMT "' has no title", STR_ARG(box->id));
	(void)title_is_fit(p, box->title, title_at);
	c.id = (struct span){ (uint32_t)id_at, (uint32_t)box->id.len };
	c.title = (struct span){ (uint32_t)title_at, (uint32_t)box->title.len };
	c.depends_at = (uint32_t)p->r.depends.count;
	c.scopes_at = (uint32_t)p->r.scopes.count;
	(void)contracts_push(&p->r.nodes, c);
}

PAWL_COLD static void
find_unknown(struct parser *p, const struct field_line *f)
{
	unsigned distance;
	const char *nearest = task_field_nearest(f->name, &distance);
	char hint[64] = "";

	(void)snprintf(hint, sizeof(hint), "did you mean '%s'?", nearest);
	find(p, f->name_at, ERR_INVALID_TASKS, hint,
		"unknown field '" STR_FMT "'",
		STR_ARG(str_part(f->name, 0, 80)));
}

/* A line in a task that is no field and continues none. */
PAWL_COLD static void
find_stray(struct parser *p, const struct line *l)
{
	struct str word = str_part(l->text, 0, str_find(l->text, ' '));
	unsigned distance;
	const char *nearest = task_field_nearest(word, &distance);
	char hint[160] = "indent it deeper than the field before it to "
			 "continue that, or not at all to end the task";

	if (distance <= word.len / 3)
		(void)snprintf(
			hint, sizeof(hint), "did you mean '%s: '?", nearest);
	find(p, l->text_at, ERR_INVALID_TASKS, hint,
		"not a field of the task: '" STR_FMT "'",
		STR_ARG(str_part(l->text, 0, 80)));
}

static void
field_start(struct parser *p, const struct line *l, const struct field_line *f)
{
	enum task_field field = task_field_find(f->name);

	p->open = OPEN_UNKNOWN;
	p->open_indent = l->indent;
	if (field == FIELD_COUNT) {
		find_unknown(p, f);
		return;
	}
	if (p->seen & 1u << field) {
		find(p, f->name_at, ERR_INVALID_TASKS, "",
			"field '%s' stands there twice",
			task_field_name(field));
		return;
	}
	p->seen |= 1u << field;
	p->open = field;
	p->value_at = f->value_at;
	p->value_end = f->value_at + f->value.len;
}

/* A deeper line right after a field: more of its value. */
static void
field_continue(struct parser *p, const struct line *l)
{
	struct field_line f;

	if (line_is_field(l, &f) && task_field_find(f.name) != FIELD_COUNT)
		p->swallowed |= 1u << task_field_find(f.name);
	if (p->value_end == p->value_at)
		p->value_at = l->text_at;
	p->value_end = l->text_at + l->text.len;
}

/* A line in a task; false when it ends the task and stands outside of it. */
static bool
inside_line(struct parser *p, const struct line *l)
{
	struct field_line field;

	if (l->indent == 0 || line_is_heading(l)) {
		task_end(p);
		return false;
	}
	if (p->open != OPEN_NONE && l->indent > p->open_indent) {
		field_continue(p, l);
		return true;
	}
	field_end(p);
	if (line_opens_fence(l, &p->fence)) {
		p->fence_at = l->text_at;
		find_stray(p, l);
	} else if (line_is_field(l, &field)) {
		field_start(p, l, &field);
	} else {
		find_stray(p, l);
	}
	return true;
}

static void
read_line(struct parser *p, const struct line *l)
{
	struct box box;

	if (p->fence.len > 0) {
		if (line_closes_fence(l, p->fence))
			p->fence.len = 0;
		return;
	}
	if (l->text.len == 0) {
		field_end(p);
		return;
	}
	if (line_is_box(l, &box)) {
		task_end(p);
		task_start(p, l, &box);
		return;
	}
	if (line_is_box_slip(l) &&
		(p->open == OPEN_NONE || l->indent <= p->open_indent)) {
		task_end(p);
		find(p, l->text_at, ERR_INVALID_TASKS, "- [ ] ID Title",
			"not quite a box: '" STR_FMT "'",
			STR_ARG(str_part(l->text, 0, 80)));
		return;
	}
	if (p->inside && inside_line(p, l))
		return;
	if (line_opens_fence(l, &p->fence))
		p->fence_at = l->text_at;
}

/* False when there are too many tasks; what is read is then only a part. */
static bool
read_lines(struct parser *p, bool lone_cr)
{
	struct lines lines = lines_of(p->r.text, lone_cr);
	struct line line;

	while (lines_next(&lines, &line)) {
		if (p->r.nodes.count > BOUND_TASKS) {
			find(p, line.at, ERR_LIMIT, "", "more than %d tasks",
				BOUND_TASKS);
			return false;
		}
		read_line(p, &line);
	}
	task_end(p);
	if (p->fence.len > 0)
		find(p, p->fence_at, ERR_INVALID_TASKS,
			"tasks in it would not be seen",
			"code fence that is not closed");
	if (p->r.nodes.count == 0 && p->r.errors->count == 0)
		find(p, 0, ERR_INVALID_TASKS,
			"a task starts at a box: - [ ] ID Title",
			"no task in the list");
	return true;
}

static void
reader_release(struct tasks_reader *r)
{
	contracts_release(&r->nodes);
	spans_release(&r->depends);
	plan_scopes_release(&r->scopes);
	contract_extras_release(&r->extras);
	buf_release(&r->scope_text);
	arena_reset(&r->scratch);
}

enum pawl_rc
tasks_parse(struct str text, struct arena *mem, struct plan *ret_plan,
	struct tasks_report *ret_report, struct pawl_err *err)
{
	struct parser p = {
		.r = { .text = text,
			.errors = &ret_report->errors,
			.warnings = &ret_report->warnings },
		.open = OPEN_NONE,
	};
	struct plan plan = { 0 };
	bool lone_cr;

	findings_init(&ret_report->errors, mem, text);
	findings_init(&ret_report->warnings, mem, text);
	if (task_bytes_check(text, p.r.errors, &lone_cr) &&
		read_lines(&p, lone_cr))
		task_link(&p.r, &plan);
	reader_release(&p.r);
	findings_sort(&ret_report->errors);
	findings_sort(&ret_report->warnings);
	if (ret_report->errors.count > 0) {
		plan_release(&plan);
		return findings_fail(&ret_report->errors, "", err);
	}
	*ret_plan = plan;
	return PAWL_OK;
}
