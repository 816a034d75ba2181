/*
 * Cleanups: what may be registered once, whose word settles which kind, and
 * that what is refused changes nothing (design 3.9).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bounds.h"
#include "model/view.h"
#include "run_fixture.h"

static const struct plan_row rows[] = {
	{ .id = "A", .paths = "src" },
	{ .id = "R", .paths = "docs", .mode = "read" },
};

struct row {
	const char *kind;   /* registered of A@1; NULL: nothing */
	const char *before; /* settled so already; NULL: not */
	const char *status; /* NULL: registered once more */
	const char *reason;
	const char *target;  /* of the second registration; NULL: another */
	enum pawl_code code; /* PAWL_CODE_COUNT: it is decided */
};

#define YES PAWL_CODE_COUNT

static const struct row table[] = {
	/* kinds */
	{ "process", NULL, NULL, "", NULL, YES },
	{ "pty", NULL, NULL, "", NULL, YES },
	{ "terminal", NULL, NULL, "", NULL, YES },
	{ "worktree", NULL, NULL, "", NULL, YES },
	{ "temp_path", NULL, NULL, "", NULL, YES },
	{ "session", NULL, NULL, "", NULL, YES },
	{ "browser_surface", NULL, NULL, "", NULL, YES },
	{ "provider_dispatch", NULL, NULL, "", NULL, YES },
	/* a second identity for the same target */
	{ "session", NULL, NULL, "", "t", ERR_CLEANUP_TAKEN },
	{ "session", "failed", NULL, "", "t", ERR_CLEANUP_TAKEN },
	{ "session", "unverifiable", NULL, "", "t", ERR_CLEANUP_TAKEN },
	{ "session", "done", NULL, "", "t", YES },
	{ "session", NULL, NULL, "", " \t", ERR_INVALID_ARGUMENT },
	/* pawl's proof for what it can prove, a word for the rest */
	{ "process", NULL, "verified", "gone", NULL, YES },
	{ "worktree", NULL, "verified", "gone", NULL, YES },
	{ "temp_path", NULL, "verified", "gone", NULL, YES },
	{ "process", NULL, "done", "gone", NULL, ERR_CLEANUP_UNPROVEN },
	{ "worktree", NULL, "done", "gone", NULL, ERR_CLEANUP_UNPROVEN },
	{ "temp_path", NULL, "done", "gone", NULL, ERR_CLEANUP_UNPROVEN },
	{ "pty", NULL, "done", "gone", NULL, YES },
	{ "terminal", NULL, "done", "gone", NULL, YES },
	{ "session", NULL, "done", "gone", NULL, YES },
	{ "browser_surface", NULL, "done", "gone", NULL, YES },
	{ "provider_dispatch", NULL, "done", "gone", NULL, YES },
	{ "pty", NULL, "verified", "gone", NULL, ERR_CLEANUP_UNPROVEN },
	{ "session", NULL, "verified", "gone", NULL, ERR_CLEANUP_UNPROVEN },
	/* what is no end may be tried again, what is one stays */
	{ "process", NULL, "failed", "alive", NULL, YES },
	{ "process", NULL, "unverifiable", "hidden", NULL, YES },
	{ "process", "failed", "verified", "gone", NULL, YES },
	{ "process", "unverifiable", "verified", "gone", NULL, YES },
	{ "process", "failed", "retained", "mine", NULL, YES },
	{ "process", "verified", "failed", "x", NULL, ERR_CLEANUP_SETTLED },
	{ "process", "verified", "retained", "x", NULL, ERR_CLEANUP_SETTLED },
	{ "process", "retained", "verified", "x", NULL, ERR_CLEANUP_SETTLED },
	{ "session", "done", "retained", "x", NULL, ERR_CLEANUP_SETTLED },
	{ "session", "done", "done", "x", NULL, ERR_CLEANUP_SETTLED },
	/* words */
	{ "process", NULL, "retained", " ", NULL, ERR_INVALID_ARGUMENT },
	{ "process", NULL, "retained", "mine", NULL, YES },
	{ "process", NULL, "clean", "x", NULL, ERR_INVALID_ARGUMENT },
	{ "process", NULL, "pending", "x", NULL, ERR_INVALID_ARGUMENT },
	{ NULL, NULL, "verified", "x", NULL, ERR_CLEANUP_NOT_FOUND },
};

static struct command
registration(struct run_fixture *f, const char *kind, const char *target)
{
	struct command cmd = fixture_command(f, EV_CLEANUP_REGISTERED, "A@1");

	cmd.event.kind = str_from(kind);
	cmd.event.target = str_from(target);
	return cmd;
}

static struct command
settling(struct run_fixture *f, const char *status, const char *reason)
{
	struct command cmd = fixture_command(f, EV_CLEANUP_SETTLED, "A@1");

	cmd.event.cleanup = STR("c1");
	cmd.event.status = str_from(status);
	cmd.event.reason = str_from(reason);
	return cmd;
}

static void
each_row_is_decided_as_it_says(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		const struct row *row = &table[i];
		struct buf before = { 0 }, after = { 0 };
		struct run_fixture f;
		struct command cmd;
		enum pawl_rc rc;

		fixture_init_of(&f, rows, 2);
		fixture_until(&f, "A", ATTEMPT_STARTED);
		if (row->kind != NULL) {
			cmd = registration(&f, row->kind, "t");
			fixture_do(&f, &cmd);
		}
		if (row->before != NULL) {
			cmd = settling(&f, row->before, "before");
			fixture_do(&f, &cmd);
		}
		cmd = row->status != NULL
			? settling(&f, row->status, row->reason)
			: registration(&f, row->kind,
				  row->target ? row->target : "other");
		fixture_projection(&f.s, &before);
		rc = fixture_try(&f, &cmd);
		if ((row->code == YES) != (rc == PAWL_OK) ||
			(rc != PAWL_OK && f.err.code != row->code))
			fail_msg("row %zu: %s", i,
				rc == PAWL_OK ? "decided" : f.err.msg);
		if (rc != PAWL_OK) {
			fixture_projection(&f.s, &after);
			assert_true(str_eq(buf_str(&before), buf_str(&after)));
		}
		assert_null(f.broken);
		buf_release(&before);
		buf_release(&after);
		fixture_release(&f);
	}
}

/* Each end frees the node's grade; what is no end keeps it. */
static void
only_an_end_lets_the_node_pass(void **state)
{
	static const struct {
		const char *kind, *status;
		bool ends;
	} ends[] = {
		{ "process", "verified", true },
		{ "process", "retained", true },
		{ "process", "failed", false },
		{ "process", "unverifiable", false },
		{ "session", "done", true },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct run_fixture f;
		struct command cmd;

		fixture_init_of(&f, rows, 2);
		fixture_until(&f, "A", ATTEMPT_STARTED);
		cmd = registration(&f, ends[i].kind, "t");
		fixture_do(&f, &cmd);
		cmd = settling(&f, ends[i].status, "so it is");
		fixture_do(&f, &cmd);
		assert_int_equal(f.s.cleanups_open, !ends[i].ends);
		fixture_step(&f, EV_ATTEMPT_REPORTED, "A@1");
		fixture_step(&f, EV_CHECK_STARTED, "A@1");
		fixture_step(&f, EV_CHECK_RECORDED, "A@1");
		fixture_step(&f, EV_INTEGRATED, "A@1");
		cmd = fixture_command(&f, EV_NODE_GRADED, "A@1");
		assert_int_equal(
			fixture_try(&f, &cmd) == PAWL_OK, ends[i].ends);
		fixture_release(&f);
	}
}

static void
a_target_at_its_bound_is_registered(void **state)
{
	struct run_fixture f;
	char *target;

	(void)state;
	fixture_init_of(&f, rows, 2);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	target = arena_bytes(&f.mem, BOUND_PATH_BYTES + 1);
	memset(target, 'x', BOUND_PATH_BYTES + 1);
	for (size_t len = BOUND_PATH_BYTES - 1; len <= BOUND_PATH_BYTES + 1;
		len++) {
		struct command cmd = registration(&f, "session", "");

		cmd.event.target = (struct str){ target, len };
		assert_int_equal(fixture_try(&f, &cmd) == PAWL_OK,
			len <= BOUND_PATH_BYTES);
	}
	assert_int_equal(f.err.code, ERR_LIMIT);
	fixture_release(&f);
}

/* What stays on purpose is named at the end, with why. */
static void
what_is_kept_is_shown_at_the_end(void **state)
{
	struct run_fixture f;
	struct command cmd;
	struct buf out = { 0 };

	(void)state;
	fixture_init_of(&f, rows, 1);
	fixture_until(&f, "A", ATTEMPT_STARTED);
	cmd = registration(&f, "terminal", "tab 7");
	fixture_do(&f, &cmd);
	cmd = settling(&f, "retained", "the user looks at it");
	fixture_do(&f, &cmd);
	view_status(&out, &f.s, false, 10, UINT32_MAX);
	assert_null(strstr(out.data, "kept:"));
	fixture_step(&f, EV_ATTEMPT_REPORTED, "A@1");
	fixture_step(&f, EV_CHECK_STARTED, "A@1");
	fixture_step(&f, EV_CHECK_RECORDED, "A@1");
	fixture_step(&f, EV_INTEGRATED, "A@1");
	fixture_step(&f, EV_NODE_GRADED, "A@1");
	buf_clear(&out);
	view_status(&out, &f.s, false, 10, UINT32_MAX);
	assert_non_null(strstr(out.data,
		"kept: c1 of A@1, terminal tab 7: the user looks at it\n"));
	buf_release(&out);
	fixture_release(&f);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_row_is_decided_as_it_says),
		cmocka_unit_test(only_an_end_lets_the_node_pass),
		cmocka_unit_test(a_target_at_its_bound_is_registered),
		cmocka_unit_test(what_is_kept_is_shown_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
