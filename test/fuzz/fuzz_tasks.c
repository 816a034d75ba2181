/*
 * Property: a list that is taken is left as it is by filling, and so gives the
 * same contracts again; with CR LF for
 * LF it gives them, too.  Of any
 * text, filling twice is filling once.  A list that is refused has a finding,
 * and each finding a place in the text.  Waves hold each task once, after all
 * that it depends on.
 */
#include "fuzz.h"

#include "model/planview.h"
#include "model/tasks.h"
#include "model/tasks_fill.h"

static void
check_findings(const struct findings *f)
{
	FUZZ_CHECK(f->count > 0);
	for (uint32_t i = 0; i < f->count; i++) {
		const struct finding *x = &f->items[i];

		FUZZ_CHECK(x->at <= f->text.len && x->line > 0 &&
			x->column > 0 && x->message.len > 0);
	}
}

static void
check_node(const struct plan *p, uint32_t n, struct arena *mem)
{
	struct pawl_err err = { 0 };
	uint32_t found = UINT32_MAX;
	char **argv;
	bool splits = plan_check_argv(p, n, mem, &argv, &err) == PAWL_OK;

	FUZZ_CHECK(splits || p->nodes[n].sentinel);
	FUZZ_CHECK(plan_find(p, plan_id(p, n), &found) && found == n);
	FUZZ_CHECK(p->nodes[n].scopes_count > 0);
}

/* All contracts of a list, one a line; empty when it is refused. */
static void
contracts(struct str text, struct arena *mem, struct buf *out)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;

	if (tasks_parse(text, mem, &p, &report, &err) != PAWL_OK) {
		check_findings(&report.errors);
		return;
	}
	FUZZ_CHECK(p.count > 0);
	for (uint32_t n = 0; n < p.count; n++) {
		check_node(&p, n, mem);
		plan_contract_json(&p, n, mem, out);
		buf_addc(out, '\n');
	}
	plan_release(&p);
}

/* Each task is in one wave, after all that it depends on. */
static void
check_order(const struct plan *p, const struct waves *w, struct arena *mem)
{
	uint32_t *wave_of = arena_array(mem, p->count, uint32_t);
	bool good = w->at[w->count] == p->count;

	for (uint32_t k = 0; k < w->count; k++) {
		for (uint32_t i = w->at[k]; i < w->at[k + 1]; i++) {
			good = good && wave_of[w->nodes[i]] == 0;
			wave_of[w->nodes[i]] = k + 1;
		}
	}
	for (uint32_t n = 0; n < p->count; n++) {
		const struct contract *c = &p->nodes[n];

		for (uint32_t i = 0; i < c->depends_count; i++)
			good = good &&
				wave_of[p->depends[c->depends_at + i]] <
					wave_of[n];
	}
	FUZZ_CHECK(good);
}

static void
check_waves(struct str text, struct arena *mem)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct planview v;
	struct plan p;

	if (tasks_parse(text, mem, &p, &report, &err) != PAWL_OK)
		return;
	planview_init(&v, &p);
	check_order(&p, &v.waves, mem);
	planview_text(&v, &report, STR("list"), &out);
	planview_json(&v, &report, &w);
	buf_release(&out);
	planview_release(&v);
	plan_release(&p);
}

/* `text` with CR LF for LF. */
static void
add_crs(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.len; i++) {
		if (text.ptr[i] == '\n')
			buf_addc(out, '\r');
		buf_addc(out, text.ptr[i]);
	}
}

/* What holds of a list that was taken, whose contracts these are. */
static void
check_taken(struct str text, struct str want, struct arena *mem)
{
	struct buf filled = { 0 }, crs = { 0 }, got = { 0 };

	tasks_fill(text, &filled);
	FUZZ_CHECK(str_eq(buf_str(&filled), text));
	if (str_find(text, '\r') == text.len) {
		add_crs(text, &crs);
		contracts(buf_str(&crs), mem, &got);
		FUZZ_CHECK(str_eq(buf_str(&got), want));
	}
	check_waves(text, mem);
	buf_release(&filled);
	buf_release(&crs);
	buf_release(&got);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size);
	struct arena mem = ARENA_INIT;
	struct buf once = { 0 }, twice = { 0 }, json = { 0 };

	tasks_fill(text, &once);
	tasks_fill(buf_str(&once), &twice);
	FUZZ_CHECK(str_eq(buf_str(&once), buf_str(&twice)));
	contracts(text, &mem, &json);
	if (json.len > 0)
		check_taken(text, buf_str(&json), &mem);
	buf_release(&once);
	buf_release(&twice);
	buf_release(&json);
	arena_reset(&mem);
	return 0;
}
