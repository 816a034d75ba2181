#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bounds.h"
#include "base/sha256.h"
#include "commits.h"
#include "engine/medium.h"
#include "engine/runs.h"
#include "engine/statedir.h"
#include "fs_fault.h"
#include "store/rundir.h"
#include "tempdir.h"

struct fixture {
	struct tempdir temp;
	struct arena mem;
	struct statedir_env env;
	struct statedir dir;
	struct pawl_err err;
	bool whole; /* list_late's */
};

static int
set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (f == NULL)
		return -1;
	f->temp = tempdir_open();
	f->env.xdg_state_home = arena_format(&f->mem, "%s/x", f->temp.path).ptr;
	*state = f;
	return 0;
}

static int
tear_down(void **state)
{
	struct fixture *f = *state;

	tempdir_close(&f->temp);
	arena_reset(&f->mem);
	free(f);
	return 0;
}

static enum pawl_rc
find(struct fixture *f, const char *option)
{
	f->err = (struct pawl_err){ 0 };
	return statedir_find(
		&f->mem, &f->env, option, f->temp.path, &f->dir, &f->err);
}

static const char *
below(struct fixture *f, const char *name)
{
	return arena_format(&f->mem, "%s/%s", f->temp.path, name).ptr;
}

/* The order: option, variable, repository (in test/cli), default. */
static void
the_first_that_is_set_is_taken(void **state)
{
	struct fixture *f = *state;
	char hex[SHA256_HEX + 1];

	f->env.state = "/v";
	assert_int_equal(find(f, "/o"), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_OPTION);
	assert_string_equal(f->dir.path, "/o");
	assert_int_equal(find(f, NULL), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_VARIABLE);
	assert_string_equal(f->dir.path, "/v");
	f->env.state = "";
	assert_int_equal(find(f, NULL), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_XDG);
	sha256_hex(str_from(f->temp.path), hex);
	assert_string_equal(f->dir.path,
		arena_format(&f->mem, "%s/x/pawl/%s-%.8s", f->temp.path,
			strrchr(f->temp.path, '/') + 1, hex)
			.ptr);
	assert_string_equal(f->dir.worktrees,
		arena_format(&f->mem, "%s/wt", f->dir.path).ptr);
	assert_string_equal(
		f->dir.keys, arena_format(&f->mem, "%s/keys", f->dir.path).ptr);
	assert_false(statedir_exists(&f->dir));
	assert_false(f->dir.has_repo);
}

static void
a_home_that_is_not_absolute_is_not_set(void **state)
{
	struct fixture *f = *state;

	f->env.xdg_state_home = "relative";
	f->env.home = "/h";
	assert_int_equal(find(f, NULL), PAWL_OK);
	assert_ptr_equal(
		strstr(f->dir.path, "/h/.local/state/pawl/"), f->dir.path);
	f->env.home = "";
	assert_int_equal(find(f, NULL), PAWL_ENO);
	assert_int_equal(f->err.code, ERR_INVALID_PATH);
}

static void
a_path_below_at_and_above_its_limit(void **state)
{
	struct fixture *f = *state;
	size_t max = BOUND_PATH_BYTES - BOUND_ID_BYTES - 128 - 1;
	char *path;

	for (size_t len = max - 1; len <= max + 1; len++) {
		path = arena_alloc(&f->mem, len + 1, 1);
		memset(path, 'a', len);
		for (size_t i = 0; i < len; i += 100)
			path[i] = '/';
		path[len - 1] = 'a';
		if (len <= max) {
			assert_int_equal(find(f, path), PAWL_OK);
			assert_int_equal(strlen(f->dir.path), len);
		} else {
			assert_int_equal(find(f, path), PAWL_ENO);
			assert_int_equal(f->err.code, ERR_LIMIT);
		}
	}
}

static void
a_link_on_the_way_is_resolved(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(mkdirat(f->temp.fd, "real", 0700), 0);
	assert_int_equal(symlinkat("real", f->temp.fd, "link"), 0);
	assert_int_equal(find(f, below(f, "link/a//b/")), PAWL_OK);
	assert_string_equal(f->dir.path, below(f, "real/a//b"));
	assert_int_equal(find(f, below(f, "link")), PAWL_OK);
	assert_string_equal(f->dir.path, below(f, "real"));
}

static enum pawl_rc
enter(struct fixture *f, const char *option, int *ret_fd)
{
	const struct statedir_search search = { &f->env, option, f->temp.path };

	f->err = (struct pawl_err){ 0 };
	*ret_fd = -1;
	return statedir_enter(
		&fs_real, &f->mem, &search, &f->dir, ret_fd, &f->err);
}

static void
write_format(struct fixture *f, const char *text)
{
	int fd = -1;

	assert_int_equal(
		fs_open_dir(&fs_real, f->temp.fd, ".pawl", &fd, &f->err),
		PAWL_OK);
	assert_int_equal(fs_replace(&fs_real, fd, "format", str_from(text),
				 FS_CACHE, &f->err),
		PAWL_OK);
	fs_close(&fs_real, &fd);
}

/* Whichever way is taken, the answer is the same. */
static void
what_init_made_counts_beside_a_git_folder_of_ours(void **state)
{
	struct fixture *f = *state;
	int fd = -1;

	assert_int_equal(mkdirat(f->temp.fd, ".pawl", 0700), 0);
	assert_int_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_XDG);
	assert_int_equal(fd, -1);
	write_format(f, "pawl 1\n");
	assert_int_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_XDG); /* no .git */
	assert_int_equal(mkdirat(f->temp.fd, ".git", 0700), 0);
	assert_int_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_REPOSITORY);
	assert_string_equal(f->dir.path, below(f, ".pawl"));
	assert_true(fd >= 0);
	assert_null(f->dir.keys);
	fs_close(&fs_real, &fd);
	assert_int_equal(find(f, NULL), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_REPOSITORY);
	assert_string_equal(f->dir.path, below(f, ".pawl"));
	assert_false(f->dir.has_repo); /* an empty one is none */
	assert_int_equal(enter(f, below(f, "other"), &fd), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_OPTION);
	assert_int_equal(fd, -1);
	f->env.state = below(f, "variable");
	assert_int_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->dir.why, STATEDIR_VARIABLE);
}

static void
what_is_not_as_it_should_be_is_told(void **state)
{
	struct fixture *f = *state;
	int fd = -1;

	assert_int_equal(mkdirat(f->temp.fd, ".git", 0700), 0);
	assert_int_equal(mkdirat(f->temp.fd, ".pawl", 0700), 0);
	write_format(f, "pawl 2\n");
	assert_int_not_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->err.code, ERR_NEWER_FORMAT);
	write_format(f, "pawl 1\nand more\n");
	assert_int_not_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->err.code, ERR_NEWER_FORMAT);
	write_format(f, "pawl 1\n");
	assert_int_equal(chmod(below(f, ".pawl"), 0770), 0);
	assert_int_not_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->err.code, ERR_NOT_PERMITTED);
	assert_int_equal(chmod(below(f, ".pawl"), 0700), 0);
	assert_int_equal(rename(below(f, ".pawl"), below(f, "real")), 0);
	assert_int_equal(symlinkat("real", f->temp.fd, ".pawl"), 0);
	assert_int_not_equal(enter(f, NULL, &fd), PAWL_OK);
	assert_int_equal(f->err.code, ERR_UNSAFE_PATH);
	assert_int_equal(fd, -1);
}

static void
making_twice_makes_once(void **state)
{
	struct fixture *f = *state;
	struct medium m, now;
	bool made = false, found = false;
	int fd = -1;

	assert_int_equal(find(f, below(f, "a/b")), PAWL_OK);
	assert_int_equal(statedir_would_make(&fs_real, &f->dir, &made, &f->err),
		PAWL_OK);
	assert_true(made);
	assert_int_equal(
		statedir_open(&fs_real, &f->dir, &fd, &f->err), PAWL_OK);
	assert_int_equal(fd, -1);
	assert_int_not_equal(access(below(f, "a"), F_OK), 0);
	assert_int_equal(
		statedir_make(&fs_real, &f->dir, &fd, &made, &f->err), PAWL_OK);
	assert_true(made);
	assert_int_equal(
		medium_read(&fs_real, fd, &m, &found, &f->err), PAWL_OK);
	now = medium_measure(&fs_real, fd);
	assert_true(found && medium_eq(&m, &now));
	fs_close(&fs_real, &fd);
	assert_int_equal(
		statedir_make(&fs_real, &f->dir, &fd, &made, &f->err), PAWL_OK);
	assert_false(made);
	fs_close(&fs_real, &fd);
	assert_int_equal(statedir_would_make(&fs_real, &f->dir, &made, &f->err),
		PAWL_OK);
	assert_false(made);
	assert_int_equal(
		statedir_open(&fs_real, &f->dir, &fd, &f->err), PAWL_OK);
	assert_true(fd >= 0);
	fs_close(&fs_real, &fd);
}

/* Each operation fails once: an error or success, and then nothing is in the
 * way of doing it again. */
static void
a_fault_leaves_nothing_in_the_way(void **state)
{
	static const int kinds[] = { ENOSPC, EIO, EINTR, EROFS, EDQUOT,
		FAULT_SHORT };
	struct fixture *f = *state;

	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		bool fired = true;

		for (long at = 0; fired; at++) {
			struct fs_fault fault = {
				.under = fs_real, .left = at, .sys = kinds[k]
			};
			struct fs fs = fs_fault_over(&fault);
			bool made = false;
			int fd = -1;
			enum pawl_rc rc;

			assert_in_range(at, 0, 200);
			assert_int_equal(
				find(f,
					arena_format(&f->mem, "%s/%zu-%ld/s",
						f->temp.path, k, at)
						.ptr),
				PAWL_OK);
			rc = statedir_make(&fs, &f->dir, &fd, &made, &f->err);
			fired = fault.fired != NULL;
			if (rc != PAWL_OK) {
				assert_true(fired);
				assert_int_equal(fd, -1);
			}
			fs_close(&fs_real, &fd);
			assert_int_equal(statedir_make(&fs_real, &f->dir, &fd,
						 &made, &f->err),
				PAWL_OK);
			assert_true(!made || rc != PAWL_OK);
			fs_close(&fs_real, &fd);
		}
	}
}

/* A folder of names that only a half-made one has is completed, no other. */
static void
other_things_are_left_alone(void **state)
{
	static const struct {
		const char *name;
		bool own;
	} cases[] = {
		{ "runs", true },
		{ "active", true },
		{ "log", true },
		{ "wt", true },
		{ "keys", true },
		{ ".format.0011223344556677.pawl-tmp", true },
		{ "format.pawl-tmp", false },
		{ ".profile", false },
		{ "run", false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *dir =
			arena_format(&f->mem, "%s/%zu", f->temp.path, i).ptr;
		bool made = false;
		int fd = -1;

		assert_int_equal(mkdir(dir, 0700), 0);
		assert_int_equal(
			mkdir(arena_format(&f->mem, "%s/%s", dir, cases[i].name)
					.ptr,
				0700),
			0);
		assert_int_equal(find(f, dir), PAWL_OK);
		if (cases[i].own) {
			assert_int_equal(statedir_make(&fs_real, &f->dir, &fd,
						 &made, &f->err),
				PAWL_OK);
			assert_true(made);
			fs_close(&fs_real, &fd);
			continue;
		}
		assert_int_equal(
			statedir_make(&fs_real, &f->dir, &fd, &made, &f->err),
			PAWL_ENO);
		assert_int_equal(f->err.code, ERR_INVALID_PATH);
		assert_non_null(strstr(f->err.msg, cases[i].name));
	}
}

/* List what is there once another has made the folder whole. */
static int
list_late(void *st, int dir, struct buf *ret_names)
{
	struct fixture *f = st;
	bool made;
	int fd = -1;

	if (!f->whole) {
		f->whole = true;
		assert_int_equal(
			statedir_make(&fs_real, &f->dir, &fd, &made, &f->err),
			PAWL_OK);
		fs_close(&fs_real, &fd);
	}
	return fs_real.ops->list(fs_real.state, dir, ret_names);
}

/* Between the look for `format` and the list of what else there is. */
static void
another_makes_it_meanwhile(void **state)
{
	struct fixture *f = *state;
	struct fs_ops ops = *fs_real.ops;
	struct fs fs = { .ops = &ops, .state = f };
	bool made;
	int fd = -1;

	ops.list = list_late;
	assert_int_equal(find(f, below(f, "s")), PAWL_OK);
	assert_int_equal(
		statedir_make(&fs, &f->dir, &fd, &made, &f->err), PAWL_OK);
	assert_true(f->whole);
	fs_close(&fs_real, &fd);
}

static void
make_run(struct fixture *f, int fd, const char *id, bool active)
{
	struct rundir_inputs none = { NULL, 0 };
	struct buf events = { 0 };
	struct journal journal;
	int dir = -1;

	assert_int_equal(
		rundir_create(&fs_real, fd, id, &none, &dir, &f->err), PAWL_OK);
	/* One with an empty journal was never started and is not active. */
	journal_init(&journal, &fs_real, dir);
	assert_int_equal(
		commit_one(&journal, commit_events(&events, 1, 0), &f->err),
		PAWL_OK);
	journal_close(&journal);
	buf_release(&events);
	fs_close(&fs_real, &dir);
	assert_int_equal(
		rundir_mark_active(&fs_real, fd, id, active, &f->err), PAWL_OK);
}

static void
expect_run(struct fixture *f, struct runs *runs, const char *name,
	const char *whole, const char *prefix)
{
	const char *const want[] = { whole, prefix };

	for (int i = 0; i < 2; i++) {
		enum runs_match match = i == 0 ? RUNS_WHOLE : RUNS_PREFIX;
		struct str id = { 0 };
		enum pawl_rc rc = runs_find(runs, name, match, &id, &f->err);

		if (rc == PAWL_OK) {
			assert_string_equal(arena_strdup(&f->mem, id), want[i]);
		} else {
			assert_string_equal(
				pawl_code_info(f->err.code)->word, want[i]);
		}
	}
}

static void
names_of_runs(void **state)
{
	struct fixture *f = *state;
	struct runs runs = { .fs = &fs_real, .state = -1, .mem = &f->mem };
	bool made;

	expect_run(f, &runs, NULL, "run_not_found", "run_not_found");
	expect_run(f, &runs, "r-20261130-aaaaaa", "run_not_found",
		"run_not_found");
	assert_int_equal(find(f, below(f, "s")), PAWL_OK);
	assert_int_equal(
		statedir_make(&fs_real, &f->dir, &runs.state, &made, &f->err),
		PAWL_OK);
	expect_run(f, &runs, NULL, "run_not_found", "run_not_found");
	make_run(f, runs.state, "r-20261129-zzzzzz", false);
	expect_run(f, &runs, NULL, "run_not_found", "r-20261129-zzzzzz");
	make_run(f, runs.state, "r-20261129-aaaaaa", false);
	expect_run(f, &runs, NULL, "run_not_found", "r-20261129-aaaaaa");
	make_run(f, runs.state, "r-20261130-aaaaaa", true);
	make_run(f, runs.state, "r-20261201-bbbbbb", false);
	make_run(f, runs.state, "r-20261201-bbbbcc", false);
	make_run(f, runs.state, "r", false);
	expect_run(f, &runs, NULL, "r-20261130-aaaaaa", "r-20261130-aaaaaa");
	expect_run(f, &runs, "r-20261130-aaaaaa", "r-20261130-aaaaaa",
		"r-20261130-aaaaaa");
	/* a beginning is enough for a read, up to a border */
	expect_run(
		f, &runs, "r-20261130", "run_not_found", "r-20261130-aaaaaa");
	expect_run(f, &runs, "r-2026", "run_not_found", "run_not_found");
	expect_run(f, &runs, "r-20261201", "ambiguous_id", "ambiguous_id");
	assert_non_null(strstr(
		arena_strdup(&f->mem, f->err.detail), "\"r-20261201-bbbbcc\""));
	/* a whole name is meant, also when it begins others */
	expect_run(f, &runs, "r", "r", "r");
	make_run(f, runs.state, "r-20261201-bbbbbb2", true);
	expect_run(f, &runs, NULL, "ambiguous_run", "ambiguous_run");
	assert_string_equal(arena_strdup(&f->mem, f->err.detail),
		"{\"runs\":[\"r-20261130-aaaaaa\",\"r-20261201-bbbbbb2\"],"
		"\"count\":2}");
	fs_close(&fs_real, &runs.state);
}

/* C115: in a name that reaches a path. */
static void
hostile_names_of_runs(void **state)
{
	static const char *const names[] = { "", ".", "..", "../x", "a/b",
		"a\\b", "/etc/x", "-rf", "a\nb", "a.lock", "r-", "-r", "r--1",
		"\303\251", "runs/r" };
	struct fixture *f = *state;
	struct runs runs = { .fs = &fs_real, .mem = &f->mem };
	char *longest = arena_alloc(&f->mem, 10001, 1);
	bool made;

	memset(longest, 'a', 10000);
	assert_int_equal(find(f, below(f, "s")), PAWL_OK);
	assert_int_equal(
		statedir_make(&fs_real, &f->dir, &runs.state, &made, &f->err),
		PAWL_OK);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		expect_run(f, &runs, names[i], "invalid_id", "invalid_id");
	expect_run(f, &runs, longest, "invalid_id", "invalid_id");
	longest[BOUND_ID_BYTES] = '\0';
	expect_run(f, &runs, longest, "run_not_found", "run_not_found");
	expect_run(f, &runs, "CON", "run_not_found", "run_not_found");
	fs_close(&fs_real, &runs.state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int
main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_first_that_is_set_is_taken),
		TEST(a_home_that_is_not_absolute_is_not_set),
		TEST(a_path_below_at_and_above_its_limit),
		TEST(a_link_on_the_way_is_resolved),
		TEST(what_init_made_counts_beside_a_git_folder_of_ours),
		TEST(what_is_not_as_it_should_be_is_told),
		TEST(making_twice_makes_once),
		TEST(a_fault_leaves_nothing_in_the_way),
		TEST(other_things_are_left_alone),
		TEST(another_makes_it_meanwhile),
		TEST(names_of_runs),
		TEST(hostile_names_of_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
