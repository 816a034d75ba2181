#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "model/mission.h"

struct fixture {
	struct arena mem;
	struct ledger l;
	struct mission_losses losses;
	struct pawl_err err;
	enum pawl_rc rc;
};

static const struct mission_options plain = { .run_id = { "r-new", 5 } };

static void
read_with(struct fixture *f, const char *text,
	const struct mission_options *options)
{
	*f = (struct fixture){ 0 };
	ledger_init(&f->l);
	f->rc = mission_read(
		&f->mem, str_from(text), options, &f->l, &f->losses, &f->err);
}

static void
release(struct fixture *f)
{
	mission_losses_release(&f->losses);
	ledger_release(&f->l);
	arena_reset(&f->mem);
}

/* A file of these steps, written with ' for ". */
static char *
file_of(const char *steps)
{
	static char text[8192];
	int len = snprintf(text, sizeof(text),
		"{'schema_version':2,'mission':'m','objective':'Do it',"
		"'steps':[%s]}",
		steps);

	assert_true(len > 0 && (size_t)len < sizeof(text));
	for (char *c = text; *c; c++) {
		if (*c == '\'')
			*c = '"';
	}
	return text;
}

static void
read_steps(struct fixture *f, const char *steps)
{
	read_with(f, file_of(steps), &plain);
}

static const struct ledger_node *
node_of(const struct fixture *f, const char *id)
{
	uint32_t node = 0;

	assert_true(ledger_find(&f->l, str_from(id), &node));
	return &f->l.nodes[node];
}

static bool
is_lost(const struct fixture *f, const char *pointer, const char *words)
{
	for (size_t i = 0; i < f->losses.count; i++) {
		const struct mission_loss *x = &f->losses.items[i];
		struct buf b = { 0 };
		bool found;

		buf_add(&b, x->message);
		buf_addc(&b, ' ');
		found = str_eq(x->pointer, str_from(pointer)) &&
			strstr(b.data, words);
		buf_release(&b);
		if (found)
			return true;
	}
	return false;
}

/* A file of version 2 as its authors publish it, far along. */
static const char version_2[] =
	"{\"schema_version\":2,\"mission\":\"export-and-alerts\","
	"\"resume_with\":\"~/run.md\",\"created_at\":\"2026-01-01T09:00:00Z\","
	"\"closed_at\":null,\"objective\":\"Exports and alerts work\","
	"\"success_metric\":\"Both tests pass\","
	"\"authority\":{\"allowed\":[\"edits\"],\"needs_user\":[\"push\"]},"
	"\"non_goals\":[],\"budget\":{\"max_subagents\":3,\"max_rounds\":3},"
	"\"steps\":["
	"{\"id\":\"s1\",\"kind\":\"recon\",\"action\":\"Find the callers\","
	"\"role\":\"main\",\"depends_on\":[],\"paths\":[],\"locks\":[],"
	"\"success\":\"A list\",\"status\":\"verified\","
	"\"evidence\":\"cmd:rg -n x\",\"rounds\":0,\"agent_id\":null},"
	"{\"id\":\"s2\",\"kind\":\"build\",\"action\":\"Add the endpoint\","
	"\"role\":\"export-builder\",\"depends_on\":[\"s1\"],"
	"\"paths\":[\"src/export/\"],\"locks\":[\"test-runner\"],"
	"\"success\":\"The test passes\",\"status\":\"running\","
	"\"evidence\":null,\"rounds\":1},"
	"{\"id\":\"s3\",\"kind\":\"verify\",\"action\":\"Prove it\","
	"\"role\":\"prover\",\"depends_on\":[\"s2\"],\"paths\":[],"
	"\"success\":\"No defect\",\"status\":\"pending\",\"rounds\":0},"
	"{\"id\":\"s4\",\"kind\":\"gate\",\"action\":\"Push\","
	"\"role\":\"main\",\"depends_on\":[\"s1\"],\"paths\":[],"
	"\"success\":\"It is there\",\"status\":\"blocked\","
	"\"reason\":\"waits for the word\"}]}";

static void
a_file_of_version_2_keeps_its_graph_and_tells_its_losses(void **state)
{
	struct fixture f;
	const struct ledger_node *n;

	(void)state;
	read_with(&f, version_2, &plain);
	assert_string_equal(f.err.msg, "");
	assert_int_equal(f.rc, PAWL_OK);
	assert_true(str_eq(f.l.run_id, STR("export-and-alerts")));
	assert_true(str_eq(f.l.task, STR("Exports and alerts work")));
	assert_int_equal(f.l.status, RUN_RUNNING);
	assert_int_equal(f.l.count, 4);
	n = node_of(&f, "s1");
	assert_int_equal(n->status, NODE_PASSED);
	assert_int_equal(n->kind, LEDGER_EXPLORE);
	assert_int_equal(n->history_count, 4);
	n = node_of(&f, "s2");
	assert_int_equal(n->status, NODE_RUNNING);
	assert_int_equal(n->access, ACCESS_WORKSPACE_WRITE);
	assert_int_equal(n->role, LEDGER_WORKER);
	assert_int_equal(n->attempt, 2);
	assert_int_equal(n->max_attempts, 3);
	assert_int_equal(n->history_count, 5);
	assert_int_equal(node_of(&f, "s3")->status, NODE_PENDING);
	n = node_of(&f, "s4");
	assert_int_equal(n->status, NODE_NEEDS_APPROVAL);
	assert_int_equal(n->approval, LEDGER_REQUIRED);
	assert_true(is_lost(&f, "/steps/1/paths", "src/export/"));
	assert_true(is_lost(&f, "/steps/1/locks", "test-runner"));
	assert_true(is_lost(&f, "/steps/1/role", "became 'worker'"));
	assert_true(is_lost(&f, "/steps/2/role", "became 'reviewer'"));
	assert_true(is_lost(&f, "/steps/3/reason", "waits for the word"));
	assert_true(is_lost(&f, "/success_metric", "Both tests pass"));
	assert_true(is_lost(&f, "/budget/max_subagents", "3"));
	assert_true(is_lost(&f, "/authority", "push"));
	assert_true(is_lost(&f, "/resume_with", "run.md"));
	assert_true(is_lost(&f, "/created_at", "2026"));
	assert_int_equal(f.losses.count, 10);
	release(&f);
}

/* Version 1: no schema_version, no kinds, `owner`, numbers as ids. */
static void
a_file_of_version_1_is_read_too(void **state)
{
	struct fixture f;
	const struct ledger_node *n;

	(void)state;
	read_with(&f,
		"{\"objective\":\"Do it\",\"success_signal\":\"green\","
		"\"authorization\":{\"requires_user\":[\"push\"]},"
		"\"budget\":{\"max_children\":3},\"nodes\":["
		"{\"id\":1,\"action\":\"Look\",\"owner\":\"explorer\","
		"\"success\":\"A list\",\"status\":\"verified\","
		"\"evidence\":[\"file:a\",{\"cmd\":\"x\"}]},"
		"{\"id\":2,\"action\":\"Write\",\"owner\":\"main\","
		"\"depends_on\":[1],\"paths\":[\"src\"],"
		"\"success\":\"ok\",\"status\":\"pending\"}]}",
		&plain);
	assert_string_equal(f.err.msg, "");
	assert_int_equal(f.rc, PAWL_OK);
	assert_true(str_eq(f.l.run_id, STR("r-new")));
	n = node_of(&f, "1");
	assert_int_equal(n->kind, LEDGER_EXPLORE);
	assert_int_equal(n->role, LEDGER_EXPLORER);
	assert_int_equal(n->evidence_count, 2);
	assert_true(str_eq(n->evidence[1], STR("{\"cmd\":\"x\"}")));
	n = node_of(&f, "2");
	assert_int_equal(n->kind, LEDGER_EXECUTE);
	assert_int_equal(n->role, LEDGER_MAIN);
	assert_int_equal(n->status, NODE_READY);
	assert_int_equal(n->depends_count, 1);
	assert_true(is_lost(&f, "/nodes/0/kind", "taken for 'explore'"));
	assert_true(is_lost(&f, "/nodes/1/kind", "taken for 'execute'"));
	assert_true(is_lost(&f, "/nodes/0/evidence/1", "became its JSON"));
	assert_true(is_lost(&f, "/success_signal", "green"));
	assert_true(is_lost(&f, "/authorization", "push"));
	release(&f);
}

#define STEP(id, status, more)                                       \
	"{'id':'" id "','action':'Do','kind':'recon','role':'main'," \
	"'success':'It','status':'" status "'" more "}"
#define DONE ",'evidence':'file:a'"

/* What each status becomes; the first of two steps passed, or is pending. */
static void
each_status_becomes_what_it_proves(void **state)
{
	static const struct {
		const char *steps;
		enum node_status status;
		uint32_t attempt;
		const char *lost; /* at the status of the last step */
	} cases[] = {
		{ STEP("a", "pending", ""), NODE_READY, 0, NULL },
		{ STEP("a", "running", ""), NODE_RUNNING, 1, NULL },
		{ STEP("a", "running", ",'rounds':2"), NODE_RUNNING, 3, NULL },
		{ STEP("a", "verified", DONE), NODE_PASSED, 1, NULL },
		{ STEP("a", "verified", ""), NODE_READY, 0, "no evidence" },
		{ STEP("a", "verified", ",'evidence':''"), NODE_READY, 0,
			"no evidence" },
		{ STEP("a", "verified", ",'evidence':[' ']"), NODE_READY, 0,
			"no evidence" },
		{ STEP("a", "failed", ""), NODE_FAILED, 1, NULL },
		{ STEP("a", "reverted", ",'rounds':1"), NODE_FAILED, 2,
			"reverted became FAILED" },
		{ STEP("a", "skipped", ""), NODE_SKIPPED, 0, NULL },
		{ STEP("a", "blocked", ""), NODE_BLOCKED, 0, NULL },
		{ STEP("b", "pending", "") "," STEP(
			  "a", "verified", DONE ",'depends_on':['b']"),
			NODE_PENDING, 0, "hasn't passed" },
		{ STEP("b", "verified", "") "," STEP(
			  "a", "running", ",'depends_on':['b']"),
			NODE_PENDING, 0, "hasn't passed" },
		{ STEP("b", "skipped", "") "," STEP(
			  "a", "verified", DONE ",'depends_on':['b']"),
			NODE_PASSED, 1, NULL },
		{ STEP("b", "failed", "") "," STEP(
			  "a", "pending", ",'depends_on':['b']"),
			NODE_PENDING, 0, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct ledger_node *n;
		char pointer[32];
		struct fixture f;

		read_steps(&f, cases[i].steps);
		assert_string_equal(f.err.msg, "");
		n = node_of(&f, "a");
		assert_int_equal(n->status, cases[i].status);
		assert_int_equal(n->attempt, cases[i].attempt);
		assert_true(n->attempt <= n->max_attempts);
		assert_int_equal(
			n->history[n->history_count - 1], cases[i].status);
		if (n->status == NODE_FAILED)
			assert_int_equal(n->max_attempts, n->attempt);
		assert_true(snprintf(pointer, sizeof(pointer),
				    "/steps/%u/status", f.l.count - 1) > 0);
		if (cases[i].lost)
			assert_true(is_lost(&f, pointer, cases[i].lost));
		else
			assert_false(is_lost(&f, pointer, " "));
		release(&f);
	}
}

static void
a_gate_waits_for_its_approval_unless_it_is_verified(void **state)
{
	static const struct {
		const char *status, *more;
		enum node_status is;
		enum ledger_approval approval;
	} cases[] = {
		{ "pending", "", NODE_NEEDS_APPROVAL, LEDGER_REQUIRED },
		{ "blocked", "", NODE_NEEDS_APPROVAL, LEDGER_REQUIRED },
		{ "running", "", NODE_NEEDS_APPROVAL, LEDGER_REQUIRED },
		{ "verified", "", NODE_NEEDS_APPROVAL, LEDGER_REQUIRED },
		{ "verified", ",'evidence':'the word'", NODE_PASSED,
			LEDGER_GRANTED },
		{ "skipped", "", NODE_SKIPPED, LEDGER_REQUIRED },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;
		char step[512];

		assert_true(snprintf(step, sizeof(step),
				    "{'id':'a','action':'Push','kind':'gate',"
				    "'role':'main','success':'x',"
				    "'status':'%s'%s}",
				    cases[i].status, cases[i].more) > 0);
		read_steps(&f, step);
		assert_int_equal(f.rc, PAWL_OK);
		assert_int_equal(node_of(&f, "a")->status, cases[i].is);
		assert_int_equal(node_of(&f, "a")->approval, cases[i].approval);
		release(&f);
	}
}

/* C088: no word is guessed; C082, C077: all or nothing. */
static void
what_is_no_mission_file_is_refused_at_its_place(void **state)
{
	static const struct {
		const char *steps;
		enum pawl_code code;
		const char *pointer, *words;
	} cases[] = {
		{ STEP("a", "done", ""), ERR_INVALID_DOCUMENT,
			"/steps/0/status", "pending, running, verified" },
		{ STEP("a", "completed", ""), ERR_INVALID_DOCUMENT,
			"/steps/0/status", "'completed' is no status" },
		{ STEP("a", "closed", ""), ERR_INVALID_DOCUMENT,
			"/steps/0/status", "'closed'" },
		{ STEP("a", "kept", ""), ERR_INVALID_DOCUMENT,
			"/steps/0/status", "'kept'" },
		{ STEP("a", "Verified", ""), ERR_INVALID_DOCUMENT,
			"/steps/0/status", "'Verified'" },
		{ "{'id':'a','action':'x','success':'y'}", ERR_INVALID_DOCUMENT,
			"/steps/0/status", "no status" },
		{ "{'id':'a','action':'x','success':'y','kind':'cook',"
		  "'status':'pending'}",
			ERR_INVALID_DOCUMENT, "/steps/0/kind", "'cook'" },
		{ "{'action':'x','status':'pending'}", ERR_INVALID_DOCUMENT,
			"/steps/0/id", "no id" },
		{ "{'id':'a','action':' ','status':'pending'}",
			ERR_INVALID_DOCUMENT, "/steps/0/action", "no action" },
		{ "7", ERR_INVALID_DOCUMENT, "/steps/0", "an object" },
		{ STEP("a/b", "pending", ""), ERR_INVALID_ID, "/steps/0/id",
			"'a/b'" },
		{ STEP("../a", "pending", ""), ERR_INVALID_ID, "/steps/0/id",
			"is no id" },
		{ STEP("s1", "pending", "") "," STEP("S1", "pending", ""),
			ERR_ID_TAKEN, "/steps/1/id", "'s1'" },
		{ STEP("a", "pending", ",'depends_on':['b','c']") "," STEP(
			  "b", "pending", ""),
			ERR_UNKNOWN_DEPENDENCY, "/steps/0/depends_on/1",
			"'c', which is no step" },
		{ STEP("a", "pending", ",'depends_on':'b'"),
			ERR_INVALID_DOCUMENT, "/steps/0/depends_on", "list" },
		{ STEP("a", "pending", ",'depends_on':['a']"), ERR_CYCLE,
			"/steps/0/depends_on", "a -> a" },
		{ STEP("a", "pending", ",'depends_on':['b']") "," STEP(
			  "b", "pending", ",'depends_on':['c']") "," STEP("c",
			  "pending", ",'depends_on':['a']"),
			ERR_CYCLE, "/steps/0/depends_on", "a -> b -> c -> a" },
		{ STEP("a", "pending", ",'rounds':-1"), ERR_INVALID_DOCUMENT,
			"/steps/0/rounds", "between 0 and 999" },
		{ STEP("a", "pending", ",'rounds':1000"), ERR_INVALID_DOCUMENT,
			"/steps/0/rounds", "between 0 and 999" },
		{ STEP("a", "pending", ",'rounds':1.0"), ERR_INVALID_DOCUMENT,
			"/steps/0/rounds", "between 0 and 999" },
		{ STEP("a", "pending", ",'id':'b'"), ERR_INVALID_DOCUMENT, "",
			"id" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		read_steps(&f, cases[i].steps);
		assert_int_equal(f.rc, pawl_code_info(cases[i].code)->rc);
		assert_int_equal(f.err.code, cases[i].code);
		assert_non_null(strstr(f.err.msg, cases[i].words));
		if (cases[i].pointer[0]) {
			assert_non_null(strstr(f.err.msg, "1:"));
			assert_true(str_eq(
				f.err.field, str_from(cases[i].pointer)));
		}
		release(&f);
	}
}

/* C088 again: the caller says what a word means, and then it is so. */
static void
a_word_that_is_mapped_is_taken_and_reported(void **state)
{
	static const struct mission_word words[] = {
		{ { "done", 4 }, { "verified", 8 } },
		{ { "cook", 4 }, { "build", 5 } },
	};
	const struct mission_options options = { .run_id = STR("r"),
		.rename = true,
		.words = words,
		.word_count = 2 };
	struct fixture f;

	(void)state;
	read_with(&f,
		file_of("{'id':'a','action':'x','success':'y','role':'main',"
			"'kind':'cook','status':'done','evidence':'e'}"),
		&options);
	assert_string_equal(f.err.msg, "");
	assert_int_equal(node_of(&f, "a")->status, NODE_PASSED);
	assert_int_equal(node_of(&f, "a")->kind, LEDGER_EXECUTE);
	assert_true(is_lost(&f, "/steps/0/status", "taken for 'verified'"));
	assert_true(is_lost(&f, "/steps/0/kind", "'cook' became 'execute'"));
	assert_true(is_lost(&f, "/mission", "'m' became 'r'"));
	assert_true(str_eq(f.l.run_id, STR("r")));
	assert_true(mission_is_word(STR("verified")));
	assert_true(mission_is_word(STR("write-back")));
	assert_false(mission_is_word(STR("done")));
	release(&f);
}

/* C082: in reverse order, all edges are there. */
static void
steps_may_stand_before_what_they_depend_on(void **state)
{
	struct buf b = { 0 };
	struct fixture f;

	(void)state;
	buf_add(&b, STR("{\"objective\":\"x\",\"steps\":["));
	for (int i = 200; i > 0; i--) {
		buf_addf(&b,
			"{\"id\":\"n%d\",\"action\":\"x\",\"success\":\"y\","
			"\"status\":\"pending\",\"depends_on\":[",
			i);
		if (i > 1)
			buf_addf(&b, "\"n%d\"", i - 1);
		buf_addf(&b, "]}%s", i > 1 ? "," : "]}");
	}
	read_with(&f, b.data, &plain);
	assert_string_equal(f.err.msg, "");
	assert_int_equal(f.l.count, 200);
	for (uint32_t i = 0; i < 199; i++) {
		assert_int_equal(f.l.nodes[i].depends_count, 1);
		assert_int_equal(f.l.nodes[i].depends[0], i + 1);
		assert_int_equal(f.l.nodes[i].status, NODE_PENDING);
	}
	assert_int_equal(f.l.nodes[199].status, NODE_READY);
	release(&f);
	buf_release(&b);
}

static void
files_that_are_no_mission_are_told_apart(void **state)
{
	static const struct {
		const char *text;
		enum mission_form form;
		enum pawl_code code; /* when it is read as one all the same */
	} cases[] = {
		{ "{\"objective\":\"x\",\"steps\":[]}", MISSION_STEPS, 0 },
		{ "{\"run_id\":\"x\",\"nodes\":[]}", MISSION_LEDGER,
			ERR_INVALID_DOCUMENT },
		{ "{\"objective\":\"x\",\"nodes\":[]}", MISSION_STEPS, 0 },
		{ "{\"steps\":7,\"objective\":\"x\"}", MISSION_STEPS,
			ERR_INVALID_DOCUMENT },
		{ "{\"steps\":[]}", MISSION_STEPS, ERR_INVALID_DOCUMENT },
		{ "{}", MISSION_OTHER, ERR_INVALID_DOCUMENT },
		{ "[]", MISSION_OTHER, ERR_INVALID_DOCUMENT },
		{ "", MISSION_OTHER, ERR_NOT_JSON },
		{ "{\"objective\":\"x\",\"steps\":[]", MISSION_OTHER,
			ERR_NOT_JSON },
		{ "{\"schema_version\":3,\"objective\":\"x\",\"steps\":[]}",
			MISSION_STEPS, ERR_NEWER_FORMAT },
		{ "{\"schema_version\":\"2\",\"objective\":\"x\","
		  "\"steps\":[]}",
			MISSION_STEPS, ERR_INVALID_DOCUMENT },
		{ "{\"schema_version\":0,\"objective\":\"x\",\"steps\":[]}",
			MISSION_STEPS, ERR_INVALID_DOCUMENT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f;

		assert_int_equal(mission_form_of(str_from(cases[i].text)),
			cases[i].form);
		read_with(&f, cases[i].text, &plain);
		if (cases[i].code == 0)
			assert_int_equal(f.rc, PAWL_OK);
		else
			assert_int_equal(f.err.code, cases[i].code);
		release(&f);
	}
}

static void
texts_come_on_one_line_and_within_their_bounds(void **state)
{
	struct buf b = { 0 };
	struct fixture f;

	(void)state;
	buf_add(&b,
		STR("{\"objective\":\"a \\r\\n\\tb  "
		    "c\",\"steps\":[{\"id\":\"a\","
		    "\"status\":\"pending\",\"success\":[\"x\",\"y\"],"
		    "\"action\":\""));
	for (int i = 0; i < BOUND_TITLE_BYTES + 1; i++)
		buf_addc(&b, 'x');
	buf_add(&b, STR("\"}]}"));
	read_with(&f, b.data, &plain);
	assert_string_equal(f.err.msg, "");
	assert_true(str_eq(f.l.task, STR("a b  c")));
	assert_true(is_lost(&f, "/objective", "became blanks"));
	assert_int_equal(node_of(&f, "a")->title.len, BOUND_TITLE_BYTES);
	assert_true(is_lost(&f, "/steps/0/action", "1 bytes beyond"));
	assert_true(str_eq(
		node_of(&f, "a")->expected_output, STR("[\"x\",\"y\"]")));
	assert_true(is_lost(&f, "/steps/0/success", "became its JSON"));
	release(&f);
	buf_release(&b);
}

/* RFC 6901: "/" is the member whose name is empty, "" the whole document. */
static void
a_member_without_a_name_is_lost_at_its_place(void **state)
{
	struct fixture f;

	(void)state;
	read_with(&f,
		"{\"objective\":\"x\",\"\":\"r\",\"steps\":[{\"id\":\"a\","
		"\"action\":\"x\",\"status\":\"pending\",\"\":\"s\"}]}",
		&plain);
	assert_string_equal(f.err.msg, "");
	assert_true(is_lost(&f, "/", "no place in a ledger: \"r\""));
	assert_true(is_lost(&f, "/steps/0/", "no place in a ledger: \"s\""));
	release(&f);
}

/* A file of `count` steps, and blanks up to `bytes`. */
static void
file_of_size(struct buf *b, uint32_t count, size_t bytes)
{
	buf_clear(b);
	buf_add(b, STR("{\"objective\":\"x\",\"steps\":["));
	for (uint32_t i = 0; i < count; i++) {
		buf_addf(b,
			"%s{\"id\":%u,\"action\":\"x\",\"kind\":\"recon\","
			"\"role\":\"main\",\"success\":\"y\","
			"\"status\":\"pending\"}",
			i > 0 ? "," : "", i);
	}
	buf_add(b, STR("]}"));
	if (b->len < bytes) {
		memset(buf_reserve(b, bytes - b->len), ' ', bytes - b->len);
		b->len = bytes;
	}
}

static void
files_at_their_limits_are_read_and_none_above(void **state)
{
	static const struct {
		size_t bytes;
		uint32_t steps;
		bool good;
	} cases[] = {
		{ 0, BOUND_MISSION_STEPS - 1, true },
		{ 0, BOUND_MISSION_STEPS, true },
		{ 0, BOUND_MISSION_STEPS + 1, false },
		{ BOUND_MISSION_BYTES - 1, 1, true },
		{ BOUND_MISSION_BYTES, 1, true },
		{ BOUND_MISSION_BYTES + 1, 1, false },
	};
	struct buf b = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = { 0 };

		file_of_size(&b, cases[i].steps, cases[i].bytes);
		ledger_init(&f.l);
		f.rc = mission_read(
			&f.mem, buf_str(&b), &plain, &f.l, &f.losses, &f.err);
		assert_int_equal(f.rc == PAWL_OK, cases[i].good);
		if (cases[i].good)
			assert_int_equal(f.l.count, cases[i].steps);
		else
			assert_int_equal(f.err.code, ERR_LIMIT);
		assert_int_equal(f.losses.count, 0);
		release(&f);
	}
	buf_release(&b);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_file_of_version_2_keeps_its_graph_and_tells_its_losses),
		cmocka_unit_test(a_file_of_version_1_is_read_too),
		cmocka_unit_test(each_status_becomes_what_it_proves),
		cmocka_unit_test(
			a_gate_waits_for_its_approval_unless_it_is_verified),
		cmocka_unit_test(
			what_is_no_mission_file_is_refused_at_its_place),
		cmocka_unit_test(a_word_that_is_mapped_is_taken_and_reported),
		cmocka_unit_test(steps_may_stand_before_what_they_depend_on),
		cmocka_unit_test(files_that_are_no_mission_are_told_apart),
		cmocka_unit_test(a_member_without_a_name_is_lost_at_its_place),
		cmocka_unit_test(files_at_their_limits_are_read_and_none_above),
		cmocka_unit_test(
			texts_come_on_one_line_and_within_their_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
