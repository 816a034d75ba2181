/* Batches of new nodes: their order, and what is refused as a whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/ledger_batch.h"

struct fixture {
	struct ledger l;
	struct arena mem;
	struct events events;
	struct pawl_err err;
};

/* A ledger with one node, `z`. */
static enum pawl_rc
read_batch(struct fixture *f, const char *text)
{
	uint32_t node;

	/* What stood there before doesn't count. */
	*f = (struct fixture){ .err = { .rc = PAWL_ENOENT } };
	ledger_init(&f->l);
	assert_true(ledger_add(&f->l, STR("z"), &node));
	return ledger_batch_read(&f->l, &f->mem,
		arena_strdup(&f->mem, str_from(text)), strlen(text), &f->events,
		&f->err);
}

static void
release(struct fixture *f)
{
	events_release(&f->events);
	ledger_release(&f->l);
	arena_reset(&f->mem);
}

/* C082: forward references work; else the order is the document's. */
static void
each_node_stands_behind_what_it_depends_on(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{ "[]", "" },
		{ "[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"b\",\"title\":"
		  "\"B\"}]",
			"a b " },
		{ "[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"b\",\"title\":"
		  "\"B\",\"depends_on\":[\"a\"]},{\"id\":\"c\",\"title\":"
		  "\"C\"}]",
			"a b c " },
		{ "[{\"id\":\"c\",\"title\":\"C\",\"depends_on\":[\"b\",\"z\","
		  "\"a\"]},{\"id\":\"b\",\"title\":\"B\",\"depends_on\":"
		  "[\"a\"]},{\"id\":\"a\",\"title\":\"A\"}]",
			"a b c " },
		{ "[{\"id\":\"x\",\"title\":\"X\"},{\"id\":\"c\",\"title\":"
		  "\"C\",\"depends_on\":[\"a\"]},{\"id\":\"y\",\"title\":"
		  "\"Y\"},{\"id\":\"a\",\"title\":\"A\"}]",
			"x a c y " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct buf got = { 0 };
		struct fixture f;

		if (read_batch(&f, rows[i].text) != PAWL_OK)
			fail_msg("row %zu: %s", i, f.err.msg);
		for (size_t k = 0; k < f.events.count; k++)
			buf_addf(&got, STR_FMT " ",
				STR_ARG(f.events.items[k].node));
		assert_true(str_eq(buf_str(&got), str_from(rows[i].want)));
		buf_release(&got);
		release(&f);
	}
}

static void
a_batch_that_is_not_good_adds_nothing(void **state)
{
	static const struct {
		const char *text;
		enum pawl_code code;
		const char *says;
	} rows[] = {
		{ "{}", ERR_INVALID_DOCUMENT, "JSON array" },
		{ "[", ERR_NOT_JSON, "" },
		{ "[1]", ERR_INVALID_DOCUMENT, "node 1 of the batch" },
		{ "[{\"id\":\"a\"}]", ERR_INVALID_DOCUMENT, "title" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"status\":\"PASSED\"}]",
			ERR_INVALID_DOCUMENT, "status" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"kind\":\"done\"}]",
			ERR_INVALID_DOCUMENT, "node 1" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"max_attempts\":0}]",
			ERR_INVALID_DOCUMENT, "node 1" },
		{ "[{\"id\":\"a\",\"title\":\"A\"},{\"id\":\"a\",\"title\":"
		  "\"A\"}]",
			ERR_ID_TAKEN, "nodes 1 and 2" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"q\"]}]",
			ERR_UNKNOWN_DEPENDENCY, "'q'" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"a\"]}]",
			ERR_CYCLE, "a -> a" },
		{ "[{\"id\":\"a\",\"title\":\"A\",\"depends_on\":[\"b\"]},"
		  "{\"id\":\"b\",\"title\":\"B\",\"depends_on\":[\"a\"]}]",
			ERR_CYCLE, "a -> b -> a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;

		assert_int_not_equal(read_batch(&f, rows[i].text), PAWL_OK);
		if (f.err.code != rows[i].code ||
			strstr(f.err.msg, rows[i].says) == NULL)
			fail_msg("row %zu: %s", i, f.err.msg);
		assert_int_equal(f.events.count, 0);
		release(&f);
	}
}

/* C084: depth costs no stack. */
static void
a_long_chain_in_reverse_is_put_in_order(void **state)
{
	enum { CHAIN = 100000 };
	struct buf text = { 0 };
	struct fixture f;

	(void)state;
	buf_addc(&text, '[');
	for (uint32_t i = 0; i < CHAIN; i++) {
		buf_addf(&text, "%s{\"id\":\"n%u\",\"title\":\"T\"",
			i > 0 ? "," : "", i);
		if (i + 1 < CHAIN)
			buf_addf(&text, ",\"depends_on\":[\"n%u\"]", i + 1);
		buf_addc(&text, '}');
	}
	buf_addc(&text, ']');
	assert_int_equal(read_batch(&f, text.data), PAWL_OK);
	assert_int_equal(f.events.count, CHAIN);
	assert_true(str_eq(f.events.items[0].node, STR("n99999")));
	assert_true(str_eq(f.events.items[CHAIN - 1].node, STR("n0")));
	release(&f);
	buf_release(&text);
}

static void
presets_follow_from_the_kind(void **state)
{
	static const struct {
		enum ledger_kind kind;
		uint32_t access;
		const char *want, *approval;
	} rows[] = {
		{ LEDGER_EXECUTE, LEDGER_ACCESS_OF_KIND, "workspace-write",
			"not-required" },
		{ LEDGER_REPAIR, LEDGER_ACCESS_OF_KIND, "workspace-write",
			"not-required" },
		{ LEDGER_SCOPE, LEDGER_ACCESS_OF_KIND, "read-only",
			"not-required" },
		{ LEDGER_SCOPE, ACCESS_WORKSPACE_WRITE, "workspace-write",
			"not-required" },
		{ LEDGER_EXECUTE, ACCESS_EXTERNAL_WRITE, "external-write",
			"required" },
		{ LEDGER_EXECUTE, ACCESS_DESTRUCTIVE, "destructive",
			"required" },
	};
	struct arena mem = ARENA_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ledger_node_wanted n = ledger_node_preset();
		struct event e;

		n.id = STR("a");
		n.title = STR("A title");
		n.kind = rows[i].kind;
		n.access = rows[i].access;
		e = ledger_node_event(&n, &mem);
		assert_true(str_eq(e.access, str_from(rows[i].want)));
		assert_true(str_eq(e.approval, str_from(rows[i].approval)));
		assert_true(str_eq(e.expected_output, n.title));
		assert_true(e.evidence_required);
		assert_int_equal(e.max_attempts, LEDGER_MAX_ATTEMPTS_PRESET);
	}
	arena_reset(&mem);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_node_stands_behind_what_it_depends_on),
		cmocka_unit_test(a_batch_that_is_not_good_adds_nothing),
		cmocka_unit_test(a_long_chain_in_reverse_is_put_in_order),
		cmocka_unit_test(presets_follow_from_the_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
