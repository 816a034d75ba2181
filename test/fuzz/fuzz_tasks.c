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

/* All contracts of a list, one a line; empty when it is refused. */
static void
contracts(struct str text, struct arena *mem, struct buf *out)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct plan p;

	if (tasks_parse(text, mem, &p, &report, &err) != PAWL_OK) {
		FUZZ_CHECK(report.errors.count > 0 && err.msg[0] != '\0');
		for (uint32_t i = 0; i < report.errors.count; i++) {
			const struct finding *f = &report.errors.items[i];

			FUZZ_CHECK(f->at <= text.len && f->line > 0 &&
				f->column > 0 && f->message.len > 0);
		}
		return;
	}
	FUZZ_CHECK(p.count > 0);
	for (uint32_t n = 0; n < p.count; n++) {
		char **argv;
		uint32_t found;

		FUZZ_CHECK(plan_find(&p, plan_id(&p, n), &found) && found == n);
		FUZZ_CHECK(p.nodes[n].scopes_count > 0);
		if (!p.nodes[n].sentinel)
			FUZZ_CHECK(plan_check_argv(&p, n, mem, &argv, &err) ==
				PAWL_OK);
		plan_contract_json(&p, n, mem, out);
		buf_addc(out, '\n');
	}
	plan_release(&p);
}

static void
check_waves(struct str text, struct arena *mem)
{
	struct tasks_report report;
	struct pawl_err err = { 0 };
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct planview v;
	uint32_t *wave_of;
	struct plan p;

	if (tasks_parse(text, mem, &p, &report, &err) != PAWL_OK)
		return;
	planview_init(&v, &p);
	wave_of = arena_array(mem, p.count, uint32_t);
	FUZZ_CHECK(v.waves.at[v.waves.count] == p.count);
	for (uint32_t k = 0; k < v.waves.count; k++) {
		for (uint32_t i = v.waves.at[k]; i < v.waves.at[k + 1]; i++) {
			FUZZ_CHECK(wave_of[v.waves.nodes[i]] == 0);
			wave_of[v.waves.nodes[i]] = k + 1;
		}
	}
	for (uint32_t n = 0; n < p.count; n++) {
		const struct contract *c = &p.nodes[n];

		for (uint32_t i = 0; i < c->depends_count; i++)
			FUZZ_CHECK(wave_of[p.depends[c->depends_at + i]] <
				wave_of[n]);
	}
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = fuzz_str(data, size);
	struct arena mem = ARENA_INIT;
	struct buf once = { 0 }, twice = { 0 }, crs = { 0 };
	struct buf before = { 0 }, after = { 0 };

	tasks_fill(text, &once);
	tasks_fill(buf_str(&once), &twice);
	FUZZ_CHECK(str_eq(buf_str(&once), buf_str(&twice)));
	contracts(text, &mem, &before);
	if (before.len > 0) {
		FUZZ_CHECK(str_eq(buf_str(&once), text));
		if (str_find(text, '\r') == text.len) {
			add_crs(text, &crs);
			contracts(buf_str(&crs), &mem, &after);
			FUZZ_CHECK(str_eq(buf_str(&before), buf_str(&after)));
		}
		check_waves(text, &mem);
	}
	buf_release(&once);
	buf_release(&twice);
	buf_release(&crs);
	buf_release(&before);
	buf_release(&after);
	arena_reset(&mem);
	return 0;
}
