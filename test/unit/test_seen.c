#include "repo_fixture.h"

#include "engine/seen.h"

/* A pilot with what a look at a folder needs of one, on the fixture's own. */
struct looker {
	struct place place;
	struct run run;
	struct pilot pilot;
	struct workspace ws;
};

static struct looker *
looker_new(struct fixture *f)
{
	struct looker *l = calloc(1, sizeof(*l));

	assert_non_null(l);
	l->place.state_path = fx_path(f, "state");
	l->run.place = &l->place;
	l->run.id = STR("r");
	fx_sh(f, "mkdir -p ../state/runs/r");
	l->pilot.run = &l->run;
	l->pilot.repo = f->repo;
	l->pilot.serve.git_dir = f->repo.common_dir;
	l->pilot.repo.serve = &l->pilot.serve;
	l->ws.repo = l->pilot.repo;
	l->ws.index = fx_path(f, "index");
	memcpy(l->pilot.self.boot, "boot-1", sizeof("boot-1"));
	return l;
}

static void
looker_free(struct looker *l)
{
	git_serve_close(&l->pilot.serve);
	arena_reset(&l->pilot.mem);
	arena_reset(&l->pilot.keep);
	free(l);
}

static struct oid
look(struct fixture *f, struct looker *l)
{
	struct oid tree;

	FX_OK(f,
		seen_take(&l->pilot, &l->ws.repo, l->ws.index, &tree, &f->err));
	return tree;
}

/* Without any git: only what is remembered can be told. */
static bool
is_known(struct fixture *f, struct looker *l, struct oid *ret_tree)
{
	const char *was = getenv("PATH");
	char *path = strdup(was != NULL ? was : "");
	struct pawl_err err;
	enum pawl_rc rc;

	(void)f;
	assert_int_equal(setenv("PATH", "/nowhere", 1), 0);
	rc = seen_take(&l->pilot, &l->ws.repo, l->ws.index, ret_tree, &err);
	assert_int_equal(setenv("PATH", path, 1), 0);
	free(path);
	return rc == PAWL_OK;
}

static void
a_folder_at_rest_is_known(void **state)
{
	struct fixture *f = *state;
	struct looker *l = looker_new(f);
	struct oid tree = look(f, l), now;

	assert_true(is_known(f, l, &now));
	assert_true(oid_eq(&now, &tree));
	/* the same bytes, written again */
	fx_sh(f, "cp a b; mv b a");
	assert_false(is_known(f, l, &now));
	now = look(f, l);
	assert_true(oid_eq(&now, &tree));
	assert_true(is_known(f, l, &now));
	looker_free(l);
}

/* What the next process knows of the folder, by the link beside its index. */
static void
the_next_process_knows_it_until_something_is_written(void **state)
{
	static const struct {
		const char *between; /* in the folder, after the look */
		const char *boot;    /* of the next process */
		bool known;
	} rows[] = {
		{ ":", "boot-1", true },
		{ ":", "boot-2", false },
		{ ":", "boot-", false },
		{ ":", "", false },
		{ "echo 2 >>a", "boot-1", false },
		{ "echo n >n", "boot-1", false },
		{ "chmod +x a", "boot-1", false },
		/* as long as before, and with the old times */
		{ "cp -p a ../a; echo 9 >a; touch -r ../a a", "boot-1", false },
		{ "rm ../index.seen", "boot-1", false },
		{ "rm ../index.seen; echo x >../index.seen", "boot-1", false },
		{ "t=$(readlink ../index.seen); ln -sfn ${t%?} ../index.seen",
			"boot-1", false },
		{ "t=$(readlink ../index.seen); ln -sfn x$t ../index.seen",
			"boot-1", false },
		{ "ln -sfn : ../index.seen", "boot-1", false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct looker *one = looker_new(f), *next = looker_new(f);
		struct oid tree = look(f, one), now;

		memcpy(next->pilot.self.boot, rows[i].boot,
			strlen(rows[i].boot) + 1);
		fx_sh(f, rows[i].between);
		if (is_known(f, next, &now) != rows[i].known)
			fail_msg("'%s' in '%s'", rows[i].between, rows[i].boot);
		if (rows[i].known)
			assert_true(oid_eq(&now, &tree));
		fx_sh(f, "git checkout -qf main; git clean -fdxq");
		looker_free(one);
		looker_free(next);
	}
}

/* Without a boot that is known nothing is left for others. */
static void
nothing_is_left_where_the_boot_is_not_known(void **state)
{
	struct fixture *f = *state;
	struct looker *one = looker_new(f), *next = looker_new(f);
	struct oid tree, now;

	one->pilot.self.boot[0] = '\0';
	next->pilot.self.boot[0] = '\0';
	tree = look(f, one);
	assert_true(is_known(f, one, &now));
	assert_true(oid_eq(&now, &tree));
	assert_false(is_known(f, next, &now));
	looker_free(one);
	looker_free(next);
}

/* The next process knows this tree, or none. */
static void
next_knows(struct fixture *f, const struct oid *tree)
{
	struct looker *next = looker_new(f);
	struct oid now;

	assert_int_equal(is_known(f, next, &now), tree != NULL);
	if (tree != NULL)
		assert_true(oid_eq(&now, tree));
	looker_free(next);
}

/*
 * Each row moves the folder from what it holds to the commit `to`, and does
 * something else at some time.
 */
static void
a_move_is_known_only_when_nothing_else_was_written(void **state)
{
	static const struct {
		const char *work;    /* before the first look */
		const char *to;      /* makes the tree to move to */
		const char *between; /* after the beginning */
		bool known;
	} rows[] = {
		{ "echo w >w", "echo 2 >a; echo n >n", ":", true },
		{ "echo w >w", "rm -rf d; mkdir -p p/q; echo 1 >p/q/r", ":",
			true },
		{ "echo w >w", "rm a; mkdir a; echo 1 >a/x", ":", true },
		{ "echo w >w", "chmod +x a", ":", true },
		/* somewhere else: content, mode, a new file, an ignored one */
		{ "echo w >w", "echo 2 >a", "echo x >>w", false },
		{ "echo w >w", "echo 2 >a", "chmod +x w", false },
		{ "echo w >w", "echo 2 >a", "echo >stray", false },
		{ "echo w >w", "echo 2 >d/b", "echo >d/stray", false },
		{ "echo w >w", "echo 2 >a", "echo >x.o", false },
		{ "echo w >w", "echo 2 >a", "rm w", false },
		/* on a path that is moved, after git */
		{ "echo w >w", "echo 2 >a", "git checkout -q to a; echo 3 >a",
			false },
		{ "echo w >w", "echo n >n", "git checkout -q to n; ln -sf w n",
			false },
		{ "echo w >w", "rm a", "rm a; echo back >a", false },
		/* a link isn't compared */
		{ "echo w >w", "ln -sf w n", ":", false },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct looker *l = looker_new(f);
		struct seen_move move;
		struct oid to, now;
		struct str text = arena_format(&f->mem,
			"rm -f ../index ../index.*; git clean -fdxq; "
			"git checkout -q -B to main; %s; %s; git add -A; "
			"git commit -qm to; git checkout -q main; %s",
			rows[i].work, rows[i].to, rows[i].work);
		/* as git does for a worktree: only what differs is written */
		static const char reset[] =
			"git add -A; git read-tree -m -u HEAD to || "
			"git read-tree --reset -u to";

		fx_sh(f, text.ptr);
		to = fx_oid(f, "to^{tree}");
		l->ws.after = look(f, l);
		FX_OK(f,
			seen_move_begin(
				&l->pilot, &l->ws, &to, &move, &f->err));
		if (strstr(rows[i].between, "checkout") == NULL &&
			strstr(rows[i].between, "back") == NULL)
			fx_sh(f, reset);
		fx_sh(f, rows[i].between);
		seen_move_end(&l->pilot, &l->ws.repo, &move, true);
		if (is_known(f, l, &now) != rows[i].known)
			fail_msg("'%s' and '%s'", rows[i].to, rows[i].between);
		if (rows[i].known)
			assert_true(oid_eq(&now, &to));
		next_knows(f, rows[i].known ? &to : NULL);
		now = look(f, l);
		assert_string_equal(now.hex,
			fx_says(f,
				"cp ../index ../i2; GIT_INDEX_FILE=../i2 git "
				"add -A; GIT_INDEX_FILE=../i2 git write-tree"));
		fx_sh(f, "git checkout -qf main; git clean -fdxq");
		looker_free(l);
	}
}

static void
a_folder_with_other_work_is_not_moved(void **state)
{
	struct fixture *f = *state;
	struct looker *l = looker_new(f);
	struct seen_move move;

	l->ws.after = look(f, l);
	fx_sh(f, "echo more >more");
	FX_FAILS(f,
		seen_move_begin(
			&l->pilot, &l->ws, &f->head.commit, &move, &f->err),
		ERR_DIRTY_SCOPE);
	looker_free(l);
}

/* What git wrote through a filter is no blob: it is looked at by git. */
static void
filtered_content_is_asked_of_git(void **state)
{
	struct fixture *f = *state;
	struct looker *l = looker_new(f);
	struct seen_move move;
	struct oid to, now;

	fx_sh(f,
		"git config filter.up.smudge 'tr a-z A-Z'; "
		"git config filter.up.clean 'tr A-Z a-z'; "
		"git config filter.up.required true; "
		"echo '*.up filter=up' >.gitattributes; git add -A; "
		"git commit -qm attributes; git checkout -q -b to; "
		"echo text >x.up; git add -A; git commit -qm to; "
		"git checkout -q main");
	to = fx_oid(f, "to^{tree}");
	l->ws.after = look(f, l);
	FX_OK(f, seen_move_begin(&l->pilot, &l->ws, &to, &move, &f->err));
	fx_sh(f, "git read-tree -m -u HEAD to");
	assert_string_equal(fx_says(f, "cat x.up"), "TEXT");
	seen_move_end(&l->pilot, &l->ws.repo, &move, true);
	assert_false(is_known(f, l, &now));
	now = look(f, l);
	assert_true(oid_eq(&now, &to));
	looker_free(l);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		FX_TEST(a_folder_at_rest_is_known),
		FX_TEST(the_next_process_knows_it_until_something_is_written),
		FX_TEST(nothing_is_left_where_the_boot_is_not_known),
		FX_TEST(a_move_is_known_only_when_nothing_else_was_written),
		FX_TEST(a_folder_with_other_work_is_not_moved),
		FX_TEST(filtered_content_is_asked_of_git),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
