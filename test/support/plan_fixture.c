#include "plan_fixture.h"

#include "base/die.h"
#include "model/tasks.h"

static const char * or (const char *text, const char *otherwise)
{
	return text != NULL ? text : otherwise;
}

static void
row_write(struct buf *out, const struct plan_row *row)
{
	buf_addf(out, "- [%c] %s ", row->ticked ? 'x' : ' ', row->id);
	if (row->title != NULL)
		buf_addf(out, "%s\n", row->title);
	else
		buf_addf(out, "Do %s\n", row->id);
	buf_addf(out, "  Depends: [%s]\n", or (row->depends, ""));
	if (row->paths != NULL)
		buf_addf(out, "  Paths: [%s]\n", row->paths);
	else
		buf_addf(out, "  Paths: [src/%s]\n", row->id);
	buf_addf(out, "  Mode: %s\n", or (row->mode, "write"));
	buf_add(out, STR("  Isolation: auto\n"));
	buf_addf(out, "  Acceptance: %s works.\n", row->id);
	if (row->check != NULL)
		buf_addf(out, "  Check: %s\n", row->check);
	else
		buf_addf(out, "  Check: make test-%s\n", row->id);
	if (row->more != NULL)
		buf_addf(out, "  %s\n", row->more);
}

void
plan_fixture_init(
	struct plan_fixture *f, const struct plan_row *rows, size_t count)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };

	*f = (struct plan_fixture){ 0 };
	for (size_t i = 0; i < count; i++)
		row_write(&f->text, &rows[i]);
	if (tasks_parse(buf_str(&f->text), &f->mem, &f->plan, &report, &err) !=
		PAWL_OK)
		die("%s in\n%s", err.msg, f->text.data);
}

void
plan_fixture_release(struct plan_fixture *f)
{
	plan_release(&f->plan);
	buf_release(&f->text);
	arena_reset(&f->mem);
}
