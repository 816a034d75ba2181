#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <regex.h>

#include "base/rand.h"
#include "model/draw.h"
#include "plan_fixture.h"

static struct ledger_node *
add(struct ledger *l, const char *id, const char *title, enum node_status s)
{
	uint32_t node = 0;

	assert_true(ledger_add(l, arena_copy(&l->mem, str_from(id)), &node));
	l->nodes[node].title = arena_copy(&l->mem, str_from(title));
	l->nodes[node].status = (uint8_t)s;
	l->nodes[node].depends = arena_array(&l->mem, 8, uint32_t);
	return &l->nodes[node];
}

static void
depend(struct ledger *l, uint32_t node, uint32_t on)
{
	l->nodes[node].depends[l->nodes[node].depends_count++] = on;
}

/* scope -> (build, look) -> ship, which needs an approval. */
static void
sample(struct ledger *l)
{
	ledger_init(l);
	l->run_id = STR("graph-1");
	l->status = RUN_RUNNING;
	(void)add(l, "ship", "Push \"it\" & tell", NODE_PENDING);
	(void)add(l, "scope", "Find out", NODE_PASSED);
	(void)add(l, "build", "Build it", NODE_RUNNING);
	(void)add(l, "look", "Look at 50%", NODE_READY);
	l->nodes[0].approval = LEDGER_REQUIRED;
	depend(l, 0, 2);
	depend(l, 0, 3);
	depend(l, 2, 1);
	depend(l, 3, 1);
}

static void
draws(const struct ledger *l, uint32_t max,
	void (*how)(const struct draw *, struct buf *), const char *want)
{
	struct arena mem = ARENA_INIT;
	struct buf out = { 0 };
	struct draw d;

	draw_ledger(&d, l, max, &mem);
	how(&d, &out);
	assert_string_equal(out.data, want);
	buf_release(&out);
	arena_reset(&mem);
}

static void
a_ledger_is_drawn_for_graphviz(void **state)
{
	struct ledger l;

	(void)state;
	sample(&l);
	draws(&l, 100, draw_dot,
		"digraph \"graph-1\" {\n"
		"\trankdir=LR;\n"
		"\tnode [shape=box, style=\"rounded,filled\", "
		"fontname=\"sans-serif\"];\n"
		"\tn0 [label=\"ship\\nPush \\\"it\\\" &amp; tell\", "
		"class=\"pending\", fillcolor=\"#f4f4f5\", color=\"#71717a\", "
		"shape=hexagon, style=filled];\n"
		"\tn1 [label=\"scope\\nFind out\", class=\"passed\", "
		"fillcolor=\"#dcfce7\", color=\"#16a34a\"];\n"
		"\tn2 [label=\"build\\nBuild it\", class=\"running\", "
		"fillcolor=\"#fef9c3\", color=\"#ca8a04\"];\n"
		"\tn3 [label=\"look\\nLook at 50%\", class=\"ready\", "
		"fillcolor=\"#dbeafe\", color=\"#2563eb\"];\n"
		"\tn2 -> n0;\n\tn3 -> n0;\n\tn1 -> n2;\n\tn1 -> n3;\n}\n");
	ledger_release(&l);
}

static void
a_ledger_is_drawn_for_mermaid(void **state)
{
	struct ledger l;

	(void)state;
	sample(&l);
	draws(&l, 100, draw_mermaid,
		"flowchart LR\n"
		"\tn0{{\"ship<br/>Push #34;it#34; #38; tell\"}}:::pending\n"
		"\tn1[\"scope<br/>Find out\"]:::passed\n"
		"\tn2[\"build<br/>Build it\"]:::running\n"
		"\tn3[\"look<br/>Look at 50#37;\"]:::ready\n"
		"\tn2 --> n0\n\tn3 --> n0\n\tn1 --> n2\n\tn1 --> n3\n"
		"\tclassDef pending "
		"fill:#f4f4f5,stroke:#71717a,color:#18181b\n"
		"\tclassDef ready fill:#dbeafe,stroke:#2563eb,color:#18181b\n"
		"\tclassDef running "
		"fill:#fef9c3,stroke:#ca8a04,color:#18181b\n"
		"\tclassDef passed "
		"fill:#dcfce7,stroke:#16a34a,color:#18181b\n");
	ledger_release(&l);
}

static void
a_ledger_is_drawn_as_text_by_waves(void **state)
{
	struct ledger l;

	(void)state;
	sample(&l);
	draws(&l, 100, draw_text,
		"graph-1  RUNNING  1/4 passed\n"
		"wave 1\n"
		"  PASSED          scope  Find out\n"
		"wave 2\n"
		"  RUNNING         build  Build it  after scope\n"
		"  READY           look   Look at 50%  after scope\n"
		"wave 3\n"
		"  PENDING         ship   Push \"it\" & tell  (approval)"
		"  after build, look\n");
	ledger_release(&l);
}

static void
nodes_beyond_the_limit_are_counted(void **state)
{
	struct ledger l;

	(void)state;
	sample(&l);
	draws(&l, 2, draw_text,
		"graph-1  RUNNING  1/4 passed\n"
		"wave 1\n"
		"  PENDING         ship   Push \"it\" & tell  (approval)\n"
		"  PASSED          scope  Find out\n"
		"and 2 more\n");
	draws(&l, 3, draw_mermaid,
		"flowchart LR\n"
		"\tn0{{\"ship<br/>Push #34;it#34; #38; tell\"}}:::pending\n"
		"\tn1[\"scope<br/>Find out\"]:::passed\n"
		"\tn2[\"build<br/>Build it\"]:::running\n"
		"\trest[\"1 more\"]\n"
		"\tn2 --> n0\n\tn1 --> n2\n"
		"\tclassDef pending "
		"fill:#f4f4f5,stroke:#71717a,color:#18181b\n"
		"\tclassDef running "
		"fill:#fef9c3,stroke:#ca8a04,color:#18181b\n"
		"\tclassDef passed "
		"fill:#dcfce7,stroke:#16a34a,color:#18181b\n");
	draws(&l, 4, draw_text,
		"graph-1  RUNNING  1/4 passed\n"
		"wave 1\n"
		"  PASSED          scope  Find out\n"
		"wave 2\n"
		"  RUNNING         build  Build it  after scope\n"
		"  READY           look   Look at 50%  after scope\n"
		"wave 3\n"
		"  PENDING         ship   Push \"it\" & tell  (approval)"
		"  after build, look\n");
	ledger_release(&l);
}

static void
a_ledger_without_nodes_is_a_picture_too(void **state)
{
	struct ledger l;

	(void)state;
	ledger_init(&l);
	l.run_id = STR("g");
	draws(&l, 10, draw_text, "g  PLANNING  0/0 passed\n");
	draws(&l, 10, draw_mermaid, "flowchart LR\n");
	ledger_release(&l);
}

/* Each line of `text` is one of the language, as the regular expression of a
 * line has it: no title can open anything of its own. */
static void
check_lines(struct str text, const char *line_pattern)
{
	regex_t re;

	assert_int_equal(
		regcomp(&re, line_pattern, REG_EXTENDED | REG_NOSUB), 0);
	while (text.len > 0) {
		struct str line = str_cut(&text, '\n');
		char copy[1024];

		assert_true(line.len < sizeof(copy));
		memcpy(copy, line.ptr, line.len);
		copy[line.len] = '\0';
		if (regexec(&re, copy, 0, NULL, 0) != 0)
			fail_msg("no line of the language: %s", copy);
	}
	regfree(&re);
}

#define DOT_TEXT "\"([^\"\\\\]|\\\\[\"\\\\n])*\""
#define DOT_LINE                                                               \
	"^(digraph " DOT_TEXT " [{]|\trankdir=LR;|\tnode \\[[a-z=, \"-]*\\];|" \
	"\tn[0-9]+ \\[label=" DOT_TEXT ", class=\"[a-z_]+\", "                 \
	"fillcolor=\"#[0-9a-f]{6}\", color=\"#[0-9a-f]{6}\""                   \
	"(, shape=hexagon, style=filled)?\\];|\tn[0-9]+ -> n[0-9]+;|[}])$"
#define MERMAID_TEXT "\"([A-Za-z0-9 .,_/()\x80-\xff-]|<br/>|#[0-9]+;)*\""
#define MERMAID_LINE                                                          \
	"^(flowchart LR|\tn[0-9]+(\\[" MERMAID_TEXT "\\]|[{][{]" MERMAID_TEXT \
	"[}][}]):::[a-z_]+|\tn[0-9]+ --> n[0-9]+|"                            \
	"\tclassDef [a-z_]+ "                                                 \
	"fill:#[0-9a-f]{6},stroke:#[0-9a-f]{6},color:#18181b)$"

static void
no_title_gets_out_of_its_label(void **state)
{
	static const char *const titles[] = { "\"]; evil [label=\"x",
		"\\\"]; evil", "\\", "ends in \\",
		"a\nclick n0 \"javascript:x\"",
		"%%{init: {\"theme\":\"dark\"}}%%", "%% gone", "`**md**`",
		"<script>alert(1)</script>", "&lt;b&gt; &amp;", "#quot;",
		"style x:#1;", "classDef a:#b;", "end", "subgraph x", "---",
		"\x1b[31mred\x1b[0m", "\xe2\x80\xae reversed", "a|b",
		"\\N \\G \\l", "$x$", "\xc3\xa9\xe4\xb8\xad", "\xff\xfe" };
	struct arena mem = ARENA_INIT;
	struct buf dot = { 0 }, mermaid = { 0 }, text = { 0 };
	struct rand r = rand_seeded(3);
	struct ledger l;
	struct draw d;

	(void)state;
	ledger_init(&l);
	l.run_id = STR("g\"\\");
	for (uint32_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		(void)add(&l, titles[i], titles[i],
			(enum node_status)(i % NODE_STATUS_COUNT));
	for (uint32_t i = 0; i < 500; i++) {
		char id[8] = { 0 }, title[101] = { 0 };

		for (uint32_t k = 0; k < sizeof(title) - 1; k++)
			title[k] = (char)(1 + rand_u64(&r) % 255);
		id[0] = (char)('a' + i % 26);
		id[1] = (char)('a' + i / 26);
		(void)add(&l, id, title, NODE_READY);
	}
	draw_ledger(&d, &l, 1000, &mem);
	draw_dot(&d, &dot);
	draw_mermaid(&d, &mermaid);
	draw_text(&d, &text);
	check_lines(buf_str(&dot), DOT_LINE);
	check_lines(buf_str(&mermaid), MERMAID_LINE);
	for (size_t i = 0; i < text.len; i++)
		assert_true(text.data[i] != '\x1b');
	ledger_release(&l);
	arena_reset(&mem);
	buf_release(&dot);
	buf_release(&mermaid);
	buf_release(&text);
}

static void
a_task_run_is_drawn_like_a_ledger(void **state)
{
	static const struct plan_row rows[] = {
		{ .id = "A-1", .title = "First" },
		{ .id = "B-1",
			.title = "Then",
			.depends = "A-1",
			.more = "Approval: required" },
	};
	struct plan_fixture f;
	struct buf out = { 0 };
	struct state s;
	struct draw d;

	(void)state;
	plan_fixture_init(&f, rows, 2);
	state_init(&s, &f.plan);
	draw_state(&d, &s, 100, &f.mem);
	d.name = STR("r-1");
	draw_text(&d, &out);
	assert_string_equal(out.data,
		"r-1  PLANNING  0/2 passed\n"
		"wave 1\n"
		"  PENDING         A-1  First\n"
		"wave 2\n"
		"  PENDING         B-1  Then  (approval)  after A-1\n");
	state_release(&s);
	plan_fixture_release(&f);
	buf_release(&out);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ledger_is_drawn_for_graphviz),
		cmocka_unit_test(a_ledger_is_drawn_for_mermaid),
		cmocka_unit_test(a_ledger_is_drawn_as_text_by_waves),
		cmocka_unit_test(nodes_beyond_the_limit_are_counted),
		cmocka_unit_test(a_ledger_without_nodes_is_a_picture_too),
		cmocka_unit_test(no_title_gets_out_of_its_label),
		cmocka_unit_test(a_task_run_is_drawn_like_a_ledger),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
