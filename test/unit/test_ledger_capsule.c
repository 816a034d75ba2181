#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "base/rand.h"
#include "base/sha256.h"
#include "model/ledger_capsule_code.h"

static struct str
json_of(const struct ledger *l, struct buf *out)
{
	struct json_writer w = { .out = out };

	buf_clear(out);
	ledger_write(l, &w);
	return buf_str(out);
}

static uint32_t
below(struct rand *r, uint32_t n)
{
	return (uint32_t)(rand_u64(r) % n);
}

/* A text of pieces that a capsule has to be careful with. */
static struct str
random_text(struct ledger *l, struct rand *r)
{
	static const char *const pieces[] = { "a", "word", " ", "  ", "|", "%",
		"%7c", "`", "```", "\xe2\x80\xa6", "\xe2\x80\xae", "\xc3\xa9",
		"\xf0\x9f\x90\xbe", "+3", ">", "\\", "\"", "end ", "-", "#",
		"\xe2\x80\xa6+3" };
	struct buf b = { 0 };
	struct str s;

	for (uint32_t n = 1 + below(r, 12); n > 0; n--)
		buf_add(&b,
			str_from(pieces[below(
				r, sizeof(pieces) / sizeof(pieces[0]))]));
	s = arena_copy(&l->mem, buf_str(&b));
	buf_release(&b);
	return s;
}

static void
random_history(struct ledger *l, struct ledger_node *n, struct rand *r)
{
	uint32_t period = 1 + below(r, 10), times = 1;

	if (below(r, 8) == 0)
		times = 1 + below(r, BOUND_LEDGER_HISTORY / period);
	n->history_count = period * times;
	n->history = (uint8_t *)arena_bytes(&l->mem, n->history_count);
	for (uint32_t i = 0; i < period; i++)
		n->history[i] = (uint8_t)below(r, NODE_STATUS_COUNT);
	for (uint32_t i = period; i < n->history_count; i++)
		n->history[i] = n->history[i - period];
	for (uint32_t i = 0; i < n->history_count; i++)
		n->attempt += n->history[i] == NODE_RUNNING;
	n->status = n->history[n->history_count - 1];
}

static void
random_node(struct ledger *l, uint32_t at, uint32_t count, struct rand *r)
{
	struct ledger_node *n = &l->nodes[at];

	n->title = random_text(l, r);
	n->expected_output = random_text(l, r);
	n->kind = (uint8_t)below(r, LEDGER_KIND_COUNT);
	n->role = (uint8_t)below(r, LEDGER_ROLE_COUNT);
	n->access = (uint8_t)below(r, ACCESS_DESTRUCTIVE + 1);
	n->approval = (uint8_t)below(r, LEDGER_APPROVAL_COUNT);
	n->evidence_required = below(r, 2);
	n->max_attempts = 1 + below(r, 3);
	random_history(l, n, r);
	n->evidence_count = below(r, 4);
	n->evidence = arena_array(&l->mem, n->evidence_count, struct str);
	for (uint32_t i = 0; i < n->evidence_count; i++)
		n->evidence[i] = random_text(l, r);
	n->depends = arena_array(&l->mem, count, uint32_t);
	for (uint32_t d = below(r, count); d < count && below(r, 5) > 0; d++)
		n->depends[n->depends_count++] = d;
}

static void
random_ledger(struct ledger *l, uint32_t count, struct rand *r)
{
	ledger_init(l);
	l->run_id = STR("graph-20260719.x");
	l->task = random_text(l, r);
	l->status = (uint8_t)below(r, RUN_STATUS_COUNT);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t node;

		assert_true(
			ledger_add(l, arena_format(&l->mem, "n-%u", i), &node));
	}
	for (uint32_t i = 0; i < count; i++)
		random_node(l, i, count, r);
}

/* The ledger that comes back from the capsule of `l`. */
static void
there_and_back(const struct ledger *l, size_t max, struct buf *capsule,
	struct ledger *ret_back, struct ledger_capsule_loss *ret_loss)
{
	struct ledger_capsule_loss loss = { 0 };
	struct pawl_err err = { 0 };
	enum pawl_rc rc = ledger_capsule_write(l, max, capsule, &loss, &err);

	assert_string_equal(err.msg, "");
	assert_int_equal(rc, PAWL_OK);
	ledger_init(ret_back);
	rc = ledger_capsule_read(buf_str(capsule), ret_back, ret_loss, &err);
	assert_string_equal(err.msg, "");
	assert_int_equal(rc, PAWL_OK);
	assert_int_equal(loss.titles, ret_loss->titles);
	assert_int_equal(loss.expected, ret_loss->expected);
	assert_int_equal(loss.evidence, ret_loss->evidence);
	assert_int_equal(loss.items, ret_loss->items);
	assert_int_equal(loss.task, ret_loss->task);
}

static void
any_ledger_comes_back_equal_when_nothing_is_left_out(void **state)
{
	struct rand r = rand_seeded(20261130);
	struct buf a = { 0 }, b = { 0 }, capsule = { 0 };

	(void)state;
	for (uint32_t round = 0; round < 300; round++) {
		struct ledger_capsule_loss loss;
		struct ledger l, back;

		random_ledger(&l, round % 201, &r);
		buf_clear(&capsule);
		there_and_back(&l, 0, &capsule, &back, &loss);
		assert_false(is_ledger_capsule_lossy(&loss));
		assert_true(str_eq(json_of(&l, &a), json_of(&back, &b)));
		ledger_release(&back);
		ledger_release(&l);
	}
	buf_release(&a);
	buf_release(&b);
	buf_release(&capsule);
}

/* Of each node: the same claims, and never more evidence. */
static void
check_claims(const struct ledger *l, const struct ledger *back)
{
	assert_int_equal(l->count, back->count);
	assert_int_equal(l->status, back->status);
	for (uint32_t i = 0; i < l->count; i++) {
		const struct ledger_node *n = &l->nodes[i];
		const struct ledger_node *m = &back->nodes[i];

		assert_true(str_eq(n->id, m->id));
		assert_int_equal(n->history_count, m->history_count);
		assert_memory_equal(n->history, m->history, n->history_count);
		assert_int_equal(n->status, m->status);
		assert_int_equal(n->attempt, m->attempt);
		assert_int_equal(n->max_attempts, m->max_attempts);
		assert_int_equal(n->approval, m->approval);
		assert_int_equal(n->access, m->access);
		assert_int_equal(n->evidence_required, m->evidence_required);
		assert_int_equal(n->depends_count, m->depends_count);
		if (n->depends_count > 0)
			assert_memory_equal(n->depends, m->depends,
				n->depends_count * sizeof(uint32_t));
		assert_true(m->evidence_count <= n->evidence_count);
		assert_int_equal(m->evidence_count > 0, n->evidence_count > 0);
		assert_true(m->title.len <= n->title.len);
		assert_true(m->expected_output.len <= n->expected_output.len);
	}
}

static void
what_is_left_out_never_makes_a_node_look_more_done(void **state)
{
	struct rand r = rand_seeded(7);
	struct buf whole = { 0 }, capsule = { 0 };
	uint32_t lossy = 0;

	(void)state;
	for (uint32_t round = 0; round < 200; round++) {
		struct ledger_capsule_loss loss;
		struct pawl_err err = { 0 };
		struct ledger l, back;
		size_t room;

		random_ledger(&l, 1 + round % 60, &r);
		buf_clear(&whole);
		buf_clear(&capsule);
		there_and_back(&l, 0, &whole, &back, &loss);
		ledger_release(&back);
		room = whole.len - below(&r, (uint32_t)(whole.len / 3));
		if (ledger_capsule_write(&l, room, &capsule, &loss, &err) ==
			PAWL_OK) {
			assert_true(capsule.len <= room);
			buf_clear(&capsule);
			there_and_back(&l, room, &capsule, &back, &loss);
			check_claims(&l, &back);
			lossy += is_ledger_capsule_lossy(&loss);
			ledger_release(&back);
		} else {
			assert_int_equal(err.code, ERR_LIMIT);
		}
		ledger_release(&l);
	}
	assert_true(lossy > 100);
	buf_release(&whole);
	buf_release(&capsule);
}

/* `count` nodes as people write them, each waiting for the one before. */
static void
typical_ledger(struct ledger *l, uint32_t count, bool passed)
{
	static uint8_t walk[] = { NODE_PENDING, NODE_READY, NODE_RUNNING,
		NODE_PASSED };

	ledger_init(l);
	l->run_id = STR("r-20261130-k3x7qa");
	l->task = STR("Move the import of orders to the new service, keep the "
		      "old route until the last customer has moved");
	l->status = RUN_RUNNING;
	for (uint32_t i = 0; i < count; i++) {
		struct ledger_node *n;
		uint32_t node;

		assert_true(ledger_add(
			l, arena_format(&l->mem, "orders-%02u", i + 1), &node));
		n = &l->nodes[node];
		n->title = STR("Read the orders of one customer and write them "
			       "to the tables");
		n->expected_output =
			STR("The orders of that customer stand in the new "
			    "table, and a second run changes none");
		assert_int_equal(n->title.len, 60);
		assert_true(n->expected_output.len >= 80);
		n->kind = LEDGER_EXECUTE;
		n->role = LEDGER_WORKER;
		n->access = ACCESS_WORKSPACE_WRITE;
		n->evidence_required = true;
		n->max_attempts = 2;
		n->history = walk;
		n->history_count = passed ? 4 : 1;
		n->attempt = passed;
		n->status = passed ? NODE_PASSED : NODE_PENDING;
		n->depends = arena_array(&l->mem, 1, uint32_t);
		n->depends_count = i > 0;
		n->depends[0] = i - 1;
		n->evidence = arena_array(&l->mem, 1, struct str);
		n->evidence_count = passed;
		n->evidence[0] = STR("check: python3 -m unittest tests.orders, "
				     "exit 0, 41 tests");
	}
}

static void
forty_typical_nodes_take_four_kibibytes(void **state)
{
	(void)state;
	for (uint32_t passed = 0; passed < 2; passed++) {
		struct ledger_capsule_loss loss;
		struct buf capsule = { 0 };
		struct ledger l, back;

		typical_ledger(&l, 40, passed);
		there_and_back(
			&l, ledger_capsule_room(40), &capsule, &back, &loss);
		assert_true(capsule.len <= 4096 && capsule.len > 3900);
		check_claims(&l, &back);
		assert_true(is_ledger_capsule_lossy(&loss));
		assert_int_equal(loss.titles, passed ? 40 : 0);
		assert_true(str_find(buf_str(&capsule), '`') == capsule.len);
		ledger_release(&back);
		ledger_release(&l);
		buf_release(&capsule);
	}
}

static const char golden[] =
	"pawl-ledger 1 r-20261130-k3x7qa RUNNING 3\n"
	"task|Move the import of orders to the new service, keep the old "
	"route until the last customer has moved\n"
	"orders-01|d|Eww||Read%7call|The orders %20of|file:a|commit:b\n"
	"orders-02|P4(RU)F|Vrr-q5|1|%e2%80%a6|50%25\n"
	"orders-03|p|Fmx|1-3|a%60b|\n";

/* The ledger of `golden`. */
static void
golden_ledger(struct ledger *l)
{
	static uint8_t walk[] = { NODE_PENDING, NODE_READY, NODE_RUNNING,
		NODE_READY, NODE_RUNNING, NODE_READY, NODE_RUNNING, NODE_READY,
		NODE_RUNNING, NODE_FAILED };
	static uint32_t depends[] = { 0, 1, 2 };
	static struct str evidence[2];

	typical_ledger(l, 3, true);
	evidence[0] = STR("file:a");
	evidence[1] = STR("commit:b");
	l->nodes[0].title = STR("Read|all");
	l->nodes[0].expected_output = STR("The orders  of");
	l->nodes[0].evidence = evidence;
	l->nodes[0].evidence_count = 2;
	l->nodes[1].kind = LEDGER_VERIFY;
	l->nodes[1].role = LEDGER_REVIEWER;
	l->nodes[1].access = ACCESS_READ_ONLY;
	l->nodes[1].evidence_required = false;
	l->nodes[1].approval = LEDGER_REQUIRED;
	l->nodes[1].max_attempts = 5;
	l->nodes[1].title = STR("\xe2\x80\xa6");
	l->nodes[1].expected_output = STR("50%");
	l->nodes[1].evidence_count = 0;
	l->nodes[1].history = walk;
	l->nodes[1].history_count = 10;
	l->nodes[1].status = NODE_FAILED;
	l->nodes[1].attempt = 4;
	l->nodes[2].kind = LEDGER_REPAIR;
	l->nodes[2].role = LEDGER_MAIN;
	l->nodes[2].access = ACCESS_EXTERNAL_WRITE;
	l->nodes[2].title = STR("a`b");
	l->nodes[2].expected_output = STR("");
	l->nodes[2].history_count = 1;
	l->nodes[2].status = NODE_PENDING;
	l->nodes[2].attempt = 0;
	l->nodes[2].evidence_count = 0;
	l->nodes[2].depends = depends;
	l->nodes[2].depends_count = 3;
}

static void
golden_capsule(struct buf *ret_capsule)
{
	struct ledger_capsule_loss loss;
	struct pawl_err err = { 0 };
	struct ledger l;

	golden_ledger(&l);
	assert_int_equal(
		ledger_capsule_write(&l, 0, ret_capsule, &loss, &err), PAWL_OK);
	ledger_release(&l);
}

static void
the_bytes_are_those_that_the_header_says(void **state)
{
	struct buf capsule = { 0 };

	(void)state;
	golden_capsule(&capsule);
	assert_true(capsule.len > sizeof(golden));
	assert_memory_equal(capsule.data, golden, sizeof(golden) - 1);
	assert_string_equal(capsule.data + sizeof(golden) - 1,
		"end 9e56bb864447cc4b gz6KP\n");
	buf_release(&capsule);
}

static enum pawl_rc
read_text(struct str text, struct pawl_err *err)
{
	struct ledger_capsule_loss loss;
	struct ledger l;
	enum pawl_rc rc;

	ledger_init(&l);
	rc = ledger_capsule_read(text, &l, &loss, err);
	ledger_release(&l);
	return rc;
}

static void
a_capsule_is_found_in_a_text_that_quotes_it(void **state)
{
	struct buf capsule = { 0 }, text = { 0 };
	struct pawl_err err = { 0 };
	struct str rest;

	(void)state;
	golden_capsule(&capsule);
	rest = buf_str(&capsule);
	buf_add(&text, STR("## Where we are\r\n\r\n"));
	while (rest.len > 0) {
		buf_add(&text, STR("  > \t"));
		buf_add(&text, str_cut(&rest, '\n'));
		buf_add(&text, STR("  \r\n\r\n"));
	}
	buf_add(&text, STR("and so on\n"));
	assert_int_equal(read_text(buf_str(&text), &err), PAWL_OK);
	buf_release(&capsule);
	buf_release(&text);
}

static void
each_cut_and_each_changed_byte_is_refused_with_its_line(void **state)
{
	struct buf capsule = { 0 };

	(void)state;
	golden_capsule(&capsule);
	for (size_t len = 0; len + 1 < capsule.len; len++) {
		struct pawl_err e = { 0 };

		assert_int_equal(
			read_text((struct str){ capsule.data, len }, &e),
			PAWL_ENO);
		assert_non_null(strstr(e.msg, "line"));
	}
	for (size_t at = 0; at < capsule.len - 1; at++) {
		struct pawl_err e = { 0 };

		capsule.data[at] ^= 1;
		assert_int_not_equal(read_text(buf_str(&capsule), &e), PAWL_OK);
		assert_non_null(strstr(e.msg, "line"));
		capsule.data[at] ^= 1;
	}
	buf_release(&capsule);
}

static void
a_missing_line_is_located(void **state)
{
	struct buf capsule = { 0 }, text = { 0 };
	struct pawl_err err = { 0 };
	struct str rest;

	(void)state;
	golden_capsule(&capsule);
	rest = buf_str(&capsule);
	for (uint32_t i = 0; rest.len > 0; i++) {
		struct str line = str_cut(&rest, '\n');

		if (i != 2) {
			buf_add(&text, line);
			buf_addc(&text, '\n');
		}
	}
	assert_int_equal(read_text(buf_str(&text), &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_INVALID_DOCUMENT);
	assert_non_null(strstr(err.msg, "line 3: "));
	buf_release(&capsule);
	buf_release(&text);
}

static void
a_sealed_line_that_says_nothing_sound_is_refused(void **state)
{
	static const struct {
		const char *node, *why;
	} cases[] = {
		{ "a|d|Eww||t|e", NULL },
		{ "a|P2047(RU)D|Eww||t|e", NULL },
		{ "a|P2048(RU)D|Eww||t|e", "no walk" },
		{ "a|P3(RU|Eww||t|e", "no walk" },
		{ "a|P3()|Eww||t|e", "no walk" },
		{ "a|P1(RU)|Eww||t|e", "no walk" },
		{ "a|x|Eww||t|e", "no walk" },
		{ "a||Eww||t|e", "no walk" },
		{ "a|d|Ew||t|e", "no kind" },
		{ "a|d|Zww||t|e", "no kind" },
		{ "a|d|Eww1000||t|e", NULL },
		{ "a|d|Eww1001||t|e", "no max_attempts" },
		{ "a|d|Eww0||t|e", "no max_attempts" },
		{ "a|d|Eww|1|t|e", NULL }, /* the rules refuse it */
		{ "a|d|Eww|2|t|e", "no numbers" },
		{ "a|d|Eww|0|t|e", "no numbers" },
		{ "a|d|Eww|1,1|t|e", "no numbers" },
		{ "a|d|Eww||t", "fields are missing" },
		{ "a|d|Eww||%7|e", "two digits" },
		{ "a|d|Eww||%7C|e", "two digits" },
		{ "a|d|Eww||%00|e", "two digits" },
		{ "a|d|Eww||%ff|e", "UTF-8" },
		{ "a|d|Eww||\x01|e", "control character" },
		{ "a/b|d|Eww||t|e", "line 3" },
		{ "a|d|Eww||t|e|" CAPSULE_CUT "+0", "no number" },
		{ "a|d|Eww||t|e|" CAPSULE_CUT "+257", "no number" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pawl_err err = { 0 };
		char hex[SHA256_HEX + 1];
		struct buf b = { 0 };
		struct str rest;
		enum pawl_rc rc;

		buf_addf(&b, "pawl-ledger 1 r RUNNING 1\ntask|t\n%s\n",
			cases[i].node);
		sha256_hex(buf_str(&b), hex);
		buf_addf(&b, "end %.16s ", hex);
		for (uint32_t k = 0; k < 3; k++) {
			rest = buf_str(&b);
			for (uint32_t skip = 0; skip < k; skip++)
				(void)str_cut(&rest, '\n');
			buf_addc(&b, capsule_mark(str_cut(&rest, '\n')));
		}
		rc = read_text(buf_str(&b), &err);
		if (cases[i].why) {
			assert_int_equal(rc, PAWL_ENO);
			assert_non_null(strstr(err.msg, cases[i].why));
		} else {
			assert_string_equal(err.msg, "");
			assert_int_equal(rc, PAWL_OK);
		}
		buf_release(&b);
	}
}

static void
too_many_nodes_and_too_little_room_are_refused(void **state)
{
	struct ledger_capsule_loss loss;
	struct buf capsule = { 0 };
	struct pawl_err err = { 0 };
	struct ledger l;

	(void)state;
	typical_ledger(&l, BOUND_CAPSULE_NODES, false);
	assert_int_equal(
		ledger_capsule_write(&l, 0, &capsule, &loss, &err), PAWL_OK);
	assert_int_equal(read_text(buf_str(&capsule), &err), PAWL_OK);
	ledger_release(&l);
	typical_ledger(&l, BOUND_CAPSULE_NODES + 1, false);
	assert_int_equal(
		ledger_capsule_write(&l, 0, &capsule, &loss, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	ledger_release(&l);
	typical_ledger(&l, 3, false);
	assert_int_equal(
		ledger_capsule_write(&l, 100, &capsule, &loss, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	ledger_release(&l);
	buf_release(&capsule);
}

static void
edges_and_bytes_have_limits_too(void **state)
{
	struct ledger_capsule_loss loss;
	struct buf capsule = { 0 };
	struct pawl_err err = { 0 };
	struct ledger l;
	uint32_t *all;

	(void)state;
	typical_ledger(&l, 1001, false);
	all = arena_array(&l.mem, 1001, uint32_t);
	for (uint32_t i = 0; i < 1001; i++) {
		all[i] = i;
		l.nodes[i].depends = all;
		l.nodes[i].depends_count = i < 1000 ? 1000 : 0;
	}
	assert_int_equal(
		ledger_capsule_write(&l, 0, &capsule, &loss, &err), PAWL_OK);
	assert_int_equal(read_text(buf_str(&capsule), &err), PAWL_OK);
	l.nodes[1000].depends_count = 1;
	assert_int_equal(
		ledger_capsule_write(&l, 0, &capsule, &loss, &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	ledger_release(&l);
	memset(buf_reserve(&capsule, BOUND_CAPSULE_TEXT - capsule.len), '\n',
		BOUND_CAPSULE_TEXT - capsule.len);
	capsule.len = BOUND_CAPSULE_TEXT;
	assert_int_equal(read_text(buf_str(&capsule), &err), PAWL_OK);
	buf_addc(&capsule, '\n');
	assert_int_equal(read_text(buf_str(&capsule), &err), PAWL_ENO);
	assert_int_equal(err.code, ERR_LIMIT);
	buf_release(&capsule);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			any_ledger_comes_back_equal_when_nothing_is_left_out),
		cmocka_unit_test(
			what_is_left_out_never_makes_a_node_look_more_done),
		cmocka_unit_test(forty_typical_nodes_take_four_kibibytes),
		cmocka_unit_test(the_bytes_are_those_that_the_header_says),
		cmocka_unit_test(a_capsule_is_found_in_a_text_that_quotes_it),
		cmocka_unit_test(
			each_cut_and_each_changed_byte_is_refused_with_its_line),
		cmocka_unit_test(a_missing_line_is_located),
		cmocka_unit_test(
			a_sealed_line_that_says_nothing_sound_is_refused),
		cmocka_unit_test(
			too_many_nodes_and_too_little_room_are_refused),
		cmocka_unit_test(edges_and_bytes_have_limits_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
